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
	brtypes "github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	cohere "github.com/cohere-ai/cohere-go/v2"
	coclient "github.com/cohere-ai/cohere-go/v2/client"
	ollama "github.com/ollama/ollama/api"
	"google.golang.org/genai"
)

// vendorCalls are the streams of the other vendors' SDKs, each in a framing of
// its own: events with CRLF, a JSON array, AWS's messages, lines of JSON.
var vendorCalls = []call{
	{name: "genai stream", stream: true, others: true, last: `"finishReason"`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c, err := genai.NewClient(ctx, &genai.ClientConfig{
			HTTPClient: client, APIKey: fakeKey, Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: base},
		})
		if err != nil {
			return nil, err
		}
		all := ""
		for r, err := range c.Models.GenerateContentStream(ctx, q.model, genai.Text(q.text), nil) {
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
			ModelId:  aws.String(q.model),
			Messages: []brtypes.Message{{Role: brtypes.ConversationRoleUser, Content: []brtypes.ContentBlock{&brtypes.ContentBlockMemberText{Value: q.text}}}},
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
		body := jsonOf(map[string]any{
			"anthropic_version": "bedrock-2023-05-31", "max_tokens": 4096,
			"messages": []any{map[string]any{"role": "user", "content": q.text}},
		})
		out, err := bedrockAt(client, base).InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: aws.String("anthropic." + q.model), Body: []byte(body),
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
		u, err := url.Parse(base)
		if err != nil {
			return nil, err
		}
		all := ""
		err = ollama.NewClient(u, client).Chat(ctx, &ollama.ChatRequest{
			Model: q.model, Messages: []ollama.Message{{Role: "user", Content: q.text}},
		}, func(r ollama.ChatResponse) error {
			all += r.Message.Content
			if !each(jsonOf(r)) {
				return errStopped
			}
			return nil
		})
		return all, unlessStopped(err)
	}},
	{name: "ollama generate stream", stream: true, others: true, deaf: true, last: `"done":true`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		u, err := url.Parse(base)
		if err != nil {
			return nil, err
		}
		all := ""
		err = ollama.NewClient(u, client).Generate(ctx, &ollama.GenerateRequest{Model: q.model, Prompt: q.text}, func(r ollama.GenerateResponse) error {
			all += r.Response
			if !each(jsonOf(r)) {
				return errStopped
			}
			return nil
		})
		return all, unlessStopped(err)
	}},
	{name: "cohere chat stream", stream: true, others: true, lumps: true, last: `"message-end"`, ask: func(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
		c := coclient.NewClient(coclient.WithHTTPClient(client), coclient.WithBaseURL(base), coclient.WithToken(fakeKey))
		stream, err := c.V2.ChatStream(ctx, &cohere.V2ChatStreamRequest{
			Model:    q.model,
			Messages: cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: q.text}}}},
		})
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
	return bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(base), HTTPClient: client, RetryMaxAttempts: 1,
		Credentials: credentials.NewStaticCredentialsProvider(fakeKeyID, fakeKey, ""),
	})
}

// geminiArray asks for Gemini's stream as it is without alt=sse, which no SDK
// of Go does, and decodes it as it comes, as an application would.
func geminiArray(ctx context.Context, client *http.Client, base string, q question, each func(string) bool) (any, error) {
	text := jsonOf(map[string]any{"contents": []any{map[string]any{"role": "user", "parts": []any{map[string]any{"text": q.text}}}}})
	req, err := http.NewRequestWithContext(ctx, "POST", base+"/v1beta/models/"+q.model+":streamGenerateContent", strings.NewReader(text))
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
