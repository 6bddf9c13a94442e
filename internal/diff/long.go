package diff

import (
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
	if s.a1-s.a0 > longToken || s.b1-s.b0 > longToken {
		return escapeControls
	}
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
	size := len(s)
	if s = readable(s); len(s) > head+tail+40 {
		start, end := cutAfter(s, head), cutBefore(s, tail)
		return escape(start, level) + " … " + escape(end, level) + " (" + sizeOf(size) + ")"
	}
	return escape(s, level)
}

// maxRows bounds the lines shown of one field.
const maxRows = 10

// long shows where two long texts differ.
func (w *writer) long(a, b string) {
	c := compareTexts(a, b)
	if c.unlike() {
		w.unlike(a, b)
		return
	}
	rows := c.layout()
	for i, row := range rows {
		if i == maxRows && len(rows) > maxRows+1 {
			w.line("  … and ", count(len(rows)-i), " more changes")
			return
		}
		w.line("  ", row)
	}
}

// unlike reports whether two texts have so little in common that marks between
// their words would say nothing.
func (c *comparison) unlike() bool {
	common, changed := 0, 0
	for _, s := range c.spans {
		if n := countWords(c.recorded(s)); s.same {
			common += n
		} else {
			changed += max(n, countWords(c.incoming(s)))
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
		text := shorten(readable(s[from:]), after)
		return shownString(lead+text, escapeControls) + " (" + sizeOf(len(s)) + ")"
	}
	w.both(one(a), one(b))
}
