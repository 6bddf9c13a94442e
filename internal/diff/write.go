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
	case e.Note == "moved":
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
func shown(path string) string { return escape(canon.Short(path), escapeControls) }

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
	a, aok := canon.Unquote(e.Recorded)
	b, bok := canon.Unquote(e.Incoming)
	text := aok && bok
	if !text {
		a, b = e.Recorded, e.Incoming
	}
	switch {
	case strings.HasPrefix(e.Note, lineEndsNote):
	case text && (isOpaque(a) || isOpaque(b)):
		w.both(e.summaries())
		if n := firstDifference(a, b); n >= longToken {
			w.line("  the same up to byte ", count(n))
		}
	case kindOf(e.Recorded) != kindOf(e.Incoming):
		w.both(e.summaries())
	case short(a) && short(b):
		if text {
			level := escapeControls
			if plain(a) == plain(b) {
				level = escapeHidden
			}
			w.both(shownString(a, level), shownString(b, level))
		} else {
			w.both(escape(a, escapeControls), escape(b, escapeControls))
		}
		w.change(a, b)
	default:
		w.long(a, b)
	}
}

func (e *Edit) summaries() (string, string) { return summary(e.Recorded), summary(e.Incoming) }

func (w *writer) both(recorded, incoming string) {
	w.line("  recorded: ", recorded)
	w.line("  incoming: ", incoming)
}

// short reports whether a text is shown whole.
func short(s string) bool {
	return len(s) <= shortText && strings.Count(strings.TrimRight(s, "\n"), "\n") == 0
}

// shownString writes a text as a JSON string.
func shownString(s string, level escaping) string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, `\`, `\\`), `"`, `\"`)
	return `"` + escape(s, level) + `"`
}

// change shows the words that differ in two short texts, if that is easier to
// read than the texts.
func (w *writer) change(a, b string) {
	c := compareTexts(a, b)
	common := 0
	for _, s := range c.spans {
		if s.same {
			common += countWords(c.recorded(s))
		}
	}
	if common < 3 {
		return
	}
	m := c.marks()
	var line strings.Builder
	for _, s := range c.spans {
		line.WriteString(c.mark(s, m))
	}
	w.line("  change:   ", line.String())
}

// summary writes a value on one line of moderate length.
func summary(value string) string {
	if s, ok := canon.Unquote(value); ok {
		return summaryOf(s, 160)
	}
	return shortenJSON(value)
}

func summaryOf(s string, n int) string {
	if what, ok := opaque(s); ok {
		return "<" + what + ">"
	}
	text := readable(s)
	if cut := shorten(text, n); cut != text {
		return shownString(cut, escapeControls) + " (" + sizeOf(len(s)) + ")"
	}
	return shownString(text, escapeControls)
}

// shortenJSON shortens the strings of compact JSON, and then its end.
func shortenJSON(value string) string {
	const maxJSON, maxString = 320, 80
	var b strings.Builder
	for i := 0; i < len(value) && b.Len() <= maxJSON; {
		if value[i] != '"' {
			b.WriteByte(value[i])
			i++
			continue
		}
		end := i + 1
		for end < len(value) && value[end] != '"' {
			if value[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end+1, len(value))
		if s, ok := canon.Unquote(value[i:end]); ok {
			b.WriteString(summaryOf(s, maxString))
		} else {
			b.WriteString(shorten(escape(value[i:end], escapeControls), maxString))
		}
		i = end
	}
	if s := b.String(); b.Len() <= maxJSON+maxJSON/4 {
		return s
	}
	return cutAfter(b.String(), maxJSON) + "… (" + sizeOf(len(value)) + ")"
}

// firstDifference returns the offset of the first byte that differs.
func firstDifference(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
