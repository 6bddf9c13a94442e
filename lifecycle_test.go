package promptecho

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

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/attr"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// canned is an upstream that always gives the same answer.
func canned(body string) http.RoundTripper { return statuses(body, 200) }

// statuses is an upstream that answers with one status after the other, the
// last for ever.
func statuses(body string, list ...int) http.RoundTripper {
	return roundTripFunc(func(*http.Request) (*http.Response, error) {
		status := list[0]
		if len(list) > 1 {
			list = list[1:]
		}
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(body)), ContentLength: int64(len(body))}, nil
	})
}

// TestOldRecordingsSurvive: what a run that did not go well, or not whole, does
// to a cassette that was whole.
func TestOldRecordingsSurvive(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		mode    Mode
		partial bool // the cassette was
		outcome report.Outcome
		asked   string
		want    string // prompts saved after "a b c"
		mark    bool   // the cassette is partial afterwards
		beside  string // prompts saved beside it
	}{
		{"all, passed", ModeAll, false, report.Outcome{}, "a d", "a d", false, ""},
		{"all, failed", ModeAll, false, report.Outcome{Failed: true}, "a d", "a b c", false, "a d"},
		{"all, skipped", ModeAll, false, report.Outcome{Skipped: true}, "a d", "a d b c", false, ""},
		{"all, filtered", ModeAll, false, report.Outcome{Filtered: true}, "c", "c a b", false, ""},
		{"all, nothing asked", ModeAll, false, report.Outcome{Failed: true}, "", "a b c", false, ""},
		{"all, partial, passed", ModeAll, true, report.Outcome{}, "a d", "a d", false, ""},
		{"all, partial, failed", ModeAll, true, report.Outcome{Failed: true}, "a d", "a d b c", true, ""},
		{"all, partial, filtered", ModeAll, true, report.Outcome{Filtered: true}, "b", "b a c", true, ""},
		{"new episodes, passed", ModeNewEpisodes, false, report.Outcome{}, "a d", "a b c d", false, ""},
		{"new episodes, failed", ModeNewEpisodes, false, report.Outcome{Failed: true}, "a d", "a b c d", false, ""},
		{"new episodes, filtered", ModeNewEpisodes, false, report.Outcome{Filtered: true}, "d", "a b c d", false, ""},
		{"new episodes, partial, passed", ModeNewEpisodes, true, report.Outcome{}, "a b c d", "a b c d", false, ""},
		{"new episodes, partial, all used", ModeNewEpisodes, true, report.Outcome{}, "a b c", "a b c", false, ""},
		{"new episodes, partial, some unused", ModeNewEpisodes, true, report.Outcome{}, "a d", "a b c d", true, ""},
		{"new episodes, partial, failed", ModeNewEpisodes, true, report.Outcome{Failed: true}, "a d", "a b c d", true, ""},
		{"once, partial, failed", ModeOnce, true, report.Outcome{Failed: true}, "a d", "a b c d", true, ""},
		{"once, partial, filtered", ModeOnce, true, report.Outcome{Filtered: true}, "a b c d", "a b c d", true, ""},
		{"once, partial, passed", ModeOnce, true, report.Outcome{}, "a b c d", "a b c d", false, ""},
		{"once, whole, failed", ModeOnce, false, report.Outcome{Failed: true}, "a d", "a b c", false, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := mustOpen(t, file, Upstream(canned(`{"old":true}`)))
			for _, p := range []string{"a", "b", "c"} {
				ask(t, r, "http://h", p)
			}
			r.finish(report.Outcome{Failed: tt.partial})
			r = mustOpen(t, file, InMode(tt.mode), Upstream(canned(`{"new":true}`)))
			for p := range strings.FieldsSeq(tt.asked) {
				ask(t, r, "http://h", p)
			}
			rep := r.finish(tt.outcome)
			if got := savedPrompts(t, file); got != tt.want {
				t.Errorf("the cassette has %q, want %q; %+v", got, tt.want, rep)
			}
			if got := strings.Contains(read(t, file), "partial: true"); got != tt.mark {
				t.Errorf("partial = %v, want %v", got, tt.mark)
			}
			if got := savedPrompts(t, file+".failed"); got != tt.beside {
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
		r := mustOpen(t, file, Upstream(canned(`{}`)))
		ask(t, r, "http://h", "a")
		r.finish(o)
		if !strings.Contains(read(t, file), "partial: true") {
			t.Errorf("%+v: not marked", o)
		}
		r = mustOpen(t, file, Upstream(canned(`{}`)))
		ask(t, r, "http://h", "a")
		ask(t, r, "http://h", "b")
		mustClose(t, r)
		if got := savedPrompts(t, file); got != "a b" || strings.Contains(read(t, file), "partial") {
			t.Errorf("%+v: not completed: %q", o, got)
		}
	}
}

// TestSkippedByAnAnswer: a test that skips itself because of an answer has asked for all
// that it asks for; in CI it skips itself again.
func TestSkippedByAnAnswer(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []Mode{ModeAll, ModeNone} {
		r := mustOpen(t, file, InMode(mode), Upstream(statuses(`{}`, 404)), OnRecordError(Keep))
		if status, _ := ask(t, r, "http://h", "a"); status != 404 {
			t.Errorf("%s: status %d", mode, status)
		}
		if rep := r.finish(report.Outcome{Skipped: true}); len(rep.Errors) > 0 {
			t.Errorf("%s: %q", mode, rep.Errors)
		}
	}
}

// TestBesideGoesAway: the next good run of mode all takes away what a failed one
// left beside the cassette.
func TestBesideGoesAway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record(t, file, "a")
	for _, failed := range []bool{true, false} {
		r := mustOpen(t, file, InMode(ModeAll), Upstream(canned(`{}`)))
		ask(t, r, "http://h", "a")
		r.finish(report.Outcome{Failed: failed})
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
	r := mustOpen(t, file, Upstream(canned(`{}`)))
	ask(t, r, "http://h", "a")
	ask(t, r, "http://h", "b")
	r.finish(report.Outcome{Failed: true})
	r = mustOpen(t, file, AllowUnused())
	ask(t, r, "http://h", "a")
	mustClose(t, r)
	if strings.Contains(read(t, file), "partial") {
		t.Error("still partial")
	}
}

// TestFailureDoesNotReplaceSuccess: an expired key must not cost the recording.
func TestFailureDoesNotReplaceSuccess(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		policy RecordErrorPolicy
		old    []int
		now    []int
		kept   bool
	}{
		{"401 over 200", Warn, []int{200}, []int{401}, true},
		{"401 over 200, to be recorded", Keep, []int{200}, []int{401}, false},
		{"404 over 404", Warn, []int{404}, []int{404}, false},
		{"429 and a retry over 200", Warn, []int{200}, []int{429, 200}, false},
	}
	for _, tt := range tests {
		file := filepath.Join(t.TempDir(), "c.yaml")
		run := func(mode Mode, list []int, policy RecordErrorPolicy) error {
			r := mustOpen(t, file, InMode(mode), OnRecordError(policy), Upstream(statuses(`{}`, list...)))
			for range list {
				ask(t, r, "http://h", "x")
			}
			return r.Close()
		}
		if err := run(ModeOnce, tt.old, Keep); err != nil {
			t.Fatal(err)
		}
		before := read(t, file)
		err := run(ModeAll, tt.now, tt.policy)
		if kept := read(t, file) == before; kept != tt.kept && tt.name != "404 over 404" {
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
	r := mustOpen(t, file, Upstream(canned(`{}`)))
	ask(t, r, "http://h", "a")
	r.finish(report.Outcome{Failed: true})
	text := strings.Replace(read(t, file), "partial: true", "pinned: true\npartial: true", 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{ModeNone, ModeOnce, ModeNewEpisodes, ModeAll} {
		if _, err := Open(file, InMode(mode)); err == nil || !strings.Contains(err.Error(), "is pinned and partial") {
			t.Errorf("%s: %v", mode, err)
		}
	}
	if read(t, file) != text {
		t.Error("the file changed")
	}
}

// TestCredentialLearnedLate: a login's answer was recorded before anybody knew
// that it held a key.
func TestCredentialLearnedLate(t *testing.T) {
	t.Parallel()
	const token = "echo-secret-token-0123456789"
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, Upstream(canned(`{"session":"`+token+`","n":1}`)))
	post(t, r, "http://h/login", `{"user":"me"}`)
	post(t, r, "http://h/v1/chat/completions", prompt("a"), "Authorization", "Bearer "+token)
	mustClose(t, r)
	if text := read(t, file); strings.Contains(text, token) || strings.Count(text, "session: \"[REDACTED]\"") != 2 {
		t.Errorf("%s", text)
	}
	r = mustOpen(t, file, InMode(ModeNone))
	post(t, r, "http://h/login", `{"user":"me"}`)
	if status, body := post(t, r, "http://h/v1/chat/completions", prompt("a"), "Authorization", "Bearer [REDACTED]"); status != 200 {
		t.Errorf("replay: %d %s", status, body)
	}
	mustClose(t, r)
}

// TestSecretOfTwoLines: a secret of several lines is replaced, however its characters are
// escaped.
func TestSecretOfTwoLines(t *testing.T) {
	// Not parallel: it sets the environment.
	const value = "echo-secret-line-1\necho-secret-line-2"
	t.Setenv("PROMPTECHO_TEST_PEM", value)
	for _, body := range []string{
		prompt(value),
		strings.Replace(prompt(value), "echo-", `echo\u002d`, 1), // as no encoder writes it
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := mustOpen(t, file, Upstream(canned(`{}`)))
		r.Secret("PROMPTECHO_TEST_PEM")
		post(t, r, "http://h/v1/chat/completions", body)
		mustClose(t, r)
		if text := read(t, file); !strings.Contains(text, `content: "[REDACTED]"`) {
			t.Errorf("%s:\n%s", body, text)
		}
	}
}

// TestConcurrentClose: every Close waits for the report.
func TestConcurrentClose(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		writing := make(chan struct{})
		r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), OnRecordError(Fail), Upstream(statuses(`{}`, 500)), Ignore("nothing"),
			Log(func(string) { <-writing }))
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
	r := mustOpen(t, file, Upstream(canned(`{}`)), Ignore("mesages/0"), Log(func(note string) { notes = append(notes, note) }))
	ask(t, r, "http://h", "a")
	mustClose(t, r)
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
	u := newUpstream(t)
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeLive))
	r.Secret("PROMPTECHO_TEST_KEY")
	const refusal = "mode live (InMode in the code) has to send a request, but the environment variable PROMPTECHO_TEST_KEY is empty"
	if status, body := post(t, r, u.URL, "{}"); status != http.StatusTeapot || !strings.Contains(body, refusal) {
		t.Errorf("without a key: %d %s", status, body)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), refusal) {
		t.Errorf("the client can swallow it, Close must not: %v", err)
	}
	if status, body := post(t, r, u.URL+"/late", "{}"); status != http.StatusTeapot || !strings.Contains(body, "after the recorder was closed") {
		t.Errorf("after Close: %d %s", status, body)
	}
	if u.count() != 0 {
		t.Error("a request went upstream")
	}
}

func TestUpstreamThatReturnsNothing(t *testing.T) {
	t.Parallel()
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), Upstream(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, nil })))
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
	record(t, file, "a")
	t.Setenv(attr.Env, dir)
	for _, ofTest := range []bool{false, true} {
		r := mustOpen(t, file, InMode(ModeNone))
		if ofTest {
			r.engine().Begin(true)
		}
		ask(t, r, "http://127.0.0.1:9", "a")
		mustPass(t, r)
		mustPass(t, r)
	}
	want := attr.Done{Cassettes: []string{file}, Counts: attr.Counts{Replayed: 1}}
	if left, err := suite.ReadDone(dir); err != nil || !reflect.DeepEqual(left, []attr.Done{want}) {
		t.Errorf("%+v, %v", left, err)
	}
	t.Setenv(attr.Env, filepath.Join(dir, "gone"))
	r := mustOpen(t, file, InMode(ModeNone))
	ask(t, r, "http://127.0.0.1:9", "a")
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
	live := roundTripFunc(func(req *http.Request) (*http.Response, error) {
		asked++
		return canned(`"ok"`).RoundTrip(req)
	})
	r := mustOpen(t, "/proc/testdata/cassettes/c.yaml", InMode(ModeOnce), Upstream(live))
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
	ask := func(r *Recorder) string {
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
		live := roundTripFunc(func(req *http.Request) (*http.Response, error) {
			resp, err := canned(picture(byte(i))).RoundTrip(req)
			resp.Header.Set("Content-Type", "image/png")
			return resp, err
		})
		r := mustOpen(t, file, InMode(ModeAll), Upstream(live))
		ask(r)
		rep := r.finish(report.Outcome{Failed: failed})
		_, command, _ = strings.Cut(strings.Join(rep.Notes, "\n"), "To use the new recordings:\n")
	}
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", command, err, out)
	}
	r := mustOpen(t, file, InMode(ModeOnce), Upstream(canned(`"asked again"`))) // which completes it
	if got := ask(r); got != picture(1) {
		t.Errorf("%d bytes that begin with %q", len(got), got[:min(len(got), 20)])
	}
	mustClose(t, r)
	if left, err := filepath.Glob(file + ".failed*"); err != nil || left != nil {
		t.Error(left, err)
	}
}

// Two tests of a process that share a cassette do not drop what the other one has just recorded. The same test that runs
// twice replaces what it recorded.
func TestSharedByTwoTests(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{ModeAll, ModeUpdate} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		run := func(test, prompt string) {
			t.Helper()
			r := mustOpen(t, file, InMode(mode), Upstream(canned(`"ok"`)))
			asking{url: chatURL, body: `{"model":"m","messages":[{"role":"user","content":"` + prompt + `"}]}`}.ask(t, r)
			if rep := r.finish(report.Outcome{Test: test}); len(rep.Errors) > 0 {
				t.Error(rep.Errors)
			}
		}
		run("TestA", "first")
		run("TestA", "second")
		if got := savedPrompts(t, file); got != "second" {
			t.Errorf("%s, one test: %q", mode, got)
		}
		run("TestB", "third")
		if got, want := savedPrompts(t, file), map[Mode]string{ModeAll: "third second", ModeUpdate: "second third"}[mode]; got != want {
			t.Errorf("%s, two tests: %q, want %q", mode, got, want)
		}
	}
}

// A run of one test, in mode all, keeps what tests that are not run have in the cassette, where unused recordings are
// accepted. A cassette of its own is replaced.
func TestSharedWithTestsNotRun(t *testing.T) {
	t.Parallel()
	for shared, want := range map[bool]string{true: "edited other prompt", false: "edited"} {
		file := recorded(t, []string{`"1"`, `"2"`}, []asking{
			{url: chatURL, body: strings.Replace(chat("").body, "hi", "prompt", 1)}, {url: chatURL, body: strings.Replace(chat("").body, "hi", "other", 1)},
		})
		r := mustOpen(t, file, InMode(ModeAll), AllowUnused(), Upstream(canned(`"3"`)))
		asking{url: chatURL, body: strings.Replace(chat("").body, "hi", "edited", 1)}.ask(t, r)
		if rep := r.finish(report.Outcome{Test: "TestA", Shared: shared, Selected: true}); len(rep.Errors) > 0 {
			t.Error(rep.Errors)
		}
		got := strings.Fields(savedPrompts(t, file))
		if slices.Sort(got); strings.Join(got, " ") != want {
			t.Errorf("shared %t: %q, want %q", shared, got, want)
		}
	}
}
