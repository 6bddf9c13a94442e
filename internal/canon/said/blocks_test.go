package said

import (
	"reflect"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// TestReadBlocks: what stands in answers beside texts and calls of functions, whole and
// streamed: calls of the provider's tools by the member that says what is done, their results,
// and blocks that nobody knows with all that they hold.
func TestReadBlocks(t *testing.T) {
	t.Parallel()
	const any = `{"model":"m","messages":[],"message":"x","input":"x","inputs":"x"}`
	for _, tt := range []struct {
		name, url              string
		resp                   *interaction.Response
		calls, blocks, results []Call
	}{
		{"responses", responsesURL, whole(`{"output":[
			{"type":"computer_call","id":"i","call_id":"c","actions":[{"type":"click","x":1}],"pending_safety_checks":[{"id":"s","code":"careful"}]},
			{"type":"mcp_approval_request","id":"i","name":"rm","arguments":"{}","server_label":"files"},
			{"type":"code_interpreter_call","id":"i","code":"1+1","outputs":[{"type":"logs","logs":"2"}]},
			{"type":"brand_new","id":"i","a":1},{"type":"message","content":[{"type":"also_new","a":1}]}]}`),
			[]Call{{"files.rm", "{}"}, {"computer_call", `[{"type":"click","x":1}]`}, {"code_interpreter_call", "1+1"}, {"pending_safety_check", `careful`}},
			[]Call{{"brand_new", `{"type":"brand_new","id":"i","a":1}`}, {"also_new", `{"type":"also_new","a":1}`}},
			[]Call{{"code_interpreter_call", `[{"type":"logs","logs":"2"}]`}}},
		{"responses, cut before the item was done", responsesURL, streamed(
			`{"type":"response.output_item.added","output_index":0,"item":{"type":"shell_call","action":{"commands":[]}}}`,
			`{"type":"response.shell_call_command.delta","output_index":0,"command_index":0,"delta":"ls"}`,
			`{"type":"response.shell_call_command.delta","output_index":0,"command_index":0,"delta":" -l"}`),
			[]Call{{"shell_call", `{"commands":["ls -l"]}`}}, nil, nil},
		{"messages", messagesURL, streamed(
			`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","name":"bash_code_execution","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"ls\"}"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"bash_code_execution_tool_result","content":{"stdout":"a"}}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"compaction","content":null}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"compaction_delta","content":"so far"}}`,
			`{"type":"content_block_start","index":3,"content_block":{"type":"fallback","to":{"model":"b"}}}`),
			[]Call{{"bash_code_execution", `{"command":"ls"}`}},
			[]Call{{"fallback", `{"type":"fallback","to":{"model":"b"}}`}},
			[]Call{{"bash_code_execution_tool_result", `{"stdout":"a"}`}, {"compaction", "so far"}}},
		{"gemini", "https://h/v1beta/models/g:generateContent", whole(`{"candidates":[{"content":{"parts":[{"executableCode":{"code":"1+1","language":"PYTHON"}},
			{"codeExecutionResult":{"output":"2"}},{"thoughtSignature":"s"},{"brandNew":{"a":1},"thoughtSignature":"s"}]},
			"groundingMetadata":{"webSearchQueries":["q"],"groundingChunks":[{}]}}]}`),
			[]Call{{"executableCode", "1+1"}, {"search", `["q"]`}}, []Call{{"", `{"brandNew":{"a":1}}`}}, []Call{{"codeExecutionResult", `{"output":"2"}`}}},
		{"interactions, streamed", "https://h/v1beta/interactions", streamed(
			`{"event_type":"step.start","index":0,"step":{"type":"code_execution_call","arguments":{}}}`,
			`{"event_type":"step.delta","index":0,"delta":{"type":"code_execution_call","arguments":{"code":"1+1"}}}`,
			`{"event_type":"step.delta","index":1,"delta":{"type":"brand_new","a":1}}`,
			`{"event_type":"step.delta","index":2,"delta":{"type":"image","data":"aGk=","mime_type":"image/png"}}`),
			[]Call{{"code_execution_call", `{"code":"1+1"}`}}, []Call{{"brand_new", `{"type":"brand_new","a":1}`}},
			[]Call{{"image", `{"type":"image","data":"aGk=","mime_type":"image/png"}`}}},
		{"Converse", "https://h/model/m/converse-stream", streamed(`{"contentBlockIndex":0,"delta":{"brandNew":{"a":"b"}}}`, `{"contentBlockIndex":0,"delta":{"brandNew":{"a":"c"}}}`),
			nil, []Call{{"", `{"brandNew":{"a":"bc"}}`}}, nil},
		{"chat, streamed", chatURL, streamed(
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"type":"custom","custom":{"name":"g","input":"SEL"}}]}}]}`,
			`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"custom":{"input":"ECT"}},{"index":1,"type":"brand_new","brand_new":{"a":1}}],"executed_tools":[{"index":0,"type":"search","arguments":"{}","output":"o"}]}}]}`),
			[]Call{{"g", "SELECT"}, {"search", "{}"}}, []Call{{"brand_new", `{"index":1,"type":"brand_new","brand_new":{"a":1}}`}}, []Call{{"search", "o"}}},
		{"mistral's conversations, streamed", "https://h/v1/conversations", streamed(
			`{"type":"message.output.delta","output_index":0,"content":"Hi"}`,
			`{"type":"tool.execution.started","output_index":1,"name":"web_search","arguments":"{"}`, `{"type":"tool.execution.delta","output_index":1,"arguments":"}"}`,
			`{"type":"tool.execution.done","output_index":1,"name":"web_search","info":{"a":1}}`,
			`{"type":"function.call.delta","output_index":2,"name":"f","arguments":"{\"a\""}`, `{"type":"function.call.delta","output_index":2,"name":"f","arguments":":1}"}`),
			[]Call{{"web_search", "{}"}, {"f", `{"a":1}`}}, nil, []Call{{"web_search", `{"a":1}`}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := Read(form(tt.url, any), tt.resp)
			if !reflect.DeepEqual(a.Calls, tt.calls) || !reflect.DeepEqual(a.Blocks, tt.blocks) || !reflect.DeepEqual(a.Results, tt.results) {
				t.Errorf("got  %q\n     %q\n     %q\nwant %q\n     %q\n     %q", a.Calls, a.Blocks, a.Results, tt.calls, tt.blocks, tt.results)
			}
		})
	}
}

// FuzzRead: no answer is too strange, whole or as the payload of an event that comes twice.
func FuzzRead(f *testing.F) {
	urls := []string{chatURL, responsesURL, messagesURL, "https://h/v1beta/models/g:generateContent", "https://h/v1beta/interactions", "https://h/model/m/converse",
		"https://h/model/m/invoke", "https://h/v2/chat", "https://h/v1/chat", "https://h/v1/conversations", "http://h/api/chat", "https://h/generate"}
	f.Add(uint8(0), `{"choices":[{"index":[],"delta":{"content":[1,"a",{}],"tool_calls":{"index":0}}},3,null]}`)
	f.Add(uint8(1), `{"type":"response.output_item.done","output_index":{},"item":{"type":3},"response":[{"output":{}}]}`)
	f.Add(uint8(2), `{"type":"content_block_delta","index":"a","delta":{"type":"x","input":{"a":1},"partial_json":2}}`)
	f.Add(uint8(4), `{"event_type":"step.delta","delta":{"type":"text","text":{"a":"b"}},"usage":{"total_tokens":1e9}}`)
	f.Fuzz(func(t *testing.T, n uint8, payload string) {
		fm := form(urls[int(n)%len(urls)], `{"model":"m","messages":[],"message":"x","input":"x","inputs":"x"}`)
		for _, resp := range []*interaction.Response{whole(payload), streamed(payload, payload)} {
			a := Read(fm, resp)
			if u := a.Usage; u != nil && (u.InputTokens < 0 || u.OutputTokens < 0) {
				t.Errorf("%+v", u)
			}
		}
	})
}
