package carrier

import "strings"

// maxHead is the length in bytes up to which the headers of a mail are
// looked for.
const maxHead = 16 << 10

// editsOfMultipart returns the edits of a body in parts (RFC 2046, section 5.1). ok is
// false if it is not one.
func (c *walk) editsOfMultipart(s string, p place) (edits []Edit, ok bool) {
	if !strings.HasPrefix(s, "--") {
		return nil, false
	}
	boundary, _, _ := strings.Cut(s, "\n")
	boundary = strings.TrimSuffix(boundary, "\r")
	hasHead := strings.Contains(s[:min(len(s), maxHead)], "ontent-")
	if len(boundary) < len("--x") || !hasHead || !c.mayDecode(p, len(s)) {
		return nil, false
	}
	at := 0
	for {
		i := strings.Index(s[at:], boundary)
		if i < 0 {
			break
		}
		start := at + i + len(boundary)
		length := strings.Index(s[start:], boundary)
		if length < 0 {
			length = len(s) - start // the last boundary is missing
		}
		edits = append(edits, shift(c.editsOfPart(s[start:start+length], p), start)...)
		at = start + length
	}
	return changesOnly(merge(c.findInLeaf(s, asWhole(p)), edits)), true
}

// editsOfPart returns the edits of the head and of the body of a part. The head has the
// name of the body.
func (c *walk) editsOfPart(s string, p place) []Edit {
	head, body, ok := cutHead(s)
	if !ok {
		return c.editsOfProse(s, p)
	}
	in := p.inside(Part)
	in.name = ""
	_, rest, hasName := strings.Cut(head, `name="`)
	if hasName {
		in.name, _, _ = strings.Cut(rest, `"`)
	}
	in.path = append(p.path[:len(p.path):len(p.path)], in.name)
	edits := c.editsOfHead(head, p)
	from := len(s) - len(body)
	body = strings.TrimSuffix(strings.TrimSuffix(body, "\n"), "\r")
	return append(edits, shift(c.editsOfBody(head, body, in), from)...)
}

// editsOfMail returns the edits of a text whose headers say that the body is
// quoted-printable. Only headers decide this: "KEY=8F" has what looks like an escape, and
// so has base64 that ends before a line end.
func (c *walk) editsOfMail(s string, p place) (edits []Edit, ok bool) {
	if !strings.Contains(s[:min(len(s), maxHead)], "quoted-printable") {
		return nil, false
	}
	head, body, ok := cutHead(s)
	isHead := ok && len(head) <= maxHead && strings.Contains(head, "quoted-printable")
	if !isHead || !c.mayDecode(p, len(s)) {
		return nil, false
	}
	edits = c.editsOfHead(head, p)
	return append(edits, shift(c.editsOfBody(head, body, p), len(s)-len(body))...), true
}

// cutHead splits a text at the empty line that ends its headers.
func cutHead(s string) (head, body string, ok bool) {
	head, body, ok = strings.Cut(s, "\r\n\r\n")
	if ok {
		return head, body, true
	}
	return strings.Cut(s, "\n\n")
}

// editsOfHead returns the edits of a list of headers.
func (c *walk) editsOfHead(s string, p place) []Edit {
	var edits []Edit
	at := 0
	for line := range strings.SplitAfterSeq(s, "\n") {
		name, value, ok := strings.Cut(line, ":")
		in := p.inside(Header)
		in.name = strings.TrimSpace(name)
		if !ok {
			in.name, value = "", line
		}
		value = strings.TrimRight(value, "\r\n")
		start := at + len(line) - len(strings.TrimLeft(line[len(name):], ": \t"))
		if !ok {
			start = at
		} else {
			value = strings.TrimLeft(value, " \t")
		}
		edits = append(edits, shift(c.editsOfProse(value, in), start)...)
		at += len(line)
	}
	return edits
}

// editsOfBody returns the edits of the body behind a head, which may be encoded.
func (c *walk) editsOfBody(head, body string, p place) []Edit {
	isQuoted := strings.Contains(strings.ToLower(head), "quoted-printable")
	if !isQuoted || !c.mayDecode(p, len(body)) {
		return c.editsOfValue(body, p)
	}
	p.depth++
	return mailEscapes.liftEdits(body, c.editsOfValue(mailEscapes.unescape(body), p))
}
