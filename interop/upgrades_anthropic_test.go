package interop

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
)

const (
	anthropicText     = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Hello there."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicCalls    = `{"id":"msg_2","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_aaa","name":"get_weather","input":{"city":"Paris","days":1.0}},{"type":"tool_use","id":"toolu_bbb","name":"now","input":{}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicCaller   = `{"id":"msg_3","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"tool_use","id":"toolu_ccc","name":"get_weather","input":{"city":"Rome"},"caller":{"type":"direct"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicThinking = `{"id":"msg_4","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"thinking","thinking":"Two cities.","signature":"EqQBnotreal=="},{"type":"redacted_thinking","data":"EmwKnotreal=="},{"type":"text","text":"Let me look."},{"type":"tool_use","id":"toolu_ddd","name":"get_weather","input":{"city":"Paris"}}],"stop_reason":"tool_use","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicSearch   = `{"id":"msg_5","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"zebra"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","title":"Zebra","url":"https://example.com/zebra","encrypted_content":"EqgBnotreal==","page_age":"2 days ago"}]},{"type":"text","text":"Zebras have stripes.","citations":[{"type":"web_search_result_location","cited_text":"stripes","url":"https://example.com/zebra","title":"Zebra","encrypted_index":"Eo8Bnotreal=="}]}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicCited    = `{"id":"msg_6","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"The text says "},{"type":"text","text":"zebras have stripes","citations":[{"type":"char_location","cited_text":"Zebras have stripes.","document_index":0,"document_title":"Zebras","start_char_index":0,"end_char_index":20,"file_id":null}]}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
	anthropicStream   = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_7\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"claude-sonnet-4-5-20250929\",\"content\":[],\"stop_reason\":null,\"stop_sequence\":null,\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"EqQBnotreal==\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"text_delta\",\"text\":\"Let me look.\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":1}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_aaa\",\"name\":\"get_weather\",\"input\":{}}}\n\nevent: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"city\\\": \\\"Paris\\\"}\"}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":2}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_bbb\",\"name\":\"now\",\"input\":{}}}\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":3}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":3}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"
)

var anthropicScenarios = []scenario{
	{"message", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		return anthropicAsk(ctx, client, base, anthropicParams("Say hello."))
	}},
	{"message with system and sampling", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Say hello – «in French» & <b>bold</b>.")
		p.System = []anthropic.TextBlockParam{{Text: "Be brief."}}
		p.Temperature, p.TopP, p.TopK = anthropic.Float(0.2), anthropic.Float(0.9), anthropic.Int(40)
		p.StopSequences = []string{"END"}
		p.Metadata = anthropic.MetadataParam{UserID: anthropic.String("user-1")}
		p.ServiceTier = "auto"
		return anthropicAsk(ctx, client, base, p)
	}},
	{"message with cached system", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Say hello.")
		p.System = []anthropic.TextBlockParam{{Text: "Be brief."}, {Text: "A long text.", CacheControl: anthropic.NewCacheControlEphemeralParam()}}
		p.Messages[0].Content[0].OfText.CacheControl = anthropic.CacheControlEphemeralParam{}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"turns", []string{anthropicText, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		return anthropicTurn(ctx, client, base, anthropicParams("Say hello."), anthropic.NewTextBlock("And goodbye."))
	}},
	{"turns by hand", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Say hello.")
		p.Messages = append(p.Messages, anthropic.NewAssistantMessage(anthropic.NewTextBlock("Hello there.")),
			anthropic.NewUserMessage(anthropic.NewTextBlock("And goodbye."), anthropic.NewTextBlock("In French.")), anthropic.NewAssistantMessage(anthropic.NewTextBlock("Au")))
		return anthropicAsk(ctx, client, base, p)
	}},
	{"stream", []string{anthropicStream}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := anthropicStreamed(ctx, client, base, anthropicParams("Say hello."))
		return err
	}},
	{"stream tools", []string{anthropicStream, anthropicStream}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Paris, and the time?")
		p.Tools = anthropicTools()
		m, err := anthropicStreamed(ctx, client, base, p)
		if err != nil {
			return err
		}
		p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropicResults(m)...))
		_, err = anthropicStreamed(ctx, client, base, p)
		return err
	}},
	{"tools", []string{anthropicCalls, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Paris, and the time?")
		p.Tools = anthropicTools()
		return anthropicTurn(ctx, client, base, p)
	}},
	{"tools, caller in the answer", []string{anthropicCaller, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Rome?")
		p.Tools = anthropicTools()
		return anthropicTurn(ctx, client, base, p)
	}},
	{"tools, calls by hand", []string{anthropicCalls, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		p := anthropicParams("The weather in Paris, and the time?")
		p.Tools = anthropicTools()
		m, err := c.Messages.New(ctx, p)
		if err != nil {
			return err
		}
		var blocks []anthropic.ContentBlockParamUnion
		for _, b := range m.Content {
			switch b := b.AsAny().(type) {
			case anthropic.TextBlock:
				blocks = append(blocks, anthropic.NewTextBlock(b.Text))
			case anthropic.ToolUseBlock:
				blocks = append(blocks, anthropic.NewToolUseBlock(b.ID, b.Input, b.Name))
			}
		}
		p.Messages = append(p.Messages, anthropic.NewAssistantMessage(blocks...), anthropic.NewUserMessage(anthropicResults(*m)...))
		_, err = c.Messages.New(ctx, p)
		return err
	}},
	{"tool choice", []string{anthropicCalls}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Paris?")
		p.Tools = anthropicTools()
		p.ToolChoice = anthropic.ToolChoiceParamOfTool("get_weather")
		return anthropicAsk(ctx, client, base, p)
	}},
	{"tool choice, no parallel calls", []string{anthropicCalls}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Paris?")
		p.Tools = anthropicTools()
		p.ToolChoice = anthropic.ToolChoiceUnionParam{OfAuto: &anthropic.ToolChoiceAutoParam{DisableParallelToolUse: anthropic.Bool(true)}}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"tool result with image and error", []string{anthropicCaller, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		p := anthropicParams("The weather in Rome?")
		p.Tools = anthropicTools()
		m, err := c.Messages.New(ctx, p)
		if err != nil {
			return err
		}
		p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(anthropic.ContentBlockParamUnion{OfToolResult: &anthropic.ToolResultBlockParam{
			ToolUseID: "toolu_ccc", IsError: anthropic.Bool(true), Content: []anthropic.ToolResultBlockParamContentUnion{
				{OfText: &anthropic.TextBlockParam{Text: "no data"}},
				{OfImage: &anthropic.ImageBlockParam{Source: anthropic.ImageBlockParamSourceUnion{OfBase64: &anthropic.Base64ImageSourceParam{MediaType: "image/png", Data: pixel}}}},
			},
		}}))
		_, err = c.Messages.New(ctx, p)
		return err
	}},
	{"thinking sent back", []string{anthropicThinking, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("The weather in Paris?")
		p.MaxTokens = 4096
		p.Tools = anthropicTools()
		p.Thinking = anthropic.ThinkingConfigParamOfEnabled(2048)
		return anthropicTurn(ctx, client, base, p)
	}},
	{"thinking disabled", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Say hello.")
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfDisabled: &anthropic.ThinkingConfigDisabledParam{}}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"thinking adaptive", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Say hello.")
		p.Thinking = anthropic.ThinkingConfigParamUnion{OfAdaptive: &anthropic.ThinkingConfigAdaptiveParam{}}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"images", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("What is this?")
		p.Messages[0].Content = append(p.Messages[0].Content, anthropic.NewImageBlockBase64("image/png", pixel),
			anthropic.NewImageBlock(anthropic.URLImageSourceParam{URL: "https://example.com/cat.png"}))
		return anthropicAsk(ctx, client, base, p)
	}},
	{"document, citations sent back", []string{anthropicCited, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("What does it say?")
		p.Messages[0].Content = append(p.Messages[0].Content, anthropic.ContentBlockParamUnion{OfDocument: &anthropic.DocumentBlockParam{
			Source: anthropic.DocumentBlockParamSourceUnion{OfText: &anthropic.PlainTextSourceParam{Data: "Zebras have stripes."}},
			Title:  anthropic.String("Zebras"), Citations: anthropic.CitationsConfigParam{Enabled: anthropic.Bool(true)},
		}})
		return anthropicTurn(ctx, client, base, p, anthropic.NewTextBlock("And?"))
	}},
	{"web search sent back", []string{anthropicSearch, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("What about zebras?")
		p.Tools = []anthropic.ToolUnionParam{{OfWebSearchTool20250305: &anthropic.WebSearchTool20250305Param{MaxUses: anthropic.Int(2)}}}
		return anthropicTurn(ctx, client, base, p, anthropic.NewTextBlock("And lions?"))
	}},
	{"text editor tool", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Fix it.")
		p.Tools = []anthropic.ToolUnionParam{{OfTextEditor20250124: &anthropic.ToolTextEditor20250124Param{}}, {OfBashTool20250124: &anthropic.ToolBash20250124Param{}}}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"output schema", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicParams("Where?")
		p.OutputConfig = anthropic.OutputConfigParam{Format: anthropic.JSONOutputFormatParam{Schema: weatherSchema()}}
		return anthropicAsk(ctx, client, base, p)
	}},
	{"count tokens", []string{`{"input_tokens":11}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		_, err := c.Messages.CountTokens(ctx, anthropic.MessageCountTokensParams{
			Model: "claude-sonnet-4-5", Messages: anthropicParams("Say hello.").Messages,
			System: anthropic.MessageCountTokensParamsSystemUnion{OfString: anthropic.String("Be brief.")},
			Tools:  []anthropic.MessageCountTokensToolUnionParam{{OfTool: &anthropic.ToolParam{Name: "now", InputSchema: anthropic.ToolInputSchemaParam{}}}},
		})
		return err
	}},
	{"beta message", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		_, err := c.Beta.Messages.New(ctx, anthropicBetaParams("Say hello."))
		return err
	}},
	{"beta tools", []string{anthropicCalls, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		return anthropicBetaTurn(ctx, client, base, anthropicBetaParams("The weather in Paris, and the time?"))
	}},
	{"beta tools, caller in the answer", []string{anthropicCaller, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		return anthropicBetaTurn(ctx, client, base, anthropicBetaParams("The weather in Rome?"))
	}},
	{"beta thinking sent back", []string{anthropicThinking, anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		p := anthropicBetaParams("The weather in Paris?")
		p.Thinking = anthropic.BetaThinkingConfigParamOfEnabled(2048)
		p.Betas = []anthropic.AnthropicBeta{"interleaved-thinking-2025-05-14", "fine-grained-tool-streaming-2025-05-14"}
		return anthropicBetaTurn(ctx, client, base, p)
	}},
	{"beta output schema", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		p := anthropicBetaParams("Where?")
		//lint:ignore SA1019 what was written a year ago is what is tried
		p.OutputFormat = anthropic.BetaJSONOutputFormatParam{Schema: weatherSchema()}
		p.Betas = []anthropic.AnthropicBeta{"structured-outputs-2025-11-13"}
		_, err := c.Beta.Messages.New(ctx, p)
		return err
	}},
	{"beta schema of a tool", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		p := anthropicBetaParams("Where?")
		p.Tools = []anthropic.BetaToolUnionParam{{OfTool: &anthropic.BetaToolParam{Name: "get_weather", InputSchema: anthropic.BetaToolInputSchema(weatherSchema())}}}
		_, err := c.Beta.Messages.New(ctx, p)
		return err
	}},
	{"beta MCP servers", []string{anthropicText}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		p := anthropicBetaParams("Say hello.")
		p.MCPServers = []anthropic.BetaRequestMCPServerURLDefinitionParam{{Name: "docs", URL: "https://mcp.example.com/"}}
		p.Betas = []anthropic.AnthropicBeta{"mcp-client-2025-04-04"}
		_, err := c.Beta.Messages.New(ctx, p)
		return err
	}},
	{"beta count tokens", []string{`{"input_tokens":11,"context_management":null}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		_, err := c.Beta.Messages.CountTokens(ctx, anthropic.BetaMessageCountTokensParams{Model: "claude-sonnet-4-5", Messages: anthropicBetaParams("Say hello.").Messages})
		return err
	}},
	{"batch", []string{`{"id":"msgbatch_1","type":"message_batch","processing_status":"in_progress","request_counts":{"processing":1,"succeeded":0,"errored":0,"canceled":0,"expired":0},"created_at":"2026-01-01T00:00:00Z","expires_at":"2026-01-02T00:00:00Z"}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		_, err := c.Messages.Batches.New(ctx, anthropic.MessageBatchNewParams{Requests: []anthropic.MessageBatchNewParamsRequest{{
			CustomID: "one", Params: anthropic.MessageBatchNewParamsRequestParams{Model: "claude-sonnet-4-5", MaxTokens: 100, Messages: anthropicParams("Say hello.").Messages},
		}}})
		return err
	}},
	{"models", []string{`{"data":[{"type":"model","id":"claude-sonnet-4-5","display_name":"Claude","created_at":"2025-09-29T00:00:00Z"}],"has_more":false,"first_id":null,"last_id":null}`}, func(ctx context.Context, client *http.Client, base string) error {
		c := anthropicAt(client, base)
		_, err := c.Models.List(ctx, anthropic.ModelListParams{Limit: anthropic.Int(5)})
		return err
	}},
}

func anthropicParams(text string) anthropic.MessageNewParams {
	return anthropic.MessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 1024, Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
	}
}

func anthropicBetaParams(text string) anthropic.BetaMessageNewParams {
	return anthropic.BetaMessageNewParams{
		Model: "claude-sonnet-4-5", MaxTokens: 4096,
		Messages: []anthropic.BetaMessageParam{{Role: "user", Content: []anthropic.BetaContentBlockParamUnion{{OfText: &anthropic.BetaTextBlockParam{Text: text}}}}},
	}
}

func anthropicTools() []anthropic.ToolUnionParam {
	return []anthropic.ToolUnionParam{
		{OfTool: &anthropic.ToolParam{Name: "get_weather", Description: anthropic.String("The weather in a city"), InputSchema: anthropic.ToolInputSchemaParam{
			Properties: weatherSchema()["properties"], Required: []string{"city"}, ExtraFields: map[string]any{"additionalProperties": false},
		}}},
		anthropic.ToolUnionParamOfTool(anthropic.ToolInputSchemaParam{}, "now"),
	}
}

func anthropicResults(m anthropic.Message) (results []anthropic.ContentBlockParamUnion) {
	for _, b := range m.Content {
		if use, ok := b.AsAny().(anthropic.ToolUseBlock); ok {
			results = append(results, anthropic.NewToolResultBlock(use.ID, "sunny", false))
		}
	}
	return results
}

func anthropicAsk(ctx context.Context, client *http.Client, base string, p anthropic.MessageNewParams) error {
	c := anthropicAt(client, base)
	_, err := c.Messages.New(ctx, p)
	return err
}

// anthropicTurn asks, sends the answer back with the results of its tool calls
// and more blocks, and asks again.
func anthropicTurn(ctx context.Context, client *http.Client, base string, p anthropic.MessageNewParams, more ...anthropic.ContentBlockParamUnion) error {
	c := anthropicAt(client, base)
	m, err := c.Messages.New(ctx, p)
	if err != nil {
		return err
	}
	p.Messages = append(p.Messages, m.ToParam(), anthropic.NewUserMessage(append(anthropicResults(*m), more...)...))
	_, err = c.Messages.New(ctx, p)
	return err
}

func anthropicBetaTurn(ctx context.Context, client *http.Client, base string, p anthropic.BetaMessageNewParams) error {
	c := anthropicAt(client, base)
	p.Tools = []anthropic.BetaToolUnionParam{{OfTool: &anthropic.BetaToolParam{Name: "get_weather", InputSchema: anthropic.BetaToolInputSchemaParam{
		Properties: weatherSchema()["properties"], Required: []string{"city"},
	}}}}
	m, err := c.Beta.Messages.New(ctx, p)
	if err != nil {
		return err
	}
	var results []anthropic.BetaContentBlockParamUnion
	for _, b := range m.Content {
		if use, ok := b.AsAny().(anthropic.BetaToolUseBlock); ok {
			results = append(results, anthropic.BetaContentBlockParamUnion{OfToolResult: &anthropic.BetaToolResultBlockParam{
				ToolUseID: use.ID, Content: []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: "sunny"}}},
			}})
		}
	}
	p.Messages = append(p.Messages, m.ToParam(), anthropic.BetaMessageParam{Role: "user", Content: results})
	_, err = c.Beta.Messages.New(ctx, p)
	return err
}

func anthropicStreamed(ctx context.Context, client *http.Client, base string, p anthropic.MessageNewParams) (m anthropic.Message, err error) {
	c := anthropicAt(client, base)
	s := c.Messages.NewStreaming(ctx, p)
	defer s.Close()
	for s.Next() {
		if err := m.Accumulate(s.Current()); err != nil {
			return m, err
		}
	}
	return m, s.Err()
}
