package cassette

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// A reader reads interactions as Format writes them: a few times faster than the
// parser, since it knows where everything stands, and makes JSON text while it
// reads, without the values between. It stops at everything else (failed), also at
// what Format writes but rarely, such as assets; the parser decides then. It does
// not look whether everything is as Format writes it: whoever uses it must know
// that Format wrote the text (a seal), or compare with what Format makes of what
// was read ([readSame]).
type reader struct {
	s      []byte // what is read keeps nothing of it
	pos    int
	failed bool
	json   exactjson.Printer

	scratch *Scratch // if the answer is read for a replay:
	framer  Framer   // makes the bytes of a stream instead of its events; may be nil

	spans []eventSpan
	names []string

	like []interaction.Event // what a stream must have, if that is known: then nothing of it is kept
}

// fail stops the reader: nothing follows, so that every loop ends.
func (r *reader) fail() {
	r.failed = true
	r.pos = len(r.s)
}

// peek returns the byte at pos, 0 at the end.
func (r *reader) peek() byte {
	if r.pos < len(r.s) {
		return r.s[r.pos]
	}
	return 0
}

// next passes a byte.
func (r *reader) next() {
	if r.pos < len(r.s) {
		r.pos++
	}
}

// skip passes text, which must stand at pos.
func (r *reader) skip(text string) {
	if !r.at(text) {
		r.fail()
		return
	}
	r.pos += len(text)
}

// find passes everything up to text, and text.
func (r *reader) find(text string) {
	i := bytes.Index(r.s[r.pos:], []byte(text))
	if i < 0 {
		r.fail()
		return
	}
	r.pos += i + len(text)
}

// take passes n bytes.
func (r *reader) take(n int) []byte {
	if len(r.s)-r.pos < n {
		r.fail()
		return nil
	}
	r.pos += n
	return r.s[r.pos-n : r.pos]
}

// at reports whether text stands at pos.
func (r *reader) at(text string) bool {
	return len(r.s)-r.pos >= len(text) && string(r.s[r.pos:r.pos+len(text)]) == text
}

// indented reports whether the line at pos is indented by n or more, passes n
// spaces if it is, and stops at more.
func (r *reader) indented(n int) bool {
	if len(r.s)-r.pos <= n || string(r.s[r.pos:r.pos+n]) != spaces[:n] {
		return false
	}
	if r.s[r.pos+n] == ' ' || r.s[r.pos+n] == '\n' {
		r.fail()
		return false
	}
	r.pos += n
	return true
}

const maxIndentation = 2*maxDepth + 32

var spaces = strings.Repeat(" ", maxIndentation)

// word passes what isWord allows.
func (r *reader) word() []byte {
	start := r.pos
	for r.pos < len(r.s) && wordByte[r.s[r.pos]] {
		r.next()
	}
	if r.pos == start {
		r.fail()
	}
	return r.s[start:r.pos]
}

// wordByte tells the bytes of words, and "$", with which a key may begin.
var wordByte = func() (t [256]bool) {
	for c := range 256 {
		t[c] = yaml.IsWord("a"+string(rune(c))) && c < utf8.RuneSelf || c == '$'
	}
	return t
}()

// key passes the key of a line and its colon.
func (r *reader) key() []byte {
	key := r.word()
	r.skip(":")
	return key
}

// line passes the rest of a line and returns it.
func (r *reader) line() []byte {
	i := bytes.IndexByte(r.s[r.pos:], '\n')
	if i < 0 {
		r.fail()
		return nil
	}
	line := r.s[r.pos : r.pos+i]
	r.pos += i + 1
	return line
}

// int passes a space and an integer that fill the line.
func (r *reader) int() int64 {
	r.skip(" ")
	n, err := strconv.ParseInt(string(r.line()), 10, 64)
	if err != nil {
		r.fail()
	}
	return n
}

// text passes a space and a string in block context whose literal would be
// indented by indent, and the line end.
func (r *reader) text(indent int) string {
	r.skip(" ")
	switch r.peek() {
	case '"':
		s := string(r.quoted())
		r.skip("\n")
		return s
	case '|':
		return r.literal(indent)
	case 0, '!', '{', '[', '\n', ' ':
		r.fail()
	}
	return string(r.line())
}

// quoted passes a string in double quotes.
func (r *reader) quoted() []byte {
	if r.peek() != '"' {
		r.fail()
		return nil
	}
	start := r.pos + 1
	i := bytes.IndexByte(r.s[start:], '"')
	if i < 0 {
		r.fail()
		return nil
	}
	if s := r.s[start : start+i]; bytes.IndexByte(s, '\\') < 0 {
		r.pos = start + i + 1
		return s
	}
	var b []byte
	for i := start; i < len(r.s); {
		switch c := r.s[i]; c {
		case '"':
			r.pos = i + 1
			return b
		case '\\':
			// The longest escape is a pair of surrogates.
			c, n, ok := exactjson.DecodeEscape(string(r.s[i:min(len(r.s), i+12)]))
			if !ok || utf16.IsSurrogate(c) {
				r.fail()
				return nil
			}
			b = utf8.AppendRune(b, c)
			i += n
		default:
			b = append(b, c)
			i++
		}
	}
	r.fail()
	return nil
}

// literal passes a literal whose lines are indented by indent.
func (r *reader) literal(indent int) string {
	var b []byte
	clip := r.lines(indent, func(i int, line []byte) {
		if i > 0 {
			b = append(b, '\n')
		}
		b = append(b, line...)
	})
	if clip {
		b = append(b, '\n')
	}
	return string(b)
}

// lines passes a literal and calls f with each of its lines; clip says that the
// text ends in a line end.
func (r *reader) lines(indent int, f func(i int, line []byte)) (clip bool) {
	r.next()
	if clip = r.peek() == '\n'; !clip {
		r.skip("-")
	}
	r.skip("\n")
	i := 0
	for ; r.pos < len(r.s); i++ {
		switch {
		case r.s[r.pos] == '\n':
			r.next()
			f(i, nil)
			continue
		case len(r.s)-r.pos > indent && string(r.s[r.pos:r.pos+indent]) == spaces[:indent]:
			r.pos += indent
			f(i, r.line())
			continue
		}
		break
	}
	if i == 0 {
		r.fail()
	}
	return clip
}

// flowText passes a string in flow context.
func (r *reader) flowText() []byte {
	if r.peek() == '"' {
		return r.quoted()
	}
	return r.word()
}

// interaction reads the text of an interaction, with its dash.
func (r *reader) interaction(it *interaction.Interaction) {
	r.skip("  - ")
	r.part(it)
	r.parts(it)
}

// parts reads the lines of an interaction from one that begins with a key.
func (r *reader) parts(it *interaction.Interaction) {
	for r.indented(itemIndent) {
		r.part(it)
	}
}

func (r *reader) part(it *interaction.Interaction) {
	switch string(r.key()) {
	case "kind":
		it.Kind = r.text(itemIndent + 2)
	case "boundary":
		it.Boundary = r.text(itemIndent + 2)
	case "request":
		r.skip("\n")
		r.request(&it.Request)
	case "response":
		r.skip("\n")
		r.response(&it.Response)
	case "usage":
		it.Usage = r.usage()
	case "latency_ms":
		it.LatencyMS = r.int()
	case "concurrent":
		r.skip(" true\n")
		it.Concurrent = true
	default:
		r.fail()
	}
}

// answered reads the lines of an interaction from "response", and returns its
// latency.
func (r *reader) answered(resp *interaction.Response) (latencyMS int64) {
	for r.indented(itemIndent) {
		switch string(r.key()) {
		case "response":
			r.skip("\n")
			r.response(resp)
		case "usage":
			r.line()
		case "latency_ms":
			latencyMS = r.int()
		case "concurrent":
			r.skip(" true\n")
		default:
			r.fail()
		}
	}
	return latencyMS
}

func (r *reader) usage() *interaction.Usage {
	text, ok := strings.CutPrefix(string(r.line()), " {input_tokens: ")
	in, out, ok2 := strings.Cut(strings.TrimSuffix(text, "}"), ", output_tokens: ")
	i, err1 := strconv.ParseInt(in, 10, 64)
	o, err2 := strconv.ParseInt(out, 10, 64)
	if !ok || !ok2 || err1 != nil || err2 != nil {
		r.fail()
	}
	return &interaction.Usage{InputTokens: i, OutputTokens: o}
}

func (r *reader) request(req *interaction.Request) {
	var l exactjson.Layout
	for r.indented(partIndent) {
		switch key := r.key(); string(key) {
		case "method":
			req.Method = r.text(partIndent + 2)
		case "url":
			req.URL = r.text(partIndent + 2)
		case "headers":
			req.Headers = r.headers()
		case "layout":
			l = r.layout()
		case "body":
			req.Body = r.body(l)
		default:
			r.fail()
		}
	}
}

func (r *reader) response(resp *interaction.Response) {
	var l, events exactjson.Layout
	for r.indented(partIndent) {
		if r.peek() == '#' {
			r.line()
			continue
		}
		switch key := r.key(); string(key) {
		case "status":
			resp.Status = int(r.int())
		case "proto":
			resp.Proto = r.text(partIndent + 2)
		case "headers":
			resp.Headers = r.headers()
		case "trailers":
			resp.Trailers = r.headers()
		case "stream":
			resp.Stream = r.text(partIndent + 2)
		case "events_layout":
			events = r.layout()
		case "events":
			r.skip("\n")
			if r.framer != nil && r.framer.Stream(resp.Stream) {
				resp.Body = r.frames(events)
			} else {
				resp.Events = r.events(events)
			}
		case "events_padding":
			r.ints() // events has read them
		case "chunks":
			resp.Chunks = r.ints()
		case "delays_ms":
			resp.Delays = r.delays()
		case "layout":
			l = r.layout()
		case "body":
			resp.Body = r.body(l)
		case "end":
			resp.End = r.text(partIndent + 2)
		case "error":
			resp.Error = r.text(partIndent + 2)
		default:
			r.fail()
		}
	}
}

// headers reads what writer.headers writes.
func (r *reader) headers() interaction.Headers {
	var hs interaction.Headers
	if r.peek() == '\n' {
		r.next()
		for r.indented(partIndent + 2) {
			h := interaction.Header{Name: string(r.flowText())}
			r.skip(":")
			if r.at(" [") {
				r.next()
				h.Values = r.values()
				r.skip("\n")
			} else {
				h.Values = []string{r.text(partIndent + 4)}
			}
			hs = append(hs, h)
		}
		return hs
	}
	r.skip(" {")
	// One copy of the line has all the texts in it that have no escapes.
	start := r.pos
	line := string(r.s[start : start+max(0, bytes.IndexByte(r.s[start:], '\n'))])
	text := func() string {
		t := r.flowText()
		end := r.pos - start
		if r.pos > start && r.s[r.pos-1] == '"' {
			end--
		}
		if end >= len(t) && end <= len(line) && line[end-len(t):end] == string(t) {
			return line[end-len(t) : end]
		}
		return string(t)
	}
	n := strings.Count(line, ": ")
	hs = make(interaction.Headers, 0, n)
	single := make([]string, 0, n) // of headers with one value
	for !r.failed {
		h := interaction.Header{Name: text()}
		r.skip(": ")
		if r.peek() == '[' {
			h.Values = r.values()
		} else {
			single = append(single, text())
			h.Values = single[len(single)-1 : len(single) : len(single)]
		}
		hs = append(hs, h)
		if r.peek() == '}' {
			break
		}
		r.skip(", ")
	}
	r.skip("}\n")
	return hs
}

// values reads a flow list of strings.
func (r *reader) values() []string {
	r.skip("[")
	var values []string
	for !r.failed && r.peek() != ']' {
		if len(values) > 0 {
			r.skip(", ")
		}
		values = append(values, string(r.flowText()))
	}
	r.skip("]")
	return values
}

// items passes a space and a flow list that fills the line, and calls f with each
// of its elements.
func (r *reader) items(f func(item []byte)) {
	list, ok1 := bytes.CutPrefix(r.line(), []byte(" ["))
	list, ok2 := bytes.CutSuffix(list, []byte("]"))
	if !ok1 || !ok2 || len(list) == 0 {
		r.fail()
		return
	}
	for more := true; more; {
		var item []byte
		item, list, more = bytes.Cut(list, []byte(", "))
		f(item)
	}
}

func (r *reader) ints() []int {
	var ns []int
	r.items(func(item []byte) {
		n, err := strconv.Atoi(string(item))
		if err != nil {
			r.fail()
		}
		ns = append(ns, n)
	})
	return ns
}

func (r *reader) delays() []interaction.Delay {
	var ds []interaction.Delay
	if r.scratch != nil {
		ds = r.scratch.delays[:0]
	}
	for r.skip(" ["); !r.failed; r.skip(", ") {
		var d interaction.Delay
		if d.Together = r.peek() == '+'; d.Together {
			r.next()
		} else {
			d.MS = r.digits()
		}
		if r.peek() == '~' {
			start := r.pos
			for c := r.peek(); c == '~' || c == '+' || '0' <= c && c <= '9'; c = r.peek() {
				r.next()
			}
			d.Rest = interaction.Rest(r.s[start:r.pos])
			if _, ok := d.Rest.Pieces(); !ok {
				r.fail()
			}
		}
		ds = append(ds, d)
		if r.peek() == ']' {
			break
		}
	}
	r.skip("]\n")
	if r.scratch != nil {
		r.scratch.delays = ds
	}
	return ds
}

// digits passes digits and returns their number.
func (r *reader) digits() (n int64) {
	start := r.pos
	for r.pos < len(r.s) && '0' <= r.s[r.pos] && r.s[r.pos] <= '9' && r.pos-start < 18 {
		n = 10*n + int64(r.s[r.pos]-'0')
		r.pos++
	}
	if r.pos == start {
		r.fail()
	}
	return n
}

// layout reads what writer.layout writes, but for white space in quotes other than
// a line end after the value, which is what servers send.
func (r *reader) layout() (l exactjson.Layout) {
	r.skip(" {")
	for !r.failed {
		switch key := r.key(); string(key) {
		case "before", "after":
			r.skip(" ")
			text := string(r.quoted())
			if string(key) == "before" {
				l.Before = text
			} else {
				l.After = text
			}
		case "indent":
			r.skip(" ")
			if r.peek() == '"' {
				l.Indent = string(r.quoted())
			} else if n := r.word(); string(n) == "tab" {
				l.Indent = "\t"
			} else {
				l.Indent = spaces[:r.atoi(n, maxIndent)]
			}
		case "space":
			r.skip(" ")
			what := string(r.word())
			l.ColonSpace = what == "both" || what == "colon"
			l.CommaSpace = what == "both" || what == "comma"
		case "padding":
			r.skip(" ")
			l.Padding = r.atoi(r.word(), maxPadding)
		case "escape":
			r.skip(" ")
			for _, name := range r.values() {
				i := slices.Index(exactjson.EscapeNames, name)
				if i < 0 {
					r.fail()
					break
				}
				l.Escape |= 1 << i
			}
		default:
			r.fail()
		}
		if r.peek() == '}' {
			break
		}
		r.skip(", ")
	}
	r.skip("}\n")
	return l
}

func (r *reader) atoi(s []byte, most int) int {
	n, err := strconv.Atoi(string(s))
	if err != nil || n < 0 || n > most {
		r.fail()
		return 0
	}
	return n
}

// body reads a body: structure, or text.
func (r *reader) body(l exactjson.Layout) []byte {
	if r.peek() != '\n' && !r.at(" {") && !r.at(" [") {
		return []byte(r.text(partIndent + 2))
	}
	// What it will have: never much more than the text has without its indentation.
	r.layOut(l)
	var dst []byte
	if r.scratch != nil {
		dst = r.scratch.body[:0]
	} else {
		dst = make([]byte, 0, r.extent())
	}
	dst = append(dst, l.Before...)
	dst = r.block(dst, partIndent, 0, false)
	dst = r.json.End(dst)
	r.laidOut()
	if r.scratch != nil {
		r.scratch.body = dst
	}
	return dst
}

// layOut makes the printer for what follows, with what is left of the indentation that
// may be in an interaction; see mostIndentation.
func (r *reader) layOut(l exactjson.Layout) {
	before := r.json.Indentation
	r.json = exactjson.NewPrinter(l)
	r.json.Indentation, r.json.Most = before, mostIndentation(len(r.s))
}

// laidOut stops the reader if that was too much.
func (r *reader) laidOut() {
	if r.json.Indentation > r.json.Most {
		r.fail()
	}
}

// extent guesses the length of the JSON text that stands here: that of what is
// left of the part, without its indentation.
func (r *reader) extent() int {
	rest := r.s[r.pos:]
	if i := bytes.Index(rest, []byte("\n    response:")); i >= 0 {
		rest = rest[:i]
	}
	return max(len(rest)-(partIndent-4)*bytes.Count(rest, []byte("\n")), 64)
}
