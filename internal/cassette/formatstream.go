package cassette

import (
	"fmt"
	"strconv"
	"strings"
)

// stream writes what a response that is a stream has beyond others.
func (w *writer) stream(r *Response) {
	if r.Stream == "" && len(r.Events) > 0 {
		w.errorf("response: events without a stream")
	}
	if r.Stream != "" && len(r.Body) > 0 {
		w.errorf("response: a body beside stream %q", r.Stream)
	}
	if len(r.Chunks) > 0 && (r.Stream != "" || len(r.Body) == 0) {
		w.errorf("response: chunks are of a body that is no stream")
	}
	w.text(partIndent, "stream", r.Stream)
	if len(r.Events) > 0 {
		start := len(w.buf)
		ev := parseEvents(r.Events)
		w.events(r.Events, ev)
		if ev.indentation > maxGrowth*(len(w.buf)-start) {
			w.buf = w.buf[:start]
			w.events(r.Events, asText(r.Events))
		}
	}
	w.chunks(r.Chunks)
	w.delays(r.Delays)
	w.text(partIndent, "text", r.Text)
}

func (w *writer) events(events []Event, ev eventValues) {
	w.layout("events_layout", ev.layout)
	w.key(partIndent, "events")
	w.raw("\n")
	for i, e := range events {
		w.event(e, ev.vals[i])
	}
	w.padding(ev.padding)
}

func (w *writer) chunks(lengths []int) {
	if len(lengths) == 0 {
		return
	}
	w.key(partIndent, "chunks")
	sep := " ["
	for i, n := range lengths {
		if n <= 0 {
			w.errorf("response: invalid length %d of chunk %d", n, i+1)
		}
		w.raw(sep + strconv.Itoa(n))
		sep = ", "
	}
	w.raw("]\n")
}

// eventValues are what the fields of events are written as.
type eventValues struct {
	layout  Layout     // of all values, but for the padding
	padding []int      // one per event: that of its last value
	vals    [][]*Value // one per field of each event; nil is text

	indentation int // of all values, in bytes
}

// asText has all fields written as text.
func asText(events []Event) eventValues {
	ev := eventValues{vals: make([][]*Value, len(events))}
	for i, e := range events {
		ev.vals[i] = make([]*Value, len(e))
	}
	return ev
}

// parseEvents finds the fields that are JSON in one of two layouts: compact, or
// the one that the fields look like, whichever fits more of them.
func parseEvents(events []Event) eventValues {
	var c clues
	vals := make([][]*Value, len(events))
	for i, e := range events {
		vals[i] = make([]*Value, len(e))
		for j, f := range e {
			if !mayBeJSON(f.Value) {
				continue
			}
			if v, err := ParseJSON([]byte(f.Value)); err == nil && structured(&v) {
				vals[i][j] = &v
				c.scan(f.Value)
			}
		}
	}
	l := c.layout()
	l.Padding = 0
	compact, n := fitEvents(events, vals, Layout{})
	if l == (Layout{}) || !storable(l) {
		return compact
	}
	if fitting, m := fitEvents(events, vals, l); m > n {
		return fitting
	}
	return compact
}

// fitEvents keeps the values that layout l prints as their fields, and counts
// them.
func fitEvents(events []Event, vals [][]*Value, l Layout) (ev eventValues, n int) {
	ev = eventValues{layout: l, padding: make([]int, len(events)), vals: make([][]*Value, len(events))}
	for i, e := range events {
		ev.vals[i] = make([]*Value, len(e))
		last := true
		for j := len(e) - 1; j >= 0; j-- {
			if vals[i][j] == nil {
				continue
			}
			l.Padding = 0
			if last && l.Indent == "" {
				l.Padding = paddingOf(strings.TrimRight(e[j].Value, " \t\r\n"))
			}
			if !storable(l) {
				continue
			}
			if indentation, ok := prints(*vals[i][j], l, []byte(e[j].Value)); ok {
				ev.vals[i][j] = vals[i][j]
				ev.indentation += indentation
				if last {
					ev.padding[i] = l.Padding
				}
				last = false
				n++
			}
		}
	}
	return ev, n
}

// event writes a line for e: a mapping, or a list of mappings of one field each
// if a name occurs more than once.
func (w *writer) event(e Event, vals []*Value) {
	names := make([]string, len(e))
	for i, f := range e {
		names[i] = f.Name
	}
	open, sep, end := "{", ", ", "}"
	if !unique(names) {
		open, sep, end = "[{", "}, {", "}]"
	}
	w.buf = appendSpaces(w.buf, partIndent+2)
	w.raw("- ")
	w.raw(open)
	for i, f := range e {
		if i > 0 {
			w.raw(sep)
		}
		w.flowString(f.Name)
		w.raw(": ")
		if vals[i] != nil {
			w.flowValue(vals[i])
		} else {
			w.flowString(f.Value)
		}
	}
	w.raw(end + "\n")
}

// padding writes the paddings but for zeros at the end.
func (w *writer) padding(ps []int) {
	for len(ps) > 0 && ps[len(ps)-1] == 0 {
		ps = ps[:len(ps)-1]
	}
	if len(ps) == 0 {
		return
	}
	w.key(partIndent, "events_padding")
	sep := " ["
	for _, n := range ps {
		w.raw(sep + strconv.Itoa(n))
		sep = ", "
	}
	w.raw("]\n")
}

// delays writes the delays but for those at the end that say nothing. One
// stays: the lines of a file must not depend on its timing.
func (w *writer) delays(ds []Delay) {
	if len(ds) == 0 {
		return
	}
	ds = ds[:max(1, len(trimDelays(ds)))]
	w.key(partIndent, "delays_ms")
	sep := " ["
	for i, d := range ds {
		w.raw(sep)
		sep = ", "
		switch {
		case d.MS < 0 || d.Together && d.MS != 0:
			w.errorf("response: invalid delay %d: %s", i+1, fmt.Sprintf("%+v", d))
		case d.Together:
			w.raw("+")
		default:
			w.raw(strconv.FormatInt(d.MS, 10))
		}
		if _, ok := d.Rest.Pieces(); !ok {
			w.errorf("response: invalid delay %d: %q", i+1, d.Rest)
		}
		w.raw(string(d.Rest))
	}
	w.raw("]\n")
}

// trimDelays drops zero delays from the end.
func trimDelays(ds []Delay) []Delay {
	for len(ds) > 0 && ds[len(ds)-1] == (Delay{}) {
		ds = ds[:len(ds)-1]
	}
	return ds
}
