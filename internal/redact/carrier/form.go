package carrier

import "strings"

// maxForm is the length in bytes of the longest text that is taken for a form without
// a media type that says so.
const maxForm = 1 << 20

// mayBeForm reports whether a text looks like "name=value&name=value".
func mayBeForm(s string) bool {
	i := strings.IndexByte(s, '=')
	if i <= 0 || i > 100 || len(s) > maxForm {
		return false
	}
	isPadding := strings.Trim(s[i:], "=") == "" // of base64
	hasOtherMarks := strings.ContainsAny(s, " \t\r\n{<\"'`") || strings.ContainsAny(s[:i], "/?:")
	return !isPadding && !hasOtherMarks
}

// editsOfForm returns the edits of a form.
func (c *walk) editsOfForm(s string, p place) []Edit {
	// A text that looks like a form may also be a line of a shell, or base64 with padding.
	edits := c.editsOfText(s, p)
	if c.mayDecode(p, len(s)) {
		edits = merge(edits, c.editsOfPairs(s, p.inside(Form)))
	}
	return edits
}

// asWhole returns the place of a whole text in which a carrier has found values. The
// kind is Raw, so that the search looks for known values only.
func asWhole(p place) place {
	p.kind = Raw
	return p
}

// editsOfQueries returns the edits of the queries of the URLs in a text. It leaves out
// queries that the edits done replace anyway.
func (c *walk) editsOfQueries(s string, p place, done []Edit) []Edit {
	var edits []Edit
	at := 0
	for {
		i := strings.Index(s[at:], "://")
		switch {
		case i >= 0:
			at += i + len("://")
		case at > 0 || s == "" || s[0] != '/': // not a URL without a host either
			return edits
		}
		end := at + urlEnd(s[at:])
		q := strings.IndexByte(s[at:end], '?')
		if q >= 0 && strings.IndexByte(s[at+q:end], '=') >= 0 && c.mayDecode(p, end-at) {
			start := at + q + 1
			query, _, _ := strings.Cut(s[start:end], "#")
			for _, e := range shift(c.editsOfPairs(query, p.inside(Query)), start) {
				if !touches(done, e.Start, e.End) {
					edits = append(edits, e)
				}
			}
		}
		if end == at {
			return edits
		}
		at = end
	}
}

// urlEnd returns how long the URL is with whose host a text begins.
func urlEnd(s string) int {
	for i := range len(s) {
		c := s[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte("\"'<>\\`", c) >= 0 {
			return i
		}
	}
	return len(s)
}

// editsOfParameter returns the edits of a value of a form or query. A "+" is a space, or
// itself where base64 was not escaped.
func (c *walk) editsOfParameter(raw string, p place) []Edit {
	edits := formEscapes.liftEdits(raw, c.editsOfValue(formEscapes.unescape(raw), p))
	if strings.IndexByte(raw, '+') < 0 {
		return edits
	}
	found := c.editsOfValue(percentEscapes.unescape(raw), p)
	return merge(percentEscapes.liftEdits(raw, found), edits)
}

// maxParameters is how many parameters a leaf has as members at most. No signed URL
// has as many.
const maxParameters = 64

// editsOfPairs returns the edits of the parameters of a form or query.
func (c *walk) editsOfPairs(s string, in place) []Edit {
	members := parameters(s)
	var edits []Edit
	at := 0
	outer := in.path
	for pair := range strings.SplitSeq(s, "&") {
		name, value, hasName := strings.Cut(pair, "=")
		p := in
		p.members = members
		if hasName {
			p.name = parameterName(name)
		} else {
			value = pair
		}
		p.path = append(outer[:len(outer):len(outer)], p.name)
		start := at + len(pair) - len(value)
		edits = append(edits, shift(c.editsOfParameter(value, p), start)...)
		at += len(pair) + 1
	}
	return edits
}

// parameters returns the first parameters of a form or query.
func parameters(s string) []Member {
	var members []Member
	for pair := range strings.SplitSeq(s, "&") {
		if len(members) == maxParameters {
			break
		}
		name, value, _ := strings.Cut(pair, "=")
		members = append(members, Member{parameterName(name), value})
	}
	return members
}

// parameterName returns the decoded name of a parameter. In HTML, "&amp;" may separate
// it from the parameter before.
func parameterName(raw string) string {
	return formEscapes.unescape(strings.TrimPrefix(raw, "amp;"))
}
