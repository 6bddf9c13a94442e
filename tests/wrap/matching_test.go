package wrap_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Calls with the same argument get their results in recorded order, and one too many is a miss.
func TestSameArgumentIsReplayedInRecordedOrder(t *testing.T) {
	t.Parallel()
	const tooMany = "asked more often than recorded: 3 times, recorded 2 times " +
		"(AllowRepeats replays the last recording again)"
	file := filepath.Join(t.TempDir(), "c.yaml")
	var s station
	// ask returns the number of the recorded call or the reason of the miss, for each call.
	ask := func(times int, opts ...promptecho.Option) (got []any, errs []string) {
		rec := must.Open(t, file, opts...)
		forecast := s.wrap(rec, "tool/poll")
		for range times {
			w, err := forecast(t.Context(), city{Name: "x"})
			if err != nil {
				got = append(got, err.(*promptecho.MissError).Reason)
			} else {
				got = append(got, w.More["n"])
			}
		}
		return got, must.Finish(rec, report.Outcome{}).Errors
	}
	ask(2)
	for _, tt := range []struct {
		name  string
		times int
		opts  []promptecho.Option
		want  []any
		err   string
	}{
		{name: "as often as recorded", times: 2, want: []any{1, 2}},
		{name: "once", times: 1, want: []any{1}, err: "1 of 2 recordings not used"},
		{
			name:  "once, with AllowUnused",
			times: 1,
			opts:  []promptecho.Option{promptecho.AllowUnused()},
			want:  []any{1},
		},
		{name: "once too often", times: 3, want: []any{1, 2, tooMany}, err: "1 request has no recording"},
		{
			name:  "once too often, with AllowRepeats",
			times: 3,
			opts:  []promptecho.Option{promptecho.AllowRepeats()},
			want:  []any{1, 2, 2},
		},
	} {
		got, errs := ask(tt.times, tt.opts...)
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
		passes := len(errs) == 0
		switch {
		case passes != (tt.err == ""):
			t.Errorf("%s: errors %q, want %q", tt.name, errs, tt.err)
		case !passes && !strings.Contains(errs[0], tt.err):
			t.Errorf("%s: errors %q, want %q", tt.name, errs, tt.err)
		}
	}
}

// A call whose argument is not recorded is a miss, which fails the run even if the agent hides it.
func TestArgumentThatIsNotRecordedFailsTheRun(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var s station
	s.forecasts(t, file, "tool/f", "Rome")
	rec := must.Open(t, file)
	forecast := s.wrap(rec, "tool/f")
	forecast(t.Context(), city{Name: "Rome"})
	var miss *promptecho.MissError
	if _, err := forecast(t.Context(), city{Name: "Oslo"}); !errors.As(err, &miss) {
		t.Errorf("error %v, want a miss", err)
	}
	if calls := s.calls.Load(); calls != 1 {
		t.Errorf("%d calls, want that of the recording run", calls)
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "1 request has no recording") {
		t.Errorf("Close: %v", err)
	}
}

// Many goroutines that call one function each get what was recorded for their argument.
func TestEachGoroutineGetsTheResultOfItsArgument(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var s station
	for range 3 {
		rec := must.Open(t, file)
		forecast := s.wrap(rec, "tool/f")
		var wg sync.WaitGroup
		for i := range 50 {
			wg.Go(func() {
				name := fmt.Sprint("city ", i%10)
				w, err := forecast(t.Context(), city{Name: name})
				if err != nil || len(w.Tags) != 1 || w.Tags[0] != name {
					t.Errorf("%s: %v, %v", name, w, err)
				}
			})
		}
		wg.Wait()
		must.Pass(t, rec)
	}
	if calls := s.calls.Load(); calls != 50 {
		t.Errorf("%d calls, want those of the recording run, 50", calls)
	}
}

// Goroutines that call one function with the same argument get each of the recorded results once.
func TestGoroutinesWithTheSameArgumentShareTheResults(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var s station
	for _, run := range []string{"recording run", "replay"} {
		rec := must.Open(t, file)
		forecast := s.wrap(rec, "tool/f")
		numbers := make(chan any, 20)
		var wg sync.WaitGroup
		for range cap(numbers) {
			wg.Go(func() {
				w, err := forecast(t.Context(), city{Name: "x"})
				if err != nil {
					t.Error(err)
				}
				numbers <- w.More["n"]
			})
		}
		wg.Wait()
		close(numbers)
		got := map[any]int{}
		for n := range numbers {
			got[n]++
		}
		if len(got) != cap(numbers) {
			t.Errorf("%s: %d results, want %d different ones: %v", run, len(got), cap(numbers), got)
		}
		must.Pass(t, rec)
	}
}

// Options of matching and redaction mean for an argument what they mean for a body.
func TestOptionsApplyToArguments(t *testing.T) {
	t.Parallel()
	type query struct {
		Text string `json:"text"`
		User string `json:"user"`
		N    int    `json:"n"`
	}
	recorded := query{Text: "find 2026-01-02", User: "ann", N: 1}
	otherText := query{Text: "find 2026-01-03", User: "ann", N: 1}
	otherUser := query{Text: "find 2026-01-02", User: "bob", N: 1}
	otherUserAndNumber := query{Text: "find 2026-01-02", User: "bob", N: 2}
	for _, tt := range []struct {
		name   string
		option promptecho.Option
		asked  query
		miss   bool
	}{
		{name: "the same", asked: recorded},
		{name: "another text", asked: otherText, miss: true},
		{name: "another text, masked", option: promptecho.Mask(`\d{4}-\d\d-\d\d`, "DATE"), asked: otherText},
		{name: "another user", asked: otherUser, miss: true},
		{name: "another user, ignored", option: promptecho.Ignore("user"), asked: otherUser},
		{name: "another user, redacted", option: promptecho.RedactFields("user"), asked: otherUser},
		{name: "only the text matches", option: promptecho.MatchOnly("*", "text"), asked: otherUserAndNumber},
		{
			name:   "only the text matches, of this function",
			option: promptecho.MatchOnly("tool/f", "text"),
			asked:  otherUserAndNumber,
		},
		{name: "only the user matches", option: promptecho.MatchOnly("*", "user"), asked: otherUser, miss: true},
		{name: "sampling matches", option: promptecho.MatchSampling(), asked: recorded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			opts := []promptecho.Option{promptecho.Log(func(string) {})}
			if tt.option != nil {
				opts = append(opts, tt.option)
			}
			ask := func(q query) (result string, errs []string, err error) {
				rec := must.Open(t, file, opts...)
				find := promptecho.Wrap(rec, "tool/f", func(_ context.Context, q query) (string, error) {
					return "for " + q.User, nil
				})
				result, err = find(t.Context(), q)
				return result, must.Finish(rec, report.Outcome{}).Errors, err
			}

			out, errs, err := ask(recorded)
			if out != "for ann" || err != nil || len(errs) > 0 {
				t.Fatalf("recording run: %q, %v, errors %q", out, err, errs)
			}
			out, errs, err = ask(tt.asked)
			if !tt.miss {
				if out != "for ann" || err != nil || len(errs) > 0 {
					t.Errorf("replay: %q, %v, errors %q", out, err, errs)
				}
				return
			}
			var miss *promptecho.MissError
			if !errors.As(err, &miss) {
				t.Fatalf("error %v, want a miss", err)
			}
			if miss.Call != "tool/f" || !strings.HasPrefix(miss.Caller, "matching_test.go:") {
				t.Errorf("the miss is of %s, from %s", miss.Call, miss.Caller)
			}
			if len(errs) == 0 {
				t.Error("the run passes")
			}
		})
	}
}
