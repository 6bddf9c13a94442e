package modes_test

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// TestModes is the table of record modes in the documentation of Mode, with a
// cassette absent and present, a request that is recorded and one that is not.
func TestModes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode      promptecho.Mode
		present   bool
		old, new  string // who answers "old" (which is recorded if present) and "new": upstream, cassette, miss
		saved     string // prompts in the cassette afterwards
		recording bool
		unused    bool // Close complains if "old" is not asked
	}{
		{promptecho.ModeOnce, false, "upstream", "upstream", "old new", true, false},
		{promptecho.ModeOnce, true, "cassette", "miss", "old", false, true},
		{promptecho.ModeNone, false, "miss", "miss", "", false, false},
		{promptecho.ModeNone, true, "cassette", "miss", "old", false, true},
		{promptecho.ModeNewEpisodes, false, "upstream", "upstream", "old new", true, false},
		{promptecho.ModeNewEpisodes, true, "cassette", "upstream", "old new", true, false},
		{promptecho.ModeUpdate, false, "upstream", "upstream", "old new", true, false},
		{promptecho.ModeUpdate, true, "cassette", "upstream", "old new", true, false},
		{promptecho.ModeAll, false, "upstream", "upstream", "old new", true, false},
		{promptecho.ModeAll, true, "upstream", "upstream", "old new", true, false},
		{promptecho.ModeLive, false, "upstream", "upstream", "", true, false},
		{promptecho.ModeLive, true, "upstream", "upstream", "old", true, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/present=%v", tt.mode, tt.present), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := ""
			if tt.present {
				must.Record(t, file, "old")
				before = must.Read(t, file)
			}
			u := provider.New(t)
			r := must.Open(t, file, promptecho.InMode(tt.mode))
			if r.Online() != tt.recording {
				t.Errorf("Online = %v, want %v", r.Online(), tt.recording)
			}
			for text, want := range map[string]string{"old": tt.old, "new": tt.new} {
				hits := u.Count()
				status, body := must.Ask(t, r, u.URL, text)
				got := "cassette"
				switch {
				case u.Count() > hits:
					got = "upstream"
				case status == http.StatusTeapot:
					got = "miss"
				}
				if got != want {
					t.Errorf("%q is answered by %s, want %s: %d %s", text, got, want, status, body)
				}
				if got != "miss" && !strings.Contains(body, text) {
					t.Errorf("%q is answered with %s", text, body)
				}
			}
			errs := must.Finish(r, report.Outcome{}).Errors
			misses := tt.old == "miss" || tt.new == "miss"
			if (len(errs) > 0) != misses {
				t.Errorf("errors: %q", errs)
			}
			if got := must.Prompts(t, file); got != tt.saved && got != reverseWords(tt.saved) {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if after, err := os.ReadFile(file); tt.mode == promptecho.ModeNone || tt.mode == promptecho.ModeLive || tt.mode == promptecho.ModeOnce && tt.present {
				if tt.present && string(after) != before || !tt.present && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the cassette was touched: %v", err)
				}
			}
			if tt.present {
				other := provider.New(t).URL
				r := must.Open(t, file, promptecho.InMode(tt.mode), promptecho.PassThrough(strings.TrimPrefix(other, "http://")))
				if tt.mode == promptecho.ModeNewEpisodes || tt.mode == promptecho.ModeUpdate || tt.mode == promptecho.ModeAll || tt.mode == promptecho.ModeLive {
					must.Ask(t, r, u.URL, "third")
				} else {
					must.Ask(t, r, other, "third") // which passes through
				}
				err := r.Close()
				if unused := err != nil && strings.Contains(err.Error(), "not used"); unused != tt.unused {
					t.Errorf("with nothing of it used: %v", err)
				}
			}
		})
	}
}

func reverseWords(s string) string {
	a, b, ok := strings.Cut(s, " ")
	if !ok {
		return s
	}
	return b + " " + a
}

func TestRepeatsPlayInOrderEachOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "same", "other", "same", "same")

	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for i, want := range []string{`"n":1`, `"n":3`, `"n":4`} {
		if _, body := must.Ask(t, r, base, "same"); !strings.Contains(body, want) {
			t.Errorf("ask %d: %s, want %s", i, body, want)
		}
	}
	status, body := must.Ask(t, r, base, "same")
	if status != http.StatusTeapot || !strings.Contains(body, "asked more often than recorded: 4 times, recorded 3 times") {
		t.Errorf("the fourth: %d %s", status, body)
	}
	if _, body := must.Ask(t, r, base, "other"); !strings.Contains(body, `"n":2`) {
		t.Errorf("other: %s", body)
	}

	r.Close()
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowRepeats(), promptecho.AllowUnused())
	for range 3 {
		must.Ask(t, r, base, "same")
	}
	if _, body := must.Ask(t, r, base, "same"); !strings.Contains(body, `"n":4`) {
		t.Errorf("with AllowRepeats: %s, want the last again", body)
	}
	must.Close(t, r)
}

// What this run recorded never answers a request of this run.
func TestRecordingDoesNotAnswerItself(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		u := provider.New(t)
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.InMode(mode))
		for range 4 {
			must.Ask(t, r, u.URL, "same")
		}
		must.Close(t, r)
		if u.Count() != 4 {
			t.Errorf("%s: %d requests reached the upstream, want 4", mode, u.Count())
		}
		if got := must.Prompts(t, file); got != "same same same same" {
			t.Errorf("%s: recorded %q", mode, got)
		}
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	const n = 64
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *promptecho.Recorder) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				text := fmt.Sprintf("question %d", i)
				if status, body := must.Ask(t, r, u.URL, text); status != 200 || !strings.Contains(body, text+`\"`) {
					t.Errorf("%s: %d %s", text, status, body)
				}
			})
		}
		wg.Wait()
		must.Close(t, r)
	}
	run(must.Open(t, file, promptecho.InMode(promptecho.ModeAll)))
	u.Close()
	run(must.Open(t, file, promptecho.InMode(promptecho.ModeNone)))
}

// A place on the tape is taken when a request is asked, not when it is
// answered, so that the order of a cassette is the order of the program.
func TestOrderIsTheOrderAsked(t *testing.T) {
	t.Parallel()
	first, second := make(chan struct{}), make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "slow") {
			close(first)
			<-second
		}
		w.Write([]byte("{}"))
	}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	done := make(chan struct{})
	go func() {
		defer close(done)
		must.Ask(t, r, srv.URL, "slow")
	}()
	<-first
	must.Ask(t, r, srv.URL, "quick")
	close(second)
	<-done
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "slow quick" {
		t.Errorf("recorded %q, want slow quick", got)
	}
}

func TestTwoRecordersOnOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := must.Open(t, filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	tests := []struct{ file, want string }{
		{"c.yaml", "is already open in this process"},
		{"../" + filepath.Base(dir) + "/c.yaml", "is already open in this process"},
		{"C.yaml", "differs only in case from"},
	}
	for _, tt := range tests {
		r, err := promptecho.Open(filepath.Join(dir, tt.file), promptecho.InMode(promptecho.ModeAll))
		if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.file, err, tt.want)
		}
	}
	a.Close()
	must.Open(t, filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll))
	if _, err := promptecho.Open(filepath.Join(dir, "C.yaml")); err == nil {
		t.Error("a name that differs only in case was accepted after Close")
	}
}

// A failed Open holds no claim on the file.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	tests := []struct {
		name string
		opt  promptecho.Option
		want string
	}{
		{"mode", promptecho.InMode("sometimes"), `promptecho: InMode: unknown record mode "sometimes": use one of none, compare, once, new_episodes, update, all, live`},
		{"mask", promptecho.Mask("(", ""), "promptecho: Mask(\"(\"): error parsing regexp: missing closing ): `(`"},
		{"pace", promptecho.Pace(-1), "promptecho: Pace: -1 is not a valid time factor: use 0 or more"},
		{"redact", promptecho.Redact("("), "promptecho: Redact(\"(\"): error parsing regexp: missing closing ): `(`"},
		{"redact everything", promptecho.Redact("a*"), `promptecho: Redact("a*"): it matches the empty text, and so everything`},
		{"policy", promptecho.OnRecordError(9), "promptecho: OnRecordError: unknown policy 9: use Warn, Fail or Keep"},
	}
	for _, tt := range tests {
		if r, err := promptecho.Open(file, tt.opt); r != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	must.Open(t, file)
}

// A broken file is refused, in every mode that has to do with it, with its
// name and the place, and is still there afterwards.
func TestBrokenCassetteIsRefusedAndKept(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const broken = "version: 1\ninteractions:\n  - kind: [\n"
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		r, err := promptecho.Open(file, promptecho.InMode(mode))
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), "promptecho: "+file+":") {
			t.Errorf("%s: %v, want an error that starts with the file and line", mode, err)
		}
	}
	if must.Read(t, file) != broken {
		t.Error("the file was changed")
	}
}

func TestPinnedIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	pinned := strings.Replace(must.Read(t, file), "version: 1\n", "version: 1\npinned: true\n", 1)
	if err := os.WriteFile(file, []byte(pinned), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNewEpisodes, promptecho.ModeOnce, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		if r.Online() {
			t.Errorf("%s: a pinned cassette records", mode)
		}
		if status, _ := must.Ask(t, r, base, "a"); status != 200 {
			t.Errorf("%s: status %d", mode, status)
		}
		if status, _ := must.Ask(t, r, base, "b"); status != http.StatusTeapot {
			t.Errorf("%s: an unrecorded request got status %d", mode, status)
		}
		rep := must.Finish(r, report.Outcome{})
		said := strings.Contains(strings.Join(rep.Notes, "\n"), "is pinned: replayed, not recorded, despite mode "+string(mode))
		if said != (mode == promptecho.ModeAll || mode == promptecho.ModeNewEpisodes) {
			t.Errorf("%s: notes %q", mode, rep.Notes)
		}
		if must.Read(t, file) != pinned {
			t.Errorf("%s: the pinned cassette was changed", mode)
		}
	}
}

// A run that fails leaves a partial cassette, which the next run completes.
func TestPartial(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	must.Ask(t, r, u.URL, "a")
	must.Finish(r, report.Outcome{Failed: true})
	if !strings.Contains(must.Read(t, file), "\npartial: true\n") {
		t.Fatalf("not marked:\n%s", must.Read(t, file))
	}

	if _, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone)); err == nil || !strings.Contains(err.Error(), "is partial") {
		t.Errorf("mode none: %v", err)
	}

	r = must.Open(t, file)
	hits := u.Count()
	must.Ask(t, r, u.URL, "a")
	if u.Count() != hits {
		t.Error("what was recorded was asked again")
	}
	must.Ask(t, r, u.URL, "b")
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), "partial") || must.Prompts(t, file) != "a b" {
		t.Errorf("not completed:\n%s", must.Read(t, file))
	}
}

// The mark goes when the test passes with everything used, also if there was
// nothing left to record.
func TestPartialThatWasComplete(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file)
	must.Ask(t, r, u.URL, "a")
	must.Finish(r, report.Outcome{Failed: true})
	r = must.Open(t, file)
	must.Ask(t, r, u.URL, "a")
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), "partial") {
		t.Errorf("still marked:\n%s", must.Read(t, file))
	}
}

func TestRunThatRecordedNothingWritesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNewEpisodes, promptecho.ModeAll} {
		file := filepath.Join(t.TempDir(), "sub", "c.yaml")
		r := must.Open(t, file, promptecho.InMode(mode))
		rep := must.Finish(r, report.Outcome{})
		said := rep.Errors
		if mode == promptecho.ModeOnce { // a helper may open a recorder for tests that ask nothing
			said = rep.Notes
		}
		if len(said) != 1 || !strings.Contains(said[0], "no request reached the recorder") {
			t.Errorf("%s: errors %q, notes %q", mode, rep.Errors, rep.Notes)
		}
		if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", mode)
		}
	}
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.AllowUnused())
	must.Close(t, r)
}

// A request the upstream never answered leaves no trace, and the old cassette
// stays.
func TestTransportError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "old")
	before := must.Read(t, file)
	boom := errors.New("boom")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) { return nil, boom })))
	if _, err := r.Client().Post("http://127.0.0.1:1/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("x"))); !errors.Is(err, boom) {
		t.Errorf("the client got %v, want the transport's error", err)
	}
	rep := must.Finish(r, report.Outcome{})
	if !strings.Contains(strings.Join(rep.Errors, "\n"), "not recorded: POST http://127.0.0.1:1/v1/chat/completions: boom") {
		t.Errorf("errors: %q", rep.Errors)
	}
	if must.Read(t, file) != before {
		t.Error("the old cassette was replaced")
	}

	// A retry that got an answer overcomes it.
	up := provider.Func(func(*http.Request) (*http.Response, error) { return nil, boom })
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) { return up(req) })))
	if _, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("x"))); !errors.Is(err, boom) {
		t.Error(err)
	}
	up = func(req *http.Request) (*http.Response, error) { return provider.Says(`{}`).RoundTrip(req) }
	must.Ask(t, r, "http://h", "x")
	must.Close(t, r)
}

// A transport error that a test is about is recorded with Keep, and replayed as one.
func TestTransportErrorKept(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err     error
		is      error
		timeout bool
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, syscall.ECONNREFUSED, false},
		{&net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded}, os.ErrDeadlineExceeded, true},
		{context.DeadlineExceeded, context.DeadlineExceeded, true},
		{io.ErrUnexpectedEOF, io.ErrUnexpectedEOF, false},
		{io.EOF, io.EOF, false},
		{errors.New("tls: bad certificate"), nil, false},
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		do := func(r *promptecho.Recorder) error {
			_, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("x")))
			return err
		}
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(promptecho.Keep), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) { return nil, tt.err })))
		live := do(r)
		must.Close(t, r)
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		err := do(r)
		if err == nil || !strings.Contains(err.Error(), tt.err.Error()) || !strings.Contains(err.Error(), "c.yaml:4") || tt.is != nil && !errors.Is(err, tt.is) || errors.Is(err, syscall.EPIPE) {
			t.Errorf("%v is replayed as %v", tt.err, err)
		}
		var netErr net.Error
		if !errors.As(err, &netErr) || netErr.Timeout() != tt.timeout || errors.As(live, &netErr) && netErr.Timeout() != tt.timeout {
			t.Errorf("%v: timeout %v, live %v", tt.err, err, live)
		}
		if notes := must.Finish(r, report.Outcome{Failed: true}).Notes; len(notes) != 1 || !strings.Contains(notes[0], "nothing was sent: this failure was replayed from ") {
			t.Errorf("notes of a test that failed: %q", notes)
		}
	}
}

func TestOnRecordError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		policy   promptecho.RecordErrorPolicy
		statuses []int
		failed   bool
		saved    string
		err      string
		note     string
	}{
		{"warn", promptecho.Warn, []int{404}, false, "x", "", "a failure is recorded: POST http://h/v1/chat/completions: status 404"},
		{"warn, run failed", promptecho.Warn, []int{404}, true, "", "", "c.yaml: POST http://h/v1/chat/completions: status 404"},
		{"the key is refused", promptecho.Warn, []int{401}, false, "", "the server refused access: POST http://h/v1/chat/completions: status 401", ""},
		{"it may not ask this", promptecho.Warn, []int{403}, false, "", "the server refused access: POST http://h/v1/chat/completions: status 403", ""},
		{"refused, and this is what it is about", promptecho.Keep, []int{401}, false, "x", "", ""},
		{"refused, overcome by another key", promptecho.Warn, []int{401, 200}, false, "x x", "", ""},
		{"fail", promptecho.Fail, []int{500}, false, "", "nothing was written, because a request failed and OnRecordError(Fail) is set: POST http://h/v1/chat/completions: status 500", ""},
		{"keep", promptecho.Keep, []int{404}, false, "x", "", ""},
		{"overcome by a retry", promptecho.Fail, []int{429, 200}, false, "x x", "", ""},
		{"overcome, run failed", promptecho.Warn, []int{503, 200}, true, "x x", "", ""},
		{"failed after a success", promptecho.Warn, []int{200, 500}, false, "x x", "", "status 500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.OnRecordError(tt.policy), promptecho.Upstream(provider.Statuses(`{}`, tt.statuses...)))
			for range tt.statuses {
				must.Ask(t, r, "http://h", "x")
			}
			rep := must.Finish(r, report.Outcome{Failed: tt.failed})
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("saved %q, want %q", got, tt.saved)
			}
			if got := strings.Join(rep.Errors, "\n"); (got != "") != (tt.err != "") || !strings.Contains(got, tt.err) {
				t.Errorf("errors %q, want %q", got, tt.err)
			}
			notes := strings.Join(rep.Notes, "\n")
			if !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "failure") {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

func TestSecret(t *testing.T) {
	// Not parallel: it sets the environment.
	const env, value = "PROMPTECHO_TEST_KEY", "echo-secret-in-the-environment"
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")

	t.Setenv(env, "")
	r := must.Open(t, file)
	if got := r.Secret(env); got == "" {
		t.Error("no dummy for a missing key")
	}
	if status, body := must.Ask(t, r, u.URL, "x"); status != http.StatusTeapot || !strings.Contains(body, "environment variable "+env+" is empty") {
		t.Errorf("without a key: %d %s", status, body)
	}
	if u.Count() != 0 {
		t.Error("a request went upstream without a key")
	}
	r.Close()

	t.Setenv(env, value)
	r = must.Open(t, file)
	key := r.Secret(env)
	if key != value {
		t.Errorf("Secret = %q when recording", key)
	}
	if _, body := must.Ask(t, r, u.URL, "my key is "+key); !strings.Contains(body, value) {
		t.Errorf("the application sees %s, want what the upstream sent", body)
	}
	must.Close(t, r)
	if strings.Contains(must.Read(t, file), value) {
		t.Errorf("the secret is on disk:\n%s", must.Read(t, file))
	}

	t.Setenv(env, "")
	r = must.Open(t, file)
	dummy := r.Secret(env)
	if dummy == value || dummy == "" {
		t.Errorf("Secret = %q in replay", dummy)
	}
	if status, body := must.Ask(t, r, u.URL, "my key is "+dummy); status != 200 {
		t.Errorf("the dummy does not match the key: %d %s", status, body)
	}
	must.Close(t, r)
}

// What cannot be cleaned is not written.
// TestSecretInEncodedFormIsReplaced: a known secret is replaced in what encodes it, and
// what is encoded with it stays.
func TestSecretInEncodedFormIsReplaced(t *testing.T) {
	t.Parallel()
	base := must.Record(t, filepath.Join(t.TempDir(), "old.yaml"), "old")
	for name, encode := range map[string]func(string) string{
		"hexadecimal": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
			must.Engine(r).Policy().AddSecret("echo-secret-base64")
			must.Ask(t, r, base, "I am "+encode("user:echo-secret-base64"))
			must.Close(t, r)
		}
		text := must.Read(t, file)
		want := "I am " + encode("user:[REDACTED]")
		if strings.Contains(text, encode("user:echo-secret-base64")) || !strings.Contains(text, want) {
			t.Errorf("%s: the cassette has no %q:\n%s", name, want, text)
		}
	}
}

func TestRequestIsNotChanged(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeLive} {
		r := must.Open(t, file, promptecho.InMode(mode))
		body := &countingBody{Reader: strings.NewReader(must.ChatBody("x"))}
		req, err := http.NewRequestWithContext(t.Context(), "POST", u.URL+"/v1/chat/completions?key=echo-secret-query", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer echo-secret-header")
		req.Header.Set("Accept-Encoding", "gzip")
		req.ContentLength = int64(len(must.ChatBody("x")))
		before := fmt.Sprintf("%v %v %v %v", req.URL, req.Header, req.ContentLength, req.Host)
		resp, err := r.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if after := fmt.Sprintf("%v %v %v %v", req.URL, req.Header, req.ContentLength, req.Host); after != before || req.Body != body {
			t.Errorf("%s: the request was changed:\n%s\n%s", mode, before, after)
		}
		if body.closed == 0 {
			t.Errorf("%s: the body was not closed", mode)
		}
		if mode != promptecho.ModeLive && resp.Request != req {
			t.Errorf("%s: the response is not of the request", mode)
		}
		must.Close(t, r)
	}
	if c := must.Read(t, file); strings.Contains(c, "echo-secret") {
		t.Errorf("a secret is on disk:\n%s", c)
	}
}

type countingBody struct {
	io.Reader
	closed int
}

func (b *countingBody) Close() error { b.closed++; return nil }

func TestBodyThatCannotBeRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.AllowUnused())
	boom := errors.New("boom")
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:1/", io.MultiReader(strings.NewReader("x"), provider.Broken{Err: boom}))
	if _, err := r.RoundTrip(req); !errors.Is(err, boom) {
		t.Errorf("RoundTrip: %v", err)
	}
	must.Close(t, r)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was recorded")
	}
}

// Nothing that a program can put into a request makes a recorder panic.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	base, err := url.Parse(u.URL)
	if err != nil {
		t.Fatal(err)
	}
	requests := map[string]*http.Request{
		"no URL":         {Method: "POST", Header: http.Header{}},
		"no body":        {Method: "POST", URL: base, Header: http.Header{}, Body: http.NoBody},
		"odd query":      {Method: "GET", URL: &url.URL{Scheme: "http", Host: base.Host, Path: "/", RawQuery: "%zz=;&&=&key"}, Header: http.Header{}},
		"odd path":       {Method: "GET", URL: &url.URL{Scheme: "http", Host: base.Host, Path: "/a b/\x00/ü"}, Header: http.Header{}},
		"empty headers":  {Method: "GET", URL: base, Header: http.Header{"X-Api-Key": nil, "Content-Type": {}, "Accept": {""}}},
		"broken content": {Method: "POST", URL: base, Header: http.Header{"Content-Type": {"multipart/form-data"}}, Body: io.NopCloser(strings.NewReader("--x"))},
	}
	for name, req := range requests {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.AllowUnused())
			again := req.Clone(t.Context())
			if name == "broken content" {
				again.Body = io.NopCloser(strings.NewReader("--x"))
			}
			resp, err := r.RoundTrip(again)
			if (err != nil) != (name == "no URL") {
				t.Errorf("%s, mode %s: %v", name, mode, err)
			}
			if err == nil {
				if b, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
					t.Errorf("%s, mode %s: %d %s %v", name, mode, resp.StatusCode, b, err)
				}
				resp.Body.Close()
			}
			must.Close(t, r)
		}
	}
}

// cohere-go sends a retry with the body that the first attempt has drained.
func TestDrainedBody(t *testing.T) {
	t.Parallel()
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	req, _ := http.NewRequestWithContext(t.Context(), "POST", u.URL+"/v1/chat/completions", strings.NewReader(must.ChatBody("x")))
	for range 2 {
		resp, err := r.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	must.Close(t, r)
	if got := must.Prompts(t, file); got != "x x" {
		t.Errorf("recorded %q", got)
	}
}

func TestLateRequest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	must.Close(t, r)
	resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("a")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(body), "came after the recorder was closed") {
		t.Errorf("late request: %s %v", body, err)
	}
	if resp.Header.Get("X-Should-Retry") != "false" {
		t.Error("it can be retried")
	}
}

func TestCancelledBeforeReplay(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", strings.NewReader(must.ChatBody("a")))
	if _, err := r.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("RoundTrip: %v", err)
	}
	// It used nothing up.
	if status, _ := must.Ask(t, r, base, "a"); status != 200 {
		t.Errorf("status %d", status)
	}
	must.Close(t, r)
}

// Replay never opens a connection: every way to dial is wired to fail.
func TestReplayNeverDials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "a")
	old := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = old })
	dialed := 0
	http.DefaultTransport = provider.Func(func(r *http.Request) (*http.Response, error) {
		dialed++
		return nil, errors.New("dialed")
	})
	for _, mode := range []promptecho.Mode{promptecho.ModeNone, promptecho.ModeOnce} {
		for _, option := range []promptecho.Option{nil, promptecho.PassThrough("other.example.com")} { // with which there is an upstream
			r := must.Open(t, file, promptecho.InMode(mode), option)
			must.Ask(t, r, base, "a")
			must.Ask(t, r, base, "not recorded")
			r.Close()
		}
	}
	r := must.Open(t, filepath.Join(t.TempDir(), "absent.yaml"), promptecho.InMode(promptecho.ModeNone))
	must.Ask(t, r, base, "a")
	r.Close()
	if dialed != 0 {
		t.Errorf("replay went to the network %d times", dialed)
	}
}

// A request that has no answer when the recorder is closed is not recorded,
// and the report says so.
func TestNoAnswerBeforeClose(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) {
		close(arrived)
		<-release
		return nil, errors.New("too late")
	})))
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, _ := http.NewRequest("POST", "http://h/v1/chat/completions", strings.NewReader(must.ChatBody("x")))
		r.RoundTrip(req)
	}()
	<-arrived
	rep := must.Finish(r, report.Outcome{})
	close(release)
	<-done
	if want := "not recorded: POST http://h/v1/chat/completions: it had no answer when the recorder was closed"; !strings.Contains(strings.Join(rep.Notes, "\n"), want) {
		t.Errorf("notes %q, want %q", rep.Notes, want)
	}
}
