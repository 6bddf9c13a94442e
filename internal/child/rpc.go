package child

import (
	"bytes"
	"encoding/json"
	"strings"
)

// missCode is the code of the error of a JSON-RPC request that is not recorded. It is in the range
// that is not reserved, and has 418, the status of an HTTP request that is not recorded.
const missCode = -32418

// A jsonMessage has the members of a line of JSON that say what it is: a message of JSON-RPC 2.0
// (also without the member jsonrpc, as codex app-server writes it), or one of a stream of JSON
// objects with a type (claude --output-format stream-json).
type jsonMessage struct {
	Version json.RawMessage `json:"jsonrpc,omitempty"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  json.RawMessage `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`

	Type      json.RawMessage `json:"type,omitempty"`
	RequestID json.RawMessage `json:"request_id,omitempty"`
	Response  json.RawMessage `json:"response,omitempty"`
}

// parse returns the members of a line. Only a JSON object has any.
func parse(text string) (m jsonMessage) {
	if !strings.HasPrefix(strings.TrimLeft(text, " \t"), "{") {
		return m
	}
	err := json.Unmarshal([]byte(text), &m)
	if err != nil {
		return jsonMessage{}
	}
	return m
}

// A class is a kind of messages that clients handle in one goroutine.
type class string

const (
	classRequest      class = "request"
	classNotification class = "notification"
	classResponse     class = "response"
	classControl      class = "control"
	classMessage      class = "message"
	classStderr       class = "stderr"
	classExit         class = "exit"
)

// class returns the class of a line.
func (m *jsonMessage) class() class {
	hasID := m.ID != nil && string(m.ID) != "null"
	switch {
	case m.Method != nil && hasID:
		return classRequest
	case m.Method != nil:
		return classNotification
	case hasID && (m.Result != nil || m.Error != nil):
		return classResponse
	case bytes.HasPrefix(m.Type, []byte(`"control_`)):
		return classControl
	}
	return classMessage
}

// isPing reports whether a message asks the other side to say that it is there.
func (m *jsonMessage) isPing() bool {
	return m.class() == classRequest && string(m.Method) == `"ping"`
}

// requestKey returns what a request and its response have in common; "" if the message is no
// request.
func (m *jsonMessage) requestKey() string {
	switch {
	case m.class() == classRequest:
		return string(m.ID)
	case string(m.Type) == `"control_request"`:
		return string(m.RequestID)
	}
	return ""
}

// canceledKey returns the requestKey of the request that the message cancels, as in MCP, or "".
func (m *jsonMessage) canceledKey() string {
	if string(m.Method) != `"notifications/cancelled"` {
		return ""
	}
	var params struct {
		RequestID json.RawMessage `json:"requestId"`
	}
	_ = json.Unmarshal(m.Params, &params) // without an ID, it cancels nothing
	return string(params.RequestID)
}

// responseKey returns the requestKey of the request that the message responds to, or "".
func (m *jsonMessage) responseKey() string {
	switch {
	case m.class() == classResponse:
		return string(m.ID)
	case string(m.Type) == `"control_response"`:
		var response jsonMessage
		_ = json.Unmarshal(m.Response, &response) // without an ID, it responds to nothing
		return string(response.RequestID)
	}
	return ""
}

// pong returns the response to a ping.
func (m *jsonMessage) pong() []byte {
	return encodeLine(jsonMessage{Version: m.Version, ID: m.ID, Result: json.RawMessage("{}")})
}

// refusal returns the response to a request that is not recorded.
func (m *jsonMessage) refusal(reason string) []byte {
	if m.class() == classRequest {
		type rpcError struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		}
		return encodeLine(struct {
			Version json.RawMessage `json:"jsonrpc,omitempty"`
			ID      json.RawMessage `json:"id"`
			Error   rpcError        `json:"error"`
		}{m.Version, m.ID, rpcError{missCode, reason}})
	}
	type controlResponse struct {
		Subtype   string          `json:"subtype"`
		RequestID json.RawMessage `json:"request_id"`
		Error     string          `json:"error"`
	}
	return encodeLine(struct {
		Type     string          `json:"type"`
		Response controlResponse `json:"response"`
	}{"control_response", controlResponse{"error", m.RequestID, reason}})
}

// encodeLine returns the line of JSON of a value, which always has one.
func encodeLine(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return b.Bytes()
}
