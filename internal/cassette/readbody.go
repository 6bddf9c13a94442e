package cassette

import (
	"strings"
	"unicode/utf8"
)

// block reads the value after an indicator that belongs to a collection indented
// by indent, as writer.blockValue writes it, and the line end, and appends its
// JSON text. After a dash a collection may begin on the dash's line.
func (r *reader) block(dst []byte, indent, depth int, dash bool) []byte {
	if indent+2 > maxIndentation || r.pos >= len(r.s) {
		r.fail()
		return dst
	}
	if r.s[r.pos] == '\n' {
		r.next()
		if !r.indented(indent + 2) {
			r.fail()
			return dst
		}
		return r.collection(dst, indent+2, depth)
	}
	r.skip(" ")
	switch c := r.peek(); {
	case c == '{' || c == '[':
		dst = r.flow(dst, depth)
		r.skip("\n")
		return dst
	case c == '|':
		return r.literalJSON(dst, indent+2)
	case dash && r.atCollection():
		return r.collection(dst, indent+2, depth)
	case c == '"':
		dst = r.quotedJSON(dst)
		r.skip("\n")
		return dst
	case c == 0 || c == '!' || c == ' ' || c == '\n':
		r.fail()
		return dst
	}
	return r.plainJSON(dst, r.line())
}

// atCollection reports whether a list or a mapping begins at pos, after a dash.
func (r *reader) atCollection() bool {
	i := r.pos
	switch {
	case i >= len(r.s):
		return false
	case r.s[i] == '-':
	case r.s[i] == '"':
		start := r.pos
		r.quoted()
		i, r.pos = r.pos, start
		if i >= len(r.s) || r.s[i] != ':' {
			return false
		}
	default:
		for i < len(r.s) && wordByte[r.s[i]] {
			i++
		}
		if i >= len(r.s) || r.s[i] != ':' {
			return false
		}
	}
	return i+1 < len(r.s) && (r.s[i+1] == ' ' || r.s[i+1] == '\n')
}

// collection reads a list or a mapping whose elements stand in column col; the
// first is at pos.
func (r *reader) collection(dst []byte, col, depth int) []byte {
	p := &r.json
	list := r.peek() == '-'
	open, end := byte('{'), byte('}')
	if list {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	for first := true; first || r.indented(col); first = false {
		if !first {
			dst = append(dst, p.comma...)
		}
		dst = p.newline(dst, depth+1)
		if list {
			r.skip("-")
		} else {
			dst = r.nameJSON(dst)
			r.skip(":")
			dst = append(dst, p.colon...)
		}
		dst = r.block(dst, col, depth+1, list)
	}
	return append(p.newline(dst, depth), end)
}

// nameJSON reads the name of a member.
func (r *reader) nameJSON(dst []byte) []byte {
	if r.peek() == '"' {
		return r.quotedJSON(dst)
	}
	return r.json.str(dst, r.word())
}

// flow reads a collection in flow style, as writer.flowValue writes it. Token by
// token it is JSON but for the spaces and the quotes of words. How the tokens fit
// together is not looked at: see [reader].
func (r *reader) flow(dst []byte, depth int) []byte {
	p := &r.json
	outer := depth
	for i := r.pos; i < len(r.s); {
		switch c := r.s[i]; c {
		case '{', '[':
			dst = append(dst, c)
			if i++; i < len(r.s) && r.s[i] == c+2 { // the closing brackets of ASCII
				dst = append(dst, c+2)
				if i++; depth == outer {
					r.pos = i
					return dst
				}
				continue
			}
			depth++
			dst = p.newline(dst, depth)
		case '}', ']':
			depth--
			dst = append(p.newline(dst, depth), c)
			if i++; depth == outer {
				r.pos = i
				return dst
			}
		case ',':
			dst = p.newline(append(dst, p.comma...), depth)
			i += 2
		case ':':
			dst = append(dst, p.colon...)
			i += 2
		case '"':
			r.pos = i
			dst = r.quotedJSON(dst)
			i = r.pos
		default:
			start := i
			for i < len(r.s) && wordByte[r.s[i]] {
				i++
			}
			switch word := r.s[start:i]; {
			case c == '-' || '0' <= c && c <= '9':
				for i < len(r.s) && (wordByte[r.s[i]] || r.s[i] == '+') {
					i++
				}
				dst = append(dst, r.s[start:i]...)
			case word == "":
				r.fail()
				return dst
			case word == "null" || word == "true" || word == "false":
				dst = append(dst, word...)
			case p.special == &mustEscape:
				dst = append(append(append(dst, '"'), word...), '"')
			default:
				dst = p.str(dst, word)
			}
		}
	}
	r.fail()
	return dst
}

// plainJSON appends the JSON of a plain scalar.
func (r *reader) plainJSON(dst []byte, text string) []byte {
	switch text {
	case "null", "true", "false":
		return append(dst, text...)
	case "":
		r.fail()
		return dst
	}
	if c := text[0]; c == '-' || '0' <= c && c <= '9' {
		if n, ok := scanNumber(text, 0); ok && n == len(text) {
			return append(dst, text...)
		}
	}
	return append(r.lineJSON(append(dst, '"'), text), '"')
}

// lineJSON appends the inside of the JSON of a line of text, in which most are as
// they are: there is no control character but tabs.
func (r *reader) lineJSON(dst []byte, line string) []byte {
	if r.json.special == &mustEscape && strings.IndexByte(line, '"') < 0 && strings.IndexByte(line, '\\') < 0 && strings.IndexByte(line, '\t') < 0 {
		return append(dst, line...)
	}
	return r.json.inner(dst, line)
}

// quotedJSON appends the JSON of a string in double quotes. Its escapes are JSON's:
// in the compact layout most stay as they are.
func (r *reader) quotedJSON(dst []byte) []byte {
	p := &r.json
	if p.special != &mustEscape {
		return p.str(dst, r.quoted())
	}
	start := r.pos
	rest := r.s[start+1:]
	if n := strings.IndexByte(rest, '"'); n >= 0 && strings.IndexByte(rest[:n], '\\') < 0 {
		r.pos = start + n + 2
		return append(dst, r.s[start:r.pos]...)
	}
	i := start + 1
	for ; i < len(r.s) && r.s[i] != '"'; i++ {
		if r.s[i] != '\\' {
			continue
		}
		c, n, ok := jsonEscape(r.s[i:])
		switch {
		case !ok:
			r.fail()
			return dst
		case n > 2 && c >= ' ':
			dst = utf8.AppendRune(append(dst, r.s[start:i]...), c)
			start = i + n
		}
		i += n - 1
	}
	if i >= len(r.s) {
		r.fail()
		return dst
	}
	r.pos = i + 1
	return append(dst, r.s[start:r.pos]...)
}

// literalJSON appends the JSON of a literal whose lines are indented by indent.
func (r *reader) literalJSON(dst []byte, indent int) []byte {
	dst = append(dst, '"')
	clip := r.lines(indent, func(i int, line string) {
		if i > 0 {
			dst = append(dst, `\n`...)
		}
		dst = r.lineJSON(dst, line)
	})
	if clip {
		dst = append(dst, `\n`...)
	}
	return append(dst, '"')
}

// An eventSpan is a field of an event that was read: the offsets of its value in
// the text of all.
type eventSpan struct {
	name       string
	start, end int
	first      bool // of its event
	structure  bool
}

// events reads the lines of events.
func (r *reader) events(l Layout) []Event {
	rest := r.s[r.pos:]
	var pads []int
	if i := strings.Index(rest, "\n      events_padding:"); i >= 0 {
		ahead := reader{s: rest, pos: i + len("\n      events_padding:")}
		pads = ahead.ints()
	}
	n := strings.Count(rest, "\n        - ") + 1
	spans := make([]eventSpan, 0, n)
	events := make([]Event, 0, n)
	r.json = printerFor(l)
	dst := make([]byte, 0, len(rest))
	for r.indented(partIndent + 2) {
		begin := len(spans)
		spans, dst = r.event(spans, dst)
		if n := len(events); n < len(pads) && pads[n] > 0 {
			dst = r.pad(dst, spans[begin:], pads[n])
		}
		events = append(events, nil)
	}
	if r.failed {
		return nil
	}
	text := string(dst)
	fields := make([]Field, len(spans))
	for i, s := range spans {
		fields[i] = Field{s.name, text[s.start:s.end]}
	}
	i := 0
	for n := range events {
		begin := i
		for i++; i < len(spans) && !spans[i].first; i++ {
		}
		events[n] = fields[begin:i:i]
	}
	return events
}

// event reads the line of an event and adds its fields.
func (r *reader) event(spans []eventSpan, dst []byte) ([]eventSpan, []byte) {
	r.skip("- ")
	list := r.peek() == '['
	if list {
		r.next()
	}
	r.skip("{")
	for first := true; !r.failed; first = false {
		span := eventSpan{name: r.flowText(), first: first, start: len(dst)}
		r.skip(": ")
		if c := r.peek(); c == '{' || c == '[' {
			span.structure = true
			dst = append(r.flow(append(dst, r.json.Before...), 0), r.json.After...)
		} else {
			dst = append(dst, r.flowText()...)
		}
		span.end = len(dst)
		spans = append(spans, span)
		if r.peek() != '}' {
			r.skip(", ")
			continue
		}
		r.next()
		if !list || r.peek() == ']' {
			break
		}
		r.skip(", {")
	}
	if list {
		r.skip("]")
	}
	r.skip("\n")
	return spans, dst
}

// pad puts spaces before the last bracket of the last structure of an event, which
// is the last thing that was read.
func (r *reader) pad(dst []byte, spans []eventSpan, n int) []byte {
	for i := len(spans) - 1; i >= 0; i-- {
		if !spans[i].structure {
			continue
		}
		cut := spans[i].end - len(r.json.After) - 1
		rest := string(dst[cut:]) // short: a bracket, and hardly ever another field
		dst = append(appendSpaces(dst[:cut], n), rest...)
		spans[i].end += n
		for j := i + 1; j < len(spans); j++ {
			spans[j].start += n
			spans[j].end += n
		}
		break
	}
	return dst
}
