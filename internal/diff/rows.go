package diff

import (
	"fmt"
	"slices"
	"strings"
)

// marks are the brackets around deleted and inserted text: [-…-] and {+…+}. They have more
// dashes and pluses if a text contains the brackets.
type marks struct{ del, ins mark }

type mark struct{ from, to string }

func (c *comparison) marks() marks {
	inText := func(s string) bool { return strings.Contains(c.a, s) || strings.Contains(c.b, s) }
	for length := 1; ; length++ {
		minus, plus := strings.Repeat("-", length), strings.Repeat("+", length)
		m := marks{mark{"[" + minus, minus + "]"}, mark{"{" + plus, plus + "}"}}
		if !slices.ContainsFunc([]string{m.del.from, m.del.to, m.ins.from, m.ins.to}, inText) {
			return m
		}
	}
}

// enclose returns a change between its marks. It leaves out the middle of a long change.
func (m mark) enclose(s string, showHidden bool) string {
	const head, tail = 120, 60
	if s == "" {
		return ""
	}
	text, rest := readable(s), ""
	if len(text) > head+tail+40 {
		rest = " … " + escape(cutBefore(text, tail), showHidden) + " (" + sizeOf(len(s)) + ")"
		text = cutAfter(text, head)
	}
	return m.from + escape(text, showHidden) + rest + m.to
}

// differOnlyInHidden reports whether two texts look the same, so that a reader needs the escape
// sequences of their invisible characters.
func differOnlyInHidden(a, b string) bool {
	isBlank := strings.TrimSpace(a+b) == ""
	return max(len(a), len(b)) <= longToken && (isBlank || plain(a) == plain(b))
}

// rowWriter writes a comparison as rows: the changes with some text around them. A row is at
// most one line of the text.
type rowWriter struct {
	*comparison
	marks            marks
	context          int  // bytes of unchanged text shown on each side of a change
	numbered         bool // labels have the number of the line
	recLine, incLine int  // the numbers of the current line

	rows  []string
	row   strings.Builder
	label string // of the row; set by its first change
}

// rows returns the changes as rows. Each begins with a label: "change:", or the number of the
// line if a text has several lines.
func (c *comparison) rows(context int) []string {
	r := rowWriter{
		comparison: c,
		marks:      c.marks(),
		context:    context,
		numbered:   !isOneLine(c.a) || !isOneLine(c.b),
		recLine:    1,
		incLine:    1,
	}
	for i := range c.spans {
		rec, inc := c.texts(i)
		if i%2 == 0 {
			r.writeUnchanged(rec, i > 0, i+1 < len(c.spans))
		} else {
			r.writeChange(rec, inc)
		}
	}
	r.endRow()
	return r.rows
}

// isOneLine reports whether a text has no newlines but at its end.
func isOneLine(s string) bool { return !strings.Contains(strings.TrimRight(s, "\n"), "\n") }

// endRow ends a row, and drops it if it has no change.
func (r *rowWriter) endRow() {
	if r.label != "" {
		r.rows = append(r.rows, r.label+r.row.String())
	}
	r.row.Reset()
	r.label = ""
}

// writeMarked writes a change, which has its marks, to the row. The first change of a row sets the
// label of the row: label and line. If unchanged text is before the change, the label is the
// incoming line instead.
func (r *rowWriter) writeMarked(text, label string, line int) {
	switch {
	case r.label != "":
	case !r.numbered:
		r.label = "change:   "
	case r.row.Len() > 0:
		r.label = fmt.Sprintf("line %d: ", r.incLine)
	default:
		r.label = fmt.Sprintf("%s %d: ", label, line)
	}
	r.row.WriteString(text)
}

// writeChange writes a change: within a line, or as separate lines.
func (r *rowWriter) writeChange(rec, inc string) {
	showHidden := differOnlyInHidden(rec, inc)
	if isInline(rec) && isInline(inc) {
		del := r.marks.del.enclose(rec, showHidden)
		ins := r.marks.ins.enclose(inc, showHidden)
		r.writeMarked(del, "line", r.incLine)
		if min(len(del), len(ins)) > shortText {
			r.endRow()
		}
		r.writeMarked(ins, "line", r.incLine)
		r.recLine += strings.Count(rec, "\n")
		r.incLine += strings.Count(inc, "\n")
		return
	}
	r.writeLines(rec, "was line", &r.recLine, r.marks.del, showHidden)
	if rec != "" {
		r.endRow()
	}
	r.writeLines(inc, "line", &r.incLine, r.marks.ins, showHidden)
}

// isInline reports whether a change is shown within a line: it is white space, it has no newline,
// or it is short and has one in the middle.
func isInline(s string) bool {
	if strings.TrimSpace(s) == "" || !strings.Contains(s, "\n") {
		return true
	}
	return strings.Count(s, "\n") == 1 && !strings.HasSuffix(s, "\n") && len(s) <= maxInline
}

// maxInline is the most bytes of a change of two lines that is shown within a line.
const maxInline = 36

// writeLines writes a text of several lines that only one side has, a row for each line. If they
// are many, it writes the first ones and the last. line is the number of the current line of
// that side.
func (r *rowWriter) writeLines(s, label string, line *int, m mark, showHidden bool) {
	const maxRows, head = 5, 3
	firstLine, rowsBefore := *line, len(r.rows)
	for s != "" {
		text, rest, newline := strings.Cut(s, "\n")
		if text == "" {
			text = "\n"
		}
		r.writeMarked(m.enclose(text, showHidden), label, *line)
		if newline {
			r.endRow()
			*line++
		}
		s = rest
	}
	if len(r.rows)-rowsBefore > maxRows {
		middle := fmt.Sprintf("%s %d: … to line %d", label, firstLine+head, *line-2)
		r.rows = slices.Replace(r.rows, rowsBefore+head, len(r.rows)-1, middle)
	}
}

// writeUnchanged writes the beginning of unchanged text if it is after a change, and the end if it
// is before a change, with … for the rest of the line.
func (r *rowWriter) writeUnchanged(s string, after, before bool) {
	lines := strings.Split(s, "\n")
	first, last := strings.TrimSuffix(lines[0], "\r"), lines[len(lines)-1]
	if after && before && len(lines) == 1 && len(s) <= 2*r.context+10 {
		r.writeText(s)
		return
	}
	if after {
		if len(first) > r.context+10 {
			first = cutAfter(first, r.context) + " …"
		}
		r.writeText(first)
		r.endRow()
	}
	r.recLine += len(lines) - 1
	r.incLine += len(lines) - 1
	if before {
		if len(last) > r.context+10 {
			last = "… " + cutBefore(last, r.context)
		}
		r.writeText(last)
	}
}

// writeText writes unchanged text, without the indentation of the line.
func (r *rowWriter) writeText(s string) {
	if r.row.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r")
	}
	r.row.WriteString(escape(strings.ReplaceAll(s, "\t", " "), false))
}
