package changes

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A call is an interaction with the form of its request.
type call struct {
	*interaction.Interaction
	form   *canon.Form
	number int // in its cassette, counted from 1
}

func calls(its []*interaction.Interaction) []call {
	var rules canon.Options
	list := make([]call, len(its))
	for i, it := range its {
		list[i] = call{it, rules.Trace(&it.Request), i + 1}
	}
	return list
}

// pairs returns for each new call the index of the old one that it took the place of, or
// -1. Requests that are the same are paired in order. Of what is left, two of one endpoint
// are paired that are the nearest to each other, as often as there are such.
func pairs(old, fresh []call) (of []int) {
	of = make([]int, len(fresh))
	taken := make([]bool, len(old))
	same := map[string][]int{} // the old ones of each form
	for i := range old {
		same[old[i].form.Key()] = append(same[old[i].form.Key()], i)
	}
	for j := range fresh {
		of[j] = -1
		if list := same[fresh[j].form.Key()]; len(list) > 0 {
			of[j], same[fresh[j].form.Key()] = list[0], list[1:]
			taken[list[0]] = true
		}
	}
	for again := true; again; {
		again = false
		for j := range fresh {
			if of[j] >= 0 {
				continue
			}
			i := nearest(&fresh[j], old, func(i int) bool { return !taken[i] })
			if i >= 0 && nearest(&old[i], fresh, func(j int) bool { return of[j] < 0 }) == j {
				of[j], taken[i], again = i, true, true
			}
		}
	}
	return of
}

// nearest returns the index of the call that is most like c, of those of its endpoint that
// are free; -1 if there is none.
func nearest(c *call, among []call, free func(int) bool) int {
	var candidates []diff.Candidate
	var at []int
	for i := range among {
		if free(i) && among[i].form.Endpoint == c.form.Endpoint {
			candidates, at = append(candidates, diff.Candidate{Form: among[i].form}), append(at, i)
		}
	}
	if i := diff.Nearest(c.form, slices.Values(candidates)); i >= 0 {
		return at[i]
	}
	return -1
}
