package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// otherSource says which other file has requests that were missed here, and how to use it. It
// returns "" if there is none.
func (r *Run) otherSource(o *Outcome, misses []*missing) string {
	asked := group.Each(misses, func(m *missing) []string { return m.keys })
	path := r.Tape.Failed()
	n := r.Tape.CountIn(path, asked)
	if n == 0 || r.Tape.State.Pinned {
		return r.leftOver(o, asked)
	}
	has, it := "this request", "it"
	if len(misses) > 1 {
		has, it = fmt.Sprintf("%d of these requests", n), "them"
	}
	return fmt.Sprintf("\n\n%s has %s: a run that failed recorded %s. To use that file, which the "+
		"next passing run completes:\n  %s\n%s",
		filepath.Join(filepath.Dir(r.File), filepath.Base(path)), has, it, r.UseFailed(), r.commandIn(o, "once"))
}

// UseFailed returns the command that makes what a failed run recorded the cassette, with its assets.
func (r *Run) UseFailed() string {
	moveFile := shell.Move(shell.Place(r.Tape.Failed()), shell.Place(r.Path))
	from, to, ok := r.Tape.FailedAssets()
	if !ok {
		return moveFile
	}
	from, to = shell.Place(from), shell.Place(to)
	return shell.Sequence(moveFile, shell.RemoveFolder(to), shell.Move(from, to))
}

// What is said of cassettes that no test opens any more. First come their names, then what was
// asked, and then the command.
const (
	textSplit = "\n\n%s has %s, and its test opens recorders only in its subtests now. " +
		"To record the subtests from that file, and send only what it lacks:\n%s"
	textJoined = "\n\n%s has %s, recorded by subtests that this test does not have any more. " +
		"To record the test from that, and send only what it lacks:\n%s"
	textMany = "\n\n%s have %s, and their tests are gone. " +
		"If this test was renamed from one of them, put the path of that file for OLD:\n  promptecho mv OLD %s"
	textTaken = "\n\n%s has %s, and its test is gone. " +
		"If this test asks what that one asked, record it from that, and send only what is lacking:\n%s"
	textTakenTogether = "\n\n%s have %s, and their tests are gone. " +
		"If this test asks what those asked, record it from them, and send only what is lacking:\n%s"
	textSeveral = "\n\n%s have %s, and their tests are gone. " +
		"If this test was renamed from one of them, run its line:%s"
	textRenamed    = "\n\n%s has %s, and its test is gone. If the test was renamed:%s"
	textMoved      = "\n\n%s has %s, and its test is gone. If the test was moved from there:%s"
	textOrWasSplit = "\nIf it was split into several tests, run this for each of them instead:\n%s"
)

// leftOver says which cassettes that no test opens any more have all of the misses, and which
// command gives them to the test; asked are the keys of each miss. It returns "" if there is none.
func (r *Run) leftOver(o *Outcome, asked [][]string) string {
	a := r.Orphans.Advise(asked)
	if a == nil {
		return ""
	}
	requests := "this request"
	if len(asked) > 1 {
		requests = fmt.Sprintf("these %d requests", len(asked))
	}
	names := english.List(group.Each(a.Cassettes, r.nearTest), alsoNamed)
	switch {
	case a.Why == orphans.Split:
		return fmt.Sprintf(textSplit, names, requests, r.carryOver(o, a))
	case a.Why == orphans.Joined:
		return fmt.Sprintf(textJoined, names, requests, r.carryOver(o, a))
	case a.Why == orphans.Ambiguous:
		return fmt.Sprintf(textMany, names, requests, shell.Quote(shell.Place(r.Path)))
	case len(a.Moves) > 0:
		return r.moved(o, a, names, requests)
	case len(a.Cassettes) > 1:
		return fmt.Sprintf(textTakenTogether, names, requests, r.carryOver(o, a))
	}
	return fmt.Sprintf(textTaken, names, requests, r.carryOver(o, a))
}

// moved names the cassettes that a renamed test had, and the commands that move them.
func (r *Run) moved(o *Outcome, a *orphans.Advice, names, requests string) string {
	commands := ""
	for _, pair := range a.Moves {
		from, to := shell.Place(pair[0]), shell.Place(pair[1])
		commands += "\n  " + shell.Join([]string{"promptecho", "mv", from, to})
	}
	if len(a.Moves) > 1 {
		return fmt.Sprintf(textSeveral, names, requests, commands)
	}
	text := textRenamed
	isOfOtherPackage := !filepath.IsLocal(r.nearTest(a.Moves[0][0]))
	if isOfOtherPackage {
		text = textMoved
	}
	text = fmt.Sprintf(text, names, requests, commands)
	if len(a.Sources) > 0 {
		text += fmt.Sprintf(textOrWasSplit, r.carryOver(o, a))
	}
	return text
}

// nearTest returns the path of a file as seen from the folder of the test's package, with slashes.
func (r *Run) nearTest(path string) string {
	dir, _, _ := testname.Split(r.Path)
	if rel, err := filepath.Rel(dir, path); err == nil {
		path = rel
	}
	return filepath.ToSlash(path)
}

// carryOver returns the line to paste that records tests from the sources of an advice.
func (r *Run) carryOver(o *Outcome, a *orphans.Advice) string {
	sources := strings.Join(group.Each(a.Sources, shell.Place), string(filepath.ListSeparator))
	if o.CarryOver == nil {
		return fmt.Sprintf("  set %s=%s, and run the program that uses %s", CarryOverVariable, sources, r.File)
	}
	names := strings.Split(o.Test, "/")
	return "  " + o.CarryOver(strings.Join(names[:min(a.Level+1, len(names))], "/"), sources)
}

// CarryOverVariable is the environment variable that names cassettes whose recordings answer the
// requests of a test that is recorded, before anything is sent.
const CarryOverVariable = "PROMPTECHO_FROM"
