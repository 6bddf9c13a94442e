package canon

import (
	"bytes"
	"encoding/json"

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
	Bookkeeping: []string{"params/_meta", "batch/*/params/_meta"},
	Headers:     []string{"mcp-protocol-version"},
	Rewrites:    []Rewrite{jsonrpcCall},
}}

// jsonrpcCall makes the method part of the endpoint. A batch gets a name for its calls,
// by which its fields are listed.
func jsonrpcCall(b *Body) {
	if b.Kind == exactjson.Array {
		for i := range b.Elems {
			markID(&b.Elems[i])
		}
		b.call.endpoint = "jsonrpc.batch"
		replace(b.Value, b.object(field{"batch", *b.Value}))
		return
	}
	markID(b.Value)
	if m := b.Get("method"); m != nil && m.Kind == exactjson.String {
		b.call.endpoint = "jsonrpc." + exactjson.UnescapeText(m.Text)
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

// Linked reports whether answers hold an id of their request; see Relink.
func (f *Form) Linked() bool { return f.family != nil && f.family.Name == "jsonrpc" }

// Relink gives the JSON-RPC answers in a recorded payload the ids of the request that
// is answered now; in a batch each has that of the call in the same place. Only the
// bytes of the ids change, whatever the payload's layout. It returns the payload itself
// if there is nothing to change.
func (f *Form) Relink(payload []byte, recorded, asked *interaction.Request) []byte {
	from, to := messages(recorded.Body), messages(asked.Body)
	if len(from) != len(to) {
		return payload
	}
	renamed := map[any][]byte{}
	for i := range from {
		if a, b := from[i].ids, to[i].ids; len(a) == 1 && len(b) == 1 && a[0].value != b[0].value {
			renamed[a[0].value] = b[0].text
		}
	}
	var out []byte
	at := 0
	for _, m := range messages(payload) {
		for _, id := range m.ids {
			if text := renamed[id.value]; text != nil && !m.method {
				out = append(append(out, payload[at:id.start]...), text...)
				at = id.end
			}
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

// messages reads a message, or a list of them; one that is no object is empty.
func messages(text []byte) (all []message) {
	list := jsonParts{text, json.NewDecoder(bytes.NewReader(text))}
	if !list.enter('[') {
		return []message{readMessage(text)}
	}
	for list.More() {
		start, end, ok := list.value()
		if !ok {
			return nil
		}
		m := readMessage(text[start:end])
		for i := range m.ids {
			m.ids[i].start, m.ids[i].end = start+m.ids[i].start, start+m.ids[i].end
		}
		all = append(all, m)
	}
	return all
}

// A message is what tells one kind of JSON-RPC message from another: what has no
// method is an answer.
type message struct {
	ids    []rpcID
	method bool
}

// readMessage reads a message, an empty one from what is no whole object.
func readMessage(text []byte) (m message) {
	in := jsonParts{text, json.NewDecoder(bytes.NewReader(text))}
	if !in.enter('{') {
		return message{}
	}
	for in.More() {
		name, err := in.Token()
		if err != nil {
			return message{}
		}
		start, end, ok := in.value()
		if !ok {
			return message{}
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
	if _, err := in.Token(); err != nil {
		return message{}
	}
	return m
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
