package time_test

import (
	"context"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Requests with the time, random IDs, numbers and a variable match in every replay.
//
// The replays come one after the other, and all at the same time.
func TestRequestsWithRecordedValuesMatchInEveryReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	run := func(t *testing.T, file string, mode promptecho.Mode) (answers [3]string) {
		r := must.Open(t, file, promptecho.InMode(mode))
		for i := range answers {
			status, answer := must.Ask(t, r, u.URL, promptWithValues(r))
			if status != http.StatusOK {
				t.Errorf("status %d: %s", status, answer)
			}
			answers[i] = answer
		}
		must.Pass(t, r)
		return answers
	}
	before := time.Now().Add(-time.Second)
	want := run(t, file, promptecho.ModeOnce)
	u.Close()

	values := must.Load(t, file).RecordedValues
	if values.Time.Before(before) || values.Time.After(time.Now()) {
		t.Errorf("the cassette has the time %v", values.Time)
	}
	if len(values.Seed) != interaction.SeedDigits {
		t.Errorf("the cassette has the seed %q", values.Seed)
	}
	if len(values.Env) != 1 || values.Env[must.TestVariable] != "model-b" {
		t.Errorf("the cassette has the variables %v", values.Env)
	}
	for range 20 {
		if got := run(t, file, promptecho.ModeNone); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var wg sync.WaitGroup
	for range 20 {
		copied := filepath.Join(t.TempDir(), "c.yaml")
		must.Write(t, copied, must.Read(t, file))
		wg.Go(func() {
			if got := run(t, copied, promptecho.ModeNone); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

// promptWithValues returns a prompt as programs make them, which would be another one in each run
// if its values did not come from the recorder.
func promptWithValues(r *promptecho.Recorder) string {
	var id [16]byte
	r.Rand("ids").Read(id[:])
	now, number := r.Now().Format(time.RFC3339), r.Rand("dice").IntN(1e9)
	return fmt.Sprintf("%s %x %d %s", now, id, number, r.Env(must.TestVariable))
}

// Now returns the time of the recording in whole seconds and UTC, however often it is called.
func TestNowIsInWholeSecondsAndUTC(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var recorded time.Time
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
		now := r.Now()
		if now.Location() != time.UTC || now.Nanosecond() != 0 || r.Now() != now {
			t.Errorf("mode %s: %v", mode, now)
		}
		if mode == promptecho.ModeNone && !now.Equal(recorded) {
			t.Errorf("%v, recorded %v", now, recorded)
		}
		recorded = now
		must.Ask(t, r, "http://h", "a")
		must.Pass(t, r)
	}
}

// Goroutines with a random source each get the recorded values in whatever order they run.
func TestGoroutinesWithTheirOwnSourceGetTheRecordedValues(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				number := r.Rand(fmt.Sprint("worker ", i)).Uint64()
				prompt := fmt.Sprint(r.Now(), i, number, r.Env(must.TestVariable))
				if status, body := must.Ask(t, r, u.URL, prompt); status != http.StatusOK {
					t.Errorf("mode %s: status %d: %s", mode, status, body)
				}
			})
		}
		wg.Wait()
		must.Pass(t, r)
	}
}

// A nil recorder returns the real time, new random numbers and the current variables.
func TestNilRecorderReturnsRealValues(t *testing.T) {
	t.Parallel()
	var r *promptecho.Recorder
	if d := time.Since(r.Now()); d < 0 || d > time.Minute {
		t.Errorf("the time is off by %v", d)
	}
	if first, second := r.Rand("a").Uint64(), r.Rand("a").Uint64(); first == second {
		t.Error("two sources are the same")
	}
	if r.Env(must.TestVariable) != "model-b" || r.Env("PROMPTECHO_TEST_UNSET") != "" {
		t.Errorf("%q", r.Env(must.TestVariable))
	}
}

// In mode live, a random source continues where it was, and each name has its own.
func TestRandomSourceContinuesInModeLive(t *testing.T) {
	t.Parallel()
	live := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeLive))
	drawn := map[uint64]bool{}
	for _, name := range []string{"a", "a", "b", "b"} {
		drawn[live.Rand(name).Uint64()] = true
	}
	if len(drawn) != 4 {
		t.Errorf("%d different numbers of 4", len(drawn))
	}
}

// Calls of wrapped functions with recorded values as arguments match in replay, too.
//
// If the function is Live, its new recordings are in a derived cassette with the same values.
func TestFunctionCallsWithRecordedValuesMatch(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	type day struct {
		Date time.Time
		Dice int
	}
	calls := 0
	for _, tt := range []struct {
		mode   promptecho.Mode
		option promptecho.Option
		calls  int // of the function, until then
	}{
		{mode: promptecho.ModeOnce, calls: 1},
		{mode: promptecho.ModeNone, calls: 1},
		{mode: promptecho.ModeOnce, option: promptecho.Live("tool/*"), calls: 2},
	} {
		r := must.Open(t, file, tt.option, promptecho.InMode(tt.mode))
		weather := promptecho.Wrap(r, "tool/weather", func(context.Context, day) (string, error) {
			calls++
			return fmt.Sprint("rain ", calls), nil
		})
		today := day{Date: r.Now(), Dice: r.Rand("dice").IntN(1e9)}
		if _, err := weather(t.Context(), today); err != nil || calls != tt.calls {
			t.Errorf("mode %s: %d calls, %v", tt.mode, calls, err)
		}
		must.Pass(t, r)
	}
	want := must.Load(t, file).RecordedValues
	derived := must.Load(t, strings.TrimSuffix(file, ".yaml")+".derived.yaml").RecordedValues
	if want.Time.IsZero() || want.Seed == "" || !derived.Equal(&want) {
		t.Errorf("the derived cassette has %v, want %v", derived, want)
	}
}

// A test with a Frozen call keeps its values in mode all, so that the frozen call still matches.
func TestFrozenCallMatchesInModeAll(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, options ...promptecho.Option) {
		r := must.Open(t, file, append(options,
			promptecho.InMode(mode),
			promptecho.Upstream(provider.Says(`{}`)))...)
		must.Begin(r, passed)
		book := promptecho.Wrap(r, "tool/book", func(context.Context, uint64) (string, error) { return "booked", nil })
		if got, err := book(t.Context(), r.Rand("id").Uint64()); got != "booked" {
			t.Errorf("mode %s: %q, %v", mode, got, err)
		}
		must.Ask(t, r, "http://h", promptWithValues(r))
		must.Pass(t, r)
	}
	run(promptecho.ModeOnce)
	for _, mode := range []promptecho.Mode{
		promptecho.ModeAll,
		promptecho.ModeAll,
		promptecho.ModeLive,
		promptecho.ModeNone,
	} {
		run(mode, promptecho.Frozen("tool/book"))
	}
}
