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

// An acceptance is the state of promptecho accept.
type acceptance struct {
	out            io.Writer
	dry            bool          // nothing is written
	allowQuestions bool          // requests whose question differs are accepted, too
	input          *bufio.Reader // the answers of the user; nil if the user is not asked

	rounds    int // the number of test runs
	files     map[string]*acceptedFile
	accepted  []acceptLine
	refused   []acceptLine            // by the last round
	followUps []acceptLine            // requests of the last round that follow from another miss
	declined  map[string]string       // why requests were declined, by cassette and request
	shownAt   map[string]string       // the place of the request with which an edit was shown
	repeated  map[string][]acceptLine // accepted requests with an edit that was shown already
	confirmed map[string]bool         // the edits that the user has accepted for all requests
}

func newAcceptance(out io.Writer) *acceptance {
	return &acceptance{
		out:       out,
		files:     map[string]*acceptedFile{},
		declined:  map[string]string{},
		shownAt:   map[string]string{},
		repeated:  map[string][]acceptLine{},
		confirmed: map[string]bool{},
	}
}

// An acceptedFile is a cassette into which requests were written.
type acceptedFile struct {
	original  []byte           // its text before the first round
	originals accept.Originals // the replaced interactions
	undone    *acceptLine      // why all changes were undone; nil if they were not
}

// An acceptLine is a request that was accepted or refused.
type acceptLine struct {
	File   string       `json:"file"`
	Line   int          `json:"line,omitempty"`   // of the recording, or of the most similar one
	Number int          `json:"number,omitempty"` // the number of that recording, from 1
	Call   string       `json:"call"`
	Edits  []acceptEdit `json:"edits,omitempty"`
	Code   finding.Code `json:"code,omitempty"`   // why it was refused
	Reason string       `json:"reason,omitempty"` // the same in words

	path  string
	edits []diff.Edit
}

// An acceptEdit is a field of a request that differs from the recording.
type acceptEdit struct {
	Path string `json:"path"`
	Old  string `json:"old,omitempty"` // JSON
	New  string `json:"new,omitempty"` // JSON
}

// editKey returns a key that is equal for requests with the same edits. It is "" if there are
// none.
func (l *acceptLine) editKey() (key string) {
	for _, e := range l.Edits {
		key += e.Old + "\x00" + e.New + "\x00"
	}
	return key
}

// printRequest prints a request behind a verb that says what happens to it, such as "accepted".
// It prints its edits, too, unless they were printed for an earlier request.
func (a *acceptance) printRequest(verb string, l *acceptLine) {
	text := l.File + ": " + verb
	if l.Number > 0 {
		text = fmt.Sprintf("%s:%d: %s #%d", l.File, l.Line, verb, l.Number)
	}
	text += " " + l.Call
	if l.Reason != "" {
		text += ": " + l.Reason
	}
	key := l.editKey()
	isShownAbove := key != "" && a.shownAt[key] != ""
	if isShownAbove {
		text += ". The edit is the same as in " + a.shownAt[key]
	}

	const maxFields = 6
	p := newPrinter(a.out, true)
	p.line(0, "", "%s", text)
	if key != "" && !isShownAbove {
		a.shownAt[key] = redact.OneLine(fmt.Sprintf("%s:%d", l.File, l.Line))
		p.fields(diff.Lines(l.edits, "  ", maxFields))
	}
}

// printRepeated lists the accepted requests whose edits were shown with other requests: one list
// for each edit.
func (a *acceptance) printRepeated() {
	p := newPrinter(a.out, false)
	verb := "accepted"
	if a.dry {
		verb = "would be accepted"
	}
	for _, key := range slices.Sorted(maps.Keys(a.repeated)) {
		lines := slices.DeleteFunc(slices.Clone(a.repeated[key]), func(l acceptLine) bool {
			return a.isUndone(l.path)
		})
		if len(lines) == 0 {
			continue
		}
		p.write("\n")
		p.line(0, bold, "%s %s, with the same edit as %s:",
			count(len(lines), "more request"), verb, a.shownAt[key])

		numbers := map[string][]int{} // of recordings, by file
		for _, l := range lines {
			numbers[l.File] = append(numbers[l.File], l.Number)
		}
		about := map[string]string{} // by file
		for file, list := range numbers {
			slices.Sort(list)
			about[file] = " (" + ranges(list) + ")"
		}
		p.files(2, slices.Sorted(maps.Keys(numbers)), about)
	}
}

// isUndone reports whether the changes of a cassette were undone.
func (a *acceptance) isUndone(path string) bool {
	file := a.files[path]
	return file != nil && file.undone != nil
}

// lineOf returns the line for a finding, with the recording of a number from 0; -1 if there is
// none.
func lineOf(run *missed.Run, stored *cassette.File, f *accept.Finding, number int) acceptLine {
	l := acceptLine{
		File:   filepath.ToSlash(here(run.Cassette)),
		Call:   f.Form.Name(),
		Code:   f.Refused.Code,
		Reason: f.Refused.Text,
		path:   run.Cassette,
		edits:  f.Edits,
	}
	if number >= 0 {
		l.Line = stored.Interactions[number].Line
		l.Number = number + 1
	}
	for _, e := range f.Edits {
		l.Edits = append(l.Edits, acceptEdit{fieldpath.Short(e.Path), e.Recorded, e.Incoming})
	}
	return l
}

// acceptMissed accepts the requests that the tests of a round missed, where it is clear which
// recording is meant. It reports whether a cassette has changed.
func (a *acceptance) acceptMissed(runs []missed.Run) (changed bool, err error) {
	a.refused = nil
	a.followUps = nil
	for i := range runs {
		isSameCassette := i > 0 && runs[i].Cassette == runs[i-1].Cassette
		if isSameCassette {
			continue // the next round shows whether its requests still have no recording
		}
		fileChanged, err := a.acceptCassette(&runs[i], runs[i+1:])
		if err != nil {
			return changed, err
		}
		changed = changed || fileChanged
	}
	if !changed {
		a.refused = append(a.refused, a.followUps...)
	}
	for _, path := range slices.Sorted(maps.Keys(a.files)) {
		if undone := a.files[path].undone; undone != nil {
			a.refused = append(a.refused, *undone)
		}
	}
	return changed, nil
}

// acceptCassette accepts the requests that a run missed in its cassette. more are the runs that
// follow in the list, of this cassette and others.
func (a *acceptance) acceptCassette(run *missed.Run, more []missed.Run) (changed bool, err error) {
	if a.isUndone(run.Cassette) {
		return false, nil
	}
	stored, err := cassette.Load(run.Cassette)
	if os.IsNotExist(err) {
		stored = new(cassette.File)
	} else if err != nil {
		return false, err
	}
	calls, err := callsOf(run, more)
	if err != nil {
		return false, err
	}
	asked := &accept.Run{
		Stored:            stored.Interactions,
		Calls:             calls,
		Options:           &run.Options,
		AllowNewQuestions: a.allowQuestions,
	}
	if file := a.files[run.Cassette]; file != nil {
		asked.Originals = file.originals
	}

	replaced := accept.Originals{}
	var lines []acceptLine
	for _, f := range accept.Assign(asked) {
		switch {
		case f.Contested:
			return true, a.undo(run.Cassette, lineOf(run, stored, &f, f.Near))
		case f.FollowsMiss:
			f.Refused = accept.Refusal{
				Code: finding.FollowsMiss,
				Text: "this request contains the report of a miss, which the program took for an answer",
			}
			a.followUps = append(a.followUps, lineOf(run, stored, &f, -1))
		case !f.Refused.IsZero():
			a.refused = append(a.refused, lineOf(run, stored, &f, f.Near))
		default:
			lines = append(lines, a.replace(run, stored, &f, replaced)...)
		}
	}
	if len(replaced) == 0 {
		return false, nil
	}
	if err := a.write(run, stored, replaced); err != nil {
		for _, l := range lines {
			l.Code = finding.CodeOf(err)
			l.Reason = err.Error()
			a.refused = append(a.refused, l)
		}
		return false, nil
	}
	a.printAccepted(lines)
	a.accepted = append(a.accepted, lines...)
	return true, nil
}

// printAccepted prints accepted requests. Those with an edit that was shown already are kept for
// printRepeated.
func (a *acceptance) printAccepted(lines []acceptLine) {
	verb := "accepted"
	if a.dry {
		verb = "would accept"
	}
	for _, l := range lines {
		key := l.editKey()
		if key != "" && a.shownAt[key] != "" {
			a.repeated[key] = append(a.repeated[key], l)
			continue
		}
		a.printRequest(verb, &l)
	}
}

// callsOf returns the requests of a run, and the recordings that other runs of the same cassette
// played: they may not be replaced.
func callsOf(run *missed.Run, more []missed.Run) (calls []accept.Call, err error) {
	for _, c := range run.Calls {
		call := accept.Call{Played: c.Played, Session: c.Session}
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
			isPlayed := other.Cassette == run.Cassette && c.Played >= 0
			if isPlayed {
				calls = append(calls, accept.Call{Played: c.Played})
			}
		}
	}
	return calls, nil
}

// replace adds to replaced the recordings that take requests, unless the user declines.
func (a *acceptance) replace(
	run *missed.Run, stored *cassette.File, f *accept.Finding, replaced accept.Originals,
) (lines []acceptLine) {
	for i, number := range f.Recordings {
		l := lineOf(run, stored, f, number)
		declined := a.confirm(&l, f)
		if declined != "" {
			l.Code = finding.EditDeclined
			l.Reason = declined
			a.refused = append(a.refused, l)
			continue
		}
		replaced[number] = accept.WithRequest(stored.Interactions[number], f.Missed[i], &run.Options)
		lines = append(lines, l)
	}
	return lines
}

// confirm asks the user whether to accept a request, if -i is set and the user has not decided
// yet. It returns why the request was declined, "" if it was not.
func (a *acceptance) confirm(l *acceptLine, f *accept.Finding) (declined string) {
	key := l.path + "\x00" + f.Form.Key()
	if a.input == nil || a.confirmed[l.editKey()] {
		return ""
	}
	if a.declined[key] == "" {
		a.printRequest("accept", l)
		a.declined[key] = a.ask(l)
	}
	return a.declined[key]
}

// ask reads the answer of the user about a request. It returns why the request was declined, ""
// if it was not.
func (a *acceptance) ask(l *acceptLine) (declined string) {
	for {
		fmt.Fprint(a.out, "  yes, no, or all with this edit? [y/n/a] ")
		answer, err := a.input.ReadString('\n')
		switch strings.ToLower(strings.TrimSpace(answer)) {
		case "y", "yes":
			return ""
		case "a", "all":
			a.confirmed[l.editKey()] = true
			return ""
		case "n", "no":
			return "you said no"
		}
		if err != nil {
			return "no answer: the input ended; type y, n or a, or leave out -i"
		}
	}
}

// write replaces recordings in a cassette.
func (a *acceptance) write(run *missed.Run, stored *cassette.File, replaced accept.Originals) error {
	if run.Ceiling != "" {
		return finding.Errorf(finding.WritingForbidden, "", "%s: remove that first", run.Ceiling)
	}
	original, err := rewrite.Rewrite(run.Cassette, run.Sum, canon.Revision, replaced, refresh, a.dry)
	if err != nil {
		relative := filepath.ToSlash(here(run.Cassette))
		text := strings.ReplaceAll(err.Error(), run.Cassette, relative)
		return finding.Errorf(finding.NotSaved, "", "%s", text)
	}
	file := a.files[run.Cassette]
	if file == nil {
		file = &acceptedFile{original: original, originals: accept.Originals{}}
		a.files[run.Cassette] = file
	}
	for number := range replaced {
		if file.originals[number] == nil {
			file.originals[number] = stored.Interactions[number]
		}
	}
	return nil
}

// undo restores the text of a cassette before the first round. Further requests of the cassette
// are refused.
func (a *acceptance) undo(path string, why acceptLine) error {
	file := a.files[path]
	why.Reason += ". Everything that was accepted in this cassette was undone"
	file.undone = &why
	a.accepted = slices.DeleteFunc(a.accepted, func(l acceptLine) bool { return l.path == path })
	fmt.Fprintf(a.out, "%s: undone\n", redact.OneLine(filepath.ToSlash(here(path))))
	return rewrite.Restore(path, file.original)
}

// acceptedFiles returns the cassettes with accepted requests.
func (a *acceptance) acceptedFiles() (files []string) {
	for _, l := range a.accepted {
		files = addNew(files, l.File)
	}
	return files
}

// tidy removes assets that the changed cassettes no longer use.
func (a *acceptance) tidy() error {
	if a.dry {
		return nil
	}
	for path := range a.files {
		if a.isUndone(path) {
			continue
		}
		if err := rewrite.Tidy(path); err != nil {
			return err
		}
	}
	return nil
}
