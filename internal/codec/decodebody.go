package codec

import (
	"github.com/promptecho/promptecho/internal/exactjson"
)

// A jsonDecoder reads structure and makes the text of its JSON.
type jsonDecoder struct {
	scanner
	json exactjson.Printer
}

// structure reads a body that is JSON and appends it.
func (d *jsonDecoder) structure(dst []byte, l exactjson.Layout) []byte {
	d.layOut(l)
	dst = d.block(append(dst, l.Before...), d.indent, 0, false)
	dst = d.json.End(dst)
	if d.json.Indentation > d.json.Most {
		d.fail()
	}
	return dst
}

// layOut makes the printer for what follows, with what is left of the indentation that
// may be in an interaction; see mostIndentation.
func (d *jsonDecoder) layOut(l exactjson.Layout) {
	before := d.json.Indentation
	d.json = exactjson.NewPrinter(l)
	d.json.Indentation, d.json.Most = before, mostIndentation(len(d.s))
}

// block reads the value after an indicator that belongs to a collection indented
// by indent, as encoder.blockValue writes it, and the line end, and appends its
// JSON text. After a dash a collection may begin on the dash's line.
func (d *jsonDecoder) block(dst []byte, indent, depth int, dash bool) []byte {
	if indent+2 > maxIndentation {
		d.fail()
		return dst
	}
	if d.skip("\n") {
		if !dash && d.dash(indent) {
			return d.collection(dst, indent, depth)
		}
		if !d.indented(indent + 2) {
			d.fail()
			return dst
		}
		return d.collection(dst, indent+2, depth)
	}
	d.expect(" ")
	switch c := d.peek(); {
	case c == '{' || c == '[':
		dst = d.flow(dst, depth, depth, nil)
		d.expect("\n")
		return dst
	case c == '|':
		return d.stringJSON(dst, d.literal(indent+2))
	case dash && d.atCollection():
		return d.collection(dst, indent+2, depth)
	case c == '"' || c == '\'':
		dst = d.quotedJSON(dst)
		d.expect("\n")
		return dst
	case c == 0 || c == '!' || c == ' ' || c == '\n' || c == '*' || c == '&':
		d.fail()
		return dst
	}
	return d.plainJSON(dst, d.line())
}

// atCollection reports whether a list or a mapping begins at pos, after a dash.
func (d *jsonDecoder) atCollection() bool {
	start := d.pos
	defer func() { d.pos = start }()
	switch c := d.peek(); {
	case c == '-':
		d.pos++
	case c == '"':
		d.quoted()
	case !wordByte[c]:
		return false
	default:
		d.word()
	}
	if d.s[start] != '-' && !d.skip(":") {
		return false
	}
	return d.at(" ") || d.at("\n")
}

// collection reads a list or a mapping whose elements stand in column col; the
// first is at pos.
func (d *jsonDecoder) collection(dst []byte, col, depth int) []byte {
	p := &d.json
	list := d.peek() == '-'
	open, end := byte('{'), byte('}')
	if list {
		open, end = '[', ']'
	}
	dst = append(dst, open)
	for first := true; first || list && d.dash(col) || !list && d.indented(col); first = false {
		if !first {
			dst = append(dst, p.Comma...)
		}
		dst = p.Newline(dst, depth+1)
		switch {
		case list:
			d.expect("-")
		case d.peek() == '"':
			dst = d.quotedJSON(dst)
		default:
			dst = d.stringJSON(dst, d.word())
		}
		if !list {
			d.expect(":")
			dst = append(dst, p.Colon...)
		}
		dst = d.block(dst, col, depth+1, list)
	}
	return append(p.Newline(dst, depth), end)
}

// stringJSON appends the JSON of a text.
func (d *jsonDecoder) stringJSON(dst, text []byte) []byte {
	return append(d.json.Inner(append(dst, '"'), text), '"')
}

// flow reads a collection in flow style, as encoder.flowValue writes it, from a place that
// is in depth collections to where it is in outer ones. Token by token it is JSON but for
// the spaces and the quotes of words; how the tokens fit together is not checked: see
// [decoder]. A cache, which may be nil, is told where the tokens begin.
func (d *jsonDecoder) flow(dst []byte, depth, outer int, cache *eventCache) []byte {
	p := &d.json
	for d.pos < len(d.s) {
		switch c := d.s[d.pos]; c {
		case '{', '[':
			dst = append(dst, c)
			d.pos++
			if d.peek() != c+2 { // the closing brackets of ASCII
				depth++
				dst = p.Newline(dst, depth)
				continue
			}
			dst = append(dst, c+2)
			d.pos++
		case '}', ']':
			depth--
			dst = append(p.Newline(dst, depth), c)
			d.pos++
		case ',', ':':
			if c == ',' {
				dst = p.Newline(append(dst, p.Comma...), depth)
			} else {
				dst = append(dst, p.Colon...)
			}
			d.pos += 2
			if cache == nil || d.pos >= len(d.s) {
				continue
			}
			t := token{from: d.pos - cache.start, to: len(dst) - cache.out, depth: depth}
			if cache.note(t, d.s[d.pos]) {
				dst, depth = d.alike(dst, t, cache)
			}
		case '"', '\'':
			dst = d.quotedJSON(dst)
			continue
		default:
			dst = d.wordJSON(dst)
			continue
		}
		if depth == outer {
			return dst
		}
	}
	d.fail()
	return dst
}

// alike passes what is as in the last value, from the token t up to the last one where that
// ends, and appends its JSON. It returns in how many collections that one is.
func (d *jsonDecoder) alike(dst []byte, t token, c *eventCache) ([]byte, int) {
	next := c.reach(d.s[d.pos:])
	from, to := c.tokens[c.read], c.tokens[next]
	c.pass(next, t)
	d.pos += to.from - from.from
	return append(dst, dst[c.last+from.to:c.last+to.to]...), to.depth
}

// wordJSON appends the JSON of a number, a constant or a word in flow context.
func (d *jsonDecoder) wordJSON(dst []byte) []byte {
	start := d.pos
	word := d.word()
	switch c := d.s[start]; {
	case d.failed:
		return dst
	case c == '-' || '0' <= c && c <= '9':
		for d.pos < len(d.s) && (wordByte[d.s[d.pos]] || d.s[d.pos] == '+') {
			d.pos++
		}
		return append(dst, d.s[start:d.pos]...)
	case isConstant(word):
		return append(dst, word...)
	case d.json.Escape == 0: // nothing in a word must be escaped
		return append(append(append(dst, '"'), word...), '"')
	}
	return d.stringJSON(dst, word)
}

// quotedJSON appends the JSON of a string in quotes. In most layouts one in double quotes
// without escapes is its own JSON.
func (d *jsonDecoder) quotedJSON(dst []byte) []byte {
	start := d.pos
	text := d.quoted()
	if d.json.Escape == 0 && d.s[start] == '"' && d.pos == start+len(text)+2 {
		return append(dst, d.s[start:d.pos]...)
	}
	return d.stringJSON(dst, text)
}

// isConstant reports whether a word is null, true or false.
func isConstant(word []byte) bool {
	return len(word) <= 5 && (string(word) == "null" || string(word) == "true" || string(word) == "false")
}

// plainJSON appends the JSON of a plain scalar.
func (d *jsonDecoder) plainJSON(dst, text []byte) []byte {
	if len(text) == 0 {
		d.fail()
		return dst
	}
	if isConstant(text) {
		return append(dst, text...)
	}
	if c := text[0]; c == '-' || '0' <= c && c <= '9' {
		if n, ok := exactjson.ScanNumber(string(text), 0); ok && n == len(text) {
			return append(dst, text...)
		}
	}
	return d.stringJSON(dst, text)
}
