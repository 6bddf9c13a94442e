// The end of a recorder: it takes no more requests, saves its cassette, and
// reports what is wrong with the run.
//
// There are two ways to it. Close is called by a program, or by a test that
// does not use package echotest. echotest itself calls Finish,
// because it knows how the test ended.

package recorder

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// Begin tells the recorder that a test has opened it, and whether the test runs
// with all its parts.
func (r *Recorder) Begin(whole bool) {
	r.log.OfTest = testing.Testing()
	if r.log.OfTest {
		r.orphans = orphans.NewSearch(r.tape, r.log.Path)
		r.log.Orphans = r.orphans
	}
	r.values.find(whole)
}

// Unfinished returns the recorders that have no report yet, by the names of
// their cassettes.
func Unfinished() []*Recorder {
	var open []*Recorder
	for rec := range unfinished.Range {
		open = append(open, rec.(*Recorder))
	}
	slices.SortFunc(open, func(a, b *Recorder) int { return strings.Compare(a.file, b.file) })
	return open
}

// Close ends the recorder of a program, or of a test that does not use package
// echotest. It returns the texts of what is wrong with the run.
func (r *Recorder) Close() []string {
	if r == nil {
		return nil
	}
	running := stack.Current()
	o := report.Outcome{
		Failed: running.Panicking || running.Exiting,
		Short:  testing.Testing() && report.Short(),
		Unsure: testing.Testing(),
	}

	isFinishedByRun := suiteRuns.Load() && !running.InTest
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
	rep := r.Finish(o)
	if r.config.log == nil {
		r.printNoEffect(rep.Options)
	}
	return rep.Errors
}

// printNoEffect names the options that had no effect, on standard error.
func (r *Recorder) printNoEffect(options []report.Option) {
	for _, option := range options {
		if option.Why != "" {
			fmt.Fprintf(os.Stderr, "promptecho: %s: %s\n", r.file, option)
		}
	}
}

// Finish ends a recorder whose run ended with outcome o, and returns the
// report. All later calls, and those that come while the first one is at work,
// return the same.
func (r *Recorder) Finish(o report.Outcome) report.Report {
	r.life.closed.Store(true)
	return r.life.closer.once(func() report.Report { return r.end(o) })
}

// end stops, saves and reports. It is called once.
func (r *Recorder) end(o report.Outcome) report.Report {
	r.stop()
	if r.swap != nil {
		r.askOthers()
	} else {
		r.compare()
	}
	r.upstream.Close()
	r.waits.report(r.words().UseBubble, r.log.Notef)

	testFailed := o.Failed || o.Differs
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
		if err := rep.Done.WriteFile(); err != nil {
			reason := fmt.Sprintf("promptecho record cannot count the calls of this recorder: %v", err)
			rep.Fail(finding.OutcomeNotWritten, reason, r.file+": "+reason)
		}
	}

	r.mutant.End(o.Test, testFailed, len(rep.Problems))
	r.sent.close()
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
	r.awaitCanceled()
	r.tape.Stop()
	r.pending.Close()
	r.finishSessions()
	r.tape.Close()
}

// logError fails the run with an error, unless it is nil.
func (r *Recorder) logError(err error) {
	if err != nil {
		r.log.Error(err)
	}
}

// suiteRuns says that echotest.Run runs the tests.
var suiteRuns atomic.Bool

// SuiteBegins says that the tests of a package run under echotest.Run, which
// finishes the recorders that are open at their end: it knows how the tests
// ended. It returns what says that they have run.
func SuiteBegins() (ends func()) {
	suiteRuns.Store(true)
	return func() { suiteRuns.Store(false) }
}

// unfinished has the recorders of this test process that have no report yet. It
// stays empty in a program that is not a test.
var unfinished sync.Map
