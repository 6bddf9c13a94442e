package rerecord

import (
	"fmt"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// chat returns a recorded chat completion.
func chat(request, answer, requestID string, latency int64) *interaction.Interaction {
	return &interaction.Interaction{
		Boundary: "openai.chat",
		Request:  interaction.Request{Method: "POST", URL: "https://api.openai.com/v1/chat/completions", Body: []byte(request)},
		Response: interaction.Response{
			Status:  200,
			Headers: interaction.Headers{{Name: "content-type", Values: []string{"application/json"}}, {Name: "x-request-id", Values: []string{requestID}}},
			Body:    []byte(answer),
		},
		LatencyMS: latency,
	}
}

func completion(id string, created int, text string) string {
	return fmt.Sprintf(`{"id":"chatcmpl-%s","created":%d,"choices":[{"message":{"content":%q,"tool_calls":[{"id":"call_%s"}]}}]}`, id, created, text, id)
}

func TestKeep(t *testing.T) {
	t.Parallel()
	old := chat("{}", completion("aaaaaaaa", 1, "Paris"), "req_1", 300)
	tests := []struct {
		name    string
		fresh   *interaction.Interaction
		kind    string // of endpoint
		want    *interaction.Interaction
		changed bool
	}{
		{"the same but for chance", chat("{}", completion("bbbbbbbb", 2, "Paris"), "req_2", 700), "openai.chat", old, true},
		{"another text", chat("{}", completion("bbbbbbbb", 2, "Rome"), "req_2", 700), "openai.chat", chat("{}", completion("bbbbbbbb", 2, "Rome"), "req_2", 700), false},
		{"ids that may be referred to", chat("{}", completion("bbbbbbbb", 2, "Paris"), "req_2", 700), "openai.responses", chat("{}", completion("bbbbbbbb", 2, "Paris"), "req_1", 300), true},
		{"another member", chat("{}", `{"id":"chatcmpl-bbbbbbbb","created":2,"usage":{}}`, "req_2", 700), "openai.chat", chat("{}", `{"id":"chatcmpl-bbbbbbbb","created":2,"usage":{}}`, "req_2", 700), false},
		{"another request", chat(`{"temperature":1}`, completion("bbbbbbbb", 2, "Paris"), "req_2", 700), "openai.chat", chat(`{"temperature":1}`, completion("aaaaaaaa", 1, "Paris"), "req_1", 300), true},
		{"no JSON", chat("{}", "Paris", "req_2", 700), "openai.chat", chat("{}", "Paris", "req_2", 700), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var k Keeper
			tt.fresh.Boundary = tt.kind
			want := *tt.want
			want.Boundary = tt.kind
			if changed := k.Keep(old, tt.fresh); changed != tt.changed {
				t.Errorf("changed: %t", changed)
			}
			if where := tt.fresh.Difference(&want); where != "" {
				t.Errorf("%s differs: %+v, want %+v", where, tt.fresh, &want)
			}
		})
	}
}

// TestKeepConcurrent: whether another request was open meanwhile is chance, and once is
// enough.
func TestKeepConcurrent(t *testing.T) {
	t.Parallel()
	then, now := &interaction.Moments{Asked: 1, Answered: 3, Ended: 3}, &interaction.Moments{Asked: 1, Answered: 4, Ended: 4}
	for _, tt := range []struct {
		was, is *interaction.Moments
		want    string
	}{{nil, nil, ""}, {nil, now, now.String()}, {then, now, now.String()}, {then, nil, "true"}} {
		old, fresh := chat("{}", "x", "req_1", 1), chat("{}", "x", "req_2", 2)
		old.Concurrent, fresh.Concurrent = tt.was, tt.is
		new(Keeper).Keep(old, fresh)
		if got := fresh.Concurrent.String(); got != tt.want {
			t.Errorf("it was %v, is %v: %q", tt.was, tt.is, got)
		}
	}
}

// TestKeepTurns: the next turn of a conversation has the ids of the answer that stayed.
func TestKeepTurns(t *testing.T) {
	t.Parallel()
	request := func(id string) string {
		return fmt.Sprintf(`{"messages":[{"role":"tool","tool_call_id":"call_%s"}]}`, id)
	}
	var k Keeper
	k.Keep(chat("{}", completion("aaaaaaaa", 1, "x"), "req_1", 1), chat("{}", completion("bbbbbbbb", 2, "x"), "req_2", 2))
	second := chat(request("bbbbbbbb"), completion("cccccccc", 3, "now another text"), "req_3", 3)
	if !k.Keep(chat(request("aaaaaaaa"), completion("dddddddd", 1, "y"), "req_4", 1), second) {
		t.Error("nothing has changed")
	}
	if got := string(second.Request.Body); got != request("aaaaaaaa") {
		t.Errorf("the second turn asks %s", got)
	}
	third := chat(request("cccccccc"), completion("eeeeeeee", 5, "z"), "req_5", 5)
	if k.Keep(nil, third) || string(third.Request.Body) != request("cccccccc") {
		t.Errorf("the turn after an answer that changed asks %s", third.Request.Body)
	}
}

func TestKeepStream(t *testing.T) {
	t.Parallel()
	stream := func(id, text string, delay int64) *interaction.Interaction {
		it := chat("{}", "", "req_"+id, delay)
		it.Response.Stream, it.Response.Body, it.Response.Text = "sse", nil, text
		for _, word := range []string{text, "."} {
			it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: fmt.Sprintf(`{"id":"chatcmpl-%s","delta":%q}`, id, word)}})
			it.Response.Delays = append(it.Response.Delays, interaction.Delay{MS: delay})
		}
		it.Response.Events = append(it.Response.Events, interaction.Event{{Name: "data", Value: "[DONE]"}})
		return it
	}
	for _, text := range []string{"Paris", "Rome"} {
		old, fresh := stream("aaaaaaaa", "Paris", 5), stream("bbbbbbbb", text, 9)
		var k Keeper
		k.Keep(old, fresh)
		if where := fresh.Difference(old); (where == "") != (text == "Paris") {
			t.Errorf("%s: differs in %q", text, where)
		}
		if where := fresh.Difference(stream("bbbbbbbb", text, 9)); (where == "") != (text == "Rome") {
			t.Errorf("%s: changed in %q", text, where)
		}
	}
}

// TestKeepBoundary: a form that is sent again has the boundary that it had, and what has changed
// in it shows. A boundary that stands in the new body stays its own.
func TestKeepBoundary(t *testing.T) {
	t.Parallel()
	form := func(boundary, text string) *interaction.Interaction {
		it := chat("--"+boundary+"\r\n\r\n"+text+"\r\n--"+boundary+"--\r\n", "x", "req_1", 1)
		it.Request.Headers = interaction.Headers{{Name: "content-type", Values: []string{"multipart/form-data; boundary=" + boundary}}}
		return it
	}
	for name, tt := range map[string]struct{ old, fresh, want *interaction.Interaction }{
		"the same":       {form("aaa", "text"), form("bbb", "text"), form("aaa", "text")},
		"another text":   {form("aaa", "text"), form("bbb", "bbb new"), form("aaa", "bbb new")},
		"stands in it":   {form("aaa", "text"), form("bbb", "aaa"), form("bbb", "aaa")},
		"was no form":    {chat("{}", "x", "req_1", 1), form("bbb", "text"), form("bbb", "text")},
		"is one no more": {form("aaa", "text"), chat("{}", "x", "req_1", 1), chat("{}", "x", "req_1", 1)},
	} {
		new(Keeper).Keep(tt.old, tt.fresh)
		if where := tt.fresh.Difference(tt.want); where != "" {
			t.Errorf("%s: %s differs: %+v", name, where, tt.fresh.Request)
		}
	}
}

// TestKeepTellsEventsApart: a stream whose events have other fields, or in which one new ID stands
// for two old ones, is another answer.
func TestKeepTellsEventsApart(t *testing.T) {
	t.Parallel()
	stream := func(field, data string) *interaction.Interaction {
		it := chat("{}", "", "req_1", 5)
		it.Response.Stream, it.Response.Body = "sse", nil
		it.Response.Events = []interaction.Event{{{Name: field, Value: data}}}
		return it
	}
	const two = `{"id":"aaaaaaaa","call_id":"bbbbbbbb"}`
	for name, tt := range map[string]struct {
		old, fresh *interaction.Interaction
		isKept     bool
	}{
		"the same":                 {stream("data", "x"), stream("data", "x"), true},
		"another field":            {stream("event", "x"), stream("data", "x"), false},
		"other IDs":                {stream("data", two), stream("data", `{"id":"cccccccc","call_id":"dddddddd"}`), true},
		"one ID for two":           {stream("data", two), stream("data", `{"id":"cccccccc","call_id":"cccccccc"}`), false},
		"an ID too short to be it": {stream("data", `{"id":"aaaaaaa"}`), stream("data", `{"id":"ccccccc"}`), false},
	} {
		tt.fresh.LatencyMS = 9 // that of the old one if it is kept
		new(Keeper).Keep(tt.old, tt.fresh)
		if isKept := tt.fresh.LatencyMS == tt.old.LatencyMS; isKept != tt.isKept {
			t.Errorf("%s: the old answer is kept: %v", name, isKept)
		}
	}
}
