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
	maxRows      = 10 // lines shown of what changed in one field
	manySiblings = 4  // neighbours in a list from which they are one entry
)

// Write returns the edits as lines for a terminal, each starting with indent:
// a field's path, and below it both values or, in long text, the words that
// changed. [-…-] is only in the recording, {+…+} only in the incoming request or the live
// answer.
// Of more than limit edits the rest are counted; a limit of 0 is none.
func Write(edits []Edit, indent string, limit int) string {
	return text(Lines(edits, indent, limit))
}

// WriteSides does what [Write] does, with other words for the two values.
func WriteSides(edits []Edit, sides *Sides, indent string, limit int) string {
	w := writer{indent: indent, sides: sides}
	w.edits(edits, limit)
	return text(w.lines)
}

// A Line is a line of what [Write] returns.
type Line struct {
	Text string // without the newline
	Side Side   // of the value that the line has; BothSides for all other lines
}

// Lines returns the lines of what [Write] returns.
func Lines(edits []Edit, indent string, limit int) []Line {
	w := writer{indent: indent}
	w.edits(edits, limit)
	return w.lines
}

func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.Text + "\n")
	}
	return b.String()
}

func (w *writer) edits(edits []Edit, limit int) {
	for shown := 0; len(edits) > 0; shown++ {
		if shown == limit && limit > 0 {
			w.more(edits)
			break
		}
		n := siblings(edits)
		if n >= manySiblings {
			w.siblings(edits[:n])
		} else {
			n = 1
			w.edit(&edits[0])
		}
		edits = edits[n:]
	}
}

// writer writes indented lines.
type writer struct {
	lines  []Line
	indent string
	sides  *Sides // nil for those of each edit
}

// sidesOf returns the words for the values of an edit.
func (w *writer) sidesOf(e *Edit) *Sides {
	if w.sides != nil {
		return w.sides
	}
	return e.sides()
}

// line writes one line, without blanks at its end.
func (w *writer) line(parts ...string) { w.lineOf(BothSides, parts...) }

// lineOf writes one line with a value of a side.
func (w *writer) lineOf(side Side, parts ...string) {
	s := strings.TrimRight(w.indent+strings.Join(parts, ""), " \t")
	w.lines = append(w.lines, Line{s, side})
}

// rows writes what stands below a path; of more rows than most, how many there are.
func (w *writer) rows(rows []string, most int, what string) {
	for i, row := range rows {
		if i == most && len(rows) > most+1 {
			w.line("  … and ", english.Thousands(len(rows)-i), " more", what)
			return
		}
		w.line("  ", row)
	}
}

// more says what was left out.
func (w *writer) more(rest []Edit) {
	const named = 3
	names := group.Each(rest[:min(len(rest), named)], func(e Edit) string { return shown(e.Path) })
	if len(rest) > named {
		names = append(names, "…")
	}
	w.line("and ", english.Thousands(len(rest)), " more: ", strings.Join(names, ", "))
}

// siblings returns how many edits from the first on are neighbours in a list
// that only one side has.
func siblings(edits []Edit) int {
	list, in := edits[0].list()
	if list == "" {
		return 1
	}
	n := 1
	for n < len(edits) {
		other, otherIn := edits[n].list()
		if other != list || otherIn != in {
			break
		}
		n++
	}
	return n
}

// siblings shows neighbours that only one side has.
func (w *writer) siblings(edits []Edit) {
	last := edits[len(edits)-1]
	w.line(shown(edits[0].Path), " to ", shown(last.Path), ": ", w.sidesOf(&last).only(last.onlyIn()))
	w.rows(group.Each(edits, func(e Edit) string { return summary(e.Recorded + e.Incoming) }), manySiblings-1, "")
}

func (w *writer) edit(e *Edit) {
	head, side, sides := shown(e.Path), e.onlyIn(), w.sidesOf(e)
	if e.Name != "" {
		head += " (" + escape(e.Name, false) + ")"
	}
	switch {
	case e.Note.Code == Moved:
		w.line(head, ": moved here from ", shown(cmp.Or(e.From, e.Path)))
		w.line("  ", summary(e.Incoming))
		return
	case side != BothSides:
		w.line(head, ": ", sides.only(side))
		w.line("  ", summary(e.Recorded+e.Incoming))
		return
	case e.From != "":
		head += " (" + shown(parted(e.From, e.Path)) + " in " + sides.Recorded + ")"
	}
	if note := e.noteText(sides); note != "" {
		head += ": " + note
	}
	w.line(head)
	w.values(e)
}

// shown writes a path for people and for the terminal.
func shown(path string) string { return escape(fieldpath.Short(path), false) }

// parted returns from without the end it has in common with path, from the
// list element on in which they part.
func parted(from, path string) string {
	for {
		i, j := strings.LastIndexByte(from, '/'), strings.LastIndexByte(path, '/')
		if i < 0 || j < 0 || from[i:] != path[j:] {
			return from
		}
		from, path = from[:i], path[:j]
	}
}

// values shows what a field has on both sides.
func (w *writer) values(e *Edit) {
	a, aIsText := exactjson.Unquote(e.Recorded)
	b, bIsText := exactjson.Unquote(e.Incoming)
	texts := aIsText && bIsText
	if !texts {
		a, b = e.Recorded, e.Incoming
	}
	switch {
	case e.Note.Code == LineEnds:
	case kindOf(e.Recorded) != kindOf(e.Incoming), texts && opaque(a)+opaque(b) != "":
		w.both(e, summary(e.Recorded), summary(e.Incoming))
		if n := FirstDifference(a, b); n >= longToken {
			w.line("  the same up to byte ", english.Thousands(n))
		}
	case !isShort(a) || !isShort(b):
		w.long(e, a, b)
	case texts:
		w.both(e, quoted(a, onlyHidden(a, b)), quoted(b, onlyHidden(a, b)))
		if !e.IsFile() {
			w.change(a, b)
		}
	default:
		w.both(e, escape(a, false), escape(b, false))
		if e.Note.Code == NoNote {
			w.change(a, b)
		}
	}
}

func (w *writer) both(e *Edit, recorded, incoming string) {
	sides := w.sidesOf(e)
	w.lineOf(RecordedSide, "  ", sides.RecordedLabel, recorded)
	w.lineOf(IncomingSide, "  ", sides.IncomingLabel, incoming)
}

// isShort reports whether a text is shown whole.
func isShort(s string) bool { return len(s) <= shortText && oneLine(s) }

// change shows the words that differ in two short texts, if there are enough
// others to see them among.
func (w *writer) change(a, b string) {
	c := compareTexts(a, b)
	if same, _ := c.words(); same >= 3 {
		w.rows(c.rows(shortText), maxRows, " changes")
	}
}

// long shows where two long texts differ. If they have so little in common that
// marks between their words would say nothing, it shows both from shortly before
// their first difference.
func (w *writer) long(e *Edit, a, b string) {
	const context = 36
	c := compareTexts(a, b)
	if same, changed := c.words(); changed <= 9*same {
		w.rows(c.rows(context), maxRows, " changes")
		return
	}
	from := beforeDifference(a, b)
	w.both(e, textSummary(a, from, 120), textSummary(b, from, 120))
}

// beforeDifference returns where to begin showing two texts: shortly before their first
// difference, if they are long.
func beforeDifference(a, b string) int {
	const before = 20
	n := FirstDifference(a, b)
	if n <= before || max(len(a), len(b)) <= shortText {
		return 0
	}
	return n - len(cutBefore(a[:n], before))
}

// FirstDifference returns the offset of the first byte that differs.
func FirstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

// Brief writes a JSON value in a few words.
func Brief(value string) string {
	const most = 60
	if s, ok := exactjson.Unquote(value); ok {
		return textSummary(s, 0, most)
	}
	return shorten(escape(value, false), most)
}

// Values writes what an edit changes in one line: both values, from shortly before their
// first difference, or what was added or removed.
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
	return "recorded " + textSummary(a, from, shortText/2) + ", incoming " + textSummary(b, from, shortText/2)
}
