package uploads_test

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A large upload reaches the server as it is in each mode that sends it, and only there.
func TestLargeUploadIsSentAsItIs(t *testing.T) {
	t.Parallel()
	forEachLargeUpload(t, func(t *testing.T, u largeUpload) {
		var asked atomic.Int32
		s := provider.Digests(t, &asked)
		content := wav(u.size)
		want := sha256Of(u.body(content))
		recorded := filepath.Join(t.TempDir(), "a.yaml")
		for _, run := range []struct {
			name  string
			file  string
			mode  promptecho.Mode
			opts  []promptecho.Option
			sends int32
		}{
			{name: "mode all", file: recorded, mode: promptecho.ModeAll, sends: 1},
			{name: "mode update, recorded", file: recorded, mode: promptecho.ModeUpdate, sends: 0},
			{name: "mode live", file: filepath.Join(t.TempDir(), "b.yaml"), mode: promptecho.ModeLive, sends: 1},
			{
				name:  "mode all with KeepUploads",
				file:  filepath.Join(t.TempDir(), "c.yaml"),
				mode:  promptecho.ModeAll,
				opts:  []promptecho.Option{promptecho.KeepUploads()},
				sends: 1,
			},
		} {
			if run.opts != nil && u.size != limit+4 {
				continue // to keep a large upload whole takes long
			}
			before := asked.Load()
			if got := u.send(t, s.URL, run.file, run.mode, content, run.opts...); got != want {
				t.Errorf("%s: the server got %s, want %s", run.name, got, want)
			}
			if n := asked.Load() - before; n != run.sends {
				t.Errorf("%s: the server was asked %d times, want %d", run.name, n, run.sends)
			}
		}
	})
}

// A large upload is recorded whole and replayed, whatever the server and the transport do with it.
func TestLargeUploadIsRecordedWhateverTheServerDoes(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("0123456789abcdef", 1<<20)
	digest := sha256Of(body)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		// The headers of the answer are sent before the body is read.
		_ = http.NewResponseController(w).EnableFullDuplex()
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		text, _ := digestOf(req.Body)
		fmt.Fprint(w, text)
	}))
	t.Cleanup(s.Close)
	for _, tt := range []struct {
		name     string
		upstream http.RoundTripper
		want     string // in the answer or the error
	}{
		{name: "it answers first, and then reads", upstream: http.DefaultTransport, want: digest},
		{
			name: "it reads nothing",
			upstream: provider.Func(func(req *http.Request) (*http.Response, error) {
				req.Body.Close()
				return answer(req, "enough"), nil
			}),
			want: "enough",
		},
		{
			name: "it reads a part",
			upstream: provider.Func(func(req *http.Request) (*http.Response, error) {
				_, _ = io.CopyN(io.Discard, req.Body, 5<<20)
				return answer(req, "enough"), nil
			}),
			want: "enough",
		},
		{
			name: "the connection is refused",
			upstream: provider.Func(func(req *http.Request) (*http.Response, error) {
				req.Body.Close()
				return nil, errors.New("refused")
			}),
			want: "refused",
		},
		{
			name: "the transport sends it again after a part, if it can",
			upstream: provider.Func(func(req *http.Request) (*http.Response, error) {
				_, _ = io.CopyN(io.Discard, req.Body, 5<<20)
				req.Body.Close()
				if req.GetBody == nil {
					return answer(req, digest), nil
				}
				again, err := req.GetBody()
				if err != nil {
					return nil, err
				}
				defer again.Close()
				text, err := digestOf(again)
				return answer(req, text), err
			}),
			want: digest,
		},
	} {
		for name, newRequest := range map[string]func(*testing.T, string, string, string) *http.Request{
			"":                           upload,
			", a body that is read once": uploadOnce,
		} {
			t.Run(tt.name+name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "a.yaml")
				opts := []promptecho.Option{
					promptecho.OnRecordError(promptecho.Keep),
					promptecho.Upstream(tt.upstream),
				}
				for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
					req := newRequest(t, s.URL, "application/octet-stream", body)
					if got := must.Upload(t, file, mode, req, opts...); !strings.Contains(got, tt.want) {
						t.Errorf("mode %s: %.200s, want %s", mode, got, tt.want)
					}
				}
				if text := must.Read(t, file); !strings.Contains(text, digest) {
					t.Errorf("the cassette has not the whole upload:\n%s", text)
				}
			})
		}
	}
}

// digestOf reads a body to its end, and returns its SHA-256.
func digestOf(body io.Reader) (string, error) {
	sum := sha256.New()
	_, err := io.Copy(sum, body)
	return fmt.Sprintf("%x", sum.Sum(nil)), err
}

// answer returns an answer with a text.
func answer(req *http.Request, text string) *http.Response {
	return &http.Response{
		StatusCode:    200,
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{},
		Body:          io.NopCloser(strings.NewReader(text)),
		ContentLength: -1,
		Request:       req,
	}
}

// The answer of a server that answers before it has read a large upload is recorded.
func TestAnswerBeforeTheUploadIsReadIsRecorded(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	file := filepath.Join(t.TempDir(), "a.yaml")
	tooLarge := func() *http.Request {
		return uploadOnce(t, s.URL+"/early", "application/octet-stream", strings.Repeat("x", 12<<20))
	}
	rec := must.Open(t, file,
		promptecho.InMode(promptecho.ModeAll),
		promptecho.OnRecordError(promptecho.Keep),
		promptecho.Alias(s.URL, "provider"),
	)
	resp, err := rec.Client().Do(tooLarge())
	if err != nil {
		return // the connection broke first, as it may without a recorder
	}
	live, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	must.Close(t, rec)
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("status %d", resp.StatusCode)
	}
	if got := must.Upload(t, file, promptecho.ModeNone, tooLarge()); got != string(live) {
		t.Errorf("%s, then %s", live, got)
	}
}

// A redirect that has a large upload sent again is recorded and replayed with both requests.
func TestRedirectedUploadIsReplayed(t *testing.T) {
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
	body := strings.Repeat("x", 9<<20)
	file := filepath.Join(t.TempDir(), "a.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeOnce, promptecho.ModeNone} {
		req := upload(t, s.URL+"/from", "application/octet-stream", body)
		if got := must.Upload(t, file, mode, req); got != fmt.Sprint(len(body)) {
			t.Errorf("mode %s: %s", mode, got)
		}
	}
}

// A large upload can be recorded and replayed in a bubble of testing/synctest.
func TestLargeUploadInABubble(t *testing.T) {
	t.Parallel()
	const size = 9<<20 + 1
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		n, err := io.Copy(io.Discard, req.Body)
		fmt.Fprint(w, n, err)
	}))
	t.Cleanup(s.Close)
	want := fmt.Sprint(size, nil)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.InMode(mode))
			for _, body := range []io.Reader{
				bytes.NewReader(make([]byte, size)),
				io.LimitReader(provider.Zeros{}, size), // can be read once
			} {
				resp, err := rec.Client().Post(s.URL, "application/octet-stream", body)
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || string(got) != want {
					t.Errorf("%s: %s (%v), want %s", mode, got, err, want)
				}
			}
			must.Close(t, rec)
		})
	}
}

// A body that is shorter or longer than its Content-Length is refused as without a recorder.
// net/http may find out that a long body is too long after the server has answered. On a busy machine,
// it says at times only that it closed the connection, with a recorder and without one.
func TestBodyOfAWrongLengthIsRefusedAsWithoutARecorder(t *testing.T) {
	t.Parallel()
	s := provider.Digests(t, new(atomic.Int32))
	for _, tt := range []struct {
		name       string
		size, said int
	}{
		{name: "a byte is missing", size: 100, said: 99},
		{name: "a byte too many is announced", size: 100, said: 101},
		{name: "a byte too many is announced of a large body", size: 5 << 20, said: 5<<20 + 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refusal := func(client *http.Client) (text string) {
				for range 50 {
					req := upload(t, s.URL, "text/plain", strings.Repeat("a", tt.size))
					req.ContentLength = int64(tt.said)
					resp, err := client.Do(req)
					if err == nil {
						resp.Body.Close()
						return ""
					}
					text = err.Error()
					if !strings.Contains(text, "use of closed network connection") {
						break
					}
				}
				return text
			}
			rec := must.Open(t, filepath.Join(t.TempDir(), "a.yaml"), promptecho.InMode(promptecho.ModeAll))
			with, without := refusal(rec.Client()), refusal(http.DefaultClient)
			if with != without || with == "" {
				t.Errorf("the error is %q with a recorder, and %q without one", with, without)
			}
		})
	}
}
