package saving_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A recording run plays what a killed run has recorded, and sends only the rest.
func TestNextRunResumesFromTheJournal(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mode    promptecho.Mode
		journal []*interaction.Interaction
		policy  promptecho.RecordErrorPolicy
		asked   string
		fails   bool // the test

		sent      int // requests to the provider
		saved     string
		isPartial bool
	}{
		{
			name: "mode once", mode: promptecho.ModeOnce,
			journal: journaled("a", 200),
			asked:   "a b", sent: 1, saved: "a b",
		},
		{
			name: "mode all", mode: promptecho.ModeAll,
			journal: journaled("a", 200),
			asked:   "a b", sent: 1, saved: "a b",
		},
		{
			name: "a recording that is not needed is dropped", mode: promptecho.ModeOnce,
			journal: journaled("z", 200, "a", 200),
			asked:   "a", sent: 0, saved: "a",
		},
		{
			name: "a failed test drops nothing", mode: promptecho.ModeOnce,
			journal: journaled("z", 200, "a", 200),
			asked:   "a", fails: true, sent: 0, saved: "z a", isPartial: true,
		},
		{
			name: "a failed test that asks nothing drops nothing", mode: promptecho.ModeOnce,
			journal: journaled("a", 200),
			asked:   "", fails: true, sent: 0, saved: "a", isPartial: true,
		},
		{
			name: "a failure is asked for again", mode: promptecho.ModeOnce,
			journal: journaled("a", 500),
			asked:   "a", sent: 1, saved: "a",
		},
		{
			name: "a failure that a retry overcame is played", mode: promptecho.ModeOnce,
			journal: journaled("a", 429, "a", 200),
			asked:   "a a", sent: 0, saved: "a a",
		},
		{
			name: "a failure is played with Keep", mode: promptecho.ModeOnce,
			journal: journaled("a", 500), policy: promptecho.Keep,
			asked: "a", sent: 0, saved: "a",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			upstream := provider.New(t)
			file := newCassette(t)
			writeJournal(t, file+must.JournalSuffix, tt.journal)

			rec := must.Open(t, file, promptecho.InMode(tt.mode), promptecho.OnRecordError(tt.policy))
			for prompt := range strings.FieldsSeq(tt.asked) {
				must.Ask(t, rec, upstream.URL, prompt)
			}
			rep := must.Finish(rec, report.Outcome{Failed: tt.fails})

			if upstream.Count() != tt.sent {
				t.Errorf("%d requests were sent, want %d", upstream.Count(), tt.sent)
			}
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q; %+v", got, tt.saved, rep)
			}
			if got := isPartial(t, file); got != tt.isPartial {
				t.Errorf("partial = %v, want %v", got, tt.isPartial)
			}
			if exists(file + must.JournalSuffix) {
				t.Error("the journal is left")
			}
			const note = "resumed a recording that an earlier run began and did not save: "
			if !strings.Contains(strings.Join(rep.Notes, "\n"), note) {
				t.Errorf("notes %q", rep.Notes)
			}
		})
	}
}

// journaled returns interactions that a killed run has recorded: a prompt, the status of its
// answer, the next prompt, and so on.
func journaled(promptsAndStatuses ...any) []*interaction.Interaction {
	var all []*interaction.Interaction
	for i := 0; i < len(promptsAndStatuses); i += 2 {
		prompt, status := promptsAndStatuses[i].(string), promptsAndStatuses[i+1].(int)
		json := interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}}
		it := must.Chats(prompt, `{"left":true}`).Interactions[0]
		it.Response.Status, it.Response.Headers = status, json
		all = append(all, it)
	}
	return all
}

func writeJournal(t *testing.T, path string, interactions []*interaction.Interaction) {
	t.Helper()
	for i, it := range interactions {
		item, err := cassette.Encode(it, 0)
		if err != nil {
			t.Fatal(err)
		}
		isFirst := i == 0
		if err := cassette.Append(path, nil, item, isFirst); err != nil {
			t.Fatal(err)
		}
	}
}

// After a killed run, neither finished calls of wrapped functions nor requests inside them are made
// again.
func TestNextRunResumesWrappedFunctions(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		isInside bool // the run is killed before the function returns
		calls    int64
	}{
		{name: "killed inside the function", isInside: true, calls: 1},
		{name: "killed after the function", calls: 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			upstream := provider.New(t)
			file, next := newCassette(t), ""
			var calls atomic.Int64
			// search calls a function that sends a request and calls whenAnswered.
			search := func(rec *promptecho.Recorder, whenAnswered func()) string {
				wrapped := promptecho.Wrap(rec, "tool/search", func(ctx context.Context, query string) (string, error) {
					calls.Add(1)
					_, answer := must.PostIn(t, ctx, rec, upstream.URL, `{"query":1}`)
					whenAnswered()
					return query + answer, nil
				})
				result, err := wrapped(t.Context(), "q")
				if err != nil {
					t.Error(err)
				}
				return result
			}
			doNothing := func() {}
			kill := func() { next = afterKill(t, file) }

			rec := must.Open(t, file)
			want := ""
			if tt.isInside {
				want = search(rec, kill)
			} else {
				want = search(rec, doNothing)
				kill()
			}
			must.Pass(t, rec)

			sentBefore := upstream.Count()
			calls.Store(0)
			rec = must.Open(t, next)
			if got := search(rec, doNothing); got != want {
				t.Errorf("the function returns %s, want %s", got, want)
			}
			must.Pass(t, rec)

			if calls.Load() != tt.calls {
				t.Errorf("the function was called %d times, want %d", calls.Load(), tt.calls)
			}
			if sent := upstream.Count() - sentBefore; sent != 0 {
				t.Errorf("%d requests were sent, want none", sent)
			}
			if n := len(must.Load(t, next).Interactions); n != 2 {
				t.Errorf("%d interactions, want the function and what it sent", n)
			}
		})
	}
}

// A recording of a killed run whose answer is in a file of its own is resumed with that file.
func TestNextRunResumesAnswersInFiles(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	rec := must.Open(t, file, promptecho.Upstream(soundOrText))
	_, want := must.Ask(t, rec, server, "sound")
	file = afterKill(t, file)

	unasked := provider.Fails(errors.New("a request was sent"))
	rec = must.Open(t, file, promptecho.Upstream(unasked))
	if _, got := must.Ask(t, rec, server, "sound"); got != want {
		t.Errorf("%d bytes, want those that were recorded, %d", len(got), len(want))
	}
	must.Pass(t, rec)

	if names := filesNextTo(t, file); !slices.Equal(names, []string{"c.assets", "c.yaml"}) {
		t.Errorf("there is %q", names)
	}
}
