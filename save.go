package promptecho

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// save writes what this run recorded to where it belongs. If what was recorded makes the
// run a failed one, save says so in o.
func (r *Recorder) save(o *report.Outcome) error {
	switch {
	case r.plan.derive:
		return r.saveDerived(o)
	case !r.plan.record:
		return nil
	}
	clash, unfit := r.tellClashes(o), r.given.check()
	o.Failed = o.Failed || clash || unfit || r.log.HasErrors()
	list, refused := r.toSave(o)
	o.Failed = o.Failed || refused != nil
	if refused != nil && r.config.onRecordError == Fail {
		return refused
	}
	f := fateOf(r.plan, r.tape.State, ending{
		Outcome:   *o,
		clash:     clash,
		overtaken: r.tape.Overtaken(),
		shared:    r.tape.UsedBy(o.Test) || o.Shared && o.Selected && len(r.config.allowUnused) > 0,
		doubtful:  len(r.log.Misses())+len(r.tape.Contests()) > 0,
		outdated:  errors.As(refused, new(outdatedError)),
	})
	f.failed = o.Failed
	return errors.Join(refused, r.write(f, list))
}

// tellClashes reports whether there are recordings that replay could not tell apart, and
// tells of them: two local servers, or two accounts, answered the same request differently.
// Recordings that were loaded count as well, so that a cassette does not become whole while
// it holds such recordings.
func (r *Recorder) tellClashes(o *report.Outcome) (found bool) {
	servers, fields := r.tape.ServerClash(r.log.AllowUnused), r.tape.UnsaidClashes()
	if servers != nil {
		r.log.Error(errors.New(r.log.ServerClash(o, servers)))
	}
	for _, c := range fields {
		r.log.Error(errors.New(r.log.FieldClash(o, c, r.config.mayWrite(c.Path))))
	}
	return servers != nil || len(fields) > 0
}

// toSave returns those recordings of this run that are to be written, in the order asked,
// and an error if one of this run's recordings is a failure that must not be written.
func (r *Recorder) toSave(o *report.Outcome) (list []*tape.Recording, refused error) {
	within, later := r.tape.WithinPlayed(), r.tape.SucceededLater()
	for _, rec := range r.tape.Recordings() {
		save, err := false, error(nil)
		switch {
		case rec.Resumed():
			// A complete run that did not ask for it no longer needs it.
			save = rec.Used() || within(rec) || !o.AskedAll()
		case rec.InVain() && o.Whole():
			// What called it is not recorded, so nothing will ask for it.
		case rec.Fresh():
			save, err = r.mayKeep(rec, later, o)
		}
		if err != nil {
			refused = err
			if r.config.onRecordError == Fail {
				return nil, refused
			}
		}
		if save {
			list = append(list, rec)
		}
	}
	for _, call := range r.log.FailedCalls() {
		text := fmt.Sprintf("%s: not recorded: %s", r.file, call.Text)
		if r.plan.again && !r.tape.Succeeded(call.Form) {
			refused = fmt.Errorf("%s. If that is what the test is about, say so with OnRecordError(Keep)", text)
			continue
		}
		r.log.Note(text)
	}
	return list, refused
}

// An outdatedError says that a request failed because of an answer that was replayed.
type outdatedError string

func (e outdatedError) Error() string { return string(e) }

// mayKeep reports whether a recording of this run is to be written; later are those whose
// request succeeded later. It returns an error if the recording is a failure that must not be written.
func (r *Recorder) mayKeep(rec *tape.Recording, later map[*tape.Recording]bool, o *report.Outcome) (bool, error) {
	it := rec.Head()
	what := it.Request.String()
	if wrote := r.tape.WrittenBefore(rec); wrote != nil && !r.plan.again && r.config.onRecordError != Keep && !rec.Failed() {
		return false, outdatedError(fmt.Sprintf("%s:%d: this recording was replayed, and wrote something to a local server (%s). What was asked there later is not recorded, because the server is a new one, at another port, and lacks that: %s. To record everything again: PROMPTECHO_MODE=all. If it needs nothing of that, say so with OnRecordError(Keep)", r.file, wrote.Line(), wrote.Head().Request.String(), what))
	}
	switch {
	case (o.Failed || o.Stopped) && (rec.Canceled() || rec.Complete() && it.Response.LeftWaiting()):
		return false, nil // most likely that canceled it, and a test that passes does not
	case !rec.Complete():
		r.log.Notef("%s: not recorded: %s: it had no answer when the recorder was closed: the program sent it in the background, and the test did not wait for it", r.file, what)
		return false, nil
	case !rec.Failed() || r.config.onRecordError == Keep || later[rec]:
		return true, nil
	}
	what += ": " + report.Failure(&it.Response)
	if status := it.Response.Status; r.plan.update && status >= 400 && status < 500 && status != http.StatusTooManyRequests && r.tape.FollowsPlayed(rec) {
		return false, outdatedError(fmt.Sprintf("%s: not updated: %s. The request follows an answer that was replayed, and may use something from it (a response id, a file, a cache) that no longer exists at the provider. To record everything again: PROMPTECHO_MODE=all", r.file, what))
	}
	before := r.tape.SucceededBefore(rec)
	switch status := it.Response.Status; {
	case r.config.onRecordError == Fail:
		return false, fmt.Errorf("%s: nothing was written, because a request failed and OnRecordError(Fail) is set: %s", r.file, what)
	case before != nil:
		return false, fmt.Errorf("%s:%d: not replaced: this recording is a success, and the new one a failure: %s. If that is what the test is about, say so with OnRecordError(Keep)%s", r.file, before.Line(), what, r.goOn(status))
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return false, fmt.Errorf("%s: not recorded: the server refused access: %s. Set a key that has access; if the refusal is what the test is about, say so with OnRecordError(Keep)", r.file, what)
	case o.Failed:
		r.log.Notef("failed, and not recorded in %s: %s%s", r.file, what, r.goOn(status))
		return false, nil
	}
	r.log.Failures.Add(rec)
	r.log.Notef("%s: a failure is recorded: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, what)
	return true, nil
}

// goOn says what to do about a provider that is asked too much, or is not there for a while.
func (r *Recorder) goOn(status int) string {
	if status != http.StatusTooManyRequests && status < 500 {
		return ""
	}
	const advice = ". Run it again later, or with fewer tests at once: go test's flags -p=1 -parallel=1 do that"
	if r.plan.again || r.plan.renew {
		return advice
	}
	return advice + ". What is already recorded is not sent again"
}

// write carries out the fate of the cassette; recorded is what this run adds to it.
func (r *Recorder) write(f fate, recorded []*tape.Recording) error {
	top, added := r.given.kept(f), r.given.added()
	if f.failed && len(recorded) == 0 { // nothing was asked with what is new
		top, added = r.tape.State.Given, false
	}
	switch {
	case f.beside && len(recorded) == 0 && added && f.reason != "":
		return fmt.Errorf("%s: not written: %s. Run the test again", r.file, f.reason)
	case len(recorded) == 0 && (f.beside || r.plan.again):
		if r.tape.State.Present && r.plan.again {
			r.log.Notef("%s was left unchanged: nothing was recorded", r.file)
		}
		return r.nothing()
	case f.beside:
		return r.saveBeside(top, recorded, f.reason)
	}
	if r.tape.Replaced() > 0 && (r.plan.again || r.plan.renew) {
		r.tape.KeepUnchanged(recorded)
	}
	list, dropped := r.kept(f, recorded)
	if r.plan.again && len(r.config.frozen) > 0 {
		list = slices.Concat(list, r.tape.Played(f.keep == keepUnasked))
		tape.SortAsked(list)
	}
	partial := f.marked || f.markedIfUnused && len(r.log.Unused()) > 0
	if f.keep == keepAsked { // a run in mode update that passed
		if err := cassette.Remove(r.tape.Failed()); err != nil {
			return err
		}
	}
	if len(list) == 0 || len(recorded)+dropped == 0 && !added && partial == r.tape.State.Partial && r.tape.Healed == nil {
		return r.nothing()
	}
	if dropped > 0 {
		r.log.Notef("%s: dropped %s that this run did not use", r.file, report.Count(dropped, "recording"))
	}
	switch err := r.saveTo(r.log.Path, r.file, top, list, partial); {
	case errors.Is(err, fs.ErrExist):
		return r.saveBeside(top, recorded, overtaken)
	case err != nil:
		return err
	}
	r.log.Dropped.Add(int64(dropped))
	if r.plan.again && r.tape.State.Present {
		return cassette.Remove(r.tape.Failed())
	}
	return nil
}

// nothing removes the journal if nothing in it is worth another run.
func (r *Recorder) nothing() error {
	if slices.ContainsFunc(r.tape.Recordings(), func(rec *tape.Recording) bool {
		return rec.Resumed() || rec.Fresh() && rec.Complete() && !rec.Failed()
	}) {
		return nil
	}
	return r.tape.Journal.Remove()
}

// kept returns what the cassette holds afterwards, which is what was recorded and those of its other
// recordings that its fate keeps, and how many it drops because this run did not ask for them.
func (r *Recorder) kept(f fate, recorded []*tape.Recording) (list []*tape.Recording, dropped int) {
	if f.keep == keepNone || f.keep == keepUnasked {
		unasked := r.tape.NotAskedAgain(recorded)
		if f.keep == keepNone || f.asMany && len(recorded) >= r.tape.Replaced() {
			return recorded, len(unasked)
		}
		if len(unasked) > 0 {
			r.log.Notef("%s: kept %s that this run did not record again; to keep nothing old, delete the file before recording", r.file, report.Count(len(unasked), "recording"))
		}
		return slices.Concat(recorded, unasked), 0
	}
	list = slices.DeleteFunc(r.tape.Recordings(), func(rec *tape.Recording) bool {
		return (rec.Fresh() || rec.Resumed()) && !slices.Contains(recorded, rec)
	})
	unasked := r.log.Unused()
	if r.plan.renew {
		left := r.tape.TakePlaces(recorded)
		list = append(list, left...)
		tape.SortPlaced(list)
		unasked = append(unasked, slices.DeleteFunc(left, r.log.MayBeUnused)...)
	} else {
		unasked = append(unasked, slices.DeleteFunc(r.tape.InRunOrder(list), r.log.MayBeUnused)...)
	}
	if f.keep == keepAsked {
		all := len(list)
		list = r.tape.WithoutOutdated(slices.DeleteFunc(list, func(rec *tape.Recording) bool { return slices.Contains(unasked, rec) }))
		dropped = all - len(list)
	}
	return list, dropped
}

// saveBeside saves what was recorded beside the cassette, which stays as it is. It
// returns an error with the reason, if there is one. That the run did not pass needs no
// reason.
func (r *Recorder) saveBeside(top interaction.Given, list []*tape.Recording, reason string) error {
	name := cassette.Beside(r.file, tape.FailedSuffix)
	if err := r.saveTo(r.tape.Failed(), name, top, list, true); err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("%s: not written: %s. What this run recorded is in %s", r.file, reason, name)
	}
	r.log.Notef("%s was left unchanged because the run failed or was incomplete. To use the new recordings:\n  %s", r.file, r.log.UseFailed())
	return nil
}

// derivedName returns the name of the file for what comes of live parts: NAME.derived.yaml
// for the cassette NAME.yaml.
func derivedName(cassetteName string) string {
	ext := filepath.Ext(cassetteName)
	return cassette.Beside(strings.TrimSuffix(cassetteName, ext), ".derived"+ext)
}

// saveDerived saves what came of a run that was live in part.
func (r *Recorder) saveDerived(o *report.Outcome) error {
	live, refused := r.toSave(o)
	if !r.plan.saveDerived || len(live) == 0 {
		return refused
	}
	r.given.check()
	list := slices.Concat(r.tape.Played(false), live)
	tape.SortPlaced(list)
	return errors.Join(refused, r.saveTo(derivedName(r.log.Path), derivedName(r.file), r.given.kept(fate{}), list, o.Failed))
}

// saveTo saves recordings, and what they give their test, to the file at path, called name
// in messages.
func (r *Recorder) saveTo(path, name string, top interaction.Given, list []*tape.Recording, partial bool) error {
	if err := r.tape.Save(path, name, top, list, partial); err != nil {
		return err
	}
	dateAhead(path)
	r.log.Saved.Add(path)
	for _, rec := range list {
		if !rec.Fresh() && !rec.Resumed() {
			r.log.Kept.Add(1)
		}
	}
	if err := r.tape.Journal.Remove(); err != nil { // all of it has been saved
		return fmt.Errorf("%s: saved, but its journal could not be removed: %w", name, err)
	}
	note := fmt.Sprintf("saved %s to %s", report.Count(len(list), "interaction"), name)
	if partial && path == r.log.Path {
		note += ", marked partial: the test failed or ran only in part; its next complete, passing run completes the cassette"
	}
	r.log.Note(note)
	return nil
}
