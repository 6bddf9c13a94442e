// Saving what a run recorded.
//
// save collects the facts of the run, asks decide for the verdict (decide.go),
// and carries it out. Every file is saved in these steps:
//
//  1. Write the file next to the old one, and swap the two (writeFile).
//  2. Remove the journal, and any other file that the new one replaces (removeReplaced).
//  3. Note what was saved (noteSaved).
//
// An error ends that, so nothing is removed before what replaces it is on disk.

package recorder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// save saves the recordings of a run that ended with outcome o. The recordings
// can make it a failed run: runFailed reports whether it is one now.
func (r *Recorder) save(o report.Outcome) (runFailed bool, err error) {
	if r.plan.derive {
		return o.Failed, r.saveDerived(&o)
	}
	if !r.plan.record {
		return o.Failed, nil
	}

	ambiguous := r.reportAmbiguous(&o)
	hasSecretValue := r.values.check()
	if ambiguous || hasSecretValue || r.log.HasErrors() {
		o.Failed = true
	}

	recorded, refused := r.worthSaving(&o)
	if refused != nil {
		o.Failed = true
		if r.config.onRecordError == Fail {
			return true, refused
		}
	}

	f := r.facts(o, recorded)
	f.ambiguous = ambiguous
	f.outdated = errors.As(refused, new(outdatedError))
	f.lost = r.lacksAnswer(&o)

	v := decide(r.plan, r.tape.State, f)
	err = r.carryOut(v, recorded, o.Failed, refused != nil)
	if o.Ambiguous && o.Whole() && err == nil && !v.setAside {
		recordedHere.Store(r.log.Path, formKeys(recorded))
	}
	return o.Failed, both(refused, err)
}

// both returns two errors, each of which may be nil, as one. An error that is
// alone stays what it is: a report tells a finding of several tests once.
func both(a, b error) error {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return errors.Join(a, b)
}

// facts collects what the save decision depends on. recorded are the recordings
// of this run that are to be saved.
func (r *Recorder) facts(o report.Outcome, recorded []*tape.Recording) runFacts {
	usedBefore := r.tape.UsedBy(o.Test) // by another test of this process
	hasOthers := o.Shared && o.Selected && len(r.config.allowUnused) > 0
	return runFacts{
		Outcome:   o,
		asMany:    len(recorded) >= r.tape.Replaced(),
		shared:    usedBefore || hasOthers,
		doubtful:  len(r.log.Misses()) > 0 || len(r.tape.Conflicts()) > 0,
		overtaken: r.tape.Overtaken(),
		sameName:  r.wouldDropOther(&o, recorded),
		refused:   r.life.refused.Load(),
		tried:     r.try > 0,
	}
}

// recordedHere has the requests that tests of this process have recorded and passed with, by the
// paths of their cassettes, for tests whose names need not be their own.
var recordedHere sync.Map // map[string][]string, keys of forms

// wouldDropOther reports whether the recordings of this run would replace those of another test of
// this process with the same name. A test that is run again, as with -count=2 or
// Ginkgo's FlakeAttempts, sends the same requests; one that does not is another test.
func (r *Recorder) wouldDropOther(o *report.Outcome, recorded []*tape.Recording) bool {
	if !o.Ambiguous || !r.plan.rerecord {
		return false
	}
	before, ok := recordedHere.Load(r.log.Path)
	if !ok {
		return false
	}
	keys := formKeys(recorded)
	isNotSent := func(key string) bool { return !slices.Contains(keys, key) }
	return slices.ContainsFunc(before.([]string), isNotSent)
}

// formKeys returns the keys of the requests of recordings.
func formKeys(list []*tape.Recording) (keys []string) {
	for _, rec := range list {
		keys = append(keys, rec.Form().Key())
	}
	return keys
}

// reportAmbiguous reports as errors the recordings that replay cannot tell
// apart: two local servers, or two accounts, answered the same request
// differently. Those that were in the cassette count too, so that it is never
// saved as whole with them.
func (r *Recorder) reportAmbiguous(o *report.Outcome) (found bool) {
	servers := r.tape.AmbiguousServers(r.log.AllowUnused)
	fields := r.tape.AmbiguousFields()
	if servers != nil {
		r.log.Error(&finding.Error{Code: finding.ServersAmbiguous, Err: errors.New(r.log.ServerClash(o, servers))})
	}
	for _, c := range fields {
		text := r.log.FieldClash(o, c, r.config.mayWrite(c.Path))
		r.log.Error(&finding.Error{Code: finding.FieldAmbiguous, Err: errors.New(text)})
	}
	return servers != nil || len(fields) > 0
}

// carryOut saves the recordings of this run as a verdict says. isIncomplete says
// that the run sent requests that are not among them.
func (r *Recorder) carryOut(v verdict, recorded []*tape.Recording, runFailed, isIncomplete bool) error {
	if v.inJournal {
		return r.leaveJournal(recorded)
	}
	values := r.values.toSave(v.dropsUnusedValues())
	hasNewValues := r.values.added()
	if runFailed && len(recorded) == 0 {
		// No request was recorded with the new values.
		values = r.tape.State.RecordedValues
		hasNewValues = false
	}

	if len(recorded) == 0 && (v.setAside || r.plan.rerecord) {
		return r.leaveUnchanged(v, hasNewValues)
	}
	if v.setAside {
		return r.saveNextTo(recorded, values, v.reason, isIncomplete)
	}

	next, dropped := r.merge(v, recorded)
	leavesUnused := v.marks == markWhileUnused && len(r.log.Unused()) > 0
	f := newFile{
		path:       r.log.Path,
		name:       r.file,
		values:     values,
		recordings: next,
		partial:    v.marks == markPartial || leavesUnused,
		dropped:    dropped,
	}
	passedUpdate := v.keeps == keepUsed
	savesOver := r.plan.rerecord && r.tape.State.Present
	hadFailedTry := r.try > 1
	if passedUpdate || savesOver || hadFailedTry {
		f.replaces = r.tape.Failed()
	}

	if len(next) == 0 {
		// Nothing would be left: a run does not empty its cassette.
		return r.removeWorthlessJournal()
	}
	hasNew := len(recorded) > 0 || hasNewValues
	if !hasNew && !r.differs(&f) {
		return r.keepAsIs(&f)
	}
	err := r.saveFile(&f)
	if errors.Is(err, errOvertaken) {
		return r.saveNextTo(recorded, values, reasonOvertaken, isIncomplete)
	}
	return err
}

// differs reports whether a file without anything new differs from the
// cassette: in what it lacks, in its mark, or because git left a merge conflict
// in the cassette.
func (r *Recorder) differs(f *newFile) bool {
	return f.dropped > 0 || f.partial != r.tape.State.Partial || r.tape.Healed != nil
}

// keepAsIs leaves a cassette that is what this run would save.
func (r *Recorder) keepAsIs(f *newFile) error {
	if f.replaces != "" {
		if err := cassette.Remove(f.replaces); err != nil {
			return err
		}
	}
	return r.removeWorthlessJournal()
}

// leaveUnchanged leaves the cassette of a run that recorded nothing.
func (r *Recorder) leaveUnchanged(v verdict, hasNewValues bool) error {
	if v.reason != "" && hasNewValues {
		return r.errorf(finding.NotSaved, "not written: %s. Run the test again", v.reason)
	}
	if r.tape.State.Present && r.plan.rerecord {
		r.log.Notef(finding.NothingRecorded, "%s was left unchanged: nothing was recorded", r.file)
	}
	return r.removeWorthlessJournal()
}

// leaveJournal leaves what a run recorded in the journal, for the next run.
func (r *Recorder) leaveJournal(recorded []*tape.Recording) error {
	if len(recorded) > 0 {
		r.log.Notef(finding.JournalLeft, "%s: %s in %s: the next run that records goes on from there",
			r.file, english.Count(len(recorded), "answer"),
			cassette.PathWithSuffix(r.file, tape.JournalSuffix))
	}
	return r.removeWorthlessJournal()
}

// lacksAnswer reports whether a request of this run failed or got no answer, and no retry succeeded.
func (r *Recorder) lacksAnswer(o *report.Outcome) bool {
	succeededLater := r.tape.SucceededLater()
	for _, rec := range r.tape.Recordings() {
		w := r.worth(rec, succeededLater[rec], o)
		if rec.Fresh() && !w.saves() && w != canceledByEnd {
			return true
		}
	}
	for _, call := range r.log.FailedCalls() {
		if !r.tape.Succeeded(call.Form) {
			return true
		}
	}
	return false
}

// removeWorthlessJournal removes the journal, unless it has a success, or
// something that a killed run recorded: the next run resumes from that.
func (r *Recorder) removeWorthlessJournal() error {
	isWorthResuming := func(rec *tape.Recording) bool {
		isSuccess := rec.Fresh() && rec.Complete() && !rec.Failed()
		return isSuccess || rec.Resumed() && !rec.Carried()
	}
	if slices.ContainsFunc(r.tape.Recordings(), isWorthResuming) {
		return nil
	}
	return r.tape.Journal.Remove()
}

// merge returns the recordings that a cassette has from now on: those of this
// run, and those old ones that the verdict keeps. dropped is how many it loses
// because this run did not use them.
func (r *Recorder) merge(
	v verdict, recorded []*tape.Recording,
) (next []*tape.Recording, dropped int) {
	if r.tape.Replaced() > 0 && (r.plan.rerecord || r.plan.rerecordsSome()) {
		r.tape.KeepUnchanged(recorded)
	}

	switch v.keeps {
	case keepAll, keepUsed:
		next, dropped = r.insert(v, recorded)
	case keepNotRerecorded, keepFrozen, keepNone:
		next, dropped = r.replace(v, recorded)
	}

	if r.plan.rerecord && len(r.config.frozen) > 0 {
		next = slices.Concat(next, r.tape.Played(v.keepsUnusedFrozen()))
		tape.SortAsked(next)
	}
	return next, dropped
}

// replace is merge for a run that recorded the whole cassette again.
func (r *Recorder) replace(
	v verdict, recorded []*tape.Recording,
) (next []*tape.Recording, dropped int) {
	old := r.tape.NotRerecorded(recorded)
	if v.keeps != keepNotRerecorded {
		return recorded, len(old)
	}
	if len(old) > 0 {
		r.log.Notef(finding.OldKept, "%s: kept %s that this run did not record again; %s",
			r.file, english.Count(len(old), "recording"), r.words().DropOld)
	}
	return slices.Concat(recorded, old), 0
}

// insert is merge for a run that played recordings: the new ones go to their
// places among these.
func (r *Recorder) insert(
	v verdict, recorded []*tape.Recording,
) (next []*tape.Recording, dropped int) {
	next = slices.DeleteFunc(r.tape.Recordings(), func(rec *tape.Recording) bool {
		isOfThisRun := rec.Fresh() || rec.Resumed()
		return isOfThisRun && !slices.Contains(recorded, rec)
	})
	if v.keeps == keepUsed {
		next = tape.WithoutReplaced(next, recorded)
	}
	unused := r.log.Unused()

	var neverAsked []*tape.Recording // old ones that no later run will ask for
	if r.plan.rerecordsSome() {
		neverAsked = r.tape.TakePlaces(recorded)
		next = append(next, neverAsked...)
		tape.SortPlaced(next)
	} else {
		next, neverAsked = r.tape.InRunOrder(next)
	}
	if v.keeps != keepUsed {
		return next, 0
	}

	neverAsked = slices.DeleteFunc(neverAsked, r.log.MayBeUnused)
	unused = append(unused, neverAsked...)
	before := len(next)
	next = slices.DeleteFunc(next, func(rec *tape.Recording) bool {
		return slices.Contains(unused, rec)
	})
	next = r.tape.WithoutOutdated(next)
	return next, before - len(next)
}

// saveNextTo saves what was recorded to NAME.yaml.failed, next to the cassette,
// which stays as it is. If there is a reason, that is an error. The command that
// uses the new recordings is printed only if no request is missing from them.
func (r *Recorder) saveNextTo(
	list []*tape.Recording, values interaction.RecordedValues, reason string, isIncomplete bool,
) error {
	if r.try > 1 && r.failedHas() >= len(list) {
		return r.tape.Journal.Remove() // an earlier try got as far
	}
	f := newFile{
		path:       r.tape.Failed(),
		name:       cassette.PathWithSuffix(r.file, tape.FailedSuffix),
		values:     values,
		recordings: list,
		partial:    true,
	}
	if err := r.saveFile(&f); err != nil {
		return err
	}
	if reason != "" {
		return r.errorf(finding.NotSaved, "not written: %s. What this run recorded is in %s", reason, f.name)
	}
	if isIncomplete {
		r.log.Notef(finding.SetAside, "%s was left unchanged, because some requests are not recorded. "+
			"The others are in %s", r.file, f.name)
		return nil
	}
	r.log.Notef(finding.SetAside, "%s was left unchanged because the "+
		"run failed or was incomplete. To use the new recordings:\n  %s",
		r.file, r.log.UseFailed())
	return nil
}

// failedHas returns how many recordings an earlier try of the test has set aside.
func (r *Recorder) failedHas() int {
	f, err := cassette.Load(r.tape.Failed())
	if err != nil {
		return 0
	}
	return len(f.Interactions)
}

// saveDerived saves the result of a run in which a part of the cassette was
// live.
func (r *Recorder) saveDerived(o *report.Outcome) error {
	live, refused := r.worthSaving(o)
	if !r.plan.saveDerived || len(live) == 0 {
		return refused
	}
	r.values.check()
	list := slices.Concat(r.tape.Played(false), live)
	tape.SortPlaced(list)
	err := r.saveFile(&newFile{
		path:       derivedName(r.log.Path),
		name:       derivedName(r.file),
		values:     r.values.toSave(false),
		recordings: list,
		partial:    o.Failed,
	})
	return both(refused, err)
}

// derivedName returns the name of the file for the result of live calls:
// NAME.derived.yaml for the cassette NAME.yaml.
func derivedName(cassetteName string) string {
	ext := filepath.Ext(cassetteName)
	return cassette.PathWithSuffix(strings.TrimSuffix(cassetteName, ext), ".derived"+ext)
}

// A newFile is a file of recordings that is to be saved.
type newFile struct {
	path       string // absolute
	name       string // for messages
	values     interaction.RecordedValues
	recordings []*tape.Recording
	partial    bool   // it is marked partial
	dropped    int    // recordings of the cassette that it lacks because the run did not use them
	replaces   string // the path of another file that it replaces; "" if none
}

// errOvertaken says that another process has made the cassette since the
// verdict.
var errOvertaken = errors.New(reasonOvertaken)

// saveFile saves a file, and then removes what it replaces. The error of a
// removal says that the file was saved.
func (r *Recorder) saveFile(f *newFile) error {
	if err := r.writeFile(f); err != nil {
		return err
	}
	if err := r.removeReplaced(f); err != nil {
		return err
	}
	r.noteSaved(f)
	return nil
}

// writeFile writes a file next to the old one, and swaps the two.
func (r *Recorder) writeFile(f *newFile) error {
	err := r.tape.Save(f.path, f.name, f.values, f.recordings, f.partial)
	if errors.Is(err, fs.ErrExist) && f.path == r.log.Path {
		return errOvertaken
	}
	if err != nil {
		return err
	}
	dateAhead(f.path)
	r.count(f)
	return nil
}

// removeReplaced removes the files that a saved one replaces.
func (r *Recorder) removeReplaced(f *newFile) error {
	if err := r.tape.Journal.Remove(); err != nil {
		return finding.Errorf(finding.LeftoverNotRemoved, f.name,
			"saved, but its journal could not be removed: %w", err)
	}
	if f.replaces == "" {
		return nil
	}
	if err := cassette.Remove(f.replaces); err != nil {
		return finding.Errorf(finding.LeftoverNotRemoved, f.name,
			"saved, but an older file could not be removed: %w", err)
	}
	return nil
}

// count counts what was saved, for the summary of the run.
func (r *Recorder) count(f *newFile) {
	r.log.Saved.Add(f.path)
	r.log.Dropped.Add(int64(f.dropped))
	for _, rec := range f.recordings {
		if !rec.Fresh() && !rec.Resumed() {
			r.log.Kept.Add(1)
		}
	}
}

// noteSaved notes what was dropped and saved.
func (r *Recorder) noteSaved(f *newFile) {
	if f.dropped > 0 {
		dropped := english.Count(f.dropped, "recording")
		r.log.Notef(finding.Dropped, "%s: dropped %s that this run did not use", f.name, dropped)
	}
	note := fmt.Sprintf("saved %s to %s", english.Count(len(f.recordings), "interaction"), f.name)
	if f.partial && f.path == r.log.Path {
		note += ", marked partial: the test failed or ran only in part; " +
			"its next complete, passing run completes the cassette"
	}
	r.log.Note(finding.Saved, note)
}
