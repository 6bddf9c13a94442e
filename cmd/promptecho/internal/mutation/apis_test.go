package mutation

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// wireOf returns what a response sends: a body without white space, or the fields of the events.
func wireOf(resp *interaction.Response) string {
	if resp.Stream == "" {
		v, err := exactjson.Parse(resp.Body)
		if err != nil {
			return string(resp.Body)
		}
		return compact(&v)
	}
	var lines []string
	for _, event := range resp.Events {
		for _, field := range event {
			lines = append(lines, field.Value)
		}
	}
	return strings.Join(lines, "\n")
}

// endpointNamed returns the endpoint of this name.
func endpointNamed(t *testing.T, name string) endpoint {
	t.Helper()
	i := slices.IndexFunc(endpoints, func(e endpoint) bool { return e.name == name })
	if i < 0 {
		t.Fatalf("no endpoint %q", name)
	}
	return endpoints[i]
}

// A changed text, name or call is changed wherever a response repeats it.
func TestNothingRecordedIsLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		reply string
		kind  Kind
		left  string // what must not be left of the recorded answer
	}{
		{"text", OtherText, "Hello"},
		{"text", NoText, "Hello"},
		{"text", CutOff, "how"},
		{"object", FieldValue, "Ada"},
		{"object", FieldMissing, "Ada"},
		{"call", NoCall, `"add"`},
		{"call", UnknownTool, `"add"`},
		{"calls", NoCall, "Oslo"},
	} {
		for _, e := range endpoints {
			if strings.HasPrefix(tt.reply, "call") && !e.callsTools {
				continue
			}
			for _, streamed := range []bool{false, true} {
				it := madeUp(t, e, tt.reply, streamed)
				wire := wireOf(made(t, it, tt.kind))
				if strings.Contains(wire, tt.left) {
					t.Errorf("%s, streamed %t: %s: %s is left in %s", e.name, streamed, tt.kind, tt.left, wire)
				}
			}
		}
	}
}

// A stream has the numbers that a provider would give to its blocks and events.
func TestBlocksAreNumberedWithoutGaps(t *testing.T) {
	t.Parallel()
	numbered := map[string]blocks{
		"chat":      {number: []string{"choices/*/delta/tool_calls/*/index"}},
		"responses": responsesItems,
		"messages":  messagesBlocks,
		"converse":  converseBlocks,
		"nova":      converseBlocks,
		"cohere":    cohereCalls,
		"ollama":    {number: []string{"message/tool_calls/*/function/index"}},
	}
	for name, parts := range numbered {
		it := madeUp(t, endpointNamed(t, name), "calls", true)
		for _, m := range Of(it, Options{Wrapped: func(string) bool { return true }}) {
			if m.Kind.IsFailure() {
				continue
			}
			d := newDocument(m.Response())
			highest := -1
			events := 0
			for _, p := range d.payloads {
				parts.numbersOf(p, func(_ *exactjson.Value, n int) {
					if n > highest+1 {
						t.Errorf("%s: %s: %s: block %d is after block %d", name, m.Kind, m.What, n, highest)
					}
					highest = max(highest, n)
				})
				sequence := p.value.Member("sequence_number")
				if sequence != nil && sequence.Scalar() != strconv.Itoa(events) {
					t.Errorf("%s: %s: %s: event %d has number %s",
						name, m.Kind, m.What, events, sequence.Scalar())
				}
				events++
			}
		}
	}
}

// An answer ends for the reasons that its API documents, whole and streamed.
func TestEndingsAreThoseOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		endpoint string
		kind     Kind
		want     string // in the body and in the stream
	}{
		{"responses", CutOff, `"incomplete_details":{"reason":"max_output_tokens"}`},
		{"responses", CutOff, `"status":"incomplete"`},
		{"responses", Filtered, `"incomplete_details":{"reason":"content_filter"}`},
		{"responses", Refused, `{"type":"refusal","refusal":"I'm sorry, I can't help with that."}`},
		{"messages", CutOff, `"stop_reason":"max_tokens"`},
		{"messages", Refused, `"stop_reason":"refusal"`},
		{"claude on bedrock", Refused, `"stop_reason":"refusal"`},
		{"converse", CutOff, `"stopReason":"max_tokens"`},
		{"converse", Filtered, `"stopReason":"content_filtered"`},
		{"converse", Refused, `"stopReason":"guardrail_intervened"`},
		{"nova", Filtered, `"stopReason":"content_filtered"`},
		{"titan", CutOff, `"completionReason":"LENGTH"`},
		{"titan", Filtered, `"completionReason":"CONTENT_FILTERED"`},
		{"cohere", CutOff, `"finish_reason":"MAX_TOKENS"`},
		{"cohere v1", Filtered, `"finish_reason":"ERROR_TOXIC"`},
		{"ollama", CutOff, `"done_reason":"length"`},
		{"generate", CutOff, `"done_reason":"length"`},
	} {
		for _, streamed := range []bool{false, true} {
			it := madeUp(t, endpointNamed(t, tt.endpoint), "text", streamed)
			wire := wireOf(made(t, it, tt.kind))
			if !strings.Contains(wire, tt.want) {
				t.Errorf("%s, streamed %t: %s: no %s in %s", tt.endpoint, streamed, tt.kind, tt.want, wire)
			}
		}
	}
}

// An API without a reason for an ending has no mutation with it.
func TestEndingsThatAnAPIDoesNotHaveAreLeftOut(t *testing.T) {
	t.Parallel()
	for name, kinds := range map[string][]Kind{
		"messages": {Filtered},
		"cohere":   {Filtered, Refused},
		"ollama":   {Filtered, Refused},
		"titan":    {Refused},
	} {
		for _, m := range Of(madeUp(t, endpointNamed(t, name), "text", true), Options{}) {
			if slices.Contains(kinds, m.Kind) {
				t.Errorf("%s has the mutation %q", name, m.Kind)
			}
		}
	}
}

// An answer whose only call is dropped ends as one that never had a call.
func TestAnswerWithoutItsCallIsComplete(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"responses": `"status":"completed"`,
		"messages":  `"stop_reason":"end_turn"`,
		"converse":  `"stopReason":"end_turn"`,
		"nova":      `"stopReason":"end_turn"`,
		"cohere":    `"finish_reason":"COMPLETE"`,
		"ollama":    `"done_reason":"stop"`,
	} {
		for _, streamed := range []bool{false, true} {
			it := madeUp(t, endpointNamed(t, name), "call", streamed)
			wire := wireOf(made(t, it, NoCall))
			if !strings.Contains(wire, want) {
				t.Errorf("%s, streamed %t: no %s in %s", name, streamed, want, wire)
			}
		}
	}
}

// A second call has an ID of its own, so that a program can answer both calls.
func TestSecondCallHasItsOwnID(t *testing.T) {
	t.Parallel()
	for _, e := range endpoints {
		if !e.callsTools {
			continue
		}
		for _, streamed := range []bool{false, true} {
			wire := wireOf(made(t, madeUp(t, e, "calls", streamed), CalledTwice))
			for _, id := range []string{`"call_1"`, `"call_1b"`, `"call_2"`} {
				if !strings.Contains(wire, id) {
					t.Errorf("%s, streamed %t: no call %s in %s", e.name, streamed, id, wire)
				}
			}
		}
	}
}

// An error in a stream is the event that the provider sends, with nothing after it.
func TestStreamErrorIsThatOfTheProvider(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"chat":              `"type":"server_error"`,
		"responses":         `"status":"failed"`,
		"messages":          `{"type":"error","error":{"type":"overloaded_error"`,
		"claude on bedrock": "modelStreamErrorException",
		"converse":          "modelStreamErrorException",
		"titan":             "modelStreamErrorException",
		"cohere":            `"finish_reason":"ERROR"`,
		"cohere v1":         `"finish_reason":"ERROR"`,
		"ollama":            `{"error":`,
	} {
		resp := made(t, madeUp(t, endpointNamed(t, name), "text", true), StreamError)
		last := interaction.Response{Stream: resp.Stream, Events: resp.Events[len(resp.Events)-1:]}
		if wire := wireOf(&last); !strings.Contains(wire, want) {
			t.Errorf("%s: no %s in the last event %s", name, want, wire)
		}
	}
}

// A provider fails in its own format, and asks for the next attempt at once.
func TestProviderFailsInItsOwnFormat(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		endpoint string
		kind     Kind
		status   int
		want     string // in the headers or the body
	}{
		{"chat", Limited, 429, `"code":"rate_limit_exceeded"`},
		{"chat", Failed, 500, `"type":"server_error"`},
		{"messages", Limited, 429, `"type":"rate_limit_error"`},
		{"messages", Failed, 500, `"type":"api_error"`},
		{"converse", Limited, 429, "ThrottlingException"},
		{"converse", Failed, 500, "InternalServerException"},
		{"cohere", Limited, 429, `"message":`},
		{"ollama", Failed, 500, `"error":`},
	} {
		resp := made(t, madeUp(t, endpointNamed(t, tt.endpoint), "text", true), tt.kind)
		if resp.Status != tt.status {
			t.Errorf("%s: status %d, want %d", tt.endpoint, resp.Status, tt.status)
		}
		said := wireOf(resp) + resp.Headers.Get("x-amzn-errortype")
		if !strings.Contains(said, tt.want) {
			t.Errorf("%s: no %s in %s", tt.endpoint, tt.want, said)
		}
		if wait := resp.Headers.Get("retry-after"); wait != "0" {
			t.Errorf("%s: retry-after is %q", tt.endpoint, wait)
		}
	}
}

// A tool whose schema is strict is never called without an argument.
func TestStrictArgumentsAreNotLeftOut(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string]string{
		"chat":      `"tools":[{"type":"function","function":{"name":"add","strict":true}}]`,
		"responses": `"tools":[{"type":"function","name":"add","strict":true}]`,
		"messages":  `"tools":[{"name":"add","strict":true}]`,
		"converse":  `"toolConfig":{"tools":[{"toolSpec":{"name":"add","strict":true}}]}`,
		"cohere":    `"strict_tools":true`,
	} {
		it := madeUp(t, endpointNamed(t, name), "call", false)
		it.Request.Body = []byte(strings.Replace(string(it.Request.Body), "{", "{"+tools+",", 1))
		for _, m := range Of(it, Options{}) {
			if m.Kind == ArgumentMissing {
				t.Errorf("%s: %s", name, m.What)
			}
		}
	}
}
