package compare

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	chatURL       = "https://api.openai.com/v1/chat/completions"
	messagesURL   = "https://api.anthropic.com/v1/messages"
	responsesURL  = "https://api.openai.com/v1/responses"
	geminiURL     = "https://h/v1beta/models/g:generateContent"
	embeddingsURL = "https://api.openai.com/v1/embeddings"
	ollamaURL     = "http://h/api/chat"
	rerankURL     = "https://h/v2/rerank"
	converseURL   = "https://h/model/m/converse"
	speechURL     = "https://h/v1/audio/speech"
)

func formOf(url string) *canon.Form {
	body := `{"model":"m","messages":[],"input":"x","documents":[]}`
	return (&canon.Options{}).Form(&interaction.Request{Method: "POST", URL: url, Body: []byte(body)})
}

// answer returns a response: a status that is not 200 before a body, "events" before the
// payloads of a stream, one a line, and a media type before what is no JSON.
func answer(text string) *interaction.Response {
	resp := &interaction.Response{Status: 200}
	head, rest, _ := strings.Cut(text, " ")
	if _, err := fmt.Sscanf(head, "%d", &resp.Status); err == nil {
		text = rest
	}
	switch head, rest, _ := strings.Cut(text, " "); {
	case head == "events":
		resp.Stream = "sse"
		for line := range strings.SplitSeq(rest, "\n") {
			resp.Events = append(resp.Events, interaction.Event{{Name: "data", Value: strings.TrimSpace(line)}})
		}
	case strings.Contains(head, "/") && !strings.HasPrefix(head, "{"):
		resp.Headers = interaction.Headers{{Name: "content-type", Values: []string{head}}}
		resp.Body = []byte(rest)
	default:
		resp.Body = []byte(text)
	}
	return resp
}

// chat returns the answer of a chat, with more members of its message and of its choice.
func chat(text string, more ...string) string {
	more = append(more, "", "")
	return fmt.Sprintf(`{"id":"chatcmpl-%d","created":%d,"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":%q%s},"finish_reason":"stop"%s}],"usage":{"total_tokens":%d}}`,
		len(text), len(text), text, more[0], more[1], len(text))
}

func call(name, args string) string {
	return fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}`, len(args), name, args)
}

func calls(list ...string) string { return `,"tool_calls":[` + strings.Join(list, ",") + `]` }

func TestAnswers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url, recorded, live string
		want                      string // the verdict and why
		paths                     string // of the edits
	}{
		// The same.
		{"the same", chatURL, chat("Hi"), chat("Hi"), "identical", ""},
		{"other ids, times, fingerprints and usage", chatURL,
			`{"id":"a","created":1,"system_fingerprint":"fp_1","model":"m","choices":[{"message":{"content":"Hi","tool_calls":[` + call("f", `{}`) + `]}}],"usage":{"a":1}}`,
			`{"id":"b","created":2,"system_fingerprint":null,"model":"m","choices":[{"message":{"content":"Hi","tool_calls":[` + strings.Replace(call("f", `{}`), "call_2", "call_9", 1) + `]}}],"usage":{"b":{"c":2}}}`,
			"identical", ""},
		{"arguments with other blanks, order and numbers", chatURL, chat("", calls(call("f", `{"a":1,"b":2}`))), chat("", calls(call("f", `{ "b": 2.0, "a": 1 }`))), "identical", ""},
		{"null and absent", chatURL, chat("Hi", `,"refusal":null`), chat("Hi"), "benign", "choices/0/message/refusal"},
		{"signed thoughts", messagesURL,
			`{"content":[{"type":"thinking","thinking":"Hm","signature":"abc"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`,
			`{"content":[{"type":"thinking","thinking":"Hm","signature":"def"},{"type":"text","text":"Hi"}],"stop_reason":"end_turn"}`, "identical", ""},
		{"a stream in other pieces", chatURL,
			`events {"id":"a","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hel"}}]}
				{"id":"a","model":"m","choices":[{"index":0,"delta":{"content":"lo"},"finish_reason":"stop"}]}
				[DONE]`,
			`events {"id":"b","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}
				{"id":"b","model":"m","choices":[{"index":0,"delta":{"content":"Hello"}}]}
				{"id":"b","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
				[DONE]`, "identical", ""},
		{"latencies", ollamaURL, `{"model":"m","message":{"content":"Hi"},"total_duration":1,"eval_count":3}`, `{"model":"m","message":{"content":"Hi"},"total_duration":2,"eval_count":4}`, "identical", ""},
		{"the same failure", chatURL, `400 {"error":{"message":"no","type":"x"}}`, `400 {"error":{"message":"no","type":"x"}}`, "identical", ""},
		{"the same sound", speechURL, "audio/mpeg abc", "audio/mpeg abc", "identical", ""},

		// Wording, which is not judged.
		{"other words", chatURL, chat("Hi"), chat("Hello there"), "benign", "text"},
		{"other thoughts", chatURL, chat("Hi", `,"reasoning_content":"Hm"`), chat("Hi", `,"reasoning_content":"Well"`), "benign", "reasoning"},
		{"thoughts where there were none", chatURL, chat("Hi"), chat("Hi", `,"reasoning_content":"Well"`), "benign", "reasoning"},
		{"a text before a call", messagesURL,
			`{"content":[{"type":"tool_use","id":"t1","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}`,
			`{"content":[{"type":"text","text":"Let me see"},{"type":"tool_use","id":"t2","name":"f","input":{"a":1}}],"stop_reason":"tool_use"}`, "benign", "text"},
		{"content that is null beside a call", chatURL, `{"choices":[{"message":{"content":null` + calls(call("f", "{}")) + `}}]}`, `{"choices":[{"message":{"content":"Let me see"` + calls(call("f", "{}")) + `}}]}`, "benign", "text"},
		{"sources come with the words", geminiURL,
			`{"candidates":[{"content":{"parts":[{"text":"Hi"}]},"finishReason":"STOP"}]}`,
			`{"candidates":[{"content":{"parts":[{"text":"Hi "},{"text":"you"}]},"finishReason":"STOP","citationMetadata":{"citationSources":[{"uri":"x"}]},"avgLogprobs":-0.1}]}`, "benign", "text"},
		{"items of an answer", responsesURL,
			`{"model":"m","status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a","annotations":[]}]}]}`,
			`{"model":"m","status":"completed","output":[{"type":"reasoning","summary":[]},{"type":"message","content":[{"type":"output_text","text":"b","annotations":[{"type":"url_citation"}]}]}]}`, "benign", "text"},
		{"a longer list in a structured output", chatURL, chat(`{"names":[{"n":"a"}]}`), chat(`{"names":[{"n":"b"},{"n":"c"}]}`), "benign", "text"},
		{"an empty list in a structured output", chatURL, chat(`{"names":[{"n":"a"}]}`), chat(`{"names":[]}`), "benign", "text"},
		{"what only some elements of a structured output have", chatURL, chat(`[{"n":"a","x":1},{"n":"b"}]`), chat(`[{"n":"a"}]`), "benign", "text"},
		{"vectors differ a little", embeddingsURL, `{"model":"m","data":[{"embedding":[0.5,0.25]}]}`, `{"model":"m","data":[{"embedding":[0.5001,0.25]}]}`, "benign", "data/0/embedding"},
		{"scores differ", rerankURL, `{"results":[{"index":0,"relevance_score":0.5}]}`, `{"results":[{"index":0,"relevance_score":0.4}]}`, "benign", "results/0/relevance_score"},
		{"another sound", speechURL, "audio/mpeg abc", "audio/mpeg abd", "benign", ""},
		{"a failure in other words", chatURL, `400 {"error":{"message":"no"}}`, `400 {"error":{"message":"nope"}}`, "benign", "error/message"},

		{"ids and order of a block of an unknown type", messagesURL, `{"content":[{"type":"brand_new","id":"b1","do":{"a":1,"b":2},"created_at":1}]}`,
			`{"content":[{"type":"brand_new","do":{"b":2,"a":1},"id":"b2","created_at":2}]}`, "identical", ""},
		{"what a tool of the provider found", messagesURL, `{"content":[{"type":"web_search_tool_result","tool_use_id":"a","content":[{"url":"x"}]}]}`,
			`{"content":[{"type":"web_search_tool_result","tool_use_id":"b","content":{"error_code":"y"}}]}`, "benign", "content/0/content"},

		// Drift.
		{"status", chatURL, chat("Hi"), `400 {"error":{"message":"no"}}`, "drift: status", "error status"},
		{"a failure succeeds", chatURL, `400 {"error":{"message":"no"}}`, chat("Hi"), "drift: status", "error status"},
		{"a call where there was none", chatURL, chat("Hi"), chat("Hi", calls(call("f", "{}"))), "drift: tool calls", "tool_calls/0"},
		{"no call any more", chatURL, chat("", calls(call("f", "{}"))), chat("Hi"), "drift: tool calls", "tool_calls/0 text"},
		{"one call more", chatURL, chat("", calls(call("f", "{}"))), chat("", calls(call("f", "{}"), call("g", "{}"))), "drift: tool calls", "tool_calls/1"},
		{"another tool", chatURL, chat("", calls(call("f", "{}"))), chat("", calls(call("g", "{}"))), "drift: tool calls", "tool_calls/0 tool_calls/0"},
		{"another argument", chatURL, chat("", calls(call("f", `{"a":{"b":1}}`))), chat("", calls(call("f", `{"a":{"b":2}}`))), "drift: tool calls", "tool_calls/0/arguments/a/b"},
		{"arguments that are no JSON", chatURL, chat("", calls(call("f", `{}`))), chat("", calls(call("f", `{"a":`))), "drift: tool calls", "tool_calls/0/arguments"},
		{"another order", chatURL, chat("", calls(call("f", "{}"), call("g", "{}"))), chat("", calls(call("g", "{}"), call("f", "{}"))), "drift: tool calls", "tool_calls"},
		{"a call in a stream", messagesURL,
			`events {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}
				{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":1}"}}`,
			`events {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","name":"f","input":{}}}
				{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}
				{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"2}"}}`,
			"drift: tool calls", "tool_calls/0/arguments/a"},
		{"a patch", responsesURL, `{"output":[{"type":"apply_patch_call","id":"a1","call_id":"c1","operation":{"type":"update_file","path":"a.go","diff":"+x"}}]}`,
			`{"output":[{"type":"apply_patch_call","id":"a2","call_id":"c2","operation":{"type":"update_file","path":"b.go","diff":"+x"}}]}`, "drift: tool calls", "tool_calls/0/arguments/path"},
		{"a block of an unknown type", messagesURL, `{"content":[{"type":"text","text":"a"},{"type":"brand_new","id":"b1","do":{"input":{"id":1}}}]}`,
			`{"content":[{"type":"text","text":"a"},{"type":"brand_new","id":"b2","do":{"input":{"id":2}}}]}`, "drift: tool calls", "tool_calls/0/block/do/input/id"},
		{"a block of an unknown type in a stream", converseURL, `events {"contentBlockIndex":0,"delta":{"brandNew":{"a":"x"}}}`,
			`events {"contentBlockIndex":0,"delta":{"brandNew":{"a":"y"}}}`, "drift: tool calls", "tool_calls/0/block/brandNew/a"},
		{"the second choice of a stream", chatURL, `events {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{}"}}]}}]}`,
			`events {"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"tool_calls":[{"index":0,"function":{"name":"g","arguments":"{}"}}]}}]}`, "drift: tool calls", "tool_calls/0 tool_calls/0"},
		{"a refusal in a stream", chatURL, `events {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`,
			`events {"choices":[{"index":0,"delta":{"refusal":"no"},"finish_reason":"stop"}]}`, "drift: the shape of the JSON", "events/*/choices/*/message/refusal text"},
		{"finish reason", chatURL, chat("Hi"), strings.Replace(chat("Hi"), `"stop"`, `"length"`, 1), "drift: finish reason", "finish_reason"},
		{"a choice less", chatURL, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"},{"message":{"content":"b"},"finish_reason":"stop"}]}`, `{"choices":[{"message":{"content":"ab"},"finish_reason":"stop"}]}`, "drift: finish reason", "finish_reason"},
		{"model", chatURL, chat("Hi"), strings.Replace(chat("Hi"), `"m-1"`, `"m-2"`, 1), "drift: model", "model"},
		{"several", chatURL, chat("Hi"), strings.NewReplacer(`"m-1"`, `"m-2"`, `"stop"`, `"length"`).Replace(chat("Ho")), "drift: finish reason, model", "finish_reason model text"},
		{"a field has appeared", chatURL, chat("Hi"), chat("Hi", `,"audio":{"id":"x"}`), "drift: the shape of the JSON", "choices/*/message/audio"},
		{"a field has gone", chatURL, chat("Hi", `,"audio":{"id":"x"}`), chat("Hi"), "drift: the shape of the JSON", "choices/*/message/audio"},
		{"a field has another type", chatURL, chat("Hi", "", `,"seed":1`), chat("Hi", "", `,"seed":"1"`), "drift: the shape of the JSON", "choices/*/seed"},
		{"a refusal", chatURL, chat("Hi"), `{"id":"x","created":1,"model":"m-1","choices":[{"index":0,"message":{"role":"assistant","content":null,"refusal":"No."},"finish_reason":"stop"}],"usage":{}}`,
			"drift: the shape of the JSON", "choices/*/message/refusal text"},
		{"a field of the events", chatURL, `events {"model":"m","choices":[{"index":0,"delta":{"content":"a"}}]}`, `events {"model":"m","provider":"p","choices":[{"index":0,"delta":{"content":"a"}}]}`, "drift: the shape of the JSON", "events/*/provider"},
		{"a field of a block", messagesURL,
			`{"content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}`, `{"content":[{"type":"text","text":"a","tone":"dry"}],"stop_reason":"end_turn"}`,
			"drift: the shape of the JSON", "content/*/type=text/tone"},
		{"no text any more", chatURL, chat("Hi"), chat(""), "drift: the shape of the JSON", "text"},
		{"a structured output without a field", chatURL, chat(`{"a":1,"b":[{"c":1}]}`), chat(`{"a":1,"b":[{"d":1}]}`), "drift: the shape of the JSON", "text (JSON)/b/*/c text (JSON)/b/*/d"},
		{"a structured output of another type", messagesURL,
			`{"content":[{"type":"text","text":"{\"a\":1}"}],"stop_reason":"end_turn"}`, `{"content":[{"type":"text","text":"{\"a\":\"1\"}"}],"stop_reason":"end_turn"}`,
			"drift: the shape of the JSON", "text (JSON)/a"},
		{"a structured output in a stream", ollamaURL, `events {"model":"m","message":{"content":"{\"a\":"}}
			{"model":"m","message":{"content":"1}"}}`, `events {"model":"m","message":{"content":"{\"b\":1}"}}`, "drift: the shape of the JSON", "text (JSON)/a text (JSON)/b"},
		{"a structured output that is no JSON any more", chatURL, chat(`{"a":1}`), chat("a is 1"), "drift: the shape of the JSON", "text"},
		{"a shorter vector", embeddingsURL, `{"model":"m","data":[{"embedding":[0.5,0.25]}]}`, `{"model":"m","data":[{"embedding":[0.5]}]}`, "drift: the shape of the JSON", "data/*/embedding"},
		{"a shorter vector in base64", embeddingsURL, `{"model":"m","data":[{"embedding":"AAAAPwAAgD4="}]}`, `{"model":"m","data":[{"embedding":"AAAAPw=="}]}`, "drift: the shape of the JSON", "data/*/embedding"},
		{"a result less", rerankURL, `{"results":[{"index":0},{"index":1}]}`, `{"results":[{"index":0}]}`, "drift: the shape of the JSON", "results"},
		{"a whole answer where a stream was", chatURL, `events {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`, `{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}`, "drift: the shape of the JSON", "stream"},
		{"a page where JSON was", chatURL, chat("Hi"), "text/html <html>", "drift: finish reason, model, the shape of the JSON", "finish_reason model body text"},
		{"a page where sound was", speechURL, "audio/mpeg abc", "text/html <html>", "drift: the shape of the JSON", "body"},

		// What says nothing of the model.
		{"no key", chatURL, chat("Hi"), `401 {"error":{"message":"Incorrect key"}}`, `not compared: status 401: the key was refused ("Incorrect key")`, ""},
		{"forbidden", chatURL, chat("Hi"), `403 `, "not compared: status 403: the key was refused", ""},
		{"not found", geminiURL, `{"candidates":[]}`, `404 [{"error":{"code":404,"message":"gone"}}]`, `not compared: status 404: something named in the request no longer exists, or the key has no access to it ("gone")`, ""},
		{"a response that has expired", responsesURL, `{"status":"completed"}`, `400 {"error":{"message":"Previous response not found","code":"previous_response_not_found"}}`,
			`not compared: status 400: something named in the request no longer exists, or the key has no access to it ("Previous response not found")`, ""},
		{"too many", chatURL, chat("Hi"), `429 {"message":"slow down"}`, `not compared: status 429: the server was busy or failed, try again ("slow down")`, ""},
		{"overloaded", messagesURL, `{"content":[]}`, `529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, `not compared: status 529: the server was busy or failed, try again ("Overloaded")`, ""},
		{"overloaded in a stream", messagesURL, `events {"type":"message_start"}`, `events {"type":"message_start"}
			{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`, "not compared: the live answer broke off: Overloaded", ""},
		{"the same refusal as recorded", chatURL, `401 {"error":{"message":"Incorrect key"}}`, `401 {"error":{"message":"Incorrect key"}}`, "identical", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			form, recorded, live := formOf(tt.url), answer(tt.recorded), answer(tt.live)
			if why := Unfit(recorded); why != "" {
				t.Fatalf("unfit: %s", why)
			}
			got := Answers(form, recorded, live)
			said := string(got.Verdict)
			if got.Why != "" {
				said += ": " + got.Why
			}
			if said != tt.want {
				t.Errorf("%s, want %s; %+v", said, tt.want, got.Edits)
			}
			var paths []string
			for _, e := range got.Edits {
				if paths = append(paths, e.Path); !e.Live {
					t.Errorf("the edit of %s is of a request", e.Path)
				}
			}
			if got := strings.Join(paths, " "); got != tt.paths {
				t.Errorf("differ: %s, want %s", got, tt.paths)
			}
			if again := Answers(form, recorded, answer(tt.recorded)); again.Verdict != Identical {
				t.Errorf("with itself: %+v", again)
			}
		})
	}
}

func TestUnfit(t *testing.T) {
	t.Parallel()
	tests := []struct {
		resp interaction.Response
		want string
	}{
		{interaction.Response{Status: 200}, ""},
		{interaction.Response{Status: 401}, ""},
		{interaction.Response{Error: "refused", End: interaction.EndError}, "the recording has no answer"},
		{interaction.Response{Error: "context canceled", End: interaction.EndCanceled}, "the recording has no answer"},
		{interaction.Response{Status: 429}, "the recording is a temporary failure, status 429"},
		{interaction.Response{Status: 503}, "the recording is a temporary failure, status 503"},
		{interaction.Response{Status: 200, End: interaction.EndClosed}, "the recorded answer is incomplete, because its client closed it"},
		{interaction.Response{Status: 200, End: interaction.EndError, Error: "unexpected EOF"}, "the recorded answer broke off: unexpected EOF"},
		{interaction.Response{Status: 200, End: interaction.EndError}, "the recorded answer broke off: its end is missing"},
		{*answer(`events {"error":"out of memory"}`), "the recorded answer broke off: out of memory"},
		{*answer(`events {"type":"error"}`), "the recorded answer broke off: one of its events is an error"},
		{*answer(`events {"type":"response.created","response":{"error":null}}`), ""},
		{*answer(`events {"choices":[{"delta":{"content":"an \"error\""}}]}`), ""},
		{interaction.Response{Status: 200, Stream: "aws-event-stream", Events: []interaction.Event{{{Name: ":exception-type", Value: "throttlingException"}}}}, "the recorded answer broke off: throttlingException"},
	}
	for _, tt := range tests {
		if got := Unfit(&tt.resp); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.resp, got, tt.want)
		}
	}
}

// FuzzAnswers holds the comparison to its laws: an answer is identical with itself, the
// verdict does not depend on which of two is the recorded one, and nothing panics.
func FuzzAnswers(f *testing.F) {
	f.Add(uint8(0), chat("Hi"), chat(`{"a":[1,{"b":null}]}`))
	f.Add(uint8(1), `{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"tool_use","name":"f","input":{}}]}`)
	f.Add(uint8(2), "events {\"type\":\"response.completed\",\"response\":{\"status\":\"x\"}}\n{}", "events [DONE]")
	f.Add(uint8(3), `{"data":[{"embedding":[1,2]}]}`, `[[],{},"",null]`)
	urls := []string{chatURL, messagesURL, responsesURL, embeddingsURL, geminiURL}
	f.Fuzz(func(t *testing.T, n uint8, a, b string) {
		form, one, other := formOf(urls[int(n)%len(urls)]), answer(a), answer(b)
		if Unfit(one) != "" || Unfit(other) != "" {
			t.Skip()
		}
		if got := Answers(form, one, answer(a)); got.Verdict != Identical {
			t.Errorf("with itself: %+v", got)
		}
		got, back := Answers(form, one, other), Answers(form, other, one)
		if one.Status == other.Status && (got.Verdict != back.Verdict || got.Why != back.Why) {
			t.Errorf("%+v, and the other way round %+v", got, back)
		}
		if len(got.Edits) == 0 && got.Verdict == Drift || len(got.Edits) > 0 && got.Verdict != Drift && got.Verdict != Benign {
			t.Errorf("%s with %d edits", got.Verdict, len(got.Edits))
		}
	})
}
