package changes

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A call is an interaction with what is kept of the form of its request: a form is several times as
// large, and made again where it is needed.
type call struct {
	*interaction.Interaction
	key, endpoint string
	number        int // in its cassette, counted from 1
}

func calls(its []*interaction.Interaction) []call {
	list := make([]call, len(its))
	SideBySide(len(its), func(i int) {
		var rules canon.Options
		form := rules.Form(&its[i].Request)
		list[i] = call{its[i], form.Key(), strings.Clone(form.Endpoint), i + 1}
	})
	return list
}

// form returns the form of its request.
func (c *call) form() *canon.Form {
	var rules canon.Options
	return rules.Trace(&c.Request)
}

// pairs returns for each new call the index of the old one that it took the place of, or
// -1. Requests that are the same are paired in order, then those that stand at one place between
// two pairs and have most in common. Of what is left, two of one endpoint are paired that are the
// nearest to each other, as often as there are such.
func pairs(old, fresh []call) (of []int) {
	of = make([]int, len(fresh))
	taken := make([]bool, len(old))
	same := map[string][]int{} // the old ones of each form
	for i := range old {
		same[old[i].key] = append(same[old[i].key], i)
	}
	for j := range fresh {
		of[j] = -1
		if list := same[fresh[j].key]; len(list) > 0 {
			of[j], same[fresh[j].key] = list[0], list[1:]
			taken[list[0]] = true
		}
	}
	inPlace(old, fresh, of, taken)
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

// alike is how much two requests have in common of which one took the other's place.
const alike = 0.5

// areAlike reports whether one request may have taken the other's place. Those whose bodies have nearly
// all in common are not compared word by word.
func areAlike(old, fresh *call) bool {
	if old.endpoint != fresh.endpoint {
		return false
	}
	a, b := old.Request.Body, fresh.Request.Body
	shorter := min(len(a), len(b))
	begins, ends := 0, 0
	for begins < shorter && a[begins] == b[begins] {
		begins++
	}
	for ends < shorter-begins && a[len(a)-1-ends] == b[len(b)-1-ends] {
		ends++
	}
	return (begins+ends)*8 >= max(len(a), len(b))*7 || diff.Likeness(old.form(), fresh.form()) >= alike
}

// inPlace pairs what stands between two pairs, if it is as much as stood there and each is
// like what stood at its place.
func inPlace(old, fresh []call, of []int, taken []bool) {
	for i, j := 0, 0; j < len(fresh); {
		if of[j] >= 0 {
			i, j = of[j]+1, j+1
			continue
		}
		n := 0
		for j+n < len(fresh) && of[j+n] < 0 && i+n < len(old) && !taken[i+n] && areAlike(&old[i+n], &fresh[j+n]) {
			n++
		}
		endsOld := i+n == len(old) || taken[i+n]
		endsFresh := j+n == len(fresh) || of[j+n] >= 0
		for k := range n {
			if endsOld && endsFresh {
				of[j+k], taken[i+k] = i+k, true
			}
		}
		j += max(n, 1)
	}
}

// mostNear is how many calls are looked at to find the one that is most like another one.
const mostNear = 400

// nearest returns the index of the call that is most like c, of those of its endpoint that
// are free; -1 if there is none. Of many, it is looked for among those around its place.
func nearest(c *call, among []call, free func(int) bool) int {
	var candidates []diff.Candidate
	var at []int
	first, last := 0, len(among)
	if last > mostNear {
		first = min(max(c.number-mostNear/2, 0), last-1)
		last = min(first+mostNear, last)
	}
	for i := first; i < last; i++ {
		if free(i) && among[i].endpoint == c.endpoint {
			candidates, at = append(candidates, diff.Candidate{Form: among[i].form()}), append(at, i)
		}
	}
	if i := diff.Nearest(c.form(), len(candidates), func(i int) diff.Candidate { return candidates[i] }); i >= 0 {
		return at[i]
	}
	return -1
}
