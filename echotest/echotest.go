// Package echotest gives each test a recorder. It names the cassette after the
// test, and fails the test if the cassette does not fit:
//
//	func TestAnswer(t *testing.T) {
//		rec := echotest.New(t) // testdata/cassettes/TestAnswer.yaml
//		got, err := answer(rec.Client(), "What is the capital of France?")
//		...
//	}
//
// What to use:
//
//	a test or a benchmark                         New
//	a cassette with a name of its own             Open
//	code that takes no client                     SetDefault
//	programs that the test starts                 Serve, Server.Env, Server.URL
//	the same, with faults                         Through
//	requests without a recorder are to fail       Main, in TestMain; AllowHosts
//	set-up and tear-down, tools like goleak       RunFunc, Run
//	cassettes that are not in the repository      Fetch
//
// Options are those of [github.com/promptecho/promptecho]. Read on in
// docs/MISSES.md (what a failed test reports), docs/PROCESSES.md (other
// programs) and docs/SUITE.md (all tests of a package).
package echotest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/guard"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// New returns a recorder for a test or benchmark. Its cassette is
// testdata/cassettes/NAME.yaml, where NAME is t.Name() made safe for every file
// system; subtests have theirs in folders. It is below the folder of the
// package, even if the test has changed its working directory.
//
// Hand the recorder to the code under test as an [http.Client] with
// [promptecho.Recorder.Client], or as an [http.RoundTripper]. That code must
// finish before the test does: a later request is refused. If the recorder
// cannot be opened (an unknown mode, a broken cassette), New ends the test with
// t.Fatal.
//
// When the test ends, New's cleanup saves what was recorded. It fails the test
// in these cases:
//
//   - A request was not recorded.
//   - A recording was not used. That does not count if the test failed, was
//     skipped, or -run or -skip filtered parts of it away.
//   - There is a cassette, and no request reached the recorder.
//
// The report names the cassette file and line, the field that changed with both
// values, and the command that records just this test again. A new cassette of
// a test that failed, or that did not run whole, is marked partial and
// completed by the next local run. A cassette that was whole is replaced only
// by a run that passed.
//
// # Attributes
//
// When the test ends, each of its recorders sets attributes of the test
// ([testing.TB.Attr]), which go test -json and go test -v show. Numbers that
// are 0 are left out. If a test has several recorders, the attributes of all of
// them are there: add the numbers. The keys are stable:
//
//	promptecho.cassette       the absolute path of the cassette, which may not exist
//	promptecho.saved          the absolute path of a file that was written
//	promptecho.code           why the test does not fit its cassette, once for each code: docs/MISSES.md lists them
//	promptecho.replayed       requests that the cassette answered
//	promptecho.resumed        requests that the journal of a killed run answered
//	promptecho.carried_over   requests that recordings of another cassette answered (PROMPTECHO_FROM)
//	promptecho.recorded       requests whose live answers were recorded
//	promptecho.failed         requests that failed, and whose failures were not recorded or were overcome
//	promptecho.input_tokens   tokens of the requests recorded, as the provider reports them
//	promptecho.output_tokens  tokens of their answers
//	promptecho.dropped        recordings that were removed from the cassette
//	promptecho.missed         different requests that have no recording
//	promptecho.changed        ignored fields that differ from the recording
//	promptecho.identical      answers that mode compare found identical; the next four are for its other verdicts
//	promptecho.benign
//	promptecho.drift
//	promptecho.not_compared
//	promptecho.not_sent
//	promptecho.asked_other    answers of another model, which promptecho compare -model asks
//
// promptecho record shows them for all tests of a module.
func New(t testing.TB, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	return Open(t, testname.File(t.Name()), opts...)
}

// Open is [New] for a cassette with a name of its own. Use it for a cassette
// that several tests replay, or for the second one of a test with two programs.
// A relative path is below the folder of the package, as for New:
// "testdata/cassettes/login.yaml".
//
// With [promptecho.AllowUnused], recording one of several tests again keeps
// what the others have recorded. Two recorders cannot have the same file open
// at once, so tests that share one cannot be parallel.
func Open(t testing.TB, file string, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	_, isTest := t.(*testing.T)
	if isTest && report.FuzzWorker() {
		t.Fatal("promptecho: while go test -fuzz generates inputs, the test of an input has no name and therefore " +
			"no cassette: open the recorder before f.Fuzz, with echotest.New(f), or leave out -fuzz")
	}
	rec, err := promptecho.Open(inFolder(file), opts...)
	if err != nil {
		t.Fatal(withRepairCommands(err, t.Name()))
	}
	leaks := guard.Watch()
	engine := (*recorder.Recorder)(rec)
	engine.Begin(!report.Filtered(t.Name()))
	t.Cleanup(func() {
		t.Helper()
		rep := engine.Finish(outcome(t, file))
		for _, note := range rep.Notes {
			t.Logf("promptecho: %s", note)
		}
		var failures []string
		for i := range rep.Problems {
			text := problemText(t, &rep.Problems[i])
			if text != "" {
				failures = append(failures, text)
			}
		}
		for _, l := range leaks() {
			rep.Done.AddCode(finding.NoRecorder)
			failures = append(failures, l.Report())
		}
		current.Load().add(t.Name(), &rep)
		annotate(os.Stdout, t.Name(), rep.Annotations)
		rep.Done.Write(t.Attr)
		// With -v the log has these lines. In a benchmark they would break its line of output.
		_, isBenchmark := t.(*testing.B)
		if !isBenchmark && !testing.Verbose() {
			writeChanges(os.Stdout, t.Name(), &rep.Done)
			if current.Load() == nil {
				writeWithoutEffect(os.Stdout, t.Name()+": ", rep.Options)
			}
		}
		for _, text := range failures { // at the end, since Ginkgo's Errorf does not return
			t.Errorf("promptecho: %s", coloured(text))
		}
	})
	return rec
}

// inFolder returns a file below the folder of the package. Its name stays relative as long as
// the test has not changed the working directory: reports name it so.
func inFolder(file string) string {
	if wd, err := os.Getwd(); err == nil && wd == folder || filepath.IsAbs(file) {
		return file
	}
	return filepath.Join(folder, file)
}
