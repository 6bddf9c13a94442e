package carrier

import (
	"encoding/base64"
	"strings"
)

// editsOfBase64 returns the edits of a run that may be base64, with line ends and
// padding. isText reports whether the run decodes to a text.
//
// Text before base64 may have the same characters, as a path has. So the run is
// decoded from each of its first four characters on, and behind each of the first
// marks in it. If none of these is a text, the run is decoded to bytes, provided
// that both the caller and the search want bytes.
func (c *walk) editsOfBase64(raw string, p place, wantsBytes bool) (edits []Edit, isText bool) {
	r, ok := newRun(raw)
	if !ok {
		return c.editsOfMixedBase64(raw, p, wantsBytes)
	}
	for from := r.nextStart(-1); from >= 0; from = r.nextStart(from) {
		if !r.beginsAsText(from) {
			continue
		}
		edits, isText = c.editsOfDecoded(r, from, p)
		if isText || len(edits) > 0 {
			return edits, isText
		}
	}
	for _, mark := range []string{"+", "/"} {
		edits = append(edits, c.editsOfPartsBetween(raw, mark, p)...)
		if len(edits) > 0 {
			return edits, false
		}
	}
	if !c.WantsBytes || !wantsBytes {
		return nil, false
	}
	for from := range min(4, len(r.digits)-minRun+1) {
		edits, isText = c.editsOfDecoded(r, from, p)
		if len(edits) > 0 {
			return edits, isText
		}
	}
	return nil, false
}

// editsOfPartsBetween splits a run at each mark, which is "+" or "/". It returns the
// edits of the parts that are the base64 of a text, as edits of the run.
//
// In a form, a "+" is a space. In "note+aGVsbG8gd29ybGQ", the second part is the
// base64 of "hello world". A "/" may separate base64 from the other parts of a path.
func (c *walk) editsOfPartsBetween(raw, mark string, p place) []Edit {
	if !strings.Contains(raw, mark) {
		return nil
	}
	var edits []Edit
	partStart := 0 // in raw
	for part := range strings.SplitSeq(raw, mark) {
		const firstDigit = 0 // the whole part is base64
		r, ok := newRun(part)
		if ok && r.beginsAsText(firstDigit) {
			inPart, _ := c.editsOfDecoded(r, firstDigit, p)
			edits = append(edits, shift(inPart, partStart)...)
		}
		partStart += len(part) + len(mark)
	}
	return edits
}

// editsOfMixedBase64 returns the edits of a run that has characters of both
// alphabets: those of its parts that have characters of one alphabet only.
func (c *walk) editsOfMixedBase64(
	raw string, p place, wantsBytes bool,
) (edits []Edit, isText bool) {
	for _, of := range []byte{alnumChars | stdMarks, alnumChars | urlMarks} {
		at := 0
		for at < len(raw) {
			end := runEnd(raw, at, of)
			if end-at >= minRun {
				stop := paddingEnd(raw, end)
				found, ok := c.editsOfBase64(raw[at:stop], p, wantsBytes)
				edits = merge(edits, shift(found, at))
				isText = isText || ok
			}
			at = max(end, at+1)
		}
	}
	return edits, isText
}

// A base64Run is a run of characters that may be base64.
type base64Run struct {
	raw     string
	digits  string // without line ends and padding
	padding string
	lines   string // the line end, if the run has several lines
	width   int    // the length of a line
	marks   int    // how many marks nextStart has passed
	isURL   bool   // the alphabet is that of base64url
}

// newRun returns a run with its parts. ok is false if the run has characters of both
// alphabets.
func newRun(raw string) (r base64Run, ok bool) {
	isStandard := strings.ContainsAny(raw, "+/")
	isURL := strings.ContainsAny(raw, "-_")
	if isStandard && isURL {
		return base64Run{}, false
	}
	r = base64Run{raw: raw, isURL: isURL}
	r.digits = strings.TrimRight(raw, "=")
	r.padding = raw[len(r.digits):]
	first := runEnd(raw, 0, base64Chars)
	if first < len(r.digits) {
		r.width = first
		r.lines = lineBreak(raw[first:])
		r.digits = withoutSpace(r.digits)
	}
	return r, true
}

var noSpace = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")

func withoutSpace(s string) string { return noSpace.Replace(s) }

// maxMarks is how many marks may be before base64: those of a path of a few parts.
const maxMarks = 8

// nextStart returns the next offset in the digits from which the run is decoded, or
// -1.
func (r *base64Run) nextStart(from int) int {
	if from < 3 {
		return from + 1
	}
	for i := from; i < len(r.digits) && r.marks < maxMarks; i++ {
		if classes[r.digits[i]]&alnumChars == 0 {
			r.marks++
			return i + 1
		}
	}
	return -1
}

func (r *base64Run) encoding() *base64.Encoding {
	if r.isURL {
		return base64.RawURLEncoding
	}
	return base64.RawStdEncoding
}

// beginsAsText reports whether the digits from an offset on decode to the beginning
// of a text or of compressed bytes.
func (r *base64Run) beginsAsText(from int) bool {
	const enough = 32
	digits := r.digits[min(from, len(r.digits)):]
	digits = digits[:min(len(digits), enough)]
	if len(digits) < minRun-3 {
		return false
	}
	digits = digits[:len(digits)/4*4]
	var plain [enough]byte
	n, err := r.encoding().Decode(plain[:], []byte(digits))
	if err != nil {
		return false
	}
	return isText(string(plain[:n])) || isCompressed(string(plain[:n]))
}

// editsOfDecoded decodes the digits of a run from an offset on, searches the result,
// and returns the changes in it as one edit of the run. It returns no edit if nothing
// was found, or if the digits are not base64. It also reports whether they are the
// base64 of a text.
//
// If "world" is replaced by "X" in the run "aGVsbG8gd29ybGQ" (hello world), the edit
// makes the run "aGVsbG8gWA" (hello X).
func (c *walk) editsOfDecoded(
	r base64Run, from int, p place,
) (edits []Edit, isBase64OfText bool) {
	digits := r.digits[from:]
	if len(digits)%4 == 1 {
		// Base64 never has 4n+1 digits (RFC 4648, section 4). So the last digit is not
		// part of it, but the first letter of a word that follows.
		digits = digits[:len(digits)-1]
	}
	decodedSize := len(digits) * 3 / 4
	if len(digits) < minRun || !c.mayDecode(p, decodedSize) {
		return nil, false
	}
	plain, err := r.encoding().AppendDecode(c.decodeBuffer[:0], []byte(digits))
	c.decodeBuffer = plain
	if err != nil {
		return nil, false
	}

	decoded := string(plain)
	isBase64OfText = isText(decoded)
	inBase64 := p
	inBase64.depth++
	isBinary := !isBase64OfText && !isCompressed(decoded)
	if isBinary {
		if !c.WantsBytes {
			return nil, false // the search does not look at bytes
		}
		inBase64.kind = Bytes
	}
	changes := c.editsOfValue(decoded, inBase64)
	if len(changes) == 0 {
		return nil, isBase64OfText
	}
	return []Edit{c.encode(r, from, digits, decoded, changes)}, isBase64OfText
}

// encode returns the edit of a run for the changes of its decoded text. The digits
// before the first change stay as they are, and if possible those behind the last.
func (c *walk) encode(r base64Run, from int, digits, text string, changes []Edit) Edit {
	isPadded := r.padding != ""
	mayBePadded := r.padding == "" && len(digits)%4 == 0 // no padding is needed
	last := &changes[len(changes)-1]
	all := causes(changes)
	if c.Canonical {
		isPadded = true
	} else if strings.HasSuffix(last.Text, "]") {
		// The digits behind the change can stay if the text behind it moves by whole
		// groups of three bytes. Then the padding stays right, too.
		for (len(Splice(text, changes))-len(text))%3 != 0 {
			last.Text += "."
		}
	} else if mayBePadded {
		isPadded = !r.isURL // RFC 4648, section 3.2
	}
	enc := r.encoding()
	kept := digits[:changes[0].Start/3*4]
	if c.Canonical && !strings.ContainsAny(r.digits[:from]+kept, "-_") {
		enc = base64.RawStdEncoding
	}
	changed := Splice(text, changes)
	behind := "" // the digits behind the group in which the last change ends
	groups := (last.End + 2) / 3
	if !c.Canonical && (len(changed)-len(text))%3 == 0 && 3*groups < len(text) {
		behind = digits[4*groups:]
		changed = changed[:len(changed)-(len(text)-3*groups)]
	}
	out := r.digits[:from] + enc.EncodeToString([]byte(changed)) + behind
	if isPadded {
		n := len(out) - from
		out += strings.Repeat("=", (4-n%4)%4)
	}
	out += r.digits[from+len(digits):] // the letter of a word that follows
	out = r.inLines(out)

	same := 0
	for same < len(r.raw) && same < len(out) && r.raw[same] == out[same] {
		same++
	}
	return Edit{Start: same, End: len(r.raw), Text: out[same:], Causes: all}
}

// inLines returns digits in lines of the same length as those of the run.
func (r *base64Run) inLines(digits string) string {
	if r.width == 0 {
		return digits
	}
	var b strings.Builder
	for len(digits) > r.width {
		b.WriteString(digits[:r.width])
		b.WriteString(r.lines)
		digits = digits[r.width:]
	}
	b.WriteString(digits)
	return b.String()
}
