// Package asked has the requests that a program sent to model APIs, as a test looks at them:
// with the same fields for every API.
package asked

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/conversation"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Request is a request that a program sent. What an API does not have, or what could not be
// read, is empty. The request is read-only.
type Request struct {
	Endpoint string // the name in selectors, such as "openai.chat"; "" for an unknown API
	Method   string // of HTTP
	URL      string
	Header   http.Header // without the headers that recordings leave out
	Body     []byte

	Stream   bool   // the response is to be a stream
	Model    string // "" for the model of an endpoint that has only one
	System   string // the texts of the system and the developer, a line each
	Messages []Message
	Tools    []Tool

	// Inputs are the texts of which embeddings are wanted. A request for embeddings has no
	// messages.
	Inputs []string

	// Settings are the other members of the body, such as temperature, by the names that the
	// API has for them. They are JSON. The name of an inner member is a path, such as
	// generationConfig/temperature.
	Settings map[string]json.RawMessage
}

// A Message is a message of a conversation. Messages of the system are in [Request.System].
type Message struct {
	Role      string // user, assistant, tool, or another name that the API has
	Text      string
	Reasoning string
	ToolCalls []ToolCall   // of the assistant
	Results   []ToolResult // with the role tool
	Media     []Media
}

// A ToolCall is a call that the model made in an earlier response.
type ToolCall struct {
	// ID is "#1" for the first ID of the request, and so on: providers and fakes give other IDs
	// in each run. It is "" if the API has none, and as it was sent if nothing refers to it.
	ID   string
	Name string
	Args string // JSON
}

// A ToolResult is what the program says that a tool returned.
type ToolResult struct {
	ID      string // of the call, see [ToolCall]
	Name    string // of the tool
	Text    string // a text, or JSON
	IsError bool
}

// Media is a picture, a sound or a file.
type Media struct {
	Description string // such as "image/png, 68 bytes", or an address
	Type        string // such as "image/png"; "" if it is not known
	Data        []byte // nil for media that are sent by address
}

// A Tool is a tool that the model may call.
type Tool struct {
	Name        string
	Description string
	Parameters  []string // their names
}

// New reads a request. The request that opens a session has only the fields of HTTP, the
// endpoint and perhaps the model.
func New(sent *interaction.Request) *Request {
	read := conversation.ReadRequest(&interaction.Interaction{Request: *sent})
	r := &Request{
		Endpoint: read.Boundary,
		Method:   sent.Method,
		URL:      sent.URL,
		Header:   http.Header{},
		Body:     sent.Body,
		Stream:   read.Streams,
		Model:    modelOf(read.Model, read.Boundary, sent),
		Settings: map[string]json.RawMessage{},
	}
	for _, h := range sent.Headers {
		r.Header[http.CanonicalHeaderKey(h.Name)] = h.Values
	}
	for _, s := range read.Settings {
		r.Settings[s.Name] = json.RawMessage(s.Value)
	}
	for _, t := range read.Tools {
		r.Tools = append(r.Tools, Tool(t))
	}
	for _, m := range read.Messages {
		message := newMessage(&m)
		if m.Role == "system" || m.Role == "developer" {
			r.System = joinLines(r.System, message.Text)
		} else {
			r.Messages = append(r.Messages, message)
		}
	}
	if strings.HasPrefix(r.Endpoint, "gemini.") {
		r.unwrapResults()
	}
	inputs, member := inputsOf(r.Endpoint, r.Model, r.Body)
	if inputs != nil {
		r.Inputs = inputs
		r.Messages = nil
		delete(r.Settings, member)
	}
	return r
}

// modelOf returns the model as it was sent. Ollama's models are compared with the tag
// "latest" that a name without a tag means.
func modelOf(model, endpoint string, sent *interaction.Request) string {
	var body struct{ Model string }
	isOllama := strings.HasPrefix(endpoint, "ollama.")
	if isOllama && json.Unmarshal(sent.Body, &body) == nil {
		return body.Model
	}
	return model
}

// resultMembers are the names that hold what a function returned, in the object that
// Gemini wants as its result: "output" and "error" are those of Google's documentation
// (ai.google.dev/api/caching#FunctionResponse), "result" that of its agent kit.
var resultMembers = []string{"output", "result", "error"}

// unwrapResults takes results out of the object that Gemini wants around them.
func (r *Request) unwrapResults() {
	for _, m := range r.Messages {
		for i := range m.Results {
			m.Results[i].unwrap()
		}
	}
}

// unwrap takes the result out of an object that has no other member.
func (r *ToolResult) unwrap() {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(r.Text), &object) != nil || len(object) != 1 {
		return
	}
	for _, name := range resultMembers {
		inner, ok := object[name]
		if !ok {
			continue
		}
		r.IsError = r.IsError || name == "error"
		r.Text = string(inner)
		var text string
		if json.Unmarshal(inner, &text) == nil {
			r.Text = text
		}
	}
}

// newMessage returns a message with its parts sorted by kind.
func newMessage(read *conversation.Message) Message {
	m := Message{Role: read.Role}
	for _, p := range read.Parts {
		switch p.Kind {
		case conversation.Text:
			m.Text = joinLines(m.Text, p.Text)
		case conversation.Reasoning:
			m.Reasoning = joinLines(m.Reasoning, p.Text)
		case conversation.Call:
			m.ToolCalls = append(m.ToolCalls, ToolCall{ID: p.ID, Name: p.Name, Args: p.Args})
		case conversation.Result:
			m.Results = append(m.Results, ToolResult{ID: p.ID, Name: p.Name, Text: p.Text, IsError: p.Bad})
		case conversation.Media:
			m.Media = append(m.Media, Media{Description: p.Text, Type: p.Type, Data: p.Data})
		}
	}
	return m
}

// Last returns the last message, or an empty one if there is none.
func (r *Request) Last() Message {
	if len(r.Messages) == 0 {
		return Message{}
	}
	return r.Messages[len(r.Messages)-1]
}

// Text returns all texts of the request: of the system, of the messages, of the results of
// tools, and the inputs, a line each.
func (r *Request) Text() string {
	texts := append([]string{r.System}, r.Inputs...)
	for _, m := range r.Messages {
		texts = append(texts, m.Text)
		for _, result := range m.Results {
			texts = append(texts, result.Text)
		}
	}
	return strings.Join(slices.DeleteFunc(texts, func(s string) bool { return s == "" }), "\n")
}

// Offers reports whether the model may call a tool of this name.
func (r *Request) Offers(tool string) bool {
	return slices.ContainsFunc(r.Tools, func(t Tool) bool { return t.Name == tool })
}

// Result returns the last result of a tool of this name, and whether there is one.
func (r *Request) Result(tool string) (result ToolResult, ok bool) {
	for _, m := range r.Messages {
		for _, t := range m.Results {
			if t.Name == tool {
				result, ok = t, true
			}
		}
	}
	return result, ok
}
