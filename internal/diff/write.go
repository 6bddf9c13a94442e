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
	if limit <= 0 || limit > len(edits) {
		limit = len(edits)
	}
	for i := range edits[:limit] {
		w.edit(&edits[i])
	}
	w.more(edits[limit:])
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
		head += " (" + shown(e.From) + " in the recording)"
	}
	if e.Note != "" {
		head += ": " + e.Note
	}
	w.line(head)
	w.values(e)
}

// shown writes a path for people and for the terminal.
func shown(path string) string { return escape(canon.Short(path), escapeControls) }

// values shows what a field has on both sides.
func (w *writer) values(e *Edit) {
	a, aok := canon.Unquote(e.Recorded)
	b, bok := canon.Unquote(e.Incoming)
	text := aok && bok
	if !text {
		a, b = e.Recorded, e.Incoming
	}
	_, opaqueA := opaque(a)
	_, opaqueB := opaque(b)
	switch {
	case opaqueA || opaqueB:
		w.both(e.summaries())
		if n := firstDifference(a, b); n > 0 {
			w.line("  they differ from byte ", count(n), " on")
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
			w.both(a, b)
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
	cut := shorten(s, n)
	if cut == s {
		return shownString(s, escapeControls)
	}
	return shownString(cut, escapeControls) + " (" + sizeOf(len(s)) + ")"
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
