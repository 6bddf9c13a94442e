package session

import (
	"cmp"
	"slices"
)

// A naming says how far a conversation has come in a recording on which it may be placed, and
// which name of the conversation stands for which name of the recording, one to one. Groups whose
// messages have no names count messages instead, see [Player.isDone].
type naming struct {
	rec  *indexed
	done []bool // by the index of the message: taken or received

	toRecorded map[string]string // from a name of the conversation to the recorded one
	toCurrent  map[string]string // the reverse
}

// newNaming returns the naming of a conversation that begins with names. It returns false if the
// recording begins with another number of them.
func newNaming(rec *indexed, names []string) (*naming, bool) {
	n := &naming{
		rec:        rec,
		done:       make([]bool, len(rec.messages)),
		toRecorded: map[string]string{},
		toCurrent:  map[string]string{},
	}
	if !n.agrees(rec.opening, names) {
		return nil, false
	}
	n.bind(rec.opening, names)
	return n, true
}

// bind notes that the names of a conversation stand for those of a message.
func (n *naming) bind(recorded, names []string) {
	for i, name := range names {
		n.toCurrent[recorded[i]] = name
		n.toRecorded[name] = recorded[i]
	}
}

// agrees reports whether the names of a message of the conversation can stand for those of a
// recorded message.
func (n *naming) agrees(recorded, names []string) bool {
	if len(recorded) != len(names) {
		return false
	}
	for i, name := range names {
		isAlike := n.isBound(recorded[i], name) || n.isFree(recorded[i], name)
		if !isAlike || !agreesWithFirst(recorded[:i+1], names[:i+1]) {
			return false
		}
	}
	return true
}

// agreesWithFirst reports whether the last name stands for another one only where the names before
// it do.
func agreesWithFirst(recorded, names []string) bool {
	last := len(names) - 1
	for i := range last {
		if (names[i] == names[last]) != (recorded[i] == recorded[last]) {
			return false
		}
	}
	return true
}

// isBound reports whether a name stands for a recorded one.
func (n *naming) isBound(recorded, name string) bool {
	current, isKnown := n.toCurrent[recorded]
	return isKnown && current == name
}

// isFree reports whether neither of two names stands for another one.
func (n *naming) isFree(recorded, name string) bool {
	_, hasCurrent := n.toCurrent[recorded]
	_, hasRecorded := n.toRecorded[name]
	return !hasCurrent && !hasRecorded
}

// A taking is a recorded message that a sent one can take.
type taking struct {
	index int
	swap  *swap // what must change places before; nil if nothing has to
}

// find returns the first message that is not taken of a form, and whose names agree.
func (n *naming) find(form formID, names []string) (taking, bool) {
	places := n.rec.places(form)
	for _, place := range places {
		index := int(place)
		if !n.done[index] && n.canSend(index, names) {
			return taking{index: index}, true
		}
	}
	for _, place := range places {
		index := int(place)
		if n.done[index] {
			continue
		}
		s := n.swapFor(n.rec.names[index], names)
		if s != nil {
			return taking{index, s}, true
		}
	}
	return taking{}, false
}

// canSend reports whether the names of a sent message agree with those of a recorded one. A name
// that the other side has made up cannot be sent before it was received.
func (n *naming) canSend(index int, names []string) bool {
	recorded := n.rec.names[index]
	if !n.agrees(recorded, names) {
		return false
	}
	return !slices.ContainsFunc(recorded, func(name string) bool {
		_, isKnown := n.toCurrent[name]
		return !isKnown && n.rec.isIssued(name)
	})
}

// take takes a message for a sent one.
func (n *naming) take(t taking, names []string) {
	if t.swap != nil {
		n.apply(t.swap)
	}
	n.done[t.index] = true
	n.bind(n.rec.names[t.index], names)
}

// receive receives a message, and returns the names of the conversation in it. A recorded name for
// which none stands yet stands for itself.
func (n *naming) receive(index int) []string {
	n.done[index] = true
	recorded := n.rec.names[index]
	names := make([]string, len(recorded))
	for i, name := range recorded {
		if n.isFree(name, name) {
			n.bind([]string{name}, []string{name})
		}
		// It has no current name if the conversation has made up the same name for another one.
		names[i] = cmp.Or(n.toCurrent[name], name)
	}
	return names
}

// follow receives the same message in a recording on which the conversation is not placed. It
// returns false if the next message there is another one.
func (n *naming) follow(m message, names []string) bool {
	for i, other := range n.rec.messages {
		isCandidate := !n.done[i] && other.kind == received && other.isAside == m.isAside
		if !isCandidate {
			continue
		}
		if m.isAside {
			n.done[i] = true
			return true
		}
		if other.form != m.form || !n.agrees(n.rec.names[i], names) {
			return false
		}
		n.done[i] = true
		n.bind(n.rec.names[i], names)
		return true
	}
	return m.isAside
}

// A swap makes recorded names, and the recorded messages that have them, change places.
//
// For example, a program opens four sessions by equal requests and gets four IDs. In the recording,
// it asked for the weather in session 1. In a replay, it may ask in session 2, since nothing has told
// the sessions apart. Then sessions 1 and 2 change places.
type swap struct {
	names    map[string]string // from each name to the one with which it changes places
	messages [][2]int          // the indexes of messages that change places
}

// swapFor returns the swap that makes the names of a sent message agree with those of a recorded one.
// It is for a message that does not agree without a swap, and returns nil if no swap helps.
func (n *naming) swapFor(recorded, names []string) *swap {
	if len(recorded) != len(names) {
		return nil
	}
	s := &swap{names: map[string]string{}}
	for i, name := range names {
		if n.isBound(recorded[i], name) {
			continue
		}
		standsFor, isKnown := n.toRecorded[name]
		if isKnown {
			canSwap := n.addNames(s, standsFor, recorded[i])
			if !canSwap {
				return nil
			}
			continue
		}
		// A name that the program has just made up: take binds it, if the recorded one was made
		// up by the program, too.
		canBind := n.isFree(recorded[i], name) && !n.rec.isIssued(recorded[i])
		if !canBind {
			return nil
		}
	}
	if len(s.names) == 0 {
		return nil
	}
	return s
}

// addNames adds two recorded names to a swap, and all names and messages that must change places with
// them. It returns false if that is not possible.
func (n *naming) addNames(s *swap, a, b string) bool {
	switch {
	case s.names[a] == b && s.names[b] == a:
		return true
	case a == b || s.names[a] != "" || s.names[b] != "":
		return false
	}
	s.names[a] = b
	s.names[b] = a

	isIssued := n.rec.isIssued(a)
	switch {
	case isIssued != n.rec.isIssued(b):
		return false
	case !isIssued:
		return n.addSent(s, a, b)
	case n.isUsed(a) || n.isUsed(b):
		return false // the client has told them apart
	}
	return n.addReceived(s, a, b)
}

// addSent adds the messages that were sent with two names of the program.
func (n *naming) addSent(s *swap, a, b string) bool {
	ofA := n.rec.sentWith[a]
	ofB := n.rec.sentWith[b]
	if len(ofA) == 0 || len(ofB) == 0 {
		return false
	}
	i, j := ofA[0], ofB[0]
	if n.rec.messages[i].form != n.rec.messages[j].form {
		return false
	}
	return n.addMessages(s, i, j)
}

// addReceived adds the messages that were received with two names of the other side. As many
// of them must be equal as were received with one of the names.
func (n *naming) addReceived(s *swap, a, b string) bool {
	ofA := n.rec.receivedWith[a]
	ofB := n.rec.receivedWith[b]
	count := max(n.countDone(ofA), n.countDone(ofB))
	if count == 0 || count > len(ofA) || count > len(ofB) {
		return false
	}
	for k := range count {
		i, j := ofA[k], ofB[k]
		if i == j || n.rec.messages[i].form != n.rec.messages[j].form {
			return false
		}
		if !n.addMessages(s, i, j) {
			return false
		}
	}
	return true
}

// addMessages adds two messages of one form, and their names.
func (n *naming) addMessages(s *swap, i, j int) bool {
	pair := [2]int{i, j}
	if slices.Contains(s.messages, pair) {
		return true // they were added with another name
	}
	s.messages = append(s.messages, pair)
	for m, name := range n.rec.names[i] {
		other := n.rec.names[j][m]
		if name != other && !n.addNames(s, name, other) {
			return false
		}
	}
	return true
}

// countDone returns the number of messages up to the last one that is done.
func (n *naming) countDone(messages []int) int {
	for k := len(messages); k > 0; k-- {
		if n.done[messages[k-1]] {
			return k
		}
	}
	return 0
}

// isUsed reports whether a message with a name of the other side was sent.
func (n *naming) isUsed(name string) bool {
	return slices.ContainsFunc(n.rec.sentWith[name], func(i int) bool { return n.done[i] })
}

// apply makes names and messages change places.
func (n *naming) apply(s *swap) {
	for _, pair := range s.messages {
		first, second := pair[0], pair[1]
		n.done[first], n.done[second] = n.done[second], n.done[first]
	}

	// Each name of the conversation now stands for the partner of the name for which it stood.
	moved := map[string]string{} // the name of the conversation, by the recorded one
	for recorded, partner := range s.names {
		current, isKnown := n.toCurrent[recorded]
		switch {
		case isKnown:
			moved[partner] = current
		case n.rec.isIssued(recorded):
			moved[partner] = recorded // an ID that was not received yet comes as it is recorded
		}
		delete(n.toCurrent, recorded)
	}
	for recorded, current := range moved {
		n.bind([]string{recorded}, []string{current})
	}
}
