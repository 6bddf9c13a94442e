package exchange

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// What tells a client how long to wait is played as what this client takes for no time, and
// nothing else is changed; with a pace, nothing is.
func TestAtOnce(t *testing.T) {
	t.Parallel()
	const sse = "text/event-stream"
	for _, tt := range []struct {
		name     string
		asks     []string // a header of the request and its value
		status   int
		recorded []string // a header, its value, ...
		stream   string
		body     string
		want     []string // headers that are others than recorded
		wantBody string   // if it is another than recorded
		last     bool     // the recording does not go on
		begins   bool     // a POST
	}{
		{name: "nobody in particular", status: 503},
		{name: "nobody in particular, a recorded delay", status: 503, recorded: []string{"Retry-After", "20"}, want: []string{"Retry-After", "0"}},
		{name: "a date", status: 429, recorded: []string{"Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"}, want: []string{"Retry-After", "0"}},
		{name: "openai-go", asks: []string{"X-Stainless-Lang", "go"}, status: 503, want: []string{"Retry-After", "0", "Retry-After-Ms", "1"}},
		{name: "openai-go, a success", asks: []string{"X-Stainless-Lang", "go"}, status: 200},
		{name: "openai-go, no failure to try again", asks: []string{"X-Stainless-Lang", "go"}, status: 400},
		{name: "openai-go, told to try again", asks: []string{"X-Stainless-Lang", "go"}, status: 400, recorded: []string{"X-Should-Retry", "true"}, want: []string{"Retry-After", "0", "Retry-After-Ms", "1"}},
		{name: "openai-go, milliseconds", asks: []string{"X-Stainless-Lang", "go"}, status: 408, recorded: []string{"Retry-After-Ms", "700"}, want: []string{"Retry-After", "0", "Retry-After-Ms", "1"}},
		{name: "openai in Python", asks: []string{"X-Stainless-Lang", "python"}, status: 409, want: []string{"Retry-After", "0", "Retry-After-Ms", "1"}},
		{name: "fantasy's retry of openai-go's answer, whose Retry-After of 0 is none to it", asks: []string{"X-Stainless-Lang", "go"}, status: 429, recorded: []string{"Retry-After", "1"}, want: []string{"Retry-After", "0", "Retry-After-Ms", "1"}},
		{name: "a poll", asks: []string{"X-Stainless-Poll-Helper", "true"}, status: 200, want: []string{"Openai-Poll-After-Ms", "1"}},
		{name: "a poll, a recorded interval", asks: []string{"X-Stainless-Poll-Helper", "true"}, status: 200, recorded: []string{"Openai-Poll-After-Ms", "500"}, want: []string{"Openai-Poll-After-Ms", "1"}},
		{name: "azcore, a poll", asks: []string{"User-Agent", "azsdk-go-azopenai/v1 (go1.26)"}, status: 202, recorded: []string{"Retry-After", "2"}, want: []string{"Retry-After", "0", "X-Ms-Retry-After-Ms", "1"}},
		{name: "aws", asks: []string{"User-Agent", "aws-sdk-go-v2/1.47"}, status: 503, recorded: []string{"X-Amz-Retry-After", "90"}, want: []string{"X-Amz-Retry-After", "0"}},
		{name: "openai-go, the last of what is recorded", asks: []string{"X-Stainless-Lang", "go"}, status: 503, last: true},
		{name: "the last of what is recorded, with a delay: who waited was stopped meanwhile", status: 429, recorded: []string{"Retry-After", "20"}, last: true},
		{name: "a poll that is the last, with a delay", status: 202, recorded: []string{"Retry-After", "20"}, last: true},
		{name: "what is polled elsewhere", begins: true, status: 202, recorded: []string{"Retry-After", "20", "Operation-Location", "http://h/jobs/1"}, want: []string{"Retry-After", "0"}},
		{name: "what is polled elsewhere, and was not", begins: true, last: true, status: 202, recorded: []string{"Retry-After", "20", "Operation-Location", "http://h/jobs/1"}},
		{name: "what is polled at a place that only the body names", begins: true, last: true, status: 202, recorded: []string{"Retry-After", "20"}, want: []string{"Retry-After", "0"}},
		{name: "a POST that is refused, with a delay", begins: true, last: true, status: 403, recorded: []string{"Retry-After", "20"}},
		{name: "a stream that is the last", status: 200, recorded: []string{"Content-Type", sse}, stream: "sse", body: "retry: 3000\ndata: a\n\n", last: true},
		{name: "mcp, the last", asks: []string{"Mcp-Session-Id", "s"}, status: 200, recorded: []string{"Content-Type", sse}, stream: "sse", body: "data: a\n\n", last: true},
		{name: "google", asks: []string{"X-Goog-Api-Client", "gl-go/1.26"}, status: 429, body: `{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo", "retryDelay" : "34.07s"}]}`,
			wantBody: `{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo", "retryDelay" : "0s"}]}`},
		{name: "google, a success", asks: []string{"X-Goog-Api-Client", "gl-go/1.26"}, status: 200, body: `{"retryDelay":"34s"}`},
		{name: "a stream", status: 200, recorded: []string{"Content-Type", sse}, stream: "sse", body: "retry: 3000\nid: 1\ndata: retry: 5\n\nretry:7\r\ndata: b\n\n",
			wantBody: "retry:00001\nid: 1\ndata: retry: 5\n\nretry:1\r\ndata: b\n\n"},
		{name: "a stream that says nothing", status: 200, recorded: []string{"Content-Type", sse}, stream: "sse", body: "data: a\n\n"},
		{name: "mcp", asks: []string{"Mcp-Session-Id", "s"}, status: 200, recorded: []string{"Content-Type", sse}, stream: "sse", body: "id: 1\ndata: a\n\ndata: b\n\n", wantBody: "retry: 1\nid: 1\ndata: a\n\ndata: b\n\n"},
		{name: "mcp, no event", asks: []string{"Mcp-Protocol-Version", "v"}, status: 200, recorded: []string{"Content-Type", sse}, wantBody: "retry: 1\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method := http.MethodGet
			if tt.begins {
				method = http.MethodPost
			}
			req, err := http.NewRequest(method, "http://h/", nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(tt.asks); i += 2 {
				req.Header.Set(tt.asks[i], tt.asks[i+1])
			}
			shared := []byte(tt.body)
			for _, pace := range []float64{0, 1, 0} {
				rec := &Playable{Response: interaction.Response{Status: tt.status, Stream: tt.stream, Body: shared}, IsRetried: func() bool { return !tt.last }}
				want := http.Header{}
				for i := 0; i < len(tt.recorded); i += 2 {
					rec.Headers = append(rec.Headers, interaction.Header{Name: strings.ToLower(tt.recorded[i]), Values: []string{tt.recorded[i+1]}})
					want.Set(tt.recorded[i], tt.recorded[i+1])
				}
				if tt.stream != "" {
					for end := range len(tt.body) {
						if strings.HasSuffix(tt.body[:end+1], "\n\n") {
							rec.Ends = append(rec.Ends, end+1)
						}
					}
				}
				wantBody := tt.body
				if pace == 0 {
					for i := 0; i < len(tt.want); i += 2 {
						want.Set(tt.want[i], tt.want[i+1])
					}
					if tt.wantBody != "" {
						wantBody = tt.wantBody
					}
				}
				resp, err := (&Player{Pace: pace, Pending: new(Pending), HasLater: func(string, *http.Request) bool { return !tt.last }}).Play(req, rec)
				if err != nil {
					t.Fatal(err)
				}
				var pieces []string
				for piece := make([]byte, 1000); ; {
					n, err := resp.Body.Read(piece)
					if n > 0 {
						pieces = append(pieces, string(piece[:n]))
					}
					if err == io.EOF {
						break
					}
				}
				if got := strings.Join(pieces, ""); got != wantBody {
					t.Errorf("pace %v: %q, want %q", pace, got, wantBody)
				}
				if wantPieces := strings.Count(tt.body, "\n\n"); tt.stream != "" && (len(pieces) != wantPieces || !strings.HasSuffix(pieces[0], "\n\n")) {
					t.Errorf("pace %v: it comes in %q", pace, pieces)
				}
				delete(resp.Header, "Content-Length")
				if got := headerText(resp.Header); got != headerText(want) {
					t.Errorf("pace %v:\n%swant\n%s", pace, got, headerText(want))
				}
			}
			if string(shared) != tt.body {
				t.Errorf("the recording is %q now, and was %q", shared, tt.body)
			}
		})
	}
}

func headerText(h http.Header) string {
	var text strings.Builder
	_ = h.Write(&text)
	return text.String()
}
