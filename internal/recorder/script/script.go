// Package script plays recorded sessions: it decides which recording each open session is
// placed on, compares what the client sends with what was sent, and says when the messages of
// the server may come. Package session has the rules; this package knows what a message is.
package script

import (
	"context"
	"errors"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/perrun"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/recorder/missed"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/session"
	"github.com/promptecho/promptecho/internal/tape"
)

// Scripts has the recorded sessions of a tape that are played. The methods may be called
// concurrently.
type Scripts struct {
	tape   *tape.Tape
	log    *report.Log
	mutant *mutant.Recorder

	mu     sync.Mutex // guards what follows; the lock of the tape is taken under it
	groups map[*tape.Recording]*group
	open   []*Script
}

// New returns the sessions of a tape. Misses are noted in a log. m changes a session; it is nil
// unless promptecho mutate runs the test.
func New(t *tape.Tape, log *report.Log, m *mutant.Recorder) *Scripts {
	return &Scripts{tape: t, log: log, mutant: m, groups: map[*tape.Recording]*group{}}
}

// Open returns the script of a session that begins with a request for which the tape has chosen
// rec. by names the process that sent the request, if that was another one.
func (s *Scripts) Open(m *tape.Match, rec *tape.Recording, by string) (*Script, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.groupOf(rec)
	if err != nil {
		return nil, err
	}
	var names []string
	seen := seenNames{}
	if g.ofProcess {
		names = openingNames(&m.Request)
		seen.addSent(string(m.Request.Body), names)
	}
	player, ok := g.engine.Open(names...)
	if !ok {
		// The recording is played again, see AllowRepeats.
		g, err = newGroup([]*tape.Recording{rec})
		if err != nil {
			return nil, err
		}
		player, _ = g.engine.Open(names...)
	}
	script := &Script{
		scripts: s, group: g, player: player, by: by, seen: seen,
		opening: Opening{Request: m.Request, Form: rec.Form()},
	}
	s.open = append(s.open, script)
	return script, nil
}

// groupOf returns the group of the recordings among which rec was chosen. The caller holds the
// lock.
func (s *Scripts) groupOf(rec *tape.Recording) (*group, error) {
	if rec.Fresh() {
		return newGroup([]*tape.Recording{rec})
	}
	recordings := s.tape.Sessions(rec)
	g := s.groups[recordings[0]]
	if g != nil {
		return g, nil
	}
	g, err := newGroup(recordings)
	if err != nil {
		return nil, err
	}
	g.engine.Repeats = s.tape.Config.Repeats.Select(rec.Form().Name())
	s.groups[recordings[0]] = g
	return g, nil
}

// Finish says which recordings the sessions have played, and returns those of which the client
// has not sent all messages, with the first one that it has not sent. No session is opened
// after it.
func (s *Scripts) Finish() []Unsent {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []Unsent
	played := map[*tape.Recording]bool{}
	for _, script := range s.open {
		rec := script.group.recordings[script.player.Recording()]
		played[rec] = true
		all = append(all, script.unsent()...)
	}
	for _, g := range s.groups {
		s.tape.SetPlayed(g.recordings, func(i int) bool { return played[g.recordings[i]] })
	}
	return all
}

// Unsent is a session whose client has not sent all that it sent when it was recorded.
type Unsent struct {
	Recording *tape.Recording
	First     *tape.Recording // the first message that was not sent, see [tape.Recording.Message]
	Count     int
	Of        int // how many messages the client sent when the session was recorded
}

// A group has the recorded sessions that begin with the same request.
type group struct {
	recordings []*tape.Recording
	requests   []interaction.Request  // that open the sessions
	ofProcess  bool                   // the sessions are those with a process
	made       []map[int][]canon.Line // by the event: the IDs that a client has made up
	values     [][][]perrun.Value     // see compared; by the event
	sessions   []*interaction.Interaction
	messages   [][]session.Message // as the engine compares them
	engine     *session.Group

	hasPlaceholder bool // a message of a client has one
	hasDrift       bool // a message of a client has fields that do not match
}

// newGroup reads recorded sessions.
func newGroup(recordings []*tape.Recording) (*group, error) {
	g := &group{recordings: recordings, ofProcess: recordings[0].Form().IsForProcess()}
	var all []session.Recording
	for _, rec := range recordings {
		it, err := rec.Load()
		if err != nil {
			return nil, err
		}
		var c compared
		if g.ofProcess {
			c = compareLines(rec, it)
		} else {
			c = compare(rec, it, len(recordings) > 1)
		}
		g.hasDrift = g.hasDrift || c.hasDrift
		g.made = append(g.made, c.made)
		g.values = append(g.values, c.values)
		g.sessions = append(g.sessions, it)
		g.messages = append(g.messages, c.messages)
		g.requests = append(g.requests, rec.Request())
		g.hasPlaceholder = g.hasPlaceholder || hasPlaceholder(&it.Response)
		all = append(all, session.Recording{Messages: c.messages, Names: c.names})
	}
	g.engine = session.NewGroup(all)
	g.engine.Named = g.ofProcess
	return g, nil
}

// compare returns a recorded session as the engine compares it. What was received needs a form only
// if there are several recordings.
func compare(rec *tape.Recording, it *interaction.Interaction, comparesReceived bool) compared {
	req := rec.Request()
	known := map[string]form{} // by the content of a message: most messages with audio are equal
	c := compared{
		messages: make([]session.Message, len(it.Response.Events)),
		made:     map[int][]canon.Line{},
	}
	for i, event := range it.Response.Events {
		m, isMessage := event.Message()
		isSent := isMessage && m.Sent
		switch {
		case !isSent && comparesReceived:
			c.messages[i].Form = receivedForm(event)
			continue
		case !isSent:
			continue
		case m.Kind == interaction.Close:
			c.messages[i] = session.Message{Sent: true, Form: closeForm}
			continue
		}
		content := string(m.Kind) + m.Data
		f, isKnown := known[content]
		if !isKnown {
			f = formOf(rec.MessageForm(&req, &m), &m)
			known[content] = f
		}
		c.hasDrift = c.hasDrift || f.mayDrift
		if f.made != nil {
			c.made[i] = f.made
		}
		c.messages[i] = session.Message{Sent: true, Form: f.key}
		if m.Audio != nil {
			c.messages[i].Part = true
			c.messages[i].Size = m.Audio.Size
			c.messages[i].Sum = session.Sum{Bytes: m.Audio.Sum, Pieces: m.Audio.Pieces}
		}
	}
	return c
}

// A Script is a recorded session that is played. It implements [exchange.Script].
type Script struct {
	scripts *Scripts
	group   *group
	player  *session.Player
	opening Opening
	by      string

	mu   sync.Mutex // guards what follows; the lock of the group is taken under it
	ids  ids
	seen seenNames // by a process and its client

	// isInputClosed says that the client has closed the standard input of a process: it sends
	// no more lines.
	isInputClosed bool
	hasExited     bool // the exit of the process was returned before what comes first
}

// Send takes a message of the client.
func (s *Script) Send(m interaction.Message) error {
	if m.Kind == interaction.Close {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.isInputClosed = true
		_, err := s.player.Send(closeForm)
		if err == nil {
			s.ids.add(nil, nil)
		}
		return nil // a client may close a session at any time
	}
	if s.group.ofProcess {
		return s.sendLine(m)
	}
	m, audio := s.opening.Split(m)
	m.Data = s.withRecordedIDs(m.Data)
	sent, _, err := s.take(&m, audio, nil)
	if err == nil || sent.Form.KeepsAlive() || s.goOn(err, nil) {
		return nil
	}
	if audio != nil && s.player.HasReceivedAll() {
		// No answer depends on this audio. A microphone that an answer switches off sends more
		// or less in each run.
		return nil
	}
	return s.missed(sent, err)
}

// sendLine takes a message to a process.
func (s *Script) sendLine(m interaction.Message) error {
	m, _ = s.opening.Split(m)
	s.mu.Lock()
	sent := s.seen.lineOf(m.Data)
	names := perrun.Names(sent.values)
	s.seen.addSent(m.Data, names) // the process may answer before take returns
	s.mu.Unlock()
	masked := m
	masked.Data = sent.masked
	match, place, err := s.take(&masked, nil, names)
	if err == nil {
		s.noteDrift(s.forReport(m, sent, match).Form, place)
		return nil
	}
	switch {
	case m.Kind == interaction.Signal:
		return exchange.ErrSignalUnrecorded
	case match.Form.KeepsAlive() || match.Form.Cancels() || s.goOn(err, names):
		return nil
	}
	return s.missed(s.forReport(m, sent, match), err)
}

// forReport returns a message to a process as a report shows it: with the recorded names in the place
// of those of this run, which are no differences. match is the message without names.
func (s *Script) forReport(m interaction.Message, sent line, match *tape.Match) *tape.Match {
	hasNames := sent.masked != m.Data
	if !hasNames {
		return match
	}
	names := s.player.RecordedNames(perrun.Names(sent.values))
	m.Data = perrun.Rename(m.Data, sent.values, names)
	full, err := s.scripts.tape.MatchMessage(&s.opening.Request, &m, false)
	if err != nil {
		return match
	}
	return &full
}

// missed returns the error for a message that the engine has not taken. It is nil if the server has
// ended the session.
func (s *Script) missed(sent *tape.Match, err error) error {
	var miss *session.Miss
	if !errors.As(err, &miss) {
		return &exchange.Refusal{Text: "promptecho: " + err.Error()}
	}
	if s.hasServerEnded() {
		return nil // the message was on its way when the server ended the session
	}
	return s.refuse(sent, miss.Candidates)
}

// hasServerEnded reports whether nothing is left of the recording but the end of the session, to
// which the server came first.
func (s *Script) hasServerEnded() bool {
	resp := &s.current().Response
	if resp.End == interaction.EndClosed {
		return false
	}
	for i, event := range resp.Events[s.player.FirstToDo():] {
		m, isMessage := event.Message()
		isClose := isMessage && m.Kind == interaction.Close
		isOfClient := isClose && m.Sent && i == 0
		if !isClose || isOfClient {
			return false
		}
	}
	return true
}

// take takes a message in each of the ways in which a recorded one may equal it. It returns the
// message as a call, the recorded message, and the error of the engine for the first way.
func (s *Script) take(
	m *interaction.Message, audio []byte, names []string,
) (sent *tape.Match, place session.Place, err error) {
	t := s.scripts.tape
	match, err := t.MatchMessage(&s.opening.Request, m, false)
	sent = &match
	if err != nil {
		return sent, place, err
	}
	place, first := s.send(sent.Form, m, audio, names)
	if first == nil || !s.group.hasPlaceholder {
		return sent, place, first
	}
	back, err := t.MatchMessage(&s.opening.Request, m, true)
	if err == nil {
		place, err = s.send(back.Form, m, audio, names)
		if err == nil {
			return sent, place, nil
		}
	}
	for recorded := range s.untakenWithPlaceholder(first) {
		form := tape.Match{Form: recorded.Form()}
		form.Request = recorded.Request()
		if !t.Reveals(&form, sent) {
			continue
		}
		place, err = s.send(recorded.Form(), m, audio, names)
		if err == nil {
			return sent, place, nil
		}
	}
	return sent, place, first
}

// send gives a message of a form to the engine.
func (s *Script) send(
	form *canon.Form, m *interaction.Message, audio []byte, names []string,
) (place session.Place, err error) {
	key := formKey(form, m)
	if audio != nil {
		return place, s.player.SendBytes(key, audio)
	}
	if s.group.ofProcess {
		return s.player.Send(key, names...)
	}
	s.mu.Lock()
	place, err = s.player.Send(key)
	if err == nil {
		s.ids.add(madeIn(form), s.madeAt(place))
	}
	s.mu.Unlock()
	if err == nil {
		s.noteDrift(form, place)
	}
	return place, err
}

// madeAt returns the IDs that the client made up in a recorded message.
func (s *Script) madeAt(place session.Place) []canon.Line {
	return s.group.made[place.Recording][place.Message]
}

// withRecordedIDs returns a message of the client with the recorded IDs in the place of its own.
func (s *Script) withRecordedIDs(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followMoves()
	return replaceStrings(text, s.ids.toRecorded)
}

// withMadeIDs returns an event of the server with the IDs of this run in the place of the recorded
// ones.
func (s *Script) withMadeIDs(event interaction.Event) interaction.Event {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.followMoves()
	if len(s.ids.toMade) == 0 {
		return event
	}
	event = slices.Clone(event)
	for i, f := range event {
		if interaction.IsPayload(f.Name) {
			event[i].Value = replaceStrings(f.Value, s.ids.toMade)
		}
	}
	return event
}

// followMoves pairs the IDs with those of the recording on which the session is placed. The caller
// holds the lock.
func (s *Script) followMoves() {
	recording := s.player.Recording()
	if recording != s.ids.recording && len(s.ids.made) > 0 {
		s.ids.moveTo(s.player.Taken(), s.madeAt)
	}
	s.ids.recording = recording
}

// noteDrift notes what differs between a message and the recorded one that it took, although both
// match.
func (s *Script) noteDrift(sent *canon.Form, place session.Place) {
	mayDiffer := s.group.hasDrift || len(sent.Drift) > 0 || len(sent.Orders) > 0
	if !mayDiffer {
		return
	}
	recorded := s.message(place)
	if recorded != nil {
		s.scripts.log.Drift(recorded, sent)
	}
}

// withNames returns a message of a process with the names of this run.
func (s *Script) withNames(place session.Place, names []string) interaction.Event {
	s.mu.Lock()
	s.seen.add(names)
	s.mu.Unlock()
	values := s.group.values[place.Recording][place.Message]
	event, isChanged := s.eventAt(place)
	m, _ := event.Message()
	if isChanged {
		values, names = valuesOfChanged(m.Data, values, names)
	}
	m.Data = perrun.Rename(m.Data, values, names)
	return m.Event()
}

// eventAt returns an event of a recorded session, as promptecho mutate has changed it, and whether it
// has.
func (s *Script) eventAt(place session.Place) (event interaction.Event, isChanged bool) {
	number := s.group.recordings[place.Recording].Number()
	recorded := s.group.sessions[place.Recording].Response.Events
	return changedEvent(s.scripts.mutant, number, recorded, place.Message)
}

// isLeftOut reports whether promptecho mutate has left out the event at a place.
func (s *Script) isLeftOut(place session.Place) bool {
	event, isChanged := s.eventAt(place)
	return isChanged && len(event) == 0
}

// goOn takes a message that the engine has not taken as the next recorded one, if promptecho mutate has
// asked for it; see [mutant.Change.Onward].
func (s *Script) goOn(err error, names []string) bool {
	var miss *session.Miss
	if !s.scripts.mutant.GoesOn() || !errors.As(err, &miss) {
		return false
	}
	for _, c := range miss.Candidates {
		if len(c.Untaken) == 0 {
			continue
		}
		next := c.Untaken[0]
		recorded := s.group.messages[next.Recording][next.Message]
		if _, err := s.player.Send(recorded.Form, names...); err == nil {
			s.scripts.mutant.GoOn(s.group.recordings[next.Recording].Number())
			return true
		}
	}
	return false
}

func (s *Script) current() *interaction.Interaction {
	return s.group.sessions[s.player.Recording()]
}

// Next returns the next event of the server.
func (s *Script) Next() (interaction.Event, int64, exchange.ScriptState) {
	place, names, state := s.player.Next()
	for state == session.Released && s.isLeftOut(place) {
		place, names, state = s.player.Next()
	}
	switch state {
	case session.Released:
		resp := &s.group.sessions[place.Recording].Response
		var delay int64
		if place.Message < len(resp.Delays) {
			delay = resp.Delays[place.Message].MS
		}
		if s.group.ofProcess {
			return s.withNames(place, names), delay, exchange.EventReady
		}
		event, _ := s.eventAt(place)
		return s.withMadeIDs(event), delay, exchange.EventReady
	case session.Waiting:
		if s.canStillSend() {
			return nil, 0, exchange.AwaitsClient
		}
		return s.exitEarly()
	}
	switch s.current().Response.End {
	case interaction.EndError:
		return nil, 0, exchange.ScriptBroken
	case interaction.EndClosed:
		return nil, 0, exchange.AwaitsClient
	}
	return nil, 0, exchange.ScriptEnded
}

// canStillSend reports whether the client may send what was sent before the next event. A client that
// has closed the standard input of a process can only send signals.
func (s *Script) canStillSend() bool {
	s.mu.Lock()
	isInputClosed := s.isInputClosed
	s.mu.Unlock()
	return !s.group.ofProcess || !isInputClosed || s.awaitsSignal()
}

// exitEarly returns the recorded exit of a process as the next event, and the end of the session when
// it is called again. What was recorded before the exit is left out. A recording without an exit ends
// when the client leaves.
func (s *Script) exitEarly() (interaction.Event, int64, exchange.ScriptState) {
	const delayMS = 0
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hasExited {
		return nil, delayMS, exchange.ScriptEnded
	}
	events := s.current().Response.Events
	last := events[len(events)-1] // not empty: Next waits for one of them
	m, isMessage := last.Message()
	isExit := isMessage && m.Kind == interaction.Close && !m.Sent
	if !isExit {
		return nil, delayMS, exchange.AwaitsClient
	}
	s.hasExited = true
	return last, delayMS, exchange.EventReady
}

// awaitsSignal reports whether the client may still send a recorded signal.
func (s *Script) awaitsSignal() bool {
	events := s.current().Response.Events
	return slices.ContainsFunc(s.player.Missing(), func(place session.Place) bool {
		m, _ := events[place.Message].Message()
		return m.Kind == interaction.Signal
	})
}

// Wait waits until Next returns something else.
func (s *Script) Wait(ctx context.Context) {
	if s.awaitsClose() {
		<-ctx.Done()
		return
	}
	_ = s.player.Wait(ctx) // the caller asks the context
}

// awaitsClose reports whether the client closed the session when it was recorded, and all that
// came before has been played.
func (s *Script) awaitsClose() bool {
	return s.current().Response.End == interaction.EndClosed && s.player.State() == session.Ended
}

// WaitLimit returns 10 seconds, and twice the time that the client took when the session was
// recorded to send what it has not sent yet. That is more than a busy machine is late, and less
// than the 30 seconds and more after which clients and tests give up without a reason.
func (s *Script) WaitLimit() time.Duration {
	const least = 10 * time.Second
	delays := s.current().Response.Delays
	var ms int64
	for _, place := range s.player.Missing() {
		if place.Message < len(delays) {
			ms += delays[place.Message].MS
		}
	}
	return least + 2*time.Duration(ms)*time.Millisecond
}

// WaitTimedOut returns the error of a client that has waited for longer than WaitLimit.
func (s *Script) WaitTimedOut() error {
	var missing []*tape.Recording
	for _, place := range s.player.Missing() {
		m := s.message(place)
		if m != nil {
			missing = append(missing, m)
		}
	}
	told := s.scripts.log.MissWait(s.group.recordings[s.player.Recording()], missing, s.by)
	return s.refusal(told)
}

// refuse reports a message that is not recorded. It is compared with the messages that were sent
// before the next one of the server, because the client sends it in the place of one of them. If
// the client has sent all of those, it is compared with the later ones.
func (s *Script) refuse(sent *tape.Match, candidates []session.Candidate) error {
	var messages []*tape.Recording
	for _, c := range candidates {
		messages = append(messages, s.messages(c.Untaken[:c.Due])...)
	}
	if len(messages) == 0 {
		for _, c := range candidates {
			messages = append(messages, s.messages(c.Untaken)...)
		}
	}
	s.scripts.mutant.Miss()
	rec := s.group.recordings[s.player.Recording()]
	if missed.Dir() != "" {
		s.scripts.tape.MissMessage(sent, rec)
	}
	return s.refusal(s.scripts.log.MissMessage(sent, rec, messages, s.by))
}

// refusal returns the error that the client gets.
func (s *Script) refusal(told report.Told) error {
	form := s.group.recordings[0].Form()
	return &exchange.Refusal{
		Text:  told.Text,
		Event: form.ErrorEvent(told.Text),
		Miss:  &told.Miss,
	}
}

// message returns a message of a recorded session for a report; nil if it closes the session.
func (s *Script) message(place session.Place) *tape.Recording {
	event := s.group.sessions[place.Recording].Response.Events[place.Message]
	m, ok := event.Message()
	if !ok || m.Kind == interaction.Close {
		return nil
	}
	req := &s.group.requests[place.Recording]
	return s.group.recordings[place.Recording].Message(req, place.Message, &m)
}

// messages returns messages of recorded sessions for a report, without those that close one.
func (s *Script) messages(places []session.Place) (all []*tape.Recording) {
	for _, place := range places {
		m := s.message(place)
		if m != nil {
			all = append(all, m)
		}
	}
	return all
}

// untakenWithPlaceholder returns those of the recorded messages that a miss was compared with
// that have a placeholder.
func (s *Script) untakenWithPlaceholder(err error) iter.Seq[*tape.Recording] {
	return func(yield func(*tape.Recording) bool) {
		var miss *session.Miss
		if !errors.As(err, &miss) {
			return
		}
		for _, c := range miss.Candidates {
			for _, place := range c.Untaken {
				m, _ := s.group.sessions[place.Recording].Response.Events[place.Message].Message()
				if !redact.HasWildcard(m.Data) {
					continue
				}
				recorded := s.message(place)
				if recorded != nil && !yield(recorded) {
					return
				}
			}
		}
	}
}

// unsent returns the session if its client has not sent all that it sent when it was recorded.
// What was sent after the last message of the server does not count if it was audio, or if the client
// left the session then: no answer depends on it.
func (s *Script) unsent() []Unsent {
	it := s.current()
	lastReceived := -1
	of := 0
	for i, event := range it.Response.Events {
		m, ok := event.Message()
		switch {
		case !ok || !m.Sent:
			lastReceived = i
		case m.Kind != interaction.Close:
			of++
		}
	}
	var places []session.Place
	for _, place := range s.player.Unsent() {
		m, _ := it.Response.Events[place.Message].Message()
		hasAnswer := place.Message < lastReceived
		mustFollow := m.Audio == nil && it.Response.End != interaction.EndClosed
		mayMiss := m.Kind == interaction.Close || m.Kind == interaction.Signal || s.cancels(place)
		if !mayMiss && (hasAnswer || mustFollow) {
			places = append(places, place)
		}
	}
	if len(places) == 0 {
		return nil
	}
	rec := s.group.recordings[s.player.Recording()]
	return []Unsent{{Recording: rec, First: s.message(places[0]), Count: len(places), Of: of}}
}

// cancels reports whether a recorded message cancels an earlier one.
func (s *Script) cancels(place session.Place) bool {
	message := s.message(place)
	return message != nil && message.Form().Cancels()
}

// Close ends the session.
func (s *Script) Close() { s.player.Close() }
