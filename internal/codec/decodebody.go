package codec

import (
	"bytes"
	"unicode/utf8"

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
		if !d.indented(indent + 2) {
			d.fail()
			return dst
		}
		return d.collection(dst, indent+2, depth)
	}
	d.expect(" ")
	switch c := d.peek(); {
	case c == '{' || c == '[':
		dst, _ = d.flow(dst, depth, depth, nil)
		d.expect("\n")
		return dst
	case c == '|':
		return d.literalJSON(dst, indent+2)
	case dash && d.atCollection():
		return d.collection(dst, indent+2, depth)
	case c == '"':
		dst = d.quotedJSON(dst)
		d.expect("\n")
		return dst
	case c == 0 || c == '!' || c == ' ' || c == '\n':
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
	for first := true; first || d.indented(col); first = false {
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

// flow reads a collection in flow style, as encoder.flowValue writes it, which is in so
// many others, to where it is in outer ones. Token by token it is JSON but for the spaces
// and the quotes of words; how the tokens fit together is not looked at: see [decoder].
// With tokens, which notes where they begin, it may end before, at the one to stop at;
// the depth there is returned.
func (d *jsonDecoder) flow(dst []byte, depth, outer int, tokens *tokens) ([]byte, int) {
	p := &d.json
	i := d.pos
	for i < len(d.s) {
		switch c := d.s[i]; c {
		case '{', '[':
			dst = append(dst, c)
			i++
			if i < len(d.s) && d.s[i] == c+2 { // the closing brackets of ASCII
				dst = append(dst, c+2)
				i++
			} else {
				depth++
				dst = p.Newline(dst, depth)
				continue
			}
		case '}', ']':
			depth--
			dst = append(p.Newline(dst, depth), c)
			i++
		case ',', ':':
			if c == ',' {
				dst = p.Newline(append(dst, p.Comma...), depth)
			} else {
				dst = append(dst, p.Colon...)
			}
			i += 2
			if tokens != nil && tokens.add(i, len(dst), depth) {
				d.pos = i
				return dst, depth
			}
			continue
		case '"':
			d.pos = i
			dst = d.quotedJSON(dst)
			i = d.pos
			continue
		default:
			start := i
			for i < len(d.s) && wordByte[d.s[i]] {
				i++
			}
			switch word := d.s[start:i]; {
			case c == '-' || '0' <= c && c <= '9':
				for i < len(d.s) && (wordByte[d.s[i]] || d.s[i] == '+') {
					i++
				}
				dst = append(dst, d.s[start:i]...)
			case len(word) == 0:
				d.fail()
				return dst, depth
			case isConstant(word):
				dst = append(dst, word...)
			case d.json.Escape == 0: // nothing in a word must be escaped
				dst = append(append(append(dst, '"'), word...), '"')
			default:
				dst = d.stringJSON(dst, word)
			}
			continue
		}
		if depth == outer {
			d.pos = i
			return dst, depth
		}
	}
	d.fail()
	return dst, depth
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

// quotedJSON appends the JSON of a string in double quotes. Its escapes are JSON's:
// in the compact layout most stay as they are.
func (d *jsonDecoder) quotedJSON(dst []byte) []byte {
	if d.json.Escape != 0 {
		return d.stringJSON(dst, d.quoted())
	}
	start := d.pos
	i := start + 1
	if n := bytes.IndexByte(d.s[i:], '"'); n >= 0 && bytes.IndexByte(d.s[i:i+n], '\\') < 0 {
		d.pos = i + n + 1
		return append(dst, d.s[start:d.pos]...)
	}
	for ; i < len(d.s) && d.s[i] != '"'; i++ {
		if d.s[i] != '\\' {
			continue
		}
		c, n, ok := exactjson.DecodeEscape(string(d.s[i:min(len(d.s), i+12)]))
		switch {
		case !ok:
			d.fail()
			return dst
		case n > 2 && c >= ' ':
			dst = utf8.AppendRune(append(dst, d.s[start:i]...), c)
			start = i + n
		}
		i += n - 1
	}
	if i >= len(d.s) {
		d.fail()
		return dst
	}
	d.pos = i + 1
	return append(dst, d.s[start:d.pos]...)
}

// literalJSON appends the JSON of a literal whose lines are indented by indent.
func (d *jsonDecoder) literalJSON(dst []byte, indent int) []byte {
	dst = append(dst, '"')
	clip := d.literal(indent, func(i int, line []byte) {
		if i > 0 {
			dst = append(dst, `\n`...)
		}
		dst = d.json.Inner(dst, line)
	})
	if clip {
		dst = append(dst, `\n`...)
	}
	return append(dst, '"')
}

// tokens notes where the names, elements and values in a value begin.
type tokens struct {
	start, to int     // where the value begins, in the file and in the JSON
	stop      int     // in the file: the token to stop at; -1 if there is none
	read      []token // so far
}

// A token is a place in a value where a name, an element or a value in it begins: behind
// the beginning of the value in the file, behind that of its JSON, and in so many
// collections.
type token struct{ from, to, depth int }

// add notes a token, and reports whether it is the one to stop at.
func (t *tokens) add(from, to, depth int) (stop bool) {
	t.read = append(t.read, token{from - t.start, to - t.to, depth})
	return from == t.stop
}
