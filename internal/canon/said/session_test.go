package said

import (
	"reflect"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

const (
	realtimeURL     = "https://api.openai.com/v1/realtime?model=gpt-realtime"
	translationsURL = "https://api.openai.com/v1/realtime/translations?model=gpt-realtime-translate"
	liveURL         = "https://generativelanguage.googleapis.com/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent"
	sonicURL        = "https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.nova-sonic-v1%3A0/invoke-with-bidirectional-stream"
)

// opened returns the form of the request that opens a session.
func opened(url string) *canon.Form {
	req := &interaction.Request{Method: "GET", URL: url, Headers: interaction.Headers{
		{Name: "upgrade", Values: []string{"websocket"}},
	}}
	if url == sonicURL {
		req = &interaction.Request{Method: "POST", URL: url}
	}
	return (&canon.Options{}).Form(req)
}

// What is said in the messages that a client receives in a session: each response
// by itself, in the order in which the responses began.
func TestReadSession(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, url string
		received  []string
		want      Answer // without Joined and Transcript
	}{
		{"Realtime, two responses at once", realtimeURL, []string{
			`{"type":"session.created","event_id":"e","session":{"type":"realtime","model":"gpt-realtime"}}`,
			`{"type":"response.created","response":{"id":"r1","status":"in_progress","output":[]}}`,
			`{"type":"response.created","response":{"id":"r2","status":"in_progress","output":[]}}`,
			`{"type":"response.output_item.added","response_id":"r1","output_index":0,"item":{"id":"i1","type":"message","role":"assistant","content":[]}}`,
			`{"type":"response.output_text.delta","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"Hel"}`,
			`{"type":"response.output_audio_transcript.delta","response_id":"r2","item_id":"i2","output_index":0,"content_index":0,"delta":"Good"}`,
			`{"type":"response.output_audio.delta","response_id":"r2","item_id":"i2","output_index":0,"content_index":0,"delta":"AAEC"}`,
			`{"type":"response.output_text.delta","response_id":"r1","item_id":"i1","output_index":0,"content_index":0,"delta":"lo"}`,
			`{"type":"response.output_audio_transcript.delta","response_id":"r2","item_id":"i2","output_index":0,"content_index":0,"delta":"bye"}`,
			`{"type":"response.done","response":{"id":"r1","status":"completed","output":[{"id":"i1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"total_tokens":15,"input_tokens":10,"output_tokens":5,"input_token_details":{"cached_tokens":4}}}}`,
			`{"type":"response.done","response":{"id":"r2","status":"incomplete","status_details":{"type":"incomplete","reason":"max_output_tokens"},"output":[{"id":"i2","type":"message","role":"assistant","content":[{"type":"output_audio","transcript":"Goodbye"}]}],"usage":{"total_tokens":3,"input_tokens":2,"output_tokens":1}}}`,
		}, Answer{
			Text: "Hello\nGoodbye", Finish: []string{"completed", "incomplete", "max_output_tokens"}, Model: "gpt-realtime",
			Usage: &interaction.Usage{InputTokens: 12, OutputTokens: 6, CachedTokens: 4},
		}},
		{"Realtime, a call, and what the user said", realtimeURL, []string{
			`{"type":"conversation.item.input_audio_transcription.delta","item_id":"u","content_index":0,"delta":"What time"}`,
			`{"type":"conversation.item.input_audio_transcription.completed","item_id":"u","content_index":0,"transcript":"What time is it?","usage":{"type":"duration","seconds":2}}`,
			`{"type":"response.output_item.added","response_id":"r","output_index":0,"item":{"id":"i","type":"function_call","name":"clock","call_id":"c","arguments":""}}`,
			`{"type":"response.function_call_arguments.delta","response_id":"r","item_id":"i","output_index":0,"call_id":"c","delta":"{\"zone\":"}`,
			`{"type":"response.function_call_arguments.delta","response_id":"r","item_id":"i","output_index":0,"call_id":"c","delta":"\"UTC\"}"}`,
			`{"type":"response.function_call_arguments.done","response_id":"r","item_id":"i","output_index":0,"call_id":"c","arguments":"{\"zone\":\"UTC\"}"}`,
			`{"type":"response.done","response":{"id":"r","status":"completed","output":[{"id":"i","type":"function_call","name":"clock","call_id":"c","arguments":"{\"zone\":\"UTC\"}"}]}}`,
		}, Answer{
			Calls: []Call{{"clock", `{"zone":"UTC"}`}}, Finish: []string{"completed"},
			Results: []Call{{"input_audio_transcription", "What time is it?"}},
		}},
		{"Realtime, beta, broken off", realtimeURL, []string{
			`{"type":"response.text.delta","response_id":"r","output_index":0,"content_index":0,"delta":"He"}`,
			`{"type":"response.audio_transcript.delta","response_id":"s","output_index":0,"content_index":0,"delta":"Go"}`,
		}, Answer{Text: "He\nGo"}},
		{"Realtime, an error", realtimeURL, []string{
			`{"type":"error","event_id":"e","error":{"type":"invalid_request_error","code":"x","message":"no","param":null,"event_id":null}}`,
		}, Answer{Failed: true}},
		{"Realtime, unknown items", realtimeURL, []string{
			`{"type":"response.output_item.done","response_id":"r","output_index":0,"item":{"id":"i","type":"brand_new"}}`,
		}, Answer{Blocks: []Call{{"brand_new", `{"id":"i","type":"brand_new"}`}}}},
		{"Translations", translationsURL, []string{
			`{"type":"session.created","session":{"type":"translation","model":"gpt-realtime-translate"}}`,
			`{"type":"session.input_transcript.delta","event_id":"a","delta":"Hallo"}`,
			`{"type":"session.output_transcript.delta","event_id":"b","delta":"Hel"}`,
			`{"type":"session.output_transcript.delta","event_id":"c","delta":"lo"}`,
		}, Answer{Text: "Hello", Model: "gpt-realtime-translate", Results: []Call{{"input_audio_transcription", "Hallo"}}}},

		{"Responses, one after the other", responsesURL, []string{
			`{"type":"response.created","response":{"id":"r1","model":"gpt-x","status":"in_progress","output":[]}}`,
			`{"type":"response.output_text.delta","item_id":"i1","output_index":0,"content_index":0,"delta":"Hello"}`,
			`{"type":"response.completed","response":{"id":"r1","model":"gpt-x","status":"completed","output":[{"id":"i1","type":"message","content":[{"type":"output_text","text":"Hello"}]}],"usage":{"input_tokens":10,"output_tokens":5,"total_tokens":15}}}`,
			`{"type":"response.created","response":{"id":"r2","model":"gpt-x","status":"in_progress","output":[]}}`,
			`{"type":"response.output_text.delta","item_id":"i2","output_index":0,"content_index":0,"delta":"Good"}`,
			`{"type":"response.output_text.delta","item_id":"i2","output_index":0,"content_index":0,"delta":"bye"}`,
			`{"type":"response.completed","response":{"id":"r2","model":"gpt-x","status":"completed","output":[],"usage":{"input_tokens":20,"output_tokens":7,"total_tokens":27}}}`,
		}, Answer{
			Text: "Hello\nGoodbye", Finish: []string{"completed", "completed"}, Model: "gpt-x",
			Usage: &interaction.Usage{InputTokens: 30, OutputTokens: 12},
		}},
		{"Responses, two lanes at once", responsesURL, []string{
			`{"type":"response.created","stream_id":"a","response":{"id":"r1","output":[]}}`,
			`{"type":"response.created","stream_id":"b","response":{"id":"r2","output":[]}}`,
			`{"type":"response.output_text.delta","stream_id":"a","item_id":"i1","output_index":0,"content_index":0,"delta":"Hel"}`,
			`{"type":"response.output_item.added","stream_id":"b","output_index":0,"item":{"id":"i2","type":"function_call","name":"f","arguments":""}}`,
			`{"type":"response.output_text.delta","stream_id":"a","item_id":"i1","output_index":0,"content_index":0,"delta":"lo"}`,
			`{"type":"response.function_call_arguments.delta","stream_id":"b","item_id":"i2","output_index":0,"delta":"{}"}`,
			`{"type":"response.completed","stream_id":"b","response":{"id":"r2","status":"completed","output":[]}}`,
			`{"type":"response.failed","stream_id":"a","response":{"id":"r1","status":"failed","output":[]}}`,
		}, Answer{Text: "Hello", Calls: []Call{{"f", "{}"}}, Finish: []string{"failed", "completed"}}},
		{"Responses, an error", responsesURL, []string{
			`{"type":"error","status":400,"error":{"type":"invalid_request_error","code":"previous_response_not_found","message":"no","param":"previous_response_id"}}`,
		}, Answer{Failed: true}},

		{"Live, two turns", liveURL, []string{
			`{"setupComplete":{"sessionId":"s"}}`,
			`{"serverContent":{"modelTurn":{"role":"model","parts":[{"text":"Hm","thought":true}]}}}`,
			`{"serverContent":{"modelTurn":{"parts":[{"text":"Hel"}]}}}`,
			`{"serverContent":{"modelTurn":{"parts":[{"text":"lo"}]}}}`,
			`{"serverContent":{"generationComplete":true}}`,
			`{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":10,"responseTokenCount":5,"totalTokenCount":15}}`,
			`{"serverContent":{"inputTranscription":{"text":"Bye"}}}`,
			`{"serverContent":{"inputTranscription":{"text":" now"}}}`,
			`{"serverContent":{"modelTurn":{"parts":[{"inlineData":{"mimeType":"audio/pcm","data":"AAEC"}}]}}}`,
			`{"serverContent":{"outputTranscription":{"text":"Good"}}}`,
			`{"serverContent":{"outputTranscription":{"text":"bye"}}}`,
			`{"serverContent":{"interrupted":true}}`,
			`{"serverContent":{"turnComplete":true},"usageMetadata":{"promptTokenCount":20,"responseTokenCount":7,"totalTokenCount":27}}`,
		}, Answer{
			Reasoning: "Hm", Text: "Hello\nGoodbye", Finish: []string{"turnComplete", "interrupted", "turnComplete"},
			Results: []Call{{"input_transcription", "Bye now"}},
			Usage:   &interaction.Usage{InputTokens: 30, OutputTokens: 12},
		}},
		{"Live, calls", liveURL, []string{
			`{"toolCall":{"functionCalls":[{"id":"1","name":"f","args":{"a":1}},{"id":"2","name":"g","args":{}}]}}`,
			`{"serverContent":{"modelTurn":{"parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"output":"2"}}]}}}`,
			`{"serverContent":{"turnComplete":true,"turnCompleteReason":"MALFORMED_FUNCTION_CALL"}}`,
		}, Answer{
			Calls:   []Call{{"f", `{"a":1}`}, {"g", "{}"}, {"executableCode", "1+1"}},
			Results: []Call{{"codeExecutionResult", `{"output":"2"}`}},
			Finish:  []string{"turnComplete", "MALFORMED_FUNCTION_CALL"},
		}},

		{"Sonic", sonicURL, []string{
			`{"event":{"completionStart":{"completionId":"c","promptName":"p"}}}`,
			`{"event":{"contentStart":{"contentId":"1","role":"USER","type":"TEXT","additionalModelFields":"{\"generationStage\":\"FINAL\"}"}}}`,
			`{"event":{"textOutput":{"contentId":"1","role":"USER","content":"hi there"}}}`,
			`{"event":{"contentStart":{"contentId":"2","role":"ASSISTANT","type":"TEXT","additionalModelFields":"{\"generationStage\":\"SPECULATIVE\"}"}}}`,
			`{"event":{"textOutput":{"contentId":"2","role":"ASSISTANT","content":"Hello, you!"}}}`,
			`{"event":{"contentStart":{"contentId":"3","role":"TOOL","type":"TOOL"}}}`,
			`{"event":{"toolUse":{"contentId":"3","toolName":"f","toolUseId":"t","content":"{}"}}}`,
			`{"event":{"usageEvent":{"totalInputTokens":5,"totalOutputTokens":1,"totalTokens":6}}}`,
			`{"event":{"contentStart":{"contentId":"4","role":"ASSISTANT","type":"TEXT","additionalModelFields":"{\"generationStage\":\"FINAL\"}"}}}`,
			`{"event":{"textOutput":{"contentId":"4","role":"ASSISTANT","content":"Hello"}}}`,
			`{"event":{"usageEvent":{"totalInputTokens":9,"totalOutputTokens":3,"totalTokens":12}}}`,
			`{"event":{"completionEnd":{"stopReason":"END_TURN"}}}`,
		}, Answer{
			Text: "Hello", Calls: []Call{{"f", "{}"}}, Finish: []string{"END_TURN"},
			Results: []Call{{"input_transcription", "hi there"}},
			Usage:   &interaction.Usage{InputTokens: 9, OutputTokens: 3},
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Read(opened(tt.url), streamed(tt.received...))
			got.Joined = nil
			got.Transcript = ""
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v\nusage %+v, want %+v", got, tt.want, got.Usage, tt.want.Usage)
			}
		})
	}
}
