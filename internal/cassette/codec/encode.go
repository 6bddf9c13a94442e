package codec

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	lineWidth    = 80  // the longest line, in characters, for an object of literals or a list of short texts
	headersWidth = 100 // the longest line, in characters, for headers
)

// An encoder writes interactions in the format of a cassette. It keeps the first error and goes on:
// after an error, the text has no meaning.
type encoder struct {
	buf    []byte
	assets map[string][]byte // by name
	indent int               // of the keys that are being written, in spaces
	parser exactjson.Parser
	err    error // the first error
}

// Encode returns the text of an item of a cassette with the interaction, and its assets by name.
//
// It is an error if a response that did not end early has no status, or if the argument or the
// result of a function is not JSON. [EncodeChecked] finds what else a cassette cannot have.
func Encode(it *interaction.Interaction) (text []byte, assets map[string][]byte, err error) {
	list, assets, err := encodeList(it)
	if err != nil {
		return nil, nil, err
	}
	return list[len(ItemsLine):], assets, nil
}

// encodeList returns a list of one item: [ItemsLine] and the text of the interaction.
func encodeList(it *interaction.Interaction) (list []byte, assets map[string][]byte, err error) {
	if it == nil {
		return nil, nil, errors.New("is nil") // the caller names the interaction
	}
	e := encoder{buf: make([]byte, 0, estimateSize(it)), assets: map[string][]byte{}}
	e.write(ItemsLine)
	e.interaction(it)
	if e.err != nil {
		return nil, nil, e.err
	}
	wastesMemory := len(e.buf) < cap(e.buf)*15/16
	if wastesMemory {
		e.buf = bytes.Clone(e.buf) // a recorder keeps the text for the whole test
	}
	return e.buf, e.assets, nil
}

// estimateSize returns about how many bytes the text of an interaction has, as the first capacity of
// the encoder's buffer: for a stream of 100 events of 200 bytes, about 23 kB. A wrong estimate costs
// time or memory only, since the buffer grows and a buffer that is too large is replaced.
func estimateSize(it *interaction.Interaction) int {
	const (
		forRequest = 1 << 10 // the request, the headers and the other small fields
		perField   = 24      // the name of a field of an event, and its indentation

		// A large body counts for a megabyte: if it is binary, such as a video, it goes into
		// a file of its own (an asset), and the text has only the name of the file.
		maxBody = 1 << 20
	)
	size := forRequest + min(len(it.Response.Body), maxBody)
	for _, event := range it.Response.Events {
		for _, f := range event {
			size += len(f.Value) + perField
		}
	}
	return size
}

// interaction writes an item.
func (e *encoder) interaction(it *interaction.Interaction) {
	start := len(e.buf)
	e.indent = itemIndent
	r := &it.Response
	hasStatus := r.Status >= 1 && r.Status <= 999
	needsStatus := !mayHaveNoStatus(r) && !isFunction(it.Kind)
	if needsStatus && !hasStatus {
		e.errorf("response: invalid status %d", r.Status)
	}
	if r.Stream == interaction.WebSocket && r.Status != webSocketStatus {
		e.errorf("response: a WebSocket with status %d", r.Status)
	}
	interactionFields(e, it)
	e.buf[start+itemIndent-2] = '-' // before the first key
}

// errorf records an error, unless there was an error before.
func (e *encoder) errorf(format string, args ...any) {
	if e.err == nil {
		e.err = fmt.Errorf(format, args...)
	}
}

func (e *encoder) write(s string) { e.buf = append(e.buf, s...) }

// startLine writes the indentation of a line.
func (e *encoder) startLine(indent int) { e.write(strings.Repeat(" ", indent)) }

// key writes the indentation of a line, a key and a colon.
func (e *encoder) key(name string) {
	e.startLine(e.indent)
	e.write(name)
	e.write(":")
}

// keyValue writes a line with a key and a value that needs no quotes.
func (e *encoder) keyValue(name, value string) {
	e.key(name)
	e.write(" " + value + "\n")
}

// section writes a key, and below it the fields that writeFields writes.
func (e *encoder) section(key string, writeFields func()) {
	e.key(key)
	e.write("\n")
	e.indent += 2
	writeFields()
	e.indent -= 2
}

// text writes a key and a string, unless the string is empty.
func (e *encoder) text(key string, s *string) {
	if *s == "" {
		return
	}
	e.key(key)
	e.write(" ")
	e.blockString(*s, e.indent+2)
	e.write("\n")
}

// status writes the status, unless it is 0.
func (e *encoder) status(n *int) {
	if *n != 0 {
		e.keyValue("status", strconv.Itoa(*n))
	}
}

// latency writes the latency, also if it is zero: which lines a file has must not depend on timing.
func (e *encoder) latency(ms *int64) { e.keyValue("latency_ms", strconv.FormatInt(*ms, 10)) }

// flag writes "key: true" if the flag is set.
func (e *encoder) flag(key string, set *bool) {
	if *set {
		e.keyValue(key, "true")
	}
}

// date writes a key and a day, unless the day is unknown.
func (e *encoder) date(key string, d *interaction.Date) {
	if *d != "" {
		e.keyValue(key, string(*d))
	}
}

// moments writes the key concurrent: when the interaction began and ended, relative to those that
// overlap it.
func (e *encoder) moments(m **interaction.Moments) {
	if *m != nil {
		e.keyValue(concurrentKey, (*m).String())
	}
}

// usage writes the counts of tokens on one line.
func (e *encoder) usage(u **interaction.Usage) {
	if *u == nil {
		return
	}
	const required = 2 // the counts of input and of output tokens are written also if they are 0
	var fields []string
	names, counts := (*u).Fields()
	for i, n := range counts {
		if i < required || *n != 0 {
			fields = append(fields, fmt.Sprintf("%s: %d", names[i], *n))
		}
	}
	e.keyValue("usage", "{"+strings.Join(fields, ", ")+"}")
}

// texts writes a list of strings on one line, unless it is empty.
func (e *encoder) texts(key string, list *[]string) {
	e.list(key, len(*list), func(i int) { e.flowString((*list)[i]) })
}

// list writes a line with a key and a list of n elements, unless n is 0. writeElem writes the
// element i.
func (e *encoder) list(key string, n int, writeElem func(i int)) {
	if n == 0 {
		return
	}
	e.key(key)
	e.write(" ")
	e.flow("[]", n, writeElem)
	e.write("\n")
}

// headers writes header fields: all on the line of the key if they are short, else one on each line.
func (e *encoder) headers(key string, headers *interaction.Headers) {
	hs := *headers
	if len(hs) == 0 {
		return
	}
	start := len(e.buf)
	e.key(key)
	keyEnd := len(e.buf)
	e.write(" ")
	e.flow("{}", len(hs), func(i int) { e.header(hs[i], false) })
	e.write("\n")
	width := utf8.RuneCount(e.buf[start:]) - len("\n")
	if width <= headersWidth {
		return
	}
	e.buf = append(e.buf[:keyEnd], '\n')
	for _, h := range hs {
		e.startLine(e.indent + 2)
		e.header(h, true)
		e.write("\n")
	}
}

// flow writes a collection of n elements in flow style. brackets is "[]" or "{}".
func (e *encoder) flow(brackets string, n int, writeElem func(i int)) {
	e.write(brackets[:1])
	for i := range n {
		if i > 0 {
			e.write(", ")
		}
		writeElem(i)
	}
	e.write(brackets[1:])
}

// header writes a header field, in block or in flow context.
func (e *encoder) header(h interaction.Header, block bool) {
	e.flowString(h.Name)
	e.write(": ")
	switch {
	case len(h.Values) != 1:
		e.flow("[]", len(h.Values), func(i int) { e.flowString(h.Values[i]) })
	case block:
		e.blockString(h.Values[0], e.indent+4)
	default:
		e.flowString(h.Values[0])
	}
}

// blockString writes a string in block context. If the string has several lines, they are indented
// by indent.
func (e *encoder) blockString(s string, indent int) {
	switch {
	case yaml.IsPlain(s):
		e.write(s)
	case !utf8.ValidString(s):
		e.binary(s)
	case yaml.IsLiteral(s):
		e.buf = yaml.AppendLiteral(e.buf, s, indent)
	default:
		e.buf = yaml.AppendQuoted(e.buf, s)
	}
}

// flowString writes a string in flow context.
func (e *encoder) flowString(s string) {
	switch {
	case yaml.IsWord(s):
		e.write(s)
	case !utf8.ValidString(s):
		e.binary(s)
	default:
		e.buf = yaml.AppendQuoted(e.buf, s)
	}
}

// binary writes a string that is not UTF-8, in base64.
func (e *encoder) binary(s string) {
	e.write(`!!binary "`)
	e.buf = base64.StdEncoding.AppendEncode(e.buf, []byte(s))
	e.write(`"`)
}

// asset makes an asset of the content and returns its name. See nameAsset for file and media.
func (e *encoder) asset(content []byte, file, media string) string {
	name := nameAsset(content, file, media)
	e.addAsset(name, content)
	return name
}

// A savepoint is a state of an encoder to which rollback returns.
type savepoint struct {
	length int // of the text
	assets map[string][]byte
}

func (e *encoder) savepoint() savepoint {
	return savepoint{length: len(e.buf), assets: maps.Clone(e.assets)}
}

// rollback removes the text and the assets that were written since the savepoint.
func (e *encoder) rollback(s savepoint) {
	e.buf = e.buf[:s.length]
	e.assets = maps.Clone(s.assets)
}

func (e *encoder) addAsset(name string, content []byte) {
	if err := AddAsset(e.assets, name, content); err != nil {
		e.errorf("%w", err)
	}
}

// taggedText writes a tag and a text, such as "!asset @6f1ed002ab559585.png", in block or in flow
// context.
func (e *encoder) taggedText(tag, text string, block bool) {
	e.write(tag)
	if block && yaml.IsPlain(text) {
		e.write(text)
	} else {
		e.buf = yaml.AppendQuoted(e.buf, text)
	}
}
