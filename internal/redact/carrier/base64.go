package carrier

import (
	"encoding/base64"
	"strings"
)

// base64 returns the edits of a run that may be base64, with line ends and
// padding. isText reports whether it says a text.
//
// What is in front of base64 may have the same characters, as a path does. So
// the run is tried from each of its first four characters on, and behind each of
// the first marks in it. What says no text is looked at as bytes if that is
// wanted.
func (c *walk) base64(raw string, p place, wantsBytes bool) (edits []Edit, isText bool) {
	r, ok := newRun(raw)
	if !ok {
		return c.halves(raw, p, wantsBytes)
	}
	for from := r.nextStart(-1); from >= 0; from = r.nextStart(from) {
		if !r.beginsAsText(from) {
			continue
		}
		edits, isText = c.decoded(r, from, p)
		if isText || len(edits) > 0 {
			return edits, isText
		}
	}
	for _, mark := range []byte("+/") {
		edits = append(edits, c.parts(raw, mark, p)...)
		if len(edits) > 0 {
			return edits, false
		}
	}
	if !c.WantsBytes || !wantsBytes {
		return nil, false
	}
	for from := range min(4, len(r.digits)-shortestRun+1) {
		edits, isText = c.decoded(r, from, p)
		if len(edits) > 0 {
			return edits, isText
		}
	}
	return nil, false
}

// parts returns the edits of the parts of a run between marks: "+" is a space in a
// form, and "/" is in paths.
func (c *walk) parts(raw string, mark byte, p place) []Edit {
	if strings.IndexByte(raw, mark) < 0 {
		return nil
	}
	var edits []Edit
	at := 0
	for at < len(raw) {
		end := strings.IndexByte(raw[at:], mark)
		if end < 0 {
			end = len(raw) - at
		}
		r, ok := newRun(raw[at : at+end])
		if ok && r.beginsAsText(0) {
			found, _ := c.decoded(r, 0, p)
			edits = append(edits, shift(found, at)...)
		}
		at += end + 1
	}
	return edits
}

// halves returns the edits of a run that has characters of both alphabets: of
// the parts that have those of one.
func (c *walk) halves(raw string, p place, wantsBytes bool) (edits []Edit, isText bool) {
	for _, of := range []byte{isAlnum | isStd, isAlnum | isURL} {
		at := 0
		for at < len(raw) {
			end := runEnd(raw, at, of)
			if end-at >= shortestRun {
				stop := paddingEnd(raw, end)
				found, ok := c.base64(raw[at:stop], p, wantsBytes)
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
	lines   string // what is between two lines
	width   int    // of a line
	marks   int    // how many were passed by nextStart
	isURL   bool
}

// newRun takes a run apart. ok is false if it has characters of both alphabets.
func newRun(raw string) (r base64Run, ok bool) {
	isStandard, isURL := strings.ContainsAny(raw, "+/"), strings.ContainsAny(raw, "-_")
	if isStandard && isURL {
		return base64Run{}, false
	}
	r = base64Run{raw: raw, isURL: isURL}
	r.digits = strings.TrimRight(raw, "=")
	r.padding = raw[len(r.digits):]
	first := runEnd(raw, 0, isDigit)
	if first < len(r.digits) {
		r.width = first
		r.lines = lineBreak(raw[first:])
		r.digits = withoutSpace(r.digits)
	}
	return r, true
}

var noSpace = strings.NewReplacer("\r", "", "\n", "", " ", "", "\t", "")

func withoutSpace(s string) string { return noSpace.Replace(s) }

// mostMarks is how many marks are tried as the end of what is in front of
// base64: a path of a few parts.
const mostMarks = 8

// nextStart returns the next offset in the digits at which the run is tried, or
// -1.
func (r *base64Run) nextStart(from int) int {
	if from < 3 {
		return from + 1
	}
	for i := from; i < len(r.digits) && r.marks < mostMarks; i++ {
		if classes[r.digits[i]]&isAlnum == 0 {
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

// beginsAsText reports whether the digits from an offset on begin as those of a
// text or of compressed bytes do.
func (r *base64Run) beginsAsText(from int) bool {
	const enough = 32
	digits := r.digits[min(from, len(r.digits)):]
	digits = digits[:min(len(digits), enough)]
	if len(digits) < shortestRun-3 {
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

// decoded returns the edits of a run whose base64 begins at an offset.
func (c *walk) decoded(r base64Run, from int, p place) (edits []Edit, ok bool) {
	digits := r.digits[from:]
	if len(digits)%4 == 1 {
		digits = digits[:len(digits)-1] // no base64 ends so: this is a letter of a word
	}
	if len(digits) < shortestRun || !c.mayDecode(p, len(digits)*3/4) {
		return nil, false
	}
	plain, err := r.encoding().AppendDecode(c.plain[:0], []byte(digits))
	c.plain = plain
	if err != nil {
		return nil, false
	}
	text := string(plain)
	in := p
	in.depth++
	ok = isText(text)
	if !ok && !isCompressed(text) {
		if !c.WantsBytes {
			return nil, false
		}
		in.kind = Bytes
	}
	changes := c.value(text, in)
	if len(changes) == 0 {
		return nil, ok
	}
	return []Edit{c.encode(r, from, digits, text, changes)}, ok
}

// encode returns the edit of a run that is the changes of what it says. What is
// in front of the first change stays as it is.
func (c *walk) encode(r base64Run, from int, digits, text string, changes []Edit) Edit {
	isPadded := r.padding != ""
	isOpen := r.padding == "" && len(digits)%4 == 0 // it may be padded or not
	last := &changes[len(changes)-1]
	all := causes(changes)
	if c.Canonical {
		isPadded = true
	} else if strings.HasSuffix(last.Text, "]") {
		// What is behind the change stays as it is if it moves by whole groups of
		// three bytes. Padding is right then, too.
		for (len(Splice(text, changes))-len(text))%3 != 0 {
			last.Text += "."
		}
	} else if isOpen {
		isPadded = !r.isURL // RFC 4648, section 3.2
	}
	enc := r.encoding()
	kept := digits[:changes[0].Start/3*4]
	if c.Canonical && !strings.ContainsAny(r.digits[:from]+kept, "-_") {
		enc = base64.RawStdEncoding
	}
	said := Splice(text, changes)
	behind := "" // the digits behind the group in which the last change ends
	groups := (last.End + 2) / 3
	if !c.Canonical && (len(said)-len(text))%3 == 0 && 3*groups < len(text) {
		behind = digits[4*groups:]
		said = said[:len(said)-(len(text)-3*groups)]
	}
	out := r.digits[:from] + enc.EncodeToString([]byte(said)) + behind
	if isPadded {
		n := len(out) - from
		out += strings.Repeat("=", (4-n%4)%4)
	}
	left := len(r.digits) - from - len(digits) // a letter too many
	out += r.digits[len(r.digits)-left:]
	out = r.broken(out)

	same := 0
	for same < len(r.raw) && same < len(out) && r.raw[same] == out[same] {
		same++
	}
	return Edit{Start: same, End: len(r.raw), Text: out[same:], Causes: all}
}

// broken returns digits in lines as long as those of the run.
func (r *base64Run) broken(digits string) string {
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
