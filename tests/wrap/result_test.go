package wrap_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// everyKind has a name of each kind of function, and one of several parts.
var everyKind = []string{
	"tool/get_weather",
	"retrieval/docs",
	"memory_read/user",
	"memory_write/user",
	"tool/mcp/files.read-1",
}

// A replay returns the recorded results of a function and does not call it.
func TestReplayReturnsRecordedResultsAndCallsNothing(t *testing.T) {
	t.Parallel()
	for _, name := range everyKind {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var s station
			file := filepath.Join(t.TempDir(), "c.yaml")
			recorded := s.forecasts(t, file, name, "Berlin", "Rome", "Berlin")
			replayed := s.forecasts(t, file, name, "Berlin", "Rome", "Berlin")
			if !reflect.DeepEqual(recorded, replayed) {
				t.Errorf("the recording run got %v and the replay %v", recorded, replayed)
			}
			if calls := s.calls.Load(); calls != 3 {
				t.Errorf("%d calls, want those of the recording run, 3", calls)
			}
		})
	}
}

// A number in a result of type any is a float64 in the recording run and in every replay.
func TestNumberInAnAnyIsAFloat64InEveryRun(t *testing.T) {
	t.Parallel()
	var s station
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []string{"recording run", "replay"} {
		results := s.forecasts(t, file, "tool/get_weather", "Berlin", "Rome", "Berlin")
		if got := results[2].More["n"]; got != 3.0 {
			t.Errorf("%s: the third call gave %v (%[2]T), want 3.0", run, got)
		}
	}
}

// A cassette has the name of a function as kind and boundary of its calls.
func TestNameOfAFunctionIsItsKindAndBoundary(t *testing.T) {
	t.Parallel()
	for _, name := range everyKind {
		var s station
		file := filepath.Join(t.TempDir(), "c.yaml")
		s.forecasts(t, file, name, "Berlin", "Rome", "Berlin")
		kind, boundary, _ := strings.Cut(name, "/")
		for _, it := range must.Load(t, file).Interactions {
			if it.Kind != kind || it.Boundary != boundary || it.Request.Function != name {
				t.Errorf("%s: recorded as %s, %s", name, it.Kind, it.Boundary)
			}
		}
	}
}

// recordedLine is the line with the day of a recording.
var recordedLine = regexp.MustCompile(`recorded: \d{4}-\d\d-\d\d`)

// A cassette has arguments, results and errors of functions as YAML that is easy to read.
func TestCassetteShowsArgumentsAndResultsAsYAML(t *testing.T) {
	t.Parallel()
	// In a bubble of testing/synctest, a call takes 0 ms.
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		rec := must.Open(t, file)
		search := promptecho.Wrap(rec, "retrieval/notes", func(context.Context, string) (string, error) {
			return "first line\nsecond <line>\n", nil
		})
		type order map[string]any
		charge := promptecho.Wrap(rec, "tool/charge_card", func(_ context.Context, o order) (*weather, error) {
			return nil, fmt.Errorf("charge %v: %w", o["amount"], fs.ErrPermission)
		})
		search(t.Context(), "notes of May")
		_, err := charge(t.Context(), order{"amount": 12.50, "currency": "EUR"})
		if err == nil || err.Error() != "charge 12.5: permission denied" {
			t.Errorf("error %v", err)
		}
		must.Pass(t, rec)

		_, text, _ := strings.Cut(must.Read(t, file), "interactions:\n")
		text, _, _ = strings.Cut(text, "seals:")
		text = recordedLine.ReplaceAllString(text, "recorded: DATE")
		want := `- kind: retrieval
  boundary: notes
  recorded: DATE
  request:
    body: notes of May
  response:
    body: |
      first line
      second <line>
  latency_ms: 0
- kind: tool
  boundary: charge_card
  recorded: DATE
  request:
    body:
      amount: 12.5
      currency: EUR
  response:
    error: "charge 12.5: permission denied"
    error_is: ["permission denied"]
  latency_ms: 0
`
		if text != want {
			t.Errorf("the cassette has\n%s\nwant\n%s", text, want)
		}
	})
}

// The call of a function may be written into a cassette by hand, with a result or an error.
func TestCallWrittenByHandIsReplayed(t *testing.T) {
	t.Parallel()
	const written = `version: 1
interactions:
- kind: tool
  boundary: charge_card
  request:
    body: {amount: 12, currency: EUR}
  response:
    body: charge ch_1
- kind: tool
  boundary: charge_card
  request:
    body: {amount: 900, currency: EUR}
  response:
    error: "charging 900 EUR: the card was declined"
    error_is: ["the card was declined"]
`
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(written), 0o644); err != nil {
		t.Fatal(err)
	}
	type payment struct {
		Amount   int    `json:"amount"`
		Currency string `json:"currency"`
	}
	declined := errors.New("the card was declined")
	rec := must.Open(t, file)
	charge := promptecho.Wrap(rec, "tool/charge_card", func(context.Context, payment) (string, error) {
		t.Error("the card is charged")
		return "", nil
	}, promptecho.Sentinels(declined))

	got, err := charge(t.Context(), payment{Amount: 12, Currency: "EUR"})
	if got != "charge ch_1" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	_, err = charge(t.Context(), payment{Amount: 900, Currency: "EUR"})
	if !errors.Is(err, declined) || err.Error() != "charging 900 EUR: the card was declined" {
		t.Errorf("error %v", err)
	}
	must.Pass(t, rec)
}

// An argument that is JSON already matches as JSON, however it is spelled.
func TestRawJSONArgumentMatchesAsJSON(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct{ name, argument string }{
		{name: "recording run", argument: `{"a": 1.50, "b": [null, "x\u00e9"]}`},
		{name: "replay with the same JSON in another spelling", argument: "{\n\"b\": [null,\"xé\"], \"a\":1.50}"},
	} {
		rec := must.Open(t, file)
		echo := promptecho.Wrap(rec, "tool/raw", func(_ context.Context, in json.RawMessage) (json.RawMessage, error) {
			return in, nil
		})
		out, err := echo(t.Context(), json.RawMessage(run.argument))
		if err != nil || string(out) != `{"a":1.50,"b":[null,"xé"]}` {
			t.Errorf("%s: %s, %v", run.name, out, err)
		}
		must.Pass(t, rec)
	}
}

// A recorded result that the type of the function cannot hold any more is an error.
func TestResultThatDoesNotFitItsTypeIsAnError(t *testing.T) {
	t.Parallel()
	var s station
	file := filepath.Join(t.TempDir(), "c.yaml")
	s.forecasts(t, file, "tool/f", "x")

	type renamed struct {
		Degrees float64        `json:"degrees"` // was celsius
		Tags    []string       `json:"tags"`
		More    map[string]any `json:"more"`
	}
	rec := must.Open(t, file)
	f := promptecho.Wrap(rec, "tool/f", func(context.Context, city) (renamed, error) { return renamed{}, nil })
	_, err := f(t.Context(), city{Name: "x"})
	want := "promptecho: " + file + ":4: the recorded result of tool/f cannot be read as wrap_test.renamed: " +
		`json: unknown field "celsius". If the function has changed, record it again`
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
	if errs := must.Finish(rec, report.Outcome{}).Errors; len(errs) != 1 {
		t.Errorf("errors %q", errs)
	}
}

// Wrap with a nil recorder returns the function as it is.
func TestWithoutARecorderAFunctionIsUnchanged(t *testing.T) {
	t.Parallel()
	type anything struct{ hidden int } // no recorder takes a field that is not exported
	f := promptecho.Wrap(nil, "not a name", func(_ context.Context, in anything) (chan int, error) {
		return nil, fmt.Errorf("%d", in.hidden)
	})
	if _, err := f(t.Context(), anything{7}); err == nil || err.Error() != "7" {
		t.Errorf("error %v", err)
	}
}

// With Pace, a replayed function takes its recorded time, times the factor.
func TestPaceGivesFunctionsTheirRecordedTime(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		name string
		want time.Duration
	}{
		{name: "recording run", want: 3 * time.Second},
		{name: "replay with Pace(2)", want: 6 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.Pace(2))
			slow := promptecho.Wrap(rec, "tool/slow", func(context.Context, string) (string, error) {
				time.Sleep(3 * time.Second)
				return "", nil
			})
			began := time.Now()
			if _, err := slow(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took != run.want {
				t.Errorf("%s: took %v, want %v", run.name, took, run.want)
			}
			must.Pass(t, rec)
		})
	}
}

// A call after the recorder was closed returns an error that says so, and calls nothing.
func TestCallAfterCloseIsAnError(t *testing.T) {
	t.Parallel()
	var s station
	rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
	forecast := s.wrap(rec, "tool/f")
	forecast(t.Context(), city{Name: "x"})
	must.Pass(t, rec)

	_, err := forecast(t.Context(), city{Name: "x"})
	if err == nil || !strings.Contains(err.Error(), "tool/f came after the recorder was closed") {
		t.Errorf("error %v", err)
	}
	if calls := s.calls.Load(); calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
}

// A secret in an argument, a result or an error is not written, and no run returns it.
func TestSecretsOfAFunctionAreReplacedInEveryRun(t *testing.T) {
	t.Parallel()
	type texts map[string]string
	const key = "sk-proj-Qm7vX2tLr9KwPz4NbYc8DfHs3JgTe6Ua1VxRi5Wo"
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []string{"recording run", "replay"} {
		rec := must.Open(t, file)
		use := promptecho.Wrap(rec, "tool/token", func(_ context.Context, in texts) (texts, error) {
			return texts{"note": "uses " + in["key"]}, errors.New("used " + in["key"])
		})
		out, err := use(t.Context(), texts{"key": key})
		if want := (texts{"note": "uses [REDACTED]"}); !reflect.DeepEqual(out, want) {
			t.Errorf("%s: the result is %v, want %v", run, out, want)
		}
		if err == nil || strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v", run, err)
		}
		must.Pass(t, rec)
	}
	if text := must.Read(t, file); strings.Contains(text, key) {
		t.Errorf("written:\n%s", text)
	}
}
