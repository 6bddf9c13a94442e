package session

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
)

// A Group has the recordings of conversations that begin with the same handshake,
// and the conversations of a replay that are placed on them. Its methods and those
// of its players may be called concurrently.
//
// A group has no channels of its own, so that it can be made outside of a synctest
// bubble in which its players are opened. All of its players that are open at one
// time must be in the same bubble, or in none: one of them may wake another.
type Group struct {
	// Repeats allows that several conversations are placed on one recording, if there
	// is no other placement. It is set before the first call of Open.
	Repeats bool

	// Named says that messages have names: values that are others in each run, such as
	// IDs. It is set before the first call of Open. A name of a conversation stands for one
	// of its recording, one to one, as soon as a message with the name was sent; a received
	// message has the names of the conversation. A name that was received must be sent as
	// it was received. Names that a program cannot tell apart yet may change places. There are
	// no streams of bytes in such a group.
	Named bool

	recordings []*indexed
	ids        map[formKey]formID

	mu      sync.Mutex
	players []*Player // by recording: the first one that is placed on it, or nil
	scratch []int     // used by one call of send at a time
}

// NewGroup returns a group of recordings. If a conversation fits several of them,
// it takes the first in their order.
func NewGroup(recordings []Recording) *Group {
	g := &Group{
		recordings: make([]*indexed, len(recordings)),
		ids:        map[formKey]formID{},
		players:    make([]*Player, len(recordings)),
	}
	for i, rec := range recordings {
		g.recordings[i] = index(rec, g.ids)
	}
	return g
}

// Open places a new conversation, which begins with names, on a recording. It returns
// false if each recording has a conversation, open or closed, unless Repeats is set.
func (g *Group) Open(names ...string) (*Player, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()

	p := &Player{
		group:   g,
		sent:    map[formID]int64{},
		reached: map[int]int{},
		open:    map[formID]digests{},
		namings: map[int]*naming{},
		waiting: map[chan struct{}]bool{},
	}
	for i, rec := range g.recordings {
		if g.Named {
			n, fits := newNaming(rec, names)
			if !fits {
				continue
			}
			p.namings[i] = n
		}
		p.fitting = append(p.fitting, i)
	}
	hasPlace := g.place(p, p.fitting) || g.repeat(p, p.fitting)
	if !hasPlace {
		return nil, false
	}
	return p, true
}

// move places a conversation on one of the recordings that it fits, if its own is
// not one of them. Other conversations may move to make room. If that is not
// possible, move returns false and no conversation has moved. The caller holds the
// lock.
func (g *Group) move(p *Player, fitting []int) bool {
	for _, rec := range fitting {
		if rec == p.recording {
			return true
		}
	}
	isFirst := g.players[p.recording] == p
	before := p.recording
	if isFirst {
		g.players[before] = nil // so that another one can move there
	}
	hasPlace := g.place(p, fitting) || g.repeat(p, fitting)
	if isFirst && !hasPlace {
		g.players[before] = p
	}
	return hasPlace
}

// repeat places a conversation on the last recording that it fits, which has another
// conversation, if Repeats is set.
func (g *Group) repeat(p *Player, fitting []int) bool {
	if !g.Repeats || len(fitting) == 0 {
		return false
	}
	p.recording = fitting[len(fitting)-1]
	p.wake()
	return true
}

// place places a conversation that has no place on one of the recordings that it
// fits, like move.
//
// It searches an augmenting path of the graph of conversations and recordings. So
// it finds a placement whenever there is one, if all other conversations have a
// place (Berge, Two theorems in graph theory, 1957).
func (g *Group) place(p *Player, fitting []int) bool {
	seen := make([]bool, len(g.recordings))
	return g.augment(p, fitting, seen)
}

// augment is a step of place. It takes a recording without a conversation before
// it moves another conversation, and skips the recordings that were seen.
func (g *Group) augment(p *Player, fitting []int, seen []bool) bool {
	for _, rec := range fitting {
		if g.players[rec] == nil {
			g.put(p, rec)
			return true
		}
	}
	for _, rec := range fitting {
		if seen[rec] {
			continue
		}
		seen[rec] = true
		other := g.players[rec]
		if g.augment(other, other.fitting, seen) {
			g.put(p, rec)
			return true
		}
	}
	return false
}

// put places a conversation on a recording.
func (g *Group) put(p *Player, rec int) {
	g.players[rec] = p
	p.recording = rec
	p.wake()
}

// A Player is a conversation of a replay. It is placed on a recording of its group,
// and may move to another one with each message that it or another conversation of
// the group sends.
type Player struct {
	group *Group

	// The lock of the group guards what follows.

	recording int   // on which the player is placed
	fitting   []int // recordings that the conversation fits, in order; recording is one of them
	isClosed  bool

	sent     map[formID]int64   // units sent of each form, see message
	order    []formID           // forms of the messages of Send; nil if the group is named
	received int                // number of received messages
	open     map[formID]digests // of the parts that are not full
	reached  map[int]int        // by recording: see firstToDo
	namings  map[int]*naming    // by recording that the conversation fits, if the group is named

	waiting map[chan struct{}]bool // one for each call of Wait that blocks
}

// ErrClosed is returned for a message that is sent after Close.
var ErrClosed = errors.New("session: the conversation is closed")

// A State says what a reader of the conversation gets.
type State int

const (
	Released State = iota // a received message
	Waiting               // nothing before the program has sent more
	Ended                 // nothing more: all messages of the recording were sent and received
	Closed                // nothing more: Close was called
)

// Recording returns the index of the recording on which the conversation is placed.
// It may change until the conversation fits no other recording.
func (p *Player) Recording() int {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	return p.recording
}

// Send sends a message with names, see [Group.Named]. It returns the recorded message
// that the sent one has taken, or a *[Miss] if no recording has it. A message that is a
// miss does not count as sent: the conversation stays as it was.
func (p *Player) Send(form string, names ...string) (Place, error) {
	g := p.group
	key := formKey{form, sentWhole}
	id, isKnown := g.ids[key]

	g.mu.Lock()
	defer g.mu.Unlock()
	if p.isClosed {
		return Place{}, ErrClosed
	}
	if g.Named {
		return p.sendNamed(key, names)
	}

	n := p.sent[id]
	fits := func(rec *indexed) bool { return isKnown && n < rec.units(id) }
	if !p.fit(fits) {
		return Place{}, p.miss(key, fits)
	}
	p.sent[id] = n + 1
	p.order = append(p.order, id)
	p.wake()
	return p.place(id, n), nil
}

// sendNamed is Send in a group with names.
func (p *Player) sendNamed(key formKey, names []string) (Place, error) {
	takings := map[*indexed]taking{}
	id, isKnown := p.group.ids[key]
	if isKnown {
		for _, rec := range p.fitting {
			n := p.namings[rec]
			t, found := n.find(id, names)
			if found {
				takings[n.rec] = t
			}
		}
	}
	fits := func(rec *indexed) bool {
		_, hasTaking := takings[rec]
		return hasTaking
	}
	if !p.fit(fits) {
		return Place{}, p.miss(key, fits)
	}

	for _, rec := range p.fitting {
		n := p.namings[rec]
		t := takings[n.rec]
		n.take(t, names)
		if t.swap != nil {
			delete(p.reached, rec) // a message before it may be undone now
		}
	}
	p.wake()
	return Place{p.recording, takings[p.rec()].index}, nil
}

// SendBytes sends a piece of a stream of bytes. The error is a *[Miss] if no
// recording has these bytes; the piece does not count as sent then. A piece within
// a part is accepted whatever its bytes are, because the digest of a part can only
// be compared when the part is full.
func (p *Player) SendBytes(form string, piece []byte) error {
	g := p.group
	key := formKey{form, sentPart}
	id, isKnown := g.ids[key]

	g.mu.Lock()
	defer g.mu.Unlock()
	if p.isClosed {
		return ErrClosed
	}
	if len(piece) == 0 {
		return nil
	}

	bytes := &pieceOfBytes{form: id, before: p.sent[id], data: piece, open: p.open[id]}
	fits := func(rec *indexed) bool { return isKnown && bytes.fits(rec) }
	if !p.fit(fits) {
		return p.miss(key, fits)
	}
	p.sent[id] = bytes.after()
	p.open[id] = bytes.addTo(p.fittingRecordings())
	p.wake()
	return nil
}

// fit keeps the recordings that the conversation still fits with a message that it
// sends, and moves the conversation if its own recording is not one of them. It
// returns false if that is a miss, and has changed nothing then.
func (p *Player) fit(fits func(*indexed) bool) bool {
	g := p.group
	fitting := g.scratch[:0]
	for _, rec := range p.fitting {
		if fits(g.recordings[rec]) {
			fitting = append(fitting, rec)
		}
	}
	g.scratch = fitting

	if !g.move(p, fitting) {
		return false
	}
	p.fitting = append(p.fitting[:0], fitting...)
	return true
}

// fittingRecordings returns the recordings that the conversation fits.
func (p *Player) fittingRecordings() []*indexed {
	recordings := make([]*indexed, len(p.fitting))
	for i, rec := range p.fitting {
		recordings[i] = p.group.recordings[rec]
	}
	return recordings
}

// place returns the message of a form that has the number n, from 0.
func (p *Player) place(form formID, n int64) Place {
	index := p.rec().places(form)[n]
	return Place{p.recording, int(index)}
}

// rec returns the recording on which the conversation is placed.
func (p *Player) rec() *indexed { return p.group.recordings[p.recording] }

// Next returns the next received message, which then counts as received, if the
// state is Released.
//
// The end comes like a received message after all others: a reader sees it when
// all recorded messages were sent. So a reader does not see the end while another
// goroutine still has to send.
//
// The names are those of the message in this conversation; see [Group.Named].
func (p *Player) Next() (place Place, names []string, state State) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()

	state = p.state()
	switch state {
	case Released:
		place = Place{p.recording, p.firstToDo()}
		if p.group.Named {
			names = p.receiveNamed(place.Message)
		} else {
			p.receive(p.rec().messages[place.Message].form)
		}
	case Ended:
		p.stay()
	}
	return place, names, state
}

// state returns what Next will return.
func (p *Player) state() State {
	if p.isClosed {
		return Closed
	}
	index := p.firstToDo()
	messages := p.rec().messages
	switch {
	case index == len(messages):
		return Ended
	case messages[index].kind == received:
		return Released
	}
	return Waiting
}

// receive counts a received message. The conversation still fits the recordings
// that have a message of its form in the same place.
func (p *Player) receive(form formID) {
	p.fitting = slices.DeleteFunc(p.fitting, func(rec int) bool {
		return !p.group.recordings[rec].hasReceived(p.received, form)
	})
	p.received++
}

// receiveNamed is receive in a group with names. It returns the names of the message
// as the conversation gets them.
func (p *Player) receiveNamed(index int) []string {
	names := p.namings[p.recording].receive(index)
	m := p.rec().messages[index]
	p.fitting = slices.DeleteFunc(p.fitting, func(rec int) bool {
		isOwn := rec == p.recording
		return !isOwn && !p.namings[rec].follow(m, names)
	})
	p.received++
	return names
}

// stay says that the conversation will not move: it is over, and the program may
// have seen that its recording has no more messages.
func (p *Player) stay() { p.fitting = append(p.fitting[:0], p.recording) }

// firstToDo returns the index of the first message of the recording that is neither
// taken nor received, or the number of messages if there is none. It continues
// where it stopped for the same recording, so all calls together take time in
// proportion to the recording.
func (p *Player) firstToDo() int {
	messages := p.rec().messages
	start := p.reached[p.recording]
	i := start
	for i < len(messages) && p.isDone(p.recording, i) {
		i++
	}
	if i != start {
		p.reached[p.recording] = i
	}
	return i
}

// isDone reports whether a message of a recording is taken or received.
func (p *Player) isDone(recording, index int) bool {
	if p.group.Named {
		return p.namings[recording].done[index]
	}
	m := p.group.recordings[recording].messages[index]
	if m.kind == received {
		return int64(p.received) >= m.end
	}
	return p.sent[m.form] >= m.end
}

// Wait blocks until Next returns another state than Waiting, or until the context
// ends. It returns the cause of the context then.
func (p *Player) Wait(ctx context.Context) error {
	for {
		changed := p.changed()
		if changed == nil {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			// The channel must not be closed after this call: its synctest bubble
			// may be over then, and a close from the outside is fatal.
			p.forget(changed)
			return context.Cause(ctx)
		}
	}
}

// changed returns a channel that is closed by wake. It returns nil if the state is
// not Waiting.
func (p *Player) changed() chan struct{} {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if p.state() != Waiting {
		return nil
	}
	changed := make(chan struct{})
	p.waiting[changed] = true
	return changed
}

// forget removes a channel of changed.
func (p *Player) forget(changed chan struct{}) {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	delete(p.waiting, changed)
}

// wake ends the calls of Wait if the state is not Waiting.
func (p *Player) wake() {
	if len(p.waiting) == 0 || p.state() == Waiting {
		return
	}
	for changed := range p.waiting {
		close(changed)
	}
	clear(p.waiting)
}

// Missing returns the messages that must be sent before the next message can be
// received, or before the end. A part of which some bytes were sent is one of them.
func (p *Player) Missing() []Place {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	messages := p.rec().messages
	end := p.firstToDo()
	for end < len(messages) {
		isNext := messages[end].kind == received && !p.isDone(p.recording, end)
		if isNext {
			break
		}
		end++
	}
	return p.untaken(p.recording, end, end)
}

// Unsent returns all messages of the recording that were not sent.
func (p *Player) Unsent() []Place {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	end := len(p.rec().messages)
	return p.untaken(p.recording, end, end)
}

// untaken returns the sent messages of a recording with an index below end that are
// not taken, most of them at most.
func (p *Player) untaken(recording, end, most int) []Place {
	var places []Place
	messages := p.group.recordings[recording].messages
	for i := p.reached[recording]; i < end && len(places) < most; i++ {
		if messages[i].kind != received && !p.isDone(recording, i) {
			places = append(places, Place{recording, i})
		}
	}
	return places
}

// Taken returns the recorded message that each message of Send has taken, in the
// order of the calls. If the conversation has moved since, they are not those that
// Send returned. Pieces of bytes are not among them, nor is anything in a group with
// names.
func (p *Player) Taken() []Place {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	places := make([]Place, len(p.order))
	counts := map[formID]int64{}
	for i, form := range p.order {
		places[i] = p.place(form, counts[form])
		counts[form]++
	}
	return places
}

// RecordedNames returns the names of the recording that names of the conversation stand
// for, and the names themselves where they stand for none. See [Group.Named].
func (p *Player) RecordedNames(names []string) []string {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	recorded := make([]string, len(names))
	for i, name := range names {
		recorded[i] = cmp.Or(p.namings[p.recording].toRecorded[name], name)
	}
	return recorded
}

// Close ends the conversation from the side of the program. The recording remains
// used.
func (p *Player) Close() {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	isComplete := p.state() == Ended
	if isComplete {
		p.stay()
	}
	p.isClosed = true
	clear(p.open)
	p.wake()
}

// State returns the state that Next would return, and receives nothing.
func (p *Player) State() State {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	return p.state()
}

// FirstToDo returns the index of the first message of the recording that is neither sent nor
// received, or the number of messages if there is none.
func (p *Player) FirstToDo() int {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	return p.firstToDo()
}

// HasReceivedAll reports whether no received message of the recording is left.
func (p *Player) HasReceivedAll() bool {
	p.group.mu.Lock()
	defer p.group.mu.Unlock()
	if !p.group.Named {
		return p.received == len(p.rec().received)
	}
	return p.nextReceived(p.recording) == len(p.rec().messages)
}

// miss returns the error for a message.
func (p *Player) miss(key formKey, fits func(*indexed) bool) error {
	miss := &Miss{Form: key.form, Part: key.kind == sentPart}
	for _, recording := range p.fitting {
		rec := p.group.recordings[recording]
		miss.Candidates = append(miss.Candidates, Candidate{
			Recording: recording,
			Untaken:   p.untaken(recording, len(rec.messages), mostUntaken),
			Due:       len(p.untaken(recording, p.nextReceived(recording), mostUntaken)),
			Fits:      fits(rec),
		})
	}
	return miss
}

// nextReceived returns the index of the next message to receive from a recording, or the number of
// its messages.
func (p *Player) nextReceived(recording int) int {
	messages := p.group.recordings[recording].messages
	for i := p.reached[recording]; i < len(messages); i++ {
		isNext := messages[i].kind == received && !p.isDone(recording, i)
		if isNext {
			return i
		}
	}
	return len(messages)
}
