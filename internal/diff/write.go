package diff

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
)

// Values up to shortText bytes are shown whole, longer ones as what changed.
const shortText = 100

// Write returns the edits as lines for a terminal, each starting with indent:
// a field's path, and below it both values or, in long text, the words that
// changed. [-…-] is only in the recording, {+…+} only in the incoming request.
// Of more than limit edits the rest are counted; a limit of 0 is none.
func Write(edits []Edit, indent string, limit int) string {
	w := writer{indent: indent}
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
	return w.b.String()
}

// writer writes indented lines.
type writer struct {
	b      strings.Builder
	indent string
}

// line writes one line, without blanks at its end.
func (w *writer) line(parts ...string) {
	s := strings.TrimRight(w.indent+strings.Join(parts, ""), " \t")
	w.b.WriteString(s)
	w.b.WriteByte('\n')
}

// more says what was left out.
func (w *writer) more(rest []Edit) {
	if len(rest) == 0 {
		return
	}
	const named = 3
	var names []string
	for _, e := range rest[:min(len(rest), named)] {
		names = append(names, shown(e.Path))
	}
	if len(rest) > named {
		names = append(names, "…")
	}
	w.line(fmt.Sprintf("and %s more: %s", count(len(rest)), strings.Join(names, ", ")))
}

// manySiblings is the number of neighbours from which they are one entry.
const manySiblings = 4

// siblings returns how many edits from the first on are neighbours in a list
// that only one side has.
func siblings(edits []Edit) int {
	parent := func(e *Edit) string { return e.Path[:strings.LastIndexByte(e.Path, '/')+1] }
	first := &edits[0]
	if !isIndex(first.Path[len(parent(first)):]) {
		return 1
	}
	n := 1
	for n < len(edits) && (edits[n].Recorded == "") == (first.Recorded == "") &&
		(edits[n].Incoming == "") == (first.Incoming == "") &&
		(first.Incoming == "" || first.Recorded == "") && parent(&edits[n]) == parent(first) {
		n++
	}
	return n
}

// siblings shows neighbours that only one side has.
func (w *writer) siblings(edits []Edit) {
	side := "the incoming request"
	if edits[0].Incoming == "" {
		side = "the recording"
	}
	w.line(shown(edits[0].Path), " to ", shown(edits[len(edits)-1].Path), ": only in ", side)
	for i, e := range edits {
		if i == manySiblings-1 && len(edits) > manySiblings {
			w.line("  … and ", count(len(edits)-i), " more")
			return
		}
		w.line("  ", summary(e.Recorded+e.Incoming))
	}
}

func (w *writer) edit(e *Edit) {
	head := shown(e.Path)
	switch {
	case e.Note == movedNote:
		w.line(head, ": moved here from ", shown(e.From))
		w.line("  ", summary(e.Incoming))
		return
	case e.Recorded == "" && e.Incoming == "":
		w.line(head, ": ", e.Note)
		return
	case e.Recorded == "":
		w.line(head, ": only in the incoming request")
		w.line("  ", summary(e.Incoming))
		return
	case e.Incoming == "":
		w.line(head, ": only in the recording")
		w.line("  ", summary(e.Recorded))
		return
	}
	if e.From != "" {
		head += " (" + shown(parted(e.From, e.Path)) + " in the recording)"
	}
	if e.Note != "" {
		head += ": " + e.Note
	}
	w.line(head)
	w.values(e)
}

// shown writes a path for people and for the terminal.
func shown(path string) string { return escape(canon.Short(path), 0) }

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
	a, aIsText := canon.Unquote(e.Recorded)
	b, bIsText := canon.Unquote(e.Incoming)
	bothTexts := aIsText && bIsText
	if !bothTexts {
		a, b = e.Recorded, e.Incoming
	}
	switch {
	case strings.HasPrefix(e.Note, lineEndsNote):
	case kindOf(e.Recorded) != kindOf(e.Incoming):
		w.both(summary(e.Recorded), summary(e.Incoming))
	case bothTexts && (opaque(a) != "" || opaque(b) != ""):
		w.both(summary(e.Recorded), summary(e.Incoming))
		if n := firstDifference(a, b); n >= longToken {
			w.line("  the same up to byte ", count(n))
		}
	case !isShort(a) || !isShort(b):
		w.long(a, b)
	case !bothTexts:
		w.both(escape(a, 0), escape(b, 0))
		if e.Note == "" {
			w.change(a, b)
		}
	default:
		var level escaping
		if plain(a) == plain(b) {
			level = escapeHidden
		}
		w.both(quoted(a, level), quoted(b, level))
		w.change(a, b)
	}
}

func (w *writer) both(recorded, incoming string) {
	w.line("  recorded: ", recorded)
	w.line("  incoming: ", incoming)
}

// isShort reports whether a text is shown whole.
func isShort(s string) bool { return len(s) <= shortText && oneLine(s) }

// change shows the words that differ in two short texts, if there are enough
// others to see them among.
func (w *writer) change(a, b string) {
	c := compareTexts(a, b)
	if same, _ := c.countWords(); same < 3 {
		return
	}
	for _, row := range c.rows(shortText) {
		w.line("  ", row)
	}
}

// maxRows bounds the lines shown of one field.
const maxRows = 10

// long shows where two long texts differ.
func (w *writer) long(a, b string) {
	c := compareTexts(a, b)
	if same, changed := c.countWords(); changed > 9*same {
		w.unlike(a, b)
		return
	}
	const context = 36
	rows := c.rows(context)
	for i, row := range rows {
		if i == maxRows && len(rows) > maxRows+1 {
			w.line("  … and ", count(len(rows)-i), " more changes")
			return
		}
		w.line("  ", row)
	}
}

// unlike shows two texts that have so little in common that marks between their
// words would say nothing: both from shortly before their first difference.
func (w *writer) unlike(a, b string) {
	const before, after = 30, 120
	n := firstDifference(a, b)
	from, lead := 0, ""
	if n > before {
		from, lead = n-len(cutBefore(a[:n], before)), "… "
	}
	one := func(s string) string {
		return quote(lead+shorten(readable(s[from:]), after)) + " (" + sizeOf(len(s)) + ")"
	}
	w.both(one(a), one(b))
}

// firstDifference returns the offset of the first byte that differs.
func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
