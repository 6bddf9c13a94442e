package mutation

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A dialogue is a protocol of sessions in which a model answers several times.
type dialogue struct {
	api api

	// split returns a document for each answer. It has the messages of the server that belong to
	// the answer, and shares them with d.
	split func(form *canon.Form, d *document) []*document
}

// noRepeat is for an api of sessions, in which a call is never doubled.
type noRepeat struct{}

func (noRepeat) repeat(*answer, *call) {}

// sessionTable has the changes of an answer in a session. A status, and a connection that breaks,
// are not among them: the session would have fewer messages.
var sessionTable = []func(*subject){addTexts, addFields, addCalls, addEndings, addErrorMessage}

// mutations returns the mutations of all answers, and one control for them.
func (g dialogue) mutations(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	var subjects []*subject
	for n := range g.split(form, newDocument(&it.Response)) {
		s := newResponse(it, form, o)
		s.api = g.api
		s.document = func() *document { return g.split(form, newDocument(&it.Response))[n] }
		d := s.document()
		s.answer = g.api.read(d)
		s.request = lastSent(d)
		s.isStrict = isStrict(&s.request)
		if len(s.answer.texts) > 0 || len(s.answer.calls) > 0 {
			subjects = append(subjects, s)
		}
	}
	if subjects == nil {
		return nil
	}

	control := &Mutation{
		Kind: Control,
		What: "the same answers, written again",
		Response: func() *interaction.Response {
			d := newDocument(&it.Response)
			for _, part := range g.split(form, d) {
				writeAgain(g.api.read(part))
				if api, ok := g.api.(finisher); ok {
					api.finish(part)
				}
			}
			return d.changed()
		},
	}
	for _, s := range subjects {
		for _, add := range sessionTable {
			add(s)
		}
	}
	return append([]*Mutation{control}, numbered(subjects)...)
}

// numbered returns the mutations of the answers of a session. If there are several answers, each
// mutation says which it is of.
func numbered(subjects []*subject) []*Mutation {
	var list []*Mutation
	for i, s := range subjects {
		for _, m := range s.list {
			if len(subjects) > 1 {
				m.Answer = i + 1
				m.What = fmt.Sprintf("answer %d: %s", m.Answer, m.What)
			}
			list = append(list, m)
		}
	}
	return list
}

// lastSent returns the last message of the client before an answer, or null if it is not JSON.
func lastSent(d *document) exactjson.Value {
	var last exactjson.Value
	for place, m := range d.response.SentMessages() {
		if place > d.payloads[0].place {
			break
		}
		v, err := exactjson.Parse(m.Data)
		if err == nil {
			last = v
		}
	}
	return last
}

// addErrorMessage has the answer end in the middle, with an error in the place of its last message.
// Of several messages with the error, the last one is sent.
func addErrorMessage(s *subject) {
	s.add(StreamError, "ends in the middle, with an error", "check for an error in the answer",
		func(a *answer) bool {
			d := a.document
			last := d.payloads[len(d.payloads)-1]
			first := d.payloads[len(d.payloads)/2].place
			stream := last.value.Member("stream_id") // of Responses over a WebSocket
			if stream != nil {
				copied := clone(stream)
				stream = &copied
			}
			if !s.api.errorEvent(d, last) {
				return false
			}
			for _, p := range d.payloads {
				if p.place >= first {
					p.isDropped = p != last
				}
			}
			if stream != nil {
				setMember(&last.value, "stream_id", *stream)
			}
			return true
		})
}

// A splitter makes the documents of answers.
type splitter struct {
	response *interaction.Response
	open     map[string]*document // those that go on, by their keys
	all      []*document
}

func newSplitter(d *document) *splitter {
	return &splitter{response: d.response, open: map[string]*document{}}
}

// add adds a message to the answer with this key. After the last one, the key is free again.
func (s *splitter) add(key string, p *payload, isLast bool) {
	d := s.open[key]
	if d == nil {
		d = &document{response: s.response}
		s.open[key] = d
		s.all = append(s.all, d)
	}
	d.payloads = append(d.payloads, p)
	if isLast {
		delete(s.open, key)
	}
}

// splitByTranscript splits a session as package canon does.
func splitByTranscript(form *canon.Form, d *document) []*document {
	t := form.Transcript()
	s := newSplitter(d)
	for _, p := range d.payloads {
		s.add(t.Key(&p.value), p, t.IsLast(&p.value))
	}
	return s.all
}
