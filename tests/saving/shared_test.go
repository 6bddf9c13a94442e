package saving_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Two tests of a process that share a cassette do not drop what the other has just recorded.
//
// A test that runs twice replaces what it recorded.
func TestTestsThatShareACassetteKeepEachOthersRecordings(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode promptecho.Mode
		both string // the prompts in the cassette after the second test
	}{
		{mode: promptecho.ModeAll, both: "third second"},
		{mode: promptecho.ModeUpdate, both: "second third"},
	} {
		t.Run(string(tt.mode), func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			record := func(test, prompt string) {
				t.Helper()
				if rep := run(t, file, tt.mode, prompt, report.Outcome{Test: test}); len(rep.Errors) > 0 {
					t.Error(rep.Errors)
				}
			}
			record("TestA", "first")
			record("TestA", "second")
			if got := must.Prompts(t, file); got != "second" {
				t.Errorf("after two runs of one test, the cassette has %q", got)
			}
			record("TestB", "third")
			if got := must.Prompts(t, file); got != tt.both {
				t.Errorf("after another test, the cassette has %q, want %q", got, tt.both)
			}
		})
	}
}

// A run of one test, in mode all, keeps what the other tests have in a shared cassette.
//
// Unused recordings are accepted there. A cassette of the test's own is replaced.
func TestRunOfOneTestKeepsRecordingsOfOthers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		isShared bool
		want     string // the prompts in the cassette, sorted
	}{
		{name: "the cassette is shared", isShared: true, want: "edited other prompt"},
		{name: "the cassette is the test's own", isShared: false, want: "edited"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			rec := must.Open(t, file, promptecho.Upstream(provider.Says(`"1"`)))
			must.Ask(t, rec, server, "prompt")
			must.Ask(t, rec, server, "other")
			must.Close(t, rec)

			how := report.Outcome{Test: "TestA", Shared: tt.isShared, Selected: true}
			rep := run(t, file, promptecho.ModeAll, "edited", how, promptecho.AllowUnused())

			if len(rep.Errors) > 0 {
				t.Error(rep.Errors)
			}
			got := strings.Fields(must.Prompts(t, file))
			slices.Sort(got)
			if strings.Join(got, " ") != tt.want {
				t.Errorf("the cassette has %q, want %q", got, tt.want)
			}
		})
	}
}

// A test does not replace the recordings of another test of the same name; it does replace its own.
//
// Two specs of Ginkgo may have one full name, and so one cassette.
func TestTestsOfOneNameDoNotOverwriteEachOther(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	record := func(prompts string) report.Report {
		return run(t, file, promptecho.ModeAll, prompts, report.Outcome{Test: "Bot answers", Ambiguous: true})
	}
	for _, prompts := range []string{"a b", "a b", "a b c"} {
		if rep := record(prompts); len(rep.Errors) > 0 {
			t.Fatalf("the same test again: %q", rep.Errors)
		}
	}

	errs := strings.Join(record("d").Errors, "\n")

	for _, want := range []string{"give the two tests different names", "c.yaml.failed"} {
		if !strings.Contains(errs, want) {
			t.Errorf("another test of the same name does not report %q: %q", want, errs)
		}
	}
	if got := must.Prompts(t, file); got != "a b c" {
		t.Errorf("the cassette has %q", got)
	}
	if got := must.Prompts(t, file+must.FailedSuffix); got != "d" {
		t.Errorf("the file next to it has %q", got)
	}
}
