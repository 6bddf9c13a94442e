package said

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Tokens are counted as each API counts them, whole and streamed, and each paid token once.
func TestUsageTable(t *testing.T) {
	t.Parallel()
	const any = `{"model":"m","messages":[],"message":"x","input":"x","prompt":"x","inputs":"x","texts":[],"documents":[]}`
	for _, tt := range []struct {
		name, url string
		payloads  []string // of a stream, if there are several
		want      interaction.Usage
	}{
		{"chat", chatURL, []string{`{"usage":{"prompt_tokens":10,"completion_tokens":8,"total_tokens":18,"prompt_tokens_details":{"cached_tokens":4},"completion_tokens_details":{"reasoning_tokens":5}}}`}, interaction.Usage{InputTokens: 10, OutputTokens: 8, CachedTokens: 4, ReasoningTokens: 5}},
		{"chat without a total", chatURL, []string{`{"usage":{"prompt_tokens":10,"completion_tokens":8,"completion_tokens_details":{"reasoning_tokens":5}}}`}, interaction.Usage{InputTokens: 10, OutputTokens: 8, ReasoningTokens: 5}},
		{"xAI: reasoning apart", chatURL, []string{`{"usage":{"prompt_tokens":401,"completion_tokens":44,"total_tokens":630,"completion_tokens_details":{"reasoning_tokens":185}}}`}, interaction.Usage{InputTokens: 401, OutputTokens: 229, ReasoningTokens: 185}},
		{"Gemini as OpenAI: thoughts in the total only", chatURL, []string{`{"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":36}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 27}},
		{"Databricks: the cache in it already", chatURL, []string{`{"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"cache_read_input_tokens":5,"cache_creation_input_tokens":2}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2, CachedTokens: 5}},
		{"DeepSeek", chatURL, []string{`{"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_cache_hit_tokens":5}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2, CachedTokens: 5}},
		{"Groq, streamed", chatURL, []string{`{"choices":[]}`, `{"choices":[],"x_groq":{"usage":{"prompt_tokens":18,"completion_tokens":7}}}`}, interaction.Usage{InputTokens: 18, OutputTokens: 7}},
		{"Mistral: sound apart", "https://h/v1/audio/transcriptions", []string{`{"text":"x","usage":{"prompt_audio_seconds":3,"prompt_tokens":3,"completion_tokens":11,"total_tokens":389,"prompt_tokens_details":{"audio_tokens":375}}}`}, interaction.Usage{InputTokens: 378, OutputTokens: 11}},
		{"responses", responsesURL, []string{`{"usage":{"input_tokens":10,"output_tokens":8,"total_tokens":18,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":5}}}`}, interaction.Usage{InputTokens: 10, OutputTokens: 8, CachedTokens: 4, ReasoningTokens: 5}},
		{"responses, streamed", responsesURL, []string{`{"type":"response.created","response":{"usage":null}}`, `{"type":"response.completed","response":{"usage":{"input_tokens":10,"output_tokens":8,"total_tokens":18}}}`}, interaction.Usage{InputTokens: 10, OutputTokens: 8}},
		{"messages", messagesURL, []string{`{"usage":{"input_tokens":5,"cache_creation_input_tokens":2000,"cache_read_input_tokens":9000,"output_tokens":3,"output_tokens_details":{"thinking_tokens":1}}}`}, interaction.Usage{InputTokens: 11005, OutputTokens: 3, CachedTokens: 9000, ReasoningTokens: 1}},
		{"messages, streamed", messagesURL, []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_creation_input_tokens":0,"cache_read_input_tokens":9000,"output_tokens":1}}}`,
			`{"type":"message_delta","usage":{"output_tokens":3}}`}, interaction.Usage{InputTokens: 9005, OutputTokens: 3, CachedTokens: 9000}},
		{"messages, compacted and advised", messagesURL, []string{`{"usage":{"input_tokens":5,"output_tokens":3,"iterations":[{"type":"message","input_tokens":5,"output_tokens":3},
			{"type":"compaction","input_tokens":70,"cache_read_input_tokens":30,"output_tokens":7},{"type":"advisor_message","input_tokens":100,"output_tokens":10}]}}`}, interaction.Usage{InputTokens: 205, OutputTokens: 20}},
		{"gemini", "https://h/v1beta/models/g:generateContent", []string{`{"usageMetadata":{"promptTokenCount":100,"toolUsePromptTokenCount":70,"candidatesTokenCount":10,"thoughtsTokenCount":500,"cachedContentTokenCount":40,"totalTokenCount":680}}`}, interaction.Usage{InputTokens: 170, OutputTokens: 510, CachedTokens: 40, ReasoningTokens: 500}},
		{"gemini, streamed", "https://h/v1beta/models/g:streamGenerateContent", []string{`{"usageMetadata":{"promptTokenCount":100,"totalTokenCount":100}}`, `{"usageMetadata":{"promptTokenCount":100,"candidatesTokenCount":10,"totalTokenCount":110}}`}, interaction.Usage{InputTokens: 100, OutputTokens: 10}},
		{"gemini, blocked", "https://h/v1beta/models/g:generateContent", []string{`{"usageMetadata":{"promptTokenCount":9,"totalTokenCount":9}}`}, interaction.Usage{InputTokens: 9}},
		{"interactions", "https://h/v1beta/interactions", []string{`{"usage":{"total_input_tokens":7,"total_cached_tokens":2,"total_tool_use_tokens":3,"total_output_tokens":20,"total_thought_tokens":22,"total_tokens":52}}`}, interaction.Usage{InputTokens: 10, OutputTokens: 42, CachedTokens: 2, ReasoningTokens: 22}},
		{"interactions, streamed", "https://h/v1beta/interactions", []string{`{"event_type":"step.delta","metadata":{"total_usage":{"total_input_tokens":7,"total_output_tokens":1}}}`, `{"event_type":"interaction.completed","interaction":{"usage":{"total_input_tokens":7,"total_output_tokens":20}}}`}, interaction.Usage{InputTokens: 7, OutputTokens: 20}},
		{"Converse", "https://h/model/m/converse", []string{`{"usage":{"inputTokens":5,"outputTokens":6,"cacheReadInputTokens":9000,"cacheWriteInputTokens":100,"totalTokens":9111}}`}, interaction.Usage{InputTokens: 9105, OutputTokens: 6, CachedTokens: 9000}},
		{"Converse, streamed", "https://h/model/m/converse-stream", []string{`{"delta":{"text":"x"}}`, `{"usage":{"inputTokens":5,"outputTokens":6,"totalTokens":11}}`}, interaction.Usage{InputTokens: 5, OutputTokens: 6}},
		{"cohere: billed", "https://h/v2/chat", []string{`{"usage":{"billed_units":{"input_tokens":8,"output_tokens":7},"tokens":{"input_tokens":503,"output_tokens":11}}}`}, interaction.Usage{InputTokens: 8, OutputTokens: 7}},
		{"cohere, streamed", "https://h/v2/chat", []string{`{"type":"message-start"}`, `{"type":"message-end","delta":{"usage":{"tokens":{"input_tokens":30,"output_tokens":40}}}}`}, interaction.Usage{InputTokens: 30, OutputTokens: 40}},
		{"cohere, version 1", "https://h/v1/chat", []string{`{"text":"x","meta":{"tokens":{"input_tokens":30,"output_tokens":40}}}`}, interaction.Usage{InputTokens: 30, OutputTokens: 40}},
		{"cohere, version 1, streamed", "https://h/v1/chat", []string{`{"event_type":"text-generation","text":"x"}`, `{"event_type":"stream-end","response":{"meta":{"billed_units":{"input_tokens":3,"output_tokens":4}}}}`}, interaction.Usage{InputTokens: 3, OutputTokens: 4}},
		{"cohere, pictures", "https://h/v2/embed", []string{`{"meta":{"billed_units":{"input_tokens":9,"image_tokens":20}}}`}, interaction.Usage{InputTokens: 29}},
		{"only the output is counted", chatURL, []string{`{"usage":{"completion_tokens":7,"total_tokens":7}}`}, interaction.Usage{OutputTokens: 7}},
		{"embeddings of Voyage", "https://h/v1/embeddings", []string{`{"usage":{"total_tokens":10}}`}, interaction.Usage{InputTokens: 10}},
		{"ollama", "http://h/api/chat", []string{`{"message":{}}`, `{"done":true,"prompt_eval_count":3,"eval_count":4}`}, interaction.Usage{InputTokens: 3, OutputTokens: 4}},
		{"Llama", "https://h/model/meta.llama3/invoke", []string{`{"generation":"x","prompt_token_count":10,"generation_token_count":4}`}, interaction.Usage{InputTokens: 10, OutputTokens: 4}},
		{"Titan", "https://h/model/titan/invoke", []string{`{"inputTextTokenCount":3,"results":[{"tokenCount":5},{"tokenCount":6}]}`}, interaction.Usage{InputTokens: 3, OutputTokens: 11}},
		{"any model on Bedrock, streamed", "https://h/model/x/invoke-with-response-stream", []string{`{"outputText":"x"}`, `{"amazon-bedrock-invocationMetrics":{"inputTokenCount":25,"outputTokenCount":4}}`}, interaction.Usage{InputTokens: 25, OutputTokens: 4}},
		{"Workers AI", cloudflareURL, []string{`{"result":{"response":"x","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}},"success":true}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2}},
		{"Workers AI, streamed", cloudflareURL, []string{`{"response":"x","p":"abc"}`, `{"response":"","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2}},
		{"Workers AI as OpenAI's chat", cloudflareURL, []string{`{"result":{"choices":[{"message":{"content":"x"}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11,"prompt_tokens_details":{"cached_tokens":4}}}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2, CachedTokens: 4}},
		{"Workers AI as Responses", cloudflareURL, []string{`{"result":{"output":[],"usage":{"input_tokens":9,"output_tokens":2,"total_tokens":11}}}`}, interaction.Usage{InputTokens: 9, OutputTokens: 2}},
		{"stored for later", "https://h/v1/chat/completions", []string{`{"object":"x","response":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}`}, interaction.Usage{InputTokens: 1, OutputTokens: 2}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			resp := whole(tt.payloads[0])
			if len(tt.payloads) > 1 {
				resp = streamed(tt.payloads...)
			}
			if got := Read(form(tt.url, any), resp).Usage; got == nil || *got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// TestUsageUntold: where nothing is told of tokens, nothing is claimed.
func TestUsageUntold(t *testing.T) {
	t.Parallel()
	for url, body := range map[string]string{
		chatURL + "?a":                                   `{"usage":null}`,
		chatURL + "?b":                                   `{"usage":{}}`,
		chatURL + "?c":                                   `{"usage":{"cost_in_usd_ticks":5}}`,
		responsesURL:                                     `{"status":"in_progress","usage":null}`,
		"https://h/v1/audio/transcriptions":              `{"text":"x","usage":{"type":"duration","seconds":3}}`,
		"https://h/v1/ocr":                               `{"usage_info":{"pages_processed":2}}`,
		"https://h/v2/rerank":                            `{"meta":{"billed_units":{"search_units":1}}}`,
		"https://h/guardrail/g/version/1/apply":          `{"usage":{"topicPolicyUnits":1,"wordPolicyUnits":2}}`,
		"https://h/v1beta/models/g:generateContent":      `{"usageMetadata":{"trafficType":"ON_DEMAND"}}`,
		"https://h/v1beta/models/g:countTokens":          `{"totalTokens":9}`,
		"https://h/v1/messages/count_tokens":             `{"input_tokens":9}`,
		"https://generativelanguage/v1/cachedContents":   `{"usageMetadata":{"totalTokenCount":1090}}`,
		"https://h/v1/chat/completions/of/somebody/else": `{"usage":{"prompt_tokens":"9","completion_tokens":-1}}`,
	} {
		if u := Read(form(url, `{"model":"m","messages":[],"input":"x","file":"f","document":{}}`), whole(body)).Usage; u != nil {
			t.Errorf("%s %s: %+v", url, body, u)
		}
	}
}
