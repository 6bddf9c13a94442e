package exactjson

import "strings"

// DetectLayout returns the layout in which v, the value of the JSON text b, is printed as
// exactly b, and the number of bytes of indentation in b. It returns false if there is no such
// layout.
func DetectLayout[T string | []byte](b T, v Value) (l Layout, indentation int, ok bool) {
	var c Clues
	c.Add(string(b))
	l = c.Layout()
	indentation, ok = Prints(v, l, b)
	return l, indentation, ok
}

// Prints reports whether v in layout l is exactly b. It also returns the number of bytes of
// indentation.
func Prints[T string | []byte](v Value, l Layout, b T) (indentation int, same bool) {
	p := NewPrinter(l)
	text := p.Print(make([]byte, 0, len(b)), &v)
	return p.Indentation, string(text) == string(b)
}

// Clues guess the layout that JSON texts of one origin have. A guess can be wrong, since a text
// may be laid out in several ways; [Prints] checks a guess.
type Clues struct {
	first        Layout // the white space around the first text, its indentation and padding
	seen         bool   // there was a text
	colon, comma string // the first of each with the byte after it: ": "; "" if there was none
	escape       Escape
}

// Layout returns the guess.
func (c *Clues) Layout() Layout {
	l := c.first
	l.Escape = c.escape
	if l.Escape&EscapeASCII != 0 { // it escapes the separators, too
		l.Escape &^= EscapeSeparators
	}
	if l.Indent != "" {
		l.Padding = 0 // these spaces are the indentation of the last bracket
		return l
	}
	l.ColonSpace = c.colon == ": "
	l.CommaSpace = c.comma == ", "

	// Most printers write a space after both or after neither.
	if c.colon == "" {
		l.ColonSpace = l.CommaSpace
	}
	if c.comma == "" {
		l.CommaSpace = l.ColonSpace
	}
	return l
}

// Add adds the clues in s, which is valid JSON.
func (c *Clues) Add(s string) {
	if c.colon != "" && c.comma != "" && strings.IndexByte(s, '\\') < 0 {
		return // s has no new clues
	}
	core := strings.Trim(s, " \t\r\n")
	if !c.seen {
		c.seen = true
		c.first.Before, c.first.After, _ = strings.Cut(s, core)
		c.first.Padding = PaddingOf(core)
		isIndented := len(core) > 1 && core[1] == '\n' // a line end after the first bracket
		if isIndented {
			c.first.Indent = core[2 : len(core)-len(strings.TrimLeft(core[2:], " \t"))]
		}
	}
	for t := Scan(core); t.Next(); {
		after := core[t.End:]
		switch {
		case after == "": // the last token
		case t.Token == Name && c.colon == "":
			c.colon = after[:min(len(after), 2)]
		case after[0] == ',' && c.comma == "":
			c.comma = after[:min(len(after), 2)]
		}
		if t.Kind == String && t.hasEscapes {
			c.addEscapes(core[t.Start:t.End])
		}
	}
}

// PaddingOf returns the number of spaces before the last character of s, which is JSON
// without white space at its end.
func PaddingOf(s string) int {
	s = s[:len(s)-1]
	return len(s) - len(strings.TrimRight(s, " "))
}

// addEscapes adds the escaping habits that the escapes in a string show.
func (c *Clues) addEscapes(s string) {
	for i := strings.IndexByte(s, '\\'); i >= 0; i = strings.IndexByte(s, '\\') {
		r, n, ok := DecodeEscape(s[i:])
		if !ok {
			return
		}
		esc := s[i : i+n]
		s = s[i+n:]
		if esc[1] != 'u' && r != '/' {
			continue // an escape that all printers write
		}
		if strings.ContainsAny(esc, "ABCDEF") {
			c.escape |= EscapeUpper
		}
		if r > 0x7f && r != '\u2028' && r != '\u2029' {
			c.escape |= EscapeASCII
		}
		for i, chars := range habitChars {
			if strings.ContainsRune(chars, r) {
				c.escape |= 1 << i
			}
		}
	}
}
