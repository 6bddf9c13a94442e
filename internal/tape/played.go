package tape

import (
	"cmp"
	"slices"
)

// What follows says which recordings stand for calls of this run. The tape must be closed.

// WithinPlayed returns a function that reports whether a recording was sent within a
// function that this run played, itself or through others. Nobody asks for it then.
func (t *Tape) WithinPlayed() func(rec *Recording) bool {
	var names map[string]bool // of the functions
	return func(rec *Recording) bool {
		if names == nil {
			names = t.functionsPlayed()
		}
		return len(names) > 0 && names[rec.Interaction().Request.Within]
	}
}

// functionsPlayed returns the names of the functions that this run played, and of those
// that are recorded as called within them. If it played none, nothing is read.
func (t *Tape) functionsPlayed() map[string]bool {
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
				it = rec.Interaction()
			}
			if it != nil && it.Request.Function != "" && names[it.Request.Within] {
				names[it.Request.Function] = true
			}
		}
	}
	return names
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
		if rec.number >= 0 {
			places[rec] = rec.number
			last = max(last, rec.number)
		} else {
			places[rec] = last
		}
	}
	slices.SortStableFunc(list, func(a, b *Recording) int { return cmp.Compare(places[a], places[b]) })
}

// InRunOrder returns recordings in their order, but with those of this run before the next that
// it asked for and did not record; behind all if there is none.
func InRunOrder(list []*Recording) (sorted []*Recording) {
	asked := slices.Clone(list)
	SortAsked(asked)
	var next *Recording
	before := map[*Recording][]*Recording{} // the last one first
	for _, rec := range slices.Backward(asked) {
		if rec.fresh {
			before[next] = append(before[next], rec)
		} else if rec.asked > 0 {
			next = rec
		}
	}
	for _, rec := range append(slices.DeleteFunc(slices.Clone(list), func(rec *Recording) bool { return rec.fresh }), nil) {
		slices.Reverse(before[rec])
		if sorted = append(sorted, before[rec]...); rec != nil {
			sorted = append(sorted, rec)
		}
	}
	return sorted
}

// isFrozen reports whether a recording is played in every run.
func (t *Tape) isFrozen(rec *Recording) bool {
	if t.Config.Frozen == nil {
		return false
	}
	function := rec.Interaction().Request.Within
	return t.Config.Frozen(rec.Form().Name()) || function != "" && t.Config.Frozen(function)
}
