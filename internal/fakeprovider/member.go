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
// Objects that are missing on the way are made, elements of lists are not.
//
// A stream has the path in some of its events: that event is changed in which
// most of the path is there, and the last of several.
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

	var in *document
	at, most := 0, -1
	for i, event := range events {
		d := readDocument(event)
		if d == nil {
			continue
		}
		if n := depth(d.value, names); n >= most {
			in, at, most = d, i, n
		}
	}
	if in == nil {
		return errors.New("the response is not JSON")
	}

	changed, err := with(in.value, names, v)
	if err != nil {
		return err
	}
	event := in.write(encode(changed))
	if r.Events == nil {
		r.Body = event
		return nil
	}
	r.Events[at] = event
	return nil
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
		changed, err := with(o, []string{"bytes"}, base64.StdEncoding.EncodeToString(text))
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

// with returns v with another value at a path.
func with(v any, names []string, value any) (any, error) {
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
		changed, err := with(old, names[1:], value)
		if err != nil {
			return nil, err
		}
		return v.with(name, changed), nil
	case []any:
		if !ok {
			return nil, fmt.Errorf("the list has no element %s", name)
		}
		changed, err := with(old, names[1:], value)
		if err != nil {
			return nil, err
		}
		list := append([]any(nil), v...)
		list[index(name)] = changed
		return list, nil
	}
	return nil, fmt.Errorf("%s would be a member of %s", name, encode(v))
}
