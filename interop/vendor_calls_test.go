package interop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	cohere "github.com/cohere-ai/cohere-go/v2"
	coclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"
)

// vendorCalls are those of the other vendors' SDKs, whose streams have a framing
// each: events with CRLF, a JSON array, AWS's messages, lines of JSON.
var vendorCalls = []call{
	{name: "genai", others: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return nil, err
		}
		r, err := c.Models.GenerateContent(ctx, q.model, genai.Text(q.text), genaiConfig(q))
		if err != nil {
			return nil, err
		}
		r.SDKHTTPResponse = nil // its headers have the time
		each(jsonOf(r))
		return r.Text(), nil
	}},
	{name: "bedrock converse", others: true, anon: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		out, err := bedrockAt(client, base).Converse(ctx, &bedrockruntime.ConverseInput{
			ModelId: aws.String(q.model), Messages: converseMessages(q), ToolConfig: converseTools(q),
		})
		if err != nil {
			return nil, err
		}
		message, ok := out.Output.(*brtypes.ConverseOutputMemberMessage)
		if !ok {
			return nil, fmt.Errorf("unexpected %T", out.Output)
		}
		each(jsonOf(out))
		return converseContent(message.Value)
	}},
	{name: "ollama chat", others: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		plain := false
		return ollamaChat(ctx, client, base, q, &plain, each)
	}},
	{name: "cohere chat", others: true, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		r, err := cohereAt(client, base).V2.Chat(ctx, &cohere.V2ChatRequest{Model: q.model, Messages: cohereMessages(q), Tools: cohereTools(q)})
		if err != nil {
			return nil, err
		}
		each(jsonOf(r))
		return r.Message, nil
	}},
	{name: "genai stream", stream: true, others: true, last: `"finishReason"`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c, err := genaiAt(ctx, client, base)
		if err != nil {
			return nil, err
		}
		all := ""
		for r, err := range c.Models.GenerateContentStream(ctx, q.model, genai.Text(q.text), genaiConfig(q)) {
			if err != nil {
				return nil, err
			}
			all += r.Text()
			if r.SDKHTTPResponse = nil; !each(jsonOf(r)) { // its headers have the time
				break
			}
		}
		return all, nil
	}},
	{name: "gemini array", stream: true, others: true, last: `"finishReason"`, ask: geminiArray},
	{name: "bedrock converse stream", stream: true, others: true, deaf: true, anon: true, last: "Metadata", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		out, err := bedrockAt(client, base).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
			ModelId: aws.String(q.model), Messages: converseMessages(q), ToolConfig: converseTools(q),
		})
		if err != nil {
			return nil, err
		}
		stream := out.GetStream()
		defer stream.Close()
		all := ""
		for event := range stream.Events() {
			if delta, ok := event.(*brtypes.ConverseStreamOutputMemberContentBlockDelta); ok {
				if text, ok := delta.Value.Delta.(*brtypes.ContentBlockDeltaMemberText); ok {
					all += text.Value
				}
			}
			if !each(fmt.Sprintf("%T %s", event, jsonOf(event))) {
				return all, nil
			}
		}
		return all, stream.Err()
	}},
	{name: "bedrock invoke stream", stream: true, others: true, deaf: true, last: "message_stop", ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		ask := map[string]any{
			"anthropic_version": "bedrock-2023-05-31", "max_tokens": 4096,
			"messages": []any{map[string]any{"role": "user", "content": q.text}},
		}
		if q.tools {
			ask["tools"] = []any{map[string]any{"name": "get_weather", "input_schema": schema}}
		}
		out, err := bedrockAt(client, base).InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: aws.String("anthropic." + q.model), Body: []byte(jsonOf(ask)),
		})
		if err != nil {
			return nil, err
		}
		stream := out.GetStream()
		defer stream.Close()
		all := ""
		for event := range stream.Events() {
			chunk, ok := event.(*brtypes.ResponseStreamMemberChunk)
			if !ok {
				return nil, fmt.Errorf("unexpected %T", event)
			}
			var e struct{ Delta struct{ Text string } }
			if err := json.Unmarshal(chunk.Value.Bytes, &e); err != nil {
				return nil, err
			}
			all += e.Delta.Text
			if !each(string(chunk.Value.Bytes)) {
				return all, nil
			}
		}
		return all, stream.Err()
	}},
	{name: "ollama chat stream", stream: true, others: true, deaf: true, last: `"done":true`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		return ollamaChat(ctx, client, base, q, nil, each)
	}},
	{name: "ollama generate stream", stream: true, others: true, deaf: true, last: `"done":true`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c, err := ollamaAt(client, base)
		if err != nil {
			return nil, err
		}
		all := ""
		err = c.Generate(ctx, &ollama.GenerateRequest{Model: q.model, Prompt: q.text}, func(r ollama.GenerateResponse) error {
			all += r.Response
			if !each(jsonOf(r)) {
				return errStopped
			}
			return nil
		})
		return all, unlessStopped(err)
	}},
	{name: "cohere chat stream", stream: true, others: true, lumps: true, last: `"message-end"`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		stream, err := cohereAt(client, base).V2.ChatStream(ctx, &cohere.V2ChatStreamRequest{Model: q.model, Messages: cohereMessages(q), Tools: cohereTools(q)})
		if err != nil {
			return nil, err
		}
		defer stream.Close()
		all := ""
		for {
			event, err := stream.Recv()
			if err == io.EOF {
				return all, nil
			}
			if err != nil {
				return nil, err
			}
			if event.ContentDelta != nil {
				all += *event.ContentDelta.Delta.Message.Content.Text
			}
			if !each(jsonOf(event)) {
				return all, nil
			}
		}
	}},
}

func genaiAt(ctx context.Context, client *http.Client, base string) (*genai.Client, error) {
	return genai.NewClient(ctx, &genai.ClientConfig{
		HTTPClient: client, APIKey: fakeKey, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: base},
	})
}

func genaiConfig(q question) *genai.GenerateContentConfig {
	if !q.tools {
		return nil
	}
	return &genai.GenerateContentConfig{Tools: []*genai.Tool{{
		FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "get_weather", ParametersJsonSchema: schema}},
	}}}
}

func converseMessages(q question) []brtypes.Message {
	return []brtypes.Message{{Role: brtypes.ConversationRoleUser, Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: q.text}}}}
}

func converseTools(q question) *brtypes.ToolConfiguration {
	if !q.tools {
		return nil
	}
	return &brtypes.ToolConfiguration{Tools: []brtypes.Tool{&brtypes.ToolMemberToolSpec{Value: brtypes.ToolSpecification{
		Name: aws.String("get_weather"), InputSchema: &brtypes.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)},
	}}}}
}

// converseContent is the texts and the arguments of a message. (Arguments hide
// from encoding/json.)
func converseContent(m brtypes.Message) (content []string, err error) {
	for _, b := range m.Content {
		switch b := b.(type) {
		case *brtypes.ContentBlockMemberText:
			content = append(content, b.Value)
		case *brtypes.ContentBlockMemberToolUse:
			args, err := b.Value.Input.MarshalSmithyDocument()
			if err != nil {
				return nil, err
			}
			content = append(content, string(args))
		}
	}
	return content, nil
}

func ollamaAt(client *http.Client, base string) (*ollama.Client, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	return ollama.NewClient(u, client), nil
}

func ollamaChat(ctx context.Context, client *http.Client, base string, q question, stream *bool, each func(string) bool) (any, error) {
	c, err := ollamaAt(client, base)
	if err != nil {
		return nil, err
	}
	req := &ollama.ChatRequest{Model: q.model, Messages: []ollama.Message{{Role: "user", Content: q.text}}, Stream: stream}
	if q.tools {
		tool := ollama.Tool{Type: "function", Function: ollama.ToolFunction{Name: "get_weather"}}
		if err := json.Unmarshal([]byte(jsonOf(schema)), &tool.Function.Parameters); err != nil {
			return nil, err
		}
		req.Tools = ollama.Tools{tool}
	}
	all := ""
	err = c.Chat(ctx, req, func(r ollama.ChatResponse) error {
		all += r.Message.Content
		if !each(jsonOf(r)) {
			return errStopped
		}
		return nil
	})
	return all, unlessStopped(err)
}

func cohereAt(client *http.Client, base string) *coclient.Client {
	return coclient.NewClient(coclient.WithHTTPClient(client), coclient.WithBaseURL(base), coclient.WithToken(fakeKey))
}

func cohereMessages(q question) cohere.ChatMessages {
	return cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: q.text}}}}
}

func cohereTools(q question) []*cohere.ToolV2 {
	if !q.tools {
		return nil
	}
	return []*cohere.ToolV2{{Type: cohere.String("function"), Function: &cohere.ToolV2Function{Name: "get_weather", Parameters: schema}}}
}

// errStopped ends a stream of Ollama's client, which has no other way.
var errStopped = errors.New("stopped")

func unlessStopped(err error) error {
	if errors.Is(err, errStopped) {
		return nil
	}
	return err
}

// fakeKeyID is the half of AWS's credentials that is sent.
const fakeKeyID = "AKIDEXAMPLE-NOT-REAL"

func bedrockAt(client *http.Client, base string) *bedrockruntime.Client {
	options := bedrockOptions(client, base)
	options.RetryMaxAttempts = 1
	return bedrockruntime.New(options)
}

// bedrockOptions are those of a client with the retries it has by default.
func bedrockOptions(client *http.Client, base string) bedrockruntime.Options {
	return bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(base), HTTPClient: client,
		Credentials: credentials.NewStaticCredentialsProvider(fakeKeyID, fakeKey, ""),
	}
}

// geminiArray asks for Gemini's stream as it is without alt=sse, which no SDK
// of Go does, and decodes it as it comes, as an application would.
func geminiArray(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
	ask := map[string]any{"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": q.text}}}}}
	if q.tools {
		ask["tools"] = genaiConfig(q).Tools
	}
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1beta/models/"+q.model+":streamGenerateContent", strings.NewReader(jsonOf(ask)))
	if err != nil {
		return nil, err
	}
	req.Header.Set("X-Goog-Api-Key", fakeKey)
	req.Header.Set("Content-Type", "application/json")
	resp, err := client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	dec := json.NewDecoder(resp.Body)
	if _, err := dec.Token(); err != nil { // "["
		return nil, err
	}
	all := ""
	for dec.More() {
		var r genai.GenerateContentResponse
		if err := dec.Decode(&r); err != nil {
			return nil, err
		}
		all += r.Text()
		if !each(jsonOf(r)) {
			return all, nil
		}
	}
	_, err = dec.Token()
	return all, err
}

func jsonOf(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err) // the types of SDKs marshal
	}
	return string(b)
}
