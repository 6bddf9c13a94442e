package codec

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	objectWidth  = 80  // an object of plain values is one line if that ends here
	headersWidth = 100 // headers are one line if that ends here
)

// An encoder writes interactions as they stand in a cassette. After the first error
// what it writes is worthless.
type encoder struct {
	buf    []byte
	assets map[string][]byte
	indent int // of the keys that are being written
	parser exactjson.Parser
	err    error
}

// Encode returns the text of an interaction, as it stands in the list of interactions of
// a cassette, and its assets by their names.
//
// It is an error if it has no status, unless it ended without one, and if it is that of a function
// whose argument or result is no JSON. What else a cassette cannot hold [EncodeChecked] finds.
func Encode(it *interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	list, assets, err := encodeList(it)
	if err != nil {
		return nil, nil, err
	}
	return list[len(ItemsLine):], assets, nil
}

// encodeList returns a list of one interaction: its text behind [ItemsLine].
func encodeList(it *interaction.Interaction) (list []byte, assets map[string][]byte, err error) {
	if it == nil {
		return nil, nil, errors.New("is nil")
	}
	size := 1<<10 + min(len(it.Response.Body), 1<<20) // what stands in the file is as long, but for large assets
	for _, event := range it.Response.Events {
		for _, f := range event {
			size += len(f.Value) + 24
		}
	}
	e := encoder{buf: make([]byte, 0, size), assets: map[string][]byte{}}
	e.raw(ItemsLine)
	e.interaction(it)
	if e.err != nil {
		return nil, nil, e.err
	}
	if len(e.buf) < cap(e.buf)*15/16 {
		e.buf = bytes.Clone(e.buf) // it is kept for long, and has grown into more than it needs
	}
	return e.buf, e.assets, nil
}

// interaction writes an element of the list of interactions.
func (e *encoder) interaction(it *interaction.Interaction) {
	start := len(e.buf)
	e.indent = itemIndent
	if r := &it.Response; (r.Status < 1 || r.Status > 999) && !mayHaveNoStatus(r) && !isFunction(it.Kind) {
		e.errorf("response: invalid status %d", r.Status)
	}
	interactionFields(e, it)
	e.buf[start+itemIndent-2] = '-'
}

func (e *encoder) errorf(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) raw(s string) { e.buf = append(e.buf, s...) }

// start starts a line that is indented by indent.
func (e *encoder) start(indent int) { e.raw(strings.Repeat(" ", indent)) }

// key starts a line with a key.
func (e *encoder) key(name string) {
	e.start(e.indent)
	e.raw(name)
	e.raw(":")
}

// line writes a line of a key and a value that needs no quotes.
func (e *encoder) line(name, value string) {
	e.key(name)
	e.raw(" " + value + "\n")
}

func (e *encoder) part(key string, each func()) {
	e.key(key)
	e.raw("\n")
	e.indent += 2
	each()
	e.indent -= 2
}

func (e *encoder) text(key string, s *string) {
	if *s == "" {
		return
	}
	e.key(key)
	e.raw(" ")
	e.blockString(*s, e.indent+2)
	e.raw("\n")
}

func (e *encoder) status(n *int) {
	if *n != 0 {
		e.line("status", strconv.Itoa(*n))
	}
}

// latency is written also if it is zero: the lines of a file must not depend on its
// timing.
func (e *encoder) latency(ms *int64) { e.line("latency_ms", strconv.FormatInt(*ms, 10)) }

func (e *encoder) flag(key string, set *bool) {
	if *set {
		e.line(key, "true")
	}
}

func (e *encoder) moments(m **interaction.Moments) {
	if *m != nil {
		e.line(momentsKey, (*m).String())
	}
}

func (e *encoder) usage(u **interaction.Usage) {
	if *u == nil {
		return
	}
	var fields []string
	names, counts := (*u).Fields()
	for i, n := range counts {
		if i < 2 || *n != 0 {
			fields = append(fields, fmt.Sprintf("%s: %d", names[i], *n))
		}
	}
	e.line("usage", "{"+strings.Join(fields, ", ")+"}")
}

// texts writes a list of texts on one line.
func (e *encoder) texts(key string, list *[]string) {
	e.list(key, len(*list), func(i int) { e.flowString((*list)[i]) })
}

// list writes a line of a key and n elements, unless n is 0.
func (e *encoder) list(key string, n int, elem func(i int)) {
	if n == 0 {
		return
	}
	e.key(key)
	e.raw(" ")
	e.flow("[]", n, elem)
	e.raw("\n")
}

// headers writes header fields on one line if they fit, else one a line.
func (e *encoder) headers(key string, headers *interaction.Headers) {
	hs := *headers
	if len(hs) == 0 {
		return
	}
	start := len(e.buf)
	e.key(key)
	after := len(e.buf)
	e.raw(" ")
	e.flow("{}", len(hs), func(i int) { e.header(hs[i], false) })
	e.raw("\n")
	if utf8.RuneCount(e.buf[start:])-1 <= headersWidth {
		return
	}
	e.buf = append(e.buf[:after], '\n')
	for _, h := range hs {
		e.start(e.indent + 2)
		e.header(h, true)
		e.raw("\n")
	}
}

// flow writes a collection of n elements in flow style, between two brackets.
func (e *encoder) flow(brackets string, n int, elem func(i int)) {
	e.raw(brackets[:1])
	for i := range n {
		if i > 0 {
			e.raw(", ")
		}
		elem(i)
	}
	e.raw(brackets[1:])
}

// header writes a header field, in block or in flow context.
func (e *encoder) header(h interaction.Header, block bool) {
	e.flowString(h.Name)
	e.raw(": ")
	switch {
	case len(h.Values) != 1:
		e.flow("[]", len(h.Values), func(i int) { e.flowString(h.Values[i]) })
	case block:
		e.blockString(h.Values[0], e.indent+4)
	default:
		e.flowString(h.Values[0])
	}
}

// blockString writes any string in block context; lines of a literal are
// indented by indent.
func (e *encoder) blockString(s string, indent int) {
	switch {
	case yaml.IsPlain(s):
		e.raw(s)
	case !utf8.ValidString(s):
		e.binary(s)
	case yaml.IsLiteral(s):
		e.buf = yaml.AppendLiteral(e.buf, s, indent)
	default:
		e.buf = yaml.AppendQuoted(e.buf, s)
	}
}

// flowString writes any string in flow context.
func (e *encoder) flowString(s string) {
	switch {
	case yaml.IsWord(s):
		e.raw(s)
	case !utf8.ValidString(s):
		e.binary(s)
	default:
		e.buf = yaml.AppendQuoted(e.buf, s)
	}
}

func (e *encoder) binary(s string) {
	e.raw(`!!binary "`)
	e.buf = base64.StdEncoding.AppendEncode(e.buf, []byte(s))
	e.raw(`"`)
}

// asset keeps content beside the cassette and returns its name.
func (e *encoder) asset(content []byte, file, media string) string {
	name := nameAsset(content, file, media)
	e.keepAsset(name, content)
	return name
}

func (e *encoder) keepAsset(name string, content []byte) {
	if err := AddAsset(e.assets, name, content); err != nil {
		e.errorf("%w", err)
	}
}

// ref writes what stands for the content of an asset, in block or in flow context.
func (e *encoder) ref(tag, ref string, block bool) {
	e.raw(tag)
	if block && yaml.IsPlain(ref) {
		e.raw(ref)
	} else {
		e.buf = yaml.AppendQuoted(e.buf, ref)
	}
}
