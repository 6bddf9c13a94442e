package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A reading is an answer whose parts are being found. A part that was streamed has several places.
type reading struct {
	answer *answer
	texts  map[string]*text
	calls  map[string]*call
}

func newReading(d *document) *reading {
	return &reading{answer: &answer{document: d}, texts: map[string]*text{}, calls: map[string]*call{}}
}

// addText adds a place of the text that has this key. A place without text is not one: no API
// sends an empty piece of a text that has others.
func (r *reading) addText(key string, copy int, v *exactjson.Value) {
	if v == nil || v.Kind != exactjson.String || v.Text == "" {
		return
	}
	if r.texts[key] == nil {
		r.texts[key] = new(text)
		r.answer.texts = append(r.answer.texts, r.texts[key])
	}
	r.texts[key].add(copy, v)
}

// addCall adds a place of the call that has this key. Its name may be nil.
func (r *reading) addCall(key string, name *exactjson.Value) {
	c := r.calls[key]
	if c == nil {
		c = &call{key: key}
		r.calls[key] = c
		r.answer.calls = append(r.answer.calls, c)
	}
	if name.Scalar() != "" {
		c.names = append(c.names, name)
	}
}

// addArgs adds a place of the arguments of a call. A call that was not added is another kind of
// part, such as a call of a tool of the provider.
func (r *reading) addArgs(key string, copy int, v *exactjson.Value) {
	c := r.calls[key]
	isEmpty := v == nil || v.Kind == exactjson.String && v.Text == ""
	if c != nil && !isEmpty {
		c.args.add(copy, v)
	}
}

// blocks are the parts of an answer that have numbers: content blocks, items, or tool calls.
type blocks struct {
	lists  []string // the paths of lists of all blocks
	number []string // the paths of the number of a block, in an event about it
}

// numbersOf calls f with each number of a block in an event.
func (b blocks) numbersOf(p *payload, f func(v *exactjson.Value, number int)) {
	for _, path := range b.number {
		p.value.Each(path, func(v *exactjson.Value) {
			if n, err := strconv.Atoi(v.Scalar()); err == nil {
				f(v, n)
			}
		})
	}
}

// eachList calls f with each list of all blocks.
func (b blocks) eachList(d *document, f func(list *exactjson.Value)) {
	for _, p := range d.sent() {
		for _, path := range b.lists {
			p.value.Each(path, func(list *exactjson.Value) {
				if list.Kind == exactjson.Array {
					f(list)
				}
			})
		}
	}
}

// eventsOf returns the events about a block.
func (b blocks) eventsOf(d *document, number int) (events []*payload) {
	for _, p := range d.sent() {
		b.numbersOf(p, func(_ *exactjson.Value, n int) {
			if n == number {
				events = append(events, p)
			}
		})
	}
	return events
}

// shift adds to the numbers of the blocks that come after a block.
func (b blocks) shift(d *document, after, by int) {
	for _, p := range d.sent() {
		b.numbersOf(p, func(v *exactjson.Value, n int) {
			if n > after {
				v.Text = strconv.Itoa(n + by)
			}
		})
	}
}

// drop removes a block. The numbers of later ones decrease.
func (b blocks) drop(d *document, number int) {
	b.eachList(d, func(list *exactjson.Value) {
		if number < len(list.Elems) {
			list.Elems = slices.Delete(slices.Clone(list.Elems), number, number+1)
		}
	})
	for _, p := range b.eventsOf(d, number) {
		p.isDropped = true
	}
	b.shift(d, number, -1)
}

// repeat adds a copy of a block behind it. The numbers of later ones increase. renew gives the
// copy, or an event about it, IDs of its own.
func (b blocks) repeat(d *document, number int, renew func(v *exactjson.Value)) {
	b.eachList(d, func(list *exactjson.Value) {
		if number < len(list.Elems) {
			again := clone(&list.Elems[number])
			renew(&again)
			list.Elems = slices.Insert(slices.Clone(list.Elems), number+1, again)
		}
	})
	b.shift(d, number, 1)
	events := b.eventsOf(d, number)
	if len(events) == 0 {
		return
	}
	last := events[len(events)-1]
	for _, p := range events {
		last = d.repeat(p, last)
		renew(&last.value)
		b.numbersOf(last, func(v *exactjson.Value, n int) { v.Text = strconv.Itoa(n + 1) })
	}
}

// count returns the number of blocks.
func (b blocks) count(d *document) int {
	n := 0
	b.eachList(d, func(list *exactjson.Value) { n = max(n, len(list.Elems)) })
	for _, p := range d.sent() {
		b.numbersOf(p, func(_ *exactjson.Value, number int) { n = max(n, number+1) })
	}
	return n
}

// dropEmptyTexts drops the blocks of which a change has left no text. inList is the path of the
// text of a block, and inEvents are the paths of a piece of it.
func (b blocks) dropEmptyTexts(d *document, inList string, inEvents ...string) {
	const empty, filled = 1, 2
	state := map[int]int{}
	add := func(p *payload, number int, text *exactjson.Value) {
		switch {
		case text.Scalar() != "":
			state[number] = filled
		case p.isChanged():
			state[number] = max(state[number], empty)
		}
	}
	for _, p := range d.sent() {
		for _, path := range b.lists {
			p.value.Each(path, func(list *exactjson.Value) {
				for i := range list.Elems {
					list.Elems[i].Each(inList, func(v *exactjson.Value) { add(p, i, v) })
				}
			})
		}
		b.numbersOf(p, func(_ *exactjson.Value, number int) {
			for _, path := range inEvents {
				p.value.Each(path, func(v *exactjson.Value) { add(p, number, v) })
			}
		})
	}
	for number := b.count(d) - 1; number >= 0; number-- {
		if state[number] == empty {
			b.drop(d, number)
		}
	}
}

// dropEmptyPieces drops the events of which a change has left no text. paths are those of a piece
// of text in an event that has nothing else.
func dropEmptyPieces(d *document, paths ...string) {
	for _, p := range d.sent() {
		for _, path := range paths {
			p.value.Each(path, func(v *exactjson.Value) {
				isEmpty := v.Kind == exactjson.String && v.Text == ""
				if isEmpty && p.isChanged() {
					p.isDropped = true
				}
			})
		}
	}
}

// addToIDs makes the IDs at these paths other ones.
func addToIDs(v *exactjson.Value, paths ...string) {
	for _, path := range paths {
		v.Each(path, func(id *exactjson.Value) {
			if id.Kind == exactjson.String {
				setText(id, id.Text+"b")
			}
		})
	}
}

// setReasons sets each reason for the end of an answer at these paths. It returns false if there
// is none, or if the API has none for the ending.
func setReasons(d *document, reasons map[ending]string, e ending, paths ...string) bool {
	found := false
	for _, p := range d.sent() {
		for _, path := range paths {
			p.value.Each(path, func(v *exactjson.Value) {
				if v.Kind == exactjson.String && v.Text != "" && reasons[e] != "" {
					setText(v, reasons[e])
					found = true
				}
			})
		}
	}
	return found
}

// has reports whether there is a value at one of these paths.
func (d *document) has(paths ...string) bool {
	found := false
	for _, p := range d.sent() {
		for _, path := range paths {
			p.value.Each(path, func(*exactjson.Value) { found = true })
		}
	}
	return found
}

// number returns the number of a block, which is the key of a call or a text.
func number(key string) int {
	n, err := strconv.Atoi(key)
	if err != nil {
		return -1 // no block has it
	}
	return n
}
