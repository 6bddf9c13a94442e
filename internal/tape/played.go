package tape

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Which recordings belong to calls of this run.

// WithinPlayed returns a function that reports whether a request was recorded
// within a function that this run played, directly or not. A replay of the
// function does not send the request. The tape must be closed.
func (t *Tape) WithinPlayed() func(rec *Recording) bool {
	names := t.playedFunctions()
	return func(rec *Recording) bool {
		return len(names) > 0 && names[rec.Head().Request.Within]
	}
}

// playedFunctions returns the names of the functions that this run played, and
// of the functions that are recorded as called within those. If this run played
// none, nothing is read.
func (t *Tape) playedFunctions() map[string]bool {
	names := map[string]bool{}
	recs := t.Recordings()
	for _, rec := range recs {
		it := rec.content.interaction.Load()
		if it == nil {
			continue // playing a function reads it
		}
		if it.Request.Function != "" && rec.Used() && !rec.run.replaced {
			names[it.Request.Function] = true
		}
	}

	for n := 0; n < len(names); {
		n = len(names)
		for _, rec := range recs {
			it := rec.content.interaction.Load()
			if it == nil && !rec.Used() {
				it = rec.Head()
			}
			if it != nil && it.Request.Function != "" && names[it.Request.Within] {
				names[it.Request.Function] = true
			}
		}
	}
	return names
}

// Played returns the recordings of the cassette that belong to calls of this
// run: those that were played, unless another was recorded in their place, and
// those within functions that were played. If all is set, it returns the unused
// ones, too. SortAsked keeps those that were not played behind the one before
// them. The tape must be closed.
func (t *Tape) Played(all bool) []*Recording {
	isWithinPlayed := t.WithinPlayed()
	var list []*Recording
	lastCall := 0
	for _, rec := range t.Stored() {
		switch {
		case rec.run.replaced:
			continue
		case rec.run.firstCall > 0:
			lastCall = rec.run.firstCall
		case all || isWithinPlayed(rec):
			rec.run.firstCall = lastCall // for SortAsked
		default:
			continue
		}
		list = append(list, rec)
	}
	return list
}

// HasPlayedPlaceholder reports whether this run has played a response that has
// a placeholder in the place of a secret.
func (t *Tape) HasPlayedPlaceholder() bool {
	hasOne := func(h interaction.Header) bool {
		return slices.ContainsFunc(h.Values, redact.HasPlaceholder)
	}
	return slices.ContainsFunc(t.Recordings(), func(rec *Recording) bool {
		if rec.Fresh() || !rec.Used() {
			return false
		}
		resp := &rec.Interaction().Response
		return slices.ContainsFunc(slices.Collect(resp.Payloads()), redact.HasPlaceholder) ||
			slices.ContainsFunc(resp.Headers, hasOne)
	})
}

// SortAsked sorts recordings in the order in which this run asked for them.
func SortAsked(list []*Recording) {
	slices.SortStableFunc(list, func(a, b *Recording) int {
		return cmp.Compare(a.run.firstCall, b.run.firstCall)
	})
}

// SortPlaced sorts recordings in the order of the cassette. A recording that
// replaces another one has its place, and a new one comes behind all recordings
// that were asked for before it in this run, or not at all.
func SortPlaced(list []*Recording) {
	SortAsked(list)
	places := map[*Recording]int{}
	last := -1
	for _, rec := range list {
		number := rec.Number()
		last = max(last, number)
		if number < 0 {
			number = last
		}
		places[rec] = number
	}
	slices.SortStableFunc(list, func(a, b *Recording) int {
		return cmp.Compare(places[a], places[b])
	})
}

// InRunOrder returns recordings in the order in which a cassette has them after
// this run. leftOver are those of them that overlapped others in an earlier run
// and that nothing will ask for any more. The tape must be closed.
//
//	recording               its place
//	of the cassette         that of the cassette
//	new                     before the first one of the cassette that this
//	                        run asked for later; else behind all
//
// If new recordings overlapped others:
//
//	asked for in this run   in the order of this run
//	not asked for           behind all
func (t *Tape) InRunOrder(list []*Recording) (sorted, leftOver []*Recording) {
	sorted = slices.Clone(list)
	SortAsked(sorted)
	leftOver, changed := t.reorder(sorted)

	places := map[*Recording]float64{}
	next := math.Inf(1)
	for _, rec := range slices.Backward(sorted) {
		places[rec] = float64(rec.Number())
		switch {
		case changed && rec.run.firstCall == 0:
			places[rec] = math.Inf(1)
		case changed:
			places[rec] = float64(rec.run.firstCall)
		case rec.Number() < 0:
			places[rec] = next
		case rec.run.firstCall > 0:
			next = min(next, places[rec])
		}
	}
	slices.SortStableFunc(sorted, func(a, b *Recording) int {
		return cmp.Compare(places[a], places[b])
	})
	return sorted, leftOver
}

// A Step is a call of this run: one that a recording of the cassette answered,
// each recording once, or one that nothing answered.
type Step struct {
	Recording *Recording
	Missed    *interaction.Interaction // the request, and an error in place of a response
	Session   *Recording               // the session of which Missed is a message; usually nil

	call int // its number, from 1
}

// Miss keeps a call that nothing answers, for Steps.
func (t *Tape) Miss(m *Match) {
	it := &interaction.Interaction{Request: m.Request}
	it.Kind, it.Boundary = m.Form.Kind()
	if m.Form.Function {
		it.Response.Error = "not recorded"
	} else {
		it.Response.Status = http.StatusTeapot
	}
	t.change(func() {
		t.calls++
		t.missed = append(t.missed, missedCall{interaction: it, call: t.calls})
	})
}

// MissMessage keeps a message that is not recorded in a session, for Steps.
func (t *Tape) MissMessage(m *Match, session *Recording) {
	it := &interaction.Interaction{Request: m.Request}
	it.Kind, it.Boundary = m.Form.Kind()
	it.Response.Status = http.StatusTeapot
	t.change(func() {
		t.calls++
		t.missed = append(t.missed, missedCall{interaction: it, call: t.calls, session: session})
	})
}

// Steps returns the calls of this run in the order asked; none if [Tape.Miss]
// kept none. The tape must be closed.
func (t *Tape) Steps() []Step {
	if len(t.missed) == 0 {
		return nil
	}
	var steps []Step
	for _, missed := range t.missed {
		steps = append(steps, Step{
			Missed:  missed.interaction,
			Session: missed.session,
			call:    missed.call,
		})
	}
	for _, rec := range t.Stored() {
		if rec.run.firstCall > 0 {
			steps = append(steps, Step{Recording: rec, call: rec.run.firstCall})
		}
	}
	group.Sort(steps, func(a, b Step) int { return cmp.Compare(a.call, b.call) })
	return steps
}

// Made returns the recordings that have answered calls of this run so far, each
// once, and those that it has made, in the order asked. underWay is how many
// calls have no complete response yet.
func (t *Tape) Made() (made []*Recording, underWay int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, rec := range t.recordings {
		switch {
		case rec.run.replaced || rec.run.firstCall == 0:
			continue
		case rec.Complete():
			made = append(made, rec)
		default:
			underWay++
		}
	}
	SortAsked(made)
	return made, underWay
}
