package echofault

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
)

// FailFirst gives what the provider's SDKs read as a failure, at once.
func TestFailFirst(t *testing.T) {
	t.Parallel()
	const message = "failure 1 of 1 by echofault.FailFirst"
	ask := `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"hi"}]}`
	for _, tt := range []struct {
		name, url, ask string
		status         int
		want           string // the body
		header         string // X-Amzn-Errortype
	}{
		{"OpenAI, too many", openai, ask, 429, `{"error":{"code":"rate_limit_exceeded","message":"MSG","param":null,"type":"requests"}}`, ""},
		{"OpenAI, refused", openai, ask, 401, `{"error":{"code":"invalid_api_key","message":"MSG","param":null,"type":"invalid_request_error"}}`, ""},
		{"OpenAI, a status of no name", openai, ask, 502, `{"error":{"code":null,"message":"MSG","param":null,"type":"server_error"}}`, ""},
		{"OpenAI, overloaded", openai, ask, 529, `{"error":{"code":null,"message":"MSG","param":null,"type":"server_error"}}`, ""},
		{"Anthropic, overloaded", anthropic, ask, 529, `{"error":{"message":"MSG","type":"overloaded_error"},"type":"error"}`, ""},
		{"Anthropic, a status of no name", anthropic, ask, 422, `{"error":{"message":"MSG","type":"invalid_request_error"},"type":"error"}`, ""},
		{"Gemini", "https://h/v1beta/models/m:generateContent", `{"contents":[]}`, 503, `{"error":{"code":503,"message":"MSG","status":"UNAVAILABLE"}}`, ""},
		{"Bedrock", "https://h/model/m/converse", `{"messages":[]}`, 429, `{"message":"MSG"}`, "ThrottlingException"},
		{"Anthropic's model on Bedrock", "https://h/model/anthropic.m/invoke-with-response-stream", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":1,"messages":[]}`, 500, `{"message":"MSG"}`, "InternalServerException"},
		{"Cohere", "https://h/v2/chat", `{"model":"m","messages":[]}`, 500, `{"message":"MSG"}`, ""},
		{"Ollama", "https://h/api/chat", `{"model":"m","messages":[]}`, 500, `{"error":"MSG"}`, ""},
		{"another server", other, "{}", 404, `{"error":{"code":null,"message":"MSG","param":null,"type":"invalid_request_error"}}`, ""},
	} {
		next := new(answers)
		resp, err := New(t, next, FailFirst(1, tt.status)).Client().Post(tt.url, "application/json", strings.NewReader(tt.ask))
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if want := strings.ReplaceAll(tt.want, "MSG", message); err != nil || string(body) != want || !json.Valid(body) || resp.ContentLength != int64(len(want)) {
			t.Errorf("%s: %s, %v, of length %d, want %s", tt.name, body, err, resp.ContentLength, want)
		}
		if h := resp.Header; resp.StatusCode != tt.status || h.Get("Content-Type") != "application/json" || h.Get("Retry-After") != "0" || h.Get("X-Amzn-Errortype") != tt.header {
			t.Errorf("%s: status %d, %v", tt.name, resp.StatusCode, h)
		}
		if len(next.requests) > 0 {
			t.Errorf("%s: sent on is %q", tt.name, next.requests)
		}
	}
}

// slowly asks what slow.yaml holds: a stream whose headers took 500 ms, its first event
// 2 s more, and most others 300 ms each.
func slowly(ctx context.Context, client *http.Client) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, "POST", openai,
		strings.NewReader(`{"model":"gpt-5.4-mini","stream":true,"messages":[{"role":"user","content":"Think it over."}]}`))
	if err != nil {
		return nil, err
	}
	return client.Do(req)
}

// slow opens a recorder on a copy of slow.yaml, since a cassette has one recorder.
func slow(t *testing.T, opts ...promptecho.Option) *promptecho.Recorder {
	t.Helper()
	data, err := os.ReadFile("../testdata/cassettes/slow.yaml")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return open(t, file, promptecho.ModeNone, opts...)
}

// Slow delays the first answer, with or without the recorded delays, and not the second one.
func TestSlow(t *testing.T) {
	t.Parallel()
	for pace, recorded := range map[float64]time.Duration{0: 0, 1: 2500 * time.Millisecond, 2: 5 * time.Second} {
		synctest.Test(t, func(t *testing.T) {
			rec := slow(t, promptecho.Pace(pace), promptecho.AllowRepeats())
			client := New(t, rec, Slow(7*time.Second)).Client()
			for i, want := range []time.Duration{7*time.Second + recorded, recorded} {
				began := time.Now()
				resp, err := slowly(t.Context(), client)
				if err != nil {
					t.Fatal(err)
				}
				if line, err := bufio.NewReader(resp.Body).ReadString('\n'); err != nil || !strings.HasPrefix(line, "data: ") {
					t.Errorf("%q, %v", line, err)
				}
				if took := time.Since(began); took != want {
					t.Errorf("pace %v, answer %d: the first event took %v, want %v", pace, i, took, want)
				}
				resp.Body.Close()
			}
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestSlowGivenUp: a caller that gives up gets the error of its context in time, and
// leaves the recording to the next one.
func TestSlowGivenUp(t *testing.T) {
	t.Parallel()
	why := errors.New("the user pressed stop")
	for _, tt := range []struct {
		name string
		give func(context.Context) (context.Context, context.CancelFunc)
		want error
	}{
		{"a deadline", func(ctx context.Context) (context.Context, context.CancelFunc) {
			return context.WithTimeout(ctx, 2*time.Second)
		}, context.DeadlineExceeded},
		{"a stop button", func(ctx context.Context) (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancelCause(ctx)
			time.AfterFunc(2*time.Second, func() { cancel(why) })
			return ctx, func() { cancel(nil) }
		}, why},
	} {
		synctest.Test(t, func(t *testing.T) {
			rec := slow(t)
			tr := New(t, rec, Slow(time.Hour))
			ctx, cancel := tt.give(t.Context())
			defer cancel()
			began := time.Now()
			if _, err := slowly(ctx, tr.Client()); !errors.Is(err, tt.want) || time.Since(began) != 2*time.Second {
				t.Errorf("%s: %v after %v, want %v after 2s", tt.name, err, time.Since(began), tt.want)
			}
			if _, err := slowly(ctx, tr.Client()); !errors.Is(err, tt.want) {
				t.Errorf("%s: a request of a context that is over: %v", tt.name, err)
			}
			resp, err := slowly(t.Context(), tr.Client())
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			if err := rec.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// The client's own timeout ends the wait, too.
func TestSlowClientTimeout(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		client := New(t, new(answers), Slow(time.Hour)).Client()
		client.Timeout = 3 * time.Second
		began := time.Now()
		if _, err := client.Get("http://h/"); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != 3*time.Second {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestPacedCut: the events before a cut take the time that they took, and the break comes
// at once behind them. (500 ms to the headers, then 2 s, 0.3 s and 0.3 s.)
func TestPacedCut(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		rec := slow(t, promptecho.Pace(1))
		began := time.Now()
		resp, err := slowly(t.Context(), New(t, rec, Cut(3)).Client())
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if took := time.Since(began); err != io.ErrUnexpectedEOF || strings.Count(string(body), "data: ") != 3 || took != 3100*time.Millisecond {
			t.Errorf("%d events and %v after %v, want 3 and a break after 3.1s", strings.Count(string(body), "data: "), err, took)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
}
