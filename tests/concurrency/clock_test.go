package concurrency_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// attempts sends requests until one is answered with 200, n times at most, as an SDK does that
// sends one request again. It returns the statuses.
func attempts(t *testing.T, client *http.Client, url string, n int, header ...string) (statuses []int) {
	req, err := http.NewRequest("POST", url, strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		for j := 0; j < len(header); j += 2 {
			req.Header.Set(header[j], strings.ReplaceAll(header[j+1], "N", fmt.Sprint(i+1)))
		}
		if strings.Contains(req.UserAgent(), "aws") {
			req = req.Clone(req.Context())
		}
		req.Body, _ = req.GetBody()
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		resp.Body.Close()
		if statuses = append(statuses, resp.StatusCode); resp.StatusCode == 200 {
			break
		}
	}
	return statuses
}

// An SDK that waits between its attempts whatever an answer says gets what ended its call at
// once. A program that tries again by itself, and any other SDK, meets the failures, and so does
// everybody if none of the attempts succeeded or the replay has a pace.
func TestResent(t *testing.T) {
	t.Parallel()
	genai := []string{"User-Agent", "google-genai-sdk/1.77.0 gl-go/go1.26"}
	awsSDK := []string{"User-Agent", "aws-sdk-go-v2/1.47.8", "Amz-Sdk-Request", "attempt=N; max=3"}
	for _, tt := range []struct {
		name     string
		header   []string
		failures int
		calls    int // of this many attempts together three
		pace     float64
		want     []int
	}{
		{"genai", genai, 2, 1, 0, []int{200}},
		{"aws", awsSDK, 2, 1, 0, []int{200}},
		{"cohere", []string{"User-Agent", "github.com/cohere-ai/cohere-go/2.16.0"}, 1, 1, 0, []int{200}},
		{"with a pace", genai, 2, 1, 1, []int{503, 503, 200}},
		{"genai in a loop of the program", genai, 2, 3, 0, []int{503, 503, 200}},
		{"another SDK", []string{"User-Agent", "OpenAI/Go 3.96.0"}, 2, 1, 0, []int{503, 503, 200}},
		{"nobody in particular", nil, 2, 1, 0, []int{503, 503, 200}},
		{"all fail", genai, 3, 1, 0, []int{503, 503, 503}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			failures := tt.failures
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if failures--; failures >= 0 {
					w.WriteHeader(503)
				}
			}))
			file := filepath.Join(t.TempDir(), "c.yaml")
			run := func(mode promptecho.Mode) (statuses []int, notes string) {
				r := must.Open(t, file, promptecho.InMode(mode), promptecho.OnRecordError(promptecho.Keep), promptecho.Pace(tt.pace), promptecho.Log(func(text string) { notes += text + "\n" }))
				for range tt.calls {
					statuses = append(statuses, attempts(t, r.Client(), s.URL, 3/tt.calls, tt.header...)...)
				}
				if err := r.Close(); err != nil {
					t.Errorf("mode %s: %v", mode, err)
				}
				return statuses, notes
			}
			run(promptecho.ModeAll)
			s.Close()
			for range 2 {
				got, notes := run(promptecho.ModeNone)
				if !slices.Equal(got, tt.want) {
					t.Errorf("replayed %v, want %v", got, tt.want)
				}
				if named := strings.Contains(notes, "left out the recorded status 503"); named != (len(got) == 1) {
					t.Errorf("notes:\n%s", notes)
				}
			}
		})
	}
}

// A client that was not told to try again at once, and gave up before it did, is not told so in
// replay, where it would find nothing recorded.
func TestNowOnlyIfItGoesOn(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "retry: 3000\ndata: 1\n\n")
	}))
	defer s.Close()
	for _, times := range []int{1, 3} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode))
			for i := range times {
				resp, err := r.Client().Get(s.URL)
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				want := "retry: 3000\ndata: 1\n\n"
				if mode == promptecho.ModeNone && i < times-1 {
					want = "retry:00001\ndata: 1\n\n"
				}
				if string(body) != want || err != nil {
					t.Errorf("%s, %d of %d: %q, %v, want %q", mode, i+1, times, body, err, want)
				}
			}
			must.Close(t, r)
		}
	}
}

// A failure after which the client goes on with another temperature is told as it was: the request that
// looks like a retry is another one.
func TestNowOnlyIfTheSameIsAskedAgain(t *testing.T) {
	t.Parallel()
	failing := provider.Func(func(req *http.Request) (*http.Response, error) {
		body, _ := io.ReadAll(req.Body)
		resp := &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader("{}")), Request: req}
		if strings.Contains(string(body), "0.1") {
			resp.StatusCode = 429
			resp.Header.Set("Retry-After", "60")
		}
		return resp, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(failing), promptecho.OnRecordError(promptecho.Keep))
		for _, temperature := range []string{"0.1", "0.5"} {
			resp, err := r.Client().Post(must.ChatURL, "application/json", strings.NewReader(`{"model":"m","temperature":`+temperature+`,"messages":[{"role":"user","content":"hi"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if got, want := resp.Header.Get("Retry-After"), map[string]string{"0.1": "60"}[temperature]; got != want {
				t.Errorf("%v, temperature %s: Retry-After %q, want %q", mode, temperature, got, want)
			}
		}
		must.Close(t, r)
	}
}
