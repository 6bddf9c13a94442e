package fakewires

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	neturl "net/url"
	"reflect"
	"strings"
	"testing"

	cohere "github.com/cohere-ai/cohere-go/v2"
	coclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// googleAnswer is what an SDK decodes of an answer.
type googleAnswer struct {
	Reasoning string
	Text      string
	Pieces    []string // of the text in a stream
	Calls     []fakeprovider.Call
	Finish    string
	Usage     fakeprovider.Usage
	Media     *fakeprovider.Media
}

// googleClient is an SDK at one endpoint.
type googleClient struct {
	plain    func(t *testing.T, url string) (googleAnswer, error)
	stream   func(t *testing.T, url string) (googleAnswer, error)
	finishes map[string]string

	// lost takes away what the endpoint has no place for.
	lost func(want *googleAnswer)
}

var googleClients = map[string]googleClient{
	"gemini": {
		plain: func(t *testing.T, url string) (googleAnswer, error) {
			return askGemini(t, geminiClient(t, url))
		},
		stream: func(t *testing.T, url string) (googleAnswer, error) {
			return streamGemini(t, geminiClient(t, url))
		},
		finishes: geminiFinishes,
		lost:     func(*googleAnswer) {},
	},
	"vertex": {
		plain: func(t *testing.T, url string) (googleAnswer, error) {
			return askGemini(t, vertexClient(t, url))
		},
		stream: func(t *testing.T, url string) (googleAnswer, error) {
			return streamGemini(t, vertexClient(t, url))
		},
		finishes: geminiFinishes,
		lost:     func(*googleAnswer) {},
	},
	"ollama chat": {
		plain: func(t *testing.T, url string) (googleAnswer, error) {
			return ollamaChat(t, url, new(bool))
		},
		stream: func(t *testing.T, url string) (googleAnswer, error) {
			return ollamaChat(t, url, nil)
		},
		finishes: ollamaFinishes,
		lost:     lostByOllama,
	},
	"ollama generate": {
		plain: func(t *testing.T, url string) (googleAnswer, error) {
			return ollamaGenerate(t, url, new(bool))
		},
		stream: func(t *testing.T, url string) (googleAnswer, error) {
			return ollamaGenerate(t, url, nil)
		},
		finishes: ollamaFinishes,
		lost:     lostByOllama,
	},
	"cohere": {
		plain:  cohereChat,
		stream: cohereChatStream,
		finishes: map[string]string{
			fakeprovider.FinishStop:     "COMPLETE",
			fakeprovider.FinishLength:   "MAX_TOKENS",
			fakeprovider.FinishSequence: "STOP_SEQUENCE",
			fakeprovider.FinishCalls:    "TOOL_CALL",
			fakeprovider.FinishFilter:   "ERROR",
			fakeprovider.FinishRefusal:  "COMPLETE",
		},
		lost: lostByOllama,
	},
	"cohere version 1": {
		plain:  cohereChatV1,
		stream: cohereChatStreamV1,
		finishes: map[string]string{
			fakeprovider.FinishStop:     "COMPLETE",
			fakeprovider.FinishLength:   "MAX_TOKENS",
			fakeprovider.FinishSequence: "STOP_SEQUENCE",
			fakeprovider.FinishCalls:    "COMPLETE",
			fakeprovider.FinishFilter:   "ERROR_TOXIC",
			fakeprovider.FinishRefusal:  "COMPLETE",
		},
		lost: func(want *googleAnswer) {
			lostByOllama(want)
			want.Reasoning = ""
			for i := range want.Calls {
				want.Calls[i].ID = ""
			}
		},
	},
}

var geminiFinishes = map[string]string{
	fakeprovider.FinishStop:     "STOP",
	fakeprovider.FinishLength:   "MAX_TOKENS",
	fakeprovider.FinishSequence: "STOP",
	fakeprovider.FinishCalls:    "STOP",
	fakeprovider.FinishFilter:   "SAFETY",
	fakeprovider.FinishRefusal:  "SAFETY",
}

var ollamaFinishes = map[string]string{
	fakeprovider.FinishStop:     "stop",
	fakeprovider.FinishLength:   "length",
	fakeprovider.FinishSequence: "stop",
	fakeprovider.FinishCalls:    "stop",
	fakeprovider.FinishFilter:   "stop",
	fakeprovider.FinishRefusal:  "stop",
}

// lostByOllama takes away what Ollama and Cohere's SDK have no field for.
func lostByOllama(want *googleAnswer) {
	want.Media = nil
	want.Usage.Cached = 0
	want.Usage.Reasoning = 0
}

var googleUsage = fakeprovider.Usage{Input: 100, Output: 30, Reasoning: 20, Cached: 40}

// googleReplies is one reply of each kind.
var googleReplies = map[string]fakeprovider.Reply{
	"text": {Text: "Hello there, \"friend\".\nBye."},
	"pieces": {
		Pieces: []string{"Hel", "lo <b>", " wörld", "\n", "😀 data: {}"},
	},
	"reasoning":       {Reasoning: "The user greets me.", Text: "Hello"},
	"reasoning alone": {Reasoning: "Hm, nothing to say."},
	"reasoning with a call": {
		Reasoning: "I look it up.",
		Calls:     []fakeprovider.Call{{ID: "r", Name: "f", Args: `{"a":1}`}},
	},
	"refusal": {Refusal: "I cannot help with that."},
	"call": {
		Calls: []fakeprovider.Call{{ID: "call_7", Name: "get_weather", Args: `{"city":"Paris"}`}},
	},
	"call without arguments": {
		Calls: []fakeprovider.Call{{ID: "call_8", Name: "now", Args: `{}`}},
	},
	"text with calls": {
		Reasoning: "Two cities.",
		Pieces:    []string{"I look", " both up."},
		Calls: []fakeprovider.Call{
			{ID: "a", Name: "get_weather", Args: `{"city":"Paris","days":3,"deep":{"list":[1,null,"x"]}}`},
			{ID: "b", Name: "get_weather", Args: `{"city":"Oslo"}`},
		},
	},
	"length": {Text: "Once upon a", Finish: fakeprovider.FinishLength},
	"stop sequence": {
		Text: "one", Finish: fakeprovider.FinishSequence, StopSequence: "two",
	},
	"filter":         {Text: "It is", Finish: fakeprovider.FinishFilter},
	"filtered whole": {Finish: fakeprovider.FinishFilter},
	"verbatim":       {Text: "Call me", Finish: "RECITATION"},
	"calls and stop": {
		Calls:  []fakeprovider.Call{{ID: "c", Name: "f", Args: `{"a":1}`}},
		Finish: fakeprovider.FinishStop,
	},
	"empty": {},
	"picture": {
		Text:  "Here it is:",
		Media: &fakeprovider.Media{Type: "image/png", Data: []byte("\x89PNG\r\n")},
	},
}

// An SDK decodes each kind of reply to the values of the script, plain and streamed.
func TestGoogleReplies(t *testing.T) {
	t.Parallel()
	for client, c := range googleClients {
		for name, reply := range googleReplies {
			reply.Usage = googleUsage
			url := serve(t, reply)

			plain, err := c.plain(t, url)
			if err != nil {
				t.Errorf("%s, %s: %v", client, name, err)
				continue
			}
			want := googleWant(c, reply)
			if !reflect.DeepEqual(plain, want) {
				t.Errorf("%s, %s:\ngot  %+v\nwant %+v", client, name, plain, want)
			}

			streamed, err := c.stream(t, url)
			if err != nil {
				t.Errorf("%s, %s, streamed: %v", client, name, err)
				continue
			}
			if reply.Pieces != nil && !reflect.DeepEqual(streamed.Pieces, reply.Pieces) {
				t.Errorf("%s, %s: pieces %q, want %q", client, name, streamed.Pieces, reply.Pieces)
			}
			streamed.Pieces = nil
			if !reflect.DeepEqual(streamed, want) {
				t.Errorf("%s, %s, streamed:\ngot  %+v\nwant %+v", client, name, streamed, want)
			}
		}
	}
}

// googleWant is what a client decodes of a reply.
func googleWant(c googleClient, r fakeprovider.Reply) googleAnswer {
	want := googleAnswer{
		Reasoning: r.Reasoning,
		Text:      r.Text + strings.Join(r.Pieces, "") + r.Refusal,
		Calls:     append([]fakeprovider.Call(nil), r.Calls...),
		Finish:    r.Finish,
		Usage:     r.Usage,
		Media:     r.Media,
	}
	if want.Finish == "" {
		want.Finish = fakeprovider.FinishStop
		if r.Refusal != "" {
			want.Finish = fakeprovider.FinishRefusal
		}
		if r.Calls != nil {
			want.Finish = fakeprovider.FinishCalls
		}
	}
	if spelled, ok := c.finishes[want.Finish]; ok {
		want.Finish = spelled
	}
	c.lost(&want)
	return want
}

// Tokens that a script does not give are counted, the same plain and streamed.
func TestGoogleCountsTokens(t *testing.T) {
	t.Parallel()
	reply := fakeprovider.Reply{Reasoning: "two words", Text: "and three more"}
	for name, c := range googleClients {
		url := serve(t, reply)
		plain, err := c.plain(t, url)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		streamed, err := c.stream(t, url)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if plain.Usage != streamed.Usage || plain.Usage.Input == 0 || plain.Usage.Output != 5 {
			t.Errorf("%s: usage %+v, streamed %+v", name, plain.Usage, streamed.Usage)
		}
	}
}

// A call of a script without an ID gets one where the provider gives IDs.
func TestGoogleMakesUpCallIDs(t *testing.T) {
	t.Parallel()
	reply := fakeprovider.Reply{Calls: []fakeprovider.Call{{Name: "f"}, {Name: "f"}}}
	for _, name := range []string{"ollama chat", "ollama generate", "cohere"} {
		url := serve(t, reply)
		for _, ask := range []func(*testing.T, string) (googleAnswer, error){
			googleClients[name].plain, googleClients[name].stream,
		} {
			got, err := ask(t, url)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if len(got.Calls) != 2 || got.Calls[0].ID == "" || got.Calls[0].ID == got.Calls[1].ID {
				t.Errorf("%s: calls %+v", name, got.Calls)
			}
		}
	}
}

// A stream that a script breaks gives its text first, and then the error.
func TestGoogleBrokenStreams(t *testing.T) {
	t.Parallel()
	for name, c := range googleClients {
		for _, pieces := range [][]string{{"Once", " upon"}, nil} {
			url := serve(t, fakeprovider.Reply{
				Pieces: pieces,
				Broken: &fakeprovider.Problem{Status: 503, Message: "the model is overloaded"},
			})
			got, err := c.stream(t, url)
			if err == nil || !strings.Contains(err.Error(), "the model is overloaded") {
				t.Errorf("%s: error %v", name, err)
			}
			if got.Finish != "" || strings.Join(got.Pieces, "") != strings.Join(pieces, "") {
				t.Errorf("%s: got %+v before the error", name, got)
			}
		}
	}
}

// A reply without content whose reason is one of Gemini's to block is a blocked prompt.
func TestGeminiBlockedPrompt(t *testing.T) {
	t.Parallel()
	for _, reason := range []genai.BlockedReason{
		genai.BlockedReasonSafety, genai.BlockedReasonProhibitedContent, genai.BlockedReasonBlocklist,
	} {
		url := serve(t, fakeprovider.Reply{Finish: string(reason)})
		for _, client := range []*genai.Client{geminiClient(t, url), vertexClient(t, url)} {
			r, err := client.Models.GenerateContent(t.Context(), "m", genai.Text("x"), nil)
			if err != nil {
				t.Fatal(err)
			}
			checkBlocked(t, r, reason)
			for r, err := range client.Models.GenerateContentStream(t.Context(), "m", genai.Text("x"), nil) {
				if err != nil {
					t.Fatal(err)
				}
				checkBlocked(t, r, reason)
			}
		}
	}
}

func checkBlocked(t *testing.T, r *genai.GenerateContentResponse, reason genai.BlockedReason) {
	t.Helper()
	f := r.PromptFeedback
	if f == nil || f.BlockReason != reason || r.Candidates != nil {
		t.Errorf("feedback %+v, %d candidates, want %s and none", f, len(r.Candidates), reason)
	}
	if r.UsageMetadata.PromptTokenCount == 0 {
		t.Error("no tokens of the prompt")
	}
}

func geminiClient(t *testing.T, url string) *genai.Client {
	t.Helper()
	return genaiClient(t, &genai.ClientConfig{
		APIKey:      "k",
		Backend:     genai.BackendGeminiAPI,
		HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
}

func vertexClient(t *testing.T, url string) *genai.Client {
	t.Helper()
	return genaiClient(t, &genai.ClientConfig{
		HTTPClient:  &http.Client{},
		Project:     "p",
		Location:    "l",
		Backend:     genai.BackendVertexAI,
		HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
}

func genaiClient(t *testing.T, config *genai.ClientConfig) *genai.Client {
	t.Helper()
	c, err := genai.NewClient(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func askGemini(t *testing.T, c *genai.Client) (googleAnswer, error) {
	r, err := c.Models.GenerateContent(t.Context(), "m", genai.Text("x"), nil)
	if err != nil {
		return googleAnswer{}, err
	}
	var a googleAnswer
	a.addGemini(t, r)
	a.Pieces = nil
	return a, nil
}

func streamGemini(t *testing.T, c *genai.Client) (googleAnswer, error) {
	var a googleAnswer
	for r, err := range c.Models.GenerateContentStream(t.Context(), "m", genai.Text("x"), nil) {
		if err != nil {
			return a, err
		}
		a.addGemini(t, r)
	}
	return a, nil
}

// addGemini adds a response, which is a whole answer or a chunk of one.
func (a *googleAnswer) addGemini(t *testing.T, r *genai.GenerateContentResponse) {
	t.Helper()
	u := r.UsageMetadata
	a.Usage = fakeprovider.Usage{
		Input:     int(u.PromptTokenCount),
		Output:    int(u.CandidatesTokenCount + u.ThoughtsTokenCount),
		Reasoning: int(u.ThoughtsTokenCount),
		Cached:    int(u.CachedContentTokenCount),
	}
	if u.TotalTokenCount != u.PromptTokenCount+u.CandidatesTokenCount+u.ThoughtsTokenCount {
		t.Errorf("a total of %d tokens in %+v", u.TotalTokenCount, u)
	}
	candidate := r.Candidates[0]
	a.Finish = string(candidate.FinishReason)
	if candidate.Content == nil {
		return
	}
	for _, p := range candidate.Content.Parts {
		switch {
		case p.FunctionCall != nil:
			f := p.FunctionCall
			a.Calls = append(a.Calls, fakeprovider.Call{ID: f.ID, Name: f.Name, Args: jsonText(t, f.Args)})
		case p.InlineData != nil:
			a.Media = &fakeprovider.Media{Type: p.InlineData.MIMEType, Data: p.InlineData.Data}
		case p.Thought:
			a.Reasoning += p.Text
		default:
			a.Text += p.Text
			a.Pieces = append(a.Pieces, p.Text)
		}
	}
}

// jsonText is a value as compact JSON, its members sorted.
func jsonText(t *testing.T, v any) string {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func ollamaClient(t *testing.T, url string) *ollama.Client {
	t.Helper()
	u, err := neturl.Parse(url)
	if err != nil {
		t.Fatal(err)
	}
	return ollama.NewClient(u, &http.Client{})
}

func ollamaChat(t *testing.T, url string, stream *bool) (googleAnswer, error) {
	var a googleAnswer
	req := &ollama.ChatRequest{
		Model:    "m",
		Messages: []ollama.Message{{Role: "user", Content: "x"}},
		Stream:   stream,
	}
	err := ollamaClient(t, url).Chat(t.Context(), req, func(r ollama.ChatResponse) error {
		m := r.Message
		a.addOllama(t, m.Thinking, m.Content, m.ToolCalls)
		a.endOllama(r.Done, r.DoneReason, r.Metrics)
		return nil
	})
	if stream != nil {
		a.Pieces = nil
	}
	return a, err
}

func ollamaGenerate(t *testing.T, url string, stream *bool) (googleAnswer, error) {
	var a googleAnswer
	req := &ollama.GenerateRequest{Model: "m", Prompt: "x", Stream: stream}
	err := ollamaClient(t, url).Generate(t.Context(), req, func(r ollama.GenerateResponse) error {
		a.addOllama(t, r.Thinking, r.Response, r.ToolCalls)
		a.endOllama(r.Done, r.DoneReason, r.Metrics)
		return nil
	})
	if stream != nil {
		a.Pieces = nil
	}
	return a, err
}

// addOllama adds what a line brings.
func (a *googleAnswer) addOllama(t *testing.T, thinking, text string, calls []ollama.ToolCall) {
	t.Helper()
	a.Reasoning += thinking
	a.Text += text
	if text != "" {
		a.Pieces = append(a.Pieces, text)
	}
	for _, call := range calls {
		f := call.Function
		args := jsonText(t, f.Arguments)
		a.Calls = append(a.Calls, fakeprovider.Call{ID: call.ID, Name: f.Name, Args: args})
	}
}

func (a *googleAnswer) endOllama(done bool, reason string, m ollama.Metrics) {
	if done {
		a.Finish = reason
		a.Usage = fakeprovider.Usage{Input: m.PromptEvalCount, Output: m.EvalCount}
	}
}

func cohereClient(url string) *coclient.Client {
	return coclient.NewClient(coclient.WithBaseURL(url), coclient.WithToken("k"))
}

var cohereMessages = cohere.ChatMessages{{
	Role: "user",
	User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: "x"}},
}}

func cohereChat(t *testing.T, url string) (googleAnswer, error) {
	r, err := cohereClient(url).V2.Chat(t.Context(), &cohere.V2ChatRequest{
		Model: "m", Messages: cohereMessages,
	})
	if err != nil {
		return googleAnswer{}, err
	}
	a := googleAnswer{Finish: string(r.FinishReason), Usage: cohereUsage(r.Usage)}
	a.Text = deref(r.Message.ToolPlan)
	for _, c := range r.Message.Content {
		if c.Thinking != nil {
			a.Reasoning += c.Thinking.Thinking
		}
		if c.Text != nil {
			a.Text += c.Text.Text
		}
	}
	for _, call := range r.Message.ToolCalls {
		a.Calls = append(a.Calls, ofCohere(call))
	}
	return a, nil
}

func ofCohere(call *cohere.ToolCallV2) fakeprovider.Call {
	return fakeprovider.Call{
		ID:   deref(call.Id),
		Name: deref(call.Function.Name),
		Args: deref(call.Function.Arguments),
	}
}

func cohereUsage(u *cohere.Usage) fakeprovider.Usage {
	return fakeprovider.Usage{
		Input:  int(*u.Tokens.InputTokens),
		Output: int(*u.Tokens.OutputTokens),
	}
}

func deref(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func cohereChatStream(t *testing.T, url string) (googleAnswer, error) {
	var a googleAnswer
	stream, err := cohereClient(url).V2.ChatStream(t.Context(), &cohere.V2ChatStreamRequest{
		Model: "m", Messages: cohereMessages,
	})
	if err != nil {
		return a, err
	}
	defer stream.Close()
	for {
		event, err := stream.Recv()
		if err == io.EOF {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		if end := event.MessageEnd; end != nil && end.Delta.Error != nil {
			return a, errors.New(*end.Delta.Error)
		}
		a.addCohere(&event)
	}
}

// addCohere adds what an event brings.
func (a *googleAnswer) addCohere(e *cohere.V2ChatStreamResponse) {
	switch e.Type {
	case "content-delta":
		content := e.ContentDelta.Delta.Message.Content
		a.Reasoning += deref(content.Thinking)
		a.addText(deref(content.Text))
	case "tool-plan-delta":
		a.addText(deref(e.ToolPlanDelta.Delta.Message.ToolPlan))
	case "tool-call-start":
		a.Calls = append(a.Calls, ofCohere(e.ToolCallStart.Delta.Message.ToolCalls))
	case "tool-call-delta":
		f := e.ToolCallDelta.Delta.Message.ToolCalls.Function
		a.Calls[*e.ToolCallDelta.Index].Args += deref(f.Arguments)
	case "message-end":
		a.Finish = string(*e.MessageEnd.Delta.FinishReason)
		a.Usage = cohereUsage(e.MessageEnd.Delta.Usage)
	}
}

func (a *googleAnswer) addText(piece string) {
	if piece != "" {
		a.Text += piece
		a.Pieces = append(a.Pieces, piece)
	}
}

func cohereChatV1(t *testing.T, url string) (googleAnswer, error) {
	r, err := cohereClient(url).Chat(t.Context(), &cohere.ChatRequest{Message: "x"})
	if err != nil {
		return googleAnswer{}, err
	}
	return ofCohereV1(t, r), nil
}

func ofCohereV1(t *testing.T, r *cohere.NonStreamedChatResponse) googleAnswer {
	t.Helper()
	a := googleAnswer{Text: r.Text, Finish: string(*r.FinishReason), Usage: fakeprovider.Usage{
		Input:  int(*r.Meta.Tokens.InputTokens),
		Output: int(*r.Meta.Tokens.OutputTokens),
	}}
	for _, call := range r.ToolCalls {
		args := jsonText(t, call.Parameters)
		a.Calls = append(a.Calls, fakeprovider.Call{Name: call.Name, Args: args})
	}
	return a
}

// cohereChatStreamV1 checks that the events say what the whole answer at the end does.
func cohereChatStreamV1(t *testing.T, url string) (googleAnswer, error) {
	var a googleAnswer
	stream, err := cohereClient(url).ChatStream(t.Context(), &cohere.ChatStreamRequest{Message: "x"})
	if err != nil {
		return a, err
	}
	defer stream.Close()
	for {
		event, err := stream.Recv()
		if err != nil {
			return a, err // before the end of the stream
		}
		switch event.EventType {
		case "text-generation":
			a.addText(event.TextGeneration.Text)
		case "tool-calls-chunk":
			a.addText(deref(event.ToolCallsChunk.Text))
		case "stream-end":
			if event.StreamEnd.FinishReason == cohere.ChatStreamEndEventFinishReasonError {
				return a, errors.New(event.StreamEnd.GetExtraProperties()["error"].(string))
			}
			whole := ofCohereV1(t, event.StreamEnd.Response)
			if whole.Text != a.Text {
				t.Errorf("events of %q, whole text %q", a.Text, whole.Text)
			}
			whole.Pieces = a.Pieces
			return whole, nil
		}
	}
}
