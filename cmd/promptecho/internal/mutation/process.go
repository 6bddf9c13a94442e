package mutation

import (
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// agents are the protocols of coding agents. The first one that knows an answer is used.
var agents = []dialogue{
	{claudeCode{}, splitClaudeCode},
	{codexExec{}, splitCodexExec},
	{codexServer{}, splitCodexServer},
	{acp{}, splitACP},
}

// ofProcess returns the mutations of what a process writes, or the other side of a session of a Go
// program. Its messages are the lines of a coding agent, those of an MCP server, or any others.
func ofProcess(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	list := ofAgent(it, form, o)
	if list == nil {
		list = ofTools(it, form, o)
	}
	if list == nil {
		list = ofMessages(it, form, o)
	}
	if list == nil {
		return nil
	}
	return addExit(list, it)
}

// ofAgent returns the mutations of the answers of a coding agent.
func ofAgent(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	for _, agent := range agents {
		if list := agent.mutations(it, form, o); list != nil {
			return list
		}
	}
	return nil
}

// ofTools returns the mutations of the results of an MCP server. Each result is an answer.
func ofTools(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	var subjects []*subject
	for sent, m := range it.Response.SentMessages() {
		request, err := exactjson.Parse(m.Data)
		if err != nil || request.Member("jsonrpc") == nil || request.Member("id") == nil {
			continue
		}
		s := newResponse(it, form, o)
		s.addRPC(&request, func(d *document) *exactjson.Value {
			return responseTo(d, &request, sent)
		})
		if s.list != nil {
			subjects = append(subjects, s)
		}
	}
	return withControl(it, form, o, subjects)
}

// responseTo returns the response to a request of JSON-RPC that was sent at a place, or nil.
func responseTo(d *document, request *exactjson.Value, sent int) *exactjson.Value {
	id := compact(request.Member("id"))
	for _, p := range d.payloads {
		isLater := p.place > sent
		if !isLater || p.value.Member("result") == nil || p.value.Member("id") == nil {
			continue
		}
		if compact(p.value.Member("id")) == id {
			return &p.value
		}
	}
	return nil
}

// withControl returns the mutations of the answers of a session, the control first.
func withControl(
	it *interaction.Interaction, form *canon.Form, o Options, subjects []*subject,
) []*Mutation {
	if subjects == nil {
		return nil
	}
	control := newResponse(it, form, o)
	control.editControl()
	return append(control.list, numbered(subjects)...)
}

// ofMessages returns the mutations of messages of an unknown protocol: JSON is changed field by
// field, and a line of text as a whole. Messages of JSON-RPC stay, such as those of a language
// server: a member of one may link it to others.
func ofMessages(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	const most = 20 // a log of thousands of lines is not an answer
	var subjects []*subject
	for n, p := range newDocument(&it.Response).payloads {
		if len(subjects) == most {
			break
		}
		s := newResponse(it, form, o)
		isRPC := p.value.Member("jsonrpc") != nil || p.value.Member("method") != nil
		switch {
		case isRPC:
		case p.isJSON:
			s.addResult("the message", func(d *document) *exactjson.Value {
				return &d.payloads[n].value
			})
		default:
			s.addOtherLine(p)
		}
		if s.list != nil {
			subjects = append(subjects, s)
		}
	}
	return withControl(it, form, o, subjects)
}

// addOtherLine changes a line that is not JSON.
func (s *subject) addOtherLine(p *payload) {
	line := p.event[p.field].Value
	if strings.TrimSpace(line) == "" {
		return
	}
	other := otherText(line, another)
	s.list = append(s.list, &Mutation{
		Kind:   OtherText,
		What:   fmt.Sprintf("the line: %s -> %s", quote(line), quote(other)),
		Notice: "assert on the output of the process",
		Response: func() *interaction.Response {
			resp := s.it.Response.Clone()
			resp.Delays = nil
			resp.Events[p.place][p.field].Value = other
			return resp
		},
	})
}

// addExit adds that the process ends with a status of 1, if it ended with 0.
func addExit(list []*Mutation, it *interaction.Interaction) []*Mutation {
	isExit := func(event interaction.Event) bool {
		m, ok := event.Message()
		return ok && !m.Sent && m.Kind == interaction.Close && m.Data == "exit status 0"
	}
	i := slices.IndexFunc(it.Response.Events, isExit)
	if i < 0 {
		return list
	}
	return append(list, &Mutation{
		Kind:   StreamBreaks,
		What:   "the process ends with exit status 1",
		Notice: "check the error of the process",
		Response: func() *interaction.Response {
			resp := it.Response.Clone()
			resp.Delays = nil
			resp.Events[i][0].Value = "exit status 1"
			return resp
		},
	})
}
