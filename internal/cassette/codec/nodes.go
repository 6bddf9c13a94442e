package codec

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A parser turns YAML nodes into interactions. It keeps the first error and goes on: after an
// error, the values that its methods return have no meaning.
//
// A parameter "field" is the name of a value in errors, such as "response.headers".
type parser struct {
	file              string       // the name of the file in errors
	src               string       // the text; its lines end with \n
	err               *SyntaxError // the first error
	readFile          ReadAsset    // may be nil
	anchoredElsewhere LookUpAnchor // may be nil
	current           mapping      // the mapping that is being read

	*scratch
	flows   strings.Builder // the JSON of all collections that flowJSON has read
	aliases []aliasUse      // in the text

	eventFields []interaction.Field // the fields of all events, in one slice

	assets         map[string]*assetUse // by name; nil until an asset is read
	assetBytes     int                  // the sum of the lengths of these assets
	usedAssetBytes int                  // the same sum, with the length of each asset times its count
	indentation    int                  // how many bytes of indentation json has printed
}

// An aliasUse has two offsets in the text: those of an alias, and of the value that it refers to.
type aliasUse struct{ alias, value int }

// An assetUse is an asset that was read, and how often the text uses the asset.
type assetUse struct {
	content []byte
	count   int // how often the text has its name; more if aliases use the asset more often
	reused  int // how often the parser has used the asset after the first time
}

// A mapping is a YAML mapping whose fields are being read.
type mapping struct {
	node    *yaml.Node
	field   string   // the name of the mapping in errors
	prefix  string   // of the names of its fields in errors, such as "response."
	missing []string // the names of required fields that are not there
	check   func()   // checks the fields after they were read; may be nil
}

// mapping reads the mapping n. Its function readFields must call [parser.get] for every key that
// the mapping may have: other keys are an error.
func (p *parser) mapping(n *yaml.Node, field, prefix string, readFields func()) {
	outer := p.current
	knownBefore := len(p.known)
	hadError := p.err != nil

	p.current = mapping{node: n, field: field, prefix: prefix}
	isMapping := n.Kind == yaml.Mapping && n.Tag == ""
	if !isMapping {
		p.current.node = new(yaml.Node) // readFields is called for the names of the keys only
	}
	readFields()
	if p.current.check != nil {
		p.current.check()
	}
	m := p.current
	known := p.known[knownBefore:]
	p.current = outer
	p.known = p.known[:knownBefore]

	if !isMapping && !hadError {
		p.err = nil // an error about the empty mapping
		p.unexpected(n, field, "a mapping with the keys "+strings.Join(known, ", "))
		return
	}
	for _, e := range m.node.Elems {
		key := p.key(e.Key, field)
		if !slices.Contains(known, key) {
			p.badf(e.Key, field, "unknown key %q; known are %s. If a newer promptecho wrote it, "+update,
				yaml.Clip(key), strings.Join(known, ", "))
		}
	}
	for _, name := range m.missing {
		p.badf(n, name, "is missing; restore it, or record again")
	}
}

// get returns the value of a key of the current mapping and the name of the value in errors, or
// nil and the key if the mapping does not have the key. From then on the key counts as known.
func (p *parser) get(key string) (n *yaml.Node, field string) {
	p.known = append(p.known, key)
	return p.find(key)
}

// optional sets *dst to the value of a key of the current mapping, as read returns it. It leaves
// *dst as it is if the mapping does not have the key.
func optional[T any](p *parser, key string, dst *T, read func(n *yaml.Node, field string) T) {
	if n, field := p.get(key); n != nil {
		*dst = read(n, field)
	}
}

// find returns what [parser.get] returns, for a key that is known already.
func (p *parser) find(key string) (n *yaml.Node, field string) {
	for _, e := range p.current.node.Elems {
		if p.err != nil {
			break
		}
		name := e.Key.Text
		if e.Key.Tag != "" {
			name = p.key(e.Key, p.current.field)
		}
		if name == key {
			return e, p.current.prefix + key
		}
	}
	return nil, key
}

// require records that the current mapping must have a key, and whether the key is there.
func (p *parser) require(key string, isThere bool) {
	if !isThere {
		p.current.missing = append(p.current.missing, p.current.prefix+key)
	}
}

// fail records an error at an offset of the text, unless there was an error before.
func (p *parser) fail(pos int, field, format string, args ...any) {
	if p.err == nil {
		p.err = ErrorAt(p.file, p.src, pos, field, format, args...)
	}
}

// badf records an error at the node n.
func (p *parser) badf(n *yaml.Node, field, format string, args ...any) {
	p.fail(n.Pos, field, format, args...)
}

// unexpected records the error "want ..., found ..." at the node n.
func (p *parser) unexpected(n *yaml.Node, field, want string) {
	p.badf(n, field, "want %s, found %s", want, describe(n))
}

// key returns the text of a mapping's key.
func (p *parser) key(n *yaml.Node, field string) string {
	isText := p.resolve(n, field) == exactjson.String && !isAsset(n)
	if !isText {
		p.badf(n, field, "the key %s is not text; put it in quotes", yaml.Clip(n.Text))
	}
	return p.decoded(n, field)
}

// list returns the elements of the sequence n. In errors they are called of.
func (p *parser) list(n *yaml.Node, field, of string) []*yaml.Node {
	return p.elems(n, field, yaml.Sequence, "a list of "+of)
}

// elems returns the elements of n, which must be of this kind; else the error says want.
func (p *parser) elems(n *yaml.Node, field string, kind yaml.Kind, want string) []*yaml.Node {
	if n.Kind != kind || n.Tag != "" {
		p.unexpected(n, field, want)
		return nil
	}
	return n.Elems
}

// listOf returns the elements of the sequence n, as read returns them.
func listOf[T any](
	p *parser, n *yaml.Node, field, of string, read func(n *yaml.Node, field string) T,
) []T {
	return group.Each(p.list(n, field, of), func(e *yaml.Node) T { return read(e, field) })
}

func newParser(name, text string, asset ReadAsset) *parser {
	return &parser{file: name, src: text, readFile: asset, scratch: scratchPool.Get().(*scratch)}
}

// format describes the YAML of a cassette.
var format = yaml.Format{
	Name:    "a cassette",
	Tags:    []string{"!asset", numbersTag, "!!binary", "!!str"},
	Aliases: true,
}

// ReadAsset returns the content of an asset by its file name.
type ReadAsset func(name string) ([]byte, error)

// LookUpAnchor returns the value of an anchor that is in another part of the file than the text
// being read.
type LookUpAnchor func(anchor string) (yaml.Node, bool)

// stringOf returns the text of n, which must be a string.
func (p *parser) stringOf(n *yaml.Node, field string) string {
	isText := n.Kind == yaml.Scalar && !isAsset(n) && p.resolve(n, field) == exactjson.String
	if !isText {
		p.unexpected(n, field, "text (in quotes if it looks like something else)")
		return ""
	}
	return p.decoded(n, field)
}

// lenientString is stringOf for fields that have only text, such as a header: there a number or a
// bool without quotes means its text.
func (p *parser) lenientString(n *yaml.Node, field string) string {
	if n.Kind == yaml.Scalar && n.Tag == "" {
		kind := p.resolve(n, field)
		if kind == exactjson.Number || kind == exactjson.Bool {
			return n.Text
		}
	}
	return p.stringOf(n, field)
}

// decoded returns the text of a scalar. It decodes the base64 of a scalar with the tag !!binary.
func (p *parser) decoded(n *yaml.Node, field string) string {
	if n.Tag == "!!binary" {
		return string(p.base64(n, field))
	}
	return n.Text
}

// base64 returns the bytes whose base64 is the text of n.
func (p *parser) base64(n *yaml.Node, field string) []byte {
	b, err := yaml.DecodeBase64(n.Text)
	if err != nil {
		p.badf(n, field, "invalid base64 (%v); restore it, or record again", err)
	}
	return b
}

// integer returns the integer n, which must be at least min.
func (p *parser) integer(n *yaml.Node, field string, min int64) int64 {
	isNumber := n.Kind == yaml.Scalar && n.Tag == "" && p.resolve(n, field) == exactjson.Number
	if isNumber {
		i, err := strconv.ParseInt(n.Text, 10, 64)
		if err == nil && i >= min {
			return i
		}
	}
	want := "a 64-bit integer"
	if min > math.MinInt64 {
		want = fmt.Sprintf("an integer, %d or more", min)
	}
	p.unexpected(n, field, want)
	return 0
}

// boolean returns the bool n.
func (p *parser) boolean(n *yaml.Node, field string) bool {
	isBool := n.Kind == yaml.Scalar && n.Tag == "" && p.resolve(n, field) == exactjson.Bool
	if !isBool {
		p.unexpected(n, field, "true or false")
	}
	return n.Text == "true"
}

// resolve returns the kind that the scalar n has in JSON. It is an error if n has no quotes and is
// for YAML a value that JSON does not have or writes in another way, such as .nan or 0x1f.
func (p *parser) resolve(n *yaml.Node, field string) exactjson.Kind {
	if n.Style != yaml.Plain || n.Tag != "" {
		return exactjson.String
	}
	kind, isJSON := kindOf(n.Text)
	if !isJSON {
		p.badf(n, field, "YAML does not read %q as text; put it in "+
			"quotes if it is text, else write it as JSON does",
			yaml.Clip(n.Text))
	}
	return kind
}

// describe returns what n is, in the words of an error: "a list", `the text "abc"`.
func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.Mapping:
		return "a mapping"
	case n.Kind == yaml.Sequence:
		return "a list"
	case n.Tag != "":
		return fmt.Sprintf("%s %q", n.Tag, yaml.Clip(n.Text))
	case n.Style == yaml.Plain && n.Text == "":
		return "nothing"
	case n.Style == yaml.Plain:
		if kind, _ := kindOf(n.Text); kind != exactjson.String {
			return yaml.Clip(n.Text)
		}
	}
	return fmt.Sprintf("the text %q", yaml.Clip(n.Text))
}

// isStructure reports whether n is read as a JSON object or a JSON array.
func isStructure(n *yaml.Node) bool { return n.Kind != yaml.Scalar || n.Tag == numbersTag }

// isAsset reports whether the value of n is in an asset.
func isAsset(n *yaml.Node) bool { return n.Tag == "!asset" || n.Tag == numbersTag }
