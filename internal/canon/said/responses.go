package said

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// responses are the responses to which the events of a stream belong: one, or in
// a session any number.
type responses struct {
	transcript *canon.Transcript
	isSession  bool
	all        []*response          // in the order of their first events
	incomplete map[string]*response // in a session, by [transcript.Transcript.Key]
}

// A response is what its events so far tell.
type response struct {
	stream transcript.Joined
	used   counts
}

// newResponses returns the responses of a stream without events. t is nil if the
// events of the API are unknown.
func newResponses(t *canon.Transcript) *responses {
	r := &responses{transcript: t, incomplete: map[string]*response{}}
	r.isSession = t != nil && (t.ResponseID != nil || t.Last != "")
	if !r.isSession {
		r.all = []*response{{used: counts{}}}
	}
	return r
}

// take returns the response to which an event belongs. If the event is the last one
// of the response, later events belong to another.
func (r *responses) take(event *exactjson.Value) *response {
	if !r.isSession {
		return r.all[0]
	}
	key := r.transcript.Key(event)
	current := r.incomplete[key]
	if current == nil {
		current = &response{used: counts{}}
		r.incomplete[key] = current
		r.all = append(r.all, current)
	}
	if r.transcript.IsLast(event) {
		delete(r.incomplete, key)
	}
	return current
}

// joined returns the response that the events build up, or in a session the list
// of responses.
func (r *responses) joined() *exactjson.Value {
	if !r.isSession {
		whole := r.all[0].stream.Value()
		return &whole
	}
	list := exactjson.Value{Kind: exactjson.Array}
	for _, response := range r.all {
		whole := response.stream.Value()
		isEmpty := whole.Kind == exactjson.Null // its events have no content
		if !isEmpty {
			list.Elems = append(list.Elems, whole)
		}
	}
	return &list
}

// addUsage returns the sum of the usage of two responses, each nil if unknown.
func addUsage(a, b *interaction.Usage) *interaction.Usage {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return &interaction.Usage{
		InputTokens:     a.InputTokens + b.InputTokens,
		OutputTokens:    a.OutputTokens + b.OutputTokens,
		CachedTokens:    a.CachedTokens + b.CachedTokens,
		ReasoningTokens: a.ReasoningTokens + b.ReasoningTokens,
	}
}
