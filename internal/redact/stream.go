package redact

import (
	"bytes"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A piece is a text of an event: a string of its JSON, or a field that is no JSON.
// Clients put the pieces at one place of a stream together, and so must we: a model says
// a key in several.
type piece struct {
	field      *interaction.Field
	start, end int32 // of the text in the value of the field
	at         *place
	text       string
	inJSON     bool // it is a string there
	changed    bool
}

// A place is where pieces stand that may be of one text.
type place struct {
	path    string // of the string
	numbers string // those in the objects around it ("index", "output_index")
}

// pieces are those of the fields of a stream, in order.
type pieces struct {
	list   []*piece
	places map[place]*place // of them, each once
	scan   exactjson.Scanner
	open   []object
}

// An object is one that is open while its pieces are found.
type object struct {
	first   int    // the index of its first piece
	numbers string // that stand in it
}

// add adds the pieces of a field: its strings if it is JSON; of numbers and words alone one
// cannot tell.
func (ps *pieces) add(field *interaction.Field) {
	s, open, before, values, end := &ps.scan, ps.open[:0], len(ps.list), 0, 0
	for s.Reset(field.Value); s.Next(); end = s.End {
		switch s.Token {
		case exactjson.Open:
			open = append(open, object{first: len(ps.list)})
		case exactjson.Close:
			last := open[len(open)-1]
			open = open[:len(open)-1]
			for i := last.first; i < len(ps.list) && last.numbers != ""; i++ {
				ps.list[i].at = ps.place(ps.list[i].at.path, last.numbers+ps.list[i].at.numbers)
			}
		case exactjson.Scalar:
			if n := len(open); n > 0 && isNumbering(s.Path[n-1], s.Kind) {
				open[n-1].numbers += s.Path[n-1] + field.Value[s.Start:s.End] + "\x00"
			}
			if s.Kind == exactjson.String && s.End > s.Start+2 {
				text, at := exactjson.UnescapeText(field.Value[s.Start+1:s.End-1]), ps.place(field.Name+"/"+strings.Join(s.Path, "/"), "")
				ps.list = append(ps.list, &piece{field, int32(s.Start + 1), int32(s.End - 1), at, text, true, false})
			} else if len(open) == 0 {
				values = 2 // it is taken as a whole
			}
		}
		if len(open) == 0 {
			values++
		}
	}
	if ps.open = open; values != 1 || len(open) > 0 || strings.TrimSpace(field.Value[end:]) != "" {
		ps.list = append(ps.list[:before], &piece{field, 0, int32(len(field.Value)), ps.place(field.Name, ""), field.Value, false, false})
	}
}

// place returns the place of a path and numbers.
func (ps *pieces) place(path, numbers string) *place {
	at := place{path, numbers}
	if ps.places[at] == nil {
		ps.places[at] = &place{path, numbers}
	}
	return ps.places[at]
}

// isNumbering reports whether a member of an object says to which of several texts that
// come at once the strings of the object belong.
func isNumbering(name string, kind exactjson.Kind) bool {
	isIndex := name == "index" || strings.HasSuffix(name, "_index") || strings.HasSuffix(name, "Index")
	return isIndex && kind == exactjson.Number || name == "item_id"
}

// A joint is a text that a client puts together, by its pieces.
type joint []*piece

// joints returns the texts that a client may put together from the pieces of a stream:
// those of one path that have the same numbers, since several texts can come at once.
// Where nearly every piece has a number of its own, the server counts the pieces by it,
// and those of the path are plain, whatever their numbers.
func joints(pieces []*piece) [][]*piece {
	byPlace := func(p *piece) (*place, bool) { return p.at, true }
	numbered := group.By(pieces, byPlace)
	plain := group.By(pieces, func(p *piece) (string, bool) { return p.at.path, true })
	plain = slices.DeleteFunc(plain, func(j []*piece) bool {
		numbers := len(group.By(j, byPlace))
		return numbers == 1 || numbers*2 < len(j)
	})
	// What is in one piece is found there, and what is the same in each is an id.
	return slices.DeleteFunc(append(numbered, plain...), func(j []*piece) bool {
		return !slices.ContainsFunc(j, func(p *piece) bool { return p.text != j[0].text })
	})
}

// splitTexts calls f with the texts that are put together from several events.
func splitTexts(events []interaction.Event, f func(j joint, text []byte)) []*piece {
	if len(events) < 2 {
		return nil
	}
	ps := pieces{places: map[place]*place{}}
	for _, event := range events {
		for i := range event {
			ps.add(&event[i])
		}
	}
	for _, whole := range joints(ps.list) {
		var text []byte
		for _, p := range whole {
			text = append(text, p.text...)
		}
		f(whole, text)
	}
	return ps.list
}

// events redacts the events of a stream in place: first what is split over several of
// them, and then each. [Policy.CheckInteraction] refuses what is left. It reports whether there was nothing to do.
func (p *Policy) events(events []interaction.Event, in side) (isClean bool) {
	isClean = p.split(events, in)
	again := false
	for _, event := range events {
		for i := range event {
			if out := p.body([]byte(event[i].Value), in); string(out) != event[i].Value {
				event[i].Value, again = string(out), true
			}
		}
	}
	if again { // what stood beside a piece is gone
		p.split(events, in)
	}
	return isClean && !again
}

// split redacts the texts that are put together from several events, and reports whether none of them has anything that must
// not be written.
func (p *Policy) split(events []interaction.Event, in side) (isClean bool) {
	isClean = true
	pieces := splitTexts(events, func(j joint, text []byte) {
		isClean = isClean && p.find(text).end == 0 && bytes.IndexByte(text, '\\') < 0
		if out := p.body(text, in); !bytes.Equal(out, text) {
			j.spread(text, out)
			isClean = false
		}
	})
	for _, c := range slices.Backward(pieces) { // so that the places of those before stay
		if !c.changed {
			continue
		}
		text := c.text
		if c.inJSON {
			text = exactjson.EscapeText(text)
		}
		c.field.Value = c.field.Value[:c.start] + text + c.field.Value[c.end:]
	}
	return isClean
}

// spread gives the pieces the redacted text: what was not replaced stays in the piece
// where it was, and a placeholder is where the secret began.
func (j joint) spread(text, redacted []byte) {
	var owners []int // the pieces of the bytes of the text, and of what stands behind it
	for i, p := range j {
		owners = append(owners, slices.Repeat([]int{i}, len(p.text))...)
	}
	owners = append(owners, len(j)-1)
	texts := make([]strings.Builder, len(j))
	at := func(offset int) *strings.Builder { return &texts[owners[offset]] }
	offset := 0 // that text has been followed to
	for len(redacted) > 0 {
		next := anyPlaceholder().FindIndex(redacted)
		find := bytes.Index
		if next == nil {
			next = []int{len(redacted), len(redacted)}
			find = bytes.LastIndex
		}
		same, other := redacted[:next[0]], redacted[:next[1]]
		if from := find(text[offset:], same); from >= 0 {
			for i, c := range same {
				at(offset + from + i).WriteByte(c)
			}
			offset += from + len(same)
			other = other[len(same):]
		}
		at(offset).Write(other)
		redacted = redacted[next[1]:]
	}
	for i, p := range j {
		if text := texts[i].String(); text != p.text {
			p.text, p.changed = text, true
		}
	}
}
