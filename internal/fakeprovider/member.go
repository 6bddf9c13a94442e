package fakeprovider

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Set sets a member of the response to a JSON value. A path has the names of
// members and the numbers of elements, such as candidates/0/groundingMetadata.
// Objects that are missing on the way are made. It is an error if an element of a
// list is missing.
//
// In a stream, Set changes one event: the one that already has the longest part of
// the path. Of several that have it, it is the last.
func (r *Response) Set(path string, value []byte) error {
	v, err := decode(value)
	if err != nil {
		return err
	}
	names := strings.Split(path, "/")
	events := r.Events
	if events == nil {
		events = [][]byte{r.Body}
	}

	at, found := deepest(events, names)
	if found == nil {
		return errors.New("the response is not JSON")
	}
	changed, err := withValue(found.value, names, v)
	if err != nil {
		return err
	}
	event := found.write(encode(changed))
	if r.Events == nil {
		r.Body = event
		return nil
	}
	r.Events[at] = event
	return nil
}

// deepest returns the number of the event that has the longest part of a path, and
// the object in it. Of several it is the last. The object is nil if no event has one.
func deepest(events [][]byte, names []string) (at int, found *document) {
	most := 0
	for i, event := range events {
		d := readDocument(event)
		if d == nil {
			continue
		}
		n := depth(d.value, names)
		if n >= most {
			at = i
			found = d
			most = n
		}
	}
	return at, found
}

// Comment puts a comment before the events of a stream, as gateways do while
// they wait for a model. Only server-sent events can have comments.
func (r *Response) Comment(text string) {
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
		return
	}
	r.Events = append([][]byte{[]byte(": " + text + "\n\n")}, r.Events...)
}

// A document is the JSON object in a body or in an event of a stream.
type document struct {
	value any
	write func(text []byte) []byte // the event with another object
}

// readDocument finds the object in a body or an event; nil if there is none.
func readDocument(event []byte) *document {
	if headers, payload, ok := splitMessage(event); ok {
		d := readPayload(payload)
		if d == nil {
			return nil
		}
		return &document{d.value, func(text []byte) []byte {
			return joinMessage(headers, d.write(text))
		}}
	}
	return readText(event)
}

// readText finds the object in a JSON body, in a server-sent event, in a line,
// or in an element of a list. What stands around it has no braces.
func readText(event []byte) *document {
	start, end := bytes.IndexByte(event, '{'), bytes.LastIndexByte(event, '}')
	if start < 0 || end < start {
		return nil
	}
	v, err := decode(event[start : end+1])
	if err != nil {
		return nil
	}
	return &document{v, func(text []byte) []byte {
		return bytes.Join([][]byte{event[:start], text, event[end+1:]}, nil)
	}}
}

// readPayload finds the object in the payload of a message of AWS. InvokeModel
// has the event in a member bytes, in base64.
func readPayload(payload []byte) *document {
	outer := readText(payload)
	if outer == nil {
		return nil
	}
	o, _ := outer.value.(object)
	text, err := base64.StdEncoding.DecodeString(o.text("bytes"))
	if err != nil || len(text) == 0 {
		return outer
	}
	inner := readText(text)
	if inner == nil {
		return outer
	}
	return &document{inner.value, func(text []byte) []byte {
		changed, err := withValue(o, []string{"bytes"}, base64.StdEncoding.EncodeToString(text))
		if err != nil {
			panic("fakeprovider: internal error: " + err.Error())
		}
		return outer.write(encode(changed))
	}}
}

// depth returns how many names of a path lead to a value.
func depth(v any, names []string) int {
	for n, name := range names {
		next, ok := child(v, name)
		if !ok {
			return n
		}
		v = next
	}
	return len(names)
}

// child returns the member or the element of a name.
func child(v any, name string) (any, bool) {
	switch v := v.(type) {
	case object:
		return v.get(name), v.has(name)
	case []any:
		i := index(name)
		if i >= 0 && i < len(v) {
			return v[i], true
		}
	}
	return nil, false
}

// index returns the number that a name of a path is, or -1.
func index(name string) int {
	i, err := strconv.Atoi(name)
	if err != nil {
		return -1
	}
	return i
}

// withValue returns v with another value at a path.
func withValue(v any, names []string, value any) (any, error) {
	if len(names) == 0 {
		return value, nil
	}
	name := names[0]
	if v == nil {
		v = object{}
	}
	old, ok := child(v, name)
	switch v := v.(type) {
	case object:
		changed, err := withValue(old, names[1:], value)
		if err != nil {
			return nil, err
		}
		return v.with(name, changed), nil
	case []any:
		if !ok {
			return nil, fmt.Errorf("the list has no element %s", name)
		}
		changed, err := withValue(old, names[1:], value)
		if err != nil {
			return nil, err
		}
		list := append([]any(nil), v...)
		list[index(name)] = changed
		return list, nil
	}
	return nil, fmt.Errorf("%s would be a member of %s", name, encode(v))
}
