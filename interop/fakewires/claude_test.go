package fakewires

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/bedrock"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/vertex"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

	"github.com/promptecho/promptecho/internal/fakeprovider"
)

// A claudeAnswer is what a program sees of an answer.
type claudeAnswer struct {
	Reasoning    string
	Signature    string
	Text         string
	Pieces       []string // of the text, in a stream
	Calls        []fakeprovider.Call
	Finish       string
	StopSequence string
	Usage        fakeprovider.Usage // Input without the tokens of the cache
}

// A claudeClient is an SDK on one of the wires.
type claudeClient struct {
	name string

	// finishes are the finish reasons in the spelling of the wire; a reason that is
	// missing is spelled as it is.
	finishes map[string]string

	accumulates bool // a stream with Anthropic's SDK, whose usage counts the reasoning

	plain  func(t *testing.T, url string) (claudeAnswer, error)
	stream func(t *testing.T, url string) (claudeAnswer, error)
}

var anthropicFinishes = map[string]string{
	fakeprovider.FinishStop:    "end_turn",
	fakeprovider.FinishLength:  "max_tokens",
	fakeprovider.FinishCalls:   "tool_use",
	fakeprovider.FinishFilter:  "refusal",
	fakeprovider.FinishRefusal: "refusal",
}

var bedrockFinishes = map[string]string{
	fakeprovider.FinishStop:    "end_turn",
	fakeprovider.FinishLength:  "max_tokens",
	fakeprovider.FinishCalls:   "tool_use",
	fakeprovider.FinishFilter:  "content_filtered",
	fakeprovider.FinishRefusal: "content_filtered",
}

var claudeClients = []claudeClient{
	{
		"anthropic-sdk-go", anthropicFinishes, true,
		func(t *testing.T, url string) (claudeAnswer, error) { return messages(t, onAnthropic(url)) },
		func(t *testing.T, url string) (claudeAnswer, error) {
			return messagesStream(t, onAnthropic(url))
		},
	},
	{
		"anthropic-sdk-go on Bedrock", anthropicFinishes, true,
		func(t *testing.T, url string) (claudeAnswer, error) { return messages(t, onBedrock(url)) },
		func(t *testing.T, url string) (claudeAnswer, error) {
			return messagesStream(t, onBedrock(url))
		},
	},
	{
		"anthropic-sdk-go on Vertex AI", anthropicFinishes, true,
		func(t *testing.T, url string) (claudeAnswer, error) { return messages(t, onVertex(t, url)) },
		func(t *testing.T, url string) (claudeAnswer, error) {
			return messagesStream(t, onVertex(t, url))
		},
	},
	{"bedrockruntime Converse", bedrockFinishes, false, converse, converseStream},
	{"bedrockruntime InvokeModel of Claude", anthropicFinishes, true, invoke, invokeStream},
	{"bedrockruntime InvokeModel of Nova", bedrockFinishes, false, invokeNova, invokeNovaStream},
}

// claudeReplies are replies and the finish reasons that they have if they give none.
var claudeReplies = []struct {
	name   string
	reply  fakeprovider.Reply
	finish string
}{
	{
		"text",
		fakeprovider.Reply{Text: "Hello, wörld: \"{}\"\n\n日本 🎉."},
		fakeprovider.FinishStop,
	},
	{
		"pieces",
		fakeprovider.Reply{Pieces: []string{"Hel", "lo the", "re", " ", "\nyou"}},
		fakeprovider.FinishStop,
	},
	{"nothing", fakeprovider.Reply{}, fakeprovider.FinishStop},
	{
		"reasoning and text",
		fakeprovider.Reply{Reasoning: "First, the sum.\nThen the rest.", Text: "It is 4."},
		fakeprovider.FinishStop,
	},
	{
		"reasoning alone",
		fakeprovider.Reply{Reasoning: "First, the sum.", Finish: fakeprovider.FinishLength},
		fakeprovider.FinishLength,
	},
	{
		"one call",
		fakeprovider.Reply{Calls: []fakeprovider.Call{
			{ID: "call_1", Name: "get_weather", Args: `{"city": "Zürich", "days": [1, 2.50]}`},
		}},
		fakeprovider.FinishCalls,
	},
	{
		"reasoning, text and calls",
		fakeprovider.Reply{
			Reasoning: "Two cities.",
			Pieces:    []string{"I look ", "at both."},
			Calls: []fakeprovider.Call{
				{ID: "call_1", Name: "get_weather", Args: `{"city":"Paris"}`},
				{ID: "call_2", Name: "get_time", Args: `{}`},
			},
		},
		fakeprovider.FinishCalls,
	},
	{
		"refusal",
		fakeprovider.Reply{Refusal: "I can't help with that."},
		fakeprovider.FinishRefusal,
	},
	{
		"refusal after text",
		fakeprovider.Reply{Pieces: []string{"It is ", "- "}, Refusal: "I must stop."},
		fakeprovider.FinishRefusal,
	},
	{
		"length",
		fakeprovider.Reply{Text: "It is", Finish: fakeprovider.FinishLength},
		fakeprovider.FinishLength,
	},
	{
		"stop sequence",
		fakeprovider.Reply{
			Text: "It is ", Finish: fakeprovider.FinishSequence, StopSequence: "END",
		},
		fakeprovider.FinishSequence,
	},
	{
		"filter",
		fakeprovider.Reply{Text: "It is ", Finish: fakeprovider.FinishFilter},
		fakeprovider.FinishFilter,
	},
	{"pause", fakeprovider.Reply{Text: "I search.", Finish: "pause_turn"}, "pause_turn"},
	{
		"context window",
		fakeprovider.Reply{Text: "It is", Finish: "model_context_window_exceeded"},
		"model_context_window_exceeded",
	},
	{
		"guardrail",
		fakeprovider.Reply{Text: "Blocked.", Finish: "guardrail_intervened"},
		"guardrail_intervened",
	},
	{
		"usage",
		fakeprovider.Reply{Reasoning: "Hm.", Text: "Yes.", Usage: fakeprovider.Usage{
			Input: 1000, Output: 50, Reasoning: 20, Cached: 600,
		}},
		fakeprovider.FinishStop,
	},
}

// SDKs of Anthropic and AWS decode every scripted reply to the
// script's values, plain and streamed.
func TestClaudeReplies(t *testing.T) {
	for _, client := range claudeClients {
		for _, tt := range claudeReplies {
			t.Run(client.name+"/"+tt.name, func(t *testing.T) {
				url := serve(t, tt.reply)
				plain, err := client.plain(t, url)
				if err != nil {
					t.Fatal(err)
				}
				streamed, err := client.stream(t, url)
				if err != nil {
					t.Fatal(err)
				}

				want := wantOf(client, tt.reply, tt.finish)
				if tt.reply.Usage == (fakeprovider.Usage{}) {
					want.Usage = plain.Usage
					if plain.Usage.Input == 0 || plain.Usage != streamed.Usage {
						t.Errorf("usage %+v, streamed %+v", plain.Usage, streamed.Usage)
					}
				}
				pieces := streamed.Pieces
				streamed.Pieces = nil
				for _, answer := range []claudeAnswer{plain, streamed, want} {
					compactArgs(t, answer.Calls)
				}
				if !reflect.DeepEqual(plain, want) {
					t.Errorf("plain\n%+v, want\n%+v", plain, want)
				}
				if !reflect.DeepEqual(streamed, want) {
					t.Errorf("streamed\n%+v, want\n%+v", streamed, want)
				}
				checkPieces(t, tt.reply, pieces)
			})
		}
	}
}

// wantOf returns what a client is to see of a reply.
func wantOf(client claudeClient, r fakeprovider.Reply, reason string) claudeAnswer {
	want := claudeAnswer{
		Reasoning:    r.Reasoning,
		Text:         r.Text + strings.Join(r.Pieces, "") + r.Refusal,
		Calls:        slices.Clone(r.Calls),
		Finish:       reason,
		StopSequence: r.StopSequence,
		Usage:        r.Usage,
	}
	if spelled, ok := client.finishes[reason]; ok {
		want.Finish = spelled
	}
	if r.Reasoning != "" {
		want.Signature = "c3RhbmQtaW4tc2lnbmF0dXJl"
	}
	if strings.HasSuffix(client.name, "Nova") {
		want.StopSequence = "" // has no place there
	}
	want.Usage.Input -= r.Usage.Cached
	if !client.accumulates {
		want.Usage.Reasoning = 0
	}
	return want
}

// compactArgs removes the spaces between the values of arguments, which AWS's SDK does
// not keep.
func compactArgs(t *testing.T, calls []fakeprovider.Call) {
	t.Helper()
	for i := range calls {
		var out bytes.Buffer
		if err := json.Compact(&out, []byte(calls[i].Args)); err != nil {
			t.Errorf("arguments %q: %v", calls[i].Args, err)
		}
		calls[i].Args = out.String()
	}
}

// checkPieces checks that a stream begins with the pieces of a reply, one a delta.
func checkPieces(t *testing.T, r fakeprovider.Reply, pieces []string) {
	t.Helper()
	if r.Refusal == "" && r.Pieces != nil && !slices.Equal(pieces, r.Pieces) {
		t.Errorf("pieces %q, want %q", pieces, r.Pieces)
	}
	if len(pieces) < len(r.Pieces) || !slices.Equal(pieces[:len(r.Pieces)], r.Pieces) {
		t.Errorf("pieces %q, want first %q", pieces, r.Pieces)
	}
}

// A call without an ID gets one that is the same in each run
// and differs from that of the next call.
func TestClaudeMakesUpCallIDs(t *testing.T) {
	reply := fakeprovider.Reply{Calls: []fakeprovider.Call{{Name: "a"}, {Name: "b"}}}
	for _, client := range claudeClients {
		first, err := client.plain(t, serve(t, reply))
		if err != nil {
			t.Fatal(err)
		}
		again, err := client.stream(t, serve(t, reply))
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(first.Calls, again.Calls) {
			t.Errorf("%s: %+v, then %+v", client.name, first.Calls, again.Calls)
		}
		if first.Calls[0].ID == "" || first.Calls[0].ID == first.Calls[1].ID {
			t.Errorf("%s: IDs of %+v", client.name, first.Calls)
		}
	}
}

// A stream that breaks gives its content first, and then the
// error of the script with its kind and message.
func TestClaudeBrokenStreams(t *testing.T) {
	reply := fakeprovider.Reply{
		Text:   "It is ",
		Calls:  []fakeprovider.Call{{ID: "call_1", Name: "get_time", Args: `{"zone":"UTC"}`}},
		Broken: &fakeprovider.Problem{Status: 429, Message: "Slow down."},
	}
	for _, client := range claudeClients {
		got, err := client.stream(t, serve(t, reply))
		if got.Text != reply.Text || !reflect.DeepEqual(got.Calls, reply.Calls) || got.Finish != "" {
			t.Errorf("%s: %+v", client.name, got)
		}
		if err == nil || !strings.Contains(err.Error(), "Slow down.") {
			t.Errorf("%s: error %v", client.name, err)
		}

		var throttled *types.ThrottlingException
		var anthropicError *anthropic.Error
		switch client.name {
		case "anthropic-sdk-go", "anthropic-sdk-go on Vertex AI":
			if !errors.As(err, &anthropicError) || anthropicError.Type() != "rate_limit_error" {
				t.Errorf("%s: error %v", client.name, err)
			}
		case "anthropic-sdk-go on Bedrock":
			if !errors.As(err, &anthropicError) || anthropicError.Type() != "throttlingException" {
				t.Errorf("%s: error %v", client.name, err)
			}
		default:
			if !errors.As(err, &throttled) {
				t.Errorf("%s: error %v", client.name, err)
			}
		}
	}
}

// A stream can break before it has any content, and an error
// without a message gets one of its provider.
func TestClaudeBrokenAtOnce(t *testing.T) {
	for _, client := range claudeClients {
		reply := fakeprovider.Reply{Broken: &fakeprovider.Problem{}}
		got, err := client.stream(t, serve(t, reply))
		if err == nil || got.Text != "" || got.Finish != "" {
			t.Errorf("%s: %+v, error %v", client.name, got, err)
		}
	}
}

// Arguments that a token limit cuts are an empty object, but for the
// deltas of a stream, which AWS's SDK shows.
func TestClaudeCutCalls(t *testing.T) {
	reply := fakeprovider.Reply{
		Calls:  []fakeprovider.Call{{ID: "call_1", Name: "search", Args: `{"query":"the wea`}},
		Finish: fakeprovider.FinishLength,
	}
	for _, client := range claudeClients {
		url := serve(t, reply)
		plain, err := client.plain(t, url)
		if err != nil || plain.Calls[0].Args != "{}" || plain.Finish != "max_tokens" {
			t.Errorf("%s: %+v, error %v", client.name, plain, err)
		}
		streamed, err := client.stream(t, url)
		want := reply.Calls[0].Args
		if client.accumulates {
			want = "{}" // Accumulate empties what is not JSON
		}
		if err != nil || streamed.Calls[0].Args != want {
			t.Errorf("%s: %+v, error %v", client.name, streamed, err)
		}
	}
}

// The SDK of Anthropic reads the number of tokens of a script.
func TestClaudeCountTokens(t *testing.T) {
	reply := fakeprovider.Reply{Usage: fakeprovider.Usage{Input: 77}}
	url := serve(t, reply)
	for _, client := range []*anthropic.Client{onAnthropic(url), onVertex(t, url)} {
		count, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
			Model:    "claude-opus-4-8",
			Messages: messageParams().Messages,
		})
		if err != nil || count.InputTokens != 77 {
			t.Errorf("%+v, error %v", count, err)
		}
	}
}

// Clients.

func onAnthropic(url string) *anthropic.Client {
	client := anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey("none"))
	return &client
}

func awsCredentials() aws.CredentialsProvider {
	return credentials.NewStaticCredentialsProvider("id", "none", "")
}

func onBedrock(url string) *anthropic.Client {
	config := aws.Config{Region: "us-east-1", Credentials: awsCredentials()}
	client := anthropic.NewClient(bedrock.WithConfig(config), option.WithBaseURL(url))
	return &client
}

func onVertex(t *testing.T, url string) *anthropic.Client {
	tokens := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "none"})
	credentials := &google.Credentials{ProjectID: "project", TokenSource: tokens}
	client := anthropic.NewClient(
		vertex.WithCredentials(t.Context(), "us-east5", "project", credentials),
		option.WithBaseURL(url),
	)
	return &client
}

func runtime(url string) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		Region:           "us-east-1",
		BaseEndpoint:     aws.String(url),
		Credentials:      awsCredentials(),
		RetryMaxAttempts: 1,
	})
}

// Anthropic's SDK.

func messageParams() anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model:     "claude-opus-4-8",
		MaxTokens: 1000,
		Messages: []anthropic.MessageParam{
			anthropic.NewUserMessage(anthropic.NewTextBlock("Hello there")),
		},
	}
}

func messages(t *testing.T, client *anthropic.Client) (claudeAnswer, error) {
	message, err := client.Messages.New(t.Context(), messageParams())
	if err != nil {
		return claudeAnswer{}, err
	}
	return ofMessage(message), nil
}

func messagesStream(t *testing.T, client *anthropic.Client) (claudeAnswer, error) {
	stream := client.Messages.NewStreaming(t.Context(), messageParams())
	defer stream.Close()
	var message anthropic.Message
	var pieces []string
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return claudeAnswer{}, err
		}
		if event.Delta.Type == "text_delta" {
			pieces = append(pieces, event.Delta.Text)
		}
	}
	answer := ofMessage(&message)
	answer.Pieces = pieces
	return answer, stream.Err()
}

func ofMessage(m *anthropic.Message) claudeAnswer {
	answer := claudeAnswer{
		Finish:       string(m.StopReason),
		StopSequence: m.StopSequence,
		Usage: fakeprovider.Usage{
			Input:     int(m.Usage.InputTokens),
			Output:    int(m.Usage.OutputTokens),
			Cached:    int(m.Usage.CacheReadInputTokens),
			Reasoning: int(m.Usage.OutputTokensDetails.ThinkingTokens),
		},
	}
	for _, block := range m.Content {
		answer.Reasoning += block.Thinking
		answer.Signature += block.Signature
		answer.Text += block.Text
		if block.Type == "tool_use" {
			call := fakeprovider.Call{ID: block.ID, Name: block.Name, Args: string(block.Input)}
			answer.Calls = append(answer.Calls, call)
		}
	}
	return answer
}

// AWS's SDK, Converse.

var converseMessages = []types.Message{{
	Role:    types.ConversationRoleUser,
	Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "Hello there"}},
}}

const claudeModel = "us.anthropic.claude-opus-4-8-v1:0"

func converse(t *testing.T, url string) (claudeAnswer, error) {
	out, err := runtime(url).Converse(t.Context(), &bedrockruntime.ConverseInput{
		ModelId:                           aws.String(claudeModel),
		Messages:                          converseMessages,
		AdditionalModelResponseFieldPaths: []string{"/stop_sequence"},
	})
	if err != nil {
		return claudeAnswer{}, err
	}

	answer := claudeAnswer{
		Finish:       string(out.StopReason),
		StopSequence: stopSequence(t, out.AdditionalModelResponseFields),
		Usage:        ofUsage(out.Usage),
	}
	for _, block := range out.Output.(*types.ConverseOutputMemberMessage).Value.Content {
		switch block := block.(type) {
		case *types.ContentBlockMemberText:
			answer.Text += block.Value
		case *types.ContentBlockMemberReasoningContent:
			text := block.Value.(*types.ReasoningContentBlockMemberReasoningText).Value
			answer.Reasoning += aws.ToString(text.Text)
			answer.Signature += aws.ToString(text.Signature)
		case *types.ContentBlockMemberToolUse:
			answer.Calls = append(answer.Calls, ofToolUse(t, block.Value))
		default:
			t.Errorf("unexpected block %T", block)
		}
	}
	return answer, nil
}

func ofToolUse(t *testing.T, use types.ToolUseBlock) fakeprovider.Call {
	args, err := use.Input.MarshalSmithyDocument()
	if err != nil {
		t.Error(err)
	}
	call := fakeprovider.Call{
		ID: aws.ToString(use.ToolUseId), Name: aws.ToString(use.Name), Args: string(args),
	}
	return call
}

func stopSequence(t *testing.T, fields document.Interface) string {
	var more struct {
		StopSequence string `document:"stop_sequence"`
	}
	if fields == nil {
		t.Error("no additional fields")
		return ""
	}
	if err := fields.UnmarshalSmithyDocument(&more); err != nil {
		t.Error(err)
	}
	return more.StopSequence
}

func ofUsage(u *types.TokenUsage) fakeprovider.Usage {
	return fakeprovider.Usage{
		Input:  int(aws.ToInt32(u.InputTokens)),
		Output: int(aws.ToInt32(u.OutputTokens)),
		Cached: int(aws.ToInt32(u.CacheReadInputTokens)),
	}
}

func converseStream(t *testing.T, url string) (claudeAnswer, error) {
	out, err := runtime(url).ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
		ModelId:                           aws.String(claudeModel),
		Messages:                          converseMessages,
		AdditionalModelResponseFieldPaths: []string{"/stop_sequence"},
	})
	if err != nil {
		return claudeAnswer{}, err
	}
	stream := out.GetStream()
	defer stream.Close()
	var answer claudeAnswer
	for event := range stream.Events() {
		switch event := event.(type) {
		case *types.ConverseStreamOutputMemberContentBlockStart:
			use := event.Value.Start.(*types.ContentBlockStartMemberToolUse).Value
			answer.Calls = append(answer.Calls, fakeprovider.Call{
				ID: aws.ToString(use.ToolUseId), Name: aws.ToString(use.Name),
			})
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			answer.addDelta(t, event.Value.Delta)
		case *types.ConverseStreamOutputMemberMessageStop:
			answer.Finish = string(event.Value.StopReason)
			answer.StopSequence = stopSequence(t, event.Value.AdditionalModelResponseFields)
		case *types.ConverseStreamOutputMemberMetadata:
			answer.Usage = ofUsage(event.Value.Usage)
		}
	}
	return answer, stream.Err()
}

func (a *claudeAnswer) addDelta(t *testing.T, delta types.ContentBlockDelta) {
	switch delta := delta.(type) {
	case *types.ContentBlockDeltaMemberText:
		a.Text += delta.Value
		a.Pieces = append(a.Pieces, delta.Value)
	case *types.ContentBlockDeltaMemberToolUse:
		a.Calls[len(a.Calls)-1].Args += aws.ToString(delta.Value.Input)
	case *types.ContentBlockDeltaMemberReasoningContent:
		switch reasoning := delta.Value.(type) {
		case *types.ReasoningContentBlockDeltaMemberText:
			a.Reasoning += reasoning.Value
		case *types.ReasoningContentBlockDeltaMemberSignature:
			a.Signature += reasoning.Value
		}
	default:
		t.Errorf("unexpected delta %T", delta)
	}
}

// AWS's SDK, InvokeModel.

// invokeModel returns the body of an answer of InvokeModel.
func invokeModel(ctx context.Context, url, model, body string) ([]byte, error) {
	out, err := runtime(url).InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
		ModelId: aws.String(model), Body: []byte(body),
	})
	if err != nil {
		return nil, err
	}
	return out.Body, nil
}

// eachChunk calls f for each event of an answer of InvokeModelWithResponseStream.
func eachChunk(t *testing.T, url, model, body string, f func(data []byte)) error {
	out, err := runtime(url).InvokeModelWithResponseStream(t.Context(),
		&bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: aws.String(model), Body: []byte(body),
		})
	if err != nil {
		return err
	}
	stream := out.GetStream()
	defer stream.Close()
	for event := range stream.Events() {
		chunk, isChunk := event.(*types.ResponseStreamMemberChunk)
		if !isChunk {
			t.Errorf("unexpected event %T", event)
			continue
		}
		f(chunk.Value.Bytes)
	}
	return stream.Err()
}

const claudeBody = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":1000,` +
	`"messages":[{"role":"user","content":"Hello there"}]}`

func invoke(t *testing.T, url string) (claudeAnswer, error) {
	body, err := invokeModel(t.Context(), url, claudeModel, claudeBody)
	if err != nil {
		return claudeAnswer{}, err
	}
	var message anthropic.Message
	if err := json.Unmarshal(body, &message); err != nil {
		return claudeAnswer{}, err
	}
	return ofMessage(&message), nil
}

func invokeStream(t *testing.T, url string) (claudeAnswer, error) {
	var message anthropic.Message
	var pieces []string
	err := eachChunk(t, url, claudeModel, claudeBody, func(data []byte) {
		var event anthropic.MessageStreamEventUnion
		if err := json.Unmarshal(data, &event); err != nil {
			t.Error(err)
		}
		if err := message.Accumulate(event); err != nil {
			t.Error(err)
		}
		if event.Delta.Type == "text_delta" {
			pieces = append(pieces, event.Delta.Text)
		}
	})
	answer := ofMessage(&message)
	answer.Pieces = pieces
	return answer, err
}

const (
	novaModel = "us.amazon.nova-lite-v1:0"
	novaBody  = `{"messages":[{"role":"user","content":[{"text":"Hello there"}]}]}`
)

// A novaBlock is a block or a delta of Nova.
type novaBlock struct {
	Text    string
	ToolUse *struct {
		ToolUseID string `json:"toolUseId"`
		Name      string
		Input     json.RawMessage // a string in a delta
	}
	ReasoningContent struct {
		Text          string
		Signature     string
		ReasoningText struct{ Text, Signature string }
	}
}

// novaUsage is the usage of Nova.
type novaUsage struct {
	InputTokens          int
	OutputTokens         int
	CacheReadInputTokens int
}

func (u novaUsage) usage() fakeprovider.Usage {
	return fakeprovider.Usage{
		Input: u.InputTokens, Output: u.OutputTokens, Cached: u.CacheReadInputTokens,
	}
}

func invokeNova(t *testing.T, url string) (claudeAnswer, error) {
	body, err := invokeModel(t.Context(), url, novaModel, novaBody)
	if err != nil {
		return claudeAnswer{}, err
	}
	var out struct {
		Output     struct{ Message struct{ Content []novaBlock } }
		StopReason string
		Usage      novaUsage
	}
	if err := json.Unmarshal(body, &out); err != nil {
		return claudeAnswer{}, err
	}

	answer := claudeAnswer{Finish: out.StopReason, Usage: out.Usage.usage()}
	for _, block := range out.Output.Message.Content {
		answer.Text += block.Text
		answer.Reasoning += block.ReasoningContent.ReasoningText.Text
		answer.Signature += block.ReasoningContent.ReasoningText.Signature
		if use := block.ToolUse; use != nil {
			answer.Calls = append(answer.Calls, fakeprovider.Call{
				ID: use.ToolUseID, Name: use.Name, Args: string(use.Input),
			})
		}
	}
	return answer, nil
}

func invokeNovaStream(t *testing.T, url string) (claudeAnswer, error) {
	var answer claudeAnswer
	err := eachChunk(t, url, novaModel, novaBody, func(data []byte) {
		var event struct {
			ContentBlockStart *struct{ Start novaBlock }
			ContentBlockDelta *struct{ Delta novaBlock }
			MessageStop       struct{ StopReason string }
			Metadata          struct{ Usage novaUsage }
		}
		if err := json.Unmarshal(data, &event); err != nil {
			t.Error(err)
		}
		if start := event.ContentBlockStart; start != nil {
			use := start.Start.ToolUse
			answer.Calls = append(answer.Calls, fakeprovider.Call{ID: use.ToolUseID, Name: use.Name})
		}
		if delta := event.ContentBlockDelta; delta != nil {
			answer.addNova(t, delta.Delta)
		}
		answer.Finish += event.MessageStop.StopReason
		if event.Metadata.Usage != (novaUsage{}) {
			answer.Usage = event.Metadata.Usage.usage()
		}
	})
	return answer, err
}

func (a *claudeAnswer) addNova(t *testing.T, delta novaBlock) {
	a.Text += delta.Text
	if delta.Text != "" {
		a.Pieces = append(a.Pieces, delta.Text)
	}
	a.Reasoning += delta.ReasoningContent.Text
	a.Signature += delta.ReasoningContent.Signature
	if use := delta.ToolUse; use != nil {
		var piece string
		if err := json.Unmarshal(use.Input, &piece); err != nil {
			t.Error(err)
		}
		a.Calls[len(a.Calls)-1].Args += piece
	}
}
