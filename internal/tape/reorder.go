package tape

import (
	"slices"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A company is recordings that ran side by side, in the cassette or in this run.
type company struct {
	inCassette bool
	number     int
}

// companies returns those in which a recording was.
func (t *Tape) companies(rec *Recording) (all []company) {
	if first := t.order.First(rec.number); first >= 0 {
		all = append(all, company{true, first})
	}
	if rec.mark != nil {
		all = append(all, company{false, rec.mark.Span})
	}
	return all
}

// reorder gives recordings the moments of this run if it has recorded some of a company and played others:
// it alone knows when what happened of both. So it does if it waited for one in vain: what it recorded has
// changed what runs side by side. It does so with all that it asked for from the first of them
// to the last, and reports whether there are any. The list is in the order asked. Those that are left had
// company in an earlier run, and this one, whose order is another or which recorded others and asked for nobody of that
// company, did not ask for them.
func (t *Tape) reorder(list []*Recording) (left []*Recording, changed bool) {
	late := slices.Concat(group.Each(t.Late(), func(pair [2]*Recording) []*Recording { return pair[:] })...)
	last, hasNew, reached := map[company]int{}, false, map[company]bool{}
	for i, rec := range list {
		hasNew = hasNew || rec.fresh
		for _, c := range t.companies(rec) {
			last[c], reached[c] = i, reached[c] || rec.asked > 0
		}
	}
	renewed := map[company]bool{}
	for first := 0; first < len(list); {
		end, played := first, 0
		for i := first; i <= end && list[i].asked > 0; i++ {
			for _, c := range t.companies(list[i]) {
				end = max(end, last[c])
			}
			if !list[i].fresh {
				played++
			}
		}
		together := list[first : end+1]
		first = end + 1
		isKept := !slices.ContainsFunc(late, func(rec *Recording) bool { return slices.Contains(together, rec) })
		if played == len(together) && isKept { // their order stays, as their moments do
			asked := group.Each(together, func(rec *Recording) int { return rec.asked })
			slices.SortFunc(together, func(a, b *Recording) int { return a.number - b.number })
			for i, rec := range together {
				rec.asked = asked[i]
			}
		} else if played > 0 {
			renew(together)
			for _, rec := range together {
				for _, c := range t.companies(rec) {
					renewed[c] = true
				}
			}
		}
	}
	for _, rec := range list {
		isReached := func(c company) bool { return reached[c] }
		if rec.asked > 0 || rec.Head().Concurrent == nil || len(renewed) == 0 && (!hasNew || slices.ContainsFunc(t.companies(rec), isReached)) {
			continue
		}
		left = append(left, rec)
		if slices.ContainsFunc(t.companies(rec), func(c company) bool { return renewed[c] }) {
			rec.happened(new(interaction.Moments))
		}
	}
	return left, len(renewed) > 0
}

// renew gives recordings, which are in the order asked, the moments of this run.
func renew(recs []*Recording) {
	span, before, now := 0, 0, 0
	for _, rec := range recs {
		m := new(interaction.Moments)
		if rec.mark != nil {
			if rec.mark.Span != span {
				span, before = rec.mark.Span, now
			}
			m = rec.mark.Moments(before)
			now = max(now, m.Ended)
		}
		rec.happened(m)
	}
}

// happened sets the moments of a recording.
func (rec *Recording) happened(m *interaction.Moments) {
	it := *rec.Interaction()
	it.Concurrent = m
	rec.write(&it)
}
