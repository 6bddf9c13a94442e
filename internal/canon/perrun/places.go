package perrun

import (
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A place is where a kind of messages has an ID.
type place struct {
	// when has the conditions for the messages, all of which must hold: "method" for a message
	// with this member, "!method" for one without it, "type=a" for one with this value.
	when []string

	path string // of the ID

	// isOfOther says that the side which gets the message has made up the ID: it is repeated
	// here.
	isOfOther  bool
	isProgress bool // the ID is a progress token
}

// places are those of JSON-RPC 2.0 (https://www.jsonrpc.org/specification), of progress and
// cancellation in MCP (https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities), of
// cancellation in LSP and ACP, and of the control messages of Claude Code, as its SDKs have them
// (https://github.com/anthropics/claude-agent-sdk-python).
var places = []place{
	{when: []string{"method"}, path: "id"},
	{when: []string{"method"}, path: "params/_meta/progressToken", isProgress: true},
	{
		when: []string{"method=notifications/progress"}, path: "params/progressToken",
		isOfOther: true, isProgress: true,
	},
	{when: []string{"method=notifications/cancelled"}, path: "params/requestId"},
	{when: []string{"method=$/cancel_request"}, path: "params/requestId"},
	{when: []string{"method=$/cancelRequest"}, path: "params/id"},
	{when: []string{"!method", "result"}, path: "id", isOfOther: true},
	{when: []string{"!method", "error"}, path: "id", isOfOther: true},
	{when: []string{"type=control_request"}, path: "request_id"},
	{when: []string{"type=control_cancel_request"}, path: "request_id"},
	{when: []string{"type=control_response"}, path: "response/request_id", isOfOther: true},
}

// A message has what is read of one JSON message.
type message struct {
	members map[string]string // the values at the top by name; a list and an object are ""
	scalars map[string]scalar // by path; those with the longest paths are left out, see deepest
}

// A scalar is a string, a number or a boolean in JSON.
type scalar struct {
	text       string // with the quotes of a string
	start, end int    // its place
}

// idsOf returns the IDs of a message, or of each message of a batch.
func idsOf(text string, isSent bool) (ids []Value) {
	for _, m := range readMessages(text) {
		for _, p := range places {
			id, hasID := m.scalars[p.path]
			if !hasID || !m.is(p.when) {
				continue
			}
			delete(m.scalars, p.path) // a response of JSON-RPC 1.0 has a result and an error
			ids = append(ids, Value{
				Start:  id.start,
				End:    id.end,
				Name:   p.kind(isSent) + ":" + id.text,
				path:   p.path,
				isJSON: true,
			})
		}
	}
	return ids
}

// kind returns the kind of an ID.
func (p *place) kind(isSent bool) string {
	isOfProgram := isSent != p.isOfOther
	switch {
	case isOfProgram && p.isProgress:
		return kindSentToken
	case isOfProgram:
		return kindSentID
	case p.isProgress:
		return kindGotToken
	}
	return kindGotID
}

// is reports whether a message meets all conditions.
func (m *message) is(when []string) bool {
	for _, condition := range when {
		condition, isMissing := strings.CutPrefix(condition, "!")
		name, value, hasValue := strings.Cut(condition, "=")
		got, hasMember := m.members[name]
		isMet := hasMember && (!hasValue || got == value)
		if isMet == isMissing {
			return false
		}
	}
	return true
}

// deepest is the length of the longest path of places, in a batch.
const deepest = 4

// readMessages reads a message, or those of a batch. Other text has none.
func readMessages(text string) (all []message) {
	const inBatch = "/"
	isBatch := false
	for s := exactjson.Scan(text); s.Next(); {
		isValue := s.Token == exactjson.Open || s.Token == exactjson.Scalar
		if !isValue || len(s.Path) > deepest {
			continue
		}
		// The list of a batch has no name, so that paths in it begin with a slash.
		path, isOfBatch := strings.CutPrefix(strings.Join(s.Path, "/"), inBatch)
		isOpen := s.Token == exactjson.Open
		depth := len(s.Path)
		if isOpen {
			depth-- // the value itself has no name
		}
		switch {
		case isOpen && depth == 0:
			isBatch = s.Kind == exactjson.Array
			if !isBatch {
				all = append(all, newMessage())
			}
		case isOpen && isBatch && depth == 1:
			all = append(all, newMessage())
		case len(all) > 0 && isOfBatch == isBatch:
			all[len(all)-1].read(&s, text, path)
		}
	}
	return all
}

func newMessage() message {
	return message{members: map[string]string{}, scalars: map[string]scalar{}}
}

// read reads a value at a path of the message.
func (m *message) read(s *exactjson.Scanner, text, path string) {
	if s.Token == exactjson.Open {
		path = strings.TrimSuffix(path, "/")
	}
	isMember := !strings.Contains(path, "/")
	switch {
	case s.Token == exactjson.Open && isMember:
		m.members[path] = ""
	case s.Token == exactjson.Scalar:
		value := text[s.Start:s.End]
		if isMember {
			m.members[path] = strings.Trim(value, `"`)
		}
		if s.Kind != exactjson.Null {
			m.scalars[path] = scalar{value, s.Start, s.End}
		}
	}
}
