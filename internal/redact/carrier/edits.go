package carrier

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
)

// Splice returns a text with edits made. The edits are in order and do not overlap.
func Splice(s string, edits []Edit) string {
	if len(edits) == 0 {
		return s
	}
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(s[at:e.Start])
		b.WriteString(e.Text)
		at = e.End
	}
	b.WriteString(s[at:])
	return b.String()
}

// shift returns edits of a part of a text as edits of the whole text. The part begins
// at by.
func shift(edits []Edit, by int) []Edit {
	for i := range edits {
		edits[i].Start += by
		edits[i].End += by
	}
	return edits
}

// sortEdits puts edits in order. They do not overlap.
func sortEdits(edits []Edit) {
	group.Sort(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
}

// merge returns the edits of two lists, in order and without overlap. An edit inside
// of another one is left out. Two that overlap otherwise become one, with the text of
// the edit of the first list.
func merge(first, second []Edit) []Edit {
	if len(second) == 0 {
		return first
	}
	if len(first) == 0 {
		return second
	}
	type ranked struct {
		Edit
		rank int
	}
	var all []ranked
	for _, e := range first {
		all = append(all, ranked{e, 0})
	}
	for _, e := range second {
		all = append(all, ranked{e, 1})
	}
	group.Sort(all, func(a, b ranked) int { return cmp.Compare(a.Start, b.Start) })

	kept := all[:1]
	for _, e := range all[1:] {
		last := &kept[len(kept)-1]
		isCovered := e.End <= last.End
		isSame := e.Start == last.Start && e.End == last.End
		covers := e.Start == last.Start && e.End > last.End
		switch {
		case e.Start >= last.End:
			kept = append(kept, e)
		case isSame:
			if e.rank < last.rank {
				*last = e
			}
		case isCovered:
			// The edit around it replaces it.
		case covers:
			*last = e
		default:
			last.End = e.End
			if e.rank < last.rank {
				last.Text = e.Text
			}
		}
	}
	edits := make([]Edit, len(kept))
	for i, e := range kept {
		edits[i] = e.Edit
	}
	return edits
}

// changesOnly returns edits without those that change nothing. With these, the search
// marks values in which nothing must be replaced; merge has left out the edits inside
// of them.
func changesOnly(edits []Edit) []Edit {
	return slices.DeleteFunc(edits, func(e Edit) bool { return e.changesNothing })
}

// touches reports whether one of edits, which are in order, overlaps a part of a text.
func touches(edits []Edit, start, end int) bool {
	if len(edits) == 0 {
		return false
	}
	endsBehind := func(e Edit, at int) int { return cmp.Compare(e.End, at+1) }
	i, _ := slices.BinarySearchFunc(edits, start, endsBehind)
	return i < len(edits) && edits[i].Start < end
}

// causes returns the causes of all edits.
func causes(edits []Edit) []Cause {
	var all []Cause
	for _, e := range edits {
		all = append(all, e.Causes...)
	}
	return all
}
