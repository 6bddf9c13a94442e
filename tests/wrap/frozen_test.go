package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A frozen function is never called, in any mode: its recording is replayed, or the call is a miss.
func TestFrozenFunctionIsNeverCalled(t *testing.T) {
	t.Parallel()
	for _, mode := range must.EveryMode {
		for _, recorded := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, recorded: %v", mode, recorded), func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				var looks, charges station
				if recorded {
					rec := must.Open(t, file)
					looks.wrap(rec, "tool/look")(t.Context(), city{Name: "first"})
					charges.wrap(rec, "tool/charge_card")(t.Context(), city{Name: "old"})
					must.Pass(t, rec)
				}
				charges.calls.Store(0)

				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Frozen("tool/charge_card"))
				look, charge := looks.wrap(rec, "tool/look"), charges.wrap(rec, "tool/charge_card")
				_, lookErr := look(t.Context(), city{Name: "first"})
				old, oldErr := charge(t.Context(), city{Name: "old"})
				_, newErr := charge(t.Context(), city{Name: "new"})
				if calls := charges.calls.Load(); calls != 0 {
					t.Fatalf("charged %d times", calls)
				}

				neverCalls := mode == promptecho.ModeNone || mode == promptecho.ModeCompare
				if (lookErr == nil) != (recorded || !neverCalls) {
					t.Errorf("the function that is not frozen: %v", lookErr)
				}
				if (oldErr == nil) != recorded {
					t.Errorf("the recorded call: %v", oldErr)
				}
				if recorded && (len(old.Tags) != 1 || old.Tags[0] != "old") {
					t.Errorf("the recorded call gives %v", old)
				}
				var miss *promptecho.MissError
				why := "Frozen forbids this call: to record it, remove that option for one run"
				if !errors.As(newErr, &miss) || !strings.HasSuffix(miss.Reason, why) {
					t.Errorf("the call that is not recorded: %v", newErr)
				}
				if errs := must.Finish(rec, report.Outcome{}).Errors; len(errs) == 0 {
					t.Error("the run passes")
				}
			})
		}
	}
}

// Mode all keeps the recordings of a frozen function in their place, with the requests within it.
func TestRecordingAgainKeepsFrozenRecordings(t *testing.T) {
	t.Parallel()
	server := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(opts ...promptecho.Option) {
		t.Helper()
		rec := must.Open(t, file, opts...)
		charge := promptecho.Wrap(rec, "tool/charge_card", func(ctx context.Context, s string) (string, error) {
			_, body := must.PostIn(t, ctx, rec, server.URL+"/x", `{"charge":1}`)
			return body, nil
		})
		must.Ask(t, rec, server.URL, "before")
		charge(t.Context(), "5 EUR")
		must.Ask(t, rec, server.URL, "after")
		must.Pass(t, rec)
	}
	run()
	first := must.Load(t, file).Interactions
	run(promptecho.InMode(promptecho.ModeAll), promptecho.Frozen("tool"))
	second := must.Load(t, file).Interactions
	if len(first) != 4 || len(second) != 4 {
		t.Fatalf("%d interactions, and then %d, want 4", len(first), len(second))
	}
	// The model is asked, the card is charged, the charge sends a request, the model is asked.
	for i, isRecordedAgain := range []bool{true, false, false, true} {
		was, is := first[i], second[i]
		if was.Request.String() != is.Request.String() {
			t.Errorf("interaction %d was %s, and then %s", i, was.Request.String(), is.Request.String())
		}
		isOther := string(was.Response.Body) != string(is.Response.Body)
		if isOther != isRecordedAgain {
			t.Errorf("interaction %d, %s, gave %s, and then %s",
				i, was.Request.String(), was.Response.Body, is.Response.Body)
		}
	}
	run(promptecho.InMode(promptecho.ModeNone))
	if server.Count() != 5 {
		t.Errorf("%d requests, want 3 and 2", server.Count())
	}
}

// A Frozen option that selects no call of the run or the cassette fails the run.
// The function that it means could be called.
func TestFrozenWithoutEffectFailsTheRun(t *testing.T) {
	t.Parallel()
	a := newResearcher(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec, _ := a.run(t, file, "a", "b")
	must.Pass(t, rec)

	rec, _ = a.runWith(t, file, []promptecho.Option{promptecho.Frozen("tool/search", "retrieval")}, "a", "b")
	err := rec.Close()
	want := `Frozen("retrieval") has no effect: no call of this name was made or is recorded`
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Close: %v", err)
	}
}

// A function that both Frozen and Live select is frozen.
func TestFrozenWinsOverLive(t *testing.T) {
	t.Parallel()
	a := newResearcher(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec, _ := a.run(t, file, "a", "b")
	must.Pass(t, rec)

	a.version = "v2"
	opts := []promptecho.Option{
		promptecho.Live("tool"),
		promptecho.Frozen("tool/search"),
		promptecho.Log(func(string) {}), // Live has no effect
	}
	rec, results := a.runWith(t, file, opts, "a", "b")
	must.Pass(t, rec)
	if results != "v1 of a, v1 of b" {
		t.Errorf("got %s", results)
	}
}
