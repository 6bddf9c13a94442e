package session

import (
	"cmp"
	"slices"
)

// A Message is one message of a recording.
type Message struct {
	Sent bool // by the program; the others were received by it

	// Form is what messages are compared by. A sent message takes a recorded one
	// of the same form. A conversation that has received a message moves only to
	// recordings that have a message of the same form in its place.
	Form string

	// Part says that a sent message is a part of a stream of bytes: all pieces of
	// the form that were sent between two received messages. Parts and other
	// messages never match, even if their forms are equal.
	Part bool
	Size int64 // of a part, in bytes; not negative
	Sum  Sum   // of a part

	// Names are values in the message that are others in each run, such as IDs, in the
	// order of their places. The form does not have them. See [Group.Named].
	Names []string

	// Aside says that a received message does not tell recordings apart: its place among
	// the other messages is due to chance.
	Aside bool
}

// A Recording has the messages of one conversation, in their order.
type Recording struct {
	Messages []Message
	Names    []string // with which the conversation begins, see [Message.Names]
}

// A Place is a message of a recording: the index of the recording in the list for
// [NewGroup], and the index of the message in the recording.
type Place struct{ Recording, Message int }

// A formKey identifies the messages that match each other.
type formKey struct {
	form string
	kind kind
}

// A kind of messages.
type kind uint8

const (
	received kind = iota
	sentWhole
	sentPart
)

func (m Message) key() formKey {
	switch {
	case !m.Sent:
		return formKey{m.Form, received}
	case m.Part:
		return formKey{m.Form, sentPart}
	}
	return formKey{m.Form, sentWhole}
}

// A formID is the number of a formKey in a group.
type formID int32

// An indexed recording is a recording as the players of a group read it. It does
// not change.
type indexed struct {
	messages []message
	received []formID           // forms of the received messages, in order
	sent     []int32            // indexes of the sent messages, ordered by form
	byForm   map[formID]section // of sent
	sums     map[int]Sum        // of the parts, by the index of the message

	// What a naming needs; nil if no message has a name.
	opening      []string         // names with which the conversation begins
	names        [][]string       // by the index of the message
	sentWith     map[string][]int // by the name, the indexes of the messages that have it
	receivedWith map[string][]int
	firstSent    map[string]bool // names that were sent before they were received
}

// A message of an indexed recording is done when the conversation has as many
// units as end says. Units are bytes of the form for a part, messages of the form
// for other sent messages, and received messages of any form for received ones.
type message struct {
	end     int64
	form    formID
	kind    kind
	isAside bool // see [Message.Aside]
}

// A section of a slice.
type section struct{ start, end int32 }

// index indexes a recording. It adds the forms of the recording to ids.
func index(rec Recording, ids map[formKey]formID) *indexed {
	x := &indexed{
		messages: make([]message, len(rec.Messages)),
		byForm:   map[formID]section{},
		sums:     map[int]Sum{},
	}
	units := map[formID]int64{} // of the sent messages so far

	for i, m := range rec.Messages {
		key := m.key()
		id, isKnown := ids[key]
		if !isKnown {
			id = formID(len(ids))
			ids[key] = id
		}

		var end int64
		switch key.kind {
		case received:
			x.received = append(x.received, id)
			end = int64(len(x.received))
		case sentWhole:
			units[id]++
			end = units[id]
		case sentPart:
			units[id] += m.Size
			end = units[id]
			x.sums[i] = m.Sum
		}
		x.messages[i] = message{end: end, form: id, kind: key.kind, isAside: m.Aside}
		if key.kind != received {
			x.sent = append(x.sent, int32(i))
		}
	}

	slices.SortStableFunc(x.sent, func(a, b int32) int {
		return cmp.Compare(x.messages[a].form, x.messages[b].form)
	})
	for i, index := range x.sent {
		form := x.messages[index].form
		of, isKnown := x.byForm[form]
		if !isKnown {
			of.start = int32(i)
		}
		of.end = int32(i + 1)
		x.byForm[form] = of
	}
	x.indexNames(rec)
	return x
}

// indexNames indexes the names of a recording.
func (x *indexed) indexNames(rec Recording) {
	x.opening = rec.Names
	x.names = make([][]string, len(rec.Messages))
	x.sentWith = map[string][]int{}
	x.receivedWith = map[string][]int{}
	x.firstSent = map[string]bool{}
	for _, name := range rec.Names {
		x.firstSent[name] = true
	}
	for i, m := range rec.Messages {
		x.names[i] = m.Names
		for _, name := range m.Names {
			if m.Sent {
				x.firstSent[name] = x.firstSent[name] || len(x.receivedWith[name]) == 0
				x.sentWith[name] = append(x.sentWith[name], i)
			} else {
				x.receivedWith[name] = append(x.receivedWith[name], i)
			}
		}
	}
}

// isIssued reports whether the other side has made up a name.
func (x *indexed) isIssued(name string) bool {
	return !x.firstSent[name] && len(x.receivedWith[name]) > 0
}

// places returns the indexes of the sent messages of a form, in order.
func (x *indexed) places(form formID) []int32 {
	of := x.byForm[form]
	return x.sent[of.start:of.end]
}

// units returns how many units of a form the recording has.
func (x *indexed) units(form formID) int64 {
	places := x.places(form)
	if len(places) == 0 {
		return 0
	}
	last := places[len(places)-1]
	return x.messages[last].end
}

// hasReceived reports whether the received message number n, from 0, has a form.
func (x *indexed) hasReceived(n int, form formID) bool {
	return n < len(x.received) && x.received[n] == form
}
