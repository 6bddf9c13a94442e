// Package canon decides what makes two requests the same. It turns a cleaned
// request into a Form: sorted "path value" lines of everything that decides
// the answer. Two requests are the same if and only if their forms have the
// same text; the same text is hashed for the look-up, shown in a miss, ranked
// and diffed.
//
// What is known of a provider is data: one file per provider, one table of
// all families (family.go). A request that no family recognises matches on its
// method, path, query and whole body.
package canon

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// Revision is the number of the rules by which keys are made, here and in
// package redact, which cleans the requests. Raise it whenever a request's key
// changes, also by a new family, so that stored keys that other rules made are not
// trusted.
const Revision = 10

// A Line is one field of a form.
type Line struct {
	Path  string // "body/messages/0/role", "header/openai-beta", "query/limit"
	Value string // canonical JSON
}

// A Form is a request as matching sees it.
type Form struct {
	Endpoint string // "anthropic.messages"; method and path if no family knows it
	Model    string // the model asked for, for people; empty if none is named
	Wire     string // how the answer comes: "whole", "stream", or another name for a stream of another format
	Known    bool   // a family of the table recognised the request
	Function bool   // it is the call of a function, which Endpoint names
	Origin   string // the host and port asked
	Local    bool   // the origin matches, and is one of those that count as one
	Unknown  bool   // the request may have had other headers, which match whatever they are

	Drift  []Line   // what does not match but is reported when it changed
	Traits []Trait  // what chooses among several recordings of the form
	Orders []Line   // in which lists whose order does not match were sent, by their paths and "order"
	Anew   []string // the paths of what does not match since clients draw or count it for each request

	only  []string // patterns of the only fields of the body that match; nil if all do
	lines []Line   // what matches, in canonical order
	text  string
	key   string
	sent  map[string]string // where the request has the field at a path; nil unless traced

	defaults map[string]string // the values of fields that are left out, by their paths; see [Default]

	of   *Family // the family that knows the request; nil if none does
	acts bool    // see Repeatable
}

// NewForm returns a form of the given lines, which are in canonical order.
func NewForm(endpoint, model, wire string, lines []Line) *Form {
	f := &Form{Endpoint: endpoint, Model: model, Wire: wire, lines: lines}
	f.setText()
	return f
}

// setText makes the text of the form, whose memory its lines share then, and its key.
func (f *Form) setText() {
	head := "endpoint " + f.Endpoint + "\nwire " + f.Wire
	if f.Unknown {
		head += "\nheaders unknown"
	}
	f.text = textOf(head, f.lines)
	sum := sha256.Sum256([]byte(f.text))
	f.key = hex.EncodeToString(sum[:8])
	at := len(f.text)
	for i, l := range slices.Backward(f.lines) {
		value := at - len(l.Value)
		path := value - 1 - len(l.Path)
		f.lines[i] = Line{f.text[path : value-1], f.text[value:at]}
		at = path - 1
	}
}

// textOf returns lines as the text of a form has them, behind its head.
func textOf(head string, lines []Line) string {
	n := len(head)
	for _, l := range lines {
		n += len("\n") + len(l.Path) + len(" ") + len(l.Value)
	}
	text := append(make([]byte, 0, n), head...)
	for _, l := range lines {
		text = append(append(append(append(text, '\n'), l.Path...), ' '), l.Value...)
	}
	return string(text)
}

// Bare returns the form without what it says of the request. It tells which requests are the
// same, and not how others differ.
func (f *Form) Bare() *Form {
	bare := *f
	bare.Drift, bare.Anew, bare.lines, bare.text, bare.defaults = nil, nil, nil, "", nil
	return &bare
}

// Text returns the canonical text of the form: what the key is of. A bare form has none.
func (f *Form) Text() string { return f.text }

// Key returns the fingerprint: the first 16 hex digits of the text's SHA-256.
func (f *Form) Key() string { return f.key }

// Lines returns what matches, in canonical order.
func (f *Form) Lines() []Line { return f.lines }

// Kind returns what a cassette says of the request for its reader: "llm" and the
// endpoint, the kind and the name of a function, or "http".
func (f *Form) Kind() (kind, boundary string) {
	switch {
	case f.Known:
		return "llm", f.Endpoint
	case f.Function:
		kind, boundary, _ = strings.Cut(f.Endpoint, "/")
		return kind, boundary
	}
	return "http", ""
}

// Name returns what selectors call the request: kind and boundary, such as
// "llm/openai.chat", or for a server that no family knows its origin, such as
// "http/api.example.com".
func (f *Form) Name() string {
	kind, boundary := f.Kind()
	return kind + "/" + cmp.Or(boundary, f.Origin)
}

// Sent returns the path of a field as the request spells it: a system prompt is
// "body/system/0/text" in the form of a chat that has "body/messages/0/content".
// It returns path itself if the two are the same, if the field stands outside
// the body, and if the form is not of [Options.Trace].
func (f *Form) Sent(path string) string {
	if sent := f.sent[path]; sent != "" {
		return sent
	}
	return path
}

// Default returns the value of a field that the request has, and the form has not, since it is the
// default; "" of any other field.
func (f *Form) Default(path string) string { return f.defaults[path] }

// Completes reports whether a stream is whole after an event with a field of this value,
// although the client closed it before its end (openai-go closes at [DONE]).
func (f *Form) Completes(value string) bool {
	return f.of != nil && (strings.HasSuffix(strings.TrimSpace(value), "[DONE]") ||
		slices.ContainsFunc(f.of.EndMarkers, func(mark string) bool { return strings.Contains(value, mark) }))
}

// Linked reports whether answers hold an id of their request; see package jsonrpc.
func (f *Form) Linked() bool { return f.of != nil && f.of.Linked }

// Repeatable reports whether the request asks a model and does nothing else, so that it
// can be sent once more without an effect but its cost; see [Family.Acts].
func (f *Form) Repeatable() bool { return f.of != nil && !f.acts }
