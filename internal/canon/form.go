// Package canon decides whether two requests are equal. It turns a redacted
// request into a [Form]: sorted "path value" lines of all fields that decide
// the answer. Two requests are equal if and only if their forms have the same
// text. That text is hashed for the look-up of a recording, shown if there is
// none, and compared with the texts of other forms.
//
// What is known about a provider is data: each has a file with a table of
// its endpoints, which are called families (family.go). A request that no
// family knows is compared by method, host, path, query and whole body.
package canon

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// Revision numbers the rules that make keys: those of this package, and those
// of package redact, which redacts the requests first. Raise it whenever the
// key of any request changes. A new family changes keys too. Cassettes store
// keys, and keys of another revision are not trusted.
const Revision = 12

// A Line is one field of a form.
type Line struct {
	Path  string // "body/messages/0/role", "header/openai-beta", "query/limit"
	Value string // canonical JSON
}

// A Form is what matching compares of a request, and what it knows about it.
type Form struct {
	Endpoint string // "anthropic.messages"; method and path if no family knows the request
	Model    string // the requested model, for reports; "" if the request names none
	Wire     string // the format of the answer: "whole", "stream", a StreamWire or [WebSocketWire]
	Origin   string // host and port

	Known    bool // a family of a model API, or of a process, knows the request
	Function bool // the request is a call of a function, and Endpoint is its name
	GRPC     bool // the request is a call over gRPC, and Endpoint is its method unless Known
	Local    bool // the host matches, and every local host counts as the same

	// UnknownHeaders is set if the request may have had more headers than the
	// recording has.
	UnknownHeaders bool

	Drift     []Line   // fields that do not match, and are reported if they changed
	Traits    []Trait  // fields that do not match, but help to choose among recordings
	Generated []string // paths of fields whose values clients generate for each request

	// Orders has a line for each list that is compared without its order: the
	// path of the list with /order, and the order in which the elements were
	// sent.
	Orders []Line

	bodyOnly []string          // patterns of the only body fields that match; nil if all do
	lines    []Line            // the fields that match, in canonical order
	text     string            // see Text
	key      string            // see Key
	sent     map[string]string // the path in the request by the path in the form; nil unless traced
	defaults map[string]string // by path, the values that Defaults removed; see [Default]

	family         *Family // nil if none knows the request
	hasSideEffects bool    // see [Family.SideEffects]
	keepsAlive     bool    // see KeepsAlive
	cancels        bool    // see Cancels
}

// NewForm returns a form that consists of lines in canonical order.
func NewForm(endpoint, model, wire string, lines []Line) *Form {
	f := &Form{Endpoint: endpoint, Model: model, Wire: wire, lines: lines}
	f.setText()
	return f
}

// setText sets the text and the key of the form. The lines then share the
// memory of the text.
func (f *Form) setText() {
	head := "endpoint " + f.Endpoint + "\nwire " + f.Wire
	if f.UnknownHeaders {
		head += "\nheaders unknown"
	}
	f.text = textOf(head, f.lines)
	sum := sha256.Sum256([]byte(f.text))
	f.key = hex.EncodeToString(sum[:8])

	end := len(f.text)
	for i, line := range slices.Backward(f.lines) {
		value := end - len(line.Value)
		path := value - len(" ") - len(line.Path)
		f.lines[i] = Line{f.text[path : value-len(" ")], f.text[value:end]}
		end = path - len("\n")
	}
}

// textOf returns the text of a form: its head, and then each line after a line
// break.
func textOf(head string, lines []Line) string {
	size := len(head)
	for _, l := range lines {
		size += len("\n") + len(l.Path) + len(" ") + len(l.Value)
	}
	text := append(make([]byte, 0, size), head...)
	for _, l := range lines {
		text = append(text, '\n')
		text = append(text, l.Path...)
		text = append(text, ' ')
		text = append(text, l.Value...)
	}
	return string(text)
}

// Bare returns the form without its text and its fields, to save memory. A bare
// form can be compared by its key, but not shown.
func (f *Form) Bare() *Form {
	bare := *f
	bare.Drift = nil
	bare.Generated = nil
	bare.lines = nil
	bare.text = ""
	bare.defaults = nil
	return &bare
}

// Text returns the canonical text of the form, of which the key is made. A bare
// form has none.
func (f *Form) Text() string { return f.text }

// Key returns the first 16 hex digits of the SHA-256 of the form's text.
func (f *Form) Key() string { return f.key }

// Lines returns the fields that match, in canonical order.
func (f *Form) Lines() []Line { return f.lines }

// Kind returns the kind of the request and its name, as cassettes have them:
// "llm" and the endpoint, or "grpc" and the method, or the kind and the name of a
// function, or "http" and no name.
func (f *Form) Kind() (kind, boundary string) {
	switch {
	case f.Known:
		return "llm", f.Endpoint
	case f.Function:
		kind, boundary, _ = strings.Cut(f.Endpoint, "/")
		return kind, boundary
	case f.GRPC:
		return "grpc", f.Endpoint
	}
	return "http", ""
}

// Name returns the name by which selectors select the request: kind and name,
// such as "llm/openai.chat", or for a server that no family knows its origin,
// such as "http/api.example.com".
func (f *Form) Name() string {
	kind, boundary := f.Kind()
	return kind + "/" + cmp.Or(boundary, f.Origin)
}

// Sent returns the path that a field of the form has in the request: a system
// prompt has "body/system/0/text" in the form of an OpenAI chat, and
// "body/messages/0/content" in the request. Sent returns path itself for fields
// outside the body, and if the form is not of [Options.Trace].
func (f *Form) Sent(path string) string {
	if sent := f.sent[path]; sent != "" {
		return sent
	}
	return path
}

// Default returns the value of a field that the request has but the form does
// not, since it is the default value. It returns "" for any other field.
func (f *Form) Default(path string) string { return f.defaults[path] }

// Completes reports whether a stream is complete after an event that contains
// this text, although the client closed the connection before its end.
// openai-go closes it after [DONE].
func (f *Form) Completes(event string) bool {
	if f.family == nil {
		return false
	}
	if strings.HasSuffix(strings.TrimSpace(event), "[DONE]") {
		return true
	}
	for _, marker := range f.family.EndMarkers {
		if strings.Contains(event, marker) {
			return true
		}
	}
	return false
}

// Linked reports whether answers hold an ID of their request; see package
// jsonrpc.
func (f *Form) Linked() bool { return f.family != nil && f.family.Linked }

// AudioFrames reports whether the binary messages that the client sends in the
// session that this handshake opens are pieces of audio. Programs cut a stream of
// audio into other pieces in each run. A piece has the form of an empty message.
func (f *Form) AudioFrames() bool { return f.family != nil && f.family.AudioFrames }

// KeepsAlive reports whether the request is a message that only keeps a session
// open while the client has nothing to send. Clients send it by a timer, so how
// many there are differs from run to run. The server does not answer it.
func (f *Form) KeepsAlive() bool { return f.keepsAlive }

// Cancels reports whether the request is a message that cancels an earlier one. It may come too
// late in one run and not in another.
func (f *Form) Cancels() bool { return f.cancels }

// IsForProcess reports whether the request is one to a process; see [interaction.ProcessScheme].
func (f *Form) IsForProcess() bool {
	return f.family != nil && f.family.Scheme == interaction.ProcessScheme
}

// ErrorEvent returns the message by which the server reports an error with this
// text in the session that this handshake opens. It returns nil if no family knows
// the handshake, or if its API has no such message.
func (f *Form) ErrorEvent(text string) []byte {
	if f.family == nil || f.family.ErrorEvent == nil {
		return nil
	}
	return f.family.ErrorEvent(text)
}

// Repeatable reports whether the request only asks a model: sending it a second
// time has no effect but its cost. See [Family.SideEffects].
func (f *Form) Repeatable() bool { return f.family != nil && !f.hasSideEffects }
