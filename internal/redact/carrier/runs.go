package carrier

import (
	"encoding/hex"
	"strings"
	"unicode/utf8"
)

// minRun is the least number of characters of base64 or hexadecimal that
// are decoded: those of a known value of 8 bytes in base64 without padding.
const minRun = 11

// shortestLine is the least length of the lines into which base64 is broken.
// GitHub's contents API has 60, PEM 64, MIME and base64(1) 76.
const shortestLine = 40

// Classes of characters. A character may be in several of them.
const (
	alnumChars = 1 << iota
	stdMarks   // "+" and "/", of the standard alphabet of base64
	urlMarks   // "-" and "_", of the alphabet of base64url
	hexChars   // both cases

	base64Chars = alnumChars | stdMarks | urlMarks // those of both alphabets
)

// classes has the classes of each byte.
var classes = func() (t [256]byte) {
	for c := range t {
		b := byte(c)
		switch {
		case '0' <= b && b <= '9', 'a' <= b && b <= 'f', 'A' <= b && b <= 'F':
			t[c] = alnumChars | hexChars
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z':
			t[c] = alnumChars
		case b == '+', b == '/':
			t[c] = stdMarks
		case b == '-', b == '_':
			t[c] = urlMarks
		}
	}
	return t
}()

// runEnd returns where the run of characters of some classes ends that goes on
// at a place.
func runEnd(s string, at int, of byte) int {
	for at < len(s) && classes[s[at]]&of != 0 {
		at++
	}
	return at
}

// editsOfRuns returns the edits of the base64 and the hexadecimal digits in a text. It
// leaves out runs that the edits done replace anyway.
func (c *walk) editsOfRuns(s string, p place, done []Edit) []Edit {
	var edits []Edit
	at := 0
	for at+minRun <= len(s) {
		// A run that begins at at or later, and does not have probe, is too short.
		probe := at + minRun - 1
		if classes[s[probe]]&base64Chars == 0 {
			at = probe + 1
			continue
		}
		start := probe
		for start > at && classes[s[start-1]]&base64Chars != 0 {
			start--
		}
		end := runEnd(s, probe, base64Chars)
		if end-start < minRun || touches(done, start, end) {
			at = end
			continue
		}
		found, stop := c.editsOfRun(s, start, end, p)
		edits = append(edits, found...)
		at = stop
	}
	return edits
}

// editsOfRun returns the edits of the run s[start:end], and where it ends: base64 may
// go on in the next lines.
//
// A short line behind others may be the last line of base64, or a word. So the run is
// decoded with the line and then without it, until it is a text.
func (c *walk) editsOfRun(s string, start, end int, p place) (edits []Edit, stop int) {
	isAllHex := runEnd(s[:end], start, hexChars) == end
	if isAllHex && (end-start)%2 == 0 && end-start >= 2*minKnown {
		found, ok := c.editsOfHex(s[start:end], p)
		if ok {
			return shift(found, start), end
		}
	}
	if !isAllHex {
		edits = c.editsOfHexParts(s[start:end], p)
		if len(edits) > 0 {
			return shift(edits, start), end
		}
	}
	ends := lineEnds(s, start, end)
	last := len(ends) - 1
	for i := last; i >= 0; i-- {
		stop = paddingEnd(s, ends[i])
		found, isText := c.editsOfBase64(s[start:stop], p, i == last)
		if isText || len(found) > 0 {
			return shift(found, start), stop
		}
	}
	// The next run begins behind the lines, or at the last one, which may be a word.
	return nil, paddingEnd(s, ends[max(0, last-1)])
}

// minKnown is the length in bytes of the shortest value that is looked for.
const minKnown = 8

// lineEnds returns the places where a run of base64 may end that begins with
// the line s[start:end]: the end of the first line, and of the last one or two
// of those that follow.
func lineEnds(s string, start, end int) []int {
	width := lineWidth(s[start:end])
	if width == 0 {
		return []int{end}
	}
	ends := []int{end}
	for {
		next := end + len(lineBreak(s[end:]))
		if next == end || next == len(s) {
			return ends
		}
		stop := runEnd(s, next, base64Chars)
		length := stop - next
		if length == 0 || length > width {
			return ends
		}
		if len(ends) > 1 {
			ends = ends[:1] // the line before is a whole one
			ends = append(ends, end)
		}
		ends = append(ends, stop)
		end = stop
		if length < width {
			return ends
		}
	}
}

// lineWidth returns the length of the lines of base64 after a first line, or 0 if
// base64 has no lines of such a length. The first line may begin with a part of a path,
// up to one of the first marks.
func lineWidth(line string) int {
	marks := 0
	for i := range line {
		isStart := i == 0 || classes[line[i-1]]&alnumChars == 0
		if !isStart {
			continue
		}
		width := len(line) - i
		if width < shortestLine || marks > maxMarks {
			return 0
		}
		if width%4 == 0 {
			return width
		}
		marks++
	}
	return 0
}

// lineBreak returns the line break that a text begins with, and the indentation
// of the next line.
func lineBreak(s string) string {
	n := 0
	switch {
	case strings.HasPrefix(s, "\r\n"):
		n = 2
	case strings.HasPrefix(s, "\n"):
		n = 1
	default:
		return ""
	}
	for n < len(s) && (s[n] == ' ' || s[n] == '\t') {
		n++
	}
	return s[:n]
}

// paddingEnd returns the place behind the padding at a place.
func paddingEnd(s string, at int) int {
	for n := 0; n < 2 && at < len(s) && s[at] == '='; n++ {
		at++
	}
	return at
}

// isText reports whether bytes are a text: UTF-8 without control characters.
// The last character may be cut off.
func isText(s string) bool {
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			isSpace := c == '\n' || c == '\r' || c == '\t'
			isControl := c < ' ' || c == 0x7f
			if isControl && !isSpace {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			return len(s)-i < utf8.UTFMax && !utf8.FullRuneInString(s[i:])
		}
		i += n
	}
	return true
}

// Decode returns a text with each base64 and hexadecimal text in it decoded, in all
// layers. It is for comparing texts that differ in a part of an encoded text.
func Decode(text string) string { return decodeRuns(text, 0) }

// decodeRuns is Decode for a text that is inside of depth layers of base64 or hexadecimal.
func decodeRuns(text string, depth int) string {
	if depth >= MaxDepth {
		return text
	}
	var b strings.Builder
	at := 0
	copied := 0 // the end of the part of text that is written to b
	for at < len(text) {
		if classes[text[at]]&base64Chars == 0 {
			at++
			continue
		}
		end := runEnd(text, at, base64Chars)
		stop := paddingEnd(text, end)
		decoded, ok := decodeRun(text[at:end])
		if ok {
			b.WriteString(text[copied:at])
			b.WriteString(decodeRuns(decoded, depth+1))
			copied = stop
		}
		at = stop
	}
	if copied == 0 {
		return text
	}
	b.WriteString(text[copied:])
	return b.String()
}

// decodeRun returns the text of a run in base64 or hexadecimal. ok is false if the run
// does not decode to a text.
func decodeRun(digits string) (text string, ok bool) {
	if len(digits) < minRun {
		return "", false
	}
	plain, err := hex.DecodeString(digits)
	if err == nil && isText(string(plain)) {
		return string(plain), true
	}
	r, ok := newRun(digits)
	if !ok || !r.beginsAsText(0) {
		return "", false
	}
	plain, err = r.encoding().DecodeString(digits)
	return string(plain), err == nil && isText(string(plain))
}
