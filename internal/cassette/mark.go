package cassette

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The last line of what Format writes is YAML's mark for the end of a document
// (YAML 1.2.2, 9.1.4), with the number of interactions behind it as a comment:
//
//	... # 12 recorded
//
// What has a seal was written by Format, so a file that has a seal and no mark was
// cut; so was one that begins as Format begins and makes no sense. A number that is not
// that of the interactions tells of one that was taken out or put in since, which no
// seal does.
const endMark = "..."

// end writes the mark behind n interactions.
func (w *writer) end(n int) { w.raw(endMark + " # " + strconv.Itoa(n) + " recorded\n") }

// startsWithMark reports whether the line that text begins with is the mark.
func startsWithMark[T string | []byte](text T) bool {
	n := len(endMark)
	return len(text) >= n && string(text[:n]) == endMark && (len(text) == n || strings.IndexByte(" \t\n", text[n]) >= 0)
}

// recordedIn returns the number in the mark that text begins with. A mark without
// its number, or with half of it, says nothing: ok is false.
func recordedIn(text string) (n int, ok bool) {
	line, _, _ := strings.Cut(text, "\n")
	number, ok1 := strings.CutPrefix(line, endMark+" # ")
	number, ok2 := strings.CutSuffix(number, " recorded")
	n, err := strconv.Atoi(number)
	return n, ok1 && ok2 && err == nil
}

// findMark returns where the mark stands in a file, -1 if it is not there. No text
// in a file has such a line.
func findMark(text string) int {
	for at := 0; ; {
		i := strings.Index(text[at:], "\n"+endMark)
		if i < 0 {
			return -1
		}
		if at += i + 1; startsWithMark(text[at:]) {
			return at
		}
	}
}

// checkWhole records that the file was cut, if it was: that is the reason for
// whatever else is wrong with it.
func (d *decoder) checkWhole(f *File) {
	n := min(len(d.text), len(header))
	written := d.err != nil && n > 0 && (d.text[:n] == header[:n] || strings.Contains(d.text, "\n    seal: "))
	if !written && !f.sealed() || findMark(d.text) >= 0 {
		return
	}
	d.err = nil
	again := "record it again: PROMPTECHO_MODE=all go test -run NAME"
	if d.pinned() {
		again = "take out \"pinned: true\" and record it again"
	}
	last := strings.TrimRight(d.text, "\n")
	d.fail(len(last), "", "the file was cut here: the line %q that ends a recorded file is missing. Restore it: git checkout -- %s, or %s", endMark, d.file, again)
	d.lost()
}

// sealed reports whether anything in f has a seal.
func (f *File) sealed() bool {
	return slices.ContainsFunc(f.Interactions, func(it *interaction.Interaction) bool { return it.Seal != "" })
}

// pinned reports whether the file says that it is, also if it cannot be read.
func (d *decoder) pinned() bool { return strings.Contains("\n"+d.text, "\npinned: true") }

// firstEdit returns the line of the first interaction that is not as its seal says,
// or has none though others have, or of a mark that does not count right; 0 if there
// is none.
func (d *decoder) firstEdit(f *File) int {
	at, line, sealed := 0, 1, f.sealed()
	for _, it := range f.Interactions {
		for ; line < it.Line; line++ {
			at += strings.IndexByte(d.text[at:], '\n') + 1
		}
		if sealed && !sealHolds(d.text[at:]) {
			return it.Line
		}
	}
	if at := findMark(d.text); at >= 0 {
		if n, ok := recordedIn(d.text[at:]); ok && n != len(f.Interactions) {
			return 1 + strings.Count(d.text[:at], "\n")
		}
	}
	return 0
}

// sealHolds reports whether the interaction that text begins with is as its seal
// says, and is followed by another or by the mark.
func sealHolds(text string) bool {
	s, ok := sealOf([]byte(text[:min(len(text), sealHead)]))
	if !ok || len(text) < s.size || !endsItem(text[s.size:]) {
		return false
	}
	return s.holds([]byte(text[:s.size]))
}

// endsItem reports whether an interaction can end where rest begins.
func endsItem[T string | []byte](rest T) bool {
	start := itemStart[1:]
	return len(rest) >= len(start) && string(rest[:len(start)]) == string(start) || startsWithMark(rest)
}
