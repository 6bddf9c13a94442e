package cassette

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
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
			dst = append(dst, p.Comma...)
		}
		dst = p.Newline(dst, depth+1)
		if list {
			r.skip("-")
		} else {
			dst = r.nameJSON(dst)
			r.skip(":")
			dst = append(dst, p.Colon...)
		}
		dst = r.block(dst, col, depth+1, list)
	}
	return append(p.Newline(dst, depth), end)
}

// nameJSON reads the name of a member.
func (r *reader) nameJSON(dst []byte) []byte {
	if r.peek() == '"' {
		return r.quotedJSON(dst)
	}
	return r.stringJSON(dst, r.word())
}

// stringJSON appends the JSON of a text.
func (r *reader) stringJSON(dst, text []byte) []byte {
	return append(r.json.Inner(append(dst, '"'), text), '"')
}

// flow reads a collection in flow style, as writer.flowValue writes it. Token by
// token it is JSON but for the spaces and the quotes of words. How the tokens fit
// together is not looked at: see [reader].
func (r *reader) flow(dst []byte, depth int) []byte { return r.flowFrom(dst, depth, depth, nil) }

// flowFrom is flow for what is in a collection that is open: it ends where the
// depth is outer again. like may be nil.
func (r *reader) flowFrom(dst []byte, depth, outer int, like *likeness) []byte {
	p := &r.json
	i := r.pos
	for i < len(r.s) {
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
			dst = p.Newline(dst, depth)
		case '}', ']':
			depth--
			dst = append(p.Newline(dst, depth), c)
			if i++; depth == outer {
				r.pos = i
				return dst
			}
		case ',':
			dst = p.Newline(append(dst, p.Comma...), depth)
			i += 2
			if like != nil {
				like.mark(i, len(dst), depth)
				if rest := like.tail(); rest != nil {
					r.pos = like.guess
					return append(dst, dst[like.to+rest.to:like.toEnd]...)
				}
			}
		case ':':
			dst = append(dst, p.Colon...)
			i += 2
			if like != nil {
				like.mark(i, len(dst), depth)
			}
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
			case len(word) == 0:
				r.fail()
				return dst
			case len(word) <= 5 && (string(word) == "null" || string(word) == "true" || string(word) == "false"):
				dst = append(dst, word...)
			default:
				dst = r.stringJSON(dst, word)
			}
		}
	}
	r.fail()
	return dst
}

// A likeness remembers the last collection that was read: the next event of a
// stream mostly begins and ends like the one before, and of what is the same text
// at the same depth the JSON need not be made again.
type likeness struct {
	from, end int    // the last collection in the file; end is 0 if there is none
	to, toEnd int    // its JSON text; toEnd is 0 if its end is not as it was made
	behind    int    // bytes behind it in its line
	marks     []mark // places in it, in order
	shared    int    // of them it shared with the one before

	// Of the one that is being read:
	start, out int    // where it begins, in the file and in the JSON text
	guess      int    // where it ends, if what is behind it is as long as before
	same       int    // so many bytes before that are as before
	next       int    // of marks: not passed
	now        []mark // places in it behind those that it shares
}

// A mark is a place where a token begins: behind the beginning of the collection in
// the file, behind that of its JSON text, and in so many collections.
type mark struct{ from, to, depth int }

func (l *likeness) mark(from, to, depth int) {
	l.now = append(l.now, mark{from - l.start, to - l.out, depth})
}

// tail returns where in the last collection everything is as from the place that
// was marked last to the end; nil if it is not.
func (l *likeness) tail() *mark {
	at := &l.now[len(l.now)-1]
	left := l.guess - l.start - at.from
	if left > l.same || left <= 0 {
		return nil
	}
	long := l.end - l.from
	for l.next < len(l.marks) && long-l.marks[l.next].from > left {
		l.next++
	}
	if l.next == len(l.marks) || long-l.marks[l.next].from != left || l.marks[l.next].depth != at.depth {
		return nil
	}
	like := &l.marks[l.next]
	from, to := at.from-like.from, at.to-like.to
	for _, m := range l.marks[l.next+1:] {
		l.now = append(l.now, mark{m.from + from, m.to + to, m.depth})
	}
	return like
}

// flowLike is flow for a collection that is like the last one that was read.
func (r *reader) flowLike(dst []byte, l *likeness) []byte {
	l.start, l.out, l.same, l.next = r.pos, len(dst), 0, 0
	depth := 0
	if l.end > 0 {
		l.next = l.sameMarks(r.s[l.from:l.end], r.s[r.pos:])
		if l.next > 0 {
			last := &l.marks[l.next-1]
			dst = append(dst, dst[l.to:l.to+last.to]...)
			r.pos += last.from
			depth = last.depth
		}
		if l.toEnd > 0 {
			l.guess = r.pos + bytes.IndexByte(r.s[r.pos:], '\n') - l.behind
			if l.guess > r.pos {
				l.same = sameSuffix(r.s[l.from:l.end], r.s[r.pos:l.guess])
			}
		}
	}
	l.shared = l.next
	l.now = l.now[:0]
	dst = r.flowFrom(dst, depth, 0, l)
	l.from, l.end, l.to, l.toEnd = l.start, r.pos, l.out, len(dst)
	l.behind = max(0, bytes.IndexByte(r.s[r.pos:], '\n'))
	l.marks = append(l.marks[:l.shared], l.now...)
	return dst
}

// sameMarks returns how many marks stand in what the last collection and this one
// begin with alike. It is mostly as much as the last time.
func (l *likeness) sameMarks(last, this []byte) int {
	n, alike := min(l.shared, len(l.marks)), 0
	if n > 0 {
		if at := l.marks[n-1].from; at <= len(this) && bytes.Equal(last[:at], this[:at]) {
			alike = at
		} else {
			n = 0
		}
	}
	alike += samePrefix(last[alike:], this[alike:])
	for n < len(l.marks) && l.marks[n].from <= alike {
		n++
	}
	return n
}

// sameSuffix returns how many bytes a and b end with alike.
func sameSuffix(a, b []byte) int {
	n := min(len(a), len(b))
	a, b = a[len(a)-n:], b[len(b)-n:]
	i := n
	for ; i >= 8; i -= 8 {
		if x := binary.LittleEndian.Uint64(a[i-8:]) ^ binary.LittleEndian.Uint64(b[i-8:]); x != 0 {
			return n - i + bits.LeadingZeros64(x)/8
		}
	}
	for i > 0 && a[i-1] == b[i-1] {
		i--
	}
	return n - i
}

// samePrefix returns how many bytes a and b begin with alike.
func samePrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// plainJSON appends the JSON of a plain scalar.
func (r *reader) plainJSON(dst, text []byte) []byte {
	switch string(text) {
	case "null", "true", "false":
		return append(dst, text...)
	case "":
		r.fail()
		return dst
	}
	if c := text[0]; c == '-' || '0' <= c && c <= '9' {
		if n, ok := exactjson.ScanNumber(string(text), 0); ok && n == len(text) {
			return append(dst, text...)
		}
	}
	return r.stringJSON(dst, text)
}

// quotedJSON appends the JSON of a string in double quotes. Its escapes are JSON's:
// in the compact layout most stay as they are.
func (r *reader) quotedJSON(dst []byte) []byte {
	if r.json.Escape != 0 {
		return r.stringJSON(dst, r.quoted())
	}
	start := r.pos
	rest := r.s[start+1:]
	if n := bytes.IndexByte(rest, '"'); n >= 0 && bytes.IndexByte(rest[:n], '\\') < 0 {
		r.pos = start + n + 2
		return append(dst, r.s[start:r.pos]...)
	}
	i := start + 1
	for ; i < len(r.s) && r.s[i] != '"'; i++ {
		if r.s[i] != '\\' {
			continue
		}
		c, n, ok := exactjson.DecodeEscape(string(r.s[i:min(len(r.s), i+12)]))
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
	clip := r.lines(indent, func(i int, line []byte) {
		if i > 0 {
			dst = append(dst, `\n`...)
		}
		dst = r.json.Inner(dst, line)
	})
	if clip {
		dst = append(dst, `\n`...)
	}
	return append(dst, '"')
}

// A Framer puts the events of a stream together to its bytes, as far as that is
// text around values. Its methods report false where it is not.
type Framer interface {
	// Stream begins a stream of the framing with this name.
	Stream(name string) bool
	// Field appends what stands before the value of a field.
	Field(dst, name []byte) ([]byte, bool)
	// Value appends what stands behind the value of a field, which begins at start.
	// It may be known to be one line.
	Value(dst []byte, start int, line bool) ([]byte, bool)
	// End appends what ends an event.
	End(dst []byte) []byte
}

// frames reads the lines of events into the bytes of the stream, and notes where
// each ends.
func (r *reader) frames(l exactjson.Layout) []byte {
	in := r.scratch
	in.Ends = in.ends[:0]
	in.body = r.eventLines(in.body[:0], &in.like, l, func(dst []byte) []byte {
		dst = r.framer.End(dst)
		in.Ends = append(in.Ends, len(dst))
		return dst
	})
	in.ends = in.Ends
	return in.body
}

// An eventSpan is a field of an event that was read: where its value stands in
// what was read.
type eventSpan struct {
	name       string
	start, end int
}

// events reads the lines of events.
func (r *reader) events(l exactjson.Layout) []interaction.Event {
	r.framer = nil
	if r.like != nil {
		return r.sameEvents(l)
	}
	n := bytes.Count(r.s[r.pos:], []byte("\n"))
	r.spans = make([]eventSpan, 0, n)
	ends := make([]int, 0, n) // in spans
	dst := r.eventLines(nil, new(likeness), l, func(dst []byte) []byte {
		ends = append(ends, len(r.spans))
		return dst
	})
	if r.failed {
		return nil
	}
	text := string(dst)
	fields := make([]interaction.Field, len(r.spans))
	for i, s := range r.spans {
		fields[i] = interaction.Field{Name: s.name, Value: text[s.start:s.end]}
	}
	events := make([]interaction.Event, len(ends))
	begin := 0
	for i, end := range ends {
		events[i] = fields[begin:end:end]
		begin = end
	}
	return events
}

// sameEvents is events where they must be r.like, and stops where they are not.
func (r *reader) sameEvents(l exactjson.Layout) []interaction.Event {
	at := 0
	var like likeness
	r.eventLines(nil, &like, l, func(dst []byte) []byte {
		same := at < len(r.like) && len(r.like[at]) == len(r.spans)
		for i, s := range r.spans {
			same = same && r.like[at][i].Name == s.name && r.like[at][i].Value == string(dst[s.start:s.end])
		}
		if !same {
			r.fail()
		}
		at++
		r.spans = r.spans[:0]
		if len(dst) > 64<<10 {
			dst, like.end = dst[:0], 0 // it is not looked at any more
		}
		return dst
	})
	if at != len(r.like) {
		r.fail()
	}
	return r.like
}

// eventLines reads the lines of events, one behind the other, and calls done after
// each.
func (r *reader) eventLines(dst []byte, like *likeness, l exactjson.Layout, done func(dst []byte) []byte) []byte {
	rest := r.s[r.pos:]
	var pads []int
	if i := bytes.Index(rest, []byte("\n      events_padding:")); i >= 0 {
		ahead := reader{s: rest, pos: i + len("\n      events_padding:")}
		pads = ahead.ints()
	}
	r.layOut(l)
	*like = likeness{marks: like.marks[:0], now: like.now[:0]}
	for n := 0; r.indented(partIndent + 2); n++ {
		pad := 0
		if n < len(pads) {
			pad = pads[n]
		}
		dst = done(r.event(dst, pad, like))
		if l.Indent != "" && len(dst) > r.json.Most {
			r.fail() // what is like the event before is not counted
		}
	}
	return dst
}

// event reads the line of an event. The last of its values that is structure is
// padded.
func (r *reader) event(dst []byte, pad int, like *likeness) []byte {
	r.skip("- ")
	list := r.peek() == '['
	if list {
		r.next()
	}
	r.skip("{")
	first, cut := len(r.spans), -1
	oneLine := r.json.Indent == "" && r.json.Before == "" && r.json.After == "" // JSON escapes line breaks
	for !r.failed {
		name := r.flowText()
		ok := true
		if r.framer != nil {
			dst, ok = r.framer.Field(dst, name)
		}
		start, line := len(dst), false
		r.skip(": ")
		if c := r.peek(); c == '{' || c == '[' {
			line = oneLine
			dst = append(r.flowLike(append(dst, r.json.Before...), like), r.json.After...)
			cut = len(dst) - len(r.json.After) - 1
		} else {
			dst = append(dst, r.flowText()...)
		}
		if r.framer == nil {
			r.spans = append(r.spans, eventSpan{r.name(name), start, len(dst)})
		} else if ok {
			dst, ok = r.framer.Value(dst, start, line)
		}
		if !ok {
			r.fail()
		}
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
	if pad == 0 || cut < 0 || r.failed {
		return dst
	}
	for i := first; i < len(r.spans); i++ {
		s := &r.spans[i]
		if s.start > cut {
			s.start += pad
		}
		if s.end > cut {
			s.end += pad
		}
	}
	like.toEnd = 0 // what was made is no longer together
	behind := string(dst[cut:])
	return append(exactjson.AppendSpaces(dst[:cut], pad), behind...)
}

// name returns the name of a field; there are few.
func (r *reader) name(b []byte) string {
	for _, name := range r.names {
		if name == string(b) {
			return name
		}
	}
	name := string(b)
	if len(r.names) < 8 {
		r.names = append(r.names, name)
	}
	return name
}
