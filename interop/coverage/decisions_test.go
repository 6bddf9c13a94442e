package coverage

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/responses"
	"google.golang.org/genai"
	"google.golang.org/genai/interactions/models/interactions"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/diff/compare"
	"github.com/promptecho/promptecho/internal/interaction"
)

// decides has, for each type of item, block, step or part, the members that say what the model
// decides; the others say what it was given, or differ from answer to answer. "all" is a type
// that is compared whole but for ids, "text" one that is read as text.
var decides = map[string]map[string]string{
	"openai": {
		"message": "text", "reasoning": "text", "function_call": "name arguments namespace", "custom_tool_call": "name input namespace",
		"mcp_call": "name arguments server_label", "mcp_approval_request": "name arguments server_label", "mcp_approval_response": "approve reason",
		"file_search_call": "queries", "web_search_call": "action", "computer_call": "action actions pending_safety_checks",
		"program": "code", "tool_search_call": "arguments execution", "code_interpreter_call": "code", "local_shell_call": "action",
		"shell_call": "action", "apply_patch_call": "operation", "image_generation_call": "action background output_format quality revised_prompt size",
		"function_call_output": "", "computer_call_output": "", "program_output": "", "tool_search_output": "", "additional_tools": "",
		"compaction": "", "local_shell_call_output": "", "shell_call_output": "", "apply_patch_call_output": "", "mcp_list_tools": "",
		"custom_tool_call_output": "", "agent_message": "all", "multi_agent_call": "action arguments", "multi_agent_call_output": "",
	},
	"anthropic": {
		"text": "text", "thinking": "text", "redacted_thinking": "", "tool_use": "name input toolset_name", "server_tool_use": "name input toolset_name",
		"mcp_tool_use": "name input server_name", "web_search_tool_result": "", "web_fetch_tool_result": "", "advisor_tool_result": "",
		"code_execution_tool_result": "", "bash_code_execution_tool_result": "", "text_editor_code_execution_tool_result": "",
		"tool_search_tool_result": "", "mcp_tool_result": "", "mcp_tool_listing": "", "compaction": "", "container_upload": "all", "fallback": "all",
	},
	"interactions": {
		"model_output": "text", "thought": "text", "function_call": "name arguments", "mcp_server_tool_call": "name arguments server_name",
		"code_execution_call": "arguments", "file_search_call": "", "google_maps_call": "arguments", "google_search_call": "arguments search_type",
		"processing_call": "", "retrieval_call": "arguments retrieval_type", "url_context_call": "arguments", "user_input": "",
		"code_execution_result": "", "file_search_result": "", "function_result": "", "google_maps_result": "", "google_search_result": "",
		"mcp_server_tool_result": "", "processing_result": "", "retrieval_result": "", "url_context_result": "",
	},
	"gemini": {
		"text": "text", "thought": "", "thoughtSignature": "", "functionCall": "name args partialArgs", "executableCode": "code", "toolCall": "toolType args",
		"codeExecutionResult": "", "toolResponse": "", "functionResponse": "", "inlineData": "", "fileData": "", "audioTranscription": "",
		"mediaResolution": "beside", "videoMetadata": "beside", "partMetadata": "beside", "mediaProcessing": "beside", "speechMetadata": "beside",
	},
	"converse": {
		"text": "text", "reasoningContent": "text", "citationsContent": "text", "toolUse": "name input", "toolResult": "", "searchResult": "",
		"image": "", "audio": "", "video": "", "document": "", "guardContent": "", "cachePoint": "all", "toolAddition": "all", "toolRemoval": "all",
	},
}

// wires say how an answer holds a block, whole and as the events of a stream.
var wires = map[string]struct {
	url    string
	whole  string
	events []string
}{
	"openai": {"https://api.openai.com/v1/responses", `{"output":[{"type":"message","content":[{"type":"output_text","text":"Hi"}]},BLOCK],"status":"completed"}`, []string{
		`{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Hi"}]}}`,
		`{"type":"response.output_item.done","output_index":1,"item":BLOCK}`, `{"type":"response.completed","response":{"status":"completed","output":[]}}`,
	}},
	"anthropic": {"https://api.anthropic.com/v1/messages", `{"content":[{"type":"text","text":"Hi"},BLOCK],"stop_reason":"end_turn"}`, []string{
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"Hi"}}`,
		`{"type":"content_block_start","index":1,"content_block":BLOCK}`, `{"type":"message_delta","delta":{"stop_reason":"end_turn"}}`,
	}},
	"interactions": {"https://generativelanguage.googleapis.com/v1beta/interactions", `{"steps":[{"type":"model_output","content":[{"type":"text","text":"Hi"}]},BLOCK],"status":"completed"}`, []string{
		`{"event_type":"step.start","index":0,"step":{"type":"model_output","content":[{"type":"text","text":"Hi"}]}}`,
		`{"event_type":"step.start","index":1,"step":BLOCK}`, `{"event_type":"interaction.completed","interaction":{"status":"completed"}}`,
	}},
	"gemini": {"https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", `{"candidates":[{"content":{"parts":[{"text":"Hi"},BLOCK]},"finishReason":"STOP"}]}`, []string{
		`{"candidates":[{"content":{"parts":[{"text":"Hi"}]}}]}`, `{"candidates":[{"content":{"parts":[BLOCK]},"finishReason":"STOP"}]}`,
	}},
	"converse": {"https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", `{"output":{"message":{"content":[{"text":"Hi"},BLOCK]}},"stopReason":"end_turn"}`, []string{
		`{"contentBlockIndex":0,"delta":{"text":"Hi"}}`, `{"contentBlockIndex":1,"start":BLOCK}`, `{"stopReason":"end_turn"}`,
	}},
}

// blocks returns a sample of each type that the newest SDK has, by its wire and name.
func blocks(t *testing.T) map[string]map[string]map[string]any {
	t.Helper()
	all := map[string]map[string]map[string]any{}
	add := func(wire, name string, sample any) {
		if all[wire] == nil {
			all[wire] = map[string]map[string]any{}
		}
		all[wire][name] = sample.(map[string]any)
	}
	unions := map[string][]reflect.Type{
		"openai":    {reflect.TypeFor[responses.ResponseOutputItemUnion](), reflect.TypeFor[openai.BetaResponseOutputItemUnion]()},
		"anthropic": {reflect.TypeFor[anthropic.ContentBlockUnion](), reflect.TypeFor[anthropic.BetaContentBlockUnion]()},
	}
	for wire, types := range unions {
		for _, union := range types {
			for i := range union.NumMethod() {
				m := union.Method(i)
				if out := m.Type.Out(0); strings.HasPrefix(m.Name, "As") && out.Kind() == reflect.Struct {
					sample := sampleOf(out, 0).(map[string]any)
					if sample["type"] == "x" { // one of several names
						sample["type"] = strings.ToLower(capital.ReplaceAllString(m.Name[len("As"):], "_$1"))[1:]
					}
					if sample["type"] == "message" {
						sample["content"] = []any{map[string]any{"type": "output_text", "text": "x", "annotations": []any{}}}
					}
					add(wire, sample["type"].(string), sample)
				}
			}
		}
	}
	step := reflect.TypeFor[interactions.Step]()
	for i := range step.NumField() {
		if f := step.Field(i); f.Type.Kind() == reflect.Pointer {
			sample := sampleOf(f.Type.Elem(), 0).(map[string]any)
			add("interactions", sample["type"].(string), sample)
		}
	}
	part := reflect.TypeFor[genai.Part]()
	for i := range part.NumField() {
		name, _, _ := strings.Cut(part.Field(i).Tag.Get("json"), ",")
		add("gemini", name, map[string]any{name: sampleOf(part.Field(i).Type, 0)})
	}
	source, err := os.ReadFile(filepath.Join(dirOf(t, "github.com/aws/aws-sdk-go-v2/service/bedrockruntime"), "types", "types.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`type ContentBlockMember(\w+) struct`).FindAllStringSubmatch(string(source), -1) {
		name := strings.ToLower(m[1][:1]) + m[1][1:]
		var value any = map[string]any{"name": "x", "input": map[string]any{"k": "x"}, "toolUseId": "x"}
		if name == "text" {
			value = "x"
		}
		add("converse", name, map[string]any{name: value})
	}
	return all
}

var capital = regexp.MustCompile(`([A-Z])`)

// sampleOf returns JSON of a type as an SDK reads it.
func sampleOf(t reflect.Type, depth int) any {
	if m, ok := t.MethodByName("Default"); ok && t.Kind() == reflect.String {
		return m.Func.Call([]reflect.Value{reflect.Zero(t)})[0].String()
	}
	if t == reflect.TypeFor[json.RawMessage]() {
		return map[string]any{"k": "x"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return sampleOf(t.Elem(), depth)
	case reflect.Slice:
		if depth > 4 || t.Elem().Kind() == reflect.Uint8 {
			return "x"
		}
		return []any{sampleOf(t.Elem(), depth+1)}
	case reflect.Map, reflect.Interface:
		return map[string]any{"k": "x"}
	case reflect.Struct:
		if depth > 3 {
			return map[string]any{}
		}
		object := map[string]any{}
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				maps.Copy(object, sampleOf(f.Type, depth).(map[string]any))
			case f.Tag.Get("const") != "":
				object[name] = f.Tag.Get("const")
			case name != "" && name != "-":
				object[name] = sampleOf(f.Type, depth+1)
			}
		}
		return object
	case reflect.Bool:
		return true
	case reflect.String:
		return "x"
	}
	return 1
}

// changed returns a value with other texts and numbers; the types in it stay.
func changed(v any, name string) any {
	switch v := v.(type) {
	case map[string]any:
		other := map[string]any{}
		for name, m := range v {
			other[name] = changed(m, name)
		}
		return other
	case []any:
		other := slices.Clone(v)
		for i := range other {
			other[i] = changed(other[i], name)
		}
		return other
	case string:
		if name == "type" {
			return v
		}
		return "CHANGED"
	case bool:
		return !v
	}
	return 4711
}

// answersOf returns the answer that holds a block, whole and streamed.
func answersOf(wire string, block any) []*interaction.Response {
	data, _ := json.Marshal(block)
	w := wires[wire]
	fill := func(text string) string { return strings.Replace(text, "BLOCK", string(data), 1) }
	streamed := &interaction.Response{Status: 200, Stream: "sse"}
	for _, e := range w.events {
		streamed.Events = append(streamed.Events, interaction.Event{{Name: "data", Value: fill(e)}})
	}
	return []*interaction.Response{{Status: 200, Body: []byte(fill(w.whole))}, streamed}
}

// TestDecisions: for each type of the newest SDKs, a change in what it decides is a drift,
// whole and streamed, and a change of ids, results and texts is none; show leaves none out.
func TestDecisions(t *testing.T) {
	t.Parallel()
	for wire, types := range blocks(t) {
		for name, block := range types {
			decided, known := decides[wire][name]
			if !known {
				t.Errorf("%s has a type that the table does not have: %s", wire, name)
				continue
			}
			if decided == "beside" || name == "thought" && wire == "gemini" || name == "thoughtSignature" {
				continue // they stand beside a text, or say what it is
			}
			t.Run(wire+"/"+name, func(t *testing.T) { testDecision(t, wire, name, block, decided) })
		}
		for name := range decides[wire] {
			if types[name] == nil {
				t.Errorf("%s has no type %s", wire, name)
			}
		}
		t.Run(wire+"/unknown", func(t *testing.T) {
			testDecision(t, wire, "brand_new", map[string]any{"type": "brand_new", "id": "x", "what": "x", "deep": map[string]any{"a": []any{"x", 1}}}, "all")
		})
	}
}

func testDecision(t *testing.T, wire, name string, block map[string]any, decided string) {
	form := new(canon.Options).Form(&interaction.Request{Method: "POST", URL: wires[wire].url, Body: []byte(`{"model":"m","input":"x","messages":[]}`)})
	was := answersOf(wire, block)
	members := block
	inner, nested := block[name].(map[string]any) // Gemini's and Converse's are named by their one member
	if nested {
		members = inner
	}
	for _, member := range slices.Sorted(maps.Keys(members)) {
		if member == "type" {
			continue
		}
		other := maps.Clone(members)
		other[member] = changed(members[member], member)
		whole := other
		if nested {
			whole = map[string]any{name: other}
		}
		isID := member == "id" || strings.HasSuffix(member, "_id") || strings.HasSuffix(member, "Id")
		want := decided != "text" && slices.Contains(strings.Fields(decided), member) || decided == "all" && !isID && member != "encrypted_content"
		for i, is := range answersOf(wire, whole) {
			got := compare.Answers(form, was[i], is)
			if (got.Verdict == compare.Drift) != want {
				t.Errorf("%s of %s (%s) differs: %s %s, want drift %v; %+v", member, name, []string{"whole", "streamed"}[i], got.Verdict, got.Why, want, got.Edits)
			}
			shown := conversation.Read([]*interaction.Interaction{{Request: interaction.Request{Method: "POST", URL: wires[wire].url, Body: []byte(`{"model":"m","input":"x","messages":[]}`)}, Response: *is}})
			parts := fmt.Sprintf("%+v", shown[0].Answer.Parts)
			if want && !strings.Contains(parts, "CHANGED") && !strings.Contains(parts, "false") && !strings.Contains(parts, "4711") {
				t.Errorf("show leaves out %s of %s: %s", member, name, parts)
			}
			if !strings.Contains(parts, "Hi") || len(shown[0].Answer.Parts) < 2 && decided != "text" {
				t.Errorf("show leaves out %s, or the text beside it: %s", name, parts)
			}
		}
	}
}
