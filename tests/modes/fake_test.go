package modes_test

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// says answers each request, with this value of the header by which a fake says what it is.
func says(value string) promptecho.Option {
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Says(`{"ok":true}`).RoundTrip(req)
		if value != "" {
			resp.Header.Set("X-Promptecho-Provider", value)
		}
		return resp, err
	}))
}

// fakes returns which recordings of a cassette are marked as those of a fake, a letter each.
func fakes(t *testing.T, file string) (marks string) {
	t.Helper()
	for _, it := range must.Load(t, file).Interactions {
		mark := "-"
		if it.Fake {
			mark = "f"
		}
		marks += mark
	}
	return marks
}

// A recorded answer of a fake is marked in the cassette, until it is recorded again from a
// provider.
func TestRecordingsOfAFakeAreMarked(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, upstream promptecho.Option, prompts ...string) {
		t.Helper()
		rec := must.Open(t, file, promptecho.InMode(mode), upstream)
		for _, prompt := range prompts {
			if status, body := must.Ask(t, rec, "http://h", prompt); status != http.StatusOK {
				t.Fatalf("mode %s: %d %s", mode, status, body)
			}
		}
		must.Close(t, rec)
	}
	for _, step := range []struct {
		name     string
		mode     promptecho.Mode
		upstream promptecho.Option
		prompts  []string
		want     string
	}{
		{"recorded from a fake", promptecho.ModeAll, says("fake"), []string{"a", "b"}, "ff"},
		{"one added from a provider", promptecho.ModeNewEpisodes, says(""), []string{"a", "b", "c"}, "ff-"},
		{"recorded from a provider", promptecho.ModeAll, says(""), []string{"a", "b", "c"}, "---"},
		{"one added from a fake", promptecho.ModeNewEpisodes, says("fake"), []string{"a", "b", "c", "d"}, "---f"},
		{"another value of the header", promptecho.ModeAll, says("stand-in"), []string{"a", "b", "c", "d"}, "----"},
	} {
		run(step.mode, step.upstream, step.prompts...)
		if got := fakes(t, file); got != step.want {
			t.Errorf("%s: %s, want %s", step.name, got, step.want)
		}
		run(promptecho.ModeNone, says(""), step.prompts...)
	}
}

// The header by which a fake says what it is reaches neither the program nor the cassette.
func TestHeaderOfAFakeIsNotKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), says("fake"))
	resp, err := rec.Client().Get("http://h/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	must.Body(t, resp)
	must.Close(t, rec)
	const name = "X-Promptecho-Provider"
	if got := resp.Header.Get(name); got != "" {
		t.Errorf("the program gets %s: %s", name, got)
	}
	if text := must.Read(t, file); strings.Contains(strings.ToLower(text), strings.ToLower(name)) {
		t.Errorf("the cassette has the header:\n%s", text)
	}
}

// The report of a miss says if the recording that it compares with is from a fake.
func TestMissSaysThatItsRecordingIsFromAFake(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), says("fake"))
	must.Ask(t, rec, "http://h", "What is the weather in Paris?")
	must.Close(t, rec)

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.WantMiss(t, rec, "http://h", "What is the weather in Rome?")
	err := rec.Close()
	if err == nil || !strings.Contains(err.Error(), "the recording is from a fake, not from a provider") {
		t.Errorf("%v", err)
	}
}
