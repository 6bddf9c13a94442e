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
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// BenchmarkHugeCassette opens a cassette of 200 MB, 20,000 interactions of 10 KB,
// replays one and closes. It reports the heap that is live meanwhile.
//
//	go test -run '^$' -bench HugeCassette -benchtime 1x ./tests/large
func BenchmarkHugeCassette(b *testing.B) {
	file := saveHuge(b, 20_000)
	runtime.GC() // what was needed to save it
	for b.Loop() {
		rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		if err != nil {
			b.Fatal(err)
		}
		if status := post(b, rec, must.ChatBody("19999")); status != http.StatusOK {
			b.Fatal(status)
		}
		b.ReportMetric(float64(heapNow())/1e6, "MB-live")
		if err := rec.Close(); err != nil {
			b.Fatal(err)
		}
	}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
}

// saveHuge saves a cassette of n recordings of 10 KB each, for the prompts "0" and so on.
func saveHuge(b *testing.B, n int) (file string) {
	b.Helper()
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 220)
	var chats []string
	for i := range n {
		chats = append(chats, fmt.Sprint(i), fmt.Sprintf(`{"answer":"%d %s"}`, i, filling))
	}
	return must.Save(b, must.Chats(chats...))
}

// post asks for a chat completion, reads the answer and returns its status.
func post(b *testing.B, rec *promptecho.Recorder, body string) (status int) {
	b.Helper()
	resp, err := rec.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if err := must.ReadToEnd(resp.Body); err != nil {
		b.Fatal(err)
	}
	return resp.StatusCode
}

// BenchmarkMiss asks for what is not recorded and reports it, cold: the cassette
// is opened anew each time, outside of the measurement but for "open too".
//
//	go test -run '^$' -bench Miss ./tests/large
func BenchmarkMiss(b *testing.B) {
	words := strings.Repeat("All work and no play makes Jack a dull boy. ", 1<<20/44+1)
	for _, tt := range []struct {
		name           string
		recordings     int
		size           int // of a prompt, in bytes
		isOpenMeasured bool
	}{
		{name: "1000 of 10 KB", recordings: 1000, size: 10 << 10},
		{name: "1000 of 10 KB, open too", recordings: 1000, size: 10 << 10, isOpenMeasured: true},
		{name: "2000 of 10 KB", recordings: 2000, size: 10 << 10},
		{name: "10 of 1 MB", recordings: 10, size: 1 << 20},
	} {
		b.Run(tt.name, func(b *testing.B) {
			file := saveSimilar(b, tt.recordings, words[:tt.size])
			half := tt.size / 2
			prompt := fmt.Sprint(tt.recordings/2, " ", words[:half], "NEW ", words[half:tt.size])
			asked := must.ChatBody(prompt)
			for b.Loop() {
				if !tt.isOpenMeasured {
					b.StopTimer()
				}
				rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if status := post(b, rec, asked); status != http.StatusTeapot {
					b.Fatal(status)
				}
				if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "NEW") {
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
	for _, credential := range []string{"none", "bearer", "SigV4", "cookie"} {
		for _, calls := range []int{100, 400, 1600} {
			b.Run(fmt.Sprintf("%s/%d calls", credential, calls), func(b *testing.B) {
				for b.Loop() {
					file := filepath.Join(b.TempDir(), "c.yaml")
					live := promptecho.Upstream(provider.Says(`{"text":"` + text + `"}`))
					rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), live)
					if err != nil {
						b.Fatal(err)
					}
					for i := range calls {
						const url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse"
						const format = `{"messages":[{"role":"user","content":[{"text":"question %d %s"}]}]}`
						must.Post(b, rec, url, fmt.Sprintf(format, i, text), freshCredential(credential, i)...)
					}
					if err := rec.Close(); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*calls), "µs/call")
			})
		}
	}
}

// freshCredential returns the header with the i-th credential of a kind: its name and its value.
func freshCredential(kind string, i int) []string {
	drawn := fmt.Sprintf("%064x", uint64(i+1)*0x9e3779b97f4a7c15)
	switch kind {
	case "bearer":
		return []string{"Authorization", "Bearer Zk3vQ9pXw7RtLm2NcY8b" + drawn}
	case "SigV4":
		signed := "AWS4-HMAC-SHA256 Credential=AKIDNOTREALNOTREAL/20261122/us-east-1/bedrock/aws4_request, " +
			"SignedHeaders=host, Signature="
		return []string{"Authorization", signed + drawn}
	case "cookie":
		return []string{"Cookie", "__cf_bm=" + drawn}
	}
	return nil
}

// BenchmarkStreamSearch records a stream of 200 events, with nothing to look for in the
// texts they make, with a known value, and with a pattern of the user's.
//
//	go test -run '^$' -bench StreamSearch ./tests/large
func BenchmarkStreamSearch(b *testing.B) {
	var stream strings.Builder
	for i := range 200 {
		const format = `{"id":"chatcmpl-1","choices":[{"index":0,"delta":{"content":" word%d"}}]}`
		fmt.Fprintf(&stream, "data: "+format+"\n\n", i)
	}
	stream.WriteString("data: [DONE]\n\n")
	live := promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode:    http.StatusOK,
			Header:        http.Header{"Content-Type": {"text/event-stream"}},
			Body:          io.NopCloser(strings.NewReader(stream.String())),
			ContentLength: -1,
		}, nil
	}))
	for _, tt := range []struct {
		name    string
		options []promptecho.Option
		headers []string
	}{
		{name: "nothing"},
		{name: "known", headers: []string{"Authorization", "Bearer Zk3vQ9pXw7RtLm2NcY8b"}},
		{name: "Redact", options: []promptecho.Option{promptecho.Redact(`[a-z]+@home\.example`)}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			options := append(tt.options, promptecho.InMode(promptecho.ModeAll), live)
			for b.Loop() {
				rec, err := promptecho.Open(filepath.Join(b.TempDir(), "c.yaml"), options...)
				if err != nil {
					b.Fatal(err)
				}
				must.Post(b, rec, must.ChatURL, `{"model":"m","stream":true,"messages":[]}`, tt.headers...)
				if err := rec.Close(); err != nil {
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
	for _, tt := range []struct {
		name     string
		isStream bool
	}{
		{name: "plain"},
		{name: "stream", isStream: true},
	} {
		b.Run(tt.name, func(b *testing.B) {
			file, prompts := saveTypical(b, tt.isStream)
			b.ReportAllocs()
			for b.Loop() {
				rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
				if err != nil {
					b.Fatal(err)
				}
				for _, prompt := range prompts {
					if status := post(b, rec, must.ChatBody(prompt)); status != http.StatusOK {
						b.Fatal(status)
					}
				}
				if err := rec.Close(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// saveTypical saves a cassette of five recordings, and returns their prompts.
func saveTypical(b *testing.B, isStream bool) (file string, prompts []string) {
	b.Helper()
	text := strings.Repeat("All work and no play makes Jack a dull boy. ", 22)
	var chats []string
	for i := range 5 {
		prompts = append(prompts, fmt.Sprint(i, " ", text))
		chats = append(chats, prompts[i], `{"text":"`+text+`"}`)
	}
	f := must.Chats(chats...)
	if !isStream {
		return must.Save(b, f), prompts
	}
	const chunk = `{"id":"chatcmpl-1","object":"chat.completion.chunk",` +
		`"choices":[{"index":0,"delta":{"content":" word"}}]}`
	for _, it := range f.Interactions {
		it.Response.Body, it.Response.Stream = nil, "sse"
		for range 200 {
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: chunk}})
		}
	}
	return must.Save(b, f), prompts
}
