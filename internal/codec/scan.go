package codec

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A scanner reads the lines and strings that an encoder writes.
type scanner struct {
	s      []byte // what is read keeps nothing of it
	pos    int
	indent int // of the keys that are being read
	failed bool
}

// fail stops the decoder: nothing follows, so that every loop ends.
func (d *scanner) fail() {
	d.failed = true
	d.pos = len(d.s)
}

// peek returns the byte at pos, 0 at the end.
func (d *scanner) peek() byte {
	if d.pos < len(d.s) {
		return d.s[d.pos]
	}
	return 0
}

// at reports whether text stands at pos.
func (d *scanner) at(text string) bool {
	return len(d.s)-d.pos >= len(text) && string(d.s[d.pos:d.pos+len(text)]) == text
}

// skip passes text, if it stands at pos.
func (d *scanner) skip(text string) bool {
	ok := d.at(text)
	if ok {
		d.pos += len(text)
	}
	return ok
}

// expect passes text, which must stand at pos.
func (d *scanner) expect(text string) {
	if !d.skip(text) {
		d.fail()
	}
}

// line passes the rest of a line and returns it.
func (d *scanner) line() []byte {
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
func (d *scanner) indented(n int) bool {
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

// dash passes n spaces, if an element of a list follows them on the line at pos.
func (d *scanner) dash(n int) bool {
	if !d.at(spaces[:n]) || len(d.s) < d.pos+n+2 || d.s[d.pos+n] != '-' || d.s[d.pos+n+1] != ' ' {
		return false
	}
	d.pos += n
	return true
}

// has passes a key and its colon, if they begin the line at pos.
func (d *scanner) has(key string) bool {
	start := spaces[:d.indent]
	if d.pos == 0 {
		start = ItemStart
	}
	at := d.pos
	if d.skip(start) && d.skip(key) && d.skip(":") {
		return true
	}
	d.pos = at
	return false
}

// string passes a space and a string in block context whose literal would be indented
// by indent, and the line end.
func (d *scanner) string(indent int) []byte {
	d.expect(" ")
	switch d.peek() {
	case '"', '\'':
		s := d.quoted()
		d.expect("\n")
		return s
	case '|':
		return d.literal(indent)
	case 0, '!', '{', '[', '\n', ' ', '*', '&':
		d.fail()
	}
	return d.line()
}

// quoted passes a string in quotes. Single ones hold the text as it is.
func (d *scanner) quoted() []byte {
	start := d.pos + 1
	quote := d.peek()
	if quote != '"' && quote != '\'' {
		d.fail()
		return nil
	}
	end := bytes.IndexByte(d.s[start:], quote)
	if end < 0 {
		d.fail()
		return nil
	}
	text := d.s[start : start+end]
	if escape := bytes.IndexByte(text, '\\'); escape >= 0 && quote == '"' {
		return d.unescaped(start, start+escape)
	}
	d.pos = start + end + 1
	return text
}

// unescaped is quoted for a string that starts at start and has its first escape at i.
func (d *scanner) unescaped(start, i int) []byte {
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

// literal passes a literal whose lines are indented by indent, and returns its text.
func (d *scanner) literal(indent int) (text []byte) {
	d.expect("|")
	clip := !d.skip("-")
	d.expect("\n")
	for !d.failed {
		if d.skip("\n") {
			text = append(text, '\n')
		} else if d.skip(spaces[:indent]) {
			text = append(append(text, d.line()...), '\n')
		} else {
			break
		}
	}
	if len(text) == 0 {
		d.fail()
		return nil
	}
	if !clip {
		text = text[:len(text)-1]
	}
	return text
}

// word passes what IsWord allows, and "$", with which a key may begin.
func (d *scanner) word() []byte {
	word := d.s[d.pos:]
	n := 0
	for n < len(word) && wordByte[word[n]] {
		n++
	}
	if d.pos += n; n == 0 {
		d.fail()
	}
	return word[:n]
}

// wordByte tells the bytes of words.
var wordByte = func() (t [256]bool) {
	for c := range utf8.RuneSelf {
		t[c] = yaml.IsWord("a"+string(rune(c))) || c == '$'
	}
	return t
}()

// flowText passes a string in flow context.
func (d *scanner) flowText() []byte {
	if c := d.peek(); c == '"' || c == '\'' {
		return d.quoted()
	}
	return d.word()
}

func (d *scanner) atoi(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		d.fail()
		return 0
	}
	return n
}

// list passes a space and a list in flow style that fills the line, if a key is there,
// and calls f with each of its elements.
func (d *scanner) list(key string, f func(element string)) {
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
func (d *scanner) ints(key string) (ns []int) {
	d.list(key, func(n string) { ns = append(ns, d.atoi(n)) })
	return ns
}
