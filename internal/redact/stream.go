package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A piece is a text of an event: a string of its JSON, or a field that is no JSON.
// Clients put the pieces at one place of a stream together, and so must we: a model
// says a key in several.
type piece struct {
	event, field int32
	number       int32 // of the string in the JSON, -1 if the field is none
	group        int32 // of the pieces with its numbers
	text         string
	changed      bool
}

// A joint is a text that a client puts together, by its pieces.
type joint struct{ pieces []*piece }

func (j joint) text() []byte {
	size := 0
	for _, p := range j.pieces {
		size += len(p.text)
	}
	b := make([]byte, 0, size)
	for _, p := range j.pieces {
		b = append(b, p.text...)
	}
	return b
}

// How much of a long text is looked through at once, and how much of that again with
// what follows: no credential is longer.
const (
	windowSize    = 1 << 20
	windowOverlap = 64 << 10
)

// windows calls yield with parts of the text, so that a long one is not in memory
// again. They overlap.
func (j joint) windows(yield func(joint) bool) {
	for len(j.pieces) > 0 {
		end, size := 0, 0
		for end < len(j.pieces) && size < windowSize {
			size += len(j.pieces[end].text)
			end++
		}
		if !yield(joint{j.pieces[:end]}) || end == len(j.pieces) {
			return
		}
		start, again := end, 0
		for start > 1 && again < windowOverlap {
			start--
			again += len(j.pieces[start].text)
		}
		j.pieces = j.pieces[start:]
	}
}

// joints returns the texts that a client may put together from the events of a
// stream: the pieces of one place that have the same numbers in the objects around
// them ("index", "output_index"), since several texts can come at once. Where nearly
// every piece has a number of its own, the server counts the pieces by it, and those
// of the place are plain, whatever their numbers.
func joints(events []interaction.Event) (numbered, plain []joint) {
	if len(events) < 2 {
		return nil, nil
	}
	var j joiner
	j.parser = new(exactjson.Parser)
	for i, event := range events {
		for k, field := range event {
			j.add(i, k, field)
		}
	}
	plain = slices.DeleteFunc(j.plain.joints, func(all joint) bool {
		groups := map[int32]bool{}
		for _, p := range all.pieces {
			groups[p.group] = true
		}
		return len(groups) == 1 || len(groups)*2 < len(all.pieces)
	})
	return several(j.numbered.joints), several(plain)
}

// several leaves out what is in one piece and what is the same in each, as ids are.
func several(all []joint) []joint {
	return slices.DeleteFunc(all, func(j joint) bool {
		return !slices.ContainsFunc(j.pieces, func(p *piece) bool { return p.text != j.pieces[0].text })
	})
}

// A joiner collects pieces by their places.
type joiner struct {
	parser          *exactjson.Parser
	numbered, plain joinery
	path, numbers   []byte
	at              piece
}

type joinery struct {
	places map[string]int
	joints []joint
}

func (y *joinery) add(place []byte, p *piece) int {
	i, ok := y.places[string(place)]
	if !ok {
		if y.places == nil {
			y.places = map[string]int{}
		}
		i = len(y.joints)
		y.places[string(place)] = i
		y.joints = append(y.joints, joint{})
	}
	y.joints[i].pieces = append(y.joints[i].pieces, p)
	return i
}

func (j *joiner) add(event, field int, f interaction.Field) {
	j.path, j.numbers = append(j.path[:0], f.Name...), j.numbers[:0]
	j.at = piece{event: int32(event), field: int32(field)}
	v, err := j.parser.Parse(f.Value)
	if err != nil {
		j.at.number = -1
		j.string(f.Value)
		return
	}
	j.value(&v)
	j.parser.Reset()
}

func (j *joiner) string(text string) {
	p := j.at
	p.text = text
	j.plain.add(j.path, &p)
	n := len(j.path)
	j.path = append(append(j.path, 0), j.numbers...)
	p.group = int32(j.numbered.add(j.path, &p))
	j.path = j.path[:n]
}

func (j *joiner) value(v *exactjson.Value) {
	if v.Kind == exactjson.String {
		if v.Text != "" {
			j.string(v.Text)
		}
		j.at.number++
		return
	}
	path := len(j.path)
	defer func(n int) { j.numbers = j.numbers[:n] }(len(j.numbers))
	for i, name := range v.Names {
		if e := &v.Elems[i]; e.Kind == exactjson.Number && isIndex(name) || name == "item_id" {
			j.numbers = append(append(append(j.numbers, name...), e.Text...), 0)
		}
	}
	for i := range v.Elems {
		j.path = append(j.path, '/')
		if v.Kind == exactjson.Object {
			j.path = append(j.path, v.Names[i]...)
		}
		j.value(&v.Elems[i])
		j.path = j.path[:path]
	}
}

func isIndex(name string) bool {
	return name == "index" || strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "Index")
}

// events cleans the events of a stream: first what is split over several of them, and
// then each. What cannot be written back stays, and [Policy.CheckInteraction] refuses it.
func (p *Policy) events(events []interaction.Event, find *finder) {
	p.joined(events, find)
	again := false
	for _, event := range events {
		for i := range event {
			if clean := p.body([]byte(event[i].Value), find); string(clean) != event[i].Value {
				event[i].Value, again = string(clean), true
			}
		}
	}
	if again { // what stood beside a piece is gone
		p.joined(events, find)
	}
}

// joined replaces what must not be written in the texts that are put together from
// several events.
func (p *Policy) joined(events []interaction.Event, find *finder) {
	numbered, plain := joints(events)
	var changed []*piece
	for _, whole := range append(numbered, plain...) {
		for j := range whole.windows {
			text := j.text()
			if clean := p.body(text, find); !bytes.Equal(clean, text) {
				j.spread(text, clean)
				for _, p := range j.pieces {
					if p.changed && !slices.Contains(changed, p) {
						changed = append(changed, p)
					}
				}
			}
		}
	}
	for _, c := range changed {
		f := &events[c.event][c.field]
		if c.number < 0 {
			f.Value = c.text
			continue
		}
		var at span
		s := scanner{in: []byte(f.Value), strings: func(number, start, end int) {
			if int32(number) == c.number {
				at = span{start: start, end: end}
			}
		}}
		if s.value(0); at.start > 0 {
			f.Value = f.Value[:at.start] + exactjson.EscapeText(c.text) + f.Value[at.end:]
		}
	}
}

var anyPlaceholder = lazily(`\[REDACTED(-[0-9a-f]{8})?\]`)

// spread gives the pieces the clean text: what was not replaced stays in the piece
// where it was, and what stands for a value is where the value began.
func (j joint) spread(text, clean []byte) {
	texts := make([]strings.Builder, len(j.pieces))
	in, end := 0, 0 // the piece that text has been followed to, and its end
	for ; in < len(j.pieces) && end == 0; in++ {
		end = len(j.pieces[in].text)
	}
	in--
	at := 0
	follow := func(to int) {
		for at = to; at >= end && in < len(j.pieces)-1; {
			in++
			end += len(j.pieces[in].text)
		}
	}
	for len(clean) > 0 {
		next := anyPlaceholder().FindIndex(clean)
		if next == nil {
			next = []int{len(clean), len(clean)}
		}
		same := clean[:next[0]]
		from := bytes.Index(text[at:], same)
		if next[0] == len(clean) {
			from = bytes.LastIndex(text[at:], same)
		}
		if from < 0 { // something else was written in its place
			texts[in].Write(clean[:next[1]])
		} else {
			follow(at + from)
			for len(same) > 0 {
				n := min(len(same), max(end-at, 1))
				texts[in].Write(same[:n])
				same = same[n:]
				follow(at + n)
			}
			texts[in].Write(clean[next[0]:next[1]])
		}
		clean = clean[next[1]:]
	}
	for i, p := range j.pieces {
		if text := texts[i].String(); text != p.text {
			p.text, p.changed = text, true
		}
	}
}

// split calls f with the texts that are put together from several events.
func split(events []interaction.Event, f func(text []byte)) {
	numbered, plain := joints(events)
	for _, whole := range append(numbered, plain...) {
		for j := range whole.windows {
			f(j.text())
		}
	}
}
