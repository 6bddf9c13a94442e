package carrier

import "strings"

// editsOfProse returns the edits of a text that is not a carrier as a whole: of the JSON
// in it, and of the texts between.
func (c *walk) editsOfProse(s string, p place) []Edit {
	edits, objects := c.editsOfJSONInProse(s, p)
	if len(objects) == 0 {
		return merge(c.editsOfText(s, p), edits)
	}
	at := 0
	var between []Edit
	for _, object := range objects {
		if at < object.start {
			between = append(between, shift(c.editsOfText(s[at:object.start], p), at)...)
		}
		at = object.end
	}
	if at < len(s) {
		between = append(between, shift(c.editsOfText(s[at:], p), at)...)
	}
	return merge(between, edits)
}

// A span is a part of a text.
type span struct{ start, end int }

// editsOfJSONInProse returns the edits of the JSON objects in a text, and where the
// complete objects are. It continues behind the last token that was scanned, so each
// byte is scanned about once.
func (c *walk) editsOfJSONInProse(s string, p place) (edits []Edit, objects []span) {
	at := 0
	for {
		i := strings.IndexByte(s[at:], '{')
		if i < 0 {
			return edits, objects
		}
		at += i
		next := skipSpace(s, at+1)
		if next == len(s) || s[next] != '"' {
			at++
			continue
		}
		if !c.mayDecode(p, 1) {
			return edits, objects
		}
		var found []Edit
		start := at
		j := c.scanner()
		j.onLeaf = func(l jsonLeaf, path []string, container *frame) {
			found = append(found, c.editsOfJSONLeaf(s, l, placeOf(l, path, container, p))...)
		}
		if j.run(s, start, true) {
			objects = append(objects, span{start, j.end})
		}
		sortEdits(found)
		edits = append(edits, found...)
		at = max(j.scanned, start+1)
		c.release(j)
	}
}

// editsOfText returns the edits of a text without JSON in it.
//
// The letters of an escape are not part of a word: "\nsk-..." is a line end and a key.
// So a text with escapes is fully searched only after they are decoded. With its
// escapes, it is a leaf of the kind Raw.
func (c *walk) editsOfText(s string, p place) []Edit {
	if hasEscapes(s) && c.mayDecode(p, len(s)) {
		return c.editsOfEscaped(s, p)
	}
	edits := c.findInLeaf(s, p)
	edits = merge(edits, c.editsOfQueries(s, p, edits))
	return changesOnly(merge(edits, c.editsOfRuns(s, p, edits)))
}

// editsOfEscaped returns the edits of a text with escapes: of the text as it is, and of
// the decoded text.
func (c *walk) editsOfEscaped(s string, p place) []Edit {
	raw := p
	raw.kind = Raw
	edits := c.findInLeaf(s, raw)
	edits = merge(edits, c.editsOfQueries(s, p, edits))

	decoded := p
	decoded.depth++
	found := c.editsOfValue(anyEscapes.unescape(s), decoded)
	return changesOnly(merge(edits, anyEscapes.liftEdits(s, found)))
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
