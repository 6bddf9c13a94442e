package canon

import (
	"bytes"
	"encoding/json"

	"github.com/promptecho/promptecho/internal/cassette"
)

// JSON-RPC 2.0 (https://www.jsonrpc.org/specification), which MCP speaks over
// HTTP (https://modelcontextprotocol.io/specification). Any path: what tells is
// the body. The id only links an answer to its request; it does not match, and
// the answer that is replayed gets the request's own.
var jsonrpcFamilies = []*Family{{
	Name:        "jsonrpc",
	Paths:       []string{""},
	Has:         []string{"jsonrpc"},
	Server:      true,
	Bookkeeping: []string{"params/_meta"},
	Headers:     []string{"mcp-protocol-version"},
	Rules:       []Rule{jsonrpcCall},
}}

// jsonrpcCall makes the method part of the endpoint.
func jsonrpcCall(b *Body) {
	drop(b.Value, "id")
	if m := b.Get("method"); m != nil && m.Kind == cassette.String {
		b.call.endpoint = "jsonrpc." + cassette.UnescapeText(m.Text)
	}
}

// Linked reports whether answers hold an id of their request; see Relink.
func (f *Form) Linked() bool { return f.family != nil && f.family.Name == "jsonrpc" }

// Relink gives the JSON-RPC answers in a recorded payload the id of the request that
// is answered now. Only the bytes of the ids change, whatever the payload's layout. It
// returns the payload itself if there is nothing to change.
func (f *Form) Relink(payload []byte, recorded, asked *cassette.Request) []byte {
	from, to := requestID(recorded), requestID(asked)
	if from == nil || to == nil || from.value == to.value {
		return payload
	}
	var out []byte
	at := 0
	for _, id := range answerIDs(payload) {
		if id.value == from.value {
			out = append(append(out, payload[at:id.start]...), to.text...)
			at = id.end
		}
	}
	if at == 0 {
		return payload
	}
	return append(out, payload[at:]...)
}

// An rpcID is a JSON-RPC id and where it stands in a text. A number and a string are
// different ids.
type rpcID struct {
	value      any // a string as it reads, or a number as it is spelled
	text       []byte
	start, end int
}

func requestID(req *cassette.Request) *rpcID {
	m, ok := readMessage(req.Body)
	if !ok || len(m.ids) != 1 {
		return nil
	}
	return &m.ids[0]
}

// answerIDs returns the ids of the answers in a payload: one, or a list of them
// beside messages of the server's own, which have a method.
func answerIDs(payload []byte) []rpcID {
	list := jsonParts{payload, json.NewDecoder(bytes.NewReader(payload))}
	if !list.enter('[') {
		if m, ok := readMessage(payload); ok && !m.method {
			return m.ids
		}
		return nil
	}
	var ids []rpcID
	for list.More() {
		start, end, ok := list.value()
		if !ok {
			return nil
		}
		if m, ok := readMessage(payload[start:end]); ok && !m.method {
			for _, id := range m.ids {
				id.start, id.end = start+id.start, start+id.end
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// A message is what tells one kind of JSON-RPC message from another.
type message struct {
	ids    []rpcID
	method bool
}

// readMessage reads a message; ok is false if it is no whole object.
func readMessage(text []byte) (m message, ok bool) {
	in := jsonParts{text, json.NewDecoder(bytes.NewReader(text))}
	if !in.enter('{') {
		return message{}, false
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return message{}, false
		}
		start, end, ok := in.value()
		if !ok {
			return message{}, false
		}
		m.method = m.method || name == "method"
		if name != "id" {
			continue
		}
		value := json.NewDecoder(bytes.NewReader(text[start:end]))
		value.UseNumber()
		switch id, _ := value.Token(); id.(type) {
		case string, json.Number:
			m.ids = append(m.ids, rpcID{id, text[start:end], start, end})
		}
	}
	_, err := in.Token()
	return m, err == nil
}

// jsonParts reads the members of an object or a list, and where they stand.
type jsonParts struct {
	text []byte
	*json.Decoder
}

// enter reads the beginning of an object or a list.
func (in jsonParts) enter(open json.Delim) bool {
	t, err := in.Token()
	return err == nil && t == open
}

// value reads one value.
func (in jsonParts) value() (start, end int, ok bool) {
	var raw json.RawMessage
	if in.Decode(&raw) != nil {
		return 0, 0, false
	}
	end = int(in.InputOffset())
	start = end - len(raw)
	return start, end, start >= 0 && bytes.Equal(in.text[start:end], raw)
}
