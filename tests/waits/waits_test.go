package waits_test

import (
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An SDK that ignores what answers say about waiting gets the final answer at its first attempt.
//
// The failures before it are left out, and a note names them. They are replayed to a program that
// tries again by itself, to any other SDK, if no attempt succeeded, and with Pace.
func TestRetriesOfSomeSDKsAreLeftOut(t *testing.T) {
	t.Parallel()
	genai := client{userAgent: "google-genai-sdk/1.77.0 gl-go/go1.26"}
	aws := client{userAgent: "aws-sdk-go-v2/1.47.8", numbersAttempts: true, clones: true}
	cohere := client{userAgent: "github.com/cohere-ai/cohere-go/2.16.0"}
	openai := client{userAgent: "OpenAI/Go 3.96.0"}
	tests := []struct {
		name     string
		client   client
		failures int // before the first success
		calls    int // of the SDK; together they make three attempts
		pace     float64
		want     []int // the statuses that the client sees in replay
	}{
		{name: "genai", client: genai, failures: 2, calls: 1, want: []int{200}},
		{name: "aws", client: aws, failures: 2, calls: 1, want: []int{200}},
		{name: "cohere", client: cohere, failures: 1, calls: 1, want: []int{200}},
		{name: "genai with a pace", client: genai, failures: 2, calls: 1, pace: 1, want: []int{503, 503, 200}},
		{name: "genai in a loop of the program", client: genai, failures: 2, calls: 3, want: []int{503, 503, 200}},
		{name: "another SDK", client: openai, failures: 2, calls: 1, want: []int{503, 503, 200}},
		{name: "no SDK", client: client{}, failures: 2, calls: 1, want: []int{503, 503, 200}},
		{name: "every attempt of genai fails", client: genai, failures: 3, calls: 1, want: []int{503, 503, 503}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			statuses := append(slices.Repeat([]int{503}, tt.failures), 200)
			upstream := promptecho.Upstream(provider.Statuses("", statuses...))
			run := func(mode promptecho.Mode) (seen []int, notes string) {
				log := promptecho.Log(func(note string) { notes += note + "\n" })
				rec := must.Open(t, file,
					promptecho.InMode(mode), upstream, promptecho.OnRecordError(promptecho.Keep),
					promptecho.Pace(tt.pace), log)
				for range tt.calls {
					seen = append(seen, tt.client.call(t, rec, 3/tt.calls)...)
				}
				must.Close(t, rec)
				return seen, notes
			}
			run(promptecho.ModeAll)
			for range 2 {
				got, notes := run(promptecho.ModeNone)
				if !slices.Equal(got, tt.want) {
					t.Errorf("replayed %v, want %v", got, tt.want)
				}
				isLeftOut := len(tt.want) == 1
				if isNoted := strings.Contains(notes, "left out the recorded status 503"); isNoted != isLeftOut {
					t.Errorf("notes:\n%s", notes)
				}
			}
		})
	}
}

// A client of a provider, as an SDK is.
type client struct {
	userAgent       string
	numbersAttempts bool // in a header
	clones          bool // the request, for each attempt
}

// call sends one request until its status is 200, at most so many times. It returns the statuses.
func (c client) call(t *testing.T, rec *promptecho.Recorder, attempts int) (statuses []int) {
	t.Helper()
	req := must.NewRequest(t, t.Context(), "POST", "https://api.example/v1/ask", "{}")
	if c.userAgent != "" {
		req.Header.Set("User-Agent", c.userAgent)
	}
	for attempt := 1; attempt <= attempts; attempt++ {
		if c.numbersAttempts {
			req.Header.Set("Amz-Sdk-Request", "attempt="+strconv.Itoa(attempt)+"; max=3")
		}
		if c.clones {
			req = req.Clone(req.Context())
		}
		req.Body, _ = req.GetBody()
		resp, err := rec.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = must.ReadToEnd(resp.Body)
		resp.Body.Close()
		statuses = append(statuses, resp.StatusCode)
		if resp.StatusCode == http.StatusOK {
			break
		}
	}
	return statuses
}

// A stream tells its client to reconnect at once, unless the client did not reconnect in the recording.
//
// A client that is told so would find nothing recorded.
func TestStreamSaysReconnectAtOnceIfItsClientDid(t *testing.T) {
	t.Parallel()
	const (
		recorded = "retry: 3000\ndata: 1\n\n"
		atOnce   = "retry:00001\ndata: 1\n\n"
	)
	tests := []struct {
		name string
		want []string // of one connection after the other
	}{
		{"the client does not reconnect", []string{recorded}},
		{"the client reconnects twice", []string{atOnce, atOnce, recorded}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			upstream := provider.Func(func(*http.Request) (*http.Response, error) {
				return provider.EventStream(io.NopCloser(strings.NewReader(recorded))), nil
			})
			connect := func(rec *promptecho.Recorder, want string) {
				req := must.NewRequest(t, t.Context(), "GET", "https://mcp.example/mcp", "")
				got, err := must.Fetch(rec.Client(), req)
				if got != want || err != nil {
					t.Errorf("%q, %v, want %q", got, err, want)
				}
			}

			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
			for range tt.want {
				connect(rec, recorded)
			}
			must.Close(t, rec)

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for _, want := range tt.want {
				connect(rec, want)
			}
			must.Close(t, rec)
		})
	}
}

// A failure says "try again now" only if the client sent the same request again.
//
// Here it goes on with another temperature, which looks like a retry.
func TestFailureBeforeAnotherRequestKeepsItsRetryAfter(t *testing.T) {
	t.Parallel()
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		body, err := io.ReadAll(req.Body)
		if err != nil {
			return nil, err
		}
		if !strings.Contains(string(body), `"temperature":0.1`) {
			return provider.Says("{}").RoundTrip(req)
		}
		resp, err := provider.Statuses("{}", http.StatusTooManyRequests).RoundTrip(req)
		resp.Header.Set("Retry-After", "60")
		return resp, err
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.Upstream(upstream),
			promptecho.OnRecordError(promptecho.Keep))
		retryAfter := func(temperature string) string {
			body := must.Chat(`,"temperature":` + temperature).Body
			resp, err := rec.Client().Post(must.ChatURL, "application/json", strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			return resp.Header.Get("Retry-After")
		}
		if got := retryAfter("0.1"); got != "60" {
			t.Errorf("mode %s: the failure has Retry-After %q, want 60", mode, got)
		}
		if got := retryAfter("0.5"); got != "" {
			t.Errorf("mode %s: the success has Retry-After %q", mode, got)
		}
		must.Close(t, rec)
	}
}
