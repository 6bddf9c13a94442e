package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/accept"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/redact"
)

// An acceptance is what promptecho accept has done so far.
type acceptance struct {
	out       io.Writer
	dry       bool // nothing is written
	questions bool // what is asked may differ
	answers   *bufio.Reader

	rounds   int
	files    map[string]*acceptedFile
	done     []acceptLine
	refused  []acceptLine
	later    []acceptLine            // asked because another request missed
	declined map[string]string       // why the user was not for what was asked
	seen     map[string]string       // edits that were shown, and where
	alike    map[string][]acceptLine // what else was accepted, by its edit
	yes      map[string]bool         // edits that the user said yes to for all requests
}

// An acceptedFile is a cassette into which requests were put.
type acceptedFile struct {
	original []byte // what was in it at first
	before   accept.Changes
	undone   *acceptLine // why all of that was undone; nil if it was not
}

// An acceptLine is a request that was accepted or refused.
type acceptLine struct {
	File   string       `json:"file"`
	Line   int          `json:"line,omitempty"`   // of the recording, or of the most similar one
	Number int          `json:"number,omitempty"` // the same, counted from 1
	Call   string       `json:"call"`
	Edits  []acceptEdit `json:"edits,omitempty"`
	Code   finding.Code `json:"code,omitempty"`   // why it was refused
	Reason string       `json:"reason,omitempty"` // the same, for people

	path  string
	edits []diff.Edit
}

// An acceptEdit is a field of a request that differs from the recording.
type acceptEdit struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // JSON
	New  string `json:"new,omitempty"` // the same
}

// say prints a line as people read it, and below it what differs, if no line before had the
// same.
func (a *acceptance) say(what string, l *acceptLine) {
	text := l.File
	if l.Number > 0 {
		text = fmt.Sprintf("%s:%d: %s #%d", l.File, l.Line, what, l.Number)
	} else {
		text += ": " + what
	}
	text += " " + l.Call
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	const shown = 6
	p, same := newPrinter(a.out, true), l.same()
	if same != "" && a.seen[same] != "" {
		text += ". The edit is the same as in " + a.seen[same]
	}
	p.line(0, "", "%s", text)
	if same != "" && a.seen[same] == "" {
		a.seen[same] = redact.OneLine(fmt.Sprintf("%s:%d", l.File, l.Line))
		p.fields(diff.Lines(l.edits, "  ", shown))
	}
}

// verb is what becomes of a request.
func (a *acceptance) verb() string {
	return map[bool]string{false: "accepted", true: "would accept"}[a.dry]
}

// printAlike lists what was accepted of edits that were shown before: one edit is one list.
func (a *acceptance) printAlike() {
	p := newPrinter(a.out, false)
	for _, same := range slices.Sorted(maps.Keys(a.alike)) {
		lines := slices.DeleteFunc(slices.Clone(a.alike[same]), func(l acceptLine) bool {
			return a.files[l.path] != nil && a.files[l.path].undone != nil
		})
		if len(lines) == 0 {
			continue
		}
		p.write("\n")
		p.line(0, bold, "%s %s, with the same edit as %s:", count(len(lines), "more request"), map[bool]string{false: "accepted", true: "would be accepted"}[a.dry], a.seen[same])
		numbers, about := map[string][]int{}, map[string]string{} // by file
		for _, l := range lines {
			numbers[l.File] = append(numbers[l.File], l.Number)
		}
		for file, list := range numbers {
			slices.Sort(list)
			about[file] = " (" + ranges(list) + ")"
		}
		p.files(2, slices.Sorted(maps.Keys(numbers)), about)
	}
}

// same is equal for lines of which the same differs.
func (l *acceptLine) same() (text string) {
	for _, e := range l.Edits {
		text += e.Old + "\x00" + e.New + "\x00"
	}
	return text
}

// line returns what is to be said of a finding.
func (a *acceptance) line(run *missed.Run, stored *cassette.File, f *accept.Finding, number int) acceptLine {
	l := acceptLine{File: filepath.ToSlash(here(run.Cassette)), path: run.Cassette, Call: f.Form.Name(), Code: f.Refused.Code, Reason: f.Refused.Text, edits: f.Edits}
	if number >= 0 {
		l.Line, l.Number = stored.Interactions[number].Line, number+1
	}
	for _, e := range f.Edits {
		l.Edits = append(l.Edits, acceptEdit{fieldpath.Short(e.Path), e.Recorded, e.Incoming})
	}
	return l
}

// round accepts what the tests of a run missed, as far as it is clear. It reports whether
// anything has changed.
func (a *acceptance) round(runs []missed.Run) (went bool, err error) {
	a.refused, a.later = nil, nil
	for i := range runs {
		if i > 0 && runs[i].Cassette == runs[i-1].Cassette {
			continue // the next round shows whether it is still missing
		}
		changed, err := a.cassette(&runs[i], runs[i+1:])
		if err != nil {
			return went, err
		}
		went = went || changed
	}
	if !went {
		a.refused = append(a.refused, a.later...)
	}
	for _, path := range slices.Sorted(maps.Keys(a.files)) {
		if undone := a.files[path].undone; undone != nil {
			a.refused = append(a.refused, *undone)
		}
	}
	return went, nil
}

// cassette accepts what was missed of one cassette, of which there may be more runs.
func (a *acceptance) cassette(run *missed.Run, more []missed.Run) (changed bool, err error) {
	file := a.files[run.Cassette]
	if file != nil && file.undone != nil {
		return false, nil
	}
	stored, err := cassette.Load(run.Cassette)
	if os.IsNotExist(err) {
		stored = new(cassette.File)
	} else if err != nil {
		return false, err
	}
	asked := &accept.Run{Stored: stored.Interactions, Options: &run.Options, Questions: a.questions}
	if file != nil {
		asked.Before = file.before
	}
	asked.Calls, err = callsOf(run, more)
	if err != nil {
		return false, err
	}
	its := accept.Changes{}
	var lines []acceptLine
	for _, f := range accept.Assign(asked) {
		switch {
		case f.Contested:
			return true, a.undo(run.Cassette, a.line(run, stored, &f, f.Near))
		case f.Later:
			f.Refused = accept.Refusal{
				Code: finding.FollowsMiss,
				Text: "this request contains the report of a miss, which the program took for an answer",
			}
			a.later = append(a.later, a.line(run, stored, &f, -1))
		case !f.Refused.IsZero():
			a.refused = append(a.refused, a.line(run, stored, &f, f.Near))
		default:
			lines = append(lines, a.take(run, stored, &f, its)...)
		}
	}
	if len(its) == 0 {
		return false, nil
	}
	if err := a.write(run, stored, its); err != nil {
		for _, l := range lines {
			l.Code = finding.CodeOf(err)
			l.Reason = err.Error()
			a.refused = append(a.refused, l)
		}
		return false, nil
	}
	for _, l := range lines {
		if same := l.same(); same != "" && a.seen[same] != "" {
			a.alike[same] = append(a.alike[same], l) // told at the end, together
			continue
		}
		a.say(a.verb(), &l)
	}
	a.done = append(a.done, lines...)
	return true, nil
}

// callsOf returns what was asked of a cassette. Of further runs it has what they played.
func callsOf(run *missed.Run, more []missed.Run) (calls []accept.Call, err error) {
	for _, c := range run.Calls {
		call := accept.Call{Played: c.Played}
		if c.Played < 0 {
			call.Missed, err = accept.RequestOf(&c)
			if err != nil {
				return nil, err
			}
		}
		calls = append(calls, call)
	}
	for _, other := range more {
		for _, c := range other.Calls {
			if other.Cassette == run.Cassette && c.Played >= 0 {
				calls = append(calls, accept.Call{Played: c.Played})
			}
		}
	}
	return calls, nil
}

// take adds to its what becomes of the recordings that take requests, unless the user says
// no.
func (a *acceptance) take(run *missed.Run, stored *cassette.File, f *accept.Finding, its accept.Changes) (lines []acceptLine) {
	for i, number := range f.Into {
		l := a.line(run, stored, f, number)
		if yes, why := a.confirm(&l, f); !yes {
			l.Code = finding.EditDeclined
			l.Reason = why
			a.refused = append(a.refused, l)
			continue
		}
		its[number] = accept.Into(stored.Interactions[number], f.Missed[i], &run.Options)
		lines = append(lines, l)
	}
	return lines
}

// confirm asks the user, if that is wanted, whether to accept a request. If not, it returns why.
func (a *acceptance) confirm(l *acceptLine, f *accept.Finding) (yes bool, why string) {
	key := l.path + "\x00" + f.Form.Key()
	switch {
	case a.answers == nil || a.yes[l.same()]:
		return true, ""
	case a.declined[key] != "":
		return false, a.declined[key]
	}
	a.say("accept", l)
	for {
		fmt.Fprint(a.out, "  yes, no, or all with this edit? [y/n/a] ")
		answer, err := a.answers.ReadString('\n')
		answer = strings.ToLower(strings.TrimSpace(answer))
		switch {
		case answer == "y" || answer == "yes":
			return true, ""
		case answer == "a" || answer == "all":
			a.yes[l.same()] = true
			return true, ""
		case answer == "n" || answer == "no":
			a.declined[key] = "you said no"
			return false, a.declined[key]
		case err != nil:
			a.declined[key] = "no answer: the input ended; type y, n or a, or leave out -i"
			return false, a.declined[key]
		}
	}
}

// write puts requests into a cassette.
func (a *acceptance) write(run *missed.Run, stored *cassette.File, its accept.Changes) error {
	if run.Ceiling != "" {
		return finding.Errorf(finding.WritingForbidden, "", "%s: remove that first", run.Ceiling)
	}
	original, err := rewrite.Rewrite(run.Cassette, run.Sum, canon.Revision, its, refresh, a.dry)
	if err != nil {
		return finding.Errorf(finding.NotSaved, "", "%s", strings.ReplaceAll(err.Error(), run.Cassette, filepath.ToSlash(here(run.Cassette))))
	}
	file := a.files[run.Cassette]
	if file == nil {
		file = &acceptedFile{original: original, before: accept.Changes{}}
		a.files[run.Cassette] = file
	}
	for number := range its {
		if file.before[number] == nil {
			file.before[number] = stored.Interactions[number]
		}
	}
	return nil
}

// undo puts a cassette back as it was, and accepts nothing of it any more.
func (a *acceptance) undo(path string, why acceptLine) error {
	file := a.files[path]
	why.Reason += ". Everything that was accepted in this cassette was undone"
	file.undone = &why
	a.done = slices.DeleteFunc(a.done, func(l acceptLine) bool { return l.path == path })
	fmt.Fprintf(a.out, "%s: undone\n", redact.OneLine(filepath.ToSlash(here(path))))
	return rewrite.Restore(path, file.original)
}

// accepted returns how many requests were accepted, and the cassettes that have them.
func (a *acceptance) accepted() (n int, files []string) {
	for _, l := range a.done {
		files = addNew(files, l.File)
	}
	return len(a.done), files
}

// tidy removes what the cassettes do not need any more.
func (a *acceptance) tidy() error {
	for path, file := range a.files {
		if file.undone == nil && !a.dry {
			if err := rewrite.Tidy(path); err != nil {
				return err
			}
		}
	}
	return nil
}
