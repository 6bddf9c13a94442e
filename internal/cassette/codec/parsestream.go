package codec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette/yaml"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// stream reads the fields of a response that only streams have, and the chunks of a body that is
// not a stream. After all fields of the response, it checks that they agree.
func (p *parser) stream(r *interaction.Response) {
	p.current.check = func() { p.checkResponse(r) }
	p.text("stream", &r.Stream)
	p.events(r)
	optional(p, "chunks", &r.Chunks, p.chunks)
	optional(p, "delays_ms", &r.Delays, p.delays)
}

// messages reads the messages of a session, if a function has opened one.
func (p *parser) messages(r *interaction.Response) {
	if stream, _ := p.find("stream"); stream == nil {
		return
	}
	p.text("stream", &r.Stream)
	p.events(r)
	optional(p, "delays_ms", &r.Delays, p.delays)
	p.text("end", &r.End)
}

// events reads the events of a stream, and the layout and the paddings of the JSON in them.
func (p *parser) events(r *interaction.Response) {
	layout, layoutField := p.get("events_layout")
	events, field := p.get("events")
	padding, _ := p.get("events_padding")
	if events == nil {
		if extra := cmp.Or(layout, padding); extra != nil {
			p.badf(extra, p.current.field, "a layout or padding without events; remove it")
		}
		return
	}

	var l exactjson.Layout
	if layout != nil {
		l = p.layout(layout, layoutField)
		if l.Padding > 0 {
			p.badf(layout, layoutField, "padding is in events_padding, one per event; move it there")
		}
	}
	paddings := p.paddings(padding, l)
	elems := p.list(events, field, "events")
	missing := max(0, len(elems)-len(paddings))
	paddings = append(paddings, make([]int, missing)...)

	fieldCount := 0
	for _, e := range elems {
		fieldCount += len(e.Elems)
	}
	p.eventFields = make([]interaction.Field, 0, fieldCount)
	r.Events = make([]interaction.Event, 0, len(elems))
	for i, e := range elems {
		r.Events = append(r.Events, p.event(e, field, l, paddings[i]))
	}
}

// checkResponse checks that a response has a status, and that it does not have both the fields of a
// stream and those of a body.
func (p *parser) checkResponse(r *interaction.Response) {
	p.require("status", r.Status != 0 || mayHaveNoStatus(r))
	body, _ := p.find("body")
	base64, _ := p.find("body_base64")
	file, _ := p.find("body_file")
	n := cmp.Or(body, base64, file)
	if n != nil && r.Stream != "" {
		p.badf(n, "response", "both a body and stream %q; a stream's body is its events", yaml.Clip(r.Stream))
	}
	events, field := p.find("events")
	if events != nil && r.Stream == "" {
		p.badf(events, field, "events without a stream; name the framing (\"stream: sse\")")
	}
	p.checkMessages(r)
	chunks, field := p.find("chunks")
	isStreamOrEmpty := r.Stream != "" || len(r.Body) == 0
	if chunks != nil && isStreamOrEmpty {
		p.badf(chunks, field, "only a body that is not a stream has chunks; remove them")
	}
}

// checkMessages checks that the events of a session are messages, and that a WebSocket was opened.
func (p *parser) checkMessages(r *interaction.Response) {
	if p.err != nil {
		return
	}
	if r.Stream == interaction.WebSocket && r.Status != webSocketStatus {
		n, field := p.find("stream")
		if status, statusField := p.find("status"); status != nil {
			n, field = status, statusField
		}
		p.badf(n, field, "a WebSocket has the status %d, found %d; restore it, or record again",
			webSocketStatus, r.Status)
	}
	n, field := p.find("events")
	if n == nil {
		return
	}
	for i, event := range r.Events {
		if p.err != nil {
			return
		}
		isOfSession := interaction.HasOnlyMessages(r.Stream)
		if len(event) > 0 {
			isOfSession = isOfSession || interaction.IsSentField(event[0].Name)
		}
		_, isMessage := event.Message()
		if isOfSession && !isMessage {
			p.badf(n.Elems[i], field, "%s; restore it, or record again", notAMessage(event))
		}
	}
}

// notAMessage returns why an event is not a message.
func notAMessage(event interaction.Event) string {
	names := interaction.MessageFields()
	want := "a message has one of the fields " + strings.Join(names, ", ")
	switch {
	case len(event) == 0:
		return "this message has no field; " + want
	case !slices.Contains(names, event[0].Name):
		return fmt.Sprintf("unknown field %q; %s", yaml.Clip(event[0].Name), want)
	case len(event) == 2 && event[1].Name == interaction.AudioField && interaction.IsSentField(event[0].Name):
		return fmt.Sprintf("the field %q must have bytes, 0 or more, and sha256, 64 hexadecimal digits",
			interaction.AudioField)
	case interaction.IsSentField(event[0].Name):
		return fmt.Sprintf("unexpected field %q; only %q can follow a message of the client",
			yaml.Clip(event[1].Name), interaction.AudioField)
	}
	return fmt.Sprintf("unexpected field %q; a message of the server has one field",
		yaml.Clip(event[1].Name))
}

// paddings returns the numbers of events_padding, or nil if n is nil. The last events of a stream
// may have none.
func (p *parser) paddings(n *yaml.Node, l exactjson.Layout) []int {
	if n == nil {
		return nil
	}
	const field = "response.events_padding"
	if l.Indent != "" {
		p.badf(n, field, "padding is for JSON on one line; remove it, or remove the key indent")
	}
	return listOf(p, n, field, "numbers of spaces", p.padding)
}

// event returns the event n: a mapping of fields, or a list of mappings of one field each if a
// name occurs twice. Mappings and lists in fields are printed as JSON in layout l. Only the last of
// them has padding.
func (p *parser) event(
	n *yaml.Node, field string, l exactjson.Layout, padding int,
) interaction.Event {
	switch {
	case p.err != nil:
		return nil
	case n.Tag == "" && n.Kind == yaml.Mapping:
		return p.fields(n.Elems, field, l, padding)
	case n.Tag != "" || n.Kind != yaml.Sequence:
		p.unexpected(n, field, "a mapping of fields, or a list of mappings of one field each")
		return nil
	}
	var elems []*yaml.Node
	for _, f := range n.Elems {
		isMapping := f.Kind == yaml.Mapping && f.Tag == ""
		if !isMapping || len(f.Elems) != 1 {
			p.unexpected(f, field, "a mapping of one field")
			return nil
		}
		elems = append(elems, f.Elems[0])
	}
	return p.fields(elems, field, l, padding)
}

// fields returns the event with the fields elems. See [parser.event] for l and padding.
func (p *parser) fields(elems []*yaml.Node, field string, l exactjson.Layout, padding int) interaction.Event {
	lastStructure := len(elems) - 1
	for lastStructure >= 0 && !isStructure(elems[lastStructure]) {
		lastStructure--
	}
	isSent := len(elems) > 0 && interaction.IsSentField(p.key(elems[0].Key, field))
	if isSent {
		l = exactjson.Layout{} // whatever that of the other events is, see eventValues
		if padding > 0 {
			p.badf(elems[0], field, "a message of the client has no padding; write 0 in events_padding")
		}
	}
	first := len(p.eventFields)
	for i, v := range elems {
		name := p.key(v.Key, field)
		var value string
		switch {
		case isStructure(v):
			l.Padding = 0
			if i == lastStructure {
				l.Padding = padding
			}
			value = p.fieldJSON(v, field, l)
		case v.Tag == "!asset" && interaction.IsBytesField(name):
			value = p.contentOfAsset(v, field)
		default:
			value = p.lenientString(v, field)
		}
		p.eventFields = append(p.eventFields, interaction.Field{Name: name, Value: value})
	}
	end := len(p.eventFields)
	return interaction.Event(p.eventFields[first:end:end])
}

// fieldJSON returns the JSON of a field of an event in layout l.
func (p *parser) fieldJSON(v *yaml.Node, field string, l exactjson.Layout) string {
	isCompact := l == (exactjson.Layout{})
	if isCompact && hasJSON(v) {
		return v.Text
	}
	return string(p.json(v, field, l))
}

// chunks returns the lengths of the chunks of a body.
func (p *parser) chunks(n *yaml.Node, field string) []int {
	return listOf(p, n, field, "lengths in bytes", func(e *yaml.Node, field string) int {
		length := p.integer(e, field, 0)
		if length == 0 || length > 1<<40 {
			p.badf(e, field, "a chunk must have 1 byte or more, and less than 1 TB")
		}
		return int(length)
	})
}

// delays returns the times between the arrivals of events or chunks.
func (p *parser) delays(n *yaml.Node, field string) []interaction.Delay {
	return listOf(p, n, field, "delays", func(e *yaml.Node, field string) interaction.Delay {
		d, want := parseDelay(e.Text)
		isPlain := e.Kind == yaml.Scalar && e.Style == yaml.Plain && e.Tag == ""
		if !isPlain {
			want = cmp.Or(want, "an integer, 0 or more")
		}
		if want != "" {
			p.unexpected(e, field, want)
		}
		return d
	})
}
