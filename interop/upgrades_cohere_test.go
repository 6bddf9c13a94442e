package interop

import (
	"context"
	"errors"
	"io"
	"net/http"

	cohere "github.com/cohere-ai/cohere-go/v2"
)

const (
	cohereText   = `{"id":"c-1","finish_reason":"COMPLETE","message":{"role":"assistant","content":[{"type":"text","text":"Hello there."}]},"usage":{"tokens":{"input_tokens":9,"output_tokens":3}}}`
	cohereCalls  = `{"id":"c-2","finish_reason":"TOOL_CALL","message":{"role":"assistant","tool_plan":"I will look.","tool_calls":[{"id":"get_weather_aaa","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}},{"id":"get_weather_bbb","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\"}"}}]},"usage":{"tokens":{"input_tokens":9,"output_tokens":3}}}`
	cohereStream = "event: message-start\ndata: {\"id\":\"c-3\",\"type\":\"message-start\",\"delta\":{\"message\":{\"role\":\"assistant\"}}}\n\nevent: content-delta\ndata: {\"type\":\"content-delta\",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"Hello\"}}}}\n\nevent: message-end\ndata: {\"type\":\"message-end\",\"delta\":{\"finish_reason\":\"COMPLETE\"}}\n" // an empty line at the end is an error to the SDK
)

var cohereScenarios = []scenario{
	{"chat", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("Say hello.")}})
		return err
	}},
	{"chat with system and sampling", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{
			Model: "command-a-03-2025", MaxTokens: cohere.Int(100), Temperature: cohere.Float64(0.2), Seed: cohere.Int(7), K: cohere.Int(40), P: cohere.Float64(0.9), StopSequences: []string{"END"},
			Messages: cohere.ChatMessages{
				{Role: "system", System: &cohere.SystemMessageV2{Content: &cohere.SystemMessageV2Content{String: "Be brief."}}},
				cohereUser("Say hello – «in French» & <b>bold</b>."),
			},
		})
		return err
	}},
	{"chat turns", []string{cohereText, cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		c := cohereAt(hc, base)
		req := &cohere.V2ChatRequest{Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("Say hello.")}}
		r, err := c.V2.Chat(ctx, req)
		if err != nil {
			return err
		}
		req.Messages = append(req.Messages, &cohere.ChatMessageV2{Role: "assistant", Assistant: &cohere.AssistantMessage{
			Content: &cohere.AssistantMessageV2Content{String: r.Message.Content[0].Text.Text},
		}}, cohereUser("And goodbye."))
		_, err = c.V2.Chat(ctx, req)
		return err
	}},
	{"chat tools", []string{cohereCalls, cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		c := cohereAt(hc, base)
		req := &cohere.V2ChatRequest{Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("The weather in Paris and Rome?")}, Tools: cohereToolsOf()}
		r, err := c.V2.Chat(ctx, req)
		if err != nil {
			return err
		}
		req.Messages = append(req.Messages, &cohere.ChatMessageV2{Role: "assistant", Assistant: &cohere.AssistantMessage{
			ToolCalls: r.Message.ToolCalls, ToolPlan: r.Message.ToolPlan,
		}})
		for _, call := range r.Message.ToolCalls {
			req.Messages = append(req.Messages, &cohere.ChatMessageV2{Role: "tool", Tool: &cohere.ToolMessageV2{
				ToolCallId: cohereID(call), Content: &cohere.ToolMessageV2Content{String: "sunny"},
			}})
		}
		_, err = c.V2.Chat(ctx, req)
		return err
	}},
	{"chat tool choice", []string{cohereCalls}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{
			Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("The weather in Paris?")}, Tools: cohereToolsOf(),
			ToolChoice: cohere.V2ChatRequestToolChoiceRequired.Ptr(), StrictTools: cohere.Bool(true),
		})
		return err
	}},
	{"chat stream", []string{cohereStream}, func(ctx context.Context, hc *http.Client, base string) error {
		s, err := cohereAt(hc, base).V2.ChatStream(ctx, &cohere.V2ChatStreamRequest{Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("Say hello.")}})
		if err != nil {
			return err
		}
		defer s.Close()
		for {
			if _, err := s.Recv(); err != nil {
				if errors.Is(err, io.EOF) {
					return nil
				}
				return err
			}
		}
	}},
	{"chat documents", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{
			Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("What do they say?")},
			Documents:       []*cohere.V2ChatRequestDocumentsItem{{String: "Zebras have stripes."}, {Document: &cohere.Document{Id: cohere.String("d2"), Data: map[string]any{"text": "Lions do not."}}}},
			CitationOptions: &cohere.CitationOptions{Mode: cohere.CitationOptionsModeFast.Ptr()},
		})
		return err
	}},
	{"chat schema", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{
			Model: "command-a-03-2025", Messages: cohere.ChatMessages{cohereUser("Where?")},
			ResponseFormat: &cohere.ResponseFormatV2{Type: "json_object", JsonObject: &cohere.JsonResponseFormatV2{JsonSchema: weatherSchema()}},
		})
		return err
	}},
	{"chat image", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{Model: "command-a-vision-07-2025", Messages: cohere.ChatMessages{{Role: "user", User: &cohere.UserMessageV2{
			Content: &cohere.UserMessageV2Content{ContentList: []*cohere.Content{
				{Type: "text", Text: &cohere.ChatTextContent{Text: "What is this?"}},
				{Type: "image_url", ImageUrl: &cohere.ImageContent{ImageUrl: &cohere.ImageUrl{Url: "data:image/png;base64," + pixel}}},
			}},
		}}}})
		return err
	}},
	{"chat thinking", []string{cohereText}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Chat(ctx, &cohere.V2ChatRequest{
			Model: "command-a-reasoning-08-2025", Messages: cohere.ChatMessages{cohereUser("Say hello.")}, Thinking: &cohere.Thinking{Type: cohere.ThinkingTypeDisabled},
		})
		return err
	}},
	{"chat v1", []string{`{"text":"Hello there.","generation_id":"g-1","finish_reason":"COMPLETE"}`}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).Chat(ctx, &cohere.ChatRequest{
			Message: "Say hello.", Model: cohere.String("command-r-08-2024"), Preamble: cohere.String("Be brief."),
			ChatHistory: []*cohere.Message{{Role: "USER", User: &cohere.ChatMessage{Message: "Hi."}}, {Role: "CHATBOT", Chatbot: &cohere.ChatMessage{Message: "Hi."}}},
		})
		return err
	}},
	{"embed", []string{`{"id":"e-1","embeddings":{"float":[[0.5,0.25],[0.5,0.125]]},"texts":["zebra","lion"],"response_type":"embeddings_by_type"}`}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Embed(ctx, &cohere.V2EmbedRequest{
			Model: "embed-v4.0", Texts: []string{"zebra", "lion"}, InputType: cohere.EmbedInputTypeSearchDocument, EmbeddingTypes: []cohere.EmbeddingType{cohere.EmbeddingTypeFloat},
		})
		return err
	}},
	{"embed image", []string{`{"id":"e-2","embeddings":{"float":[[0.5,0.25]]},"texts":[],"response_type":"embeddings_by_type"}`}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Embed(ctx, &cohere.V2EmbedRequest{
			Model: "embed-v4.0", Images: []string{"data:image/png;base64," + pixel}, InputType: cohere.EmbedInputTypeImage, EmbeddingTypes: []cohere.EmbeddingType{cohere.EmbeddingTypeFloat}, OutputDimension: cohere.Int(256),
		})
		return err
	}},
	{"rerank", []string{`{"id":"r-1","results":[{"index":1,"relevance_score":0.5}]}`}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).V2.Rerank(ctx, &cohere.V2RerankRequest{Model: "rerank-v3.5", Query: "zebra", Documents: []string{"lions", "stripes"}, TopN: cohere.Int(1)})
		return err
	}},
	{"tokenize", []string{`{"tokens":[1,2],"token_strings":["a","b"]}`}, func(ctx context.Context, hc *http.Client, base string) error {
		_, err := cohereAt(hc, base).Tokenize(ctx, &cohere.TokenizeRequest{Text: "zebra", Model: "command-a-03-2025"})
		return err
	}},
}

func cohereUser(text string) *cohere.ChatMessageV2 {
	return &cohere.ChatMessageV2{Role: "user", User: &cohere.UserMessageV2{Content: &cohere.UserMessageV2Content{String: text}}}
}

func cohereToolsOf() []*cohere.ToolV2 {
	return []*cohere.ToolV2{{Type: cohere.String("function"), Function: &cohere.ToolV2Function{
		Name: "get_weather", Description: cohere.String("The weather in a city"), Parameters: weatherSchema(),
	}}}
}

func cohereID(call *cohere.ToolCallV2) string { return *call.Id }
