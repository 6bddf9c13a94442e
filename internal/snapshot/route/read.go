// Package route describes what an agent did: the models it asked, the tools that were called
// and their arguments, how each answer ended, and the order. A route is made from recorded
// interactions. It has no words of answers, and is the same for all providers.
//
// read.go turns interactions into steps, order.go sorts the steps in an order that is the same
// in every run, route.go writes them, and check.go compares a route with expectations.
package route

import (
	"cmp"
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

// A Call is a call of a run.
type Call struct {
	Interaction *interaction.Interaction
	Goroutine   uint64 // the ID of the goroutine that made the call; 0 if unknown
	FromTest    bool   // the goroutine is that of the test
}

// A step is one action of the agent.
type step struct {
	action    string     // "ask gpt-5", "run get_weather", "POST https://..."
	tool      string     // the tool that the program executed; "" if it executed none
	args      string     // the arguments of the tool, in their canonical spelling
	ending    string     // how the answer ended; "" if it is complete and successful
	toolCalls []toolCall // the tools that the answer of a model calls

	call  int // the index of the call in the run
	place int // the index of the step in the steps of that call
	level int // concurrent steps have the same level

	// Of a session with a process, which has many steps:
	isOfSession bool
	round       int // concurrent steps have the same round
}

// A toolCall is a call of a tool in the answer of a model.
type toolCall struct {
	tool, args string
	execution  string // what the execution of the tool did; "" if it is not recorded
}

// read returns the steps of a call: none if the agent did not make it or if it is housekeeping,
// several if it is a batch. posted has the URLs to which the run sent POST requests.
func read(it *interaction.Interaction, posted map[string]bool) []*step {
	var defaults canon.Options
	req, resp := &it.Request, &it.Response
	form := defaults.Form(req)
	rpcMethod, isRPC := strings.CutPrefix(form.Endpoint, "jsonrpc.")
	switch {
	case req.Within != "":
		return nil // a function sent it; a replay plays the result of the function
	case judge.Asks(req.Body):
		return nil // the test sent it, and only if a value differed
	case strings.HasPrefix(form.Endpoint, "credentials."):
		return nil // a program may keep its token from one test to the next
	case form.Function:
		tool := strings.TrimPrefix(req.Function, "tool/")
		return []*step{executionOf(tool, string(req.Body), endingOf(resp, resp.Error != ""))}
	case isRPC:
		return readRPC(it, rpcMethod)
	case !form.Known && posted[req.URL] && req.Method != "POST" && !resp.IsSession():
		return nil // an MCP client opens its stream with GET and ends its session with DELETE
	case !form.Known:
		_, path, _ := strings.Cut(form.Endpoint, " ")
		if !form.Local {
			path = form.Origin + path
		}
		verb := req.Method
		if resp.IsSession() {
			verb = "session"
		}
		return []*step{{action: verb + " " + path, ending: endingOf(resp, false)}}
	}

	answer := said.Read(form, resp)
	model := cmp.Or(form.Model, sessionModel(it))
	s := &step{action: "ask " + model, ending: endingOfAnswer(&answer, resp)}
	if model == "" {
		s.action = form.Endpoint
	}
	for _, c := range answer.Calls {
		args := conversation.OneSpelling(c.Args)
		s.toolCalls = append(s.toolCalls, toolCall{tool: c.Name, args: args})
	}
	return []*step{s}
}

// sessionModel returns the model that the first messages of a session name, as in Gemini's Live
// API; "" if they name none.
func sessionModel(it *interaction.Interaction) string {
	if !it.Response.IsSession() {
		return ""
	}
	var defaults canon.Options
	const most = 8 // messages; a client names the model before it asks something
	n := 0
	for _, m := range it.Response.SentMessages() {
		req := it.Request.MessageRequest(&m)
		model := defaults.Form(&req).Model
		n++
		if model != "" || n == most {
			return model
		}
	}
	return ""
}

// executionOf returns a step in which the program executed a tool.
func executionOf(tool, args, ending string) *step {
	return &step{
		action: "run " + tool,
		tool:   tool,
		args:   conversation.OneSpelling(args),
		ending: ending,
	}
}

// readRPC returns the steps of a call over JSON-RPC, which an MCP server or another agent
// answered.
func readRPC(it *interaction.Interaction, method string) (steps []*step) {
	body, err := exactjson.Parse(it.Request.Body)
	if err != nil {
		return []*step{{action: "jsonrpc " + method, ending: endingOf(&it.Response, false)}}
	}
	for _, message := range batchOf(body) {
		method := message.Member("method").Scalar()
		if isHousekeeping(method) {
			continue
		}
		params := message.Member("params")
		failed := hasFailed(&it.Response, message.Member("id").Scalar())
		ending := endingOf(&it.Response, failed)
		if method == "tools/call" {
			args := "{}"
			if v := params.Member("arguments"); v != nil {
				args = string(v.AppendJSON(nil, exactjson.Layout{}))
			}
			steps = append(steps, executionOf(params.Member("name").Scalar(), args, ending))
			continue
		}
		action := "jsonrpc " + method
		for _, name := range []string{"name", "uri"} {
			v := params.Member(name)
			if v != nil && v.Kind == exactjson.String {
				action += " " + v.Text
			}
		}
		steps = append(steps, &step{action: action, ending: ending})
	}
	return steps
}

// batchOf returns the messages of a JSON-RPC body: the elements of a batch, or the one message.
func batchOf(body exactjson.Value) []exactjson.Value {
	if body.Kind == exactjson.Array {
		return body.Elems
	}
	return []exactjson.Value{body}
}

// protocolMethods are the methods that belong to the protocol of MCP, and are no actions of the
// agent. A name with a slash at its end is a prefix.
var protocolMethods = []string{
	"", // a response
	"initialize",
	"ping",
	"notifications/",
	"logging/",
	"server/",
	"subscriptions/",
}

// isHousekeeping reports whether a JSON-RPC method is no action of the agent: one of
// protocolMethods, or a list of what a server has.
func isHousekeeping(method string) bool {
	isOfProtocol := slices.ContainsFunc(protocolMethods, func(name string) bool {
		isPrefix := strings.HasSuffix(name, "/")
		return method == name || isPrefix && strings.HasPrefix(method, name)
	})
	return isOfProtocol || strings.HasSuffix(method, "/list")
}

// hasFailed reports whether the answer to the JSON-RPC call with an ID is an error, or the
// result of a tool that failed.
func hasFailed(resp *interaction.Response, id string) bool {
	for payload := range resp.Payloads() {
		body, err := exactjson.Parse(payload)
		if err != nil {
			continue
		}
		messages := batchOf(body)
		for _, message := range messages {
			isAnswer := len(messages) == 1 || message.Member("id").Scalar() == id
			isError := message.Member("error") != nil
			toolFailed := message.Member("result").Member("isError").Scalar() == "true"
			if isAnswer && (isError || toolFailed) {
				return true
			}
		}
	}
	return false
}

// endingOf describes how a response ended. It returns "" if the response is complete and
// successful. failed says that its content reports a failure.
func endingOf(resp *interaction.Response, failed bool) string {
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
	case resp.IsSession():
		return endingOfSession(resp)
	}
	return ""
}

// usualCloses are the codes with which a side closes a session that is over (RFC 6455, section
// 7.4.1). "" is a close without a code.
var usualCloses = []string{"", "1000", "1001", "1005"}

// endingOfSession describes how a session ended that the server has closed with an unusual code:
// "closed with 4001". It returns "" for any other.
func endingOfSession(resp *interaction.Response) string {
	for _, event := range resp.Events {
		m, ok := event.Message()
		if !ok || m.Kind != interaction.Close {
			continue
		}
		code, _, _ := strings.Cut(m.Data, " ")
		if !m.Sent && !slices.Contains(usualCloses, code) {
			return "closed with " + code
		}
		return "" // who closes first has ended it
	}
	return ""
}

const (
	endingStop      = "stop"
	endingToolCalls = "tool calls"
)

// finishReasons maps the providers' names for the reason why a model ended its answer to the
// names of a route. The numbers are those of Gemini's enumeration. If an answer has reasons of
// several rows, the first row is used.
var finishReasons = []struct {
	ending string
	names  []string
}{
	{"refused", []string{"refusal"}},
	{"filtered", []string{
		"content_filter", "content_filtered", "safety", "recitation", "blocklist",
		"prohibited_content", "spii", "guardrail_intervened", "error_toxic", "image_safety",
		"language", "3",
	}},
	{"cut at the limit", []string{
		"length", "max_tokens", "max_output_tokens", "model_length",
		"model_context_window_exceeded", "error_limit", "2",
		"max_turn_requests", "error_max_turns", "error_max_budget_usd",
	}},
	{"canceled", []string{"cancelled", "interrupted"}},
	{endingToolCalls, []string{
		"tool_calls", "tool_call", "tool_use", "function_call", "requires_action",
	}},
	{"paused", []string{"pause_turn"}},
	{endingStop, []string{
		"success", "stop", "end_turn", "stop_sequence", "complete", "completed", "eos", "eos_token", "end",
		"finish", "load", "1",
	}},
}

// endingOfAnswer describes how the answer of a model ended, with the same words for all
// providers.
func endingOfAnswer(answer *said.Answer, resp *interaction.Response) string {
	if ending := endingOf(resp, false); ending != "" {
		return ending
	}
	ending := endingNamed(answer.Finish...)
	hasCalls := len(answer.Calls) > 0
	switch {
	case ending == endingStop && hasCalls:
		return endingToolCalls // some providers have one reason for both
	case ending != "":
		return ending
	case hasCalls:
		return endingToolCalls
	case len(answer.Finish) > 0:
		return strings.ToLower(answer.Finish[0])
	}
	return ""
}

// endingNamed returns the ending of a route for the reasons with which an answer ended. It is ""
// if finishReasons has none of them.
func endingNamed(finish ...string) string {
	for _, reason := range finishReasons {
		isReason := slices.ContainsFunc(finish, func(name string) bool {
			return slices.Contains(reason.names, strings.ToLower(name))
		})
		if isReason {
			return reason.ending
		}
	}
	return ""
}
