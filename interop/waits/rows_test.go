package waits

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	cohere "github.com/cohere-ai/cohere-go/v2"
	cohereclient "github.com/cohere-ai/cohere-go/v2/client"
	cohereoption "github.com/cohere-ai/cohere-go/v2/option"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	ollama "github.com/ollama/ollama/api"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"
	"github.com/tmc/langchaingo/llms"
	langopenai "github.com/tmc/langchaingo/llms/openai"
	"google.golang.org/genai"
)

const (
	busy = `{"error":{"message":"busy","type":"overloaded_error"}}`
	chat = `{"id":"1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
)

// after is an answer after two failures of a status.
func after(status int, body string, header ...string) []answer {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	failure := answer{status: status, header: h, body: busy}
	return []answer{failure, failure, {body: body}}
}

// rounds is a poll of five rounds, with this header.
func rounds(under, done string, header ...string) (answers []answer) {
	h := http.Header{}
	for i := 0; i < len(header); i += 2 {
		h.Set(header[i], header[i+1])
	}
	for range 4 {
		answers = append(answers, answer{header: h, body: under})
	}
	return append(answers, answer{body: done})
}

// stream is an event stream.
func stream(body string) answer {
	return answer{header: http.Header{"Content-Type": {"text/event-stream"}}, body: body}
}

const (
	indexing = `{"id":"file-1","object":"vector_store.file","status":"in_progress","vector_store_id":"vs_1"}`
	indexed  = `{"id":"file-1","object":"vector_store.file","status":"completed","vector_store_id":"vs_1"}`
)

var rows = []row{
	{sdk: "openai-go", what: "status 503", answers: after(503, chat), do: askOpenAI},
	{sdk: "openai-go", what: "status 409", answers: after(409, chat), do: askOpenAI},
	{sdk: "openai-go", what: "status 429, `retry-after: 2`", answers: after(429, chat, "Retry-After", "2"), do: askOpenAI},
	{sdk: "openai-go", what: "a poll, `openai-poll-after-ms: 500`", answers: rounds(indexing, indexed, "Openai-Poll-After-Ms", "500"), do: pollOpenAI},
	{sdk: "openai-go", what: "a poll", answers: rounds(indexing, indexed), do: pollOpenAI},
	{sdk: "anthropic-sdk-go", what: "status 529", do: askAnthropic,
		answers: after(529, `{"id":"1","type":"message","role":"assistant","content":[{"type":"text","text":"hi"}],"stop_reason":"end_turn"}`)},
	{sdk: "genai", what: "status 503", do: askGenai,
		answers: after(503, `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}]}`)},
	{sdk: "bedrockruntime", what: "status 503", do: askBedrock,
		answers: after(503, `{"output":{"message":{"role":"assistant","content":[{"text":"hi"}]}},"stopReason":"end_turn","usage":{"inputTokens":1,"outputTokens":1,"totalTokens":2},"metrics":{"latencyMs":1}}`)},
	{sdk: "cohere-go", what: "status 429", answers: after(429, `{"text":"hi","generation_id":"1"}`), do: askCohere},
	{sdk: "azcore", what: "status 503", answers: after(503, `{}`), do: askAzure},
	{sdk: "azcore", what: "a poller, `retry-after: 2`", do: pollAzure, plain: begun(answer{body: succeeded}),
		answers: begun(rounds(`{"status":"running"}`, succeeded, "Retry-After", "2")...)},
	{sdk: "azcore", what: "a poller", do: pollAzure, plain: begun(answer{body: succeeded}),
		answers: begun(rounds(`{"status":"running"}`, succeeded)...)},
	{sdk: "go-sdk of MCP", what: "a stream that connects again", do: askMCP, plain: called(greeted), answers: called(stream("id: 1\ndata: \n\n"), greeted)},
	{sdk: "go-sdk of MCP", what: "the same, `retry: 3000`", do: askMCP, plain: called(greeted), answers: called(stream("id: 1\nretry: 3000\ndata: \n\n"), greeted)},
	{sdk: "go-sdk of MCP", what: "a standing stream that connects again", do: listenMCP,
		plain: called(heard("1", "tools/list_changed")), answers: called(heard("1", "message"), heard("2", "tools/list_changed"))},
	{sdk: "go-openai", what: "status 503; the program tries again", answers: after(503, chat), do: thrice(askGoOpenAI)},
	{sdk: "ollama/api", what: "status 503; the program tries again", answers: after(503, `{"model":"m","message":{"role":"assistant","content":"hi"},"done":true}`), do: thrice(askOllama)},
	{sdk: "langchaingo", what: "status 503; the program tries again", answers: after(503, chat), do: thrice(askLangChain)},
}

func askOpenAI(ctx context.Context, client *http.Client, url string) error {
	c := openai.NewClient(option.WithHTTPClient(client), option.WithBaseURL(url+"/v1"), option.WithAPIKey("k"))
	_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "gpt-4o", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("hi")}})
	return err
}

func pollOpenAI(ctx context.Context, client *http.Client, url string) error {
	c := openai.NewClient(option.WithHTTPClient(client), option.WithBaseURL(url+"/v1"), option.WithAPIKey("k"))
	_, err := c.VectorStores.Files.PollStatus(ctx, "vs_1", "file-1", 0)
	return err
}

func askAnthropic(ctx context.Context, client *http.Client, url string) error {
	c := anthropic.NewClient(anthropicoption.WithHTTPClient(client), anthropicoption.WithBaseURL(url), anthropicoption.WithAPIKey("k"))
	_, err := c.Messages.New(ctx, anthropic.MessageNewParams{Model: "claude-sonnet-4-5", MaxTokens: 10, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("hi"))}})
	return err
}

func askGenai(ctx context.Context, client *http.Client, url string) error {
	c, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: "k", HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: url, RetryOptions: &genai.HTTPRetryOptions{}}})
	if err != nil {
		return err
	}
	_, err = c.Models.GenerateContent(ctx, "gemini-2.5-flash", genai.Text("hi"), nil)
	return err
}

func askBedrock(ctx context.Context, client *http.Client, url string) error {
	c := bedrockruntime.New(bedrockruntime.Options{Region: "us-east-1", HTTPClient: client, BaseEndpoint: aws.String(url), Credentials: credentials.NewStaticCredentialsProvider("AKIDEXAMPLE", "x", "")})
	_, err := c.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: aws.String("m"), Messages: []brtypes.Message{{Role: "user", Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: "hi"}}}}})
	return err
}

func askCohere(ctx context.Context, client *http.Client, url string) error {
	c := cohereclient.NewClient(cohereclient.WithToken("k"), cohereclient.WithBaseURL(url), cohereclient.WithHTTPClient(client))
	_, err := c.Chat(ctx, &cohere.ChatRequest{Message: "hi"}, cohereoption.WithMaxAttempts(3))
	return err
}

func azure(client *http.Client) runtime.Pipeline {
	return runtime.NewPipeline("openai", "v1.0.0", runtime.PipelineOptions{}, &policy.ClientOptions{Transport: client})
}

func askAzure(ctx context.Context, client *http.Client, url string) error {
	req, err := runtime.NewRequest(ctx, http.MethodPost, url)
	if err != nil {
		return err
	}
	resp, err := azure(client).Do(req)
	if err == nil && resp.StatusCode != http.StatusOK {
		return errors.New(resp.Status)
	}
	return err
}

const succeeded = `{"status":"succeeded"}`

// begun is the answer that begins an operation, and these to what asks how far it is.
func begun(rounds ...answer) []answer {
	return append([]answer{{status: 202, header: http.Header{"Retry-After": {"1"}}, body: "{}"}}, rounds...)
}

func pollAzure(ctx context.Context, client *http.Client, at string) error {
	pl := azure(client)
	req, err := runtime.NewRequest(ctx, http.MethodPost, at)
	if err != nil {
		return err
	}
	resp, err := pl.Do(req)
	if err != nil {
		return err
	}
	resp.Header.Set("Operation-Location", at+"/operation") // whose port is another one in each run
	p, err := runtime.NewPoller[struct{}](resp, pl, nil)
	if err != nil {
		return err
	}
	_, err = p.PollUntilDone(ctx, &runtime.PollUntilDoneOptions{Frequency: time.Second})
	return err
}

// called is a call of a tool over MCP, with what comes before it and these answers to it.
func called(answers ...answer) []answer {
	before := []answer{
		{method: http.MethodPost, body: `{"jsonrpc":"2.0","id":{id},"error":{"code":-32601,"message":"Method not found"}}`}, // server/discover
		{method: http.MethodPost, header: http.Header{"Mcp-Session-Id": {"s"}}, body: `{"jsonrpc":"2.0","id":{id},"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`},
		{method: http.MethodPost, status: 202},
	}
	return append(append(before, answers...), answer{status: 204})
}

// greeted is the answer of the tool, which is the third request of its client.
var greeted = stream("id: 2\ndata: " + `{"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"hi"}]}}` + "\n\n")

// heard is a standing stream that ends after a notification.
func heard(id, what string) answer {
	a := stream("id: " + id + "\ndata: " + `{"jsonrpc":"2.0","method":"notifications/` + what + `","params":{"level":"info","data":"x"}}` + "\n\n")
	a.method = http.MethodGet
	return a
}

// listenMCP listens until it hears that the tools have changed.
func listenMCP(ctx context.Context, client *http.Client, url string) error {
	changed := make(chan struct{}, 10)
	c := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { changed <- struct{}{} },
	})
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client}, nil)
	if err != nil {
		return err
	}
	<-changed
	return s.Close()
}

func askMCP(ctx context.Context, client *http.Client, url string) error {
	c := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	s, err := c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: client, DisableStandaloneSSE: true}, nil)
	if err != nil {
		return err
	}
	defer s.Close()
	_, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "greet"})
	return err
}

// thrice tries an SDK that does not try again by itself, three times at most.
func thrice(do func(context.Context, *http.Client, string) error) func(context.Context, *http.Client, string) error {
	return func(ctx context.Context, client *http.Client, url string) (err error) {
		for range 3 {
			if err = do(ctx, client, url); err == nil {
				return nil
			}
		}
		return err
	}
}

func askGoOpenAI(ctx context.Context, client *http.Client, url string) error {
	config := goopenai.DefaultConfig("k")
	config.BaseURL, config.HTTPClient = url+"/v1", client
	_, err := goopenai.NewClientWithConfig(config).CreateChatCompletion(ctx, goopenai.ChatCompletionRequest{Model: "gpt-4o", Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: "hi"}}})
	return err
}

func askOllama(ctx context.Context, client *http.Client, at string) error {
	u, err := url.Parse(at)
	if err != nil {
		return err
	}
	return ollama.NewClient(u, client).Chat(ctx, &ollama.ChatRequest{Model: "m", Messages: []ollama.Message{{Role: "user", Content: "hi"}}}, func(ollama.ChatResponse) error { return nil })
}

func askLangChain(ctx context.Context, client *http.Client, url string) error {
	m, err := langopenai.New(langopenai.WithHTTPClient(client), langopenai.WithBaseURL(url+"/v1"), langopenai.WithToken("k"), langopenai.WithModel("gpt-4o"))
	if err != nil {
		return err
	}
	_, err = m.GenerateContent(ctx, []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "hi")})
	return err
}
