package cassette

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A decoder reads interactions as an encoder writes them: much faster than the parser,
// since it knows where everything stands, and makes JSON text while it reads, without
// the values between. It stops at everything else (failed), also at what is written but
// rarely, such as assets; the parser decides then. It does not look whether all is as
// the encoder writes it: whoever uses it must know that the encoder wrote the text, by
// its seal.
type decoder struct {
	s      []byte // what is read keeps nothing of it
	pos    int
	indent int // of the keys that are being read
	failed bool
	json   exactjson.Printer

	scratch *Buffer // if the answer is read for a replay
	framer  Framer  // makes the bytes of a stream instead of its events; may be nil
	events  eventList
	want    *comparison // the events that there must be; nil if that is not known
}

// decode reads the text of an interaction; nil if the decoder cannot. With want, its
// events must be those.
func decode(text []byte, want *comparison) *interaction.Interaction {
	d, it := decoder{s: text, indent: itemIndent, want: want}, new(interaction.Interaction)
	if interactionFields(&d, it); d.failed || d.pos != len(text) {
		return nil
	}
	return it
}

// fail stops the decoder: nothing follows, so that every loop ends.
func (d *decoder) fail() {
	d.failed = true
	d.pos = len(d.s)
}

// peek returns the byte at pos, 0 at the end.
func (d *decoder) peek() byte {
	if d.pos < len(d.s) {
		return d.s[d.pos]
	}
	return 0
}

// at reports whether text stands at pos.
func (d *decoder) at(text string) bool {
	return len(d.s)-d.pos >= len(text) && string(d.s[d.pos:d.pos+len(text)]) == text
}

// skip passes text, if it stands at pos.
func (d *decoder) skip(text string) bool {
	ok := d.at(text)
	if ok {
		d.pos += len(text)
	}
	return ok
}

// expect passes text, which must stand at pos.
func (d *decoder) expect(text string) {
	if !d.skip(text) {
		d.fail()
	}
}

// line passes the rest of a line and returns it.
func (d *decoder) line() []byte {
	i := bytes.IndexByte(d.s[d.pos:], '\n')
	if i < 0 {
		d.fail()
		return nil
	}
	line := d.s[d.pos : d.pos+i]
	d.pos += i + 1
	return line
}

const maxIndentation = 2*maxDepth + 32

var spaces = strings.Repeat(" ", maxIndentation)

// indented passes n spaces, if the line at pos is indented by n. One that is indented
// more stops the decoder.
func (d *decoder) indented(n int) bool {
	if !d.at(spaces[:n]) || len(d.s) == d.pos+n {
		return false
	}
	d.pos += n
	if c := d.s[d.pos]; c == ' ' || c == '\n' {
		d.fail()
		return false
	}
	return true
}

// has passes a key and its colon, if they begin the line at pos.
func (d *decoder) has(key string) bool {
	start := spaces[:d.indent]
	if d.pos == 0 {
		start = itemStart
	}
	at := d.pos
	if d.skip(start) && d.skip(key) && d.skip(":") {
		return true
	}
	d.pos = at
	return false
}

func (d *decoder) part(key string, each func()) {
	if d.has(key) {
		d.expect("\n")
		d.indent += 2
		each()
		d.indent -= 2
	}
}

func (d *decoder) text(key string, s *string) {
	if d.has(key) {
		*s = string(d.string(d.indent + 2))
	}
}

func (d *decoder) status(n *int) {
	if d.has("status") {
		d.expect(" ")
		*n = d.atoi(string(d.line()))
	}
}

func (d *decoder) latency(ms *int64) {
	if d.has("latency_ms") {
		d.expect(" ")
		n, err := strconv.ParseInt(string(d.line()), 10, 64)
		if *ms = n; err != nil {
			d.fail()
		}
	}
}

func (d *decoder) flag(key string, set *bool) {
	if d.has(key) {
		d.expect(" true\n")
		*set = true
	}
}

func (d *decoder) usage(u **interaction.Usage) {
	if !d.has("usage") {
		return
	}
	line := d.line()
	if d.scratch != nil {
		return // it is for readers
	}
	*u = new(interaction.Usage)
	if _, err := fmt.Sscanf(string(line), " "+usageFormat, &(*u).InputTokens, &(*u).OutputTokens); err != nil {
		d.fail()
	}
}

func (d *decoder) headers(key string, hs *interaction.Headers) {
	switch {
	case !d.has(key):
	case d.skip("\n"):
		for d.indented(d.indent + 2) {
			h := interaction.Header{Name: string(d.flowText())}
			if d.expect(":"); d.at(" [") {
				d.expect(" ")
				h.Values = d.values()
				d.expect("\n")
			} else {
				h.Values = []string{string(d.string(d.indent + 4))}
			}
			*hs = append(*hs, h)
		}
	default:
		d.expect(" {")
		for more := true; more && !d.failed; more = d.skip(", ") {
			h := interaction.Header{Name: string(d.flowText())}
			if d.expect(": "); d.at("[") {
				h.Values = d.values()
			} else {
				h.Values = []string{string(d.flowText())}
			}
			*hs = append(*hs, h)
		}
		d.expect("}\n")
	}
}

// values reads a list of strings in flow style.
func (d *decoder) values() (values []string) {
	d.expect("[")
	for !d.failed && !d.skip("]") {
		if len(values) > 0 {
			d.expect(", ")
		}
		values = append(values, string(d.flowText()))
	}
	return values
}

// layout has the parser read what encoder.layout writes: it is short, and mostly the same
// as in the last answer.
func (d *decoder) layout(key string) (l exactjson.Layout) {
	if !d.has(key) {
		return l
	}
	line := d.line()
	if b := d.scratch; b != nil && len(line) > 0 && b.layoutLine == string(line) {
		return b.layout
	}
	p := newParser("", line, nil)
	root, err := format.Parse(p.src)
	if err == nil {
		l = p.layout(&root, key)
	}
	if err != nil || p.err != nil {
		d.fail()
	} else if b := d.scratch; b != nil {
		b.layoutLine, b.layout = p.src, l
	}
	return l
}

// string passes a space and a string in block context whose literal would be indented
// by indent, and the line end.
func (d *decoder) string(indent int) []byte {
	d.expect(" ")
	switch d.peek() {
	case '"':
		s := d.quoted()
		d.expect("\n")
		return s
	case '|':
		var s []byte
		clip := d.literal(indent, func(i int, line []byte) {
			if i > 0 {
				s = append(s, '\n')
			}
			s = append(s, line...)
		})
		if clip {
			s = append(s, '\n')
		}
		return s
	case 0, '!', '{', '[', '\n', ' ':
		d.fail()
	}
	return d.line()
}

// quoted passes a string in double quotes.
func (d *decoder) quoted() []byte {
	if start := d.pos + 1; d.skip(`"`) {
		if i := bytes.IndexByte(d.s[start:], '"'); i >= 0 {
			text := d.s[start : start+i]
			if escape := bytes.IndexByte(text, '\\'); escape >= 0 {
				return d.unescaped(start, start+escape)
			}
			d.pos = start + i + 1
			return text
		}
	}
	d.fail()
	return nil
}

// unescaped is quoted for a string that starts at start and has its first escape at i.
func (d *decoder) unescaped(start, i int) []byte {
	b := bytes.Clone(d.s[start:i])
	for i < len(d.s) {
		switch c := d.s[i]; c {
		case '"':
			d.pos = i + 1
			return b
		case '\\':
			// The longest escape is a pair of surrogates.
			c, n, ok := exactjson.DecodeEscape(string(d.s[i:min(len(d.s), i+12)]))
			if !ok || utf16.IsSurrogate(c) {
				d.fail()
				return nil
			}
			b = utf8.AppendRune(b, c)
			i += n
		default:
			b = append(b, c)
			i++
		}
	}
	d.fail()
	return nil
}

// literal passes a literal whose lines are indented by indent and calls f with each of
// them; clip says that the text ends in a line end.
func (d *decoder) literal(indent int, f func(i int, line []byte)) (clip bool) {
	d.expect("|")
	clip = !d.skip("-")
	d.expect("\n")
	i := 0
	for ; ; i++ {
		switch {
		case d.skip("\n"):
			f(i, nil)
			continue
		case d.skip(spaces[:indent]):
			f(i, d.line())
			continue
		}
		break
	}
	if i == 0 {
		d.fail()
	}
	return clip
}

// word passes what IsWord allows, and "$", with which a key may begin.
func (d *decoder) word() []byte {
	start := d.pos
	for d.pos < len(d.s) && wordByte[d.s[d.pos]] {
		d.pos++
	}
	if d.pos == start {
		d.fail()
	}
	return d.s[start:d.pos]
}

// wordByte tells the bytes of words.
var wordByte = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = yaml.IsWord("a"+string(rune(c))) || c == '$'
	}
	return t
}()

// flowText passes a string in flow context.
func (d *decoder) flowText() []byte {
	if d.peek() == '"' {
		return d.quoted()
	}
	return d.word()
}

func (d *decoder) atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		d.fail()
		return 0
	}
	return n
}

// list passes a space and a list in flow style that fills the line, if a key is there,
// and calls f with each of its elements.
func (d *decoder) list(key string, f func(element string)) {
	if !d.has(key) {
		return
	}
	list, ok := strings.CutPrefix(string(d.line()), " [")
	list, ok2 := strings.CutSuffix(list, "]")
	if !ok || !ok2 {
		d.fail()
		return
	}
	for element := range strings.SplitSeq(list, ", ") {
		f(element)
	}
}

// ints returns a list of integers.
func (d *decoder) ints(key string) (ns []int) {
	d.list(key, func(n string) { ns = append(ns, d.atoi(n)) })
	return ns
}
