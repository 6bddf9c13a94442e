package large_test

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// BenchmarkHugeCassette opens a cassette of 200 MB, 20,000 interactions of 10 KB,
// replays one and closes. It reports the heap that is live meanwhile.
//
//	go test -run '^$' -bench HugeCassette -benchtime 1x ./tests/large
func BenchmarkHugeCassette(b *testing.B) {
	file := filepath.Join(b.TempDir(), "c.yaml")
	var f cassette.File
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 220)
	for i := range 20_000 {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Kind:     "llm",
			Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(fmt.Sprint(i)))},
			Response: interaction.Response{Status: 200, Body: []byte(fmt.Sprintf(`{"answer":"%d %s"}`, i, filling))},
		})
	}
	if err := rewrite.Save(file, must.Seal(&f)); err != nil {
		b.Fatal(err)
	}
	f = cassette.File{}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	for b.Loop() {
		r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if err != nil {
			b.Fatal(err)
		}
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("19999")))
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp, err)
		}
		resp.Body.Close()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-live")
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkMiss asks for what is not recorded and reports it, cold: the cassette
// is opened anew each time, outside of the measurement but for "open too".
//
//	go test -run '^$' -bench Miss ./tests/large
func BenchmarkMiss(b *testing.B) {
	words := strings.Repeat("All work and no play makes Jack a dull boy. ", 1<<20/44+1)
	for _, tt := range []struct {
		name       string
		recordings int
		bytes      int
		open       bool
	}{
		{"1000 of 10 KB", 1000, 10 << 10, false}, {"1000 of 10 KB, open too", 1000, 10 << 10, true},
		{"2000 of 10 KB", 2000, 10 << 10, false}, {"10 of 1 MB", 10, 1 << 20, false},
	} {
		b.Run(tt.name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "c.yaml")
			var f cassette.File
			for i := range tt.recordings {
				f.Interactions = append(f.Interactions, &interaction.Interaction{
					Kind:     "llm",
					Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(fmt.Sprint(i, " ", words[:tt.bytes])))},
					Response: interaction.Response{Status: 200, Body: []byte(`{"ok":true}`)},
				})
			}
			if err := rewrite.Save(file, must.Seal(&f)); err != nil {
				b.Fatal(err)
			}
			asked := must.ChatBody(fmt.Sprint(tt.recordings/2, " ", words[:tt.bytes/2], "NEW ", words[tt.bytes/2:tt.bytes]))
			for b.Loop() {
				b.StopTimer()
				if tt.open {
					b.StartTimer()
				}
				r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(asked))
				if err != nil || resp.StatusCode != http.StatusTeapot {
					b.Fatal(resp, err)
				}
				if err := r.Close(); err == nil || !strings.Contains(err.Error(), "NEW") {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkFreshCredentials records calls with a credential that is new with each of
// them, as AWS's signatures and short-lived tokens are: what a call costs must not grow
// with their number.
//
//	go test -run '^$' -bench FreshCredentials -benchtime 3x ./tests/large
func BenchmarkFreshCredentials(b *testing.B) {
	text := strings.Repeat("All work and no play makes Jack a dull boy. ", 100)
	for _, kind := range []string{"none", "bearer", "SigV4", "cookie"} {
		for _, n := range []int{100, 400, 1600} {
			b.Run(fmt.Sprintf("%s/%d calls", kind, n), func(b *testing.B) {
				for b.Loop() {
					r, err := promptecho.Open(filepath.Join(b.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"text":"`+text+`"}`)))
					if err != nil {
						b.Fatal(err)
					}
					for i := range n {
						var headers []string
						switch drawn := fmt.Sprintf("%064x", uint64(i+1)*0x9e3779b97f4a7c15); kind {
						case "bearer":
							headers = []string{"Authorization", "Bearer Zk3vQ9pXw7RtLm2NcY8b" + drawn}
						case "SigV4":
							headers = []string{"Authorization", "AWS4-HMAC-SHA256 Credential=AKIDNOTREALNOTREAL/20261122/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=" + drawn}
						case "cookie":
							headers = []string{"Cookie", "__cf_bm=" + drawn}
						}
						must.Post(b, r, "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", fmt.Sprintf(`{"messages":[{"role":"user","content":[{"text":"question %d %s"}]}]}`, i, text), headers...)
					}
					if err := r.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*n), "µs/call")
			})
		}
	}
}

// BenchmarkStreamSearch records a stream of 200 events, with nothing to look for in the
// texts they make, with a known value, and with a pattern of the user's.
//
//	go test -run '^$' -bench StreamSearch ./tests/large
func BenchmarkStreamSearch(b *testing.B) {
	var body strings.Builder
	for i := range 200 {
		fmt.Fprintf(&body, "data: {\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\" word%d\"}}]}\n\n", i)
	}
	body.WriteString("data: [DONE]\n\n")
	up := provider.Func(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}, Body: io.NopCloser(strings.NewReader(body.String())), ContentLength: -1}, nil
	})
	for name, opts := range map[string][]promptecho.Option{"nothing": nil, "known": nil, "Redact": {promptecho.Redact(`[a-z]+@home\.example`)}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				r, err := promptecho.Open(filepath.Join(b.TempDir(), "c.yaml"), append(opts, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(up))...)
				if err != nil {
					b.Fatal(err)
				}
				var headers []string
				if name == "known" {
					headers = []string{"Authorization", "Bearer Zk3vQ9pXw7RtLm2NcY8b"}
				}
				must.Post(b, r, "https://api.openai.com/v1/chat/completions", `{"model":"m","stream":true,"messages":[]}`, headers...)
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkTypicalTest opens a cassette of five interactions, replays them and
// closes: a request of 1 KB and an answer of 1 KB, or a stream of 200 events.
//
//	go test -run '^$' -bench TypicalTest ./tests/large
func BenchmarkTypicalTest(b *testing.B) {
	text := strings.Repeat("All work and no play makes Jack a dull boy. ", 22)
	for _, stream := range []bool{false, true} {
		name := map[bool]string{false: "plain", true: "stream"}[stream]
		b.Run(name, func(b *testing.B) {
			file := filepath.Join(b.TempDir(), "c.yaml")
			var f cassette.File
			for i := range 5 {
				it := &interaction.Interaction{
					Kind:     "llm",
					Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(fmt.Sprint(i, " ", text)))},
					Response: interaction.Response{Status: 200, Body: []byte(`{"text":"` + text + `"}`)},
				}
				if stream {
					it.Response.Body, it.Response.Stream = nil, "sse"
					for range 200 {
						it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: `{"id":"chatcmpl-1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":" word"}}]}`}})
					}
				}
				f.Interactions = append(f.Interactions, it)
			}
			if err := rewrite.Save(file, must.Seal(&f)); err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				r, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
				if err != nil {
					b.Fatal(err)
				}
				for i := range 5 {
					resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody(fmt.Sprint(i, " ", text))))
					if err != nil || resp.StatusCode != http.StatusOK {
						b.Fatal(resp, err)
					}
					must.ReadToEnd(resp.Body)
					resp.Body.Close()
				}
				if err := r.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
