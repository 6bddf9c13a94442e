package time_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// dated is a prompt as programs make them: it differs with each run, were it not for the
// recorder.
func dated(r *promptecho.Recorder) string {
	var id [16]byte
	r.Rand("ids").Read(id[:])
	return fmt.Sprintf("%s %x %d %s", r.Now().Format(time.RFC3339), id, r.Rand("dice").IntN(1e9), r.Env(must.TestVariable))
}

// top returns what a cassette gives its test.
func top(t testing.TB, file string) interaction.RecordedValues {
	t.Helper()
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return f.RecordedValues
}

// TestGivenAgain: requests that hold a time, ids, numbers and a variable are recorded from
// a real server, and replayed without it: again and again, and all at the same time.
func TestGivenAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	run := func(t *testing.T, file string, mode promptecho.Mode) (answers [3]string) {
		r := must.Open(t, file, promptecho.InMode(mode))
		for i := range answers {
			var status int
			if status, answers[i] = must.Ask(t, r, u.URL, dated(r)); status != 200 {
				t.Errorf("status %d: %s", status, answers[i])
			}
		}
		must.Pass(t, r)
		return answers
	}
	before := time.Now().Add(-time.Second)
	want := run(t, file, promptecho.ModeOnce)
	u.Close()
	if g := top(t, file); g.Time.Before(before) || g.Time.After(time.Now()) || len(g.Seed) != 32 || len(g.Env) != 1 || g.Env[must.TestVariable] != "model-b" {
		t.Errorf("the cassette gives %v", g)
	}
	for range 20 {
		if got := run(t, file, promptecho.ModeNone); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var wg sync.WaitGroup
	for range 20 {
		copied := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(copied, []byte(must.Read(t, file)), 0o644); err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			if got := run(t, copied, promptecho.ModeNone); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
	wg.Wait()
}

// TestGivenAtOnce: goroutines with a source each replay what they recorded, in whatever
// order they run, and all see the same time.
func TestGivenAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		var wg sync.WaitGroup
		for i := range 32 {
			wg.Go(func() {
				text := fmt.Sprint(r.Now(), i, r.Rand(fmt.Sprint("worker ", i)).Uint64(), r.Env(must.TestVariable))
				if status, body := must.Ask(t, r, u.URL, text); status != 200 {
					t.Errorf("mode %s: status %d: %s", mode, status, body)
				}
			})
		}
		wg.Wait()
		must.Pass(t, r)
	}
}

const (
	oldTime = "time: 2026-01-02T03:04:05Z\n"
	oldSeed = "seed: " + testSeed + "\n"
	oldEnv  = "env: {" + must.TestVariable + ": model-a}\n"
)

// TestGivenModes: what is given in each mode, and what the cassette gives afterwards. "now"
// is the time of the run, in a bubble where it is the year 2000.
func TestGivenModes(t *testing.T) {
	t.Parallel()
	const now, none, old = "now", "2000-01-01T00:00:00Z zeros", "2026-01-02T03:04:05Z"
	const all = "time rand:dice env:" + must.TestVariable
	lack := `c.yaml has no value for rec.Now(), rec.Rand("dice"), rec.Env("` + must.TestVariable + `")`
	tests := []struct {
		name  string
		mode  promptecho.Mode
		top   string // of the cassette; "absent" if there is none
		calls string
		asked string // the cassette has "a"

		outcome report.Outcome
		got     string // what is given; see undrawn
		after   string // the top of the cassette, "same" if the file is as it was
		beside  string // that of NAME.yaml.failed
		errs    string
	}{
		{name: "once, absent", mode: promptecho.ModeOnce, top: "absent", calls: all, asked: "a", got: now + " drawn model-b", after: now + " seed model-b"},
		{name: "once, absent, failed", mode: promptecho.ModeOnce, top: "absent", calls: all, asked: "a", outcome: report.Outcome{Failed: true}, got: now + " drawn model-b", after: now + " seed model-b"},
		{name: "once, absent, only what is used", mode: promptecho.ModeOnce, top: "absent", calls: "time", asked: "a", got: now, after: now},
		{name: "once, absent, nothing asked", mode: promptecho.ModeOnce, top: "absent", calls: all, got: now + " drawn model-b", after: "absent"},
		{name: "once, whole", mode: promptecho.ModeOnce, top: oldTime + oldSeed + oldEnv, calls: all, asked: "a", got: old + " old model-a", after: "same"},
		{name: "once, whole, nothing there", mode: promptecho.ModeOnce, calls: all, asked: "a", got: none, after: "same", errs: lack},
		{name: "once, whole, one is not there", mode: promptecho.ModeOnce, top: oldTime + oldEnv, calls: all, asked: "a", got: old + " zeros model-a", after: "same", errs: `c.yaml has no value for rec.Rand("dice"), `},
		{name: "once, partial, one is not there", mode: promptecho.ModeOnce, top: "partial: true\n" + oldTime, calls: all, asked: "a", got: old + " drawn model-b", after: old + " seed model-b"},
		{name: "once, partial, failed", mode: promptecho.ModeOnce, top: "partial: true\n", calls: "time", asked: "a", outcome: report.Outcome{Failed: true}, got: now, after: "same"},
		{name: "once, partial, failed, more asked", mode: promptecho.ModeOnce, top: "partial: true\n", calls: "time", asked: "a b", outcome: report.Outcome{Failed: true}, got: now, after: now},
		{name: "none, nothing there", mode: promptecho.ModeNone, calls: all, asked: "a", got: none, after: "same", errs: lack},
		{name: "none, absent, nothing asked", mode: promptecho.ModeNone, top: "absent", calls: all, got: none, after: "absent"},
		{name: "none, absent", mode: promptecho.ModeNone, top: "absent", calls: all, asked: "a", got: none, after: "absent", errs: "1 request has no recording"},
		{name: "pinned, nothing there", mode: promptecho.ModeAll, top: "pinned: true\n", calls: all, asked: "a", got: none, after: "same", errs: lack},
		{name: "new episodes, nothing there", mode: promptecho.ModeNewEpisodes, calls: all, asked: "a", got: now + " drawn model-b", after: now + " seed model-b"},
		{name: "new episodes, nothing there, more asked", mode: promptecho.ModeNewEpisodes, calls: all, asked: "a b", got: now + " drawn model-b", after: now + " seed model-b"},
		{name: "new episodes, nothing there, failed", mode: promptecho.ModeNewEpisodes, calls: "time", asked: "a", outcome: report.Outcome{Failed: true}, got: now, after: "same"},
		{name: "new episodes, one is not used any more", mode: promptecho.ModeNewEpisodes, top: oldTime + oldSeed, calls: "time", asked: "a b", got: old, after: old + " seed"},
		{name: "new episodes, all there", mode: promptecho.ModeNewEpisodes, top: oldTime + oldSeed + oldEnv, calls: all, asked: "a", got: old + " old model-a", after: "same"},
		{name: "all, passed", mode: promptecho.ModeAll, top: oldTime + oldSeed + oldEnv, calls: "time env:" + must.TestVariable, asked: "a", got: now + " model-b", after: now + " model-b"},
		{name: "all, nothing asked", mode: promptecho.ModeAll, top: oldTime, calls: all, got: now + " drawn model-b", after: "same", errs: "no request reached the recorder"},
		{name: "all, failed", mode: promptecho.ModeAll, top: oldTime + oldEnv, calls: "time", asked: "b", outcome: report.Outcome{Failed: true}, got: now, after: "same", beside: now},
		{name: "all, skipped", mode: promptecho.ModeAll, top: oldTime + oldSeed + oldEnv, calls: "time", asked: "b", outcome: report.Outcome{Skipped: true}, got: now, after: now + " seed model-a"},
		{name: "all, filtered", mode: promptecho.ModeAll, top: oldTime + oldSeed + oldEnv, calls: "time env:" + must.TestVariable, asked: "b", outcome: report.Outcome{Filtered: true}, got: old + " model-b", after: old + " seed model-b"},
		{name: "all, by Close", mode: promptecho.ModeAll, top: oldTime + oldSeed, calls: all, asked: "b", outcome: report.Outcome{Unsure: true}, got: old + " old model-b", after: old + " seed model-b"},
		{name: "compare", mode: promptecho.ModeCompare, top: oldTime + oldSeed + oldEnv, calls: all, asked: "a", got: old + " old model-a", after: "same"},
		{name: "compare, nothing there", mode: promptecho.ModeCompare, calls: all, asked: "a", got: none, after: "same", errs: lack},
		{name: "live", mode: promptecho.ModeLive, top: oldTime + oldEnv, calls: all, asked: "a", got: now + " drawn model-b", after: "same"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := ""
			if tt.top != "absent" {
				r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
				must.Ask(t, r, "http://h", "a")
				must.Close(t, r)
				must.SetTop(t, file, tt.top)
				before = must.Read(t, file)
			}
			var errs []string
			synctest.Test(t, func(t *testing.T) {
				r := must.Open(t, file, promptecho.InMode(tt.mode), promptecho.Upstream(provider.Says(`{}`)))
				if !tt.outcome.Unsure {
					must.Engine(r).Begin(!tt.outcome.Filtered)
				}
				first := must.Values(r, tt.calls)
				time.Sleep(time.Hour)
				if got := undrawn(t, first, tt.calls); got != tt.got {
					t.Errorf("gives %q, want %q", got, tt.got)
				}
				if when := must.Values(r, "time"); !strings.HasPrefix(first, when) {
					t.Errorf("first %q, and later %s", first, when)
				}
				for p := range strings.FieldsSeq(tt.asked) {
					must.Ask(t, r, "http://h", p)
				}
				errs = must.Finish(r, tt.outcome).Errors
			})
			if (len(errs) > 0) != (tt.errs != "") || !strings.Contains(strings.Join(errs, "\n"), tt.errs) || len(errs) > 1 {
				t.Errorf("errors %q, want %q", errs, tt.errs)
			}
			if got := topOf(t, file, before); got != tt.after {
				t.Errorf("the cassette gives %q, want %q", got, tt.after)
			}
			if got := topOf(t, file+must.FailedSuffix, ""); got != tt.beside && (got != "absent" || tt.beside != "") {
				t.Errorf("what is beside gives %q, want %q", got, tt.beside)
			}
			if _, err := os.Stat(file + must.JournalSuffix); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the journal is left: %v", err)
			}
		})
	}
}

// undrawn says where the numbers come from in what use returned: from the seed of the test,
// from the seed of zeros, or from one that was drawn.
func undrawn(t testing.TB, got, calls string) string {
	t.Helper()
	words := strings.Split(got, " ")
	for i, call := range strings.Fields(calls) {
		name, ok := strings.CutPrefix(call, "rand:")
		if !ok {
			continue
		}
		switch words[i] {
		case fmt.Sprintf("%x", drawnFrom(t, testSeed, name).Uint64()):
			words[i] = "old"
		case fmt.Sprintf("%x", drawnFrom(t, strings.Repeat("0", interaction.SeedDigits), name).Uint64()):
			words[i] = "zeros"
		default:
			words[i] = "drawn"
		}
	}
	return ago(strings.TrimSpace(strings.Join(words, " ")))
}

// started is a little before these tests.
var started = time.Now().Add(-time.Minute)

// ago replaces the time at the beginning of a text with "now" if it is that of these tests.
func ago(text string) string {
	when, rest, _ := strings.Cut(text, " ")
	if at, err := time.Parse(time.RFC3339, when); err != nil || at.Before(started) {
		return text
	}
	return strings.TrimSpace("now " + rest)
}

// topOf says what a cassette gives: the time, whether there is a seed, the variable.
func topOf(t *testing.T, file, before string) string {
	t.Helper()
	if _, err := os.Stat(file); err != nil {
		return "absent"
	}
	if must.Read(t, file) == before {
		return "same"
	}
	g, words := top(t, file), []string{}
	if !g.Time.IsZero() {
		words = append(words, g.Time.Format(time.RFC3339))
	}
	if g.Seed != "" {
		words = append(words, "seed")
	}
	if v, ok := g.Env[must.TestVariable]; ok {
		words = append(words, v)
	}
	return ago(strings.Join(words, " "))
}

// TestGivenChangesNothingElse: what a run adds to a cassette that it only replays leaves
// every other line as it was, and so does taking it out by hand.
func TestGivenChangesNothingElse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a", "b")
	before := must.Read(t, file)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes))
	must.Values(r, "time rand:x env:"+must.TestVariable)
	must.Ask(t, r, "http://h", "a")
	must.Ask(t, r, "http://h", "b")
	rep := must.Finish(r, report.Outcome{})
	if len(rep.Errors) > 0 || !strings.Contains(strings.Join(rep.Notes, "\n"), "saved 2 interactions to "+file) {
		t.Errorf("%+v", rep)
	}
	var lines []string
	for line := range strings.Lines(must.Read(t, file)) {
		if !strings.HasPrefix(line, "time: ") && !strings.HasPrefix(line, "seed: ") && !strings.HasPrefix(line, "env: ") {
			lines = append(lines, line)
		}
	}
	if got := strings.Join(lines, ""); got != before {
		t.Errorf("without the added lines it is\n%s\nand was\n%s", got, before)
	}
	stored, err := cassette.Open(file, 0, nil)
	if err != nil || len(stored.Edited()) > 0 {
		t.Errorf("edited in lines %v, %v", stored.Edited(), err)
	}
	stored.Close()
}

// TestGivenByHand: the top of a cassette may be edited. What is asked with the new value
// and was recorded with the old one is a miss, which shows both; what does not depend on
// it is replayed, and nothing counts as edited.
func TestGivenByHand(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "today is "+r.Now().Format(time.DateOnly))
	must.Ask(t, r, "http://h", "hello")
	must.Pass(t, r)
	today := r.Now().Format(time.RFC3339)
	for _, written := range []string{"2020-02-29T12:00:00Z", "\"2020-02-29T13:00:00+01:00\" # a leap day"} {
		text := strings.Replace(must.Read(t, file), "time: "+today, "time: "+written, 1)
		edited := filepath.Join(t.TempDir(), "c.yaml")
		if err := os.WriteFile(edited, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		r = must.Open(t, edited, promptecho.InMode(promptecho.ModeNone))
		must.Ask(t, r, "http://h", "today is "+r.Now().Format(time.DateOnly))
		if status, _ := must.Ask(t, r, "http://h", "hello"); status != 200 {
			t.Errorf("status %d", status)
		}
		rep := must.Finish(r, report.Outcome{})
		if errs := strings.Join(rep.Errors, "\n"); !strings.Contains(errs, "today is 2020-02-29") || !strings.Contains(errs, "today is "+today[:10]) {
			t.Errorf("%s", errs)
		}
		if notes := strings.Join(rep.Notes, "\n"); strings.Contains(notes, "edited") {
			t.Errorf("notes %q", rep.Notes)
		}
	}
}

// TestGivenAndRecordedAgain: a cassette whose requests hold a time and ids is recorded
// again in mode all as often as one likes, by echotest or without it, and replays.
func TestGivenAndRecordedAgain(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(testing.TB, *promptecho.Recorder){"passed": must.Pass, "closed": must.Close} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		seeds := map[string]bool{}
		for i := range 8 {
			mode := [...]promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone}[i%2]
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
			if name == "passed" {
				must.Engine(r).Begin(true)
			}
			must.Ask(t, r, "http://h", dated(r))
			must.Ask(t, r, "http://h", dated(r))
			end(t, r)
			seeds[top(t, file).Seed] = true
		}
		if want := map[string]int{"passed": 4, "closed": 1}[name]; len(seeds) != want {
			t.Errorf("%s: %d seeds in 4 recordings, want %d", name, len(seeds), want)
		}
	}
}

// TestGivenIsNotSavedOverAnother: what a run would add to a cassette that something else
// has written meanwhile is not added, and the run says so.
func TestGivenIsNotSavedOverAnother(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes))
	must.Values(r, "time")
	must.Ask(t, r, "http://h", "a")
	other := must.Read(t, file) + "# mine\n"
	if err := os.WriteFile(file, []byte(other), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), file+": not written: something else wrote it in the meantime (another test process?). Run the test again") {
		t.Errorf("%v", err)
	}
	if must.Read(t, file) != other {
		t.Error("it was written")
	}
}

// TestGivenWithoutRecorder: code that is given no recorder has the real things.
func TestGivenWithoutRecorder(t *testing.T) {
	t.Parallel()
	var r *promptecho.Recorder
	if d := time.Since(r.Now()); d < 0 || d > time.Minute {
		t.Errorf("the time is off by %v", d)
	}
	first, second := r.Rand("a").Uint64(), r.Rand("a").Uint64()
	if first == second {
		t.Error("two sources are the same")
	}
	if r.Env(must.TestVariable) != "model-b" || r.Env("PROMPTECHO_TEST_UNSET") != "" {
		t.Errorf("%q", r.Env(must.TestVariable))
	}
	live := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeLive))
	drawn := map[uint64]bool{}
	for _, name := range []string{"a", "a", "b", "b"} {
		drawn[live.Rand(name).Uint64()] = true
	}
	if len(drawn) != 4 {
		t.Error("a source does not go on where it was, or is that of another name")
	}
}

// TestEnvOfCredentials: no credential gets into a cassette or a journal by way of Env, and
// the run that tries fails and says what to use. The test gets the value all the same.
func TestEnvOfCredentials(t *testing.T) {
	// Not parallel: it sets the environment.
	const key, random, url = "echo-secret-0123456789abcdef", "Zk93hQ7xPw2LmN8v", "https://u:Zk93hQ7xPw2@example.com"
	t.Setenv("PROMPTECHO_TEST_API_KEY", key)
	t.Setenv("PROMPTECHO_TEST_THING", random)
	t.Setenv("PROMPTECHO_TEST_URL", url)
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeAll, promptecho.ModeNone} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		if mode != promptecho.ModeOnce {
			must.Record(t, file, "a", "b")
		}
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		for name, want := range map[string]string{"PROMPTECHO_TEST_API_KEY": key, "PROMPTECHO_TEST_THING": random, "PROMPTECHO_TEST_URL": url} {
			if got := r.Env(name) + r.Env(name); got != want+want {
				t.Errorf("%s: %q, want %q twice", name, got, want)
			}
		}
		must.Ask(t, r, "http://h", "b")
		if mode != promptecho.ModeNone {
			if text := must.Read(t, file+must.JournalSuffix); strings.Contains(text, "env:") {
				t.Errorf("the journal:\n%s", text)
			}
		}
		errs := must.Finish(r, report.Outcome{}).Errors
		all := strings.Join(errs, "\n")
		for _, want := range []string{
			file + `: the value of rec.Env("PROMPTECHO_TEST_API_KEY") is not put into the cassette: its name is that of a credential. For a credential use rec.Secret("PROMPTECHO_TEST_API_KEY")`,
			`rec.Env("PROMPTECHO_TEST_THING") is not put into the cassette: its value looks like a credential`,
			`rec.Env("PROMPTECHO_TEST_URL") is not put into the cassette: its value looks like a credential (a user name or password before the host)`,
		} {
			if !strings.Contains(all, want) {
				t.Errorf("mode %s: %q lacks %q", mode, all, want)
			}
		}
		if len(errs) != 3 || strings.Contains(all, key) || strings.Contains(all, random) || strings.Contains(all, "Zk93") {
			t.Errorf("mode %s: errors %q", mode, errs)
		}
		for _, name := range []string{file, file + must.FailedSuffix} {
			if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), "env:") {
				t.Errorf("mode %s: %s:\n%s", mode, name, data)
			}
		}
		if beside := topOf(t, file+must.FailedSuffix, ""); (mode == promptecho.ModeAll) != (beside != "absent") {
			t.Errorf("mode %s: a run that failed has left %s beside the cassette", mode, beside)
		}
	}
}

// TestEnvThatBecomesSecret: a value that was harmless when it was asked for, and is known
// as a credential later, is in no file at the end.
func TestEnvThatBecomesSecret(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "quite harmless words"
	t.Setenv("PROMPTECHO_TEST_WORDS", value)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "a")
	must.Values(r, "env:PROMPTECHO_TEST_WORDS env:"+must.TestVariable)
	if text := must.Read(t, file+must.JournalSuffix); !strings.Contains(text, value) {
		t.Errorf("the journal:\n%s", text)
	}
	r.Secret("PROMPTECHO_TEST_WORDS")
	must.Ask(t, r, "http://h", "b")
	if text := must.Read(t, file+must.JournalSuffix); strings.Contains(text, value) || !strings.Contains(text, "model-b") || strings.Count(text, "- kind: ") != 2 {
		t.Errorf("the journal:\n%s", text)
	}
	err := r.Close()
	if err == nil || !strings.Contains(err.Error(), `rec.Env("PROMPTECHO_TEST_WORDS") is not put into the cassette: its value holds a known secret (plain)`) {
		t.Errorf("%v", err)
	}
	if text := must.Read(t, file); strings.Contains(text, value) || !strings.Contains(text, "env: {"+must.TestVariable+": model-b}") {
		t.Errorf("%s", text)
	}
}

// TestEditedEnvIsNoted: a credential that somebody wrote at the top of a cassette is noted
// when it is used, and is not written again.
func TestEditedEnvIsNoted(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	const value = "Zk93hQ7xPw2LmN8v"
	must.SetTop(t, file, "env: {PROMPTECHO_TEST_OTHER: "+value+"}\n")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := r.Env("PROMPTECHO_TEST_OTHER"); got != value {
		t.Errorf("%q", got)
	}
	must.Ask(t, r, "http://h", "a")
	rep := must.Finish(r, report.Outcome{})
	if notes := strings.Join(rep.Notes, "\n"); len(rep.Errors) > 0 || notes != file+": env PROMPTECHO_TEST_OTHER: looks like a secret; promptecho verify lists all such values" {
		t.Errorf("%+v", rep)
	}
	before := must.Read(t, file)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "b")
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), file+": env PROMPTECHO_TEST_OTHER: its value looks like a credential") || !strings.Contains(err.Error(), "nothing was written") {
		t.Errorf("%v", err)
	}
	if must.Read(t, file) != before || strings.Contains(must.Read(t, file+must.JournalSuffix), value) {
		t.Error("it was written")
	}
}

// TestEnvDrift: a variable that differs now is noted once, with both values unless one may
// be a credential, and the recorded value is given.
func TestEnvDrift(t *testing.T) {
	// Not parallel: it sets the environment.
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	must.SetTop(t, file, oldEnv)
	long := strings.Repeat("very ", 1000)
	for _, tt := range []struct{ here, want string }{
		{"model-a", ""},
		{"model-b", `"model-b" here and was "model-a"`},
		{"", `"" here and was "model-a"`},
		{"unset", ""},
		{"Zk93hQ7xPw2LmN8v", `a hidden value (it may be a credential) here and was "model-a"`},
		{long, fmt.Sprintf("%.100q here", long)},
		{"a\n::error::b", `"a\n::error::b" here`},
	} {
		t.Setenv(must.TestVariable, tt.here)
		if tt.here == "unset" {
			os.Unsetenv(must.TestVariable)
		}
		for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeNewEpisodes} {
			r := must.Open(t, file, promptecho.InMode(mode))
			if got := r.Env(must.TestVariable) + r.Env(must.TestVariable); got != "model-amodel-a" {
				t.Errorf("%q", got)
			}
			must.Ask(t, r, "http://h", "a")
			rep := must.Finish(r, report.Outcome{})
			notes := strings.Join(rep.Notes, "\n")
			if len(rep.Errors) > 0 || (tt.want != "") != (len(rep.Notes) == 1) || !strings.Contains(notes, tt.want) || tt.want != "" && !strings.Contains(notes, must.TestVariable+" is "+tt.want) {
				t.Errorf("%.20s, mode %s: %+v", tt.here, mode, rep)
			}
		}
	}
}

// TestGivenAfterAKill: a run that resumes what a killed one left gives what that gave, in
// every mode that records, although time has gone on and a variable is another one. So it
// asks the provider for nothing. What of the values is torn is drawn anew, and costs what
// was asked with it.
func TestGivenAfterAKill(t *testing.T) {
	// Not parallel: it sets the environment.
	for _, tt := range []struct {
		name string
		mode promptecho.Mode
		torn string // a part of the journal that is torn; "" for none
		sent int
	}{
		{"once", promptecho.ModeOnce, "", 0},
		{"new episodes", promptecho.ModeNewEpisodes, "", 0},
		{"all", promptecho.ModeAll, "", 0},
		{"all, before the first value", promptecho.ModeAll, "version: 1\n", 0},
		{"all, a value that came later", promptecho.ModeAll, "env: {", 1},
		{"all, the first value", promptecho.ModeAll, "# given ", 0}, // it stands beside the later one, too
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		sent := 0
		t.Run(tt.name, func(t *testing.T) {
			up := promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				sent++
				return provider.Says(`{}`).RoundTrip(req)
			}))
			prompts := func(r *promptecho.Recorder) (got [2]string) {
				got[0] = must.Values(r, "time rand:ids")
				must.Ask(t, r, "http://h", got[0])
				got[1] = must.Values(r, "env:"+must.TestVariable+" rand:ids")
				must.Ask(t, r, "http://h", got[1])
				return got
			}
			t.Setenv(must.TestVariable, "there")
			then := interaction.RecordedValues{Time: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
			killed := must.Open(t, file, promptecho.InMode(tt.mode), up)
			must.Engine(killed).Tape().Journal.KeepValues(then) // it was then
			must.Engine(killed).Begin(true)
			want := prompts(killed)
			must.Engine(killed).Tape().Free() // it is killed here
			if tt.torn != "" {
				text := must.Read(t, file+must.JournalSuffix)
				if err := os.WriteFile(file+must.JournalSuffix, []byte(strings.Replace(text, tt.torn, strings.Repeat("\x00", len(tt.torn)), 1)), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			os.Setenv(must.TestVariable, "here")
			sent = 0
			r := must.Open(t, file, promptecho.InMode(tt.mode), up)
			got := prompts(r)
			rep := must.Finish(r, report.Outcome{})
			if len(rep.Errors) > 0 || sent != tt.sent || (got != want) != (tt.sent > 0) {
				t.Errorf("sent %d, gives %q after %q; %+v", sent, got, want, rep)
			}
			if drift := strings.Contains(strings.Join(rep.Notes, "\n"), must.TestVariable+` is "here" here and was "there"`); drift != (tt.sent == 0) {
				t.Errorf("notes %q", rep.Notes)
			}
			if got := topOf(t, file, ""); got != map[bool]string{true: "2026-01-02T03:04:05Z seed there", false: "2026-01-02T03:04:05Z seed here"}[tt.sent == 0] {
				t.Errorf("the cassette gives %s", got)
			}
			sent = 0
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), up)
			if again := prompts(r); again != got || sent > 0 {
				t.Errorf("replay gives %q, recorded %q", again, got)
			}
			must.Pass(t, r)
		})
	}
}

// TestTimeInABubble: the clock of a synctest bubble is moved to the time of the recording,
// in the run that records and in replay, and what is asked with it is found.
func TestTimeInABubble(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	u := provider.New(t)
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(mode))
			time.Sleep(time.Until(r.Now()))
			if !time.Now().Equal(r.Now()) || time.Now().Before(started) {
				t.Errorf("mode %s: it is %v, and the recording is of %v", mode, time.Now(), r.Now())
			}
			time.Sleep(48 * time.Hour) // the program waits for the day after tomorrow
			if status, body := must.Ask(t, r, u.URL, "today is "+time.Now().UTC().Format(time.DateOnly)); status != 200 {
				t.Errorf("mode %s: status %d: %s", mode, status, body)
			}
			must.Pass(t, r)
		})
	}
}

// TestGivenToFrozen: a function that is never called is asked in mode all, too, as it was
// when it was recorded.
func TestGivenToFrozen(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeAll, promptecho.ModeAll, promptecho.ModeLive, promptecho.ModeNone} {
		var opts []promptecho.Option
		if i > 0 {
			opts = append(opts, promptecho.Frozen("tool/book"))
		}
		r := must.Open(t, file, append(opts, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`{}`)))...)
		must.Engine(r).Begin(true)
		book := promptecho.Wrap(r, "tool/book", func(context.Context, uint64) (string, error) { return "booked", nil })
		if got, err := book(t.Context(), r.Rand("id").Uint64()); got != "booked" {
			t.Errorf("mode %s: %q, %v", mode, got, err)
		}
		must.Ask(t, r, "http://h", dated(r))
		must.Pass(t, r)
	}
}

// TestGivenToFunctions: what is given may stand in what a wrapped function is asked, too.
// What comes of a run in which the function is live has the same top as its cassette.
func TestGivenToFunctions(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	type day struct {
		Date time.Time
		Dice int
	}
	calls := 0
	for _, tt := range []struct {
		mode  promptecho.Mode
		opts  []promptecho.Option
		calls int
	}{{promptecho.ModeOnce, nil, 1}, {promptecho.ModeNone, nil, 1}, {promptecho.ModeOnce, []promptecho.Option{promptecho.Live("tool/*")}, 2}} {
		r := must.Open(t, file, append(tt.opts, promptecho.InMode(tt.mode))...)
		weather := promptecho.Wrap(r, "tool/weather", func(context.Context, day) (string, error) {
			calls++
			return fmt.Sprint("rain ", calls), nil
		})
		if _, err := weather(t.Context(), day{r.Now(), r.Rand("dice").IntN(1e9)}); err != nil || calls != tt.calls {
			t.Errorf("mode %s: %d calls, %v", tt.mode, calls, err)
		}
		must.Pass(t, r)
	}
	want, derived := top(t, file), top(t, strings.TrimSuffix(file, ".yaml")+".derived.yaml")
	if want.Time.IsZero() || want.Seed == "" || !derived.Equal(&want) {
		t.Errorf("the derived cassette gives %v, want %v", derived, want)
	}
}
