package modes_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	left "github.com/promptecho/promptecho/internal/accept"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// accept marks a recording of a cassette as promptecho accept does.
func accept(t *testing.T, file string, number int) {
	t.Helper()
	f := must.Load(t, file)
	f.Revision = canon.Revision
	f.Interactions[number].Accepted = true
	if err := rewrite.Save(file, f); err != nil {
		t.Fatal(err)
	}
}

// marks returns the prompts of a cassette, with a star at those that are accepted.
func marks(t *testing.T, file string) string {
	t.Helper()
	prompts := strings.Fields(must.Prompts(t, file))
	for i, it := range must.Load(t, file).Interactions {
		if it.Accepted {
			prompts[i] += "*"
		}
	}
	return strings.Join(prompts, " ")
}

// TestModeAccepted: what was accepted is recorded again in its place, and everything else is
// replayed. A run that fails loses nothing, and one that is not whole keeps what it did not
// ask for.
func TestModeAccepted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		asked   string
		status  int
		outcome report.Outcome
		hits    int
		saved   string
		beside  string // in NAME.yaml.failed
		err     string
	}{
		{"passed", "a b c d", 200, report.Outcome{}, 2, "a b c d", "", ""},
		{"in another order", "d c b a", 200, report.Outcome{}, 2, "a b c d", "", ""},
		{"failed", "a b c d", 200, report.Outcome{Failed: true}, 2, "a b* c d*", "b d", ""},
		{"filtered", "a b", 200, report.Outcome{Filtered: true}, 1, "a b c d*", "", ""},
		{"skipped", "a", 200, report.Outcome{Skipped: true}, 0, "a b* c d*", "", ""},
		{"nobody says how it ended", "a d", 200, report.Outcome{Unsure: true}, 1, "a b* c d", "", ""},
		{"edited once more", "a B c d", 200, report.Outcome{}, 2, "a B c d", "", ""},
		{"not asked any more", "a c d", 200, report.Outcome{}, 1, "a c d", "", ""},
		{"refused", "a b c d", 401, report.Outcome{}, 2, "a b* c d*", "", "now the server refused access: POST"},
		{"busy", "a b c d", 529, report.Outcome{}, 2, "a b* c d*", "", "not replaced: this recording is a success"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			must.Record(t, file, "a", "b", "c", "d")
			accept(t, file, 1)
			accept(t, file, 3)
			before, text := must.Load(t, file), must.Read(t, file)
			u := provider.Statuses(`{"n":9}`, tt.status, tt.status, tt.status, tt.status)
			r := must.Open(t, file, promptecho.InMode(must.ModeAccepted), promptecho.Upstream(u))
			for _, p := range strings.Fields(tt.asked) {
				must.Ask(t, r, "http://127.0.0.1:9", p)
			}
			rep := must.Finish(r, tt.outcome)
			if got := strings.Join(rep.Errors, "\n"); !strings.Contains(got, tt.err) || (got == "") != (tt.err == "") {
				t.Errorf("errors %q, want %q", got, tt.err)
			}
			if rep.Done.Recorded+rep.Done.Failed != int64(tt.hits) || tt.status >= 400 && rep.Done.Recorded > 0 {
				t.Errorf("%d recorded and %d failed, want %d", rep.Done.Recorded, rep.Done.Failed, tt.hits)
			}
			if got := marks(t, file); got != tt.saved {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if strings.Contains(tt.saved, "b* c d*") && must.Read(t, file) != text {
				t.Error("the cassette was written")
			}
			if got := must.Prompts(t, file+".failed"); got != tt.beside {
				t.Errorf("beside it is %q, want %q", got, tt.beside)
			}
			for _, it := range must.Load(t, file).Interactions {
				for _, was := range before.Interactions {
					same := string(was.Request.Body) == string(it.Request.Body)
					if same && !was.Accepted && was.Difference(it) != "" {
						t.Errorf("%s was recorded again", it.Request.Body)
					}
					if same && was.Accepted && !it.Accepted && string(it.Response.Body) != `{"n":9}` {
						t.Errorf("%s has lost its mark, and not its answer", it.Request.Body)
					}
				}
			}
		})
	}
}

// TestModeAcceptedOfOthers: a cassette without accepted recordings is replayed, and what it
// has not is a miss.
func TestModeAcceptedOfOthers(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	text, u := must.Read(t, file), provider.New(t)
	r := must.Open(t, file, promptecho.InMode(must.ModeAccepted), promptecho.Upstream(u.Client().Transport))
	must.Ask(t, r, u.URL, "a")
	if status, _ := must.Ask(t, r, u.URL, "b"); status != 418 || r.Online() {
		t.Errorf("status %d, may go upstream: %t", status, r.Online())
	}
	if err := r.Close(); err == nil || u.Count() != 0 || must.Read(t, file) != text {
		t.Errorf("%v, %d requests", err, u.Count())
	}
}

// TestAcceptedIsNoted: whoever reads the report of a test learns which answers are those of
// earlier requests.
func TestAcceptedIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b")
	accept(t, file, 1)
	for asked, want := range map[string]string{
		"a b": "promptecho accept changed the request, but not the answer, of 1 recording that played: " + file + ":",
		"a":   "",
	} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		for _, p := range strings.Fields(asked) {
			must.Ask(t, r, "http://127.0.0.1:9", p)
		}
		notes := strings.Join(must.Finish(r, report.Outcome{Command: func(mode string) string { return "MODE=" + mode }}).Notes, "\n")
		if want != "" && !strings.HasSuffix(notes, "\n  MODE=accepted") {
			t.Errorf("asked %s: no command: %q", asked, notes)
		}
		if (want == "") == strings.Contains(notes, "promptecho accept") || !strings.Contains(notes, want) {
			t.Errorf("asked %s: %q", asked, notes)
		}
	}
}

// TestHandOver: promptecho accept learns what was asked, in order, and no secret. A run that
// misses nothing hands nothing over.
func TestHandOver(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a [folder]") // no pattern
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv(missed.Env, dir)
	t.Setenv("ACME_API_KEY", "very-secret-value-of-the-test")
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b", "c")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for _, p := range []string{"a", "b", "c"} {
		must.Ask(t, r, "http://127.0.0.1:9", p)
	}
	must.Pass(t, r)
	if runs, err := left.ReadRuns(dir); err != nil || runs != nil {
		t.Fatalf("nothing was missed: %v, %v", runs, err)
	}

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Mask("x+", "X"), promptecho.Ignore("user"))
	key := r.Secret("ACME_API_KEY")
	type place struct {
		City string `json:"city"`
	}
	tool := promptecho.Wrap(r, "tool/look", func(_ context.Context, in place) (place, error) { return in, nil })
	for _, p := range []string{"b", "new, with very-secret-value-of-the-test and " + key, "a", "new, too"} {
		must.Ask(t, r, "http://127.0.0.1:9", p)
	}
	tool(t.Context(), place{City: "Paris"})
	if err := r.Close(); err == nil {
		t.Error("no miss")
	}
	runs, err := left.ReadRuns(dir)
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v, %v", runs, err)
	}
	run := runs[0]
	if run.Cassette != file || run.Sum != cassette.SumOf(file) || run.Options.Masks[0].Regexp.String() != "x+" || run.Options.Ignore[0] != "user" || run.Ceiling != "InMode(ModeNone) in the code allows no recording" {
		t.Errorf("got %+v", run)
	}
	var got []string
	for _, c := range run.Calls {
		if c.Played >= 0 {
			got = append(got, string(rune('a'+c.Played)))
			continue
		}
		it, err := left.RequestOf(&c)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, it.Request.String()+" "+string(it.Request.Body))
	}
	want := []string{
		"b", "POST http://127.0.0.1:9/v1/chat/completions " + must.ChatBody("new, with [REDACTED] and [REDACTED]"), "a",
		"POST http://127.0.0.1:9/v1/chat/completions " + must.ChatBody("new, too"), `tool/look {"city":"Paris"}`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		info, err := e.Info()
		if text := must.Read(t, filepath.Join(dir, e.Name())); err != nil || strings.Contains(text, "very-secret") || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%v: a secret, or %s", err, info.Mode())
		}
	}
}
