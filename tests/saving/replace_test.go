package saving_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Only a test that ran whole and passed removes recordings from a cassette.
//
// In mode all, a failed test saves next to a whole cassette. Each cassette had the prompts a, b
// and c. It is partial if the run that recorded it failed.
func TestOnlyAPassedRunDropsRecordings(t *testing.T) {
	t.Parallel()
	passed := report.Outcome{}
	failed := report.Outcome{Failed: true}
	skipped := report.Outcome{Skipped: true}
	filtered := report.Outcome{Filtered: true}
	tests := []struct {
		name       string
		mode       promptecho.Mode
		wasPartial bool
		asked      string
		outcome    report.Outcome

		saved     string // the prompts in the cassette afterwards
		isPartial bool
		failed    string // the prompts in the file next to it
	}{
		{
			name: "mode all, whole, passed",
			mode: promptecho.ModeAll, asked: "a d", outcome: passed,
			saved: "a d",
		},
		{
			name: "mode all, whole, failed",
			mode: promptecho.ModeAll, asked: "a d", outcome: failed,
			saved: "a b c", failed: "a d",
		},
		{
			name: "mode all, whole, skipped",
			mode: promptecho.ModeAll, asked: "a d", outcome: skipped,
			saved: "a d b c",
		},
		{
			name: "mode all, whole, filtered",
			mode: promptecho.ModeAll, asked: "c", outcome: filtered,
			saved: "c a b",
		},
		{
			name: "mode all, whole, failed without a request",
			mode: promptecho.ModeAll, asked: "", outcome: failed,
			saved: "a b c",
		},
		{
			name: "mode all, partial, passed",
			mode: promptecho.ModeAll, wasPartial: true, asked: "a d", outcome: passed,
			saved: "a d",
		},
		{
			name: "mode all, partial, failed",
			mode: promptecho.ModeAll, wasPartial: true, asked: "a d", outcome: failed,
			saved: "a d b c", isPartial: true,
		},
		{
			name: "mode all, partial, filtered",
			mode: promptecho.ModeAll, wasPartial: true, asked: "b", outcome: filtered,
			saved: "b a c", isPartial: true,
		},
		{
			name: "mode new_episodes, whole, passed",
			mode: promptecho.ModeNewEpisodes, asked: "a d", outcome: passed,
			saved: "a b c d",
		},
		{
			name: "mode new_episodes, whole, failed",
			mode: promptecho.ModeNewEpisodes, asked: "a d", outcome: failed,
			saved: "a b c d",
		},
		{
			name: "mode new_episodes, whole, filtered",
			mode: promptecho.ModeNewEpisodes, asked: "d", outcome: filtered,
			saved: "a b c d",
		},
		{
			name: "mode new_episodes, partial, passed with a new request",
			mode: promptecho.ModeNewEpisodes, wasPartial: true, asked: "a b c d", outcome: passed,
			saved: "a b c d",
		},
		{
			name: "mode new_episodes, partial, passed with the same requests",
			mode: promptecho.ModeNewEpisodes, wasPartial: true, asked: "a b c", outcome: passed,
			saved: "a b c",
		},
		{
			name: "mode new_episodes, partial, passed with unused recordings",
			mode: promptecho.ModeNewEpisodes, wasPartial: true, asked: "a d", outcome: passed,
			saved: "a b c d", isPartial: true,
		},
		{
			name: "mode new_episodes, partial, failed",
			mode: promptecho.ModeNewEpisodes, wasPartial: true, asked: "a d", outcome: failed,
			saved: "a b c d", isPartial: true,
		},
		{
			name: "mode once, partial, failed",
			mode: promptecho.ModeOnce, wasPartial: true, asked: "a d", outcome: failed,
			saved: "a b c d", isPartial: true,
		},
		{
			name: "mode once, partial, filtered",
			mode: promptecho.ModeOnce, wasPartial: true, asked: "a b c d", outcome: filtered,
			saved: "a b c d", isPartial: true,
		},
		{
			name: "mode once, partial, passed",
			mode: promptecho.ModeOnce, wasPartial: true, asked: "a b c d", outcome: passed,
			saved: "a b c d",
		},
		{
			name: "mode once, whole, failed",
			mode: promptecho.ModeOnce, asked: "a d", outcome: failed,
			saved: "a b c",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			old := provider.Says(`{"old":true}`)
			runWith(t, old, file, promptecho.ModeOnce, "a b c", report.Outcome{Failed: tt.wasPartial})

			rep := run(t, file, tt.mode, tt.asked, tt.outcome)

			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q; %+v", got, tt.saved, rep)
			}
			if got := isPartial(t, file); got != tt.isPartial {
				t.Errorf("partial = %v, want %v", got, tt.isPartial)
			}
			if got := must.Prompts(t, file+must.FailedSuffix); got != tt.failed {
				t.Errorf("the file next to it has %q, want %q", got, tt.failed)
			}
			if tt.failed != "" {
				command := shell.Move(file+must.FailedSuffix, file)
				if !strings.Contains(strings.Join(rep.Notes, "\n"), command) {
					t.Errorf("the notes do not say how to use it: %q", rep.Notes)
				}
			}
		})
	}
}

// A failed request, as with an expired key, does not replace the recording of its success.
func TestFailureDoesNotReplaceSuccess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		policy    promptecho.RecordErrorPolicy
		before    []int // the statuses in the cassette
		now       []int // the statuses of the provider
		isRefused bool
	}{
		{name: "401 in place of 200", policy: promptecho.Warn, before: []int{200}, now: []int{401}, isRefused: true},
		{name: "401 in place of 200, with Keep", policy: promptecho.Keep, before: []int{200}, now: []int{401}},
		{name: "404 in place of 404", policy: promptecho.Warn, before: []int{404}, now: []int{404}},
		{name: "429 and a retry in place of 200", policy: promptecho.Warn, before: []int{200}, now: []int{429, 200}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := newCassette(t)
			askAndGet := func(mode promptecho.Mode, statuses []int, policy promptecho.RecordErrorPolicy) error {
				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(policy),
					promptecho.Upstream(provider.Statuses(`{}`, statuses...)))
				for range statuses {
					must.Ask(t, rec, server, "x")
				}
				return rec.Close()
			}
			if err := askAndGet(promptecho.ModeOnce, tt.before, promptecho.Keep); err != nil {
				t.Fatal(err)
			}
			before := must.Read(t, file)

			err := askAndGet(promptecho.ModeAll, tt.now, tt.policy)

			if !tt.isRefused {
				if err != nil {
					t.Errorf("Close: %v", err)
				}
				var saved []int
				for _, it := range must.Load(t, file).Interactions {
					saved = append(saved, it.Response.Status)
				}
				if !slices.Equal(saved, tt.now) {
					t.Errorf("the cassette has the statuses %v, want %v", saved, tt.now)
				}
				return
			}
			want := file + ":4: not replaced: this recording is a success, and now the server refused access: " +
				"POST http://h/v1/chat/completions: status 401"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("Close: %v, want %q", err, want)
			}
			if must.Read(t, file) != before {
				t.Error("the cassette was replaced")
			}
		})
	}
}

// A cassette that is both pinned and partial is refused in every mode that reads it, and stays.
func TestPinnedAndPartialContradictEachOther(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	run(t, file, promptecho.ModeOnce, "a", report.Outcome{Failed: true})
	must.Edit(t, file, "partial: true", "pinned: true\npartial: true")
	before := must.Read(t, file)
	for _, mode := range must.EveryMode {
		if mode == promptecho.ModeLive {
			continue // it reads no cassette
		}
		_, err := promptecho.Open(file, promptecho.InMode(mode))
		if err == nil || !strings.Contains(err.Error(), "is pinned and partial") {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
	if must.Read(t, file) != before {
		t.Error("the file changed")
	}
}
