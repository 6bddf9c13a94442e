package diff

import (
	"fmt"
	"strconv"
	"strings"
)

// marks surround what only one text has. They are as many dashes and pluses as
// it takes to be found in neither text.
type marks struct{ delFrom, delTo, insFrom, insTo string }

func (c *comparison) marks() marks {
	for n := 1; ; n++ {
		minus, plus := strings.Repeat("-", n), strings.Repeat("+", n)
		m := marks{"[" + minus, minus + "]", "{" + plus, plus + "}"}
		clash := false
		for _, s := range []string{m.delFrom, m.delTo, m.insFrom, m.insTo} {
			clash = clash || strings.Contains(c.a, s) || strings.Contains(c.b, s)
		}
		if !clash {
			return m
		}
	}
}

// marked returns the whole comparison as text: less what is in {+…+} and with
// what is in [-…-] it is the recorded text, and the other way round the
// incoming one.
func (c *comparison) marked() string {
	m := c.marks()
	var b strings.Builder
	for _, s := range c.spans {
		if s.same {
			b.WriteString(c.recorded(s))
			continue
		}
		if s.a0 < s.a1 {
			b.WriteString(m.delFrom + c.recorded(s) + m.delTo)
		}
		if s.b0 < s.b1 {
			b.WriteString(m.insFrom + c.incoming(s) + m.insTo)
		}
	}
	return b.String()
}

// mark writes one span on one line.
func (c *comparison) mark(s span, m marks) string {
	if s.same {
		return escape(strings.ReplaceAll(c.recorded(s), "\t", " "), escapeControls)
	}
	return m.del(c.recorded(s), c.level(s)) + m.ins(c.incoming(s), c.level(s))
}

// level shows what is hidden where nothing else differs.
func (c *comparison) level(s span) escaping {
	if plain(c.recorded(s)) == plain(c.incoming(s)) || strings.TrimSpace(c.recorded(s)+c.incoming(s)) == "" {
		return escapeHidden
	}
	return escapeControls
}

func (m *marks) del(s string, level escaping) string {
	if s == "" {
		return ""
	}
	return m.delFrom + inner(s, level) + m.delTo
}

func (m *marks) ins(s string, level escaping) string {
	if s == "" {
		return ""
	}
	return m.insFrom + inner(s, level) + m.insTo
}

// inner writes what stands between marks, the middle of a long one left out.
func inner(s string, level escaping) string {
	const head, tail = 120, 60
	if what, ok := opaque(s); ok {
		return "<" + what + ">"
	}
	if len(s) > head+tail+40 {
		start, end := cutAfter(s, head), cutBefore(s, tail)
		return escape(start, level) + " … " + escape(end, level) + " (" + sizeOf(len(s)) + ")"
	}
	return escape(s, level)
}

// A snippet is one shown line of a long comparison.
type snippet struct {
	label string
	text  strings.Builder
}

// maxSnippets bounds the lines shown of one field.
const maxSnippets = 8

// long shows where two long texts differ.
func (w *writer) long(a, b string) {
	c := compareTexts(a, b)
	if c.unlike() {
		w.unlike(a, b)
		return
	}
	l := layout{c: c, m: c.marks(), lines: strings.Contains(a, "\n") || strings.Contains(b, "\n"), recLine: 1, incLine: 1}
	for i := range c.spans {
		l.span(i)
	}
	l.end()
	for i, s := range l.out {
		if i == maxSnippets && len(l.out) > maxSnippets+1 {
			w.line("  … and ", count(len(l.out)-maxSnippets), " more changes")
			return
		}
		w.line("  ", s)
	}
}

// unlike reports whether two texts have so little in common that marks between
// their words would say nothing.
func (c *comparison) unlike() bool {
	common, changed := 0, 0
	for _, s := range c.spans {
		if s.same {
			common += s.a1 - s.a0
		} else {
			changed += max(s.a1-s.a0, s.b1-s.b0)
		}
	}
	return changed > 9*common
}

// unlike shows both texts from shortly before their first difference.
func (w *writer) unlike(a, b string) {
	const before, after = 30, 120
	n := firstDifference(a, b)
	from := n - len(cutBefore(a[:n], before))
	if n <= before {
		from = 0
	}
	one := func(s string) string {
		lead := ""
		if from > 0 {
			lead = "… "
		}
		text := shorten(s[from:], after)
		return shownString(lead+text, escapeControls) + " (" + sizeOf(len(s)) + ")"
	}
	w.both(one(a), one(b))
}

// layout writes a comparison as snippets: the changes with a few words around
// them, a line of the text at a time.
type layout struct {
	c                *comparison
	m                marks
	lines            bool // number the lines
	recLine, incLine int

	out   []string
	row   strings.Builder
	label string
	dirty bool // the row has a change
}

const context = 36 // bytes of unchanged text shown on each side of a change

// end ends a row of output.
func (l *layout) end() {
	if l.dirty {
		l.out = append(l.out, l.label+l.row.String())
	}
	l.row.Reset()
	l.dirty, l.label = false, ""
}

// change writes a changed stretch of one line.
func (l *layout) change(text string, onlyRecorded bool) {
	if l.label == "" {
		l.label = "change:   "
		if l.lines {
			l.label = "line " + strconv.Itoa(l.incLine) + ": "
			if onlyRecorded {
				l.label = "was line " + strconv.Itoa(l.recLine) + ": "
			}
		}
	}
	l.row.WriteString(text)
	l.dirty = true
}

func (l *layout) span(i int) {
	s := l.c.spans[i]
	if s.same {
		l.same(l.c.recorded(s), i > 0, i+1 < len(l.c.spans))
		return
	}
	rec, inc := l.c.recorded(s), l.c.incoming(s)
	level := l.c.level(s)
	if inline(rec) && inline(inc) {
		l.change(l.m.del(rec, level)+l.m.ins(inc, level), false)
	} else {
		l.block(rec, &l.recLine, true, level)
		if rec != "" && inc != "" && strings.Contains(rec+inc, "\n") {
			l.end()
		}
		l.block(inc, &l.incLine, false, level)
		return
	}
	l.recLine += strings.Count(rec, "\n")
	l.incLine += strings.Count(inc, "\n")
}

// inline reports whether a change is shown on one line although it may have
// newlines.
func inline(s string) bool {
	return !strings.Contains(s, "\n") || strings.TrimSpace(s) == "" || len(s) <= 40 && strings.Count(s, "\n") == 1 && !strings.HasSuffix(s, "\n")
}

// block writes a change of several lines, each on its own.
func (l *layout) block(s string, line *int, recorded bool, level escaping) {
	for s != "" {
		text, rest, more := strings.Cut(s, "\n")
		if text == "" && more {
			text = "\n"
		}
		if recorded {
			l.change(l.m.del(text, level), l.row.Len() == 0)
		} else {
			l.change(l.m.ins(text, level), false)
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
	head, tail, broken := s, s, false
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		head, tail, broken = s[:i], s[strings.LastIndexByte(s, '\n')+1:], true
		n := strings.Count(s, "\n")
		if after {
			l.text(cutHead(head))
		}
		l.end()
		l.recLine, l.incLine = l.recLine+n, l.incLine+n
	}
	switch {
	case broken:
		if before {
			l.text(cutTail(tail))
		}
	case after && before && len(s) <= 2*context+10:
		l.text(s)
	case after && before:
		l.text(cutHead(s))
		if l.row.Len() > 100 {
			label := l.label
			l.end()
			l.label = label
		}
		l.text(cutTail(s))
	case after:
		l.text(cutHead(s))
	case before:
		l.text(cutTail(s))
	}
}

// text writes unchanged text; … at its end and at the row's are one.
func (l *layout) text(s string) {
	if strings.HasSuffix(l.row.String(), "…") {
		s = strings.TrimPrefix(s, "…")
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

var _ = fmt.Sprint
