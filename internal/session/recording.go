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
}

// A Recording has the messages of one conversation, in their order.
type Recording struct{ Messages []Message }

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
}

// A message of an indexed recording is done when the conversation has as many
// units as end says. Units are bytes of the form for a part, messages of the form
// for other sent messages, and received messages of any form for received ones.
type message struct {
	end  int64
	form formID
	kind kind
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
		x.messages[i] = message{end: end, form: id, kind: key.kind}
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
	return x
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
