package main

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A fileAge has what verify -max-age says about one cassette.
type fileAge struct {
	path    string
	old     []int // the lines of interactions that are older
	undated []int // the lines of interactions of unknown age
	line    int   // that of the oldest interaction in old
	problem string
}

// checkAge finds the recordings of a cassette that are older than the flag says. No run writes a
// pinned cassette, so its age does not count.
func checkAge(path string, f *cassette.File, oldest *maxAge) (a fileAge) {
	a.path = path
	if !oldest.isSet() || f.Pinned || kindOf(path) != isCassette {
		return a
	}
	var first interaction.Date // the day of the oldest recording
	for _, it := range f.Interactions {
		if !oldest.isOlder(it) {
			continue
		}
		if it.Recorded == "" {
			a.undated = addLine(a.undated, it.Line)
			continue
		}
		a.old = addLine(a.old, it.Line)
		isOldest := first == "" || it.Recorded < first
		if isOldest {
			first = it.Recorded
			a.line = it.Line
		}
	}
	if len(a.old) == 0 {
		return a
	}
	a.problem = fmt.Sprintf("recorded on %s, %s: %s", first, daysAgo(first, oldest.today), oldest.olderThan())
	if n := len(a.old) - 1; n > 0 {
		a.problem += fmt.Sprintf(", as %s here %s", count(n, "other recording"), agreeing(n, "is", "are"))
	}
	return a
}

// addLine adds the line of an item to a list, unless it is the last one: an item may be several
// interactions.
func addLine(lines []int, line int) []int {
	if len(lines) > 0 && lines[len(lines)-1] == line {
		return lines
	}
	return append(lines, line)
}

// ages prints how many recordings are older than a flag says, and how many are of unknown age, with
// the commands that record them again.
func (p *printer) ages(list []fileAge, oldest *maxAge) {
	old, undated := 0, 0          // recordings
	var oldIn, undatedIn []string // files; the second list has none of the first one
	for _, a := range list {
		if len(a.old) > 0 {
			old += len(a.old)
			oldIn = append(oldIn, a.path)
		}
		undated += len(a.undated)
		if len(a.undated) > 0 && len(a.old) == 0 {
			undatedIn = append(undatedIn, a.path)
		}
	}
	if old > 0 {
		p.line(0, bold, "%s %s. To record %s again:", count(old, "recording"),
			agreeing(old, "is ", "are ")+oldest.olderThan(), itOrThem(old))
		for _, command := range recordAgain(oldIn, oldest.mendOlder()) {
			p.command(command)
		}
	}
	if undated > 0 {
		what := fmt.Sprintf("%s %s of unknown age", count(undated, "recording"), agreeing(undated, "is", "are"))
		if len(undatedIn) == 0 {
			p.line(0, bold, "%s. The same command records %s again.", what, itOrThem(undated))
			return
		}
		p.line(0, bold, "%s. To record %s again:", what, itOrThem(undated))
		for _, command := range recordAgain(undatedIn, oldest.mendOlder()) {
			p.command(command)
		}
	}
}
