package promptecho

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/verdict"
)

// Close ends the recorder: it settles answers that are still being read, saves
// the cassette if the record mode records, and returns what is wrong, joined:
// misses, recordings that no request used, a recorder that no request reached,
// and a cassette that could not be saved. Closing again returns the same.
//
// The cassette is written whole or not at all: to a temporary file that is
// renamed and read back. A run that recorded nothing writes nothing.
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
	if r.closed {
		defer r.mu.Unlock()
		return r.report
	}
	r.closed = true
	open := make([]*tee, 0, len(r.live))
	for t := range r.live {
		open = append(open, t)
	}
	r.mu.Unlock()
	for _, t := range open {
		t.finish(cassette.EndClosed)
	}
	if t, ok := r.upstream.(*ownTransport); ok {
		t.CloseIdleConnections()
	}

	r.mu.Lock()
	defer r.mu.Unlock()
	var rep verdict.Report
	if err := r.save(&o, &rep); err != nil {
		rep.Errors = append(rep.Errors, err.Error())
	}
	r.judge(&o, &rep)
	rep.Notes = append(r.notes, rep.Notes...)
	r.report = rep
	unregister(r.path)
	return rep
}

// save writes the tape if this run recorded something.
func (r *Recorder) save(o *verdict.Outcome, rep *verdict.Report) error {
	if !r.plan.save {
		return nil
	}
	file := cassette.File{}
	recorded, failed := 0, 0
	for _, s := range r.tape.slots {
		if s.fresh && !s.whole {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not recorded: %s %s: no answer before the recorder was closed", r.file, s.it.Request.Method, s.it.Request.URL))
			continue
		}
		if s.fresh && s.failed() && r.cfg.onRecordError != Keep && !r.tape.overcome(s) {
			failed++
			what := fmt.Sprintf("%s %s: %s", s.it.Request.Method, s.it.Request.URL, failure(s))
			if r.cfg.onRecordError == Fail {
				return fmt.Errorf("%s: nothing was written: the recording has a failure: %s (OnRecordError)", r.file, what)
			}
			if o.Failed {
				rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not written, since the run failed: %s", r.file, what))
				continue
			}
			rep.Notes = append(rep.Notes, fmt.Sprintf("%s: a failure is recorded: %s. If that is what the test is about, say so with OnRecordError(Keep)", r.file, what))
		}
		if s.fresh {
			recorded++
		}
		file.Interactions = append(file.Interactions, s.it)
	}
	for _, f := range r.failures {
		rep.Notes = append(rep.Notes, fmt.Sprintf("%s: not recorded: %s", r.file, f))
	}
	resumed := r.plan.load && r.plan.checkUnused // a partial cassette
	if recorded == 0 && (!resumed || o.Failed || o.Skipped) {
		return nil
	}
	file.Partial = o.Failed || resumed && r.unused() > 0
	return r.write(&file, rep)
}

func failure(s *slot) string {
	if s.it.Response.End == cassette.EndError {
		return "the answer broke off: " + s.it.Response.Error
	}
	return fmt.Sprintf("status %d", s.it.Response.Status)
}

func (r *Recorder) unused() int {
	loaded, used := r.tape.count()
	return loaded - used
}

// write saves a cassette unless it would hold a known secret.
func (r *Recorder) write(file *cassette.File, rep *verdict.Report) error {
	data, assets, err := cassette.Format(file)
	if err != nil {
		return fmt.Errorf("%s: %w", r.file, err)
	}
	if err := r.redact.Check(r.file, data); err != nil {
		return err
	}
	for name, data := range assets {
		if err := r.redact.Check(r.file+": asset "+name, data); err != nil {
			return err
		}
	}
	if err := cassette.Save(r.path, file); err != nil {
		return r.relative(err)
	}
	keepYoung(r.path)
	note := fmt.Sprintf("saved %s to %s", plural(len(file.Interactions), "interaction"), r.file)
	if file.Partial {
		note += ", marked partial: the run did not pass; the next one resumes from it"
	}
	rep.Notes = append(rep.Notes, note)
	return nil
}

// judge says what is wrong with the run.
func (r *Recorder) judge(o *verdict.Outcome, rep *verdict.Report) {
	if len(r.misses) > 0 {
		rep.Errors = append(rep.Errors, r.missReport(o))
	}
	// Unused is evidence only if everything ran and went well: a miss, or
	// whatever else failed the test, can be why the rest was not asked for.
	if r.cfg.allowUnused || o.Failed || o.Skipped || o.Filtered || len(rep.Errors) > 0 {
		return
	}
	switch {
	case !r.reached:
		rep.Errors = append(rep.Errors, r.file+": no request reached the recorder: hand rec.Client() to the SDK, or give AllowUnused()")
	case r.plan.checkUnused && r.unused() > 0:
		rep.Errors = append(rep.Errors, r.unusedReport(o))
	}
}

// missReport lists every miss, and what to do as its last line.
func (r *Recorder) missReport(o *verdict.Outcome) string {
	loaded, used := r.tape.count()
	var b strings.Builder
	verb := "were"
	if len(r.misses) == 1 {
		verb = "was"
	}
	fmt.Fprintf(&b, "%s %s not recorded (%s; %d of %s used)", plural(len(r.misses), "request"), verb, r.mode, used, plural(loaded, "recording"))
	for _, m := range r.misses {
		fmt.Fprintf(&b, "\n\n%s", m.Error())
	}
	fmt.Fprintf(&b, "\n\n%s", howToRecord(r.file, o.Command))
	return b.String()
}

// unusedReport lists the recordings that no request used.
func (r *Recorder) unusedReport(o *verdict.Outcome) string {
	loaded, used := r.tape.count()
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %s not used", loaded-used, plural(loaded, "recording"))
	for _, s := range r.tape.slots {
		if s.used || s.fresh {
			continue
		}
		fmt.Fprintf(&b, "\n  %s:%d: %s", r.file, s.it.Line, s.form.Endpoint)
		if s.form.Model != "" {
			fmt.Fprintf(&b, ", model %s", s.form.Model)
		}
	}
	b.WriteString("\n\nDelete them from the file, give AllowUnused(), or record again:\n" + commandOf(r.file, o.Command))
	return b.String()
}

// plural returns "1 thing", "2 things".
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

func howToRecord(file, command string) string {
	return "To record it again:\n" + commandOf(file, command)
}

func commandOf(file, command string) string {
	if command == "" {
		command = "PROMPTECHO_MODE=all, and run what uses " + file
	}
	return "  " + command
}

// noteDrift notes, once per field, that a replayed request differs from its
// recording in what does not match.
func (r *Recorder) noteDrift(s *slot, form *canon.Form) {
	if slices.Equal(s.form.Drift, form.Drift) {
		return
	}
	for _, e := range diff.Drift(s.form, form) {
		text := strings.TrimRight(diff.Write([]diff.Edit{e}, "  ", 1), "\n")
		if !r.drift[text] {
			r.drift[text] = true
			r.notes = append(r.notes, fmt.Sprintf("%s:%d: replayed although a field that does not match has changed (Strict matches sampling):\n%s", r.file, s.it.Line, text))
		}
	}
}
