package merge

import "github.com/promptecho/promptecho/internal/interaction"

// An item is an interaction of one of the three cassettes.
type item struct {
	it     *interaction.Interaction // with its match key
	text   string                   // as a cassette has it
	edited bool                     // by hand, since it was recorded
	slot   *slot
}

// A slot has the versions of one interaction. A version that lacks the interaction is nil.
type slot struct {
	base, ours, theirs *item

	taken    *item
	conflict bool
	behind   []*slot // the interactions that only theirs has, and that follow this one there
}

// align puts the items of three versions into slots: those of one key that are equal, and of
// the rest the first of one version with the first of another. It returns the slots in the order of
// the base, then those that only ours or theirs has.
func align(base, ours, theirs []*item) (slots []*slot) {
	byKey := map[string][]*slot{}
	for _, it := range base {
		it.slot = &slot{base: it}
		slots = append(slots, it.slot)
		byKey[it.it.MatchKey] = append(byKey[it.it.MatchKey], it.slot)
	}
	was := func(s *slot) *item { return s.base }
	added := map[string][]*slot{}
	for _, it := range match(byKey, ours, was) {
		it.slot = &slot{ours: it}
		slots = append(slots, it.slot)
		added[it.it.MatchKey] = append(added[it.it.MatchKey], it.slot)
	}
	for _, it := range ours {
		it.slot.ours = it
	}
	left := match(byKey, theirs, was)
	for _, it := range match(added, left, func(s *slot) *item { return s.ours }) {
		it.slot = &slot{theirs: it}
		slots = append(slots, it.slot)
	}
	for _, it := range theirs {
		it.slot.theirs = it
	}
	return slots
}

// match gives items slots of their keys, in two passes: equal items get their slots first, and the
// others the slots that are left, in order. It returns the items for which no slot is left.
func match(slots map[string][]*slot, items []*item, was func(*slot) *item) (left []*item) {
	equal := map[[2]string][]*slot{}
	for key, of := range slots {
		for _, s := range of {
			same := [2]string{key, was(s).text}
			equal[same] = append(equal[same], s)
		}
	}
	isMatched := map[*slot]bool{}
	for _, it := range items {
		content := [2]string{it.it.MatchKey, it.text}
		if same := equal[content]; len(same) > 0 {
			it.slot = same[0]
			isMatched[it.slot] = true
			equal[content] = same[1:]
		}
	}
	next := map[string]int{} // by key: the index of the first slot that was not looked at
	for _, it := range items {
		key := it.it.MatchKey
		ofKey := slots[key]
		for it.slot == nil && next[key] < len(ofKey) {
			s := ofKey[next[key]]
			next[key]++
			if !isMatched[s] {
				it.slot = s
			}
		}
		if it.slot == nil {
			left = append(left, it)
		}
	}
	return left
}
