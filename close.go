// The end of a recorder: it takes no more requests, saves its cassette, and
// reports what is wrong with the run.
//
// There are two ways to it. Close is called by a program, or by a test that
// does not use package echotest. echotest itself calls finish (through
// report.Finish), because it knows how the test ended.

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

	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// These functions give package echotest and the command what the public methods
// of a recorder do not.
func init() {
	report.Begin = func(recorder any, whole bool) {
		r := recorder.(*Recorder)
		r.log.OfTest = testing.Testing()
		if r.log.OfTest {
			r.orphans = orphans.NewSearch(r.tape, r.log.Path)
			r.log.Orphans = r.orphans
		}
		r.given.find(whole)
	}
	report.Finish = func(recorder any, o report.Outcome) report.Report {
		return recorder.(*Recorder).finish(o)
	}
	report.Unfinished = func() (open []any) {
		for rec := range unfinished.Range {
			open = append(open, rec)
		}
		slices.SortFunc(open, func(a, b any) int {
			return strings.Compare(a.(*Recorder).file, b.(*Recorder).file)
		})
		return open
	}
	report.InMode = func(mode, by string) any {
		return Option(func(c *config) {
			m, err := parseMode(mode, by)
			c.flag = chosenMode{m, by}
			c.err = errors.Join(c.err, err)
		})
	}
	report.Inside = func(recorder any) (*tape.Tape, *redact.Policy) {
		return recorder.(*Recorder).tape, &recorder.(*Recorder).redact
	}
	report.HasAlias = func(recorder any, u *url.URL) bool {
		return recorder.(*Recorder).config.aliases.of(u) != nil
	}
}

// Close ends the recorder. It settles answers that are still being read, saves
// the cassette if the record mode records, and returns all problems as one
// joined error: misses, recordings that no request used, a recorder that no
// request reached, and a cassette that could not be saved. [errors.As] finds
// the first [*MissError] in it. A second Close returns the same, even while the
// first is still at work.
//
// The cassette is written whole or not at all: to a temporary file that is
// renamed and read back. If nothing was recorded or changed, nothing is
// written.
//
// In a test, Close does not know how the run ended; package echotest does. So
// an older recording that was not used stays, unless mode all has recorded at
// least as many as there were: then the new ones replace the cassette. A
// deferred Close treats a panic, FailNow and SkipNow as a failure. Outside of a
// test, as in TestMain, Close treats a run with -run or -skip, or one of
// several shards, as incomplete. Under
// [github.com/promptecho/promptecho/echotest.Run], which knows how the tests
// end, such a Close only ends the recorder: Run saves the cassette and reports
// what is wrong.
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

	isFinishedByRun := report.Deferred.Load() && !running.InTest
	if isFinishedByRun && !o.Failed {
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
		r.printNoEffect(rep.Options)
	}
	return r.runError(rep.Errors)
}

// printNoEffect names the options that had no effect, on standard error.
func (r *Recorder) printNoEffect(options []report.Option) {
	for _, option := range options {
		if option.Why != "" {
			fmt.Fprintf(os.Stderr, "promptecho: %s: %s\n", r.file, option)
		}
	}
}

// A runError is what is wrong with a run.
type runError struct {
	error         // the texts of the report
	parts []error // the same, and then the misses that they name, for errors.As
}

func (e runError) Unwrap() []error { return e.parts }

// runError returns the errors of a report as one error; nil if there is none.
func (r *Recorder) runError(texts []string) error {
	if len(texts) == 0 {
		return nil
	}
	var parts []error
	for _, text := range texts {
		parts = append(parts, errors.New("promptecho: "+text))
	}
	joined := errors.Join(parts...)
	for _, miss := range r.Misses() {
		parts = append(parts, miss)
	}
	return runError{joined, parts}
}

// finish ends a recorder whose run ended with outcome o, and returns the
// report. All later calls, and those that come while the first one is at work,
// return the same.
func (r *Recorder) finish(o report.Outcome) report.Report {
	r.life.closed.Store(true)
	return r.life.closer.once(func() report.Report { return r.end(o) })
}

// end stops, saves and reports. It is called once.
func (r *Recorder) end(o report.Outcome) report.Report {
	r.stop()
	r.compare()
	r.upstream.Close()
	r.waits.note(r.log.Notef)

	runFailed, err := r.save(o)
	o.Failed = runFailed
	r.logError(err)
	r.logError(r.tape.Unreadable())
	r.logError(r.writeMisses())
	if unlogged.Load() {
		neverCache()
	}

	rep := r.log.Judge(&o, r.optionsReport(&o)...)
	if !r.log.OfTest {
		if err := rep.Done.Leave(); err != nil {
			const text = "%s: promptecho record cannot count the calls of this recorder: %v"
			rep.Fail(fmt.Sprintf(text, r.file, err))
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
}

// stop waits for the answers that are under way. Nothing changes on the tape
// after it.
func (r *Recorder) stop() {
	r.awaitGivenUp()
	r.tape.Stop()
	r.pending.Close()
	r.tape.Close()
}

// logError fails the run with an error, unless it is nil.
func (r *Recorder) logError(err error) {
	if err != nil {
		r.log.Error(err)
	}
}

// unfinished has the recorders of this test process that have no report yet. It
// stays empty in a program that is not a test.
var unfinished sync.Map
