package promptecho

import (
	"errors"
	"fmt"
	"net/url"
	"testing"

	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/stack"
	"github.com/promptecho/promptecho/internal/tape"
)

func init() {
	report.Begin = func(recorder any, whole bool) {
		r := recorder.(*Recorder)
		r.log.OfTest = testing.Testing()
		r.given.find(whole)
	}
	report.Finish = func(recorder any, o report.Outcome) report.Report {
		return recorder.(*Recorder).finish(o)
	}
	report.Unfinished = unfinished.all
	report.InMode = func(mode, by string) any {
		return Option(func(c *config) {
			m, err := parseMode(mode, by)
			c.flag, c.err = chosenMode{m, by}, errors.Join(c.err, err)
		})
	}
	report.Inside = func(recorder any) (*tape.Tape, *redact.Policy) {
		return recorder.(*Recorder).tape, &recorder.(*Recorder).redact
	}
	report.HasAlias = func(recorder any, u *url.URL) bool {
		return recorder.(*Recorder).config.aliases.of(u) != nil
	}
}

// Close ends the recorder. It settles answers that are still being read, saves the
// cassette if the record mode records, and returns what is wrong, joined: misses,
// recordings that no request used, a recorder that no request reached, and a cassette
// that could not be saved. A second Close returns the same, even while the first is still
// at work.
//
// The cassette is written whole or not at all: to a temporary file that is renamed and
// read back. A run that recorded nothing writes nothing.
//
// In a test, Close does not know how the run ended; package echotest does. So Close drops
// no recording that was there before, even in mode all; one that was recorded again takes the
// place of the old one. If it is deferred, it takes a
// panic, FailNow and SkipNow for a failure. If it is called outside of a test, as in
// TestMain, it takes a run with -run or -skip, or one of several shards, for one that is not
// whole. Under [github.com/promptecho/promptecho/echotest.Run], which knows how the tests
// end, such a Close only ends the recorder: Run saves the cassette and reports what is wrong.
func (r *Recorder) Close() error {
	running := stack.Current()
	o := report.Outcome{
		Failed: running.Panicking || running.Exiting,
		Short:  testing.Testing() && report.Short(),
		Unsure: testing.Testing(),
	}
	if report.Deferred.Load() && !running.InTest && !o.Failed {
		r.life.leave()
		r.tape.Stop()
		return nil
	}
	if running.InTest {
		o.Filtered = report.FilteredInside()
	} else {
		o.Filtered = testing.Testing() && report.Part() != ""
	}
	var errs []error
	for _, text := range r.finish(o).Errors {
		errs = append(errs, errors.New("promptecho: "+text))
	}
	return errors.Join(errs...)
}

// finish closes the recorder knowing how its run ended.
func (r *Recorder) finish(o report.Outcome) report.Report {
	return r.life.end(func() report.Report {
		r.tape.Stop()
		r.pending.Close()
		r.tape.Close()
		r.compare()
		r.upstream.Close()
		r.waits.note(r.log.Notef)
		for _, err := range []error{r.save(&o), r.tape.Unreadable(), r.handOver()} {
			if err != nil {
				r.log.Error(err)
			}
		}
		if unlogged.Load() {
			neverCache()
		}
		rep := r.judge(&o)
		if !r.log.OfTest {
			if err := rep.Done.Leave(); err != nil {
				rep.Errors = append(rep.Errors, fmt.Sprintf("%s: promptecho record does not count what this recorder did: %v", r.file, err))
			}
		}
		r.tape.Free()
		unfinished.remove(r)
		if r.config.log != nil {
			for _, note := range rep.Notes {
				r.config.log(note)
			}
		}
		return rep
	})
}

// judge says what is wrong with the run.
func (r *Recorder) judge(o *report.Outcome) report.Report {
	var unasked []string // options
	for _, a := range r.config.aliases {
		if !a.asked.Load() {
			unasked = append(unasked, fmt.Sprintf("Alias(%q, %q): no request went to this server", a.address, a.name))
		}
	}
	for _, host := range r.config.passing {
		if !r.log.Passed("http/" + host) {
			unasked = append(unasked, fmt.Sprintf("PassThrough(%q): no request went there", "http/"+host))
		}
	}
	if s := &r.config.selection; !s.empty() && !r.plan.passThrough && len(r.log.Misses()) == 0 {
		for _, option := range s.unselected(r.tape.Recordings()) {
			unasked = append(unasked, option+": nothing of this name was asked or is recorded")
		}
	}
	return r.log.Judge(o, unasked...)
}
