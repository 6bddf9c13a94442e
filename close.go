package promptecho

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/verdict"
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
// Close takes the run for one that went well; a run that did not is known only
// with package echotest.
func (r *Recorder) Close() error {
	var errs []error
	for _, text := range r.finish(verdict.Outcome{}).Errors {
		errs = append(errs, errors.New("promptecho: "+text))
	}
	return errors.Join(errs...)
}

// finish closes the recorder knowing how its run ended.
func (r *Recorder) finish(o verdict.Outcome) verdict.Report {
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

func (r *Recorder) end(o verdict.Outcome) verdict.Report {
	r.mu.Lock()
	open := make([]*tee, 0, len(r.live))
	for t := range r.live {
		open = append(open, t)
	}
	r.mu.Unlock()
	for _, t := range open {
		t.abandon()
	}
	if r.journal != nil {
		r.journal.close()
	}
	if t, ok := r.upstream.(*ownTransport); ok {
		t.CloseIdleConnections()
	}

	rep := r.settle(&o)
	r.old.Close()
	if r.cfg.log != nil {
		for _, note := range rep.Notes {
			r.cfg.log(note)
		}
	}
	unregister(r.key)
	return rep
}

// settle saves and judges.
func (r *Recorder) settle(o *verdict.Outcome) verdict.Report {
	r.mu.Lock()
	defer r.mu.Unlock()
	var rep verdict.Report
	if err := r.save(o, &rep); err != nil {
		rep.Errors = append(rep.Errors, err.Error())
	}
	if err := r.unreadError(); err != nil {
		rep.Errors = append(rep.Errors, strings.TrimPrefix(err.Error(), "promptecho: "))
	}
	r.judge(o, &rep)
	r.unselected(&rep)
	rep.Notes = append(r.notes, rep.Notes...)
	printable(&rep)
	return rep
}

// printable makes a report safe to be shown: it has texts of requests and cassettes.
func printable(rep *verdict.Report) {
	for _, texts := range [][]string{rep.Errors, rep.Notes} {
		for i := range texts {
			texts[i] = redact.Printable(texts[i])
		}
	}
	for i := range rep.Marks {
		rep.Marks[i].Text = redact.Printable(rep.Marks[i].Text)
	}
}

// save writes what this run recorded to where it belongs.
func (r *Recorder) save(o *verdict.Outcome, rep *verdict.Report) error {
	if !r.plan.save {
		return nil
	}
	fresh, refused := r.recorded(o, rep)
	if len(fresh) > 0 && (r.journal.isForeign() || !r.read.same(stampOf(r.path))) {
		return r.beside(fresh, rep, "something else has written it meanwhile (another test process?)")
	}
	if refused != nil && r.cfg.onRecordError == Fail {
		return refused
	}
	if r.old != nil && !r.plan.load { // mode all, over a cassette
		return errors.Join(refused, r.replaceOld(fresh, o, refused != nil, rep))
	}
	file := cassette.File{}
	incomplete := o.Failed || o.Skipped || o.Filtered
	wasPartial := r.old != nil && r.old.Partial
	switch {
	case wasPartial:
		file.Partial = incomplete || !r.cfg.allowUnused && r.unused() > 0
	case r.old == nil:
		file.Partial = incomplete
	}
	if len(fresh) == 0 && file.Partial == wasPartial {
		return nil
	}
	added := map[*cassette.Interaction]bool{}
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
	return r.write(r.path, r.file, &file, rep)
}

// recorded returns the interactions that this run recorded and that are to be
// written, and an error if one is a failure that must not be.
func (r *Recorder) recorded(o *verdict.Outcome, rep *verdict.Report) (fresh []*cassette.Interaction, refused error) {
	for _, s := range r.tape.slots {
		if s.resumed && (s.used || o.Failed || o.Skipped || o.Filtered) {
			// A run that asked for everything and not for this has no use for it.
			fresh = append(fresh, s.it())
		}
		if !s.fresh {
			continue
		}
		if !s.whole {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not recorded: %s %s: no answer before the recorder was closed", r.file, s.it().Request.Method, s.it().Request.URL))
			continue
		}
		if s.failed() && r.cfg.onRecordError != Keep && !r.tape.overcome(s) {
			what := fmt.Sprintf("%s %s: %s", s.it().Request.Method, s.it().Request.URL, failure(s))
			switch good := r.succeeded(s); {
			case r.cfg.onRecordError == Fail:
				return nil, fmt.Errorf("%s: nothing was written: the recording has a failure: %s (OnRecordError)", r.file, what)
			case good != nil:
				refused = fmt.Errorf("%s:%d: not replaced: this recording succeeded, and now there is a failure: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, good.line(), what)
				continue
			case o.Failed:
				rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not written, since the run failed: %s", r.file, what))
				continue
			}
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: a failure is recorded: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, what))
		}
		fresh = append(fresh, s.it())
	}
	for _, f := range r.failures {
		again := ""
		if f.count > 1 {
			again = fmt.Sprintf(" (%s)", times(f.count))
		}
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not recorded: %s%s", r.file, f.text, again))
	}
	return fresh, refused
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
func (r *Recorder) replaceOld(fresh []*cassette.Interaction, o *verdict.Outcome, refused bool, rep *verdict.Report) error {
	if len(fresh) == 0 {
		return nil
	}
	if (o.Failed || refused) && !r.old.Partial {
		return r.beside(fresh, rep, "")
	}
	file := cassette.File{Interactions: fresh}
	if o.Failed || refused || o.Skipped || o.Filtered {
		again := map[string]bool{}
		for _, s := range r.tape.slots {
			again[s.form().Key()] = true
		}
		for _, s := range r.replaced {
			if !again[s.form().Key()] {
				file.Interactions = append(file.Interactions, s.it())
			}
		}
		file.Partial = r.old.Partial
	}
	if err := r.write(r.path, r.file, &file, rep); err != nil {
		return err
	}
	return cassette.Remove(r.path + failedSuffix)
}

// failedSuffix is added to the name of a cassette for what a run recorded that
// must not replace it. Nothing reads that file.
const failedSuffix = ".failed"

// beside saves what was recorded beside the cassette, which stays as it is. It is
// an error if there is a reason other than a run that did not pass.
func (r *Recorder) beside(fresh []*cassette.Interaction, rep *verdict.Report, reason string) error {
	name := r.file + failedSuffix
	if err := r.write(r.path+failedSuffix, name, &cassette.File{Partial: true, Interactions: fresh}, rep); err != nil {
		return err
	}
	if reason != "" {
		return fmt.Errorf("%s: not written: %s. What this run recorded is in %s", r.file, reason, name)
	}
	rep.Notes = append(rep.Notes, fmt.Sprintf("%s is as it was, since the run did not pass. To use what was recorded: mv %s %[1]s", r.file, name))
	return nil
}

func failure(s *slot) string {
	if s.it().Response.End == cassette.EndError {
		return "the answer broke off: " + s.it().Response.Error
	}
	return fmt.Sprintf("status %d", s.it().Response.Status)
}

// unreadError returns why an interaction that was needed could not be read.
func (r *Recorder) unreadError() error {
	r.reading.Lock()
	defer r.reading.Unlock()
	return r.unread
}

func (r *Recorder) unused() int {
	loaded, used := r.tape.count()
	return loaded - used
}

// write saves a cassette to path, called name in messages, unless it would hold
// a known secret. Everything is cleaned once more: a credential may have become
// known after it was first seen.
func (r *Recorder) write(path, name string, file *cassette.File, rep *verdict.Report) error {
	ready := map[*cassette.Interaction]*cassette.Item{}
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
	note := fmt.Sprintf("saved %s to %s", plural(len(file.Interactions), "interaction"), name)
	if file.Partial && path == r.path {
		note += ", marked partial: the test did not run whole and pass; its next such run completes it"
	}
	rep.Notes = append(rep.Notes, note)
	return nil
}

// formatted cleans an interaction once more and returns its text, unless that
// would hold a known secret; name is that of the file.
func (r *Recorder) formatted(name string, it *cassette.Interaction) (*cassette.Item, error) {
	r.redact.Interaction(it)
	// The key of the request itself, whatever rules this test has.
	it.MatchKey = (&canon.Rules{}).Form(&it.Request).Key()
	return r.checked(name, it)
}

// checked returns the text of a clean interaction.
func (r *Recorder) checked(name string, it *cassette.Interaction) (*cassette.Item, error) {
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
func (r *Recorder) format(it *cassette.Interaction) (item *cassette.Item, known int) {
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

// noteSelected keeps which patterns selected a field.
func (r *Recorder) noteSelected(form *canon.Form) {
	for _, p := range form.Selected {
		if r.selected == nil {
			r.selected = map[string]bool{}
		}
		r.selected[p] = true
	}
}

// unselected notes the patterns that selected nothing: most likely a slip.
func (r *Recorder) unselected(rep *verdict.Report) {
	for _, o := range []struct {
		name     string
		patterns []string
	}{{"MatchOn", r.cfg.rules.MatchOn}, {"Ignore", r.cfg.rules.Ignore}} {
		for _, p := range o.patterns {
			if !r.selected[p] && r.reached {
				rep.Notes = append(rep.Notes, fmt.Sprintf("%s: %s(%q): no request and no recording has such a field: is the path that of a miss report?", r.file, o.name, p))
			}
		}
	}
}

// noteDrift notes, once per field, that a replayed request differs from its
// recording in what does not match.
func (r *Recorder) noteDrift(s *slot, form *canon.Form) {
	recorded := s.form()
	if slices.Equal(recorded.Drift, form.Drift) {
		return
	}
	edits, line := diff.Drift(recorded, form), s.line()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.drift == nil {
		r.drift = map[string]bool{}
	}
	for _, e := range edits {
		text := strings.TrimRight(diff.Write([]diff.Edit{e}, "  ", 1), "\n")
		if !r.drift[text] {
			r.drift[text] = true
			r.notes = append(r.notes, fmt.Sprintf("%s:%d: replayed although a field that does not match has changed (Strict matches sampling):\n%s", r.file, line, text))
		}
	}
}
