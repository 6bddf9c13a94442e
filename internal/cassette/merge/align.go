package merge

import (
	"slices"

	"github.com/promptecho/promptecho/internal/interaction"
)

// An item is an interaction of one of the three cassettes.
type item struct {
	it     *interaction.Interaction // with its match key
	text   string                   // as a cassette has it, without its date
	sent   string                   // of a session: the key of the messages of its client
	edited bool                     // by hand, since it was recorded
	slot   *slot
}

// A slot has the versions of one interaction. A version that lacks the interaction is nil.
type slot struct {
	base, ours, theirs *item

	taken      *item
	sameAnswer bool             // both sides have recorded the answer again, and it says the same
	date       interaction.Date // the day on which taken was recorded
	conflict   bool
	behind     []*slot // the interactions that only theirs has, and that follow this one there
}

// content is equal for items that are equal.
func (i *item) content() string { return i.text }

// asked is equal for items with one request and, of sessions, the same messages of the client.
func (i *item) asked() string { return i.it.MatchKey + i.sent }

// request is equal for items with one request, which opens a session if they are sessions.
func (i *item) request() string { return i.it.MatchKey }

// align puts the items of three versions into slots: those that are equal, and of the rest the
// first of one key in one version with the first in another. Sessions that both sides have added
// share a slot only if their clients sent the same: two sessions can be opened by one request.
// It returns the slots in the order of the base, then those that only ours or theirs has.
func align(base, ours, theirs []*item) (slots []*slot) {
	for _, it := range base {
		it.slot = &slot{base: it}
		slots = append(slots, it.slot)
	}
	ofBase := slots
	was := func(s *slot) *item { return s.base }
	var added []*slot
	for _, it := range match(ofBase, ours, was, (*item).content, (*item).asked, (*item).request) {
		it.slot = &slot{ours: it}
		added = append(added, it.slot)
	}
	slots = append(slots, added...)
	for _, it := range ours {
		it.slot.ours = it
	}

	left := match(ofBase, theirs, was, (*item).content, (*item).asked, (*item).request)
	isOurs := func(s *slot) *item { return s.ours }
	for _, it := range match(added, left, isOurs, (*item).content, (*item).asked) {
		it.slot = &slot{theirs: it}
		slots = append(slots, it.slot)
	}
	for _, it := range theirs {
		it.slot.theirs = it
	}
	return slots
}

// match gives items slots in several passes, one for each key: an item gets the first free slot
// that had an item of its key. It returns the items for which no slot is left.
func match(
	slots []*slot, items []*item, was func(*slot) *item, keys ...func(*item) string,
) (left []*item) {
	isTaken := map[*slot]bool{}
	for _, key := range keys {
		free := map[string][]*slot{}
		for _, s := range slots {
			if !isTaken[s] {
				k := key(was(s))
				free[k] = append(free[k], s)
			}
		}
		for _, it := range items {
			k := key(it)
			if it.slot == nil && len(free[k]) > 0 {
				it.slot = free[k][0]
				isTaken[it.slot] = true
				free[k] = free[k][1:]
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(items), func(it *item) bool { return it.slot != nil })
}
