package streams_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	uploads "github.com/promptecho/promptecho/internal/nethttp/upload"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// postUpload returns a request. Once says that its body can be had only once.
func postUpload(t *testing.T, url, contentType, body string, once bool) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if once {
		req.GetBody, req.ContentLength = nil, -1
	}
	req.Header.Set("Content-Type", contentType)
	return req
}

// TestUploads: what is uploaded beyond the limit is in the cassette as its length, SHA-256 and
// media type, is sent as it is, and matches as if it were kept; less is kept.
func TestUploads(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	s := provider.Digests(t, &asked)
	const form = "multipart/form-data; boundary=B"
	wav := func(n int) string { return "RIFF1234WAVE" + strings.Repeat("\x00\x01\x02\x03", n/4) }
	part := func(content string) string {
		return "--B\r\nContent-Disposition: form-data; name=\"model\"\r\n\r\nm\r\n--B\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.wav\"\r\nContent-Type: application/octet-stream\r\n\r\n" + content + "\r\n--B--\r\n"
	}
	member := func(content string) string {
		return `{"model":"m","input":[{"data":"data:audio/wav;base64,` + base64.StdEncoding.EncodeToString([]byte(content)) + `","text":"a, b"}]}`
	}
	whole := func(content string) string { return content }
	large := full.Cases(4<<20+4, 10<<20) // beyond what is held in memory
	for i, tt := range []struct {
		name, contentType string
		body              func(content string) string
		size              int
	}{
		{"a part of a form", form, part, uploads.Limit + 4},
		{"base64 in JSON", "application/json", member, uploads.Limit + 4},
		{"a body", "", whole, uploads.Limit + 4},
		{"a large part of a form", form, part, large},
		{"large base64 in JSON", "application/json", member, large},
		{"a large body", "audio/wav", whole, large},
	} {
		isLarge := tt.size > 1<<20
		for _, once := range []bool{false, true} {
			if isLarge && once != (i%2 == 1) && !full.Set() {
				continue
			}
			name := fmt.Sprintf("%s, once %v", tt.name, once)
			file, kept := filepath.Join(t.TempDir(), "a.yaml"), filepath.Join(t.TempDir(), "b.yaml")
			ask := func(file string, mode promptecho.Mode, body string, opts ...promptecho.Option) string {
				return must.Upload(t, file, mode, postUpload(t, s.URL+"/v1/upload", tt.contentType, body, once), opts...)
			}
			content := wav(tt.size)
			body := tt.body(content)
			want := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
			before := asked.Load()
			live := []string{
				ask(file, promptecho.ModeAll, body),
				ask(file, promptecho.ModeUpdate, body), // something is recorded
				ask(filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeLive, body),
			}
			files := []string{file}
			if !isLarge {
				live, files = append(live, ask(kept, promptecho.ModeAll, body, promptecho.KeepUploads())), append(files, kept)
			}
			for i, got := range live {
				if got != want {
					t.Fatalf("%s: run %d: the server got %s, want %s", name, i, got, want)
				}
			}
			if n := asked.Load() - before; int(n) != 1+len(files) {
				t.Errorf("%s: the server was asked %d times, want %d", name, n, 1+len(files))
			}
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			standIn := fmt.Sprintf("(upload of %d bytes, audio/wav, sha256 %x)", len(content), sha256.Sum256([]byte(content)))
			if len(text) > 4<<10 || !strings.Contains(string(text), standIn) {
				t.Errorf("%s: the cassette has %d bytes, and not %s:\n%.3000s", name, len(text), standIn, text)
			}
			if _, err := os.Stat(strings.TrimSuffix(file, ".yaml") + ".assets"); err == nil {
				t.Errorf("%s: there are assets", name)
			}
			for _, file := range files {
				for i, opts := range [][]promptecho.Option{nil, {promptecho.KeepUploads()}, {promptecho.Mask("[0-9a-f]+", "x")}} {
					if got := ask(file, promptecho.ModeNone, body, opts...); got != want {
						t.Errorf("%s: replay %d of %s: %s", name, i, filepath.Base(file), got)
					}
				}
				other := []byte(content)
				other[len(other)/2]++
				if got := ask(file, promptecho.ModeNone, tt.body(string(other)), promptecho.Mask("[0-9a-f]+", "x")); !strings.Contains(got, "not recorded") {
					t.Errorf("%s: another file is answered: %.200s", name, got)
				}
			}
		}
	}
	for name, tt := range map[string]struct{ contentType, body string }{
		"a part at the limit":  {form, part(wav(uploads.Limit - 12))},
		"a long prompt":        {"application/json", `{"prompt":"` + strings.Repeat("All work and no play. ", 13_000) + `"}`},
		"a text":               {"text/plain", strings.Repeat("All work and no play.\n", 13_000)},
		"lines of JSON":        {"application/x-ndjson", strings.Repeat(`{"a":1}`+"\n", 35_000)},
		"a long list of words": {"application/json", `["` + strings.Repeat(`word","`, 40_000) + `"]`},
	} {
		file := filepath.Join(t.TempDir(), "a.yaml")
		got := must.Upload(t, file, promptecho.ModeAll, postUpload(t, s.URL+"/v1/upload", tt.contentType, tt.body, false))
		if again := must.Upload(t, file, promptecho.ModeNone, postUpload(t, s.URL+"/v1/upload", tt.contentType, tt.body, true)); got != again {
			t.Errorf("%s: %s, then %s", name, got, again)
		}
		if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "(upload of") {
			t.Errorf("%s is not kept, %v", name, err)
		}
	}
}

// TestUploadWithoutRoom: a body that can be had only once, and fits neither into memory nor on the
// disk, is an error that says so, and the cassette is as it was.
func TestUploadWithoutRoom(t *testing.T) {
	var asked atomic.Int32
	s := provider.Digests(t, &asked)
	file := filepath.Join(t.TempDir(), "a.yaml")
	must.Upload(t, file, promptecho.ModeAll, postUpload(t, s.URL, "text/plain", "hello", false))
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	none := filepath.Join(t.TempDir(), "none")
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, none)
	}
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNewEpisodes), promptecho.Alias(s.URL, "provider"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.Client().Do(postUpload(t, s.URL, "text/plain", strings.Repeat("x", 20<<20), true))
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	for _, want := range []string{"POST " + s.URL, "could not be put into a temporary file", none, "TMPDIR"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the answer is %s; want %s", text, want)
		}
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "TMPDIR") {
		t.Errorf("Close says %v", err)
	}
	if after, err := os.ReadFile(file); err != nil || !bytes.Equal(before, after) || asked.Load() != 1 {
		t.Errorf("%d requests, %v: the cassette is\n%s", asked.Load(), err, after)
	}
}

// TestEarlyAnswer: a server that answers before it has read a large body is recorded, too.
func TestEarlyAnswer(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	body := strings.Repeat("x", 12<<20)
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.OnRecordError(promptecho.Keep), promptecho.Alias(s.URL, "provider"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := rec.Client().Do(postUpload(t, s.URL+"/early", "application/octet-stream", body, true))
	if err != nil {
		_ = rec.Close()
		return // the connection broke first, as it may without a recorder
	}
	live, _ := io.ReadAll(resp.Body)
	resp.Body.Close()
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
	if got := must.Upload(t, file, promptecho.ModeNone, postUpload(t, s.URL+"/early", "application/octet-stream", body, true)); got != string(live) || resp.StatusCode != 413 {
		t.Errorf("status %d, %s; then %s", resp.StatusCode, live, got)
	}
}

// A stuckBody gives some of a body, and then an error.
type stuckBody struct {
	left   int
	stuck  func()
	closed chan struct{}
}

func (b *stuckBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		b.stuck()
		return 0, os.ErrClosed
	}
	b.left -= len(p)
	return len(p), nil
}

func (b *stuckBody) Close() error { close(b.closed); return nil }

// TestCanceledUpload: who gives up while a large body is sent gets the error of the context, the
// body is closed, and nothing is recorded.
func TestCanceledUpload(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Alias(s.URL, "provider"))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	body := &stuckBody{10 << 20, cancel, make(chan struct{})}
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL, body)
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength = 20 << 20
	if _, err := rec.Client().Do(req); err == nil {
		t.Error("no error")
	}
	<-body.closed
	_ = rec.Close()
	if _, err := os.Stat(file); err == nil {
		t.Error("it is recorded")
	}
}

// TestUploadGivenUp: what is given up while it is sent is recorded if the rest of it can be read, and given
// up in replay, with an error of the same kind.
func TestUploadGivenUp(t *testing.T) {
	t.Parallel()
	for _, exceeded := range []bool{false, true} {
		for _, size := range []int{1 << 20, 20 << 20} {
			var giveUp context.CancelFunc
			reads, over := make(chan bool), make(chan bool)
			s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
				_, _ = io.ReadFull(req.Body, make([]byte, 1000))
				close(reads)
				giveUp()
				<-over
			}))
			defer s.Close()
			file := filepath.Join(t.TempDir(), "a.yaml")
			for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
				rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Alias(s.URL, "provider"))
				if err != nil {
					t.Fatal(err)
				}
				var ctx context.Context = &lateDeadline{Context: t.Context(), done: make(chan struct{})}
				if giveUp = sync.OnceFunc(func() { close(ctx.(*lateDeadline).done) }); !exceeded {
					ctx, giveUp = context.WithCancel(t.Context())
				}
				req, err := http.NewRequestWithContext(ctx, "POST", s.URL, bytes.NewReader(make([]byte, size)))
				if err != nil {
					t.Fatal(err)
				}
				if mode == promptecho.ModeNone && !exceeded {
					go giveUp()
				}
				_, err = rec.Client().Do(req)
				giveUp()
				var failed *url.Error
				if !errors.As(err, &failed) || failed.Timeout() != exceeded || !exceeded && !errors.Is(err, context.Canceled) {
					t.Errorf("%d bytes, %s, exceeded: %t: %v", size, mode, exceeded, err)
				}
				if err := rec.Close(); err != nil {
					t.Errorf("%d bytes, %s, exceeded: %t: %v", size, mode, exceeded, err)
				}
			}
			<-reads
			close(over)
		}
	}
}

// A lateDeadline is a context whose deadline is exceeded when done is closed.
type lateDeadline struct {
	context.Context
	done chan struct{}
}

func (c *lateDeadline) Done() <-chan struct{} { return c.done }

func (c *lateDeadline) Err() error {
	select {
	case <-c.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// TestWrongLength: a body that is shorter or longer than its request says is refused as without a recorder. (The
// server may answer a long one that is too long before the client finds that out. On a busy machine, net/http tells at
// times that it closed the connection, and not why, with a recorder and without one: what counts is why.)
func TestWrongLength(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	for _, tt := range []struct{ size, more int }{{100, -1}, {100, 1}, {5 << 20, 1}} {
		var errs []string
		for _, client := range []*http.Client{http.DefaultClient, must.Open(t, filepath.Join(t.TempDir(), "a.yaml"), promptecho.InMode(promptecho.ModeAll)).Client()} {
			var said string
			for range 50 {
				req := postUpload(t, s.URL, "text/plain", strings.Repeat("a", tt.size), false)
				req.ContentLength += int64(tt.more)
				_, err := client.Do(req)
				if said = fmt.Sprint(err); !strings.Contains(said, "use of closed network connection") {
					break
				}
			}
			errs = append(errs, said)
		}
		if errs[0] != errs[1] || errs[0] == "<nil>" {
			t.Errorf("%d bytes and %+d: %q", tt.size, tt.more, errs)
		}
	}
}

// TestSecretBesideAnUpload: what is kept of a form is redacted, also of a large one.
func TestSecretBesideAnUpload(t *testing.T) {
	t.Parallel()
	const secret = "ghp_" + "Ab3dEf6hIj9lMn2pQr5tUv8xYz1bCd4fGh7j"
	s := provider.Digests(t, new(atomic.Int32))
	for _, size := range []int{10, uploads.Limit + 1, 10 << 20} {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.WriteField("note", "the key is "+secret)
		_ = form.WriteField("client_secret", "Tr0ub4dor&3")
		w, _ := form.CreateFormFile("file", "x.bin")
		_, _ = io.CopyN(w, provider.Zeros{}, int64(size))
		form.Close()
		file := filepath.Join(t.TempDir(), "a.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			if got := must.Upload(t, file, mode, postUpload(t, s.URL+"/form", form.FormDataContentType(), body.String(), true)); len(got) != 64 {
				t.Errorf("%d bytes, mode %s: %.300s", size, mode, got)
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), secret) || strings.Contains(string(text), "Tr0ub4dor") || !strings.Contains(string(text), "- client_secret: \"[REDACTED]\"") {
			t.Errorf("%d bytes: the cassette is\n%.2000s", size, text)
		}
	}
}

// A sender is an upstream that counts, or does what a test says.
type sender func(req *http.Request) (*http.Response, error)

func (s sender) RoundTrip(req *http.Request) (*http.Response, error) { return s(req) }

// TestSentWhileRead: where nothing is recorded, a large body is sent while it is read, and is
// recorded whole whatever becomes of that: the server answers before it has all of it and then takes
// the rest, it never takes the rest, the connection is refused, or the transport sends it again.
func TestSentWhileRead(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/flushes" {
			_ = http.NewResponseController(w).EnableFullDuplex()
			w.WriteHeader(http.StatusAccepted)
			w.(http.Flusher).Flush()
		}
		sum := sha256.New()
		_, _ = io.Copy(sum, req.Body)
		fmt.Fprintf(w, "%x", sum.Sum(nil))
	}))
	t.Cleanup(s.Close)
	body := strings.Repeat("0123456789abcdef", 1<<20)
	whole := fmt.Sprintf("%x", sha256.Sum256([]byte(body)))
	read := func(req *http.Request) string {
		sum := sha256.New()
		_, err := io.Copy(sum, req.Body)
		req.Body.Close()
		return fmt.Sprintf("%x %v", sum.Sum(nil), err)
	}
	answer := func(req *http.Request, text string) *http.Response {
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(text)), ContentLength: -1, Request: req}
	}
	refused := errors.New("refused")
	for _, tt := range []struct {
		name, path string
		upstream   http.RoundTripper
		want       string
	}{
		{"it answers first", "/flushes", nil, whole},
		{"it reads none of it", "/", sender(func(req *http.Request) (*http.Response, error) {
			req.Body.Close()
			return answer(req, "enough"), nil
		}), "enough"},
		{"it reads some of it, and no more", "/", sender(func(req *http.Request) (*http.Response, error) {
			_, _ = io.CopyN(io.Discard, req.Body, 5<<20)
			return answer(req, "enough"), nil
		}), "enough"},
		{"it is refused", "/", sender(func(req *http.Request) (*http.Response, error) {
			req.Body.Close()
			return nil, refused
		}), "refused"},
		{"it is sent again", "/", sender(func(req *http.Request) (*http.Response, error) {
			_, _ = io.CopyN(io.Discard, req.Body, 5<<20)
			req.Body.Close()
			if req.GetBody != nil {
				req.Body, _ = req.GetBody()
				return answer(req, read(req)), nil
			}
			return answer(req, whole+" <nil>"), nil
		}), whole + " <nil>"},
	} {
		for _, once := range []bool{false, true} {
			file := filepath.Join(t.TempDir(), "a.yaml")
			opts := []promptecho.Option{promptecho.OnRecordError(promptecho.Keep)}
			if tt.upstream != nil {
				opts = append(opts, promptecho.Upstream(tt.upstream))
			}
			for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
				if got := must.Upload(t, file, mode, postUpload(t, s.URL+tt.path, "application/octet-stream", body, once), opts...); !strings.Contains(got, tt.want) {
					t.Errorf("%s, once %v, mode %s: %.200s", tt.name, once, mode, got)
				}
			}
			if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), whole) {
				t.Errorf("%s, once %v: %v, the cassette is\n%s", tt.name, once, err, text)
			}
		}
	}
}

// TestUploadRedirected: a redirect that has the body sent again is recorded with both requests.
func TestUploadRedirected(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/from" {
			http.Redirect(w, req, "/to", http.StatusTemporaryRedirect)
			return
		}
		n, _ := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, n)
	}))
	t.Cleanup(s.Close)
	body, file := strings.Repeat("x", 9<<20), filepath.Join(t.TempDir(), "a.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		if got := must.Upload(t, file, mode, postUpload(t, s.URL+"/from", "application/octet-stream", body, false)); got != fmt.Sprint(len(body)) {
			t.Errorf("mode %s: %s", mode, got)
		}
	}
}

// TestUploadBreaksOff: a large body that cannot be read to its end is an error, and nothing is recorded.
func TestUploadBreaksOff(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeOnce), promptecho.OnRecordError(promptecho.Keep))
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("the disk is broken")
	body := io.MultiReader(io.LimitReader(provider.Zeros{}, 9<<20), iotest.ErrReader(broken))
	if _, err := rec.Client().Post(s.URL, "application/octet-stream", body); !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
	_ = rec.Close()
	if text, err := os.ReadFile(file); err == nil {
		t.Errorf("it is recorded:\n%s", text)
	}
}

// TestUploadInABubble: a large body is read within a bubble of testing/synctest, and sent outside of it.
func TestUploadInABubble(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n, err := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, n, err)
	}))
	t.Cleanup(s.Close)
	file, size := filepath.Join(t.TempDir(), "c.yaml"), 9<<20+1
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			r := must.Open(t, file, promptecho.InMode(mode))
			for _, body := range []io.Reader{bytes.NewReader(make([]byte, size)), io.LimitReader(new(provider.Zeros), int64(size))} {
				resp, err := r.Client().Post(s.URL, "application/octet-stream", body)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if want := fmt.Sprint(size, nil); err != nil || string(got) != want {
					t.Errorf("%s: %s (%v), want %s", mode, got, err, want)
				}
			}
			must.Close(t, r)
		})
	}
}
