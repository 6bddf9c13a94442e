package oldreader

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/memo"
)

// A parser turns nodes into the data model. After the first error what it returns is
// worthless.
type parser struct {
	file   string
	src    string       // line ends are \n
	err    *SyntaxError // the first thing found wrong
	asset  ReadAsset    // may be nil
	beyond Beyond       // may be nil
	in     mapping
	known  []string // the keys that were asked for, of all mappings that are being read

	room  []byte          // for the JSON that is being made
	flows strings.Builder // has all that flowJSON makes
	refs  []ref           // the aliases in the text

	made []interaction.Field // for events, are not used yet

	mentions, uses  map[string]int    // of each asset: in the text, and so far without the first
	assets          map[string][]byte // that were read, by name
	distinct, named int               // their lengths in bytes, once and as often as they are named
	indentation     int               // of the JSON that was made, in bytes
}

// A ref is where an alias stands, and the value that it stands for.
type ref struct{ at, value int }

// A mapping is one whose fields are being read.
type mapping struct {
	node   *Node
	field  string   // its name in errors
	prefix string   // of the names of its fields
	lacks  []string // those that must be there and are not
	atEnd  func()   // checks what was read; may be nil
}

// mapping reads a mapping: each asks for all keys that there can be.
func (p *parser) mapping(n *Node, field, prefix string, each func()) {
	outer, since, before := p.in, len(p.known), p.err
	p.in = mapping{node: n, field: field, prefix: prefix}
	whole := n.Kind == Mapping && n.Tag == ""
	if !whole {
		p.in.node = new(Node)
	}
	each()
	if p.in.atEnd != nil {
		p.in.atEnd()
	}
	m, known := p.in, p.known[since:]
	p.in, p.known = outer, p.known[:since]
	if !whole && before == nil {
		p.err = nil
		p.want(n, field, "a mapping with the keys "+strings.Join(known, ", "))
		return
	}
	for _, e := range m.node.Elems {
		if key := p.key(e.Key, field); !slices.Contains(known, key) {
			p.badf(e.Key, field, "unknown key %q; known are %s. If a newer promptecho wrote it, "+update, Clip(key), strings.Join(known, ", "))
		}
	}
	for _, name := range m.lacks {
		p.badf(n, name, "is missing; restore it, or record again")
	}
}

// get returns the value of a key of the mapping that is being read, and its name in
// errors; nil and the key if it is not there.
func (p *parser) get(key string) (n *Node, field string) {
	p.known = append(p.known, key)
	return p.find(key)
}

// optional sets to to the value of a key of the mapping that is being read, if it is there.
func optional[T any](p *parser, key string, to *T, value func(n *Node, field string) T) {
	if n, field := p.get(key); n != nil {
		*to = value(n, field)
	}
}

// find is get for a key that was asked for.
func (p *parser) find(key string) (n *Node, field string) {
	for _, e := range p.in.node.Elems {
		if p.err == nil && (e.Key.Tag == "" && e.Key.Text == key || e.Key.Tag != "" && p.key(e.Key, p.in.field) == key) {
			return e, p.in.prefix + key
		}
	}
	return nil, key
}

// need notes that a field must be there.
func (p *parser) need(key string, there bool) {
	if !there {
		p.in.lacks = append(p.in.lacks, p.in.prefix+key)
	}
}

// fail records what is wrong at offset pos, unless something was already wrong.
func (p *parser) fail(pos int, field, format string, args ...any) {
	if p.err == nil {
		p.err = ErrorAt(p.file, p.src, pos, field, format, args...)
	}
}

// badf records that n, which is the field, is wrong.
func (p *parser) badf(n *Node, field, format string, args ...any) {
	p.fail(n.Pos, field, format, args...)
}

// want records that n is not what the field takes.
func (p *parser) want(n *Node, field, what string) {
	p.badf(n, field, "want %s, found %s", what, describe(n))
}

// key returns the text of a mapping's key.
func (p *parser) key(n *Node, field string) string {
	if k := p.resolve(n, field); k != exactjson.String || isAsset(n) {
		p.badf(n, field, "the key %s is not text; put it in quotes", Clip(n.Text))
	}
	return p.decoded(n, field)
}

// list returns the elements of the sequence n.
func (p *parser) list(n *Node, field, of string) []*Node {
	return p.elems(n, field, Sequence, "a list of "+of)
}

// elems returns the elements of n, which must be of this kind.
func (p *parser) elems(n *Node, field string, kind Kind, want string) []*Node {
	if n.Kind != kind || n.Tag != "" {
		p.want(n, field, want)
		return nil
	}
	return n.Elems
}

// listOf returns the values of the elements of the sequence n.
func listOf[T any](p *parser, n *Node, field, of string, value func(n *Node, field string) T) []T {
	return group.Each(p.list(n, field, of), func(e *Node) T { return value(e, field) })
}

func newParser(name, text string, asset ReadAsset) *parser {
	return &parser{file: name, src: text, asset: asset, known: make([]string, 0, 32), room: make([]byte, 0, min(len(text), 4<<10))}
}

// format is the YAML of a cassette.
var format = Format{Name: "a cassette", Tags: []string{"!asset", numbersTag, "!!binary", "!!str"}, Aliases: true}

// ReadAsset returns the content of an asset by its file name.
type ReadAsset func(name string) ([]byte, error)

// Beyond returns the value that has an anchor which stands elsewhere.
type Beyond func(anchor string) (Node, bool)

// str returns the text of n, which must be a string.
func (p *parser) str(n *Node, field string) string {
	if n.Kind != Scalar || isAsset(n) || p.resolve(n, field) != exactjson.String {
		p.want(n, field, "text (in quotes if it looks like something else)")
		return ""
	}
	return p.decoded(n, field)
}

// loose is str for where numbers and bools, too, can only mean their text.
func (p *parser) loose(n *Node, field string) string {
	if n.Kind == Scalar && n.Tag == "" {
		if k := p.resolve(n, field); k == exactjson.Number || k == exactjson.Bool {
			return n.Text
		}
	}
	return p.str(n, field)
}

// decoded returns the text of a scalar, decoded if it is tagged as binary.
func (p *parser) decoded(n *Node, field string) string {
	if n.Tag == "!!binary" {
		return string(p.base64(n, field))
	}
	return n.Text
}

func (p *parser) base64(n *Node, field string) []byte {
	b, err := DecodeBase64(n.Text)
	if err != nil {
		p.badf(n, field, "invalid base64 (%v); restore it, or record again", err)
	}
	return b
}

// integer returns the integer n, which is min or more.
func (p *parser) integer(n *Node, field string, min int64) int64 {
	if n.Kind == Scalar && n.Tag == "" && p.resolve(n, field) == exactjson.Number {
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil && i >= min {
			return i
		}
	}
	what := "a 64-bit integer"
	if min > math.MinInt64 {
		what = fmt.Sprintf("an integer, %d or more", min)
	}
	p.want(n, field, what)
	return 0
}

func (p *parser) boolean(n *Node, field string) bool {
	if n.Kind != Scalar || n.Tag != "" || p.resolve(n, field) != exactjson.Bool {
		p.want(n, field, "true or false")
	}
	return n.Text == "true"
}

// resolve returns the kind of the scalar n. Plain text that YAML takes for
// something that JSON does not have, or writes differently, is refused.
func (p *parser) resolve(n *Node, field string) exactjson.Kind {
	if n.Style != Plain || n.Tag != "" {
		return exactjson.String
	}
	kind, ok := kindOf(n.Text)
	if !ok {
		p.badf(n, field, "YAML does not read %q as text; put it in "+
			"quotes if it is text, else write it as JSON does",
			Clip(n.Text))
	}
	return kind
}

// kindOf returns the kind of a plain text; ok is false if that is for YAML another one than for
// JSON.
func kindOf(text string) (kind exactjson.Kind, ok bool) {
	switch text {
	case "", "null":
		return exactjson.Null, true
	case "true", "false":
		return exactjson.Bool, true
	}
	if c := text[0]; c >= 'a' && c <= 'z' || strings.IndexByte("~.+-0123456789NTF", c) < 0 {
		return exactjson.String, true
	}
	if end, ok := exactjson.ScanNumber(text, 0); ok && end == len(text) {
		return exactjson.Number, true
	}
	return exactjson.String, !yamlOnly().MatchString(text)
}

// yamlOnly matches what YAML's core schema (YAML 1.2.2, 10.3.2) takes for a null, a bool or a
// number that JSON writes in another way.
var yamlOnly = memo.Regexp(`^(~|N(ull|ULL)|T(rue|RUE)|F(alse|ALSE)|\.(nan|NaN|NAN)|[-+]*\.(inf|Inf|INF)|` +
	`0[xo][0-9a-fA-F]+|[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?)$`)

// describe says what n is, for messages.
func describe(n *Node) string {
	switch {
	case n.Kind == Mapping:
		return "a mapping"
	case n.Kind == Sequence:
		return "a list"
	case n.Tag != "":
		return fmt.Sprintf("%s %q", n.Tag, Clip(n.Text))
	case n.Style == Plain && n.Text == "":
		return "nothing"
	case n.Style == Plain:
		if kind, _ := kindOf(n.Text); kind != exactjson.String {
			return Clip(n.Text)
		}
	}
	return fmt.Sprintf("the text %q", Clip(n.Text))
}

// isStructure reports whether n stands for an object or a list of JSON.
func isStructure(n *Node) bool { return n.Kind != Scalar || n.Tag == numbersTag }

// isAsset reports whether n stands for what is in an asset.
func isAsset(n *Node) bool { return n.Tag == "!asset" || n.Tag == numbersTag }
