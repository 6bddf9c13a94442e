package diff

import (
	"fmt"
	"strings"
)

// layout writes a comparison as rows: the changes with a few words around
// them, a line of the text or less at a time.
type layout struct {
	c                *comparison
	m                marks
	numbered         bool // say which line of the text a row is of
	recLine, incLine int  // where the row is

	out   []string
	row   strings.Builder
	label string // of the row; set by its first change
}

// context is how many bytes of unchanged text are shown on each side of a
// change.
const context = 36

func (c *comparison) layout() []string {
	l := layout{c: c, m: c.marks(), recLine: 1, incLine: 1}
	l.numbered = strings.Contains(c.a, "\n") || strings.Contains(c.b, "\n")
	for i, s := range c.spans {
		if s.same {
			l.same(c.recorded(s), i > 0, i+1 < len(c.spans))
		} else {
			l.change(s)
		}
	}
	l.end()
	return l.out
}

// end ends a row; one without a change is dropped.
func (l *layout) end() {
	if l.label != "" {
		l.out = append(l.out, l.label+l.row.String())
	}
	l.row.Reset()
	l.label = ""
}

// mark writes a change to the row.
func (l *layout) mark(text, label string, line int) {
	if l.label == "" {
		l.label = "change:   "
		if l.numbered {
			l.label = fmt.Sprintf("%s %d: ", label, line)
		}
	}
	l.row.WriteString(text)
}

// change writes what differs: within a line, or as lines of their own.
func (l *layout) change(s span) {
	rec, inc, level := l.c.recorded(s), l.c.incoming(s), l.c.level(s)
	if inline(rec) && inline(inc) {
		del, ins := l.m.del(rec, level), l.m.ins(inc, level)
		l.mark(del, "line", l.incLine)
		if len(del) > shortText && len(ins) > shortText {
			l.end()
		}
		l.mark(ins, "line", l.incLine)
		l.recLine += strings.Count(rec, "\n")
		l.incLine += strings.Count(inc, "\n")
		return
	}
	del := func(s string) string { return l.m.del(s, level) }
	label := "was line"
	if l.row.Len() > 0 {
		label = "line"
	}
	l.block(rec, label, &l.recLine, del)
	if rec != "" {
		l.end()
	}
	l.block(inc, "line", &l.incLine, func(s string) string { return l.m.ins(s, level) })
}

// inline reports whether a change is shown within a line: it has no newline,
// or next to nothing else.
func inline(s string) bool {
	switch strings.Count(s, "\n") {
	case 0:
		return true
	case 1:
		return len(s) <= context && !strings.HasSuffix(s, "\n") || strings.TrimSpace(s) == ""
	}
	return strings.TrimSpace(s) == ""
}

// block writes a change of several lines, a row for each; of many the first
// and the last.
func (l *layout) block(s, label string, line *int, mark func(string) string) {
	const most, head = 5, 3
	n := strings.Count(s, "\n")
	if strings.HasSuffix(s, "\n") {
		n--
	}
	for i := 0; s != ""; i++ {
		text, rest, more := strings.Cut(s, "\n")
		switch {
		case n < most || i < head || i == n:
			if text == "" && more {
				text = "\n"
			}
			l.mark(mark(text), label, *line)
		case i == head:
			l.mark(fmt.Sprintf("… to line %d", *line+n-1-head), label, *line)
		}
		if more {
			l.end()
			*line++
		}
		s = rest
	}
}

// same writes unchanged text: the words next to changes, with … for the rest.
func (l *layout) same(s string, after, before bool) {
	first, last := s, s
	n := strings.Count(s, "\n")
	if n > 0 {
		first, last = strings.TrimSuffix(s[:strings.IndexByte(s, '\n')], "\r"), s[strings.LastIndexByte(s, '\n')+1:]
	} else if after && before && len(s) <= 2*context+10 {
		l.text(s)
		return
	}
	if after {
		l.text(cutHead(first))
		l.end()
	}
	l.recLine, l.incLine = l.recLine+n, l.incLine+n
	if before {
		l.text(cutTail(last))
	}
}

// text writes unchanged text, without the indentation of the line.
func (l *layout) text(s string) {
	if l.row.Len() == 0 {
		s = strings.TrimLeft(s, " \t\r")
	}
	l.row.WriteString(escape(strings.ReplaceAll(s, "\t", " "), escapeControls))
}

func cutHead(s string) string {
	if len(s) <= context+10 {
		return s
	}
	return cutAfter(s, context) + " …"
}

func cutTail(s string) string {
	if len(s) <= context+10 {
		return s
	}
	return "… " + cutBefore(s, context)
}
