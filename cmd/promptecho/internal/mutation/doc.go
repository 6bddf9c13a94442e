// Package mutation changes recorded answers, each in one way in which a provider could really have
// answered. A test that passes with such an answer does not notice the difference.
//
// An answer is changed where it stands: all else of a response stays as it was recorded, such as
// IDs, signatures and members that nobody knows. A mutation is a row of one table (table.go). An
// API says where its answers have their texts, calls and ends, in a file of its own.
package mutation

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A document is the JSON of a response: of its body, of the events of its stream, or of the
// messages that the server sent in a session.
type document struct {
	response *interaction.Response // as it was recorded
	payloads []*payload
}

// A payload is one JSON value of a response. The value may be changed.
type payload struct {
	value exactjson.Value

	isJSON bool
	event  interaction.Event // nil for a body
	place  int               // of the event in the recorded stream, from 0
	field  int               // of the event, whose text the value is
	layout exactjson.Layout
	before string // the value as it was recorded, compact

	isDropped bool
	renamed   string // a new name of the event; "" for the recorded one
}

// newDocument returns the JSON of a recorded response.
func newDocument(resp *interaction.Response) *document {
	d := &document{response: resp}
	if resp.Stream == "" {
		d.add(string(resp.Body), nil, 0, 0)
		return d
	}
	for place, event := range resp.Events {
		if event.IsSent() {
			continue
		}
		isPayload := func(f interaction.Field) bool { return interaction.IsPayload(f.Name) }
		field := slices.IndexFunc(event, isPayload)
		hasOne := field >= 0 && !slices.ContainsFunc(event[field+1:], isPayload)
		if hasOne { // JSON over several lines is not changed: no API sends it
			d.add(event[field].Value, event, place, field)
		}
	}
	return d
}

// add adds a payload with this text.
func (d *document) add(text string, event interaction.Event, place, field int) {
	p := &payload{event: event, place: place, field: field}
	v, err := exactjson.Parse(text)
	if err == nil {
		p.value = v
		p.isJSON = true
		p.layout, _, _ = exactjson.DetectLayout(text, v)
		p.before = compact(&v)
	}
	d.payloads = append(d.payloads, p)
}

// repeat adds a copy of a payload, as an event of its own, behind another one.
func (d *document) repeat(p, after *payload) *payload {
	again := *p
	again.value = clone(&p.value)
	again.before = ""
	again.place = after.place
	i := slices.Index(d.payloads, after)
	d.payloads = slices.Insert(d.payloads, i+1, &again)
	return &again
}

// insert adds an event before another one, in a frame like that one's.
func (d *document) insert(before *payload, name string, v exactjson.Value) {
	p := *before
	p.value = v
	p.before = ""
	p.renamed = name
	i := slices.Index(d.payloads, before)
	d.payloads = slices.Insert(d.payloads, i, &p)
}

// sent returns the payloads that are not dropped.
func (d *document) sent() []*payload {
	var sent []*payload
	for _, p := range d.payloads {
		if !p.isDropped {
			sent = append(sent, p)
		}
	}
	return sent
}

// isChanged reports whether the value of a payload differs from the recorded one.
func (p *payload) isChanged() bool { return p.isJSON && compact(&p.value) != p.before }

// text returns the JSON of a payload, as it was recorded unless it was changed.
func (p *payload) text(recorded string) string {
	if !p.isChanged() {
		return recorded
	}
	return string(p.value.AppendJSON(nil, p.layout))
}

// changed returns the response with the changes. A dropped event of a session stays as an event
// without fields, so that the messages of a session keep their places. It returns nil if a session
// would have more messages.
func (d *document) changed() *interaction.Response {
	resp := d.response.Clone()
	resp.Delays = nil
	if resp.Stream == "" {
		resp.Body = []byte(d.payloads[0].text(string(resp.Body)))
		resp.Chunks = nil
		return resp
	}

	byPlace := map[int][]*payload{}
	for _, p := range d.payloads {
		byPlace[p.place] = append(byPlace[p.place], p)
	}
	isSession := resp.IsSession()
	resp.Events = nil
	for place, event := range d.response.Events {
		payloads := byPlace[place]
		if payloads == nil {
			resp.Events = append(resp.Events, event)
			continue
		}
		n := len(resp.Events)
		for _, p := range payloads {
			if !p.isDropped {
				resp.Events = append(resp.Events, p.changedEvent())
			}
		}
		if isSession && len(resp.Events) == n {
			resp.Events = append(resp.Events, interaction.Event{})
		}
	}
	if isSession && len(resp.Events) != len(d.response.Events) {
		return nil
	}
	return resp
}

// changedEvent returns the event of a payload with the changes.
func (p *payload) changedEvent() interaction.Event {
	event := slices.Clone(p.event)
	event[p.field].Value = p.text(event[p.field].Value)
	for i := range event {
		if p.renamed != "" && isEventName(event[i]) {
			event[i].Value = p.renamed
		}
	}
	return event
}

// isEventName reports whether a field has the name of an event. A chunk of Bedrock's InvokeModel has
// the event of the model inside.
func isEventName(f interaction.Field) bool {
	return f.Name == "event" || f.Name == ":event-type" && f.Value != "chunk"
}

// elems returns the elements of a list or an object, which may be nil.
func elems(v *exactjson.Value) []exactjson.Value {
	if v == nil {
		return nil
	}
	return v.Elems
}

// compact returns a value as JSON without white space.
func compact(v *exactjson.Value) string { return string(v.AppendJSON(nil, exactjson.Layout{})) }

// clone returns a copy of a value that shares nothing with it.
func clone(v *exactjson.Value) exactjson.Value {
	c := *v
	c.Elems = slices.Clone(v.Elems)
	for i := range c.Elems {
		c.Elems[i] = clone(&c.Elems[i])
	}
	return c
}

// set sets a value, whose name stays.
func set(v *exactjson.Value, to exactjson.Value) {
	to.Name = v.Name
	*v = to
}

// setText makes a value a string.
func setText(v *exactjson.Value, text string) { set(v, stringValue(text)) }

// setMember sets a member of an object, or adds it.
func setMember(object *exactjson.Value, name string, to exactjson.Value) {
	if m := object.Member(name); m != nil {
		set(m, to)
		return
	}
	to.Name = name
	object.Elems = append(object.Elems, to)
}

// dropMember removes a member of an object.
func dropMember(object *exactjson.Value, name string) {
	object.Elems = slices.DeleteFunc(object.Elems, func(m exactjson.Value) bool { return m.Name == name })
}

// stringValue returns a string as a value.
func stringValue(text string) exactjson.Value {
	return exactjson.Value{Kind: exactjson.String, Text: text}
}

// parsed returns the value of JSON that is a constant of this package.
func parsed(text string) exactjson.Value {
	v, err := exactjson.Parse(text)
	if err != nil {
		panic(err) // a constant is JSON
	}
	return v
}
