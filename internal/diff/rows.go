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
		numbered:   !oneLine(c.a) || !oneLine(c.b),
		recLine:    1,
		incLine:    1,
	}
	for i := range c.spans {
		rec, inc := c.texts(i)
		if i%2 == 0 {
			r.unchanged(rec, i > 0, i+1 < len(c.spans))
		} else {
			r.change(rec, inc)
		}
	}
	r.end()
	return r.rows
}

// oneLine reports whether a text has no newlines but at its end.
func oneLine(s string) bool { return !strings.Contains(strings.TrimRight(s, "\n"), "\n") }

// end ends a row, and drops it if it has no change.
func (r *rowWriter) end() {
	if r.label != "" {
		r.rows = append(r.rows, r.label+r.row.String())
	}
	r.row.Reset()
	r.label = ""
}

// mark writes a change to the row. The first change of a row sets its label: label and line, or
// if unchanged text is before it, the incoming line.
func (r *rowWriter) mark(text, label string, line int) {
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

// change writes a change: within a line, or as separate lines.
func (r *rowWriter) change(rec, inc string) {
	showHidden := differOnlyInHidden(rec, inc)
	if inline(rec) && inline(inc) {
		del, ins := r.marks.del.enclose(rec, showHidden), r.marks.ins.enclose(inc, showHidden)
		r.mark(del, "line", r.incLine)
		if min(len(del), len(ins)) > shortText {
			r.end()
		}
		r.mark(ins, "line", r.incLine)
		r.recLine += strings.Count(rec, "\n")
		r.incLine += strings.Count(inc, "\n")
		return
	}
	r.block(rec, "was line", &r.recLine, r.marks.del, showHidden)
	if rec != "" {
		r.end()
	}
	r.block(inc, "line", &r.incLine, r.marks.ins, showHidden)
}

// inline reports whether a change is shown within a line: it is white space, it has no newline,
// or it is short and has one in the middle.
func inline(s string) bool {
	if strings.TrimSpace(s) == "" || !strings.Contains(s, "\n") {
		return true
	}
	return strings.Count(s, "\n") == 1 && !strings.HasSuffix(s, "\n") && len(s) <= maxInline
}

// maxInline is the most bytes of a change of two lines that is shown within a line.
const maxInline = 36

// block writes a change of several lines, a row for each. If they are many, it writes the first
// ones and the last.
func (r *rowWriter) block(s, label string, line *int, m mark, showHidden bool) {
	const maxRows, head = 5, 3
	first, before := *line, len(r.rows)
	for s != "" {
		text, rest, newline := strings.Cut(s, "\n")
		if text == "" {
			text = "\n"
		}
		r.mark(m.enclose(text, showHidden), label, *line)
		if newline {
			r.end()
			*line++
		}
		s = rest
	}
	if len(r.rows)-before > maxRows {
		middle := fmt.Sprintf("%s %d: … to line %d", label, first+head, *line-2)
		r.rows = slices.Replace(r.rows, before+head, len(r.rows)-1, middle)
	}
}

// unchanged writes the beginning of unchanged text if it is after a change, and the end if it
// is before a change, with … for the rest of the line.
func (r *rowWriter) unchanged(s string, after, before bool) {
	lines := strings.Split(s, "\n")
	first, last := strings.TrimSuffix(lines[0], "\r"), lines[len(lines)-1]
	if after && before && len(lines) == 1 && len(s) <= 2*r.context+10 {
		r.text(s)
		return
	}
	if after {
		if len(first) > r.context+10 {
			first = cutAfter(first, r.context) + " …"
		}
		r.text(first)
		r.end()
	}
	r.recLine += len(lines) - 1
	r.incLine += len(lines) - 1
	if before {
		if len(last) > r.context+10 {
			last = "… " + cutBefore(last, r.context)
		}
		r.text(last)
	}
}

// text writes unchanged text, without the indentation of the line.
func (r *rowWriter) text(s string) {
	if r.row.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r")
	}
	r.row.WriteString(escape(strings.ReplaceAll(s, "\t", " "), false))
}
