package exactjson

import "strings"

// DetectLayout finds the layout in which v, the value of the JSON text b, is printed as
// exactly b, and how many bytes of that are indentation. Without one, ok is false.
func DetectLayout(b []byte, v Value) (l Layout, indentation int, ok bool) {
	var c Clues
	c.Add(string(b))
	l = c.Layout()
	indentation, ok = Prints(v, l, b)
	return l, indentation, ok
}

// Prints reports whether v in layout l is exactly b, and how many bytes of that are
// indentation.
func Prints[T string | []byte](v Value, l Layout, b T) (indentation int, same bool) {
	p := NewPrinter(l)
	text := p.Print(make([]byte, 0, len(b)), &v)
	return p.Indentation, string(text) == string(b)
}

// Clues are what JSON texts of one origin give away about their layout. They prove
// nothing, since a text may contradict itself: [Prints] tells.
type Clues struct {
	first        Layout // white space around, indentation and padding of the first text
	seen         bool
	colon, comma string // the first ones, with the space behind them
	escape       Escape
}

// Layout returns the layout that the texts point to.
func (c *Clues) Layout() Layout {
	l := c.first
	l.Escape = c.escape
	if l.Escape&EscapeASCII != 0 {
		l.Escape &^= EscapeSeparators
	}
	if l.Indent != "" {
		l.Padding = 0
		return l
	}
	// What there is none of is taken to be like the other, as printers do.
	l.ColonSpace = c.colon == ": " || c.colon == "" && c.comma == ", "
	l.CommaSpace = c.comma == ", " || c.comma == "" && c.colon == ": "
	return l
}

// Add adds what the valid JSON text s gives away.
func (c *Clues) Add(s string) {
	if c.colon != "" && c.comma != "" && strings.IndexByte(s, '\\') < 0 {
		return // it can say nothing that is new
	}
	core := strings.Trim(s, " \t\r\n")
	if !c.seen {
		c.seen = true
		c.first.Before, c.first.After, _ = strings.Cut(s, core)
		c.first.Padding = PaddingOf(core)
		if len(core) > 1 && core[1] == '\n' {
			c.first.Indent = core[2 : len(core)-len(strings.TrimLeft(core[2:], " \t"))]
		}
	}
	for t := Scan(core); t.Next(); {
		switch after := core[t.End:]; {
		case after == "":
		case t.Token == Name && c.colon == "":
			c.colon = after[:min(len(after), 2)]
		case after[0] == ',' && c.comma == "":
			c.comma = after[:min(len(after), 2)]
		}
		if t.Kind == String && t.escapes {
			c.addEscapes(core[t.Start:t.End])
		}
	}
}

// PaddingOf returns how many spaces stand before the last character of s, which
// is JSON and ends in no white space.
func PaddingOf(s string) int {
	s = s[:len(s)-1]
	return len(s) - len(strings.TrimRight(s, " "))
}

// addEscapes adds the habits that the escapes in a string give away, which few printers
// would write.
func (c *Clues) addEscapes(s string) {
	for i := strings.IndexByte(s, '\\'); i >= 0; i = strings.IndexByte(s, '\\') {
		r, n, ok := DecodeEscape(s[i:])
		if !ok {
			return
		}
		esc := s[i : i+n]
		s = s[i+n:]
		if esc[1] != 'u' && r != '/' {
			continue
		}
		if strings.ContainsAny(esc, "ABCDEF") {
			c.escape |= EscapeUpper
		}
		if r > 0x7f && r != '\u2028' && r != '\u2029' {
			c.escape |= EscapeASCII
		}
		for i, chars := range habitual {
			if strings.ContainsRune(chars, r) {
				c.escape |= 1 << i
			}
		}
	}
}
