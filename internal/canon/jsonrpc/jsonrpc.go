// Package jsonrpc finds the IDs of JSON-RPC messages in their text, and replaces those of a
// recorded response with the IDs of the request that it answers during a replay.
package jsonrpc

import (
	"encoding/json"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// IDs maps the ID that a call had when it was recorded to the JSON of the ID that the same
// call has in this run.
type IDs map[string][]byte

// IDsOf returns the IDs of asked that differ from those of recorded. The calls of a batch
// are compared by their positions.
func IDsOf(recorded, asked *interaction.Request) IDs {
	ids := IDs{}
	from, to := readMessages(recorded.Body), readMessages(asked.Body)
	if len(from) != len(to) {
		return ids
	}
	for i := range from {
		if len(from[i].ids) != 1 || len(to[i].ids) != 1 {
			continue
		}
		was, is := from[i].ids[0], to[i].ids[0]
		if was.value != is.value {
			ids[was.value] = asked.Body[is.start:is.end]
		}
	}
	return ids
}

// Relink replaces the IDs of the JSON-RPC responses in a recorded payload. Only the bytes of
// the IDs change, whatever the layout of the payload. Relink returns the payload itself if
// there is nothing to change.
func (ids IDs) Relink(payload []byte) []byte {
	var out []byte
	end := 0
	for _, m := range readMessages(payload) {
		isResponse := !m.hasMethod
		if !isResponse {
			continue
		}
		for _, id := range m.ids {
			text := ids[id.value]
			if text == nil {
				continue
			}
			out = append(out, payload[end:id.start]...)
			out = append(out, text...)
			end = id.end
		}
	}
	if end == 0 {
		return payload
	}
	return append(out, payload[end:]...)
}

// CallIDs returns the IDs of the JSON-RPC calls in the body of a request.
func CallIDs(body []byte) (ids []string) {
	for _, m := range readMessages(body) {
		for _, id := range m.ids {
			ids = append(ids, id.value)
		}
	}
	return ids
}

// A message has the members of a JSON-RPC message that tell its kind. A message without a
// method is a response.
type message struct {
	ids       []messageID // one, unless the member "id" is missing or repeated
	hasMethod bool
}

// A messageID is the ID of a JSON-RPC message and its place in the text. Two IDs are equal
// if their JSON is, so a number differs from a string.
type messageID struct {
	value      string // JSON without needless escapes
	start, end int
}

// readMessages reads a message or a batch. A message that is not an object is empty.
func readMessages(text []byte) (all []message) {
	if !json.Valid(text) {
		return []message{{}}
	}
	batchDepth := 0 // how many arrays are around a message: 1 in a batch
	for s := exactjson.Scan(string(text)); s.Next(); {
		depth := len(s.Path) - batchDepth
		switch {
		case s.Token == exactjson.Open && s.Kind == exactjson.Array && len(s.Path) == 1:
			batchDepth = 1
		case s.Token == exactjson.Open && depth == 1, s.Token == exactjson.Scalar && depth == 0:
			all = append(all, message{})
		case depth == 1:
			all[len(all)-1].read(&s, text)
		}
	}
	return all
}

// read reads a name or a value at the top level of a message.
func (m *message) read(s *exactjson.Scanner, text []byte) {
	name := exactjson.UnescapeText(s.Path[len(s.Path)-1])
	switch {
	case s.Token == exactjson.Name:
		m.hasMethod = m.hasMethod || name == "method"
	case s.Token == exactjson.Scalar && name == "id":
		if s.Kind == exactjson.String || s.Kind == exactjson.Number {
			value := exactjson.UnescapeText(string(text[s.Start:s.End]))
			m.ids = append(m.ids, messageID{value: value, start: s.Start, end: s.End})
		}
	}
}
