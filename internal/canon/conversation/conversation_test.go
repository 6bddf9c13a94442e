package conversation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

func post(url, body string) *interaction.Interaction {
	return &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: url, Body: []byte(body)},
		Response: interaction.Response{Status: 200, Body: []byte("{}")},
	}
}

// lines returns messages as lines that a test can show.
func lines(messages []Message) string {
	var b strings.Builder
	for _, m := range messages {
		for _, p := range m.Parts {
			b.WriteString(m.Role + " " + p.Kind)
			for _, s := range []string{p.Name, p.Args, p.Text} {
				if s != "" {
					b.WriteString(" " + s)
				}
			}
			if p.Bad {
				b.WriteString(" (error)")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

const (
	chat         = "https://api.openai.com/v1/chat/completions"
	responses    = "https://api.openai.com/v1/responses"
	claude       = "https://api.anthropic.com/v1/messages"
	gemini       = "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent"
	interactions = "https://generativelanguage.googleapis.com/v1beta/interactions"
	converse     = "https://bedrock-runtime.us-east-1.amazonaws.com/model/x/converse"
	cohere       = "https://api.cohere.com/v2/chat"
	ollama       = "http://localhost:11434/api/chat"
)

// TestFamilies: a loop over a tool reads the same in the spelling of every provider, as its
// reference documents the request.
func TestFamilies(t *testing.T) {
	t.Parallel()
	const want = "system text Be brief.\nuser text Weather?\nassistant text Let me see.\n" +
		"assistant tool_call weather {\"city\":\"Paris\"}\ntool tool_result weather rain\n"
	const wantTools = `[{"name":"weather","description":"In a city","parameters":["city"]}]`
	const schema = `{"type":"object","properties":{"city":{"type":"string"}}}`
	const openTool = `"tools":[{"type":"function","function":{"name":"weather","description":"In a city","parameters":` + schema + `}}]`
	for _, tt := range []struct{ name, url, body string }{
		{"openai.chat", chat, `{"model":"m",` + openTool + `,"messages":[
			{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},
			{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"call_1","type":"function","function":{"name":"weather","arguments":"{\"city\": \"Paris\"}"}}]},
			{"role":"tool","tool_call_id":"call_1","content":"rain"}]}`},
		{"openai.responses", responses, `{"model":"m","instructions":"Be brief.","tools":[{"type":"function","name":"weather","description":"In a city","parameters":` + schema + `}],"input":[
			{"role":"user","content":"Weather?"},
			{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Let me see."}]},
			{"type":"function_call","call_id":"c","name":"weather","arguments":"{\"city\":\"Paris\"}"},
			{"type":"function_call_output","call_id":"c","output":"rain"}]}`},
		{"anthropic.messages", claude, `{"model":"m","max_tokens":9,"system":"Be brief.","tools":[{"name":"weather","description":"In a city","input_schema":` + schema + `}],"messages":[
			{"role":"user","content":"Weather?"},
			{"role":"assistant","content":[{"type":"text","text":"Let me see."},{"type":"tool_use","id":"t","name":"weather","input":{"city":"Paris"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"rain"}]}]}`},
		{"gemini.interactions", interactions, `{"model":"g","system_instruction":"Be brief.","tools":[{"type":"function","name":"weather","description":"In a city","parameters":` + schema + `}],"input":[
			{"type":"user_input","content":[{"type":"text","text":"Weather?"}]},
			{"type":"model_output","content":[{"type":"text","text":"Let me see."}]},
			{"type":"function_call","id":"c","name":"weather","arguments":{"city":"Paris"}},
			{"type":"function_result","call_id":"c","name":"weather","result":"rain"}]}`},
		{"gemini", gemini, `{"systemInstruction":{"parts":[{"text":"Be brief."}]},"tools":[{"functionDeclarations":[{"name":"weather","description":"In a city","parameters":` + schema + `}]}],"contents":[
			{"role":"user","parts":[{"text":"Weather?"}]},
			{"role":"model","parts":[{"text":"Let me see."},{"functionCall":{"name":"weather","args":{"city":"Paris"}}}]},
			{"role":"user","parts":[{"functionResponse":{"name":"weather","response":"rain"}}]}]}`},
		{"bedrock.converse", converse, `{"system":[{"text":"Be brief."}],"toolConfig":{"tools":[{"toolSpec":{"name":"weather","description":"In a city","inputSchema":{"json":` + schema + `}}}]},"messages":[
			{"role":"user","content":[{"text":"Weather?"}]},
			{"role":"assistant","content":[{"text":"Let me see."},{"toolUse":{"toolUseId":"t","name":"weather","input":{"city":"Paris"}}}]},
			{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"rain"}]}}]}]}`},
		{"cohere.chat", cohere, `{"model":"m",` + openTool + `,"messages":[
			{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},
			{"role":"assistant","content":"Let me see.","tool_calls":[{"id":"c","type":"function","function":{"name":"weather","arguments":"{\"city\":\"Paris\"}"}}]},
			{"role":"tool","tool_call_id":"c","content":"rain"}]}`},
		{"ollama.chat", ollama, `{"model":"m",` + openTool + `,"messages":[
			{"role":"system","content":"Be brief."},{"role":"user","content":"Weather?"},
			{"role":"assistant","content":"Let me see.","tool_calls":[{"function":{"name":"weather","arguments":{"city":"Paris"}}}]},
			{"role":"tool","tool_name":"weather","content":"rain"}]}`},
	} {
		e := Read([]*interaction.Interaction{post(tt.url, tt.body)})[0]
		if got := lines(e.Messages); got != want {
			t.Errorf("%s: messages\n%swant\n%s", tt.name, got, want)
		}
		tools, err := json.Marshal(e.Tools)
		if err != nil || string(tools) != wantTools {
			t.Errorf("%s: tools %s, %v", tt.name, tools, err)
		}
		if e.Kind != "llm" || e.Body != "" {
			t.Errorf("%s: kind %s, body %q", tt.name, e.Kind, e.Body)
		}
	}
}

// TestParts: what else a message can hold.
func TestParts(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, body, want string }{
		{"a picture inline", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"What?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,QUJD"}}]}]}`,
			"user text What?\nuser media image/png, 3 bytes\n"},
		{"a picture by its address", chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"https://h/cat.png"}}]}]}`,
			"user media image_url https://h/cat.png\n"},
		{"Anthropic's picture", claude, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"QUJD"}}]}]}`,
			"user media image/png, 3 bytes\n"},
		{"Gemini's picture", gemini, `{"contents":[{"role":"user","parts":[{"inlineData":{"mimeType":"image/jpeg","data":"QUJD"}}]}]}`,
			"user media image/jpeg, 3 bytes\n"},
		{"reasoning that is sent back", claude, `{"model":"m","max_tokens":1,"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"Hm","signature":"s"},{"type":"text","text":"Yes"}]}]}`,
			"assistant reasoning Hm\nassistant text Yes\n"},
		{"a result that is an error", claude, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":[{"type":"text","text":"no"}]},{"type":"text","text":"And?"}]}]}`,
			"tool tool_result no (error)\nuser text And?\n"},
		{"a block that nobody knows", claude, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"hologram","depth":3}]}]}`,
			"user other {\"depth\":3,\"type\":\"hologram\"}\n"},
		{"nothing but a sound", chat, `{"model":"m","messages":[{"role":"assistant","content":null,"audio":{"id":"a"}},{"role":"assistant","refusal":"No"}]}`,
			"assistant other audio {\"id\":\"a\"}\nassistant text No\n"},
		{"items of the provider's tools", responses, `{"model":"m","input":[{"type":"file_search_call","queries":["q"]},{"type":"tool_search_output","tools":[{"a":1}]}]}`,
			"assistant other {\"queries\":[\"q\"],\"type\":\"file_search_call\"}\ntool tool_result {\"tools\":[{\"a\":1}],\"type\":\"tool_search_output\"}\n"},
		{"reasoning items", responses, `{"model":"m","input":[{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Hm"}]},{"type":"function_call","call_id":"a","name":"f","arguments":"{}"},{"type":"function_call","call_id":"b","name":"g","arguments":"{}"},{"type":"function_call_output","call_id":"b","output":"2"},{"type":"function_call_output","call_id":"a","output":"1"}]}`,
			"assistant reasoning Hm\nassistant tool_call f {}\nassistant tool_call g {}\ntool tool_result g 2\ntool tool_result f 1\n"},
		{"one text", responses, `{"model":"m","input":"hi"}`, "user text hi\n"},
		{"several texts", "https://api.openai.com/v1/embeddings", `{"model":"m","input":["a","b"]}`, "user text a\nuser text b\n"},
		{"a prompt", "http://localhost:11434/api/generate", `{"model":"m","system":"s","prompt":"hi"}`, "system text s\nuser text hi\n"},
		{"Cohere's old chat", "https://api.cohere.com/v1/chat", `{"model":"m","preamble":"p","message":"now","chat_history":[{"role":"USER","message":"a"},{"role":"CHATBOT","message":"b"}]}`,
			"system text p\nuser text a\nassistant text b\nuser text now\n"},
		{"numbers and lists in arguments", ollama, `{"model":"m","messages":[{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{"b":[1,2.5,{"c":null}],"a/b":"x"}}}]}]}`,
			"assistant tool_call f {\"a/b\":\"x\",\"b\":[1,2.5,{\"c\":null}]}\n"},
	} {
		e := Read([]*interaction.Interaction{post(tt.url, tt.body)})[0]
		if got := lines(e.Messages); got != tt.want {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// TestSettings: nothing that a body says is left out.
func TestSettings(t *testing.T) {
	t.Parallel()
	e := Read([]*interaction.Interaction{post(chat, `{"model":"m","messages":[{"role":"user","content":"hi"}],"temperature":0.5,"response_format":{"type":"json_object"},"hologram":[1]}`)})[0]
	var got []string
	for _, s := range e.Settings {
		got = append(got, s.Name+" "+s.Value)
	}
	slices.Sort(got)
	if want := []string{"hologram [1]", `response_format {"type":"json_object"}`, "temperature 0.5"}; !slices.Equal(got, want) {
		t.Errorf("settings %q, want %q", got, want)
	}
	for body, want := range map[string]string{
		`{"a":1}`:       `{"a":1}`,
		"\x00\xff":      "(2 bytes that are not text)",
		"a\x00":         "(2 bytes that are not text)",
		"start \x01":    "start \x01",
		"\x00 at first": "(10 bytes that are not text)",
	} {
		other := Read([]*interaction.Interaction{post("https://h/v1/x", body)})[0]
		if other.Body != want || other.Kind != "http" {
			t.Errorf("%q to an unknown API: %s %q, want %q", body, other.Kind, other.Body, want)
		}
	}
	single := Read([]*interaction.Interaction{post(chat, `{"model":"m","hologram":[1]}`)})[0]
	if len(single.Settings) != 1 || single.Body != "" {
		t.Errorf("one setting: %v, and the body %q", single.Settings, single.Body)
	}
}

// TestFold: a turn repeats the longest beginning that any earlier one had, with its answer;
// reasoning, ids and the layout of arguments do not count.
func TestFold(t *testing.T) {
	t.Parallel()
	ask := func(messages string) string {
		return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Weather?"}` + messages + `]}`
	}
	first := post(claude, ask(""))
	first.Response.Body = []byte(`{"content":[{"type":"thinking","thinking":"Hm"},{"type":"tool_use","id":"toolu_1","name":"weather","input":{"city":"Paris","days":1}}],"stop_reason":"tool_use"}`)
	const called = `,{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":{"days":1,"city":"Paris"}}]}`
	const result = `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"rain"}]}`
	list := Read([]*interaction.Interaction{
		first,
		post(claude, ask(called+result)),
		post(claude, ask(strings.Replace(called, "Paris", "Rome", 1)+result)),
		post(claude, `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Something else"}]}`),
		post(claude, ask(called+result)),
	})
	want := []*Repeat{nil, {1, 2, false, true}, {2, 1, false, true}, nil, {2, 3, false, true}}
	for i, e := range list {
		if (e.Repeats == nil) != (want[i] == nil) || e.Repeats != nil && *e.Repeats != *want[i] {
			t.Errorf("exchange %d repeats %+v, want %+v", i+1, e.Repeats, want[i])
		}
	}
}

// TestAnswers: what came back, and how.
func TestAnswers(t *testing.T) {
	t.Parallel()
	streamed := post(claude, `{"model":"m","max_tokens":9,"stream":true,"messages":[]}`)
	streamed.LatencyMS = 100
	streamed.Response = interaction.Response{Status: 200, Stream: "sse", End: interaction.EndError, Error: "unexpected EOF",
		Events: []interaction.Event{
			{{Name: "data", Value: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hi, "}}`}},
			{{Name: "data", Value: `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"you"}}`}},
		},
		Delays: []interaction.Delay{{MS: 20}, {MS: 30, Rest: "~1+5"}},
	}
	tool := &interaction.Interaction{
		Request:  interaction.Request{Function: "tool/weather", Body: []byte(`"Paris"`)},
		Response: interaction.Response{Error: "no weather"},
	}
	within := post("https://h/v1/x", "{}")
	within.Request.Within = "tool/weather"
	list := Read([]*interaction.Interaction{streamed, tool, within})
	e := list[0]
	if e.FirstMS != 120 || e.TotalMS != 155 || e.Answer.Events != 2 || e.Answer.Broken != "it broke off: unexpected EOF" ||
		lines([]Message{{"a", e.Answer.Parts}}) != "a text Hi, you\n" {
		t.Errorf("a stream: %+v", e)
	}
	streamed.Response.End, streamed.Response.Error = interaction.EndClosed, "context canceled"
	if e := Read([]*interaction.Interaction{streamed})[0]; e.Answer.Broken != "the client gave up: context canceled" {
		t.Errorf("a stream that was stopped: %s", e.Answer.Broken)
	}
	if came := Arrivals(streamed); !slices.Equal(came, []int64{120, 150}) {
		t.Errorf("the events came after %d ms", came)
	}
	streamed.Response.Delays = streamed.Response.Delays[:1] // an edited cassette may lack some
	if came := Arrivals(streamed); !slices.Equal(came, []int64{120, 120}) {
		t.Errorf("without a delay the events came after %d ms", came)
	}
	if e = list[1]; e.Kind != "tool" || e.Body != `"Paris"` || e.Answer.Error != "no weather" || e.Request != "tool/weather" {
		t.Errorf("a function: %+v", e)
	}
	if e = list[2]; e.Within != "tool/weather" {
		t.Errorf("a request within a function: %+v", e)
	}
}

// TestAnswerBlocks: every block of an answer is shown, also beside one that is known, and no
// call has empty brackets that has content; what is no text is said in words.
func TestAnswerBlocks(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, answer, want string }{
		{"responses", responses, `{"output":[{"type":"message","content":[{"type":"output_text","text":"Hi"},{"type":"also_new","a":1}]},
			{"type":"apply_patch_call","operation":{"path":"a.go"}},{"type":"brand_new","a":1},{"type":"mcp_list_tools","server_label":"s","tools":[{"name":"f"}]},
			{"type":"image_generation_call","revised_prompt":"a cat","result":"` + strings.Repeat("QUJD", 100) + `"}],"error":{"message":"no"}}`,
			`a text Hi
a tool_call apply_patch_call {"path":"a.go"}
a tool_call image_generation_call a cat
a other brand_new {"type":"brand_new","a":1}
a other also_new {"type":"also_new","a":1}
a tool_result mcp_list_tools [{"name":"f"}]
a media image_generation_call, 300 bytes
a other error`},
		{"claude", claude, `{"content":[{"type":"text","text":"Hi"},{"type":"server_tool_use","name":"web_search","input":{"query":"q"}},
			{"type":"web_search_tool_result","content":[{"url":"u"}]},{"type":"redacted_thinking","data":"x"}]}`,
			`a text Hi
a tool_call web_search {"query":"q"}
a tool_result web_search_tool_result [{"url":"u"}]
a tool_result redacted_thinking x`},
		{"gemini", gemini, `{"candidates":[{"content":{"parts":[{"text":"Hi"},{"inlineData":{"mimeType":"image/png","data":"QUJD"}},{"brandNew":{"a":1}}]}}]}`,
			`a text Hi
a other {"brandNew":{"a":1}}
a media inlineData: image/png, 3 bytes`},
	} {
		it := post(tt.url, `{"model":"m","max_tokens":1,"input":"x","messages":[],"contents":[]}`)
		it.Response.Body = []byte(tt.answer)
		if got := lines([]Message{{"a", Read([]*interaction.Interaction{it})[0].Answer.Parts}}); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s:\n%swant\n%s", tt.name, got, tt.want)
		}
	}
}

// FuzzRead: no request and no answer is too strange.
func FuzzRead(f *testing.F) {
	f.Add(chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url"}]},null,3,[1]],"tools":[null,{"function":3}]}`, `{"choices":[{"message":{"tool_calls":[{}]}}]}`)
	f.Add(gemini, `{"contents":{"parts":{"text":1}},"systemInstruction":[]}`, `{}`)
	f.Add(responses, `{"model":"m","input":[{"type":"function_call"},{"type":"reasoning","summary":3}]}`, `[`)
	f.Fuzz(func(t *testing.T, url, request, answer string) {
		it := post(url, request)
		it.Response.Body = []byte(answer)
		list := Read([]*interaction.Interaction{it, it})
		if r := list[1].Repeats; len(list[0].Messages) > 0 && (r == nil || r.Of != 1 || r.Messages != len(list[1].Messages)) {
			t.Errorf("the same request again repeats %+v", r)
		}
	})
}

// TestConcurrent: an exchange names those that were under way while it was, not those that
// ended before it was asked, and not those of a later time.
func TestConcurrent(t *testing.T) {
	t.Parallel()
	var its []*interaction.Interaction
	for _, moments := range []string{"asked 1, answered 5", "asked 2, answered 3", "asked 4, answered 6", "", "asked 1, answered 3", "asked 2, answered 4"} {
		it := post(chat, `{"model":"m","messages":[]}`)
		if moments != "" {
			var err error
			if it.Concurrent, err = interaction.ParseMoments(moments); err != nil {
				t.Fatal(err)
			}
		}
		its = append(its, it)
	}
	want := [][]int{{2, 3}, {1}, {1}, nil, {6}, {5}}
	for i, e := range Read(its) {
		if !slices.Equal(e.Concurrent, want[i]) {
			t.Errorf("#%d ran side by side with %v, want %v", i+1, e.Concurrent, want[i])
		}
	}
}

// An answer without a text is shown as what it is, with the reason why it ended, and not as the
// JSON of its body.
func TestEmptyAnswerSaysWhyItEnded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, url, answer, want string }{
		{"OpenAI, length", chat, `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":""},"finish_reason":"length"}]}`, "length"},
		{"OpenAI, content filter", chat, `{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":null},"finish_reason":"content_filter"}]}`, "content_filter"},
		{"Responses, incomplete", "https://api.openai.com/v1/responses", `{"object":"response","status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}`, "max_output_tokens"},
		{"Anthropic, refusal", "https://api.anthropic.com/v1/messages", `{"type":"message","role":"assistant","content":[],"stop_reason":"refusal"}`, "refusal"},
		{"Gemini, safety", "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent", `{"candidates":[{"finishReason":"SAFETY","index":0}]}`, "SAFETY"},
		{"Gemini, blocked prompt", "https://generativelanguage.googleapis.com/v1beta/models/g:generateContent", `{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}`, "PROHIBITED_CONTENT"},
		{"Cohere", "https://api.cohere.com/v2/chat", `{"id":"1","finish_reason":"MAX_TOKENS","message":{"role":"assistant","content":[]}}`, "MAX_TOKENS"},
		{"Ollama", "http://localhost:11434/api/chat", `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"length"}`, "length"},
		{"Converse, guardrail", "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse", `{"output":{"message":{"role":"assistant","content":[]}},"stopReason":"guardrail_intervened"}`, "guardrail_intervened"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			it := post(tt.url, `{"model":"m","input":"hi","messages":[{"role":"user","content":"hi"}]}`)
			it.Response.Body = []byte(tt.answer)
			answer := Read([]*interaction.Interaction{it})[0].Answer
			if len(answer.Parts) != 1 || answer.Parts[0].Kind != Empty || !strings.Contains(answer.Parts[0].Text, tt.want) || answer.Body != "" {
				t.Errorf("got %+v, body %q", answer.Parts, answer.Body)
			}
		})
	}
}

// What one side says in a row is one message: the texts of the user, and the texts and calls
// of the assistant, also where an API has an item for each.
func TestWhatOneSideSaysIsOneMessage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ url, body, want string }{
		"two texts of the user": {chat, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`, "user 2"},
		"two messages of the user stay apart": {chat, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			"user 1, user 1"},
		"a text and two calls, an item for each": {responses, `{"model":"m","input":[{"role":"user","content":"a"},{"type":"message","role":"assistant","content":"b"},
			{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call","call_id":"d","name":"g","arguments":"{}"}]}`,
			"user 1, assistant 3"},
		"two results, an item for each": {responses, `{"model":"m","input":[{"role":"user","content":"a"},
			{"type":"function_call_output","call_id":"c","output":"1"},{"type":"function_call_output","call_id":"d","output":"2"}]}`,
			"user 1, tool 2"},
		"results and a text of the user in one message": {claude, `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[
			{"type":"tool_result","tool_use_id":"a","content":"1"},{"type":"tool_result","tool_use_id":"b","content":"2"},{"type":"text","text":"And?"}]}]}`,
			"tool 2, user 1"},
	} {
		var got []string
		for _, m := range Read([]*interaction.Interaction{post(tt.url, tt.body)})[0].Messages {
			got = append(got, fmt.Sprintf("%s %d", m.Role, len(m.Parts)))
		}
		if all := strings.Join(got, ", "); all != tt.want {
			t.Errorf("%s: %s, want %s", name, all, tt.want)
		}
	}
}

// A stream that ends early is shown with what has come of it, and not as an empty answer.
func TestBrokenAnswerIsNotEmpty(t *testing.T) {
	t.Parallel()
	const finish = `{"choices":[{"delta":{},"finish_reason":"length"}]}`
	for name, tt := range map[string]struct {
		end      string
		wantKind string
		wantBody string
	}{
		"complete":                {"", Empty, ""},
		"broken after the reason": {interaction.EndError, "", finish},
	} {
		it := post(chat, `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`)
		it.Response = interaction.Response{
			Status: 200, Stream: "sse", End: tt.end,
			Events: []interaction.Event{{{Name: "data", Value: finish}}},
		}
		answer := Read([]*interaction.Interaction{it})[0].Answer
		kind := ""
		for _, p := range answer.Parts {
			kind += p.Kind
		}
		if kind != tt.wantKind || answer.Body != tt.wantBody {
			t.Errorf("%s: parts %q and body %q, want %q and %q", name, kind, answer.Body, tt.wantKind, tt.wantBody)
		}
	}
}

// The time until the first event is that of a stream only; a response in one piece has only
// the time until it was complete.
func TestTimesOfAResponse(t *testing.T) {
	t.Parallel()
	event := interaction.Event{{Name: "data", Value: "{}"}}
	for name, tt := range map[string]struct {
		response         interaction.Response
		wantFirst, total int64
	}{
		"in one piece": {interaction.Response{}, 0, 70},
		"a stream": {interaction.Response{Stream: "sse", Events: []interaction.Event{event, event},
			Delays: []interaction.Delay{{MS: 5}, {MS: 20}}}, 75, 95},
		"a stream without events": {interaction.Response{Stream: "sse"}, 70, 70},
	} {
		it := post(chat, `{"model":"m","messages":[]}`)
		it.LatencyMS = 70
		tt.response.Status = 200
		it.Response = tt.response
		e := Read([]*interaction.Interaction{it})[0]
		if e.FirstMS != tt.wantFirst || e.TotalMS != tt.total {
			t.Errorf("%s: %d ms and %d ms, want %d and %d", name, e.FirstMS, e.TotalMS, tt.wantFirst, tt.total)
		}
	}
}

// Arguments that mean the same are shown and compared in one spelling, and no character of
// them is escaped.
func TestArgumentsInOneSpelling(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"b": 1, "a": [2]}`:         `{"a":[2],"b":1}`,
		`{"html":"<b>&amp;</b>"}`:    `{"html":"<b>&amp;</b>"}`,
		`{"n":12345678901234567890}`: `{"n":12345678901234567890}`,
		`{"a":1} {"a":1}`:            `{"a":1} {"a":1}`,
		`not JSON`:                   `not JSON`,
	} {
		if got := OneSpelling(text); got != want {
			t.Errorf("%s becomes %s, want %s", text, got, want)
		}
	}
}
