// Package jsonrpc finds the ids of JSON-RPC messages in their text, and gives a recorded answer
// those of the request that it answers now.
package jsonrpc

import (
	"encoding/json"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// IDs are the ids of calls that are made now, as they are written, by the ids that these calls had
// when they were recorded.
type IDs map[string][]byte

// IDsOf returns the ids of a request that is asked now in place of a recorded one, where they are others;
// in a batch each call stands for the one in the same place.
func IDsOf(recorded, asked *interaction.Request) IDs {
	ids := IDs{}
	from, to := readMessages(recorded.Body), readMessages(asked.Body)
	if len(from) != len(to) {
		return ids
	}
	for i := range from {
		if a, b := from[i].ids, to[i].ids; len(a) == 1 && len(b) == 1 && a[0].value != b[0].value {
			ids[a[0].value] = asked.Body[b[0].start:b[0].end]
		}
	}
	return ids
}

// Relink gives the JSON-RPC answers in a recorded payload the ids of the calls that are made now.
// Only the bytes of the ids change, whatever the payload's layout. It returns the payload itself if
// there is nothing to change.
func (ids IDs) Relink(payload []byte) []byte {
	var out []byte
	end := 0
	for _, m := range readMessages(payload) {
		for _, id := range m.ids {
			if text := ids[id.value]; text != nil && !m.hasMethod {
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

// CallIDs returns the ids of the JSON-RPC calls in the body of a request.
func CallIDs(body []byte) (ids []string) {
	for _, m := range readMessages(body) {
		for _, id := range m.ids {
			ids = append(ids, id.value)
		}
	}
	return ids
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
	value      string // as it is written, but for escapes
	start, end int
}

// readMessages reads a message, or a list of them; one that is no object is empty.
func readMessages(text []byte) (all []message) {
	if !json.Valid(text) {
		return []message{{}}
	}
	lists := 0 // around the messages
	for s := exactjson.Scan(string(text)); s.Next(); {
		depth := len(s.Path) - lists
		switch {
		case s.Token == exactjson.Open && s.Kind == exactjson.Array && len(s.Path) == 1:
			lists = 1
		case s.Token == exactjson.Open && depth == 1, s.Token == exactjson.Scalar && depth == 0:
			all = append(all, message{})
		case depth == 1:
			all[len(all)-1].read(&s, text)
		}
	}
	return all
}

// read reads what stands at the top of a message.
func (m *message) read(s *exactjson.Scanner, text []byte) {
	name := exactjson.UnescapeText(s.Path[len(s.Path)-1])
	switch {
	case s.Token == exactjson.Name:
		m.hasMethod = m.hasMethod || name == "method"
	case s.Token == exactjson.Scalar && name == "id" && (s.Kind == exactjson.String || s.Kind == exactjson.Number):
		m.ids = append(m.ids, messageID{exactjson.UnescapeText(string(text[s.Start:s.End])), s.Start, s.End})
	}
}
