package saving_test

import (
	"net/http"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A cassette that a failed or filtered run began is completed by the next run that passes.
func TestPartialCassetteIsCompletedByAPassedRun(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]report.Outcome{
		"begun by a filtered run": {Filtered: true},
		"begun by a failed run":   {Failed: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			run(t, file, promptecho.ModeOnce, "a", how)
			if !isPartial(t, file) {
				t.Error("the cassette is not marked as partial")
			}

			rec := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
			must.Ask(t, rec, server, "a")
			must.Ask(t, rec, server, "b")
			must.Close(t, rec)

			if got := must.Prompts(t, file); got != "a b" {
				t.Errorf("the cassette has %q", got)
			}
			if isPartial(t, file) {
				t.Error("the cassette is still marked as partial")
			}
		})
	}
}

// With AllowUnused, a passed run completes a partial cassette though recordings are unused.
func TestPartialCassetteIsCompletedDespiteAllowedUnusedRecordings(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	run(t, file, promptecho.ModeOnce, "a b", report.Outcome{Failed: true})

	rec := must.Open(t, file, promptecho.AllowUnused())
	must.Ask(t, rec, server, "a")
	must.Close(t, rec)

	if isPartial(t, file) {
		t.Error("the cassette is still marked as partial")
	}
}

// A test that skips itself because of an answer is recorded whole, and skips itself in replay.
func TestSkippedBecauseOfAnAnswerIsRecordedWhole(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep),
			promptecho.Upstream(provider.Statuses(`{}`, http.StatusNotFound)))
		if status, _ := must.Ask(t, rec, server, "a"); status != http.StatusNotFound {
			t.Errorf("mode %s: status %d", mode, status)
		}
		if rep := must.Finish(rec, report.Outcome{Skipped: true}); len(rep.Errors) > 0 {
			t.Errorf("mode %s: %q", mode, rep.Errors)
		}
	}
}
