package carrier

import (
	"encoding/hex"
	"strings"
)

// editsOfHex returns the edits of hexadecimal digits. ok is false if the digits do not
// decode to a text and nothing was found in their bytes.
func (c *walk) editsOfHex(raw string, p place) (edits []Edit, ok bool) {
	in := p
	in.depth++
	isLikely := isTextStart(raw)
	if !isLikely && !c.WantsBytes || !c.mayDecode(p, len(raw)/2) {
		return nil, false
	}
	plain, err := hex.DecodeString(raw)
	if err != nil {
		return nil, false
	}
	text := string(plain)
	if !isText(text) && !isCompressed(text) {
		in.kind = Bytes
	}
	edits = c.editsOfValue(text, in)
	isUpper := strings.ToUpper(raw) == raw
	for i, e := range edits {
		digits := hex.EncodeToString([]byte(e.Text))
		if isUpper {
			digits = strings.ToUpper(digits)
		}
		edits[i] = Edit{Start: 2 * e.Start, End: 2 * e.End, Text: digits, Causes: e.Causes}
	}
	return edits, in.kind == Text || len(edits) > 0
}

// editsOfHexParts returns the edits of hexadecimal digits in a run of other characters,
// such as a path with words before them.
func (c *walk) editsOfHexParts(raw string, p place) []Edit {
	var edits []Edit
	at := 0
	for at+2*minKnown <= len(raw) {
		end := runEnd(raw, at, hexChars)
		isWhole := at == 0 || classes[raw[at-1]]&alnumChars == 0
		if isWhole && (end-at)%2 == 0 && end-at >= 2*minKnown {
			found, _ := c.editsOfHex(raw[at:end], p)
			edits = append(edits, shift(found, at)...)
		}
		at = max(end, at+1)
	}
	return edits
}

// isTextStart reports whether hexadecimal digits decode to the beginning of a text or of
// compressed bytes.
func isTextStart(raw string) bool {
	first := raw[:min(len(raw), 32)]
	plain, err := hex.DecodeString(first)
	if err != nil {
		return false
	}
	if isText(string(plain)) {
		return true
	}
	mayBeCompressed := plain[0] == 0x1f || plain[0] == 'x'
	return mayBeCompressed
}
