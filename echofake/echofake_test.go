package echofake_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// The turns of a script answer the requests in order.
func TestTurnsAnswerInOrder(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.ToolCall("get_weather", `{"city":"Paris"}`),
		echofake.Text("It is sunny in Paris."),
	)
	first := chat(t, p.Client(), "Weather?", weatherTool)
	if !strings.Contains(first.body, `"name": "get_weather"`) || !strings.Contains(first.body, `call_fake_1_1`) {
		t.Errorf("the first answer: %s", first.body)
	}
	second := chat(t, p.Client(), "Weather?", weatherTool)
	if !strings.Contains(second.body, "It is sunny in Paris.") {
		t.Errorf("the second answer: %s", second.body)
	}
	if got := second.Header.Get("X-Promptecho-Provider"); got != "fake" {
		t.Errorf("the header that says it is a fake: %q", got)
	}
}

// One script answers each API in its own format.
func TestScriptAnswersEachAPI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, body, want string }{
		{"chat", chatURL, chatBody("hi"), `"content": "Bonjour."`},
		{"responses", "https://api.openai.com/v1/responses", `{"model":"m","input":"hi"}`, `"text": "Bonjour."`},
		{"anthropic", "https://api.anthropic.com/v1/messages",
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`, `{"type":"text","text":"Bonjour."}`},
		{"gemini", "https://generativelanguage.googleapis.com/v1beta/models/m:generateContent",
			`{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`, `"text": "Bonjour."`},
		{"bedrock", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse",
			`{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`, `[{"text":"Bonjour."}]`},
		{"ollama", "http://localhost:11434/api/chat",
			`{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}`, `"content":"Bonjour."`},
		{"cohere", "https://api.cohere.com/v2/chat",
			`{"model":"m","messages":[{"role":"user","content":"hi"}]}`, `"text":"Bonjour."`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := echofake.New(t, echofake.Text("Bonjour."))
			got := post(t, p.Client(), tt.url, tt.body)
			if got.StatusCode != http.StatusOK || !strings.Contains(got.body, tt.want) {
				t.Errorf("got %d %s\nwant %s", got.StatusCode, got.body, tt.want)
			}
			r := p.Requests()[0]
			if r.Last().Text != "hi" || r.Last().Role != "user" {
				t.Errorf("the request was read as %+v", r)
			}
		})
	}
}

// Each piece of a text is an event of the stream.
func TestPiecesAreEvents(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("one, ", "two"))
	got := chat(t, p.Client(), "Count.", `"stream":true`)
	var pieces []string
	for line := range strings.Lines(got.body) {
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		data, ok := strings.CutPrefix(line, "data: {")
		if ok && json.Unmarshal([]byte("{"+data), &chunk) == nil && chunk.Choices[0].Delta.Content != "" {
			pieces = append(pieces, chunk.Choices[0].Delta.Content)
		}
	}
	if want := []string{"one, ", "two"}; fmt.Sprint(pieces) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", pieces, want)
	}
}

// Agents that run at once each get the turns whose conditions they meet.
func TestConditionsTellAgentsApart(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.When(echofake.User("red"), echofake.Text("red 1"), echofake.Text("red 2")),
		echofake.When(echofake.User("blue"), echofake.Text("blue 1"), echofake.Text("blue 2")),
		echofake.Text("anything else").Always(),
	)
	var agents sync.WaitGroup
	for _, colour := range []string{"red", "blue"} {
		agents.Go(func() {
			for i := 1; i <= 2; i++ {
				want := fmt.Sprintf("%s %d", colour, i)
				if got := chat(t, p.Client(), "Be "+colour); !strings.Contains(got.body, want) {
					t.Errorf("want %q, got %s", want, got.body)
				}
			}
		})
	}
	agents.Wait()
	for range 3 {
		if got := chat(t, p.Client(), "Be green"); !strings.Contains(got.body, "anything else") {
			t.Errorf("an optional turn: %s", got.body)
		}
	}
}

// An error has the status, the body and the headers of the provider, and a retry takes the next turn.
func TestErrorIsTheProvidersOwn(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.Error(429).Times(2),
		echofake.Error(503, "down for tea").RetryAfter(1500*time.Millisecond),
		echofake.Text("ok"),
	)
	for range 2 {
		got := chat(t, p.Client(), "hi")
		if got.StatusCode != 429 || !strings.Contains(got.body, "rate_limit_exceeded") || got.Header.Get("Retry-After") != "0" {
			t.Errorf("got %d %v %s", got.StatusCode, got.Header, got.body)
		}
	}
	got := chat(t, p.Client(), "hi")
	if got.StatusCode != 503 || !strings.Contains(got.body, "down for tea") || got.Header.Get("Retry-After") != "2" ||
		got.Header.Get("Retry-After-Ms") != "1500" {
		t.Errorf("got %d %v %s", got.StatusCode, got.Header, got.body)
	}
	if got := chat(t, p.Client(), "hi"); !strings.Contains(got.body, `"ok"`) {
		t.Errorf("got %s", got.body)
	}
}

// The same script gives the same bytes in each run, also if requests come in another order.
func TestAnswersAreDeterministic(t *testing.T) {
	t.Parallel()
	answer := func(order ...string) map[string]string {
		p := echofake.New(t,
			echofake.ToolCall("get_weather", nil).Unchecked().When(echofake.User("a")),
			echofake.Text("b").When(echofake.User("b")),
		)
		got := map[string]string{}
		for _, text := range order {
			got[text] = chat(t, p.Client(), text).body
		}
		return got
	}
	if first, second := answer("a", "b"), answer("b", "a"); fmt.Sprint(first) != fmt.Sprint(second) {
		t.Errorf("got\n%s\nand\n%s", first, second)
	}
}

// A function answers by what it was asked.
func TestFuncAnswersByTheRequest(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Func(func(r *promptecho.Request) echofake.Turn {
		return echofake.Text("You said " + r.Last().Text)
	}).Times(2))
	for _, text := range []string{"one", "two"} {
		if got := chat(t, p.Client(), text); !strings.Contains(got.body, "You said "+text) {
			t.Errorf("got %s", got.body)
		}
	}
}

// A handler answers byte for byte, as a turn and for other endpoints.
func TestHandlerAnswersByteForByte(t *testing.T) {
	t.Parallel()
	say := func(text string) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, text)
		})
	}
	p := echofake.New(t, echofake.Handler(say(": a comment\n\n")))
	p.Handle("GET /v1/models", say("models"))
	if got := chat(t, p.Client(), "hi"); got.body != ": a comment\n\n" || got.Header.Get("Content-Type") != "text/event-stream" {
		t.Errorf("got %v %q", got.Header, got.body)
	}
	resp, err := p.Client().Get("https://api.openai.com/v1/models")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("got %s", resp.Status)
	}
}

// A turn of Handler answers an unknown endpoint, and one that is unchecked answers a wrong request.
func TestUncheckedTurnsAnswerWrongRequests(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.Handler(http.NotFoundHandler()),
		echofake.Text("fine").Unchecked(),
		echofake.Error(400, "no JSON").Unchecked(),
	)
	if got := post(t, p.Client(), "https://example.com/v1/other", "{}"); got.StatusCode != http.StatusNotFound {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	if got := chat(t, p.Client(), "hi", `"temprature":1`); !strings.Contains(got.body, `"fine"`) {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
	if got := post(t, p.Client(), chatURL, "{"); got.StatusCode != 400 || !strings.Contains(got.body, "no JSON") {
		t.Errorf("got %d %s", got.StatusCode, got.body)
	}
}

// A test lets the events of a stream come one by one.
func TestHeldStreamComesEventByEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		p := echofake.New(t, echofake.Text("a", "b").After(time.Hour).Hold(gate))
		read := make(chan int)
		go func() {
			resp, err := p.Client().Post(chatURL, "application/json",
				strings.NewReader(chatBody("hi", `"stream":true`)))
			if err != nil {
				t.Error(err)
				close(read)
				return
			}
			defer resp.Body.Close()
			buffer := make([]byte, 1<<16)
			for {
				n, err := resp.Body.Read(buffer)
				if err != nil {
					close(read)
					return
				}
				read <- n
			}
		}()
		<-read
		synctest.Wait()
		select {
		case <-read:
			t.Error("the second event came before the gate was opened")
		default:
		}
		events := 1
		close(gate)
		for range read {
			events++
		}
		if events < 4 {
			t.Errorf("%d events came", events)
		}
	})
}

// A canceled request that waits returns the error of its context.
func TestCanceledRequestReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := echofake.New(t, echofake.Text("late").After(time.Hour))
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, chatURL, strings.NewReader(chatBody("hi")))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if _, err := p.Client().Do(req); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("got %v after %v", err, time.Since(start))
		}
	})
}

// Turns that a test adds follow those that are there.
func TestAddedTurnsFollow(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("one"))
	chat(t, p.Client(), "hi")
	p.Add(echofake.Text("two"))
	if got := chat(t, p.Client(), "hi"); !strings.Contains(got.body, `"two"`) {
		t.Errorf("got %s", got.body)
	}
}

// Embeddings are the vectors of the script, and others are made from the words.
func TestEmbeddings(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Embedding([]float32{0.5, -1}), echofake.Embedding())
	const url = "https://api.openai.com/v1/embeddings"
	first := post(t, p.Client(), url, `{"model":"text-embedding-3-small","input":"a cat","encoding_format":"float"}`)
	var list struct {
		Data []struct{ Embedding []float32 }
	}
	if err := json.Unmarshal([]byte(first.body), &list); err != nil || fmt.Sprint(list.Data[0].Embedding) != "[0.5 -1]" {
		t.Errorf("got %v, %s", err, first.body)
	}
	second := post(t, p.Client(), url, `{"model":"text-embedding-3-small","input":["a cat","a dog"],"dimensions":4,"encoding_format":"float"}`)
	if err := json.Unmarshal([]byte(second.body), &list); err != nil || len(list.Data) != 2 || len(list.Data[1].Embedding) != 4 {
		t.Errorf("got %v, %s", err, second.body)
	}
}

// A member that only one API has is in the response, and one that cannot be there fails the test.
func TestSetPutsAMemberIntoTheResponse(t *testing.T) {
	t.Parallel()
	turn := echofake.Text("hi").Set("service_tier", "flex").Set("usage/cost", 0.5)
	for _, more := range []string{`"stream":false`, `"stream":true,"stream_options":{"include_usage":true}`} {
		p := echofake.New(t, turn)
		got := chat(t, p.Client(), "hi", more)
		if !strings.Contains(got.body, `"service_tier":"flex"`) || !strings.Contains(got.body, `"cost":0.5`) {
			t.Errorf("with %s got %s", more, got.body)
		}
	}
	errors := errorsOf([]echofake.Step{echofake.Text("hi").Set("choices/3/x", 1)}, func(p *echofake.Provider) {
		chat(t, p.Client(), "hi")
	})
	if !strings.Contains(errors, `Set("choices/3/x"): the list has no element 3`) {
		t.Errorf("the report: %s", errors)
	}
	errors = errorsOf([]echofake.Step{echofake.Text("hi").Set("x", func() {})}, func(*echofake.Provider) {})
	if !strings.Contains(errors, "unsupported type") {
		t.Errorf("the report: %s", errors)
	}
}

// Comments come before the first event of a stream, in the order of the script.
func TestCommentsComeBeforeTheStream(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("hi").Comment("one").Comment("two"))
	got := chat(t, p.Client(), "hi", `"stream":true`)
	if !strings.HasPrefix(got.body, ": one\n\n: two\n\ndata: ") {
		t.Errorf("got %s", got.body)
	}
}

// A script tells streams from other requests.
func TestStreamedTellsStreamsApart(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.Text("a title").When(echofake.Not(echofake.Streamed)).Always(),
		echofake.Text("an answer"),
	)
	for range 2 {
		if got := chat(t, p.Client(), "hi"); !strings.Contains(got.body, "a title") {
			t.Errorf("got %s", got.body)
		}
	}
	if got := chat(t, p.Client(), "hi", `"stream":true`); !strings.Contains(got.body, "answer") {
		t.Errorf("got %s", got.body)
	}
}

// A request says of each API whether it asks for a stream.
func TestRequestsSayWhetherTheyStream(t *testing.T) {
	t.Parallel()
	const (
		gemini  = "https://generativelanguage.googleapis.com/v1beta/models/m:"
		bedrock = "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/"
	)
	contents := `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`
	blocks := `{"messages":[{"role":"user","content":[{"text":"hi"}]}]}`
	for _, tt := range []struct {
		url, body string
		want      bool
	}{
		{chatURL, chatBody("hi"), false},
		{chatURL, chatBody("hi", `"stream":true`), true},
		{"https://api.openai.com/v1/responses", `{"model":"m","input":"hi","stream":true}`, true},
		{"https://api.anthropic.com/v1/messages",
			`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}`, true},
		{gemini + "generateContent", contents, false},
		{gemini + "streamGenerateContent", contents, true},
		{bedrock + "converse", blocks, false},
		{bedrock + "converse-stream", blocks, true},
		{"http://localhost:11434/api/chat", `{"model":"m","messages":[{"role":"user","content":"hi"}]}`, true},
	} {
		p := echofake.New(t, echofake.Text("hi"))
		post(t, p.Client(), tt.url, tt.body)
		if got := p.Requests()[0].Stream; got != tt.want {
			t.Errorf("%s %s: got %v, want %v", tt.url, tt.body, got, tt.want)
		}
	}
}
