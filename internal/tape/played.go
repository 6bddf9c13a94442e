package tape

import (
	"cmp"
	"math"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// What follows says which recordings stand for calls of this run. The tape must be closed.

// WithinPlayed returns a function that reports whether a recording was sent within a
// function that this run played, itself or through others. Nobody asks for it then.
func (t *Tape) WithinPlayed() func(rec *Recording) bool {
	// These are the functions that this run played, and those that are recorded as called within
	// them. If it played none, nothing is read.
	names, recs := map[string]bool{}, t.Recordings()
	for _, rec := range recs {
		// What plays a function reads it.
		if it := rec.interaction.Load(); it != nil && it.Request.Function != "" && rec.Used() && !rec.replaced {
			names[it.Request.Function] = true
		}
	}
	for n := 0; n < len(names); {
		n = len(names)
		for _, rec := range recs {
			it := rec.interaction.Load()
			if it == nil && !rec.Used() {
				it = rec.Head()
			}
			if it != nil && it.Request.Function != "" && names[it.Request.Within] {
				names[it.Request.Function] = true
			}
		}
	}
	return func(rec *Recording) bool { return len(names) > 0 && names[rec.Head().Request.Within] }
}

// Played returns the recordings of the cassette that stand for calls of this run: those
// that were played, unless another was recorded in their place, and those sent within
// functions that were played. With all, it returns those that nothing asked for as well.
func (t *Tape) Played(all bool) (list []*Recording) {
	last, within := 0, t.WithinPlayed()
	for _, rec := range t.Stored() {
		switch {
		case rec.replaced:
			continue
		case rec.asked > 0:
			last = rec.asked
		case all || within(rec):
			rec.asked = last // it stays behind what stands before it
		default:
			continue
		}
		list = append(list, rec)
	}
	return list
}

// HasPlayedStandIn reports whether this run has played an answer in which something stands for a secret.
func (t *Tape) HasPlayedStandIn() bool {
	return slices.ContainsFunc(t.Recordings(), func(rec *Recording) bool {
		if rec.fresh || !rec.Used() {
			return false
		}
		resp := &rec.Interaction().Response
		return slices.ContainsFunc(slices.Collect(resp.Payloads()), redact.StandsIn) ||
			slices.ContainsFunc(resp.Headers, func(h interaction.Header) bool { return slices.ContainsFunc(h.Values, redact.StandsIn) })
	})
}

// SortAsked sorts recordings in the order in which this run asked for them.
func SortAsked(list []*Recording) {
	slices.SortStableFunc(list, func(a, b *Recording) int { return cmp.Compare(a.asked, b.asked) })
}

// SortPlaced sorts recordings in the order of the cassette. One that was recorded in the
// place of another stands there, and a new one behind all that came before it in this run.
func SortPlaced(list []*Recording) {
	SortAsked(list)
	places, last := map[*Recording]int{}, -1
	for _, rec := range list {
		last = max(last, rec.number)
		if places[rec] = rec.number; rec.number < 0 {
			places[rec] = last
		}
	}
	slices.SortStableFunc(list, func(a, b *Recording) int { return cmp.Compare(places[a], places[b]) })
}

// InRunOrder sorts recordings in the order of the cassette. A new one stands before the first one of it
// that this run asked for later; behind all if there is none. If new ones ran side by side with others,
// they stand in the order of this run instead, and behind them those that it did not ask for. It returns
// those of these that ran side by side with others in an earlier run: nothing will ask for them.
func (t *Tape) InRunOrder(list []*Recording) (left []*Recording) {
	SortAsked(list)
	left, changed := t.reorder(list)
	places, next := map[*Recording]float64{}, math.Inf(1)
	for _, rec := range slices.Backward(list) {
		switch places[rec] = float64(rec.number); {
		case changed && rec.asked == 0:
			places[rec] = math.Inf(1)
		case changed:
			places[rec] = float64(rec.asked)
		case rec.number < 0:
			places[rec] = next
		case rec.asked > 0:
			next = min(next, places[rec])
		}
	}
	slices.SortStableFunc(list, func(a, b *Recording) int { return cmp.Compare(places[a], places[b]) })
	return left
}

// isFrozen reports whether a recording is played in every run.
func (t *Tape) isFrozen(rec *Recording) bool {
	if len(t.Config.Frozen) == 0 {
		return false
	}
	function := rec.Head().Request.Within
	return t.Config.Frozen.Select(rec.Form().Name()) || function != "" && t.Config.Frozen.Select(function)
}

// Miss keeps a call that nothing answers.
func (t *Tape) Miss(m *Match) {
	it := &interaction.Interaction{Request: m.Request}
	it.Kind, it.Boundary = m.Form.Kind()
	if m.Form.Function {
		it.Response.Error = "not recorded"
	} else {
		it.Response.Status = http.StatusTeapot
	}
	t.change(func() {
		t.asked++
		t.missed = append(t.missed, Step{Missed: it, asked: t.asked})
	})
}

// Steps returns the calls of this run in the order asked; none if [Tape.Miss] kept none. The
// tape must be closed.
func (t *Tape) Steps() []Step {
	if len(t.missed) == 0 {
		return nil
	}
	steps := slices.Clone(t.missed)
	for _, rec := range t.Stored() {
		if rec.asked > 0 {
			steps = append(steps, Step{Recording: rec, asked: rec.asked})
		}
	}
	slices.SortFunc(steps, func(a, b Step) int { return cmp.Compare(a.asked, b.asked) })
	return steps
}

// Made returns the recordings that have answered calls of this run so far, each once, and those
// that it has made, in the order asked. under is how many calls have no whole answer yet.
func (t *Tape) Made() (made []*Recording, under int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, rec := range t.recordings {
		switch {
		case rec.replaced:
		case rec.asked > 0 && rec.Complete():
			made = append(made, rec)
		case rec.asked > 0:
			under++
		}
	}
	SortAsked(made)
	return made, under
}
