package wrap_test

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// The record modes mean for functions what they mean for requests.
func TestModesApplyToFunctions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		mode     promptecho.Mode
		recorded bool   // whether there is a cassette, with a call for "old"
		called   string // of the calls for "old" and "new", those that call the function
		saved    int    // calls in the cassette after the run
	}{
		{mode: promptecho.ModeOnce, recorded: false, called: "old new", saved: 2},
		{mode: promptecho.ModeOnce, recorded: true, called: "", saved: 1},
		{mode: promptecho.ModeNone, recorded: false, called: "", saved: 0},
		{mode: promptecho.ModeNone, recorded: true, called: "", saved: 1},
		{mode: promptecho.ModeNewEpisodes, recorded: false, called: "old new", saved: 2},
		{mode: promptecho.ModeNewEpisodes, recorded: true, called: "new", saved: 2},
		{mode: promptecho.ModeUpdate, recorded: false, called: "old new", saved: 2},
		{mode: promptecho.ModeUpdate, recorded: true, called: "new", saved: 2},
		{mode: promptecho.ModeAll, recorded: false, called: "old new", saved: 2},
		{mode: promptecho.ModeAll, recorded: true, called: "old new", saved: 2},
		{mode: promptecho.ModeLive, recorded: false, called: "old new", saved: 0},
		{mode: promptecho.ModeLive, recorded: true, called: "old new", saved: 1},
	} {
		t.Run(fmt.Sprintf("%s, recorded: %v", tt.mode, tt.recorded), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			var s station
			if tt.recorded {
				s.forecasts(t, file, "tool/f", "old")
			}

			rec := must.Open(t, file, promptecho.InMode(tt.mode))
			forecast := s.wrap(rec, "tool/f")
			var called []string
			for _, name := range []string{"old", "new"} {
				before := s.calls.Load()
				_, err := forecast(t.Context(), city{Name: name})
				isCalled := s.calls.Load() > before
				if isCalled {
					called = append(called, name)
				}
				hasResult := isCalled || tt.recorded && name == "old"
				if (err == nil) != hasResult {
					t.Errorf("the call for %s returns the error %v", name, err)
				}
			}
			if got := strings.Join(called, " "); got != tt.called {
				t.Errorf("called for %q, want %q", got, tt.called)
			}
			must.Finish(rec, report.Outcome{})
			if got := saved(t, file); got != tt.saved {
				t.Errorf("%d calls are saved, want %d", got, tt.saved)
			}
		})
	}
}

// saved returns how many calls a cassette has, 0 if there is none.
func saved(t *testing.T, file string) int {
	t.Helper()
	f, err := cassette.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	return len(f.Interactions)
}
