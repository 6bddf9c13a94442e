package time_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A situation is a run of a test that uses recorded values. Unless it has no file, its cassette has
// the prompt "a".
type situation struct {
	name     string
	mode     promptecho.Mode
	cassette string // lines at the top of the cassette, or noFile
	uses     string // the values that the test uses; see must.Values
	prompts  string // the prompts that it sends
	outcome  report.Outcome

	returned string // the values that the test gets; see describeReturned
	saved    string // the values in the cassette afterwards; see describeSaved
	failed   string // the values in NAME.yaml.failed; "" if that file is absent
	err      string
}

var (
	passed = report.Outcome{}
	failed = report.Outcome{Failed: true}
)

const (
	recordedTime = "2026-01-02T03:04:05Z"
	timeLine     = "time: " + recordedTime + "\n"
	seedLine     = "seed: " + testSeed + "\n"
	envLine      = "env: {" + must.TestVariable + ": model-a}\n"

	allValues      = "time rand:dice env:" + must.TestVariable
	recordedValues = recordedTime + " recorded model-a"
	newValues      = "now new model-b"
	fixedValues    = "2000-01-01T00:00:00Z zeros" // and an empty variable

	noFile    = "no file"
	unchanged = "unchanged"
)

func runAll(t *testing.T, situations []situation) {
	for _, s := range situations {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

func (s situation) run(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	before := ""
	if s.cassette != noFile {
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Close(t, r)
		must.SetTop(t, file, s.cassette)
		before = must.Read(t, file)
	}
	var errs []string
	synctest.Test(t, func(t *testing.T) {
		r := must.Open(t, file, promptecho.InMode(s.mode), promptecho.Upstream(provider.Says(`{}`)))
		must.Begin(r, s.outcome)
		values := must.Values(r, s.uses)
		time.Sleep(time.Hour)
		if got := describeReturned(t, values, s.uses); got != s.returned {
			t.Errorf("the test gets %q, want %q", got, s.returned)
		}
		if now := must.Values(r, "time"); !strings.HasPrefix(values, now) {
			t.Errorf("first %q, and an hour later %s", values, now)
		}
		for prompt := range strings.FieldsSeq(s.prompts) {
			must.Ask(t, r, "http://h", prompt)
		}
		errs = must.Finish(r, s.outcome).Errors
	})
	all := strings.Join(errs, "\n")
	if (all == "") != (s.err == "") || !strings.Contains(all, s.err) || len(errs) > 1 {
		t.Errorf("errors %q, want %q", errs, s.err)
	}
	if got := describeSaved(t, file, before); got != s.saved {
		t.Errorf("the cassette has %q, want %q", got, s.saved)
	}
	wantFailed := s.failed
	if wantFailed == "" {
		wantFailed = noFile
	}
	if got := describeSaved(t, file+must.FailedSuffix, ""); got != wantFailed {
		t.Errorf("the file of the failed run has %q, want %q", got, wantFailed)
	}
	if _, err := os.Stat(file + must.JournalSuffix); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal is left: %v", err)
	}
}

// describeReturned describes values that must.Values has returned. A number is "recorded" if it is
// of the seed testSeed, "zeros" if it is of a seed of zeros, and "new" otherwise. A time is "now" if
// it is that of these tests.
func describeReturned(t testing.TB, values, uses string) string {
	t.Helper()
	words := strings.Split(values, " ")
	for i, use := range strings.Fields(uses) {
		name, isNumber := strings.CutPrefix(use, "rand:")
		if !isNumber {
			continue
		}
		switch words[i] {
		case firstNumber(t, testSeed, name):
			words[i] = "recorded"
		case firstNumber(t, strings.Repeat("0", interaction.SeedDigits), name):
			words[i] = "zeros"
		default:
			words[i] = "new"
		}
	}
	return withNow(strings.TrimSpace(strings.Join(words, " ")))
}

func firstNumber(t testing.TB, seed, name string) string {
	return fmt.Sprintf("%x", openSource(t, seed, name).Uint64())
}

// describeSaved describes the values of a cassette: the time, "seed" if there is one, and the
// variable. It is noFile if there is none, and unchanged if its text is the one before.
func describeSaved(t *testing.T, file, before string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		return noFile
	}
	if must.Read(t, file) == before {
		return unchanged
	}
	values := must.Load(t, file).RecordedValues
	var words []string
	if !values.Time.IsZero() {
		words = append(words, values.Time.Format(time.RFC3339))
	}
	if values.Seed != "" {
		words = append(words, "seed")
	}
	if v, ok := values.Env[must.TestVariable]; ok {
		words = append(words, v)
	}
	return withNow(strings.Join(words, " "))
}

// started is a little before these tests.
var started = time.Now().Add(-time.Minute)

// withNow replaces a time at the beginning of a text with "now" if it is that of these tests.
func withNow(text string) string {
	word, rest, _ := strings.Cut(text, " ")
	at, err := time.Parse(time.RFC3339, word)
	if err != nil || at.Before(started) {
		return text
	}
	return strings.TrimSpace("now " + rest)
}
