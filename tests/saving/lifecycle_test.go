package saving_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestOldRecordingsSurvive: what a run that did not go well, or not whole, does
// to a cassette that was whole.
func TestOldRecordingsSurvive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mode    promptecho.Mode
		partial bool // the cassette was
		outcome report.Outcome
		asked   string
		want    string // prompts saved after "a b c"
		mark    bool   // the cassette is partial afterwards
		beside  string // prompts saved beside it
	}{
		{"all, passed", promptecho.ModeAll, false, report.Outcome{}, "a d", "a d", false, ""},
		{"all, failed", promptecho.ModeAll, false, report.Outcome{Failed: true}, "a d", "a b c", false, "a d"},
		{"all, skipped", promptecho.ModeAll, false, report.Outcome{Skipped: true}, "a d", "a d b c", false, ""},
		{"all, filtered", promptecho.ModeAll, false, report.Outcome{Filtered: true}, "c", "c a b", false, ""},
		{"all, nothing asked", promptecho.ModeAll, false, report.Outcome{Failed: true}, "", "a b c", false, ""},
		{"all, partial, passed", promptecho.ModeAll, true, report.Outcome{}, "a d", "a d", false, ""},
		{"all, partial, failed", promptecho.ModeAll, true, report.Outcome{Failed: true}, "a d", "a d b c", true, ""},
		{"all, partial, filtered", promptecho.ModeAll, true, report.Outcome{Filtered: true}, "b", "b a c", true, ""},
		{"new episodes, passed", promptecho.ModeNewEpisodes, false, report.Outcome{}, "a d", "a b c d", false, ""},
		{"new episodes, failed", promptecho.ModeNewEpisodes, false, report.Outcome{Failed: true}, "a d", "a b c d", false, ""},
		{"new episodes, filtered", promptecho.ModeNewEpisodes, false, report.Outcome{Filtered: true}, "d", "a b c d", false, ""},
		{"new episodes, partial, passed", promptecho.ModeNewEpisodes, true, report.Outcome{}, "a b c d", "a b c d", false, ""},
		{"new episodes, partial, all used", promptecho.ModeNewEpisodes, true, report.Outcome{}, "a b c", "a b c", false, ""},
		{"new episodes, partial, some unused", promptecho.ModeNewEpisodes, true, report.Outcome{}, "a d", "a b c d", true, ""},
		{"new episodes, partial, failed", promptecho.ModeNewEpisodes, true, report.Outcome{Failed: true}, "a d", "a b c d", true, ""},
		{"once, partial, failed", promptecho.ModeOnce, true, report.Outcome{Failed: true}, "a d", "a b c d", true, ""},
		{"once, partial, filtered", promptecho.ModeOnce, true, report.Outcome{Filtered: true}, "a b c d", "a b c d", true, ""},
		{"once, partial, passed", promptecho.ModeOnce, true, report.Outcome{}, "a b c d", "a b c d", false, ""},
		{"once, whole, failed", promptecho.ModeOnce, false, report.Outcome{Failed: true}, "a d", "a b c", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"old":true}`)))
			for _, p := range []string{"a", "b", "c"} {
				must.Ask(t, r, "http://h", p)
			}
			must.Finish(r, report.Outcome{Failed: tt.partial})
			r = must.Open(t, file, promptecho.InMode(tt.mode), promptecho.Upstream(provider.Says(`{"new":true}`)))
			for p := range strings.FieldsSeq(tt.asked) {
				must.Ask(t, r, "http://h", p)
			}
			rep := must.Finish(r, tt.outcome)
			if got := must.Prompts(t, file); got != tt.want {
				t.Errorf("the cassette has %q, want %q; %+v", got, tt.want, rep)
			}
			if got := strings.Contains(must.Read(t, file), "partial: true"); got != tt.mark {
				t.Errorf("partial = %v, want %v", got, tt.mark)
			}
			if got := must.Prompts(t, file+".failed"); got != tt.beside {
				t.Errorf("beside it is %q, want %q", got, tt.beside)
			}
			if tt.beside != "" && !strings.Contains(strings.Join(rep.Notes, "\n"), "mv "+shell.Quote(file+".failed")+" "+shell.Quote(file)) {
				t.Errorf("the notes do not say how to use it: %q", rep.Notes)
			}
		})
	}
}

// TestFirstRunThatWasNotWhole: a cassette that a filtered or skipped run begins
// is completed by the first whole one.
func TestFirstRunThatWasNotWhole(t *testing.T) {
	t.Parallel()
	for _, o := range []report.Outcome{{Filtered: true}, {Failed: true}} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Finish(r, o)
		if !strings.Contains(must.Read(t, file), "partial: true") {
			t.Errorf("%+v: not marked", o)
		}
		r = must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Ask(t, r, "http://h", "b")
		must.Close(t, r)
		if got := must.Prompts(t, file); got != "a b" || strings.Contains(must.Read(t, file), "partial") {
			t.Errorf("%+v: not completed: %q", o, got)
		}
	}
}

// TestSkippedByAnAnswer: a test that skips itself because of an answer has asked for all
// that it asks for; in CI it skips itself again.
func TestSkippedByAnAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Statuses(`{}`, 404)), promptecho.OnRecordError(promptecho.Keep))
		if status, _ := must.Ask(t, r, "http://h", "a"); status != 404 {
			t.Errorf("%s: status %d", mode, status)
		}
		if rep := must.Finish(r, report.Outcome{Skipped: true}); len(rep.Errors) > 0 {
			t.Errorf("%s: %q", mode, rep.Errors)
		}
	}
}

// TestBesideGoesAway: the next good run of mode all takes away what a failed one
// left beside the cassette.
func TestBesideGoesAway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	for _, failed := range []bool{true, false} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{}`)))
		must.Ask(t, r, "http://h", "a")
		must.Finish(r, report.Outcome{Failed: failed})
		if _, err := os.Stat(file + ".failed"); failed != (err == nil) {
			t.Errorf("failed %v: %v", failed, err)
		}
	}
}

// TestPartialGoesWithAllowUnused: who accepts unused recordings is done when the
// test passes.
func TestPartialGoesWithAllowUnused(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "a")
	must.Ask(t, r, "http://h", "b")
	must.Finish(r, report.Outcome{Failed: true})
	r = must.Open(t, file, promptecho.AllowUnused())
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), "partial") {
		t.Error("still partial")
	}
}

// TestFailureDoesNotReplaceSuccess: an expired key must not cost the recording.
func TestFailureDoesNotReplaceSuccess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		policy promptecho.RecordErrorPolicy
		old    []int
		now    []int
		kept   bool
	}{
		{"401 over 200", promptecho.Warn, []int{200}, []int{401}, true},
		{"401 over 200, to be recorded", promptecho.Keep, []int{200}, []int{401}, false},
		{"404 over 404", promptecho.Warn, []int{404}, []int{404}, false},
		{"429 and a retry over 200", promptecho.Warn, []int{200}, []int{429, 200}, false},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "c.yaml")
		run := func(mode promptecho.Mode, list []int, policy promptecho.RecordErrorPolicy) error {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(policy), promptecho.Upstream(provider.Statuses(`{}`, list...)))
			for range list {
				must.Ask(t, r, "http://h", "x")
			}
			return r.Close()
		}
		if err := run(promptecho.ModeOnce, tt.old, promptecho.Keep); err != nil {
			t.Fatal(err)
		}
		before := must.Read(t, file)
		err := run(promptecho.ModeAll, tt.now, tt.policy)
		if kept := must.Read(t, file) == before; kept != tt.kept && tt.name != "404 over 404" {
			t.Errorf("%s: kept %v", tt.name, kept)
		}
		if tt.kept != (err != nil) {
			t.Errorf("%s: %v", tt.name, err)
		}
		if err != nil && !strings.Contains(err.Error(), file+":4: not replaced: this recording is a success, and now the server refused access: POST http://h/v1/chat/completions: status 401") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

// TestPinnedAndPartial contradict each other; neither is guessed.
func TestPinnedAndPartial(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
	must.Ask(t, r, "http://h", "a")
	must.Finish(r, report.Outcome{Failed: true})
	text := strings.Replace(must.Read(t, file), "partial: true", "pinned: true\npartial: true", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		if _, err := promptecho.Open(file, promptecho.InMode(mode)); err == nil || !strings.Contains(err.Error(), "is pinned and partial") {
			t.Errorf("%s: %v", mode, err)
		}
	}
	if must.Read(t, file) != text {
		t.Error("the file changed")
	}
}

// TestCredentialLearnedLate: a login's answer was recorded before anybody knew
// that it held a key.
func TestCredentialLearnedLate(t *testing.T) {
	t.Parallel()
	const token = "echo-secret-token-0123456789"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"session":"`+token+`","n":1}`)))
	must.Post(t, r, "http://h/login", `{"user":"me"}`)
	must.Post(t, r, "http://h/v1/chat/completions", must.ChatBody("a"), "Authorization", "Bearer "+token)
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, token) || strings.Count(text, "session: \"[REDACTED]\"") != 2 {
		t.Errorf("%s", text)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Post(t, r, "http://h/login", `{"user":"me"}`)
	if status, body := must.Post(t, r, "http://h/v1/chat/completions", must.ChatBody("a"), "Authorization", "Bearer [REDACTED]"); status != 200 {
		t.Errorf("replay: %d %s", status, body)
	}
	must.Close(t, r)
}

// TestSecretOfTwoLines: a secret of several lines is replaced, however its characters are
// escaped.
func TestSecretOfTwoLines(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "echo-secret-line-1\necho-secret-line-2"
	t.Setenv("PROMPTECHO_TEST_PEM", value)
	for _, body := range []string{
		must.ChatBody(value),
		strings.Replace(must.ChatBody(value), "echo-", `echo\u002d`, 1), // as no encoder writes it
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
		r.Secret("PROMPTECHO_TEST_PEM")
		must.Post(t, r, "http://h/v1/chat/completions", body)
		must.Close(t, r)
		if text := must.Read(t, file); !strings.Contains(text, `content: "[REDACTED]"`) {
			t.Errorf("%s:\n%s", body, text)
		}
	}
}

// TestConcurrentClose: every Close waits for the report.
func TestConcurrentClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writing := make(chan struct{})
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.OnRecordError(promptecho.Fail), promptecho.Upstream(provider.Statuses(`{}`, 500)), promptecho.Ignore("nothing"),
			promptecho.Log(func(string) { <-writing }))
		resp, err := r.Client().Post("http://h/x", "application/json", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		errs := make(chan error, 2)
		for range 2 {
			go func() { errs <- r.Close() }()
		}
		synctest.Wait() // one is in Log, the other waits for it
		if len(errs) != 0 {
			t.Error("a Close returned before the verdict was known")
		}
		close(writing)
		if a, b := <-errs, <-errs; a == nil || b == nil || a.Error() != b.Error() {
			t.Errorf("%v and %v", a, b)
		}
	})
}

func TestLog(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	var notes []string
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)), promptecho.Ignore("mesages/0"), promptecho.Log(func(note string) { notes = append(notes, note) }))
	must.Ask(t, r, "http://h", "a")
	must.Close(t, r)
	all := strings.Join(notes, "\n")
	for _, want := range []string{"saved 1 interaction to " + file, `Ignore("mesages/0") has no effect: no request or recording has such a field`} {
		if !strings.Contains(all, want) {
			t.Errorf("the notes lack %q:\n%s", want, all)
		}
	}
}

// TestLiveNeedsItsSecrets: no dummy key goes to a provider, and nothing goes
// there after the test.
func TestLiveNeedsItsSecrets(t *testing.T) {
	// Not parallel: it sets the environment.
	t.Setenv("PROMPTECHO_TEST_KEY", "")
	u := provider.New(t)
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeLive))
	r.Secret("PROMPTECHO_TEST_KEY")
	const refusal = "mode live (InMode in the code) has to send a request, but the environment variable PROMPTECHO_TEST_KEY is empty"
	if status, body := must.Post(t, r, u.URL, "{}"); status != http.StatusTeapot || !strings.Contains(body, refusal) {
		t.Errorf("without a key: %d %s", status, body)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("the client can swallow it, Close must not: %v", err)
	}
	if status, body := must.Post(t, r, u.URL+"/late", "{}"); status != http.StatusTeapot || !strings.Contains(body, "after the recorder was closed") {
		t.Errorf("after Close: %d %s", status, body)
	}
	if u.Count() != 0 {
		t.Error("a request went upstream")
	}
}

func TestUpstreamThatReturnsNothing(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) { return nil, nil })))
	req, err := http.NewRequestWithContext(context.Background(), "GET", "http://h/x", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.RoundTrip(req); err == nil || !strings.Contains(err.Error(), "neither a response nor an error") {
		t.Errorf("%v", err)
	}
}

// TestLeft: what a recorder did that no test tells of is left for promptecho record, once.
func TestLeft(t *testing.T) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "a")
	t.Setenv(attr.Env, dir)
	for _, ofTest := range []bool{false, true} {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		if ofTest {
			must.Engine(r).Begin(true)
		}
		must.Ask(t, r, "http://127.0.0.1:9", "a")
		must.Pass(t, r)
		must.Pass(t, r)
	}
	want := attr.Done{Cassettes: []string{file}, Counts: attr.Counts{Replayed: 1}}
	if left, err := suite.ReadDone(dir); err != nil || !reflect.DeepEqual(left, []attr.Done{want}) {
		t.Errorf("%+v, %v", left, err)
	}
	t.Setenv(attr.Env, filepath.Join(dir, "gone"))
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.Ask(t, r, "http://127.0.0.1:9", "a")
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "c.yaml: promptecho record cannot count the calls of this recorder: ") {
		t.Errorf("error %v", err)
	}
}

// Nothing is sent, and paid for, whose answer could not be saved.
func TestFolderThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("there is no folder that nobody can write")
	}
	asked := 0
	live := provider.Func(func(req *http.Request) (*http.Response, error) {
		asked++
		return provider.Says(`"ok"`).RoundTrip(req)
	})
	r := must.Open(t, "/proc/testdata/cassettes/c.yaml", promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(live))
	_, err := r.Client().Get("https://api.example/x")
	want := "/proc/testdata/cassettes/c.yaml: nothing is sent, because what it answers could not be saved: /proc: no such file or directory"
	if err == nil || !strings.Contains(err.Error(), want) || asked > 0 {
		t.Errorf("asked %d times: %v", asked, err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}

// The command that a failed run prints makes its recordings the cassette, with the pictures beside it.
func TestUseFailedWithAssets(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the command is for a POSIX shell")
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	picture := func(of byte) string { return "\x89PNG\r\n\x1a\n" + strings.Repeat(string([]byte{of, 0xff}), 2000) }
	ask := func(r *promptecho.Recorder) string {
		t.Helper()
		resp, err := r.Client().Get("https://api.example/picture")
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	command := ""
	for i, failed := range []bool{false, true} {
		live := provider.Func(func(req *http.Request) (*http.Response, error) {
			resp, err := provider.Says(picture(byte(i))).RoundTrip(req)
			resp.Header.Set("Content-Type", "image/png")
			return resp, err
		})
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(live))
		ask(r)
		rep := must.Finish(r, report.Outcome{Failed: failed})
		_, command, _ = strings.Cut(strings.Join(rep.Notes, "\n"), "To use the new recordings:\n")
	}
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(provider.Says(`"asked again"`))) // which completes it
	if got := ask(r); got != picture(1) {
		t.Errorf("%d bytes that begin with %q", len(got), got[:min(len(got), 20)])
	}
	must.Close(t, r)
	if left, err := filepath.Glob(file + ".failed*"); err != nil || left != nil {
		t.Error(left, err)
	}
}

// Two tests of a process that share a cassette do not drop what the other one has just recorded. The same test that runs
// twice replaces what it recorded.
func TestSharedByTwoTests(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeUpdate} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		run := func(test, prompt string) {
			t.Helper()
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(`"ok"`)))
			must.Request{URL: must.ChatURL, Body: `{"model":"m","messages":[{"role":"user","content":"` + prompt + `"}]}`}.Ask(t, r)
			if rep := must.Finish(r, report.Outcome{Test: test}); len(rep.Errors) > 0 {
				t.Error(rep.Errors)
			}
		}
		run("TestA", "first")
		run("TestA", "second")
		if got := must.Prompts(t, file); got != "second" {
			t.Errorf("%s, one test: %q", mode, got)
		}
		run("TestB", "third")
		if got, want := must.Prompts(t, file), map[promptecho.Mode]string{promptecho.ModeAll: "third second", promptecho.ModeUpdate: "second third"}[mode]; got != want {
			t.Errorf("%s, two tests: %q, want %q", mode, got, want)
		}
	}
}

// A run of one test, in mode all, keeps what tests that are not run have in the cassette, where unused recordings are
// accepted. A cassette of its own is replaced.
func TestSharedWithTestsNotRun(t *testing.T) {
	t.Parallel()
	for shared, want := range map[bool]string{true: "edited other prompt", false: "edited"} {
		file := must.RecordAnswers(t, []string{`"1"`, `"2"`}, []must.Request{
			{URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, "hi", "prompt", 1)}, {URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, "hi", "other", 1)},
		})
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.AllowUnused(), promptecho.Upstream(provider.Says(`"3"`)))
		must.Request{URL: must.ChatURL, Body: strings.Replace(must.Chat("").Body, "hi", "edited", 1)}.Ask(t, r)
		if rep := must.Finish(r, report.Outcome{Test: "TestA", Shared: shared, Selected: true}); len(rep.Errors) > 0 {
			t.Error(rep.Errors)
		}
		got := strings.Fields(must.Prompts(t, file))
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("shared %t: %q, want %q", shared, got, want)
		}
	}
}
