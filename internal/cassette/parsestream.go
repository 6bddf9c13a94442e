package cassette

import (
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/yaml"
)

// streamNodes are the keys of a response that make its events.
type streamNodes struct {
	layout, events, padding, chunks *yaml.Node
}

// stream reads the events of a response and checks that it is either a stream
// or has a body.
func (d *decoder) stream(r *interaction.Response, s *streamNodes, b *bodyNodes) {
	if n, _ := b.first(); n != nil && r.Stream != "" {
		d.badf(n, "response", "a body beside stream %q; a stream's body is its events", yaml.Clip(r.Stream))
	}
	if s.events != nil && r.Stream == "" {
		d.badf(s.events, "response.events", "events without a stream; name the framing (\"stream: sse\")")
	}
	for _, n := range []*yaml.Node{s.layout, s.padding} {
		if n != nil && s.events == nil {
			d.badf(n, "response", "a layout or padding without events; remove it")
		}
	}
	if s.chunks != nil {
		r.Chunks = d.chunks(s.chunks)
		if r.Stream != "" || len(r.Body) == 0 {
			d.badf(s.chunks, "response.chunks", "chunks are of a body that is no stream; remove them")
		}
	}
	if d.err != nil || s.events == nil {
		return
	}
	var l exactjson.Layout
	if s.layout != nil {
		if l = d.layout(s.layout, "response.events_layout"); l.Padding > 0 {
			d.badf(s.layout, "response.events_layout", "padding is in events_padding, one per event; move it there")
		}
	}
	pads := d.paddings(s.padding, l)
	elems := d.list(s.events, "response.events", "events")
	r.Events = make([]interaction.Event, 0, len(elems))
	for i := range elems {
		pad := 0
		if i < len(pads) {
			pad = pads[i]
		}
		r.Events = append(r.Events, d.event(&elems[i], l, pad))
	}
}

// paddings reads events_padding, if there is one.
func (d *decoder) paddings(n *yaml.Node, l exactjson.Layout) []int {
	if n == nil {
		return nil
	}
	const field = "response.events_padding"
	if l.Indent != "" {
		d.badf(n, field, "padding is for JSON on one line; remove it, or indent")
	}
	var pads []int
	for i := range d.list(n, field, "numbers of spaces") {
		pads = append(pads, d.padding(&n.Elems[i], field))
	}
	return pads
}

// event returns the event n. Its last field that is structure is printed in
// layout l with padding, the others without.
func (d *decoder) event(n *yaml.Node, l exactjson.Layout, padding int) interaction.Event {
	const field = "response.events"
	switch {
	case d.err != nil:
		return nil
	case n.Tag == "" && n.Kind == yaml.Mapping:
		return d.fields(n.Keys, n.Elems, l, padding)
	case n.Tag != "" || n.Kind != yaml.Sequence:
		d.want(n, field, "a mapping of fields, or a list of mappings of one field each")
		return nil
	}
	var keys, elems []yaml.Node
	for i := range n.Elems {
		f := &n.Elems[i]
		if f.Kind != yaml.Mapping || f.Tag != "" || len(f.Elems) != 1 {
			d.want(f, field, "a mapping of one field")
			return nil
		}
		keys, elems = append(keys, f.Keys[0]), append(elems, f.Elems[0])
	}
	return d.fields(keys, elems, l, padding)
}

// fields returns the event of these names and values.
func (d *decoder) fields(keys, elems []yaml.Node, l exactjson.Layout, padding int) interaction.Event {
	const field = "response.events"
	last := len(elems) - 1
	for last >= 0 && elems[last].Kind == yaml.Scalar {
		last--
	}
	e := make(interaction.Event, 0, len(elems))
	for i := range elems {
		f := interaction.Field{Name: d.key(&keys[i], field)}
		if v := &elems[i]; v.Kind == yaml.Scalar {
			f.Value = d.loose(v, field)
		} else if val := d.value(v, field); d.err == nil {
			l.Padding = 0
			if i == last {
				l.Padding = padding
			}
			f.Value = string(d.print(v, field, &val, l))
		}
		e = append(e, f)
	}
	return e
}

func (d *decoder) chunks(n *yaml.Node) []int {
	const field = "response.chunks"
	elems := d.list(n, field, "lengths in bytes")
	lengths := make([]int, 0, len(elems))
	for i := range elems {
		l := d.integer(&elems[i], field, 0)
		if l == 0 || l > 1<<40 {
			d.badf(&elems[i], field, "a chunk has 1 byte or more; remove it")
		}
		lengths = append(lengths, int(l))
	}
	return lengths
}

func (d *decoder) delays(n *yaml.Node) []interaction.Delay {
	const field = "response.delays_ms"
	elems := d.list(n, field, "delays")
	ds := make([]interaction.Delay, 0, len(elems))
	for i := range elems {
		e := &elems[i]
		first, _, several := strings.Cut(e.Text, "~")
		rest := interaction.Rest(strings.TrimPrefix(e.Text, first))
		if e.Kind == yaml.Scalar && e.Style == yaml.Plain && e.Tag == "" && (first == "+" || several) {
			delay := interaction.Delay{Together: first == "+", Rest: rest}
			if first != "+" {
				var err error
				if delay.MS, err = strconv.ParseInt(first, 10, 64); err != nil || delay.MS < 0 || strconv.FormatInt(delay.MS, 10) != first {
					d.want(e, field, "an integer, 0 or more, or + before ~")
				}
			}
			if _, ok := rest.Pieces(); !ok {
				d.want(e, field, "the pieces that came later as ~BYTES+MS, each shorter than the one before")
			}
			ds = append(ds, delay)
			continue
		}
		ds = append(ds, interaction.Delay{MS: d.integer(e, field, 0)})
	}
	return ds
}
