package promptecho

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
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

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/report"
)

// An upstream counts what reaches it and answers each request with its number
// and what it asked.
type upstream struct {
	*httptest.Server
	mu   sync.Mutex
	hits int
}

func newUpstream(t testing.TB) *upstream {
	u := &upstream{}
	u.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		u.mu.Lock()
		u.hits++
		n := u.hits
		u.mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", fmt.Sprintf("req_%d", n))
		out, _ := json.Marshal(map[string]any{"n": n, "asked": string(body)})
		w.Write(out)
	}))
	t.Cleanup(u.Close)
	return u
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.hits
}

func prompt(text string) string {
	return fmt.Sprintf(`{"model":"m","messages":[{"role":"user","content":%q}]}`, text)
}

// ask sends one chat request and returns the status and the body.
func ask(t testing.TB, r *Recorder, base, text string) (int, string) {
	t.Helper()
	return post(t, r, base+"/v1/chat/completions", prompt(text))
}

// post sends any body, with headers as pairs of name and value, and returns the
// status and the body of the answer.
func post(t testing.TB, r *Recorder, url, body string, headers ...string) (int, string) {
	t.Helper()
	return postIn(t, t.Context(), r, url, body, headers...)
}

// postIn is post with a context.
func postIn(t testing.TB, ctx context.Context, r *Recorder, url, body string, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(b)
}

func mustOpen(t testing.TB, file string, opts ...Option) *Recorder {
	t.Helper()
	r, err := Open(file, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() }) // a second Close is harmless
	return r
}

func mustClose(t testing.TB, r *Recorder) {
	t.Helper()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
}

// mustPass ends a recorder as package echotest does for a test that ran whole and passed.
func mustPass(t testing.TB, r *Recorder) {
	t.Helper()
	if errs := r.finish(report.Outcome{}).Errors; len(errs) > 0 {
		t.Fatal(errs)
	}
}

// record writes a cassette of the prompts and returns the upstream's address.
func record(t testing.TB, file string, prompts ...string) string {
	t.Helper()
	u := newUpstream(t)
	r := mustOpen(t, file, InMode(ModeAll))
	for _, p := range prompts {
		if status, body := ask(t, r, u.URL, p); status != 200 {
			t.Fatalf("status %d: %s", status, body)
		}
	}
	mustClose(t, r)
	return u.URL
}

func read(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestModes is the table of record modes in the documentation of Mode, with a
// cassette absent and present, a request that is recorded and one that is not.
func TestModes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		mode      Mode
		present   bool
		old, new  string // who answers "old" (which is recorded if present) and "new": upstream, cassette, miss
		saved     string // prompts in the cassette afterwards
		recording bool
		unused    bool // Close complains if "old" is not asked
	}{
		{ModeOnce, false, "upstream", "upstream", "old new", true, false},
		{ModeOnce, true, "cassette", "miss", "old", false, true},
		{ModeNone, false, "miss", "miss", "", false, false},
		{ModeNone, true, "cassette", "miss", "old", false, true},
		{ModeNewEpisodes, false, "upstream", "upstream", "old new", true, false},
		{ModeNewEpisodes, true, "cassette", "upstream", "old new", true, false},
		{ModeUpdate, false, "upstream", "upstream", "old new", true, false},
		{ModeUpdate, true, "cassette", "upstream", "old new", true, false},
		{ModeAll, false, "upstream", "upstream", "old new", true, false},
		{ModeAll, true, "upstream", "upstream", "old new", true, false},
		{ModeLive, false, "upstream", "upstream", "", true, false},
		{ModeLive, true, "upstream", "upstream", "old", true, false},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%s/present=%v", tt.mode, tt.present), func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			before := ""
			if tt.present {
				record(t, file, "old")
				before = read(t, file)
			}
			u := newUpstream(t)
			r := mustOpen(t, file, InMode(tt.mode))
			if r.Online() != tt.recording {
				t.Errorf("Online = %v, want %v", r.Online(), tt.recording)
			}
			for text, want := range map[string]string{"old": tt.old, "new": tt.new} {
				hits := u.count()
				status, body := ask(t, r, u.URL, text)
				got := "cassette"
				switch {
				case u.count() > hits:
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
			errs := r.finish(report.Outcome{}).Errors
			misses := tt.old == "miss" || tt.new == "miss"
			if (len(errs) > 0) != misses {
				t.Errorf("errors: %q", errs)
			}
			if got := savedPrompts(t, file); got != tt.saved && got != reverseWords(tt.saved) {
				t.Errorf("the cassette has %q, want %q", got, tt.saved)
			}
			if after, err := os.ReadFile(file); tt.mode == ModeNone || tt.mode == ModeLive || tt.mode == ModeOnce && tt.present {
				if tt.present && string(after) != before || !tt.present && !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("the cassette was touched: %v", err)
				}
			}
			if tt.present {
				other := newUpstream(t).URL
				r := mustOpen(t, file, InMode(tt.mode), PassThrough(strings.TrimPrefix(other, "http://")))
				if tt.mode == ModeNewEpisodes || tt.mode == ModeUpdate || tt.mode == ModeAll || tt.mode == ModeLive {
					ask(t, r, u.URL, "third")
				} else {
					ask(t, r, other, "third") // which passes through
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

func savedPrompts(t testing.TB, file string) string {
	t.Helper()
	f, err := cassette.Load(file)
	if errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, it := range f.Interactions {
		var body struct{ Messages []struct{ Content string } }
		if err := json.Unmarshal(it.Request.Body, &body); err != nil {
			t.Fatal(err)
		}
		out = append(out, body.Messages[0].Content)
	}
	return strings.Join(out, " ")
}

func TestRepeatsPlayInOrderEachOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "same", "other", "same", "same")

	r := mustOpen(t, file, InMode(ModeNone))
	for i, want := range []string{`"n":1`, `"n":3`, `"n":4`} {
		if _, body := ask(t, r, base, "same"); !strings.Contains(body, want) {
			t.Errorf("ask %d: %s, want %s", i, body, want)
		}
	}
	status, body := ask(t, r, base, "same")
	if status != http.StatusTeapot || !strings.Contains(body, "asked more often than recorded: 4 times, recorded 3 times") {
		t.Errorf("the fourth: %d %s", status, body)
	}
	if _, body := ask(t, r, base, "other"); !strings.Contains(body, `"n":2`) {
		t.Errorf("other: %s", body)
	}

	r.Close()
	r = mustOpen(t, file, InMode(ModeNone), AllowRepeats(), AllowUnused())
	for range 3 {
		ask(t, r, base, "same")
	}
	if _, body := ask(t, r, base, "same"); !strings.Contains(body, `"n":4`) {
		t.Errorf("with AllowRepeats: %s, want the last again", body)
	}
	mustClose(t, r)
}

// What this run recorded never answers a request of this run.
func TestRecordingDoesNotAnswerItself(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{ModeOnce, ModeNewEpisodes, ModeAll} {
		u := newUpstream(t)
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := mustOpen(t, file, InMode(mode))
		for range 4 {
			ask(t, r, u.URL, "same")
		}
		mustClose(t, r)
		if u.count() != 4 {
			t.Errorf("%s: %d requests reached the upstream, want 4", mode, u.count())
		}
		if got := savedPrompts(t, file); got != "same same same same" {
			t.Errorf("%s: recorded %q", mode, got)
		}
	}
}

func TestConcurrent(t *testing.T) {
	t.Parallel()
	const n = 64
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(r *Recorder) {
		var wg sync.WaitGroup
		for i := range n {
			wg.Go(func() {
				text := fmt.Sprintf("question %d", i)
				if status, body := ask(t, r, u.URL, text); status != 200 || !strings.Contains(body, text+`\"`) {
					t.Errorf("%s: %d %s", text, status, body)
				}
			})
		}
		wg.Wait()
		mustClose(t, r)
	}
	run(mustOpen(t, file, InMode(ModeAll)))
	u.Close()
	run(mustOpen(t, file, InMode(ModeNone)))
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
	r := mustOpen(t, file, InMode(ModeAll))
	done := make(chan struct{})
	go func() {
		defer close(done)
		ask(t, r, srv.URL, "slow")
	}()
	<-first
	ask(t, r, srv.URL, "quick")
	close(second)
	<-done
	mustClose(t, r)
	if got := savedPrompts(t, file); got != "slow quick" {
		t.Errorf("recorded %q, want slow quick", got)
	}
}

func TestTwoRecordersOnOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := mustOpen(t, filepath.Join(dir, "c.yaml"), InMode(ModeAll))
	tests := []struct{ file, want string }{
		{"c.yaml", "is already open in this process"},
		{"../" + filepath.Base(dir) + "/c.yaml", "is already open in this process"},
		{"C.yaml", "differs only in case from"},
	}
	for _, tt := range tests {
		r, err := Open(filepath.Join(dir, tt.file), InMode(ModeAll))
		if r != nil || err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.file, err, tt.want)
		}
	}
	a.Close()
	mustOpen(t, filepath.Join(dir, "c.yaml"), InMode(ModeAll))
	if _, err := Open(filepath.Join(dir, "C.yaml")); err == nil {
		t.Error("a name that differs only in case was accepted after Close")
	}
}

// A failed Open holds no claim on the file.
func TestOpenErrors(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	tests := []struct {
		name string
		opt  Option
		want string
	}{
		{"mode", InMode("sometimes"), `promptecho: InMode: unknown record mode "sometimes": use one of none, compare, once, new_episodes, update, all, live`},
		{"mask", Mask("(", ""), "promptecho: Mask(\"(\"): error parsing regexp: missing closing ): `(`"},
		{"pace", Pace(-1), "promptecho: Pace: -1 is not a valid time factor: use 0 or more"},
		{"redact", Redact("("), "promptecho: Redact(\"(\"): error parsing regexp: missing closing ): `(`"},
		{"redact everything", Redact("a*"), `promptecho: Redact("a*"): it matches the empty text, and so everything`},
		{"policy", OnRecordError(9), "promptecho: OnRecordError: unknown policy 9: use Warn, Fail or Keep"},
	}
	for _, tt := range tests {
		if r, err := Open(file, tt.opt); r != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
	mustOpen(t, file)
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
	for _, mode := range []Mode{ModeNone, ModeOnce, ModeNewEpisodes, ModeAll} {
		r, err := Open(file, InMode(mode))
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), "promptecho: "+file+":") {
			t.Errorf("%s: %v, want an error that starts with the file and line", mode, err)
		}
	}
	if read(t, file) != broken {
		t.Error("the file was changed")
	}
}

func TestPinnedIsNeverOverwritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "a")
	pinned := strings.Replace(read(t, file), "version: 1\n", "version: 1\npinned: true\n", 1)
	if err := os.WriteFile(file, []byte(pinned), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, mode := range []Mode{ModeAll, ModeNewEpisodes, ModeOnce, ModeNone} {
		r := mustOpen(t, file, InMode(mode))
		if r.Online() {
			t.Errorf("%s: a pinned cassette records", mode)
		}
		if status, _ := ask(t, r, base, "a"); status != 200 {
			t.Errorf("%s: status %d", mode, status)
		}
		if status, _ := ask(t, r, base, "b"); status != http.StatusTeapot {
			t.Errorf("%s: an unrecorded request got status %d", mode, status)
		}
		rep := r.finish(report.Outcome{})
		said := strings.Contains(strings.Join(rep.Notes, "\n"), "is pinned: replayed, not recorded, despite mode "+string(mode))
		if said != (mode == ModeAll || mode == ModeNewEpisodes) {
			t.Errorf("%s: notes %q", mode, rep.Notes)
		}
		if read(t, file) != pinned {
			t.Errorf("%s: the pinned cassette was changed", mode)
		}
	}
}

// A run that fails leaves a partial cassette, which the next run completes.
func TestPartial(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file)
	ask(t, r, u.URL, "a")
	r.finish(report.Outcome{Failed: true})
	if !strings.Contains(read(t, file), "\npartial: true\n") {
		t.Fatalf("not marked:\n%s", read(t, file))
	}

	if _, err := Open(file, InMode(ModeNone)); err == nil || !strings.Contains(err.Error(), "is partial") {
		t.Errorf("mode none: %v", err)
	}

	r = mustOpen(t, file)
	hits := u.count()
	ask(t, r, u.URL, "a")
	if u.count() != hits {
		t.Error("what was recorded was asked again")
	}
	ask(t, r, u.URL, "b")
	mustClose(t, r)
	if strings.Contains(read(t, file), "partial") || savedPrompts(t, file) != "a b" {
		t.Errorf("not completed:\n%s", read(t, file))
	}
}

// The mark goes when the test passes with everything used, also if there was
// nothing left to record.
func TestPartialThatWasComplete(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file)
	ask(t, r, u.URL, "a")
	r.finish(report.Outcome{Failed: true})
	r = mustOpen(t, file)
	ask(t, r, u.URL, "a")
	mustClose(t, r)
	if strings.Contains(read(t, file), "partial") {
		t.Errorf("still marked:\n%s", read(t, file))
	}
}

func TestRunThatRecordedNothingWritesNothing(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{ModeOnce, ModeNewEpisodes, ModeAll} {
		file := filepath.Join(t.TempDir(), "sub", "c.yaml")
		r := mustOpen(t, file, InMode(mode))
		rep := r.finish(report.Outcome{})
		said := rep.Errors
		if mode == ModeOnce { // a helper may open a recorder for tests that ask nothing
			said = rep.Notes
		}
		if len(said) != 1 || !strings.Contains(said[0], "no request reached the recorder") {
			t.Errorf("%s: errors %q, notes %q", mode, rep.Errors, rep.Notes)
		}
		if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: something was written", mode)
		}
	}
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), AllowUnused())
	mustClose(t, r)
}

// A request the upstream never answered leaves no trace, and the old cassette
// stays.
func TestTransportError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	record(t, file, "old")
	before := read(t, file)
	boom := errors.New("boom")
	r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, boom })))
	if _, err := r.Client().Post("http://127.0.0.1:1/v1/chat/completions", "application/json", strings.NewReader(prompt("x"))); !errors.Is(err, boom) {
		t.Errorf("the client got %v, want the transport's error", err)
	}
	rep := r.finish(report.Outcome{})
	if !strings.Contains(strings.Join(rep.Errors, "\n"), "not recorded: POST http://127.0.0.1:1/v1/chat/completions: boom") {
		t.Errorf("errors: %q", rep.Errors)
	}
	if read(t, file) != before {
		t.Error("the old cassette was replaced")
	}

	// A retry that got an answer overcomes it.
	up := roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, boom })
	r = mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) { return up(req) })))
	if _, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(prompt("x"))); !errors.Is(err, boom) {
		t.Error(err)
	}
	up = func(req *http.Request) (*http.Response, error) { return canned(`{}`).RoundTrip(req) }
	ask(t, r, "http://h", "x")
	mustClose(t, r)
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
		do := func(r *Recorder) error {
			_, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(prompt("x")))
			return err
		}
		r := mustOpen(t, file, InMode(ModeAll), OnRecordError(Keep), Upstream(roundTripFunc(func(*http.Request) (*http.Response, error) { return nil, tt.err })))
		live := do(r)
		mustClose(t, r)
		r = mustOpen(t, file, InMode(ModeNone))
		err := do(r)
		if err == nil || !strings.Contains(err.Error(), tt.err.Error()) || !strings.Contains(err.Error(), "c.yaml:4") || tt.is != nil && !errors.Is(err, tt.is) || errors.Is(err, syscall.EPIPE) {
			t.Errorf("%v is replayed as %v", tt.err, err)
		}
		var netErr net.Error
		if !errors.As(err, &netErr) || netErr.Timeout() != tt.timeout || errors.As(live, &netErr) && netErr.Timeout() != tt.timeout {
			t.Errorf("%v: timeout %v, live %v", tt.err, err, live)
		}
		if notes := r.finish(report.Outcome{Failed: true}).Notes; len(notes) != 1 || !strings.Contains(notes[0], "nothing was sent: this failure was replayed from ") {
			t.Errorf("notes of a test that failed: %q", notes)
		}
	}
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestOnRecordError(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		policy   RecordErrorPolicy
		statuses []int
		failed   bool
		saved    string
		err      string
		note     string
	}{
		{"warn", Warn, []int{404}, false, "x", "", "a failure is recorded: POST http://h/v1/chat/completions: status 404"},
		{"warn, run failed", Warn, []int{404}, true, "", "", "c.yaml: POST http://h/v1/chat/completions: status 404"},
		{"the key is refused", Warn, []int{401}, false, "", "the server refused access: POST http://h/v1/chat/completions: status 401", ""},
		{"it may not ask this", Warn, []int{403}, false, "", "the server refused access: POST http://h/v1/chat/completions: status 403", ""},
		{"refused, and this is what it is about", Keep, []int{401}, false, "x", "", ""},
		{"refused, overcome by another key", Warn, []int{401, 200}, false, "x x", "", ""},
		{"fail", Fail, []int{500}, false, "", "nothing was written, because a request failed and OnRecordError(Fail) is set: POST http://h/v1/chat/completions: status 500", ""},
		{"keep", Keep, []int{404}, false, "x", "", ""},
		{"overcome by a retry", Fail, []int{429, 200}, false, "x x", "", ""},
		{"overcome, run failed", Warn, []int{503, 200}, true, "x x", "", ""},
		{"failed after a success", Warn, []int{200, 500}, false, "x x", "", "status 500"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := mustOpen(t, file, OnRecordError(tt.policy), Upstream(statuses(`{}`, tt.statuses...)))
			for range tt.statuses {
				ask(t, r, "http://h", "x")
			}
			rep := r.finish(report.Outcome{Failed: tt.failed})
			if got := savedPrompts(t, file); got != tt.saved {
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
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")

	t.Setenv(env, "")
	r := mustOpen(t, file)
	if got := r.Secret(env); got == "" {
		t.Error("no dummy for a missing key")
	}
	if status, body := ask(t, r, u.URL, "x"); status != http.StatusTeapot || !strings.Contains(body, "environment variable "+env+" is empty") {
		t.Errorf("without a key: %d %s", status, body)
	}
	if u.count() != 0 {
		t.Error("a request went upstream without a key")
	}
	r.Close()

	t.Setenv(env, value)
	r = mustOpen(t, file)
	key := r.Secret(env)
	if key != value {
		t.Errorf("Secret = %q when recording", key)
	}
	if _, body := ask(t, r, u.URL, "my key is "+key); !strings.Contains(body, value) {
		t.Errorf("the application sees %s, want what the upstream sent", body)
	}
	mustClose(t, r)
	if strings.Contains(read(t, file), value) {
		t.Errorf("the secret is on disk:\n%s", read(t, file))
	}

	t.Setenv(env, "")
	r = mustOpen(t, file)
	dummy := r.Secret(env)
	if dummy == value || dummy == "" {
		t.Errorf("Secret = %q in replay", dummy)
	}
	if status, body := ask(t, r, u.URL, "my key is "+dummy); status != 200 {
		t.Errorf("the dummy does not match the key: %d %s", status, body)
	}
	mustClose(t, r)
}

// What cannot be cleaned is not written.
// TestSecretInEncodedFormIsReplaced: a known secret is replaced in what encodes it, and
// what is encoded with it stays.
func TestSecretInEncodedFormIsReplaced(t *testing.T) {
	t.Parallel()
	base := record(t, filepath.Join(t.TempDir(), "old.yaml"), "old")
	for name, encode := range map[string]func(string) string{
		"hexadecimal": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []Mode{ModeAll, ModeNone} {
			r := mustOpen(t, file, InMode(mode), Upstream(canned("{}")))
			r.engine().Policy().AddSecret("echo-secret-base64")
			ask(t, r, base, "I am "+encode("user:echo-secret-base64"))
			mustClose(t, r)
		}
		text := read(t, file)
		want := "I am " + encode("user:[REDACTED]")
		if strings.Contains(text, encode("user:echo-secret-base64")) || !strings.Contains(text, want) {
			t.Errorf("%s: the cassette has no %q:\n%s", name, want, text)
		}
	}
}

func TestRequestIsNotChanged(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []Mode{ModeAll, ModeNone, ModeLive} {
		r := mustOpen(t, file, InMode(mode))
		body := &countingBody{Reader: strings.NewReader(prompt("x"))}
		req, err := http.NewRequestWithContext(t.Context(), "POST", u.URL+"/v1/chat/completions?key=echo-secret-query", body)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer echo-secret-header")
		req.Header.Set("Accept-Encoding", "gzip")
		req.ContentLength = int64(len(prompt("x")))
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
		if mode != ModeLive && resp.Request != req {
			t.Errorf("%s: the response is not of the request", mode)
		}
		mustClose(t, r)
	}
	if c := read(t, file); strings.Contains(c, "echo-secret") {
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
	r := mustOpen(t, file, InMode(ModeAll), AllowUnused())
	boom := errors.New("boom")
	req, _ := http.NewRequestWithContext(t.Context(), "POST", "http://127.0.0.1:1/", io.MultiReader(strings.NewReader("x"), errReader{boom}))
	if _, err := r.RoundTrip(req); !errors.Is(err, boom) {
		t.Errorf("RoundTrip: %v", err)
	}
	mustClose(t, r)
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was recorded")
	}
}

// Nothing that a program can put into a request makes a recorder panic.
func TestOddRequests(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
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
		for _, mode := range []Mode{ModeAll, ModeNone} {
			r := mustOpen(t, file, InMode(mode), AllowUnused())
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
			mustClose(t, r)
		}
	}
}

type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }

// cohere-go sends a retry with the body that the first attempt has drained.
func TestDrainedBody(t *testing.T) {
	t.Parallel()
	u := newUpstream(t)
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := mustOpen(t, file, InMode(ModeAll))
	req, _ := http.NewRequestWithContext(t.Context(), "POST", u.URL+"/v1/chat/completions", strings.NewReader(prompt("x")))
	for range 2 {
		resp, err := r.Client().Transport.RoundTrip(req)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
	}
	mustClose(t, r)
	if got := savedPrompts(t, file); got != "x x" {
		t.Errorf("recorded %q", got)
	}
}

func TestLateRequest(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "a")
	r := mustOpen(t, file, InMode(ModeNone), AllowUnused())
	mustClose(t, r)
	resp, err := r.Client().Post(base+"/v1/chat/completions", "application/json", strings.NewReader(prompt("a")))
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
	base := record(t, file, "a")
	r := mustOpen(t, file, InMode(ModeNone))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	req, _ := http.NewRequestWithContext(ctx, "POST", base+"/v1/chat/completions", strings.NewReader(prompt("a")))
	if _, err := r.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("RoundTrip: %v", err)
	}
	// It used nothing up.
	if status, _ := ask(t, r, base, "a"); status != 200 {
		t.Errorf("status %d", status)
	}
	mustClose(t, r)
}

// Replay never opens a connection: every way to dial is wired to fail.
func TestReplayNeverDials(t *testing.T) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := record(t, file, "a")
	old := http.DefaultTransport
	t.Cleanup(func() { http.DefaultTransport = old })
	dialed := 0
	http.DefaultTransport = roundTripFunc(func(r *http.Request) (*http.Response, error) {
		dialed++
		return nil, errors.New("dialed")
	})
	for _, mode := range []Mode{ModeNone, ModeOnce} {
		for _, option := range []Option{nil, PassThrough("other.example.com")} { // with which there is an upstream
			r := mustOpen(t, file, InMode(mode), option)
			ask(t, r, base, "a")
			ask(t, r, base, "not recorded")
			r.Close()
		}
	}
	r := mustOpen(t, filepath.Join(t.TempDir(), "absent.yaml"), InMode(ModeNone))
	ask(t, r, base, "a")
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
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeAll), Upstream(roundTripFunc(func(*http.Request) (*http.Response, error) {
		close(arrived)
		<-release
		return nil, errors.New("too late")
	})))
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, _ := http.NewRequest("POST", "http://h/v1/chat/completions", strings.NewReader(prompt("x")))
		r.RoundTrip(req)
	}()
	<-arrived
	rep := r.finish(report.Outcome{})
	close(release)
	<-done
	if want := "not recorded: POST http://h/v1/chat/completions: it had no answer when the recorder was closed"; !strings.Contains(strings.Join(rep.Notes, "\n"), want) {
		t.Errorf("notes %q, want %q", rep.Notes, want)
	}
}
