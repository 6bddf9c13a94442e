package mutation

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// ofMCP returns the mutations of a result of an MCP server over HTTP, whole or streamed: that of a
// tool, or the text of a resource. Lists of tools and handshakes are not changed: tests are seldom
// about them.
func ofMCP(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	if !strings.HasPrefix(form.Endpoint, "jsonrpc.") {
		return nil
	}
	request, _ := exactjson.Parse(it.Request.Body)
	s := newResponse(it, form, o)
	s.editControl()
	s.addRPC(&request, func(d *document) *exactjson.Value {
		for _, p := range d.payloads {
			if p.value.Member("result") != nil && p.value.Member("method") == nil {
				return &p.value
			}
		}
		return nil
	})
	if len(s.list) == 1 {
		return nil
	}
	return s.list
}

// addRPC adds the mutations of the response to a request of MCP.
func (s *subject) addRPC(request *exactjson.Value, response place) {
	if response(s.document()) == nil {
		return
	}
	switch request.Member("method").Scalar() {
	case "tools/call":
		s.addToolResult(request.Member("params").Member("name").Scalar(), response)
	case "resources/read":
		uri := request.Member("params").Member("uri").Scalar()
		s.addOtherTexts(uri, "result/contents/*/text", response)
	}
}

// addToolResult adds the mutations of the result of a tool
// (https://modelcontextprotocol.io/specification/2025-11-25/server/tools#tool-result).
func (s *subject) addToolResult(tool string, response place) {
	result := response(s.document()).Member("result")
	content := result.Member("content")
	if content == nil || content.Kind != exactjson.Array {
		return
	}
	structured := result.Member("structuredContent")
	isObject := structured != nil && structured.Kind == exactjson.Object
	switch {
	case isObject:
		s.addFieldsOfResult(tool, structured, response)
	case len(content.Elems) > 0:
		s.addContent(tool, content, response)
	}
	if result.Member("isError").Scalar() != "true" {
		s.addToolErrors(tool, response)
	}
}

// addFieldsOfResult changes each field of the object that is the result of a tool: in the structured
// content, and in texts that are its JSON.
func (s *subject) addFieldsOfResult(tool string, result *exactjson.Value, response place) {
	for i := range result.Elems {
		field := &result.Elems[i]
		other, ok := otherOf(field, another)
		if !ok {
			continue
		}
		what := fmt.Sprintf("%s: %s: %s -> %s", tool, field.Name, short(field), short(&other))
		notice := fmt.Sprintf("assert on field %s of %s", field.Name, tool)
		s.edit(FieldValue, what, notice, func(d *document) bool {
			v := response(d)
			v.Each("result/content/*/type=text/text", func(text *exactjson.Value) {
				setField(text, result, field.Name, other)
			})
			v.Each("result/structuredContent", func(object *exactjson.Value) {
				setMember(object, field.Name, other)
			})
			return true
		})
	}
}

// setField sets a field of a text that is the JSON of an object. Other texts stay.
func setField(text, object *exactjson.Value, name string, other exactjson.Value) {
	v, err := exactjson.Parse(text.Text)
	if err != nil || !isEqual(&v, object) {
		return
	}
	layout, _, _ := exactjson.DetectLayout(text.Text, v)
	setMember(&v, name, other)
	setText(text, string(v.AppendJSON(nil, layout)))
}

// addContent changes the content of a result without structure. A text that is a JSON object is
// changed field by field, any other as a whole.
func (s *subject) addContent(tool string, content *exactjson.Value, response place) {
	text := content.Elems[0].Member("text")
	object, err := exactjson.Parse(text.Scalar())
	isObject := err == nil && object.Kind == exactjson.Object
	if isObject {
		s.addFieldsOfResult(tool, &object, response)
	} else {
		s.addOtherTexts(tool, "result/content/*/type=text/text", response)
	}
	s.edit(NoText, tool+": no content", "have the program check the content of "+tool,
		func(d *document) bool {
			setMember(response(d).Member("result"), "content", exactjson.Value{Kind: exactjson.Array})
			return true
		})
}

// addOtherTexts changes the texts at a path, each to the same one.
func (s *subject) addOtherTexts(label, path string, response place) {
	var all []string
	response(s.document()).Each(path, func(text *exactjson.Value) {
		all = append(all, text.Scalar())
	})
	recorded := strings.Join(all, "")
	if recorded == "" {
		return
	}
	other := otherText(recorded, another)
	what := fmt.Sprintf("%s: %s -> %s", label, quote(recorded), quote(other))
	s.edit(OtherText, what, "assert on the text of "+label, func(d *document) bool {
		response(d).Each(path, func(text *exactjson.Value) { setText(text, other) })
		return true
	})
}

// addToolErrors has the tool fail, and the server. A result that is an error has no structure.
func (s *subject) addToolErrors(tool string, response place) {
	s.edit(ToolError, fmt.Sprintf("%s: result -> error %q", tool, toolFailed),
		"have the program report an error of "+tool, func(d *document) bool {
			result := response(d).Member("result")
			dropMember(result, "structuredContent")
			setMember(result, "content", parsed(`[{"type":"text","text":"`+toolFailed+`"}]`))
			setMember(result, "isError", exactjson.Value{Kind: exactjson.Bool, Text: "true"})
			return true
		})
	s.edit(ToolError, tool+": result -> error of JSON-RPC",
		"check the error of the call of "+tool, func(d *document) bool {
			message := response(d)
			dropMember(message, "result")
			setMember(message, "error", parsed(`{"code":-32603,"message":"Internal error"}`))
			return true
		})
}
