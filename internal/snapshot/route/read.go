// Package route says what an agent did: which models it asked, which tools were called with
// which arguments, how each answer ended, and in which order. It reads interactions of every
// kind; the words of an answer are not in a route, and neither is what differs by provider.
//
// read.go makes steps of interactions, order.go puts them in an order that does not depend on
// the run, route.go writes them, and check.go says where a route leaves an expected one.
package route

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
)

// An Asked is a call of a run.
type Asked struct {
	Interaction *interaction.Interaction
	Asker       uint64 // the goroutine that asked; 0 if nobody knows
	Main        bool   // it is that of the test
}

// A step is one thing that the agent did.
type step struct {
	what  string // "ask gpt-5", "run get_weather", "POST https://..."
	name  string // of the tool, if it is a call of one
	args  string // of that, in one spelling
	end   string // how it ended
	calls []call // of tools, that the answer asks for

	number int // of the call in the run, from 0
	level  int // steps of one level were made at once, as far as anybody knows
	group  int // the place among its equals
}

// A call is a call of a tool that a model asked for.
type call struct {
	name, args string
	ran        string // what became of it, if that is recorded
}

// read returns the steps that a call of a run is: none if it is housekeeping, and several if
// it is a batch.
func read(it *interaction.Interaction, servers map[string]bool) []*step {
	var rules canon.Options
	form := rules.Form(&it.Request)
	resp := &it.Response
	switch method, isRPC := strings.CutPrefix(form.Endpoint, "jsonrpc."); {
	case it.Request.Within != "":
		return nil // the function did it, which is played in a replay, and not the agent
	case judge.Asks(it.Request.Body):
		return nil // the test asked, and only if a value differed
	case strings.HasPrefix(form.Endpoint, "credentials."):
		return nil // a program may keep its token from one test to the next
	case form.Function:
		name := strings.TrimPrefix(it.Request.Function, "tool/")
		return []*step{{what: "run " + name, name: name, args: conversation.OneSpelling(string(it.Request.Body)), end: endOf(resp, resp.Error != "")}}
	case isRPC:
		return readRPC(it, method)
	case !form.Known && servers[it.Request.URL] && it.Request.Method != "POST":
		return nil // the stream of an MCP server, or the end of its session
	case !form.Known:
		_, path, _ := strings.Cut(form.Endpoint, " ")
		what := it.Request.Method + " " + form.Origin + path
		if form.Local {
			what = it.Request.Method + " " + path
		}
		return []*step{{what: what, end: endOf(resp, false)}}
	}
	says := said.Read(form, resp)
	s := &step{what: "ask " + form.Model, end: finish(&says, resp)}
	if form.Model == "" {
		s.what = form.Endpoint
	}
	for _, c := range says.Calls {
		s.calls = append(s.calls, call{name: c.Name, args: conversation.OneSpelling(c.Args)})
	}
	return []*step{s}
}

// readRPC reads calls over JSON-RPC: of the tools of an MCP server, or of another agent.
func readRPC(it *interaction.Interaction, method string) (steps []*step) {
	body, err := exactjson.Parse(it.Request.Body)
	if err != nil {
		return []*step{{what: "jsonrpc " + method, end: endOf(&it.Response, false)}}
	}
	list := []exactjson.Value{body}
	if body.Kind == exactjson.Array {
		list = body.Elems
	}
	for i := range list {
		method, params := list[i].Member("method").Scalar(), list[i].Member("params")
		failed := failedRPC(&it.Response, list[i].Member("id").Scalar())
		switch {
		case method == "", method == "initialize", method == "ping", strings.HasPrefix(method, "notifications/"), strings.HasSuffix(method, "/list"), strings.HasPrefix(method, "logging/"):
		case method == "tools/call":
			name := params.Member("name").Scalar()
			args := "{}"
			if v := params.Member("arguments"); v != nil {
				args = string(v.AppendJSON(nil, exactjson.Layout{}))
			}
			steps = append(steps, &step{what: "run " + name, name: name, args: conversation.OneSpelling(args), end: endOf(&it.Response, failed)})
		default:
			what := "jsonrpc " + method
			for _, name := range []string{"name", "uri"} {
				if v := params.Member(name); v != nil && v.Kind == exactjson.String {
					what += " " + v.Text
				}
			}
			steps = append(steps, &step{what: what, end: endOf(&it.Response, failed)})
		}
	}
	return steps
}

// failedRPC reports whether the answer to the call of an id is an error, or the result of a
// tool that failed.
func failedRPC(resp *interaction.Response, id string) (failed bool) {
	for payload := range resp.Payloads() {
		v, err := exactjson.Parse(payload)
		if err != nil {
			continue
		}
		list := []exactjson.Value{v}
		if v.Kind == exactjson.Array {
			list = v.Elems
		}
		for i := range list {
			if answer := &list[i]; len(list) == 1 || answer.Member("id").Scalar() == id {
				failed = failed || answer.Member("error") != nil || answer.Member("result").Member("isError").Scalar() == "true"
			}
		}
	}
	return failed
}

// endOf says how an answer ended; "" if it is whole, and no failure.
func endOf(resp *interaction.Response, failed bool) string {
	switch {
	case resp.End == interaction.EndCanceled:
		return "canceled"
	case resp.End == interaction.EndClosed:
		return "closed by the client"
	case resp.End != "":
		return "broken off"
	case resp.Status >= 400:
		return "status " + strconv.Itoa(resp.Status)
	case failed:
		return "failed"
	}
	return ""
}

// finishes are the names that the providers have for the reasons why an answer ends; the
// numbers are those of Gemini's enumeration. An earlier class says more than a later one.
var finishes = []struct {
	class string
	names []string
}{
	{"refused", []string{"refusal"}},
	{"filtered", []string{"content_filter", "content_filtered", "safety", "recitation", "blocklist", "prohibited_content", "spii", "guardrail_intervened", "error_toxic", "image_safety", "language", "3"}},
	{"cut at the limit", []string{"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded", "error_limit", "2"}},
	{toolCalls, []string{"tool_calls", "tool_call", "tool_use", "function_call", "requires_action"}},
	{"paused", []string{"pause_turn"}},
	{stop, []string{"stop", "end_turn", "stop_sequence", "complete", "completed", "eos", "eos_token", "end", "finish", "load", "1"}},
}

const (
	stop      = "stop"
	toolCalls = "tool calls"
)

// finish says how the answer of a model ended, in words that are the same for all providers.
func finish(says *said.Answer, resp *interaction.Response) string {
	if end := endOf(resp, false); end != "" {
		return end
	}
	is := func(names []string) bool {
		return slices.ContainsFunc(says.Finish, func(f string) bool { return slices.Contains(names, strings.ToLower(f)) })
	}
	for _, f := range finishes {
		switch {
		case !is(f.names):
		case f.class == stop && len(says.Calls) > 0:
			return toolCalls // some providers have one reason for both
		default:
			return f.class
		}
	}
	switch {
	case len(says.Calls) > 0:
		return toolCalls
	case len(says.Finish) > 0:
		return strings.ToLower(says.Finish[0])
	}
	return ""
}
