package codec

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A Framer puts the events of a stream together to its bytes, as far as that is
// text around values. Its methods report false where it is not.
type Framer interface {
	// Stream begins a stream of the framing with this name.
	Stream(name string) bool
	// Field appends what stands before the value of a field.
	Field(dst, name []byte) ([]byte, bool)
	// Value appends what stands behind the value of a field, which begins at start.
	// It may be known to be one line.
	Value(dst []byte, start int, line bool) ([]byte, bool)
	// End appends what ends an event.
	End(dst []byte) []byte
}

// A streamDecoder reads the events of a stream.
type streamDecoder struct {
	jsonDecoder
	framer Framer // makes the bytes of a stream instead of its events; may be nil
	events eventList
	want   *comparison // the events that there must be; nil if that is not known
}

// An eventList is what was read of events beside the text of their values. With a
// framer that is only where they end.
type eventList struct {
	offsets []int    // in the text: where each value begins and ends, or where each event ends
	names   []string // of the fields
	ends    []int    // of the events, in names
	cuts    []int    // in the text: where the padding of each event goes, -1 if it has none
	cache   eventCache
}

// list returns the events.
func (l *eventList) list(values []byte) []interaction.Event {
	text := string(values)
	fields := make([]interaction.Field, len(l.names))
	for i, name := range l.names {
		fields[i] = interaction.Field{Name: name, Value: text[l.offsets[2*i]:l.offsets[2*i+1]]}
	}
	events := make([]interaction.Event, len(l.ends))
	begin := 0
	for i, end := range l.ends {
		events[i] = fields[begin:end:end]
		begin = end
	}
	return events
}

// eventLines reads the lines of events, one behind the other, and their paddings.
func (d *streamDecoder) eventLines(dst []byte, l exactjson.Layout) []byte {
	d.layOut(l)
	for d.dash(d.indent) {
		dst = d.event(dst)
		if d.want != nil {
			dst = d.compare(dst)
		}
		if l.Indent != "" && len(dst) > d.json.Most {
			d.fail() // what is like the event before is not counted
		}
	}
	paddings := d.ints("events_padding")
	if d.want != nil && (d.want.next != len(d.want.events) || !slices.Equal(paddings, d.want.paddings)) {
		d.fail()
	}
	return insertPadding(dst, d.events.cuts, paddings, d.events.offsets)
}

// A comparison makes sure that events are those that were written, so that a long stream
// need not be kept a second time.
type comparison struct {
	events   []interaction.Event
	next     int
	paddings []int // that they must have, without zeros at the end
}

// compare makes sure that the event that was just read is the next one of those that are
// wanted, and forgets it.
func (d *streamDecoder) compare(dst []byte) []byte {
	list, want := &d.events, d.want
	if want.next == len(want.events) || len(want.events[want.next]) != len(list.names) {
		d.fail()
		return dst
	}
	for i, f := range want.events[want.next] {
		from, to := list.offsets[2*i], list.offsets[2*i+1]
		value := f.Value
		if cut := list.cuts[0] - from; cut >= 0 && list.cuts[0] < to { // the padding is read later
			padding := len(value) - (to - from)
			if padding < 0 || padding > maxPadding || value[cut:cut+padding] != spaces[:padding] {
				d.fail()
				return dst
			}
			value = value[:cut] + value[cut+padding:]
			want.paddings = appendPadding(want.paddings, want.next, padding)
		}
		if f.Name != list.names[i] || value != string(dst[from:to]) {
			d.fail()
		}
	}
	want.next++
	cache := list.cache
	if len(dst) > 64<<10 {
		dst, cache = dst[:0], cache.reset()
	}
	*list = list.reset()
	list.cache = cache
	return dst
}

// reset returns an empty list that uses the memory of l.
func (l *eventList) reset() eventList {
	return eventList{offsets: l.offsets[:0], names: l.names[:0], ends: l.ends[:0], cuts: l.cuts[:0], cache: l.cache.reset()}
}

// event reads the line of an event.
func (d *streamDecoder) event(dst []byte) []byte {
	list := &d.events
	d.expect("- ")
	several := d.skip("[")
	d.expect("{")
	cut := -1
	oneLine := d.json.Indent == "" && d.json.Before == "" && d.json.After == "" // JSON escapes line breaks
	for ok := true; !d.failed; {
		name := d.flowText()
		if d.framer != nil {
			dst, ok = d.framer.Field(dst, name)
		}
		d.expect(": ")
		start, line := len(dst), false
		if c := d.peek(); c == '{' || c == '[' {
			line = oneLine
			dst = d.value(append(dst, d.json.Before...))
			cut = len(dst) - 1
			dst = append(dst, d.json.After...)
		} else {
			dst = append(dst, d.flowText()...)
		}
		if d.framer == nil {
			list.names = append(list.names, list.intern(name))
			list.offsets = append(list.offsets, start, len(dst))
		} else if ok {
			dst, ok = d.framer.Value(dst, start, line)
		}
		if !ok {
			d.fail()
		}
		if d.skip(", ") {
			continue
		}
		if d.expect("}"); !several || !d.skip(", {") {
			break
		}
	}
	if several {
		d.expect("]")
	}
	d.expect("\n")
	if d.framer != nil {
		dst = d.framer.End(dst)
		list.offsets = append(list.offsets, len(dst))
	} else {
		list.ends = append(list.ends, len(list.names))
	}
	list.cuts = append(list.cuts, cut)
	return dst
}

// value reads the value of a field that is structure and appends its JSON. What is already
// in dst must stay as it is until the next one.
func (d *streamDecoder) value(dst []byte) []byte {
	c, start, out := &d.events.cache, d.pos, len(dst)
	c.begin(start, out)
	depth := 0
	if first := (token{}); c.note(first, d.s[start]) {
		dst, depth = d.alike(dst, first, c)
	}
	if depth > 0 || d.pos == start {
		dst = d.flow(dst, depth, 0, c)
	}
	c.end(d.s[start:d.pos], len(dst)-out)
	return dst
}

// intern returns the name of a field; it is mostly one of the last.
func (l *eventList) intern(b []byte) string {
	for i := len(l.names) - 1; i >= max(0, len(l.names)-4); i-- {
		if l.names[i] == string(b) {
			return l.names[i]
		}
	}
	return string(b)
}

// insertPadding puts so many blanks at each of the cuts of a text, and moves the offsets
// behind them. Both are in order.
func insertPadding(text []byte, cuts, paddings, offsets []int) []byte {
	paddings = paddings[:min(len(paddings), len(cuts))]
	shift := 0
	for i, n := range paddings {
		if cuts[i] >= 0 {
			shift += min(n, maxPadding)
		}
	}
	end, o := len(text), len(offsets)-1
	text = exactjson.AppendSpaces(text, shift)
	for i := len(paddings) - 1; i >= 0; i-- {
		n, cut := min(paddings[i], maxPadding), cuts[i]
		if n == 0 || cut < 0 {
			continue
		}
		copy(text[cut+shift:], text[cut:end])
		for ; o >= 0 && offsets[o] > cut; o-- {
			offsets[o] += shift
		}
		shift -= n
		copy(text[cut+shift:], spaces[:n])
		end = cut
	}
	return text
}
