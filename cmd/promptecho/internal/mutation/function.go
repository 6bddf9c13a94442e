package mutation

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// toolFailed is the error of a tool that fails.
const toolFailed = "the tool failed"

// ofFunction returns the mutations of a call of a Go function: its body is the result.
func ofFunction(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	isFunction := it.Request.Function != "" && !it.Response.IsSession()
	if !isFunction {
		return nil
	}
	_, name, _ := strings.Cut(it.Request.Function, "/")
	s := newResponse(it, form, o)
	s.editControl()
	if it.Response.Error != "" {
		s.addOtherError(name)
		return s.list
	}
	s.addResult(name, func(d *document) *exactjson.Value { return &d.payloads[0].value })
	s.list = append(s.list, &Mutation{
		Kind:   ToolError,
		What:   fmt.Sprintf("%s: result -> error %q", name, toolFailed),
		Notice: "have the program report an error of " + name,
		Response: func() *interaction.Response {
			return &interaction.Response{Error: toolFailed}
		},
	})
	return s.list
}

// addOtherError changes the text of an error that a function has returned. The errors that it wraps
// stay.
func (s *subject) addOtherError(name string) {
	s.list = append(s.list, &Mutation{
		Kind:   OtherText,
		What:   fmt.Sprintf("%s: error %s -> %q", name, quote(s.it.Response.Error), toolFailed),
		Notice: "assert on the error of " + name,
		Response: func() *interaction.Response {
			resp := s.it.Response.Clone()
			resp.Error = toolFailed
			return resp
		},
	})
}
