package diff

import (
	"cmp"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

const (
	maxRows      = 10 // the most changes shown of one field
	manySiblings = 4  // so many added or removed neighbours in a list are one entry
)

// Write returns the edits as lines for a terminal, each starting with indent: the path of a
// field, and below it both values or, in a long text, the changed words. [-…-] is only in the
// recording, {+…+} only in the incoming request or the live answer. After limit entries, the
// other edits are only counted; 0 is no limit.
func Write(edits []Edit, indent string, limit int) string {
	return text(Lines(edits, indent, limit))
}

// WriteSides is [Write] with other words for the two values.
func WriteSides(edits []Edit, sides *Sides, indent string, limit int) string {
	w := writer{indent: indent, sides: sides}
	w.writeEdits(edits, limit)
	return text(w.lines)
}

// A Line is a line of the result of [Write].
type Line struct {
	Text string // without the newline
	Side Side   // the side whose value the line shows; BothSides for all other lines
}

// Lines returns the lines of the result of [Write].
func Lines(edits []Edit, indent string, limit int) []Line {
	w := writer{indent: indent}
	w.writeEdits(edits, limit)
	return w.lines
}

func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

// writeEdits writes up to limit entries, and counts the other edits. An entry is an edit, or
// many elements of one list that only the same side has.
func (w *writer) writeEdits(edits []Edit, limit int) {
	for shown := 0; len(edits) > 0; shown++ {
		if shown == limit && limit > 0 {
			w.writeMore(edits)
			break
		}
		siblings := countSiblings(edits)
		if siblings >= manySiblings {
			w.writeSiblings(edits[:siblings])
			edits = edits[siblings:]
			continue
		}
		w.writeEdit(&edits[0])
		edits = edits[1:]
	}
}

// writer writes indented lines.
type writer struct {
	lines  []Line
	indent string
	sides  *Sides // nil for the words of each edit
}

// sidesOf returns the words for the values of an edit.
func (w *writer) sidesOf(e *Edit) *Sides {
	if w.sides != nil {
		return w.sides
	}
	return e.sides()
}

// writeLine writes one line, without blanks at its end.
func (w *writer) writeLine(parts ...string) { w.writeLineOf(BothSides, parts...) }

// writeLineOf writes one line with the value of a side.
func (w *writer) writeLineOf(side Side, parts ...string) {
	s := strings.TrimRight(w.indent+strings.Join(parts, ""), " \t")
	w.lines = append(w.lines, Line{s, side})
}

// writeRows writes the rows below a path. If there are more than limit, it counts the others; what is
// the word for them. One row more is written, since its count would take as much room.
func (w *writer) writeRows(rows []string, limit int, what string) {
	for i, row := range rows {
		if i == limit && len(rows) > limit+1 {
			w.writeLine("  … and ", english.Thousands(len(rows)-i), " more", what)
			return
		}
		w.writeLine("  ", row)
	}
}

// writeMore writes the number of omitted edits, and the paths of the first ones.
func (w *writer) writeMore(omitted []Edit) {
	const maxPaths = 3
	var paths []string
	for _, e := range omitted[:min(len(omitted), maxPaths)] {
		paths = append(paths, shownPath(e.Path))
	}
	if len(omitted) > maxPaths {
		paths = append(paths, "…")
	}
	w.writeLine("and ", english.Thousands(len(omitted)), " more: ", strings.Join(paths, ", "))
}

// countSiblings returns the number of edits, from the first on, that are elements of one list and
// that only the same side has.
func countSiblings(edits []Edit) int {
	list, in := edits[0].listOfElement()
	if list == "" {
		return 1
	}
	n := 1
	for n < len(edits) {
		other, otherIn := edits[n].listOfElement()
		if other != list || otherIn != in {
			break
		}
		n++
	}
	return n
}

// writeSiblings writes elements of one list that only the same side has.
func (w *writer) writeSiblings(edits []Edit) {
	last := edits[len(edits)-1]
	onlyInSide := w.sidesOf(&last).only(last.onlyIn())
	w.writeLine(shownPath(edits[0].Path), " to ", shownPath(last.Path), ": ", onlyInSide)
	value := func(e Edit) string { return summary(e.Recorded + e.Incoming) }
	w.writeRows(group.Each(edits, value), manySiblings-1, "")
}

// writeEdit writes the path of an edit, what differs, and the values.
func (w *writer) writeEdit(e *Edit) {
	head := shownPath(e.Path)
	side := e.onlyIn()
	sides := w.sidesOf(e)
	if e.Name != "" {
		head += " (" + escape(e.Name, false) + ")"
	}
	switch {
	case e.Note.Code == Moved:
		w.writeLine(head, ": moved here from ", shownPath(cmp.Or(e.From, e.Path)))
		w.writeLine("  ", summary(e.Incoming))
		return
	case side != BothSides:
		w.writeLine(head, ": ", sides.only(side))
		w.writeLine("  ", summary(e.Recorded+e.Incoming))
		return
	case e.From != "":
		head += " (" + shownPath(withoutCommonEnd(e.From, e.Path)) + " in " + sides.Recorded + ")"
	}
	if note := e.noteText(sides); note != "" {
		head += ": " + note
	}
	w.writeLine(head)
	w.writeValues(e)
}

// shownPath returns a path as it is shown on a terminal.
func shownPath(path string) string { return escape(fieldpath.Short(path), false) }

// withoutCommonEnd returns from without the segments at its end that path has, too.
func withoutCommonEnd(from, path string) string {
	for {
		i, j := strings.LastIndexByte(from, '/'), strings.LastIndexByte(path, '/')
		if i < 0 || j < 0 || from[i:] != path[j:] {
			return from
		}
		from, path = from[:i], path[:j]
	}
}

// writeValues writes the two values of an edit below its path. How depends on
// the values; the first row that applies counts:
//
//	values                          lines
//	differ in their line ends       none: the note of the edit has both
//	of two kinds, as "1" and 1      both, shortened
//	long texts of encoded bytes     both as descriptions: <base64, 9 KB, …>
//	long                            the changed parts with words around them
//	short                           both in full, and the changed words
func (w *writer) writeValues(e *Edit) {
	recorded, recordedIsText := exactjson.Unquote(e.Recorded)
	incoming, incomingIsText := exactjson.Unquote(e.Incoming)
	areTexts := recordedIsText && incomingIsText
	if !areTexts {
		recorded, incoming = e.Recorded, e.Incoming
	}

	isOfTwoKinds := kindOf(e.Recorded) != kindOf(e.Incoming)
	isEncodedText := areTexts && (isEncoded(recorded) || isEncoded(incoming))
	areShort := isShort(recorded) && isShort(incoming)
	switch {
	case e.Note.Code == LineEnds:
	case isOfTwoKinds || isEncodedText:
		w.writeSummaries(e, recorded, incoming)
	case !areShort:
		w.writeLong(e, recorded, incoming)
	case areTexts:
		w.writeShortTexts(e, recorded, incoming)
	default:
		w.writeShortJSON(e)
	}
}

// writeSummaries writes a summary of both values, and how many bytes at their
// start are equal if these are many.
func (w *writer) writeSummaries(e *Edit, recorded, incoming string) {
	w.writeBoth(e, summary(e.Recorded), summary(e.Incoming))
	n := FirstDifference(recorded, incoming)
	if n >= longToken {
		w.writeLine("  the same up to byte ", english.Thousands(n))
	}
}

// writeShortTexts writes two texts, each on a line, and their changed words,
// unless one file replaces another.
func (w *writer) writeShortTexts(e *Edit, recorded, incoming string) {
	showHidden := differOnlyInHidden(recorded, incoming)
	w.writeBoth(e, quoted(recorded, showHidden), quoted(incoming, showHidden))
	if !e.IsFile() {
		w.writeChange(recorded, incoming)
	}
}

// writeShortJSON writes two values that are not texts, each on a line. A note,
// such as "differs only in the order of its elements", says more than the changed
// words.
func (w *writer) writeShortJSON(e *Edit) {
	w.writeBoth(e, escape(e.Recorded, false), escape(e.Incoming, false))
	hasNote := e.Note.Code != NoNote
	if !hasNote {
		w.writeChange(e.Recorded, e.Incoming)
	}
}

// writeBoth writes a line for each of the two values of an edit.
func (w *writer) writeBoth(e *Edit, recorded, incoming string) {
	sides := w.sidesOf(e)
	w.writeLineOf(RecordedSide, "  ", sides.RecordedLabel, recorded)
	w.writeLineOf(IncomingSide, "  ", sides.IncomingLabel, incoming)
}

// isShort reports whether a text is shown as a whole.
func isShort(s string) bool { return len(s) <= shortText && isOneLine(s) }

// writeChange writes the changed words of two short texts, if at least three words are equal.
func (w *writer) writeChange(a, b string) {
	c := compareTexts(a, b)
	if same, _ := c.wordCounts(); same >= 3 {
		w.writeRows(c.rows(shortText), maxRows, " changes")
	}
}

// writeLong writes the changes between two long texts. If less than a tenth of their words is
// equal, marks around the changes would not help, so it writes the part of both texts around
// their first difference.
func (w *writer) writeLong(e *Edit, a, b string) {
	const context = 36
	c := compareTexts(a, b)
	if same, changed := c.wordCounts(); changed <= 9*same {
		w.writeRows(c.rows(context), maxRows, " changes")
		return
	}
	from := beforeDifference(a, b)
	w.writeBoth(e, textSummary(a, from, 120), textSummary(b, from, 120))
}

// beforeDifference returns the offset from which two texts are shown: shortly before their
// first difference, or 0 for short texts.
func beforeDifference(a, b string) int {
	const before = 20
	n := FirstDifference(a, b)
	if n <= before || max(len(a), len(b)) <= shortText {
		return 0
	}
	return n - len(cutBefore(a[:n], before))
}

// FirstDifference returns the offset of the first byte in which two texts differ.
func FirstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Brief returns a JSON value, shortened to about 60 bytes.
func Brief(value string) string {
	const maxBytes = 60
	if s, ok := exactjson.Unquote(value); ok {
		return textSummary(s, 0, maxBytes)
	}
	return shorten(escape(value, false), maxBytes)
}

// Values returns the change of an edit on one line: both values, from shortly before their
// first difference, or the value that was added or removed.
func (e *Edit) Values() string {
	if side := e.onlyIn(); side != BothSides {
		return e.sides().only(side) + ": " + Brief(e.Recorded+e.Incoming)
	}
	if e.List() != "" {
		return "only the order differs"
	}
	a, aIsText := exactjson.Unquote(e.Recorded)
	b, bIsText := exactjson.Unquote(e.Incoming)
	if !aIsText || !bIsText {
		return "recorded " + Brief(e.Recorded) + ", incoming " + Brief(e.Incoming)
	}
	from := beforeDifference(a, b)
	return "recorded " + textSummary(a, from, shortText/2) +
		", incoming " + textSummary(b, from, shortText/2)
}
