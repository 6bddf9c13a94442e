package interop

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
)

const (
	bedrockText     = `{"output":{"message":{"role":"assistant","content":[{"text":"Hello there."}]}},"stopReason":"end_turn","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12},"metrics":{"latencyMs":4}}`
	bedrockCalls    = `{"output":{"message":{"role":"assistant","content":[{"text":"Let me look."},{"toolUse":{"toolUseId":"tooluse_aaa","name":"get_weather","input":{"city":"Paris","days":2,"exact":1.50}}},{"toolUse":{"toolUseId":"tooluse_bbb","name":"get_weather","input":{"city":"Rome"}}}]}},"stopReason":"tool_use","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12},"metrics":{"latencyMs":4}}`
	bedrockThinking = `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"Two cities.","signature":"EqQBnotreal=="}}},{"text":"Let me look."},{"toolUse":{"toolUseId":"tooluse_ccc","name":"get_weather","input":{"city":"Paris"}}}]}},"stopReason":"tool_use","usage":{"inputTokens":9,"outputTokens":3,"totalTokens":12},"metrics":{"latencyMs":4}}`
	bedrockClaude   = `{"id":"msg_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Hello there."}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":9,"output_tokens":3}}`
)

// bedrockFrames is an event stream of pairs of an event's name and payload.
func bedrockFrames(events ...string) string {
	var b bytes.Buffer
	for i := 0; i < len(events); i += 2 {
		var h eventstream.Headers
		h.Set(":event-type", eventstream.StringValue(events[i]))
		h.Set(":content-type", eventstream.StringValue("application/json"))
		h.Set(":message-type", eventstream.StringValue("event"))
		if err := eventstream.NewEncoder().Encode(&b, eventstream.Message{Headers: h, Payload: []byte(events[i+1])}); err != nil {
			panic(err) // a buffer takes everything
		}
	}
	return b.String()
}

var (
	bedrockStream = bedrockFrames("messageStart", `{"role":"assistant"}`, "contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"Hello"}}`,
		"contentBlockStop", `{"contentBlockIndex":0}`, "messageStop", `{"stopReason":"end_turn"}`)
	bedrockChunks = bedrockFrames("chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(`{"type":"message_stop"}`))+`"}`)
)

const (
	bedrockClaudeID = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	bedrockNova     = "amazon.nova-lite-v1:0"
)

var bedrockScenarios = []scenario{
	{"converse", []string{bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := bedrockOf(client, base).Converse(ctx, bedrockInput("Say hello."))
		return err
	}},
	{"converse with system and sampling", []string{bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("Say hello – «in French» & <b>bold</b>.")
		in.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: "Be brief."}}
		in.InferenceConfig = &types.InferenceConfiguration{MaxTokens: aws.Int32(100), Temperature: aws.Float32(0.2), TopP: aws.Float32(0.9), StopSequences: []string{"END"}}
		in.AdditionalModelRequestFields = document.NewLazyDocument(map[string]any{"top_k": 40})
		in.RequestMetadata = map[string]string{"team": "one"}
		_, err := bedrockOf(client, base).Converse(ctx, in)
		return err
	}},
	{"converse turns", []string{bedrockText, bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		return bedrockTurn(ctx, client, base, bedrockInput("Say hello."), &types.ContentBlockMemberText{Value: "And goodbye."})
	}},
	{"converse tools", []string{bedrockCalls, bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("The weather in Paris and Rome?")
		in.ToolConfig = bedrockTools()
		return bedrockTurn(ctx, client, base, in)
	}},
	{"converse tool choice", []string{bedrockCalls}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("The weather in Paris?")
		in.ToolConfig = bedrockTools()
		in.ToolConfig.ToolChoice = &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String("get_weather")}}
		_, err := bedrockOf(client, base).Converse(ctx, in)
		return err
	}},
	{"converse reasoning sent back", []string{bedrockThinking, bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("The weather in Paris?")
		in.ModelId = aws.String(bedrockClaudeID)
		in.ToolConfig = bedrockTools()
		in.AdditionalModelRequestFields = document.NewLazyDocument(map[string]any{"thinking": map[string]any{"type": "enabled", "budget_tokens": 2048}, "anthropic_beta": []string{"interleaved-thinking-2025-05-14"}})
		return bedrockTurn(ctx, client, base, in)
	}},
	{"converse image and document", []string{bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		data, err := base64.StdEncoding.DecodeString(pixel)
		if err != nil {
			return err
		}
		in := bedrockInput("What is this?")
		in.Messages[0].Content = append(in.Messages[0].Content,
			&types.ContentBlockMemberImage{Value: types.ImageBlock{Format: types.ImageFormatPng, Source: &types.ImageSourceMemberBytes{Value: data}}},
			&types.ContentBlockMemberDocument{Value: types.DocumentBlock{Format: types.DocumentFormatTxt, Name: aws.String("zebras"), Source: &types.DocumentSourceMemberBytes{Value: []byte("Zebras have stripes.")}}})
		_, err = bedrockOf(client, base).Converse(ctx, in)
		return err
	}},
	{"converse guardrail and cache point", []string{bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("Say hello.")
		in.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: "Be brief."}, &types.SystemContentBlockMemberCachePoint{Value: types.CachePointBlock{Type: types.CachePointTypeDefault}}}
		in.GuardrailConfig = &types.GuardrailConfiguration{GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("1"), Trace: types.GuardrailTraceEnabled}
		in.PerformanceConfig = &types.PerformanceConfiguration{Latency: types.PerformanceConfigLatencyOptimized}
		_, err := bedrockOf(client, base).Converse(ctx, in)
		return err
	}},
	{"converse by ARN", []string{bedrockText}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("Say hello.")
		in.ModelId = aws.String("arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-lite-v1:0")
		_, err := bedrockOf(client, base).Converse(ctx, in)
		return err
	}},
	{"converse stream", []string{bedrockStream}, func(ctx context.Context, client *http.Client, base string) error {
		in := bedrockInput("The weather in Paris?")
		out, err := bedrockOf(client, base).ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: in.ModelId, Messages: in.Messages, ToolConfig: bedrockTools()})
		if err != nil {
			return err
		}
		s := out.GetStream()
		defer s.Close()
		for range s.Events() {
		}
		return s.Err()
	}},
	{"invoke claude", []string{bedrockClaude}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := bedrockOf(client, base).InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
			ModelId: aws.String(bedrockClaudeID), ContentType: aws.String("application/json"), Accept: aws.String("application/json"),
			Body: []byte(`{"anthropic_version":"bedrock-2023-05-31","max_tokens":100,"system":"Be brief.","messages":[{"role":"user","content":[{"type":"text","text":"Say hello."}]}],"tools":[{"name":"now","input_schema":{"type":"object","properties":{}}}]}`),
		})
		return err
	}},
	{"invoke titan", []string{`{"embedding":[0.5,0.25],"inputTextTokenCount":1}`}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := bedrockOf(client, base).InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
			ModelId: aws.String("amazon.titan-embed-text-v2:0"), Body: []byte(`{"inputText":"zebra","dimensions":256}`),
			Trace: types.TraceEnabled, GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("1"), PerformanceConfigLatency: types.PerformanceConfigLatencyOptimized,
		})
		return err
	}},
	{"invoke stream", []string{bedrockChunks}, func(ctx context.Context, client *http.Client, base string) error {
		out, err := bedrockOf(client, base).InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: aws.String(bedrockClaudeID),
			Body:    []byte(`{"anthropic_version":"bedrock-2023-05-31","max_tokens":100,"messages":[{"role":"user","content":"Say hello."}]}`),
		})
		if err != nil {
			return err
		}
		s := out.GetStream()
		defer s.Close()
		for range s.Events() {
		}
		return s.Err()
	}},
	{"count tokens", []string{`{"inputTokens":11}`}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := bedrockOf(client, base).CountTokens(ctx, &bedrockruntime.CountTokensInput{
			ModelId: aws.String(bedrockClaudeID), Input: &types.CountTokensInputMemberConverse{Value: types.ConverseTokensRequest{Messages: bedrockInput("Say hello.").Messages}},
		})
		return err
	}},
	{"guardrail", []string{`{"action":"NONE","outputs":[],"assessments":[],"usage":{"topicPolicyUnits":1,"contentPolicyUnits":1,"wordPolicyUnits":1,"sensitiveInformationPolicyUnits":1,"sensitiveInformationPolicyFreeUnits":0,"contextualGroundingPolicyUnits":0}}`}, func(ctx context.Context, client *http.Client, base string) error {
		_, err := bedrockOf(client, base).ApplyGuardrail(ctx, &bedrockruntime.ApplyGuardrailInput{
			GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("1"), Source: types.GuardrailContentSourceInput,
			Content: []types.GuardrailContentBlock{&types.GuardrailContentBlockMemberText{Value: types.GuardrailTextBlock{Text: aws.String("zebra")}}},
		})
		return err
	}},
}

func bedrockOf(client *http.Client, base string) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		Region: "us-east-1", BaseEndpoint: aws.String(base), HTTPClient: client, RetryMaxAttempts: 1,
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKID-NOTREAL", SecretAccessKey: "secret-NOTREAL"}, nil
		}),
	})
}

func bedrockInput(text string) *bedrockruntime.ConverseInput {
	return &bedrockruntime.ConverseInput{
		ModelId:  aws.String(bedrockNova),
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: text}}}},
	}
}

func bedrockTools() *types.ToolConfiguration {
	return &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
		Name: aws.String("get_weather"), Description: aws.String("The weather in a city"), InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(weatherSchema())},
	}}}}
}

// bedrockTurn asks, sends the answer back with the results of its tool calls and
// more blocks, and asks again.
func bedrockTurn(ctx context.Context, client *http.Client, base string, in *bedrockruntime.ConverseInput, more ...types.ContentBlock) error {
	c := bedrockOf(client, base)
	out, err := c.Converse(ctx, in)
	if err != nil {
		return err
	}
	answer, ok := out.Output.(*types.ConverseOutputMemberMessage)
	if !ok {
		return fmt.Errorf("unexpected %T", out.Output)
	}
	var results []types.ContentBlock
	for _, b := range answer.Value.Content {
		if use, ok := b.(*types.ContentBlockMemberToolUse); ok {
			results = append(results, &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{
				ToolUseId: use.Value.ToolUseId, Status: types.ToolResultStatusSuccess,
				Content: []types.ToolResultContentBlock{
					&types.ToolResultContentBlockMemberText{Value: "sunny"},
					&types.ToolResultContentBlockMemberJson{Value: document.NewLazyDocument(map[string]any{"degrees": 21.5})},
				},
			}})
		}
	}
	in.Messages = append(in.Messages, answer.Value, types.Message{Role: types.ConversationRoleUser, Content: append(results, more...)})
	_, err = c.Converse(ctx, in)
	return err
}
