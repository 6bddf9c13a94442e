package oldreader

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// messages are the fields of a session that a function has opened.
func (p *parser) messages(r *interaction.Response) {
	if n, _ := p.find("stream"); n == nil {
		return
	}
	p.text("stream", &r.Stream)
	p.events(r)
	optional(p, "delays_ms", &r.Delays, p.delays)
	p.text("end", &r.End)
}

// stream reads a stream, and the pieces of a body that is none, and checks that it is
// the one or the other.
func (p *parser) stream(r *interaction.Response) {
	p.in.atEnd = func() { p.checkResponse(r) }
	p.text("stream", &r.Stream)
	p.events(r)
	optional(p, "chunks", &r.Chunks, p.chunks)
	optional(p, "delays_ms", &r.Delays, p.delays)
}

// events reads the events of a stream.
func (p *parser) events(r *interaction.Response) {
	layout, layoutField := p.get("events_layout")
	events, field := p.get("events")
	padding, _ := p.get("events_padding")
	if events == nil {
		if extra := cmp.Or(layout, padding); extra != nil {
			p.badf(extra, p.in.field, "a layout or padding without events; remove it")
		}
	} else {
		var l exactjson.Layout
		if layout != nil {
			l = p.layout(layout, layoutField)
			if l.Padding > 0 {
				p.badf(layout, layoutField, "padding is in events_padding, one per event; move it there")
			}
		}
		pads := p.paddings(padding, l)
		elems := p.list(events, field, "events")
		pads = append(pads, make([]int, max(0, len(elems)-len(pads)))...)
		r.Events = make([]interaction.Event, 0, len(elems))
		for i, e := range elems {
			r.Events = append(r.Events, p.event(e, field, l, pads[i]))
		}
	}
}

// checkResponse makes sure that a response has a status, and is a stream or has a body.
func (p *parser) checkResponse(r *interaction.Response) {
	p.need("status", r.Status != 0 || mayHaveNoStatus(r))
	body, _ := p.find("body")
	base64, _ := p.find("body_base64")
	file, _ := p.find("body_file")
	if n := cmp.Or(body, base64, file); n != nil && r.Stream != "" {
		p.badf(n, "response", "both a body and stream %q; a stream's body is its events", Clip(r.Stream))
	}
	if n, field := p.find("events"); n != nil && r.Stream == "" {
		p.badf(n, field, "events without a stream; name the framing (\"stream: sse\")")
	}
	p.checkMessages(r)
	if n, field := p.find("chunks"); n != nil && (r.Stream != "" || len(r.Body) == 0) {
		p.badf(n, field, "only a body that is not a stream has chunks; remove them")
	}
}

// webSocketStatus is the status of a response that opens a WebSocket (RFC 6455, section 4.2.2).
const webSocketStatus = 101

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
		return fmt.Sprintf("unknown field %q; %s", Clip(event[0].Name), want)
	case len(event) == 2 && event[1].Name == interaction.AudioField && interaction.IsSentField(event[0].Name):
		return fmt.Sprintf("the field %q must have bytes, 0 or more, and sha256, 64 hexadecimal digits",
			interaction.AudioField)
	case interaction.IsSentField(event[0].Name):
		return fmt.Sprintf("unexpected field %q; only %q can follow a message of the client",
			Clip(event[1].Name), interaction.AudioField)
	}
	return fmt.Sprintf("unexpected field %q; a message of the server has one field",
		Clip(event[1].Name))
}

// paddings reads events_padding, if there is one.
func (p *parser) paddings(n *Node, l exactjson.Layout) []int {
	if n == nil {
		return nil
	}
	const field = "response.events_padding"
	if l.Indent != "" {
		p.badf(n, field, "padding is for JSON on one line; remove it, or remove the key indent")
	}
	return listOf(p, n, field, "numbers of spaces", p.padding)
}

// event returns the event n. Its last field that is structure is printed in
// layout l with padding, the others without.
func (p *parser) event(n *Node, field string, l exactjson.Layout, padding int) interaction.Event {
	switch {
	case p.err != nil:
		return nil
	case n.Tag == "" && n.Kind == Mapping:
		return p.fields(n.Elems, field, l, padding)
	case n.Tag != "" || n.Kind != Sequence:
		p.want(n, field, "a mapping of fields, or a list of mappings of one field each")
		return nil
	}
	var elems []*Node
	for _, f := range n.Elems {
		if f.Kind != Mapping || f.Tag != "" || len(f.Elems) != 1 {
			p.want(f, field, "a mapping of one field")
			return nil
		}
		elems = append(elems, f.Elems[0])
	}
	return p.fields(elems, field, l, padding)
}

// fields returns the event of these values, which have keys.
func (p *parser) fields(elems []*Node, field string, l exactjson.Layout, padding int) interaction.Event {
	last := len(elems) - 1
	for last >= 0 && !isStructure(elems[last]) {
		last--
	}
	if len(elems) > 0 && interaction.IsSentField(p.key(elems[0].Key, field)) {
		l = exactjson.Layout{}
		if padding > 0 {
			p.badf(elems[0], field, "a message of the client has no padding; write 0 in events_padding")
		}
	}
	e := interaction.Event(cut(&p.made, len(elems))[:0])
	for i, v := range elems {
		f := interaction.Field{Name: p.key(v.Key, field)}
		if v.Tag == "!asset" && interaction.IsBytesField(f.Name) {
			f.Value = p.contentOfAsset(v, field)
		} else if !isStructure(v) {
			f.Value = p.loose(v, field)
		} else {
			l.Padding = 0
			if i == last {
				l.Padding = padding
			}
			f.Value = v.Text
			if !isJSON(v) || l != (exactjson.Layout{}) {
				f.Value = string(p.json(v, field, l))
			}
		}
		e = append(e, f)
	}
	return e
}

func (p *parser) chunks(n *Node, field string) []int {
	return listOf(p, n, field, "lengths in bytes", func(e *Node, field string) int {
		l := p.integer(e, field, 0)
		if l == 0 || l > 1<<40 {
			p.badf(e, field, "a chunk must have 1 byte or more, and less than 1 TB")
		}
		return int(l)
	})
}

func (p *parser) delays(n *Node, field string) []interaction.Delay {
	return listOf(p, n, field, "delays", func(e *Node, field string) interaction.Delay {
		d, want := parseDelay(e.Text)
		if e.Kind != Scalar || e.Style != Plain || e.Tag != "" {
			want = cmp.Or(want, "an integer, 0 or more")
		}
		if want != "" {
			p.want(e, field, want)
		}
		return d
	})
}
