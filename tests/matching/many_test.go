package matching_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Concurrent requests that differ in ignored fields each get their own answer, in every run.
func TestConcurrentRequestsGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	var requests []must.Request
	for i := range 5 {
		host := fmt.Sprintf("https://h%d.example", i)
		requests = append(requests,
			must.Chat(fmt.Sprintf(`,"seed":%d`, i)),
			request(host+"/v1/models"),
			listTools(host),
			request("https://files.example/x.bin", "Range", fmt.Sprintf("bytes=%d-%d", 10*i, 10*i+9)))
	}
	var answers []string
	for i := range requests {
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":%d}`, i))
	}
	file := must.RecordAnswers(t, answers, requests)
	for range full.Cases(20, 1000) {
		r := replay(t, file)
		var clients sync.WaitGroup
		for i, req := range requests {
			clients.Go(func() {
				if got := req.Ask(t, r); got != answers[i] {
					t.Errorf("%s %s %s got %s, want %s", req.URL, req.Body, req.Headers, got, answers[i])
				}
			})
		}
		clients.Wait()
		must.Close(t, r)
		if t.Failed() {
			return
		}
	}
}

// Among many APIs and goroutines, two equal requests get the two answers that were recorded for them.
func TestEqualRequestsAmongManyGetTheirTwoAnswers(t *testing.T) {
	t.Parallel()
	var requests []must.Request
	for _, variant := range variants {
		for i := range 4 {
			requests = append(requests, variant(i), variant(i))
		}
	}
	var answers []string
	for i := range requests {
		answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":"%d"}`, i))
	}
	file := must.RecordAnswers(t, answers, requests)
	for round := range full.Cases(2, 20) {
		r := replay(t, file)
		got := make([]string, len(requests))
		work := make(chan int)
		var workers sync.WaitGroup
		for range 64 {
			workers.Go(func() {
				for i := range work {
					got[i] = requests[i].Ask(t, r)
				}
			})
		}
		for _, i := range rand.New(rand.NewPCG(uint64(round), 1)).Perm(len(requests)) {
			work <- i
		}
		close(work)
		workers.Wait()
		for i := 0; i < len(requests); i += 2 {
			both := []string{got[i], got[i+1]}
			if !slices.Contains(both, answers[i]) || !slices.Contains(both, answers[i+1]) {
				t.Errorf("%s %s got %s, want %s and %s in some order",
					requests[i].URL, requests[i].Body, both, answers[i], answers[i+1])
			}
		}
		must.Close(t, r)
	}
}

// variants are requests to many APIs. Each has a field that is not compared, or one that is, in
// which its variants differ.
var variants = []func(i int) must.Request{
	func(i int) must.Request { return must.Chat(fmt.Sprintf(`,"temperature":%d`, i)) },
	func(i int) must.Request { return chatAt(fmt.Sprintf("https://h%d.example/v1/chat/completions", i)) },
	func(i int) must.Request {
		url := fmt.Sprintf("https://g.example/p%d/v1/chat/completions", i)
		return must.Request{URL: url, Body: must.Chat(`,"user":"g"`).Body}
	},
	func(i int) must.Request { return openAI("responses", `{"model":"m","input":"hi","top_p":%d}`, i) },
	func(i int) must.Request { return openAI("embeddings", `{"model":"m","input":"hi","user":"u%d"}`, i) },
	func(i int) must.Request { return openAI("completions", `{"model":"m","prompt":"hi","seed":%d}`, i) },
	func(i int) must.Request { return anthropic(fmt.Sprintf(`,"top_k":%d`, i)) },
	func(i int) must.Request {
		return anthropic(fmt.Sprintf(`,"metadata":{"user_id":"u%d"},"system":"x"`, i))
	},
	func(i int) must.Request { return anthropic(`,"system":"y"`, "Anthropic-Version", fmt.Sprint(i)) },
	func(i int) must.Request { return gemini(fmt.Sprintf("r%d.example", i), "") },
	func(i int) must.Request {
		return gemini("g.example", fmt.Sprintf(`,"generationConfig":{"seed":%d}`, i))
	},
	func(i int) must.Request {
		url := fmt.Sprintf("https://bedrock-runtime.r%d.amazonaws.com/model/m/converse", i)
		return must.Request{URL: url, Body: `{"messages":[]}`}
	},
	func(i int) must.Request {
		body := fmt.Sprintf(`{"model":"l","messages":[],"stream":false,"options":{"seed":%d}}`, i)
		return must.Request{URL: "https://ollama.example/api/chat", Body: body}
	},
	func(i int) must.Request {
		body := fmt.Sprintf(`{"model":"c","messages":[{"role":"user","content":"hi"}],"seed":%d}`, i)
		return must.Request{URL: "https://api.cohere.com/v2/chat", Body: body}
	},
	func(i int) must.Request {
		body := must.Chat(fmt.Sprintf(`,"random_seed":%d`, i)).Body
		return must.Request{URL: "https://api.mistral.ai/v1/chat/completions", Body: body}
	},
	func(i int) must.Request { return request(fmt.Sprintf("https://api.example/v1/things?n=%d", i)) },
	func(i int) must.Request { return request(fmt.Sprintf("https://s%d.example/v1/things", i)) },
	func(i int) must.Request { return listTools(fmt.Sprintf("https://s%d.example", i)) },
	func(i int) must.Request {
		call := fmt.Sprintf(`"id":1,"method":"tools/call","params":{"n":%d}`, i)
		return must.RPC("https://s.example/mcp", call)
	},
	func(i int) must.Request {
		language := []string{"de", "en", "fr", "es"}[i]
		return request("https://s.example/doc", "Accept-Language", language)
	},
}

// openAI returns a request to an endpoint of OpenAI, in whose body a number is inserted.
func openAI(endpoint, format string, number int) must.Request {
	return must.Request{URL: "https://api.openai.com/v1/" + endpoint, Body: fmt.Sprintf(format, number)}
}

// anthropic returns a request for a message, with further members and headers.
func anthropic(members string, headers ...string) must.Request {
	return must.Request{
		URL:     "https://api.anthropic.com/v1/messages",
		Body:    `{"model":"c","max_tokens":9,"messages":[{"role":"user","content":"hi"}]` + members + `}`,
		Headers: headers,
	}
}

// gemini returns a request for content, with further members.
func gemini(host, members string) must.Request {
	return must.Request{
		URL:  "https://" + host + "/v1beta/models/g:generateContent",
		Body: `{"contents":[{"parts":[{"text":"hi"}]}]` + members + `}`,
	}
}

// The cost of a request whose seed is not recorded does not grow with the number of recordings.
//
//	go test -run '^$' -bench UnrecordedSeed ./tests/matching
func BenchmarkUnrecordedSeed(b *testing.B) {
	withSeed := func(seed int) must.Request { return must.Chat(fmt.Sprintf(`,"seed":%d`, seed)) }
	for _, recordings := range []int{30, 300, 3000} {
		b.Run(fmt.Sprint(recordings), func(b *testing.B) {
			var requests []must.Request
			var answers []string
			for seed := range recordings {
				requests = append(requests, withSeed(seed))
				answers = append(answers, fmt.Sprint(seed))
			}
			file := must.RecordAnswers(b, answers, requests)
			asked := recordings
			var r *promptecho.Recorder
			for b.Loop() {
				if asked == recordings { // neither opening nor the first request is measured
					b.StopTimer()
					if r != nil {
						r.Close()
					}
					r = replay(b, file, promptecho.AllowUnused())
					withSeed(-1).Ask(b, r)
					asked = 1
					b.StartTimer()
				}
				asked++
				withSeed(recordings+asked).Ask(b, r)
			}
		})
	}
}
