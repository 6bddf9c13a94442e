package carrier

import "strings"

// prose returns the edits of a text that is not a carrier as a whole. JSON in
// it is cut out; what is between is searched as text.
func (c *walk) prose(s string, p place) []Edit {
	edits, cuts := c.jsonInProse(s, p)
	if len(cuts) == 0 {
		return merge(c.text(s, p), edits)
	}
	at := 0
	var between []Edit
	for _, cut := range cuts {
		if at < cut.start {
			between = append(between, shift(c.text(s[at:cut.start], p), at)...)
		}
		at = cut.end
	}
	if at < len(s) {
		between = append(between, shift(c.text(s[at:], p), at)...)
	}
	return merge(between, edits)
}

// A span is a part of a text.
type span struct{ start, end int }

// jsonInProse returns the edits of objects of JSON in a text, and where each
// complete one is. What was scanned is not scanned again, so each byte is
// scanned about once.
func (c *walk) jsonInProse(s string, p place) (edits []Edit, cuts []span) {
	at := 0
	for {
		i := strings.IndexByte(s[at:], '{')
		if i < 0 {
			return edits, cuts
		}
		at += i
		next := skipSpace(s, at+1)
		if next == len(s) || s[next] != '"' {
			at++
			continue
		}
		if !c.mayDecode(p, 1) {
			return edits, cuts
		}
		var found []Edit
		start := at
		j := c.scanner()
		j.leaf = func(l jsonLeaf, path []string, near *frame) {
			found = append(found, c.jsonLeafEdits(s, l, placeOf(l, path, near, p))...)
		}
		if j.run(s, start, true) {
			cuts = append(cuts, span{start, j.end})
		}
		sortEdits(found)
		edits = append(edits, found...)
		at = max(j.scanned, start+1)
		c.release(j)
	}
}

// text returns the edits of a text without JSON in it.
//
// The letters of an escape are not part of a word: "\nsk-..." is a line end and
// a key. So a text with escapes is searched for all that it may hold only after
// they are decoded. As it is, the search sees it with the kind Raw.
func (c *walk) text(s string, p place) []Edit {
	if hasEscapes(s) && c.mayDecode(p, len(s)) {
		return c.escaped(s, p)
	}
	edits := c.ask(s, p)
	edits = merge(edits, c.queries(s, p, edits))
	return settled(merge(edits, c.runs(s, p, edits)))
}

// escaped returns the edits of a text with escapes: those of the text as it is,
// and those of what it says.
func (c *walk) escaped(s string, p place) []Edit {
	raw := p
	raw.kind = Raw
	edits := c.ask(s, raw)
	edits = merge(edits, c.queries(s, p, edits))

	decoded := p
	decoded.depth++
	said := anyEscapes.lift(s, c.value(anyEscapes.text(s), decoded))
	return settled(merge(edits, said))
}

// hasEscapes reports whether a text has escapes of JSON, URLs or HTML.
func hasEscapes(s string) bool {
	for i := range len(anyEscapes.marks) {
		if strings.IndexByte(s, anyEscapes.marks[i]) >= 0 {
			return anyEscapes.has(s)
		}
	}
	return false
}
