package promptecho

import (
	"errors"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
)

// Close ends the recorder: it settles answers that are still being read, saves
// the cassette if the record mode records, and returns what is wrong, joined:
// misses, recordings that no request used, a recorder that no request reached,
// and a cassette that could not be saved. Closing again, also while the first
// Close is at work, returns the same.
//
// The cassette is written whole or not at all: to a temporary file that is
// renamed and read back. A run that recorded nothing writes nothing.
//
// In a test Close does not know how the run ended; package echotest does. So it drops no
// recording that was there before, also in mode all. It takes a panic, a test that ends
// with FailNow or SkipNow while it is deferred, and outside of a test -run and -skip, for
// what they are.
func (r *Recorder) Close() error {
	var errs []error
	o := report.Outcome{Unsure: testing.Testing()}
	if !r.allWell() {
		o.Failed = report.Panicking() || report.Exiting()
		o.Filtered = !report.InTest() && (isSet("test.run") || isSet("test.skip"))
	}
	for _, text := range r.finish(o).Errors {
		errs = append(errs, errors.New("promptecho: "+text))
	}
	return errors.Join(errs...)
}

// allWell reports whether there is nothing to save and nothing to say, however the run
// ended: then nobody needs to find out.
func (r *Recorder) allWell() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	loaded, used := r.tape.count()
	return !r.plan.save && loaded == used && len(r.contests) == 0 && r.log.Quiet()
}

// isSet reports whether a flag of package testing has a value.
func isSet(name string) bool {
	f := flag.Lookup(name)
	return f != nil && f.Value.String() != ""
}

// finish closes the recorder knowing how its run ended.
func (r *Recorder) finish(o report.Outcome) report.Report {
	r.mu.Lock()
	switch {
	case r.ended:
		defer r.mu.Unlock()
		return r.report
	case r.closed:
		// Waiting for a channel, not for a sync.Once: a synctest bubble sees it.
		over := make(chan struct{})
		r.waiting = append(r.waiting, over)
		r.mu.Unlock()
		<-over
		return r.report
	}
	r.closed = true
	r.mu.Unlock()
	rep := r.end(o)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report, r.ended = rep, true
	for _, over := range r.waiting {
		close(over)
	}
	return rep
}

func (r *Recorder) end(o report.Outcome) report.Report {
	r.pending.Close()
	if r.journal != nil {
		r.journal.close()
	}
	r.upstream.Close()

	rep := r.conclude(&o)
	r.old.Close()
	if r.cfg.log != nil {
		for _, note := range rep.Notes {
			r.cfg.log(note)
		}
	}
	unregister(r.key)
	return rep
}

// conclude saves and judges.
func (r *Recorder) conclude(o *report.Outcome) report.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.save(o); err != nil {
		r.log.Error(err)
	}
	if err := r.unreadError(); err != nil {
		r.log.Error(err)
	}
	return r.judge(o)
}

// save writes what this run recorded to where it belongs.
func (r *Recorder) save(o *report.Outcome) error {
	if !r.plan.save {
		return nil
	}
	clashes := r.clashes(o)
	if len(clashes) > 0 {
		for _, text := range clashes {
			r.log.Error(errors.New(text))
		}
		o.Failed = true
	}
	fresh, refused := r.recorded(o)
	if refused != nil {
		o.Failed = true
	}
	if len(fresh) > 0 && (r.journal.isForeign() || !r.read.same(stampOf(r.path))) {
		return r.beside(fresh, "something else has written it meanwhile (another test process?)")
	}
	if len(clashes) > 0 && len(fresh) > 0 && r.plan.load && r.old != nil && !r.old.Partial {
		return r.beside(fresh, "it would hold recordings that replay cannot tell apart")
	}
	if refused != nil && r.cfg.onRecordError == Fail {
		return refused
	}
	return errors.Join(refused, r.saveRecorded(fresh, o))
}

// saveRecorded writes what was recorded where the mode and the end of the run say.
func (r *Recorder) saveRecorded(fresh []*interaction.Interaction, o *report.Outcome) error {
	if r.cut && len(fresh) > 0 && (o.Failed || o.Skipped || o.Filtered) {
		return r.beside(fresh, "")
	}
	if r.old != nil && !r.plan.load { // mode all, over a cassette
		return r.replaceOld(fresh, o)
	}
	file := cassette.File{}
	// A test that skips itself because of an answer has asked for all that it asks for.
	incomplete := o.Failed || o.Filtered
	wasPartial := r.old != nil && r.old.Partial
	switch {
	case wasPartial:
		file.Partial = incomplete || !r.cfg.allowUnused && len(r.log.Unused(r.entries())) > 0
	case r.old == nil:
		file.Partial = incomplete
	}
	if len(fresh) == 0 && file.Partial == wasPartial {
		return nil
	}
	added := map[*interaction.Interaction]bool{}
	for _, it := range fresh {
		added[it] = true
	}
	for _, s := range r.tape.slots {
		if !s.fresh && !s.resumed || added[s.it()] {
			file.Interactions = append(file.Interactions, s.it())
		}
	}
	if len(file.Interactions) == 0 {
		return nil
	}
	return r.write(r.path, r.file, &file)
}

// recorded returns the interactions that this run recorded and that are to be
// written, and an error if one is a failure that must not be.
func (r *Recorder) recorded(o *report.Outcome) (fresh []*interaction.Interaction, refused error) {
	for _, s := range r.tape.slots {
		if s.resumed && (s.used || o.Failed || o.Skipped || o.Filtered || o.Unsure) {
			// A run that asked for everything and not for this has no use for it.
			fresh = append(fresh, s.it())
		}
		if !s.fresh {
			continue
		}
		if o.Failed && s.canceled() {
			continue // by the failure, most likely: a test that passes may not cancel it
		}
		if !s.whole {
			r.log.Notef("%s: not recorded: %s %s: no answer before the recorder was closed", r.file, s.it().Request.Method, s.it().Request.URL)
			continue
		}
		if s.failed() && r.cfg.onRecordError != Keep && !r.tape.overcome(s) {
			what := fmt.Sprintf("%s %s: %s", s.it().Request.Method, s.it().Request.URL, report.Failure(&s.it().Response))
			refusal := s.it().Response.Status == http.StatusUnauthorized || s.it().Response.Status == http.StatusForbidden
			switch good := r.succeeded(s); {
			case r.cfg.onRecordError == Fail:
				return nil, fmt.Errorf("%s: nothing was written: the recording has a failure: %s (OnRecordError)", r.file, what)
			case good != nil:
				refused = fmt.Errorf("%s:%d: not replaced: this recording succeeded, and now there is a failure: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, good.line(), what)
				continue
			case refusal:
				refused = fmt.Errorf("%s: not recorded: the provider refused the key: %s. Set a key that may ask this; if the refusal is what the test is about, say so with OnRecordError(Keep)", r.file, what)
				continue
			case o.Failed:
				r.log.Notef("%s: not written, since the run failed: %s", r.file, what)
				continue
			}
			r.log.Notef("%s: a failure is recorded: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, what)
		}
		fresh = append(fresh, s.it())
	}
	for _, f := range r.log.FailedCalls() {
		if r.mode.mode == ModeAll && !r.answered(f.Form) {
			refused = fmt.Errorf("%s: not recorded: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, f)
			continue
		}
		r.log.Notef("%s: not recorded: %s", r.file, f)
	}
	return fresh, refused
}

// answered reports whether a request of a form got an answer in this run.
func (r *Recorder) answered(key string) bool {
	return slices.ContainsFunc(r.tape.slots, func(s *slot) bool {
		return s.fresh && s.whole && !s.failed() && s.form().Key() == key
	})
}

// succeeded returns the recording of the cassette that is to be replaced which
// succeeded where s failed, nil if there is none.
func (r *Recorder) succeeded(s *slot) *slot {
	for _, old := range r.replaced {
		if old.form().Key() == s.form().Key() && !old.failed() {
			return old
		}
	}
	return nil
}

// replaceOld writes the interactions of mode all over the cassette that was
// there. A run that did not end well does not replace a whole cassette: what it
// recorded goes beside it. One that asked only in part, since it was filtered,
// replaces only what it asked.
func (r *Recorder) replaceOld(fresh []*interaction.Interaction, o *report.Outcome) error {
	if len(fresh) == 0 {
		return nil
	}
	if o.Failed && !r.old.Partial {
		return r.beside(fresh, "")
	}
	file := cassette.File{Interactions: fresh}
	if o.Failed || o.Skipped || o.Filtered || o.Unsure {
		kept := r.notAskedAgain()
		file.Interactions = append(file.Interactions, kept...)
		file.Partial = r.old.Partial
		if len(kept) > 0 {
			r.log.Notef("%s: kept %s that this run did not ask for; delete the file before recording to be rid of them", r.file, report.Count(len(kept), "recording"))
		}
	}
	if err := r.write(r.path, r.file, &file); err != nil {
		return err
	}
	return cassette.Remove(cassette.Beside(r.path, failedSuffix))
}

// notAskedAgain returns the old recordings of whose kind none was recorded anew. What was
// recorded anew takes the place of what it would have been answered by: local servers
// have other ports now.
func (r *Recorder) notAskedAgain() (kept []*interaction.Interaction) {
	var old tape
	for _, s := range r.replaced {
		s.key = keyOf(s.form())
		old.add(s)
	}
	again := map[kindKey]bool{}
	for _, s := range r.tape.slots {
		q := old.queues.get(keyOf(s.form()))
		if q == nil {
			continue
		}
		if !q.ready() {
			q.sort()
		}
		if answer, _ := q.take(s.form(), true); answer != nil {
			again[answer.kindKey()] = true
		}
	}
	for _, s := range r.replaced {
		if !again[s.kindKey()] {
			kept = append(kept, s.it())
		}
	}
	return kept
}

// failedSuffix is added to the name of a cassette for what a run recorded that
// must not replace it. Nothing reads that file.
const failedSuffix = ".failed"

// beside saves what was recorded beside the cassette, which stays as it is. It is
// an error if there is a reason other than a run that did not pass.
func (r *Recorder) beside(fresh []*interaction.Interaction, reason string) error {
	name := cassette.Beside(r.file, failedSuffix)
	if err := r.write(cassette.Beside(r.path, failedSuffix), name, &cassette.File{Partial: true, Interactions: fresh}); err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("%s: not written: %s. What this run recorded is in %s", r.file, reason, name)
	}
	r.log.Notef("%s is as it was, since the run did not pass. To use what was recorded: mv %s %[1]s", r.file, name)
	return nil
}

// unreadError returns why an interaction that was needed could not be read.
func (r *Recorder) unreadError() error {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.unread
}

// write saves a cassette to path, called name in messages, unless it would hold
// a known secret. Everything is cleaned once more: a credential may have become
// known after it was first seen.
func (r *Recorder) write(path, name string, file *cassette.File) error {
	ready := map[*interaction.Interaction]*cassette.Item{}
	for _, s := range r.tape.slots {
		if s.item != nil && (s.known == r.redact.Known() || len(s.item.Assets) == 0 && !r.redact.HoldsSince(s.known, s.item.Text)) {
			ready[s.it()] = s.item
		}
	}
	draft := cassette.Draft{Pinned: file.Pinned, Partial: file.Partial}
	for i, it := range file.Interactions {
		item := ready[it]
		if item == nil {
			var err error
			if item, err = r.formatted(name, it); err != nil {
				return fmt.Errorf("%w (interaction %d)", err, i+1)
			}
		}
		draft.Items = append(draft.Items, item)
	}
	if err := draft.Save(path); err != nil {
		return r.relative(err)
	}
	keepYoung(path)
	if err := r.journal.remove(); err != nil { // nothing it has is only there
		return fmt.Errorf("%s: saved, but its journal is left: %w", name, err)
	}
	note := fmt.Sprintf("saved %s to %s", report.Count(len(file.Interactions), "interaction"), name)
	if file.Partial && path == r.path {
		note += ", marked partial: the test did not run whole and pass; its next such run completes it"
	}
	r.log.Note(note)
	return nil
}

// formatted cleans an interaction once more and returns its text, unless that
// would hold a known secret; name is that of the file.
func (r *Recorder) formatted(name string, it *interaction.Interaction) (*cassette.Item, error) {
	r.redact.Interaction(it)
	derive(it)
	return r.checked(name, it)
}

// derive computes what a cassette says of an interaction beside what was said: the key
// of the request itself, whatever rules this test has, and the text for the reader.
func derive(it *interaction.Interaction) {
	form := (&canon.Options{}).Form(&it.Request)
	it.MatchKey = form.Key()
	it.Response.Text = form.Read(canon.Payloads(&it.Response)).Text
}

// checked returns the text of a clean interaction.
func (r *Recorder) checked(name string, it *interaction.Interaction) (*cassette.Item, error) {
	if err := r.redact.CheckInteraction(name, it); err != nil {
		return nil, err
	}
	item, err := cassette.FormatItem(it, canon.Revision)
	if err != nil {
		return nil, fmt.Errorf("%s: not saved: %w", name, err)
	}
	if err := r.redact.Check(fmt.Sprintf("%s: %s %s", name, it.Request.Method, it.Request.URL), item.Text); err != nil {
		return nil, err
	}
	for asset, data := range item.Assets {
		if err := r.redact.Check(name+": asset "+asset, data); err != nil {
			return nil, err
		}
	}
	return item, nil
}

// format returns the text of an interaction that was just recorded and cleaned, and
// how many credentials were known then. It is nil if it cannot be written: Close
// finds out why; and if this run writes nothing.
func (r *Recorder) format(it *interaction.Interaction) (item *cassette.Item, known int) {
	if r.journal == nil {
		return nil, 0
	}
	known = r.redact.Known()
	item, err := r.checked(r.file, it)
	if err != nil {
		return nil, 0
	}
	return item, known
}
