package interop

import (
	"bytes"
	"context"

	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	cohere "github.com/cohere-ai/cohere-go/v2"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"

	"net/url"

	"github.com/promptecho/promptecho"
)

// The SDKs of vendors that the stand-in provider does not speak yet. Their
// upstream is a server that gives canned answers in the vendor's shape, each
// numbered, so that a recording that answers the wrong request is seen.
type canned struct {
	*httptest.Server
	n int
}

func newCanned(t *testing.T) *canned {
	c := &canned{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		c.n++
		suffix := ""
		for s := range cannedAnswers {
			if strings.HasSuffix(r.URL.Path, s) && len(s) > len(suffix) {
				suffix = s
			}
		}
		answer, typ := cannedAnswers[suffix], "application/json"
		switch {
		case suffix == "/invoke" && bytes.Contains(body, []byte("anthropic_version")):
			answer = cannedMessage
		case strings.HasPrefix(answer, "data: "):
			typ = "text/event-stream"
		case suffix == "/api/chat" && !bytes.Contains(body, []byte(`"stream":false`)):
			typ = "application/x-ndjson"
		case suffix == "/v2/chat" && bytes.Contains(body, []byte(`"stream":true`)):
			answer, typ = cannedCohereStream, "text/event-stream"
		case suffix == "/audio/speech":
			typ = "audio/mpeg"
		}
		if suffix != "" {
			w.Header().Set("Content-Type", typ)
			w.Header().Set("X-Amzn-Requestid", fmt.Sprintf("req-%d", c.n))
			io.WriteString(w, strings.ReplaceAll(answer, "NUMBER", fmt.Sprint(c.n)))
			return
		}
		t.Errorf("the canned server does not know %s %s", r.Method, r.URL)
	}))
	t.Cleanup(c.Close)
	return c
}

const cannedMessage = `{"id":"msg_NUMBER","type":"message","role":"assistant","model":"claude","content":[{"type":"text","text":"canned NUMBER"}],"stop_reason":"end_turn","usage":{"input_tokens":1,"output_tokens":2}}`

const cannedCohereStream = "event: message-start\ndata: {\"id\":\"s-NUMBER\",\"type\":\"message-start\",\"delta\":{\"message\":{\"role\":\"assistant\"}}}\n\n" +
	"event: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"canned NUMBER\"}}}}\n\n" +
	"event: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n\ndata: [DONE]\n\n"

var cannedAnswers = map[string]string{
	":generateContent":       `{"candidates":[{"content":{"role":"model","parts":[{"text":"canned NUMBER"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1}}`,
	":streamGenerateContent": "data: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"canned\"}]}}]}\r\n\r\ndata: {\"candidates\":[{\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\" NUMBER\"}]},\"finishReason\":\"STOP\"}]}\r\n\r\n",
	":countTokens":           `{"totalTokens":NUMBER}`,
	":batchEmbedContents":    `{"embeddings":[{"values":[0.5,NUMBER]}]}`,
	"/converse":              `{"output":{"message":{"role":"assistant","content":[{"text":"canned NUMBER"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":2,"totalTokens":3},"metrics":{"latencyMs":4}}`,
	"/invoke":                `{"embedding":[0.5,NUMBER],"inputTextTokenCount":1}`,
	"/api/chat":              `{"model":"m","message":{"role":"assistant","content":"canned NUMBER"},"done":true,"done_reason":"stop"}` + "\n",
	"/api/embed":             `{"model":"m","embeddings":[[0.5,NUMBER]]}`,
	"/v2/chat":               `{"id":"c-NUMBER","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"canned NUMBER"}]}}`,
	"/v2/embed":              `{"id":"e-NUMBER","embeddings":{"float":[[0.5,NUMBER]]},"texts":["x"]}`,
	"/chat/completions":      `{"id":"chatcmpl-NUMBER","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"canned NUMBER"},"finish_reason":"stop"}]}`,
	"/completions":           `{"id":"cmpl-NUMBER","object":"text_completion","choices":[{"index":0,"text":"canned NUMBER","finish_reason":"stop"}]}`,
	"/moderations":           `{"id":"modr-NUMBER","model":"m","results":[{"flagged":false}]}`,
	"/images/generations":    `{"created":NUMBER,"data":[{"b64_json":"iVBORw0KGgo="}]}`,
	"/images/edits":          `{"created":NUMBER,"data":[{"b64_json":"iVBORw0KGgo="}]}`,
	"/audio/transcriptions":  `{"text":"canned NUMBER"}`,
	"/audio/speech":          "\xff\xf3canned NUMBER",
	"/messages":              cannedMessage,
	"/count_tokens":          `{"input_tokens":NUMBER}`,
	":rawPredict":            cannedMessage,
	"/v2/rerank":             `{"id":"r-NUMBER","results":[{"index":0,"relevance_score":0.5}]}`,
}

// redirect is a transport that sends every request to one server, for SDKs
// whose host cannot be set.
func redirect(t *testing.T, to string) http.RoundTripper {
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return roundTripFunc(func(req *http.Request) (*http.Response, error) {
		out := req.Clone(req.Context())
		out.URL.Scheme, out.URL.Host, out.Host = u.Scheme, u.Host, ""
		return http.DefaultTransport.RoundTrip(out)
	})
}

// vendor records an application against the canned server, and replays it
// with its calls in the opposite order: each must get its own answer.
func vendor(t *testing.T, calls func(e env) map[string]func() (any, error)) {
	t.Helper()
	srv := newCanned(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	answers := map[string]string{}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(redirect(t, srv.URL)))
		if err != nil {
			t.Fatal(err)
		}
		all := calls(env{client: rec.Client(), base: srv.URL, replay: mode == promptecho.ModeNone})
		for name, call := range all { // a map: another order each time
			v, err := call()
			if err != nil {
				t.Fatalf("mode %s: %s: %v", mode, name, err)
			}
			got := asJSON(t, v)
			if mode == promptecho.ModeAll {
				answers[name] = got
			} else if got != answers[name] {
				t.Errorf("%s\nlive:   %s\nreplay: %s", name, answers[name], got)
			}
		}
		if err := rec.Close(); err != nil {
			t.Fatalf("mode %s: %v", mode, err)
		}
		srv.Close()
	}
	seen := map[string]bool{}
	for name, a := range answers {
		if seen[a] {
			t.Errorf("%s has the answer of another call: %s", name, a)
		}
		seen[a] = true
	}
	noKey(t, dir)
}

// Gemini and Vertex AI record and replay through genai.
func TestGenAI(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		c, err := genaiAt(t.Context(), e.client, e.base)
		if err != nil {
			t.Fatal(err)
		}
		v, err := genai.NewClient(t.Context(), &genai.ClientConfig{
			HTTPClient: e.client, Project: "p", Location: "l", Backend: genai.BackendVertexAI, HTTPOptions: genai.HTTPOptions{BaseURL: e.base},
		})
		if err != nil {
			t.Fatal(err)
		}
		const model = "gemini-flash"
		return map[string]func() (any, error){
			"a": func() (any, error) { return text(c.Models.GenerateContent(t.Context(), model, genai.Text("a"), nil)) },
			"b, with a system instruction": func() (any, error) {
				return text(c.Models.GenerateContent(t.Context(), model, genai.Text("b"), &genai.GenerateContentConfig{
					SystemInstruction: genai.NewContentFromText("s", genai.RoleUser), Temperature: genai.Ptr[float32](0.5),
				}))
			},
			"c, on Vertex": func() (any, error) { return text(v.Models.GenerateContent(t.Context(), model, genai.Text("c"), nil)) },
			"d, streamed": func() (any, error) {
				var parts []string
				for r, err := range c.Models.GenerateContentStream(t.Context(), model, genai.Text("d"), nil) {
					if err != nil {
						return nil, err
					}
					parts = append(parts, r.Text())
				}
				return parts, nil
			},
			"tokens": func() (any, error) {
				r, err := c.Models.CountTokens(t.Context(), model, genai.Text("a"), nil)
				if err != nil {
					return nil, err
				}
				return r.TotalTokens, nil
			},
			"embedding": func() (any, error) {
				r, err := c.Models.EmbedContent(t.Context(), "e", genai.Text("a"), nil)
				if err != nil {
					return nil, err
				}
				return r.Embeddings, nil
			},
		}
	})
}

func text(r *genai.GenerateContentResponse, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return r.Text(), nil
}

// Converse, InvokeModel and their streams record and replay through the SDK of AWS.
func TestBedrock(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		c := bedrockruntime.New(bedrockOptions(e.client, e.base))
		converse := func(model, text string) func() (any, error) {
			return func() (any, error) {
				r, err := c.Converse(t.Context(), &bedrockruntime.ConverseInput{
					ModelId:  aws.String(model),
					Messages: []brtypes.Message{{Role: brtypes.ConversationRoleUser, Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: text}}}},
				})
				if err != nil {
					return nil, err
				}
				return r.Output, nil
			}
		}
		return map[string]func() (any, error){
			"converse a":              converse("amazon.nova-lite-v1:0", "a"),
			"converse b":              converse("amazon.nova-lite-v1:0", "b"),
			"converse a, other model": converse("amazon.nova-pro-v1:0", "a"),
			"converse, model by ARN":  converse("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.nova", "a"),
			"invoke": func() (any, error) {
				r, err := c.InvokeModel(t.Context(), &bedrockruntime.InvokeModelInput{
					ModelId: aws.String("amazon.titan-embed-text-v2:0"), Body: []byte(`{"inputText":"a"}`),
				})
				if err != nil {
					return nil, err
				}
				return string(r.Body), nil
			},
		}
	})
}

// Chats, generations and embeddings of Ollama record and replay through its SDK.
func TestOllama(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		c, err := ollamaAt(e.client, e.base)
		if err != nil {
			t.Fatal(err)
		}
		chat := func(text string, stream *bool) func() (any, error) {
			return func() (any, error) {
				var got []string
				err := c.Chat(t.Context(), &ollama.ChatRequest{
					Model: "llama3.2", Messages: []ollama.Message{{Role: "user", Content: text}}, Stream: stream,
				}, func(r ollama.ChatResponse) error {
					got = append(got, r.Message.Content)
					return nil
				})
				return got, err
			}
		}
		plain := false
		return map[string]func() (any, error){
			"chat a":        chat("a", nil),
			"chat b":        chat("b", nil),
			"chat a, plain": chat("a", &plain),
			"embed": func() (any, error) {
				r, err := c.Embed(t.Context(), &ollama.EmbedRequest{Model: "nomic-embed-text", Input: "a"})
				if err != nil {
					return nil, err
				}
				return r.Embeddings, nil
			},
		}
	})
}

// Chats, streams, embeddings and reranking of Cohere record and replay through its SDK.
func TestCohere(t *testing.T) {
	t.Parallel()
	vendor(t, func(e env) map[string]func() (any, error) {
		c := cohereAt(e.client, e.base)
		chat := func(text string) func() (any, error) {
			return func() (any, error) {
				return c.V2.Chat(t.Context(), &cohere.V2ChatRequest{
					Model: "command-a",
					Messages: cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{
						Content: &cohere.UserMessageV2Content{String: text},
					}}},
				})
			}
		}
		rerank := func(query string) func() (any, error) {
			return func() (any, error) {
				return c.V2.Rerank(t.Context(), &cohere.V2RerankRequest{Model: "rerank-v3.5", Query: query, Documents: []string{"x", "y"}})
			}
		}
		return map[string]func() (any, error){
			"chat a": chat("a"),
			"chat b": chat("b"),
			"chat c, streamed": func() (any, error) {
				stream, err := c.V2.ChatStream(t.Context(), &cohere.V2ChatStreamRequest{
					Model: "command-a",
					Messages: cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{
						Content: &cohere.UserMessageV2Content{String: "c"},
					}}},
				})
				if err != nil {
					return nil, err
				}
				defer stream.Close()
				var events []any
				for {
					event, err := stream.Recv()
					if err == io.EOF {
						return events, nil
					}
					if err != nil {
						return nil, err
					}
					events = append(events, event)
				}
			},
			"rerank a": rerank("a"),
			"rerank b": rerank("b"),
			"embed": func() (any, error) {
				return c.V2.Embed(t.Context(), &cohere.V2EmbedRequest{Model: "embed-v4.0", InputType: cohere.EmbedInputTypeSearchQuery, Texts: []string{"a"}})
			},
		}
	})
}

// Calls at once over one stream of MCP's older transport get their own answers.
func TestMCPOverOneStream(t *testing.T) {
	t.Parallel()
	type input struct {
		Text string `json:"text"`
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "says it again"}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: in.Text}}}, nil, nil
	})
	srv := httptest.NewServer(mcp.NewSSEHandler(func(*http.Request) *mcp.Server { return server }, nil))
	file := filepath.Join(t.TempDir(), "c.yaml")
	app := func(mode promptecho.Mode) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.SSEClientTransport{Endpoint: srv.URL, HTTPClient: rec.Client()}, nil)
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				want := fmt.Sprint("call ", i)
				r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: input{want}})
				if err != nil {
					t.Error(err)
				} else if got := r.Content[0].(*mcp.TextContent).Text; got != want {
					t.Errorf("%q got the answer of %q", want, got)
				}
			})
		}
		all.Wait()
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := rec.Close(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
	}
	app(promptecho.ModeAll)
	srv.CloseClientConnections()
	srv.Close()
	for range 20 {
		app(promptecho.ModeNone)
	}
}

// The MCP SDK's client against its own server, over streamable HTTP.
func TestMCP(t *testing.T) {
	t.Parallel()
	type input struct {
		Text string `json:"text"`
	}
	calls := 0
	server := mcp.NewServer(&mcp.Implementation{Name: "tools", Version: "1"}, nil)
	mcp.AddTool(server, &mcp.Tool{Name: "echo", Description: "says it again"}, func(_ context.Context, _ *mcp.CallToolRequest, in input) (*mcp.CallToolResult, any, error) {
		calls++
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf("%s, call %d", in.Text, calls)}}}, nil, nil
	})
	srv := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{Stateless: true}))
	defer srv.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	app := func(mode promptecho.Mode, first ...string) (got []string) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		client := mcp.NewClient(&mcp.Implementation{Name: "agent", Version: "1"}, nil)
		session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: srv.URL + "/mcp", HTTPClient: rec.Client(), DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tools, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, asJSON(t, tools.Tools))
		for _, text := range first {
			r, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "echo", Arguments: input{text}})
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, asJSON(t, r.Content))
		}
		if err := session.Close(); err != nil {
			t.Error(err)
		}
		if err := rec.Close(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		return got
	}
	live := app(promptecho.ModeAll, "a", "b")
	srv.Close()
	// In another order the ids of the calls are others; the answers are theirs.
	again := app(promptecho.ModeNone, "b", "a")
	if len(live) != 3 || live[0] != again[0] || live[1] != again[2] || live[2] != again[1] {
		t.Errorf("live %q\nreplay %q", live, again)
	}
	if calls != 2 {
		t.Errorf("%d calls reached the server", calls)
	}

}
