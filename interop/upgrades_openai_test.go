package interop

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/responses"
	"github.com/openai/openai-go/v3/shared"
)

func openaiOf(client *http.Client, base string) openai.Client {
	return openai.NewClient(option.WithHTTPClient(client), option.WithBaseURL(base+"/v1/"), option.WithAPIKey("sk-NOTREAL"))
}

const (
	openaiChatAnswer  = `{"id":"chatcmpl-1","object":"chat.completion","created":1760000000,"model":"gpt-5-mini-2025-08-07","choices":[{"index":0,"message":{"role":"assistant","content":"Hello there.","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12},"service_tier":"default","system_fingerprint":null}`
	openaiChatCalls   = `{"id":"chatcmpl-2","object":"chat.completion","created":1760000000,"model":"gpt-5-mini-2025-08-07","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"call_aaa","type":"function","function":{"name":"get_weather","arguments":"{\"city\": \"Paris\"}"}},{"id":"call_bbb","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Rome\",\"units\":\"celsius\"}"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":9,"completion_tokens":3,"total_tokens":12},"service_tier":"default","system_fingerprint":null}`
	openaiChatNote    = `{"id":"chatcmpl-3","object":"chat.completion","created":1760000000,"model":"gpt-5-mini-2025-08-07","choices":[{"index":0,"message":{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"call_ccc","type":"function","function":{"name":"now","arguments":"{}"}}],"refusal":null},"finish_reason":"tool_calls"}]}`
	openaiChatStream  = "data: {\"id\":\"chatcmpl-4\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5-mini-2025-08-07\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Hello\"},\"finish_reason\":null}]}\n\ndata: {\"id\":\"chatcmpl-4\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5-mini-2025-08-07\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
	openaiCallsStream = "data: {\"id\":\"chatcmpl-5\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5-mini-2025-08-07\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"index\":0,\"id\":\"call_aaa\",\"type\":\"function\",\"function\":{\"name\":\"get_weather\",\"arguments\":\"\"}}],\"refusal\":null},\"finish_reason\":null}]}\n\ndata: {\"id\":\"chatcmpl-5\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5-mini-2025-08-07\",\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"city\\\":\\\"Paris\\\"}\"}}]},\"finish_reason\":null}]}\n\ndata: {\"id\":\"chatcmpl-5\",\"object\":\"chat.completion.chunk\",\"created\":1760000000,\"model\":\"gpt-5-mini-2025-08-07\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n"

	openaiResponseText   = `{"id":"resp_1","object":"response","created_at":1760000000,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"gpt-5-mini-2025-08-07","output":[{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello there.","annotations":[],"logprobs":[]}]}],"parallel_tool_calls":true,"temperature":1,"tool_choice":"auto","tools":[],"top_p":1,"usage":{"input_tokens":9,"input_tokens_details":{"cached_tokens":0},"output_tokens":3,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":12}}`
	openaiResponseCalls  = `{"id":"resp_2","object":"response","created_at":1760000000,"status":"completed","error":null,"incomplete_details":null,"instructions":null,"metadata":{},"model":"gpt-5-mini-2025-08-07","output":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Two cities."}],"encrypted_content":"gAAAAABnotreal=="},{"type":"message","id":"msg_2","status":"completed","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Let me look.","annotations":[{"type":"url_citation","url":"https://example.com/","title":"Example","start_index":0,"end_index":3}],"logprobs":[]}]},{"type":"function_call","id":"fc_1","call_id":"call_aaa","name":"get_weather","arguments":"{\"city\": \"Paris\"}","status":"completed"},{"type":"function_call","id":"fc_2","call_id":"call_bbb","name":"get_weather","arguments":"{\"city\":\"Rome\"}","status":"completed"}],"parallel_tool_calls":true,"temperature":1,"tool_choice":"auto","tools":[],"top_p":1}`
	openaiResponseStream = "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_3\",\"object\":\"response\",\"created_at\":1760000000,\"status\":\"in_progress\",\"model\":\"gpt-5-mini-2025-08-07\",\"output\":[]}}\n\nevent: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\",\"sequence_number\":1,\"item_id\":\"msg_1\",\"output_index\":0,\"content_index\":0,\"delta\":\"Hello\"}\n\nevent: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":2,\"response\":{\"id\":\"resp_3\",\"object\":\"response\",\"created_at\":1760000000,\"status\":\"completed\",\"model\":\"gpt-5-mini-2025-08-07\",\"output\":[{\"type\":\"message\",\"id\":\"msg_1\",\"status\":\"completed\",\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"Hello\",\"annotations\":[]}]}]}}\n\n"
	openaiEmbedding      = `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5,0.25]},{"object":"embedding","index":1,"embedding":[0.5,0.125]}],"model":"text-embedding-3-small","usage":{"prompt_tokens":5,"total_tokens":5}}`
)

var openaiScenarios = []scenario{
	{"chat", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
		})
		return err
	}},
	{"chat system and sampling", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief.\nUse <b>tags</b> & quotes."), openai.UserMessage("Say hello – «in French».")},
			Temperature: openai.Float(0.2), MaxCompletionTokens: openai.Int(100), Seed: openai.Int(7), TopP: openai.Float(0.9), User: openai.String("user-1"),
		})
		return err
	}},
	{"chat developer and reasoning effort", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "o4-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.DeveloperMessage("Be brief."), openai.UserMessage("Say hello.")},
			ReasoningEffort: shared.ReasoningEffortLow,
		})
		return err
	}},
	{"chat turns", []string{openaiChatAnswer, openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		p := openai.ChatCompletionNewParams{Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."), openai.UserMessage("Say hello.")}}
		r, err := c.Chat.Completions.New(ctx, p)
		if err != nil {
			return err
		}
		p.Messages = append(p.Messages, r.Choices[0].Message.ToParam(), openai.UserMessage("And goodbye."))
		_, err = c.Chat.Completions.New(ctx, p)
		return err
	}},
	{"chat turns by hand", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{
			openai.UserMessage("Say hello."), openai.AssistantMessage("Hello there."), openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{openai.TextContentPart("And goodbye.")}),
		}})
		return err
	}},
	{"chat stream", []string{openaiChatStream}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		return drain(c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
		}))
	}},
	{"chat stream with usage", []string{openaiChatStream}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		return drain(c.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
			StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
		}))
	}},
	{"chat tools", []string{openaiChatCalls, openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		return openaiToolLoop(ctx, openaiOf(client, base), openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("The weather in Paris and Rome?")},
			Tools: openaiTools(),
		})
	}},
	{"chat tools with a note", []string{openaiChatNote, openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		return openaiToolLoop(ctx, openaiOf(client, base), openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.SystemMessage("Be brief."), openai.UserMessage("What time is it?")},
			Tools: openaiTools(), ParallelToolCalls: openai.Bool(false),
		})
	}},
	{"chat tool choice", []string{openaiChatCalls}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("The weather in Paris?")},
			Tools: openaiTools(), ToolChoice: openaiToolChoice("get_weather"),
		})
		return err
	}},
	{"chat tool required", []string{openaiChatCalls}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("The weather in Paris?")},
			Tools: openaiTools(), ToolChoice: openai.ChatCompletionToolChoiceOptionUnionParam{OfAuto: openai.String("required")},
		})
		return err
	}},
	{"chat stream tools", []string{openaiCallsStream, openaiChatStream}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		p := openai.ChatCompletionNewParams{
			Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("The weather in Paris?")}, Tools: openaiTools(),
		}
		s := c.Chat.Completions.NewStreaming(ctx, p)
		var acc openai.ChatCompletionAccumulator
		for s.Next() {
			acc.AddChunk(s.Current())
		}
		if err := s.Err(); err != nil {
			return err
		}
		message := acc.Choices[0].Message
		p.Messages = append(p.Messages, message.ToParam())
		for _, call := range message.ToolCalls {
			p.Messages = append(p.Messages, openai.ToolMessage("sunny", call.ID))
		}
		return drain(c.Chat.Completions.NewStreaming(ctx, p))
	}},
	{"chat json schema", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Where?")},
			ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONSchema: &shared.ResponseFormatJSONSchemaParam{
				JSONSchema: shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: "place", Description: openai.String("A place"), Schema: weatherSchema(), Strict: openai.Bool(true)},
			}},
		})
		return err
	}},
	{"chat json object", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Where? As JSON.")},
			ResponseFormat: openai.ChatCompletionNewParamsResponseFormatUnion{OfJSONObject: &shared.ResponseFormatJSONObjectParam{}},
		})
		return err
	}},
	{"chat image", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("What is this?"),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:image/png;base64," + pixel, Detail: "low"}),
				openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "https://example.com/cat.png"}),
			})},
		})
		return err
	}},
	{"chat stop and several choices", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "gpt-4o-mini", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Count.")},
			N: openai.Int(2), Logprobs: openai.Bool(true), TopLogprobs: openai.Int(3),
			Stop: openai.ChatCompletionNewParamsStopUnion{OfStringArray: []string{"END"}},
		})
		return err
	}},
	{"chat extra field", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{
			Model: "qwen3", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Say hello.")},
		}, option.WithJSONSet("chat_template_kwargs", map[string]any{"enable_thinking": false}))
		return err
	}},
	{"responses", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
		})
		return err
	}},
	{"responses with instructions", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Instructions: openai.String("Be brief."), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
			MaxOutputTokens: openai.Int(200), Store: openai.Bool(false), Temperature: openai.Float(1),
			Reasoning: shared.ReasoningParam{Effort: shared.ReasoningEffortLow, Summary: shared.ReasoningSummaryAuto},
			Include:   []responses.ResponseIncludable{"reasoning.encrypted_content"}, Truncation: "auto",
		})
		return err
	}},
	{"responses items", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
				responses.ResponseInputItemParamOfMessage("Be brief.", responses.EasyInputMessageRoleDeveloper),
				responses.ResponseInputItemParamOfMessage("Say hello.", responses.EasyInputMessageRoleUser),
				responses.ResponseInputItemParamOfMessage("Hello there.", responses.EasyInputMessageRoleAssistant),
				responses.ResponseInputItemParamOfInputMessage(responses.ResponseInputMessageContentListParam{responses.ResponseInputContentParamOfInputText("And goodbye.")}, "user"),
			}},
		})
		return err
	}},
	{"responses image", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfInputItemList: responses.ResponseInputParam{
				responses.ResponseInputItemParamOfMessage(responses.ResponseInputMessageContentListParam{
					{OfInputText: &responses.ResponseInputTextParam{Text: "What is this?"}},
					{OfInputImage: &responses.ResponseInputImageParam{Detail: "auto", ImageURL: openai.String("data:image/png;base64," + pixel)}},
				}, responses.EasyInputMessageRoleUser),
			}},
		})
		return err
	}},
	{"responses stream", []string{openaiResponseStream}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		return drain(c.Responses.NewStreaming(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Say hello.")},
		}))
	}},
	{"responses json schema", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("Where?")},
			Text: responses.ResponseTextConfigParam{Format: responses.ResponseFormatTextConfigUnionParam{OfJSONSchema: &responses.ResponseFormatTextJSONSchemaConfigParam{
				Name: "place", Schema: weatherSchema(), Strict: openai.Bool(true),
			}}},
		})
		return err
	}},
	{"responses tools, items sent back", []string{openaiResponseCalls, openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		items := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage("The weather in Paris and Rome?", responses.EasyInputMessageRoleUser)}
		p := responses.ResponseNewParams{
			Model: "gpt-5-mini", Store: openai.Bool(false), Include: []responses.ResponseIncludable{"reasoning.encrypted_content"}, Tools: openaiResponseTools(),
			Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
		}
		r, err := c.Responses.New(ctx, p)
		if err != nil {
			return err
		}
		for _, item := range r.Output {
			switch item := item.AsAny().(type) {
			case responses.ResponseReasoningItem:
				p := item.ToParam()
				items = append(items, responses.ResponseInputItemUnionParam{OfReasoning: &p})
			case responses.ResponseOutputMessage:
				p := item.ToParam()
				items = append(items, responses.ResponseInputItemUnionParam{OfOutputMessage: &p})
			case responses.ResponseFunctionToolCall:
				p := item.ToParam()
				items = append(items, responses.ResponseInputItemUnionParam{OfFunctionCall: &p}, openaiCallOutput(item.CallID, "sunny in "+item.Arguments))
			}
		}
		p.Input.OfInputItemList = items
		_, err = c.Responses.New(ctx, p)
		return err
	}},
	{"responses tools, calls by hand", []string{openaiResponseCalls, openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		items := responses.ResponseInputParam{responses.ResponseInputItemParamOfMessage("The weather in Paris and Rome?", responses.EasyInputMessageRoleUser)}
		p := responses.ResponseNewParams{
			Model: "gpt-5-mini", Tools: openaiResponseTools(), Input: responses.ResponseNewParamsInputUnion{OfInputItemList: items},
			ToolChoice: responses.ResponseNewParamsToolChoiceUnion{OfToolChoiceMode: openai.Opt(responses.ToolChoiceOptionsRequired)},
		}
		r, err := c.Responses.New(ctx, p)
		if err != nil {
			return err
		}
		for _, item := range r.Output {
			if item.Type == "function_call" {
				call := item.AsFunctionCall()
				items = append(items, responses.ResponseInputItemParamOfFunctionCall(call.Arguments, call.CallID, call.Name), openaiCallOutput(call.CallID, "sunny"))
			}
		}
		p.Input.OfInputItemList = items
		_, err = c.Responses.New(ctx, p)
		return err
	}},
	{"responses tools, previous response", []string{openaiResponseCalls, openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		p := responses.ResponseNewParams{
			Model: "gpt-5-mini", Tools: openaiResponseTools(), Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("The weather in Paris and Rome?")},
		}
		r, err := c.Responses.New(ctx, p)
		if err != nil {
			return err
		}
		p.PreviousResponseID = openai.String(r.ID)
		var items responses.ResponseInputParam
		for _, item := range r.Output {
			if item.Type == "function_call" {
				items = append(items, openaiCallOutput(item.CallID, "sunny"))
			}
		}
		p.Input = responses.ResponseNewParamsInputUnion{OfInputItemList: items}
		_, err = c.Responses.New(ctx, p)
		return err
	}},
	{"responses web search", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("The news?")},
			Tools: []responses.ToolUnionParam{responses.ToolParamOfWebSearchPreview(responses.WebSearchPreviewToolTypeWebSearchPreview)},
		})
		return err
	}},
	{"responses code interpreter", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("2^64?")},
			Tools: []responses.ToolUnionParam{responses.ToolParamOfCodeInterpreter(responses.ToolCodeInterpreterContainerCodeInterpreterContainerAutoParam{})},
		})
		return err
	}},
	{"responses file search", []string{openaiResponseText}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.New(ctx, responses.ResponseNewParams{
			Model: "gpt-5-mini", Input: responses.ResponseNewParamsInputUnion{OfString: openai.String("What do the files say?")},
			Tools: []responses.ToolUnionParam{responses.ToolParamOfFileSearch([]string{"vs_1"})},
		})
		return err
	}},
	{"responses input tokens", []string{`{"object":"response.input_tokens","input_tokens":11}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Responses.InputTokens.Count(ctx, responses.InputTokenCountParams{
			Model: openai.String("gpt-5-mini"), Input: responses.InputTokenCountParamsInputUnion{OfString: openai.String("Say hello.")}, Tools: openaiResponseTools(),
		})
		return err
	}},
	{"embeddings", []string{openaiEmbedding}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model: "text-embedding-3-small", Input: openai.EmbeddingNewParamsInputUnion{OfString: openai.String("zebra")},
		})
		return err
	}},
	{"embeddings of several", []string{openaiEmbedding}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Embeddings.New(ctx, openai.EmbeddingNewParams{
			Model: "text-embedding-3-small", Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"zebra", "lion"}},
			Dimensions: openai.Int(2), EncodingFormat: "float",
		})
		return err
	}},
	{"moderation", []string{`{"id":"modr-1","model":"omni-moderation-latest","results":[{"flagged":false,"categories":{},"category_scores":{}}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Moderations.New(ctx, openai.ModerationNewParams{
			Model: "omni-moderation-latest", Input: openai.ModerationNewParamsInputUnion{OfString: openai.String("zebra")},
		})
		return err
	}},
	{"completions", []string{`{"id":"cmpl-1","object":"text_completion","created":1760000000,"model":"gpt-3.5-turbo-instruct","choices":[{"text":"hello","index":0,"logprobs":null,"finish_reason":"stop"}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Completions.New(ctx, openai.CompletionNewParams{
			Model: "gpt-3.5-turbo-instruct", Prompt: openai.CompletionNewParamsPromptUnion{OfString: openai.String("Say")}, MaxTokens: openai.Int(5),
		})
		return err
	}},
	{"images", []string{`{"created":1760000000,"data":[{"b64_json":"` + pixel + `"}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Images.Generate(ctx, openai.ImageGenerateParams{Model: "gpt-image-1", Prompt: "a zebra", Size: "1024x1024"})
		return err
	}},
	{"models", []string{`{"object":"list","data":[{"id":"gpt-5-mini","object":"model","created":1760000000,"owned_by":"openai"}]}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := openaiOf(client, base)
		_, err := c.Models.List(ctx)
		return err
	}},
	{"chat message as JSON", []string{openaiChatAnswer}, func(ctx context.Context, client *http.Client, base string) error {
		// A history that was stored, as agents do.
		c := openaiOf(client, base)
		_, err := c.Chat.Completions.New(ctx, openai.ChatCompletionNewParams{Model: "gpt-5-mini", Messages: []openai.ChatCompletionMessageParamUnion{
			param.Override[openai.ChatCompletionMessageParamUnion](json.RawMessage(`{"role":"user","content":"Say hello."}`)),
		}})
		return err
	}},
}

func openaiToolLoop(ctx context.Context, c openai.Client, p openai.ChatCompletionNewParams) error {
	r, err := c.Chat.Completions.New(ctx, p)
	if err != nil {
		return err
	}
	message := r.Choices[0].Message
	p.Messages = append(p.Messages, message.ToParam())
	for _, call := range message.ToolCalls {
		p.Messages = append(p.Messages, openai.ToolMessage(`{"weather":"sunny"}`, call.ID))
	}
	_, err = c.Chat.Completions.New(ctx, p)
	return err
}

func openaiTools() []openai.ChatCompletionToolUnionParam {
	return []openai.ChatCompletionToolUnionParam{
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "get_weather", Description: openai.String("The weather in a city"), Parameters: weatherSchema(), Strict: openai.Bool(true)}),
		openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{Name: "now"}),
	}
}

func openaiToolChoice(name string) openai.ChatCompletionToolChoiceOptionUnionParam {
	return openai.ToolChoiceOptionFunctionToolChoice(openai.ChatCompletionNamedToolChoiceFunctionParam{Name: name})
}

func openaiResponseTools() []responses.ToolUnionParam {
	return []responses.ToolUnionParam{
		responses.ToolParamOfFunction("get_weather", weatherSchema(), true),
		{OfFunction: &responses.FunctionToolParam{Name: "now", Parameters: map[string]any{"type": "object", "properties": map[string]any{}}, Strict: openai.Bool(false)}},
	}
}

func openaiCallOutput(id, output string) responses.ResponseInputItemUnionParam {
	return responses.ResponseInputItemUnionParam{OfFunctionCallOutput: &responses.ResponseInputItemFunctionCallOutputParam{
		CallID: openai.String(id), Output: responses.ResponseInputItemFunctionCallOutputOutputUnionParam{OfString: openai.String(output)},
	}}
}

// drain reads a stream to its end.
func drain[T any](s *ssestream.Stream[T]) error {
	defer s.Close()
	for s.Next() {
	}
	return s.Err()
}
