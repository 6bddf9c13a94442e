package said

import (
	"reflect"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	chatURL      = "https://api.openai.com/v1/chat/completions"
	responsesURL = "https://api.openai.com/v1/responses"
	messagesURL  = "https://api.anthropic.com/v1/messages"

	cloudflareURL = "https://api.cloudflare.com/client/v4/accounts/a/ai/run/@cf/meta/llama"
)

// form returns the form of a request.
func form(url, body string) *canon.Form {
	return (&canon.Options{}).Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(body)})
}

// streamed returns a stream of events with these payloads.
func streamed(payloads ...string) *interaction.Response {
	resp := &interaction.Response{Status: 200, Stream: "sse"}
	for _, p := range payloads {
		resp.Events = append(resp.Events, interaction.Event{{Name: "data", Value: p}})
	}
	return resp
}

func whole(body string) *interaction.Response {
	return &interaction.Response{Status: 200, Body: []byte(body)}
}

// TestReadSays: what is compared of an answer, in one piece and streamed, as each vendor
// documents it.
func TestReadSays(t *testing.T) {
	t.Parallel()
	const any = `{"model":"m","messages":[],"message":"x","input":"x","prompt":"x","file":"x","inputs":"x","document":{}}`
	tests := []struct {
		name, url, body string
		resp            *interaction.Response
		want            Answer // without usage and transcript
	}{
		{"chat", chatURL, any, whole(`{"model":"gpt-x-1","choices":[
			{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant","content":"Well","tool_calls":[
				{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x\": 1}"}},
				{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}]}},
			{"index":1,"finish_reason":"stop","message":{"content":" done","reasoning_content":"Hm"}}]}`),
			Answer{Reasoning: "Hm", Text: "Well done", Calls: []Call{{"f", `{"x": 1}`}, {"g", "{}"}}, Finish: []string{"tool_calls", "stop"}, Model: "gpt-x-1"}},
		{"chat, custom tool and old function", chatURL, any, whole(`{"choices":[{"message":{"function_call":{"name":"f","arguments":"{}"},
			"tool_calls":[{"type":"custom","custom":{"name":"g","input":"SELECT 1"}}]}}]}`),
			Answer{Calls: []Call{{"g", "SELECT 1"}, {"f", "{}"}}}},
		{"chat, Mistral's thinking", chatURL, any, whole(`{"choices":[{"message":{"content":[
			{"type":"thinking","thinking":[{"type":"text","text":"Hm"}]},{"type":"text","text":"No"}]}}]}`),
			Answer{Reasoning: "Hm", Text: "No"}},
		{"Workers AI", cloudflareURL, any, whole(`{"result":{"response":"Hi","tool_calls":[{"name":"f","arguments":{"x":1}}]},"success":true,"errors":[]}`),
			Answer{Text: "Hi", Calls: []Call{{"f", `{"x":1}`}}}},
		{"Workers AI, calls of OpenAI's spelling", cloudflareURL, any, whole(`{"result":{"response":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}`),
			Answer{Calls: []Call{{"f", "{}"}}}},
		{"Workers AI as OpenAI's chat", cloudflareURL, any, whole(`{"result":{"choices":[{"finish_reason":"tool_calls","message":{"content":"Hi","reasoning_content":"Hm","tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}}`),
			Answer{Reasoning: "Hm", Text: "Hi", Calls: []Call{{"f", "{}"}}, Finish: []string{"tool_calls"}}},
		{"Workers AI as Responses", cloudflareURL, any, whole(`{"result":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]},{"type":"function_call","name":"f","arguments":"{}"}]}}`),
			Answer{Text: "Hi", Calls: []Call{{"f", "{}"}}, Finish: []string{"completed"}}},
		{"Workers AI, streamed", cloudflareURL, any, streamed(`{"response":"H","p":"ab"}`, `{"response":"i","p":"a"}`, `{"response":"","tool_calls":[{"name":"f","arguments":{"x":1}}]}`, `[DONE]`),
			Answer{Text: "Hi", Calls: []Call{{"f", `{"x":1}`}}}},
		{"Workers AI, streamed as OpenAI's chat", cloudflareURL, any, streamed(`{"choices":[{"index":0,"delta":{"content":"H"}}]}`, `{"choices":[{"index":0,"delta":{"content":"i"},"finish_reason":"stop"}]}`, `[DONE]`),
			Answer{Text: "Hi", Finish: []string{"stop"}}},
		{"chat, streamed", chatURL, any, streamed(
			`{"model":"gpt-x-1","choices":[{"index":0,"finish_reason":null,"delta":{"content":"Hi"}}]}`,
			`{"model":"gpt-x-1","choices":[{"index":1,"finish_reason":"length","delta":{}},{"index":0,"finish_reason":"stop","delta":{}}]}`, `[DONE]`),
			Answer{Text: "Hi", Finish: []string{"stop", "length"}, Model: "gpt-x-1"}},
		{"chat, old function, streamed", chatURL, any, streamed(
			`{"choices":[{"index":0,"delta":{"function_call":{"name":"f","arguments":""}}}]}`,
			`{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{\"a\""}}}]}`,
			`{"choices":[{"index":0,"delta":{"function_call":{"arguments":":1}"}},"finish_reason":"function_call"}]}`),
			Answer{Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"function_call"}}},
		{"completions", "https://h/v1/completions", any, whole(`{"model":"i","choices":[{"text":"a","finish_reason":"length"},{"text":"b","finish_reason":"stop"}]}`),
			Answer{Text: "ab", Finish: []string{"length", "stop"}, Model: "i"}},
		{"responses", responsesURL, any, whole(`{"model":"gpt-x-1","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[
			{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm"}]},
			{"type":"web_search_call","status":"completed","action":{"type":"search","query":"q"}},
			{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},
			{"type":"message","content":[{"type":"output_text","text":"Hi"},{"type":"refusal","refusal":" no"}]}]}`),
			Answer{Reasoning: "Hm", Text: "Hi no", Calls: []Call{{"f", "{}"}, {"web_search_call", `{"type":"search","query":"q"}`}},
				Finish: []string{"incomplete", "max_output_tokens", "refusal"}, Model: "gpt-x-1"}},
		{"responses, streamed", responsesURL, any, streamed(
			`{"type":"response.created","response":{"model":"gpt-x-1","status":"in_progress"}}`,
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"custom_tool_call","name":"f"}}`,
			`{"type":"response.custom_tool_call_input.delta","output_index":0,"delta":"x"}`,
			`{"type":"response.output_item.done","output_index":1,"item":{"type":"web_search_call","action":{"query":"q"}}}`,
			`{"type":"response.completed","response":{"model":"gpt-x-1","status":"completed"}}`),
			Answer{Calls: []Call{{"f", "x"}, {"web_search_call", `{"query":"q"}`}}, Finish: []string{"completed"}, Model: "gpt-x-1"}},
		{"messages", messagesURL, any, whole(`{"type":"message","model":"claude-x","stop_reason":"tool_use","content":[
			{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Yes"},
			{"type":"tool_use","id":"t","name":"f","input":{"a":1}},{"type":"server_tool_use","name":"web_search","input":{"query":"q"}}]}`),
			Answer{Reasoning: "Hm", Text: "Yes", Calls: []Call{{"f", `{"a":1}`}, {"web_search", `{"query":"q"}`}}, Finish: []string{"tool_use"}, Model: "claude-x"}},
		{"messages, streamed", messagesURL, any, streamed(
			`{"type":"message_start","message":{"model":"claude-x","content":[]}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"}}`),
			Answer{Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"tool_use"}, Model: "claude-x"}},
		{"complete", "https://h/v1/complete", any, whole(`{"completion":"No","stop_reason":"stop_sequence","model":"claude-2"}`),
			Answer{Text: "No", Finish: []string{"stop_sequence"}, Model: "claude-2"}},
		{"gemini", "https://h/v1beta/models/g:generateContent", any, whole(`{"modelVersion":"g-001","candidates":[{"finishReason":"STOP","content":{"parts":[
			{"text":"Hm","thought":true},{"text":"Oui"},{"functionCall":{"name":"f","args":{"a":1}}}]}}]}`),
			Answer{Reasoning: "Hm", Text: "Oui", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"STOP"}, Model: "g-001"}},
		{"an error in an event", messagesURL, any, streamed(
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ou"}}`,
			`{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`), Answer{Text: "Ou", Failed: true}},
		{"a failed response", responsesURL, any, whole(`{"status":"failed","error":{"code":"server_error","message":"No"},"output":[]}`),
			Answer{Finish: []string{"failed"}, Failed: true}},
		{"a response that has not failed", responsesURL, any, whole(`{"status":"completed","error":null,"output":[]}`), Answer{Finish: []string{"completed"}}},
		{"ollama, broken off", "http://h/api/chat", `{"model":"m","messages":[]}`, streamed(`{"error":"out of memory"}`), Answer{Failed: true}},
		{"MCP, no such method", "http://h/mcp", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
			whole(`{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"Method not found"}}`), Answer{}},
		{"gemini, blocked", "https://h/v1beta/models/g:generateContent", any, whole(`{"promptFeedback":{"blockReason":"SAFETY"}}`),
			Answer{Finish: []string{"SAFETY"}}},
		{"gemini, streamed, each event with its reason", "https://h/v1beta/models/g:streamGenerateContent", any, streamed(
			`{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"O"}]}}],"modelVersion":"g-001"}`,
			`{"candidates":[{"finishReason":"STOP","content":{"parts":[{"text":"ui"}]}}],"modelVersion":"g-001"}`),
			Answer{Text: "Oui", Finish: []string{"STOP"}, Model: "g-001"}},
		{"interactions", "https://h/v1beta/interactions", any, whole(`{"model":"g","status":"completed","steps":[
			{"type":"thought","signature":"s","summary":[{"type":"text","text":"Hm"}]},
			{"type":"function_call","name":"f","arguments":{"a":1}},{"type":"model_output","content":[{"type":"text","text":"Oui"}]}]}`),
			Answer{Reasoning: "Hm", Text: "Oui", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"completed"}, Model: "g"}},
		{"interactions, streamed", "https://h/v1beta/interactions", any, streamed(
			`{"event_type":"interaction.created","interaction":{"model":"g","status":"in_progress"}}`,
			`{"event_type":"step.start","index":0,"step":{"type":"function_call","name":"f","arguments":{}}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"arguments_delta","arguments":"{\"a\":1}"}}`,
			`{"event_type":"step.delta","index":1,"delta":{"type":"text","text":"Oui"}}`,
			`{"event_type":"interaction.completed","interaction":{"status":"completed"}}`),
			Answer{Text: "Oui", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"completed"}, Model: "g"}},
		{"Converse", "https://h/model/m/converse", any, whole(`{"stopReason":"tool_use","output":{"message":{"content":[
			{"reasoningContent":{"reasoningText":{"text":"Hm"}}},{"text":"No"},{"toolUse":{"toolUseId":"t","name":"f","input":{"a":1}}}]}},
			"trace":{"promptRouter":{"invokedModelId":"arn:m"}}}`),
			Answer{Reasoning: "Hm", Text: "No", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"tool_use"}, Model: "arn:m"}},
		{"Converse, streamed", "https://h/model/m/converse-stream", any, streamed(
			`{"contentBlockIndex":0,"delta":{"text":"No"}}`, `{"stopReason":"end_turn"}`),
			Answer{Text: "No", Finish: []string{"end_turn"}}},
		{"Titan", "https://h/model/amazon.titan/invoke", any, whole(`{"results":[{"outputText":"No","completionReason":"FINISH"}]}`),
			Answer{Text: "No", Finish: []string{"FINISH"}}},
		{"Llama", "https://h/model/meta.llama/invoke", any, whole(`{"generation":"No","stop_reason":"stop"}`), Answer{Text: "No", Finish: []string{"stop"}}},
		{"Nova, streamed", "https://h/model/amazon.nova/invoke-with-response-stream", any, streamed(
			`{"contentBlockDelta":{"delta":{"text":"No"}}}`, `{"messageStop":{"stopReason":"end_turn"}}`),
			Answer{Text: "No", Finish: []string{"end_turn"}}},
		{"ollama", "http://h/api/chat", `{"model":"m","messages":[],"stream":false}`, whole(`{"model":"m:latest","done":true,"done_reason":"stop",
			"message":{"content":"Hi","thinking":"Hm","tool_calls":[{"function":{"name":"f","arguments":{"a":1}}}]}}`),
			Answer{Reasoning: "Hm", Text: "Hi", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"stop"}, Model: "m:latest"}},
		{"cohere", "https://h/v2/chat", any, whole(`{"finish_reason":"TOOL_CALL","message":{"tool_plan":"I will","content":[{"type":"text","text":"Salut"}],
			"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]}}`),
			Answer{Reasoning: "I will", Text: "Salut", Calls: []Call{{"f", "{}"}}, Finish: []string{"TOOL_CALL"}}},
		{"cohere, streamed", "https://h/v2/chat", any, streamed(
			`{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I will"}}}`, `{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}`),
			Answer{Reasoning: "I will", Finish: []string{"COMPLETE"}}},
		{"cohere, version 1", "https://h/v1/chat", `{"message":"x"}`, whole(`{"text":"Ciao","finish_reason":"COMPLETE","tool_calls":[{"name":"f","parameters":{"a":1}}]}`),
			Answer{Text: "Ciao", Calls: []Call{{"f", `{"a":1}`}}, Finish: []string{"COMPLETE"}}},
		{"mistral's conversations", "https://h/v1/conversations", any, whole(`{"outputs":[{"type":"function.call","name":"f","arguments":"{}"},
			{"type":"message.output","model":"m","content":"Oui"}]}`),
			Answer{Text: "Oui", Calls: []Call{{"f", "{}"}}}},
		{"ocr", "https://h/v1/ocr", any, whole(`{"model":"ocr-1","pages":[{"markdown":"# A"},{"markdown":"B"}]}`), Answer{Text: "# AB", Model: "ocr-1"}},
		{"transcription", "https://h/v1/audio/transcriptions", any, whole(`{"text":"No"}`), Answer{Text: "No"}},
		{"text generation", "https://h/generate", any, whole(`[{"generated_text":"No","details":{"finish_reason":"length"}}]`),
			Answer{Text: "No", Finish: []string{"length"}}},
		{"replicate", "https://h/models/o/m/predictions", `{"input":{}}`, whole(`{"status":"succeeded","output":["N","o"]}`), Answer{Text: "No"}},
		{"a server that streams although nobody asked", chatURL, any, streamed(`{"choices":[{"index":0,"delta":{"content":"Hi"}}]}`), Answer{Text: "Hi"}},
		{"nobody knows it", "https://example.com/x", any, whole(`{"model":"m","choices":[{"message":{"content":"x"}}]}`), Answer{Model: "m"}},
		{"no JSON", chatURL, any, whole("plain"), Answer{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Read(form(tt.url, tt.body), tt.resp)
			if got.Transcript != "" && tt.resp.Stream == "" {
				t.Errorf("an answer in one piece has the transcript %q", got.Transcript)
			}
			got.Usage, got.Transcript, got.Joined = nil, "", nil
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

// TestReadStreams: the transcript of a stream, for who reads the cassette, and what it cost.
func TestReadStreams(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		payloads  []string
		text      string
		in, out   int64
	}{
		{"chat", chatURL, []string{
			`{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}`,
			`{"choices":[{"index":1,"delta":{"content":"other"}},{"index":0,"delta":{"content":"lo"}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":""}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]}}]}`,
			`{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}`,
			`[DONE]`,
		}, "Helloother\n-> f({\"a\":1})", 3, 4},
		{"messages", messagesURL, []string{
			`{"type":"message_start","message":{"usage":{"input_tokens":7,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"f","input":{}}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`,
			`{"type":"message_delta","usage":{"output_tokens":9}}`,
		}, "Hi\n-> f({})", 7, 9},
		{"gemini", "https://h/v1beta/models/g:streamGenerateContent?alt=sse", []string{
			`{"candidates":[{"content":{"parts":[{"text":"Bon"}]}}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"jour"},{"functionCall":{"name":"f","args":{"a":1}}}]}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}`,
		}, "Bonjour\n-> f({\"a\":1})", 1, 2},
		{"ollama", "http://h/api/chat", []string{
			`{"message":{"content":"Hi"},"done":false}`,
			`{"message":{"content":"!","tool_calls":[{"function":{"index":0,"name":"f","arguments":{"a":1}}}]},"done":true,"prompt_eval_count":1,"eval_count":2}`,
		}, "Hi!\n-> f({\"a\":1})", 1, 2},
		{"cohere", "https://h/v2/chat", []string{
			`{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Salut"}}}}`,
			`{"type":"tool-call-start","index":1,"delta":{"message":{"tool_calls":{"function":{"name":"f","arguments":""}}}}}`,
			`{"type":"tool-call-delta","index":1,"delta":{"message":{"tool_calls":{"function":{"arguments":"{}"}}}}}`,
			`{"type":"message-end","usage":{"billed_units":{"input_tokens":9},"tokens":{"input_tokens":1,"output_tokens":2}}}`,
		}, "Salut\n-> f({})", 9, 2},
		{"cohere, version 1", "https://h/v1/chat", []string{
			`{"event_type":"stream-start"}`,
			`{"event_type":"text-generation","text":"Ciao"}`,
			`{"event_type":"stream-end","text":"not again","usage":{"input_tokens":1,"output_tokens":2}}`,
		}, "Ciao", 1, 2},
		{"responses", responsesURL, []string{
			`{"type":"response.output_item.added","output_index":1,"item":{"type":"function_call","name":"f"}}`,
			`{"type":"response.output_text.delta","output_index":0,"delta":"Yes"}`,
			`{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{}"}`,
			`{"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":2}}}`,
		}, "Yes\n-> f({})", 1, 2},
		{"reasoning in a chat", chatURL, []string{
			`{"choices":[{"index":0,"delta":{"reasoning_content":"Hm"}}]}`,
			`{"choices":[{"index":0,"delta":{"reasoning":"..."}}]}`,
			`{"choices":[{"index":0,"delta":{"content":"No"}}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
		}, "[reasoning] Hm...\nNo", 1, 2},
		{"thinking", messagesURL, []string{
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Hm"}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"No"}}`,
			`{"type":"message_delta","usage":{"input_tokens":1,"output_tokens":2}}`,
		}, "[reasoning] Hm\nNo", 1, 2},
		{"reasoning summary", responsesURL, []string{
			`{"type":"response.reasoning_summary_text.delta","delta":"Hm"}`,
			`{"type":"response.refusal.delta","delta":"I cannot"}`,
			`{"type":"response.completed","response":{"usage":{"input_tokens":1,"output_tokens":2}}}`,
		}, "[reasoning] Hm\nI cannot", 1, 2},
		{"thoughts", "https://h/v1beta/models/g:streamGenerateContent", []string{
			`{"candidates":[{"content":{"parts":[{"text":"Hm","thought":true},{"text":"No"}]}}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2}}`,
		}, "[reasoning] Hm\nNo", 1, 2},
		{"Converse", "https://h/model/m/converse-stream", []string{
			`{"role":"assistant"}`,
			`{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"Hm"}}}`,
			`{"contentBlockIndex":1,"delta":{"text":"No"},"p":"ab"}`,
			`{"contentBlockIndex":2,"start":{"toolUse":{"toolUseId":"t","name":"f"}}}`,
			`{"contentBlockIndex":2,"delta":{"toolUse":{"input":"{}"}}}`,
			`{"metrics":{"latencyMs":1},"usage":{"inputTokens":1,"outputTokens":2}}`,
		}, "[reasoning] Hm\nNo\n-> f({})", 1, 2},
		{"Claude by invoke", "https://h/model/m/invoke-with-response-stream", []string{
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"No"}}`,
			`{"type":"message_delta","usage":{"input_tokens":1,"output_tokens":2}}`,
		}, "No", 1, 2},
		{"Titan", "https://h/model/amazon.titan/invoke-with-response-stream", []string{`{"outputText":"No","usage":{"input_tokens":1,"output_tokens":2}}`}, "No", 1, 2},
		{"Llama", "https://h/model/meta.llama/invoke-with-response-stream", []string{`{"generation":"No","usage":{"input_tokens":1,"output_tokens":2}}`}, "No", 1, 2},
		{"Mistral", "https://h/model/mistral.x/invoke-with-response-stream", []string{`{"outputs":[{"text":"No"}],"usage":{"input_tokens":1,"output_tokens":2}}`}, "No", 1, 2},
		{"Nova", "https://h/model/amazon.nova/invoke-with-response-stream", []string{`{"contentBlockDelta":{"delta":{"text":"No"}},"usage":{"input_tokens":1,"output_tokens":2}}`}, "No", 1, 2},
		{"ollama thinking", "http://h/api/generate", []string{`{"thinking":"Hm","response":"No","prompt_eval_count":1,"eval_count":2}`}, "[reasoning] Hm\nNo", 1, 2},
		{"cohere thinking", "https://h/v2/chat", []string{
			`{"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"Hm"}}}}`,
			`{"type":"message-end","usage":{"tokens":{"input_tokens":1,"output_tokens":2}}}`,
		}, "[reasoning] Hm", 1, 2},
		{"completions", "https://h/v1/completions", []string{
			`{"choices":[{"index":0,"text":"N"},{"index":1,"text":"x"}]}`, `{"choices":[{"index":0,"text":"o"}],"usage":{"prompt_tokens":1,"completion_tokens":2}}`,
		}, "Nox", 1, 2},
		{"complete", "https://h/v1/complete", []string{`{"completion":"No","usage":{"input_tokens":1,"output_tokens":2}}`}, "No", 1, 2},
		{"transcription", "https://h/v1/audio/transcriptions", []string{
			`{"type":"transcript.text.delta","delta":"No"}`, `{"type":"transcript.text.done","text":"No","usage":{"input_tokens":1,"output_tokens":2}}`,
		}, "No", 1, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := Read(form(tt.url, strings.Replace(`{"model":"m","stream":true,"messages":[],"message":"x","input":"x","prompt":"x","file":"x"}`, "{", map[bool]string{true: `{"anthropic_version":"x",`, false: "{"}[tt.name == "Claude by invoke"], 1)), streamed(tt.payloads...))
			if a.Transcript != tt.text {
				t.Errorf("Transcript = %q, want %q", a.Transcript, tt.text)
			}
			if a.Usage == nil || a.Usage.InputTokens != tt.in || a.Usage.OutputTokens != tt.out {
				t.Errorf("Usage = %+v, want %d and %d", a.Usage, tt.in, tt.out)
			}
		})
	}
	if a := Read(form("https://example.com/x", `{}`), streamed("plain", "")); a.Transcript != "" || a.Usage != nil {
		t.Errorf("an answer nobody knows: %+v", a)
	}
}

// TestWithoutLists: long lists are left out of JSON, and nothing else is.
func TestWithoutLists(t *testing.T) {
	t.Parallel()
	numbers := strings.Repeat("1,", 2000) + "1"
	for text, want := range map[string]string{
		`{"data":[{"embedding":[` + numbers + `]}],"usage":{"n":7}}`:              `{"data":[{"embedding":[]}],"usage":{"n":7}}`,
		`{"data":[[` + strings.Repeat("[1],[2,{}],", 1000) + `[3]],[4]],"m":"x"}`: `{"data":[[],[4]],"m":"x"}`,
		`{"a":[ ` + strings.Repeat("["+numbers+"],", 1500) + `0 ] }`:              `{"a":[] }`,
		`{"choices":[{"a":"b]["},[1,2]]} `:                                        `{"choices":[{"a":"b]["},[1,2]]} `,
		`[1,`:                                                                     `[1,`,
	} {
		if got := string(withoutLists(text)); got != want {
			t.Errorf("%.60s: %.200s, want %s", text, got, want)
		}
	}
}
