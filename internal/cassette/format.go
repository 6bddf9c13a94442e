package cassette

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"strconv"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// header is a cassette's first line.
const header = "# promptecho cassette: credentials are replaced, all else is as it was said. https://github.com/promptecho/promptecho/blob/main/docs/CASSETTE.md\n"

const (
	objectWidth  = 80  // an object of plain values is one line if that ends here
	headersWidth = 100 // headers are one line if that ends here
)

// Format returns f as a cassette and its assets, by file name: the contents
// that are kept beside it. Equal files give equal bytes.
//
// It is an error for f to hold what a cassette cannot: an interaction without
// method, URL or status (an end "error" needs none), a stream with a body or
// events without a stream, a header twice, a negative delay.
func Format(f *File) (data []byte, assets map[string][]byte, err error) {
	d, err := draft(f, encode)
	if err != nil {
		return nil, nil, fmt.Errorf("cassette: %w", err)
	}
	pieces, assets, err := d.pieces()
	return bytes.Join(pieces, nil), assets, err
}

// head writes what stands before n interactions.
func (w *writer) head(pinned, partial bool, n int) {
	w.raw(header)
	w.raw("version: " + strconv.Itoa(Version) + "\n")
	if pinned {
		w.raw("pinned: true\n")
	}
	if partial {
		w.raw("partial: true\n")
	}
	if n == 0 {
		w.raw("interactions: []\n")
	} else {
		w.raw("interactions:\n")
	}
}

// writer writes a cassette. After the first error what it writes is worthless.
type writer struct {
	buf    []byte
	assets map[string][]byte
	err    error
}

func (w *writer) raw(s string) { w.buf = append(w.buf, s...) }

func (w *writer) errorf(format string, args ...any) {
	if w.err == nil {
		w.err = fmt.Errorf(format, args...)
	}
}

// key starts a line with a key, indented by indent.
func (w *writer) key(indent int, name string) {
	w.buf = exactjson.AppendSpaces(w.buf, indent)
	w.raw(name)
	w.raw(":")
}

// text writes a line of a key and a string, unless the string is empty.
func (w *writer) text(indent int, name, s string) {
	if s == "" {
		return
	}
	w.key(indent, name)
	w.raw(" ")
	w.blockString(s, indent+2)
	w.raw("\n")
}

// number writes a line of a key and a number, unless that is zero.
func (w *writer) number(indent int, name string, n int64) {
	if n != 0 {
		w.key(indent, name)
		w.raw(" " + strconv.FormatInt(n, 10) + "\n")
	}
}

// blockString writes any string in block context; lines of a literal are
// indented by indent.
func (w *writer) blockString(s string, indent int) {
	switch {
	case yaml.IsPlain(s):
		w.raw(s)
	case !utf8.ValidString(s):
		w.binary(s)
	case yaml.IsLiteral(s):
		w.buf = yaml.AppendLiteral(w.buf, s, indent)
	default:
		w.buf = yaml.AppendQuoted(w.buf, s)
	}
}

// flowString writes any string in flow context.
func (w *writer) flowString(s string) {
	switch {
	case yaml.IsWord(s):
		w.raw(s)
	case !utf8.ValidString(s):
		w.binary(s)
	default:
		w.buf = yaml.AppendQuoted(w.buf, s)
	}
}

func (w *writer) binary(s string) {
	w.raw(`!!binary "`)
	w.buf = base64.StdEncoding.AppendEncode(w.buf, []byte(s))
	w.raw(`"`)
}

// asset keeps content beside the cassette and returns its name.
func (w *writer) asset(content []byte) string {
	name := nameAsset(content)
	if err := addAsset(w.assets, name, content); err != nil {
		w.errorf("%w", err)
	}
	return name
}

// The columns of an interaction's keys, and of those within them.
const (
	itemIndent = 4
	partIndent = 6
)

func (w *writer) interaction(it *interaction.Interaction) {
	start := len(w.buf)
	w.text(itemIndent, "kind", it.Kind)
	w.text(itemIndent, "boundary", it.Boundary)
	w.request(&it.Request)
	w.response(&it.Response)
	if it.Usage != nil {
		w.key(itemIndent, "usage")
		w.raw(fmt.Sprintf(" {input_tokens: %d, output_tokens: %d}\n", it.Usage.InputTokens, it.Usage.OutputTokens))
	}
	// Also if it is zero: the lines of a file must not depend on its timing.
	w.key(itemIndent, "latency_ms")
	w.raw(" " + strconv.FormatInt(it.LatencyMS, 10) + "\n")
	if it.Concurrent {
		w.key(itemIndent, "concurrent")
		w.raw(" true\n")
	}
	w.buf[start+itemIndent-2] = '-' // the interaction is an element of a list
}

func (w *writer) request(r *interaction.Request) {
	if r.Method == "" || r.URL == "" {
		w.errorf("request: no method or no url (method %q, url %q)", r.Method, r.URL)
	}
	w.key(itemIndent, "request")
	w.raw("\n")
	w.text(partIndent, "method", r.Method)
	w.text(partIndent, "url", r.URL)
	w.headers("headers", r.Headers)
	w.body(r.Body)
}

func (w *writer) response(r *interaction.Response) {
	if r.Status == 0 && r.End != interaction.EndError && r.End != interaction.EndCanceled || r.Status < 0 || r.Status > 999 {
		w.errorf("response: invalid status %d", r.Status)
	}
	w.key(itemIndent, "response")
	w.raw("\n")
	w.number(partIndent, "status", int64(r.Status))
	w.text(partIndent, "proto", r.Proto)
	w.headers("headers", r.Headers)
	w.headers("trailers", r.Trailers)
	w.stream(r)
	w.body(r.Body)
	if r.End != "" && r.End != interaction.EndClosed && r.End != interaction.EndError && r.End != interaction.EndCanceled {
		w.errorf("response: invalid end %q", r.End)
	}
	w.text(partIndent, "end", r.End)
	w.text(partIndent, "error", r.Error)
}

// headers writes header fields on one line if they fit, else one a line.
func (w *writer) headers(name string, hs interaction.Headers) {
	if len(hs) == 0 {
		return
	}
	seen := map[string]bool{}
	for _, h := range hs {
		if seen[h.Name] {
			w.errorf("%s: %q is there twice", name, h.Name)
		}
		seen[h.Name] = true
	}
	start := len(w.buf)
	w.key(partIndent, name)
	sep := " {"
	for _, h := range hs {
		w.raw(sep)
		w.header(h, false)
		sep = ", "
	}
	w.raw("}\n")
	if utf8.RuneCount(w.buf[start:])-1 <= headersWidth {
		return
	}
	w.buf = w.buf[:start]
	w.key(partIndent, name)
	w.raw("\n")
	for _, h := range hs {
		w.buf = exactjson.AppendSpaces(w.buf, partIndent+2)
		w.header(h, true)
		w.raw("\n")
	}
}

// header writes a header field, in block or in flow context.
func (w *writer) header(h interaction.Header, block bool) {
	w.flowString(h.Name)
	w.raw(": ")
	if len(h.Values) == 1 && block {
		w.blockString(h.Values[0], partIndent+4)
		return
	}
	if len(h.Values) == 1 {
		w.flowString(h.Values[0])
		return
	}
	w.raw("[")
	for i, v := range h.Values {
		if i > 0 {
			w.raw(", ")
		}
		w.flowString(v)
	}
	w.raw("]")
}
