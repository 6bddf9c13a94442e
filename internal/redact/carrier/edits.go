package carrier

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
)

// Splice returns a text with edits made, which are in order and do not overlap.
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

// shift returns edits of a part of a text as edits of the whole.
func shift(edits []Edit, by int) []Edit {
	for i := range edits {
		edits[i].Start += by
		edits[i].End += by
	}
	return edits
}

// sortEdits puts edits in order that do not overlap.
func sortEdits(edits []Edit) {
	group.Sort(edits, func(a, b Edit) int { return cmp.Compare(a.Start, b.Start) })
}

// merge returns the edits of two lists, in order and without overlap. Of two
// that overlap, the one stays that covers the other. If neither does, both are
// replaced by the text of the first list.
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
			// What is in it is gone with it.
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

// settled returns edits without those that change nothing. They mark values that
// the search wants to stay: nothing in those is replaced.
func settled(edits []Edit) []Edit {
	return slices.DeleteFunc(edits, func(e Edit) bool { return e.stays })
}

// touches reports whether an edit of a list, which is in order, touches a part
// of a text.
func touches(edits []Edit, start, end int) bool {
	if len(edits) == 0 {
		return false
	}
	i, _ := slices.BinarySearchFunc(edits, start, func(e Edit, at int) int { return cmp.Compare(e.End, at+1) })
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
