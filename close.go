package promptecho

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
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
	report.Unfinished = func() (open []any) {
		for rec := range unfinished.Range {
			open = append(open, rec)
		}
		slices.SortFunc(open, func(a, b any) int { return strings.Compare(a.(*Recorder).file, b.(*Recorder).file) })
		return open
	}
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

// Close ends the recorder. It settles answers that are still being read, saves the cassette if the
// record mode records, and returns all problems as one joined error: misses,
// recordings that no request used, a recorder that no request reached, and a cassette
// that could not be saved. [errors.As] finds the first [*MissError] in it. A second Close returns the same, even while the first is still
// at work.
//
// The cassette is written whole or not at all: to a temporary file that is renamed and
// read back. A run that recorded nothing writes nothing.
//
// In a test, Close does not know how the run ended; package echotest does. So an older recording
// that was not used stays, unless mode all has recorded at least as many as there were: then the
// new ones replace the cassette. A deferred Close treats a panic, FailNow and SkipNow as a failure. Outside
// of a test, as in TestMain, Close treats a run with -run or -skip, or one of several shards, as
// incomplete. Under [github.com/promptecho/promptecho/echotest.Run], which knows how the tests
// end, such a Close only ends the recorder: Run saves the cassette and reports what is wrong.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	running := stack.Current()
	o := report.Outcome{
		Failed: running.Panicking || running.Exiting,
		Short:  testing.Testing() && report.Short(),
		Unsure: testing.Testing(),
	}
	if report.Deferred.Load() && !running.InTest && !o.Failed {
		r.life.closed.Store(true)
		r.tape.Stop()
		return nil
	}
	if running.InTest {
		o.Filtered = report.FilteredInside()
	} else {
		o.Filtered = testing.Testing() && report.Part() != ""
	}
	rep := r.finish(o)
	if r.config.log == nil {
		for _, option := range rep.Options {
			if option.Why != "" {
				fmt.Fprintf(os.Stderr, "promptecho: %s: %s\n", r.file, option)
			}
		}
	}
	if len(rep.Errors) == 0 {
		return nil
	}
	var failed runError
	for _, text := range rep.Errors {
		failed.parts = append(failed.parts, errors.New("promptecho: "+text))
	}
	failed.error = errors.Join(failed.parts...)
	for _, m := range r.Misses() {
		failed.parts = append(failed.parts, m)
	}
	return failed
}

// A runError is what is wrong with a run.
type runError struct {
	error         // what a report says
	parts []error // the same, and behind that the misses, which it names
}

func (e runError) Unwrap() []error { return e.parts }

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
		rep := r.log.Judge(&o, r.options(&o)...)
		if !r.log.OfTest {
			if err := rep.Done.Leave(); err != nil {
				rep.Fail(fmt.Sprintf("%s: promptecho record cannot count the calls of this recorder: %v", r.file, err))
			}
		}
		r.tape.Free()
		unfinished.Delete(r)
		if r.config.log != nil {
			for _, note := range rep.Notes {
				r.config.log(note)
			}
		}
		return rep
	})
}

// unfinished has the recorders of the tests of this process that have no report yet. In a program
// that is no test nobody asks for them.
var unfinished sync.Map
