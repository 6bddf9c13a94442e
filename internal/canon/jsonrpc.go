package canon

import (
	"bytes"
	"encoding/json"
	"iter"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// JSON-RPC 2.0 (https://www.jsonrpc.org/specification), which MCP speaks over
// HTTP (https://modelcontextprotocol.io/specification). Any path: what tells is
// the body. The id only links an answer to its request; it does not match, and
// the answer that is replayed gets the request's own.
var jsonrpcFamilies = []*Family{{
	Name:        "jsonrpc",
	Paths:       []string{""},
	Needs:       []string{"jsonrpc"},
	TakesLists:  true,
	Server:      true,
	Linked:      true,
	Bookkeeping: []string{"params/_meta", "batch/*/params/_meta"},
	Headers:     []string{"mcp-protocol-version"},
	Rewrites:    []Rewrite{jsonrpcCall},
}}

// jsonrpcCall makes the method part of the endpoint. A batch gets a name for its calls,
// by which its fields are listed.
func jsonrpcCall(b *Body) {
	if b.Kind == exactjson.Array {
		for call := range items(b.Value) {
			markID(call)
		}
		b.request.Endpoint = "jsonrpc.batch"
		replace(b.Value, b.object(field("batch", *b.Value)))
		return
	}
	markID(b.Value)
	if m := b.Get("method"); isKind(m, exactjson.String) {
		b.request.Endpoint = "jsonrpc." + exactjson.UnescapeText(m.Text)
	}
}

// markID makes all ids one: that a call has one matters, since it is answered, and a
// notification is not.
func markID(call *exactjson.Value) {
	switch id := member(call, "id"); {
	case isKind(id, exactjson.Null):
		drop(call, "id")
	case id != nil:
		replace(id, stringValue("#"))
	}
}

// Relink gives the JSON-RPC answers in a recorded payload the ids of the request that
// is answered now; in a batch each has that of the call in the same place. Only the
// bytes of the ids change, whatever the payload's layout. It returns the payload itself
// if there is nothing to change.
func (f *Form) Relink(payload []byte, recorded, asked *interaction.Request) []byte {
	from, to := readMessages(recorded.Body), readMessages(asked.Body)
	if len(from) != len(to) {
		return payload
	}
	renamed := map[any][]byte{}
	for i := range from {
		if a, b := from[i].ids, to[i].ids; len(a) == 1 && len(b) == 1 && a[0].value != b[0].value {
			renamed[a[0].value] = asked.Body[b[0].start:b[0].end]
		}
	}
	var out []byte
	end := 0
	for _, m := range readMessages(payload) {
		for _, id := range m.ids {
			if text := renamed[id.value]; text != nil && !m.hasMethod {
				out = append(append(out, payload[end:id.start]...), text...)
				end = id.end
			}
		}
	}
	if end == 0 {
		return payload
	}
	return append(out, payload[end:]...)
}

// A message is what tells one kind of JSON-RPC message from another: what has no
// method is an answer.
type message struct {
	ids       []messageID
	hasMethod bool
}

// A messageID is a JSON-RPC id and where it stands in a text. A number and a string are
// different ids.
type messageID struct {
	value      any // a string as it reads, or a number as it is spelled
	start, end int
}

// readMessages reads a message, or a list of them; one that is no object is empty.
func readMessages(text []byte) (all []message) {
	if !json.Valid(text) {
		return []message{{}}
	}
	if !bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("[")) {
		return []message{readMessage(text, 0)}
	}
	for start, element := range jsonChildren(text) {
		all = append(all, readMessage(element.text, start))
	}
	return all
}

// readMessage reads a message that starts at an offset.
func readMessage(text []byte, offset int) (m message) {
	for start, member := range jsonChildren(text) {
		m.hasMethod = m.hasMethod || member.name == "method"
		if member.name != "id" {
			continue
		}
		value := json.NewDecoder(bytes.NewReader(member.text))
		value.UseNumber()
		switch id, _ := value.Token(); id.(type) {
		case string, json.Number:
			m.ids = append(m.ids, messageID{id, offset + start, offset + start + len(member.text)})
		}
	}
	return m
}

// A jsonChild is a member of an object or an element of a list, which has no name.
type jsonChild struct {
	name string
	text []byte
}

// jsonChildren yields where the children of valid JSON start, and the children.
func jsonChildren(text []byte) iter.Seq2[int, jsonChild] {
	return func(yield func(int, jsonChild) bool) {
		d := json.NewDecoder(bytes.NewReader(text))
		open, _ := d.Token()
		if _, ok := open.(json.Delim); !ok {
			return
		}
		for d.More() {
			var c jsonChild
			if open == json.Delim('{') {
				name, _ := d.Token()
				c.name, _ = name.(string)
			}
			var raw json.RawMessage
			if d.Decode(&raw) != nil {
				return // unreachable in valid JSON
			}
			end := int(d.InputOffset())
			c.text = text[end-len(raw) : end]
			if !yield(end-len(raw), c) {
				return
			}
		}
	}
}
