package changes

import (
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/interaction"
)

// A call is an interaction with the parts of its request's form that pairing needs often. The
// form itself is several times as large as the request, so it is computed again where it is
// needed.
type call struct {
	*interaction.Interaction
	formKey  string
	endpoint string
	number   int // in its cassette, from 1
}

func calls(its []*interaction.Interaction) []call {
	list := make([]call, len(its))
	InParallel(len(its), func(i int) {
		var rules canon.Options
		form := rules.Form(&its[i].Request)
		list[i] = call{
			Interaction: its[i],
			formKey:     form.Key(),
			endpoint:    strings.Clone(form.Endpoint), // a part of the form would keep all of it
			number:      i + 1,
		}
	})
	return list
}

// form returns the form of the request.
func (c *call) form() *canon.Form {
	var rules canon.Options
	return rules.Trace(&c.Request)
}

// unpaired is in the place of an index for a new call that replaced no old one.
const unpaired = -1

// A pairing says which new call replaced which old one.
type pairing struct {
	old, fresh []call
	oldOf      []int  // for each new call the index of the old one, or unpaired
	isTaken    []bool // for each old call whether it is in a pair
}

// pairs returns for each new call the index of the old one that it replaced, or unpaired. It
// pairs, in this order:
//
//  1. calls with the same request, in their order;
//  2. similar calls that have the same place between two pairs;
//  3. calls of one endpoint that are the nearest to each other, as long as there are any.
func pairs(old, fresh []call) []int {
	p := &pairing{
		old:     old,
		fresh:   fresh,
		oldOf:   make([]int, len(fresh)),
		isTaken: make([]bool, len(old)),
	}
	for j := range p.oldOf {
		p.oldOf[j] = unpaired
	}
	p.pairSameRequests()
	p.pairSamePlaces()
	for p.pairNearest() {
	}
	return p.oldOf
}

func (p *pairing) pair(old, fresh int) {
	p.oldOf[fresh] = old
	p.isTaken[old] = true
}

func (p *pairing) isOldFree(i int) bool { return !p.isTaken[i] }

func (p *pairing) isNewFree(j int) bool { return p.oldOf[j] == unpaired }

func (p *pairing) pairSameRequests() {
	olds := map[string][]int{} // the old calls with a form that are free, in order
	for i := range p.old {
		key := p.old[i].formKey
		olds[key] = append(olds[key], i)
	}
	for j := range p.fresh {
		key := p.fresh[j].formKey
		if len(olds[key]) > 0 {
			p.pair(olds[key][0], j)
			olds[key] = olds[key][1:]
		}
	}
}

// pairSamePlaces looks at the runs of free calls between two pairs, or at either end of the
// cassette. If an old run and the new one at its place have the same length, and each new call
// is similar to the old one at the same place in the run, the runs are paired.
func (p *pairing) pairSamePlaces() {
	i, j := 0, 0
	for j < len(p.fresh) {
		if !p.isNewFree(j) {
			i = p.oldOf[j] + 1
			j++
			continue
		}
		n := 0 // the number of similar calls from i and j on
		for p.areSimilarAt(i+n, j+n) {
			n++
		}
		isEndOfOld := i+n == len(p.old) || p.isTaken[i+n]
		isEndOfNew := j+n == len(p.fresh) || !p.isNewFree(j+n)
		if isEndOfOld && isEndOfNew {
			for k := range n {
				p.pair(i+k, j+k)
			}
		}
		j += max(n, 1)
	}
}

// areSimilarAt reports whether there are two free calls at these places, and similar ones.
func (p *pairing) areSimilarAt(i, j int) bool {
	if i >= len(p.old) || j >= len(p.fresh) || p.isTaken[i] || !p.isNewFree(j) {
		return false
	}
	return areSimilar(&p.old[i], &p.fresh[j])
}

// pairNearest pairs the free calls that are the nearest to each other. It reports whether
// there were any.
func (p *pairing) pairNearest() (found bool) {
	for j := range p.fresh {
		if !p.isNewFree(j) {
			continue
		}
		i := nearest(&p.fresh[j], p.old, p.isOldFree)
		if i >= 0 && nearest(&p.old[i], p.fresh, p.isNewFree) == j {
			p.pair(i, j)
			found = true
		}
	}
	return found
}

// minSimilarity is the least similarity, as diff.Likeness measures it, of two requests of
// which one replaced the other.
const minSimilarity = 0.5

// areSimilar reports whether one call may have replaced the other.
func areSimilar(old, fresh *call) bool {
	if old.endpoint != fresh.endpoint {
		return false
	}
	if haveSameEnds(old.Request.Body, fresh.Request.Body) {
		return true
	}
	return diff.Likeness(old.form(), fresh.form()) >= minSimilarity
}

// haveSameEnds reports whether the beginning and the end that two bodies have in common are
// at least 7/8 of the longer one. This is far cheaper than to compare their words.
func haveSameEnds(a, b []byte) bool {
	shorter := min(len(a), len(b))
	longer := max(len(a), len(b))
	prefix := 0
	for prefix < shorter && a[prefix] == b[prefix] {
		prefix++
	}
	suffix := 0
	for suffix < shorter-prefix && a[len(a)-1-suffix] == b[len(b)-1-suffix] {
		suffix++
	}
	return (prefix+suffix)*8 >= longer*7
}

// maxCandidates is the number of calls among which the nearest one is looked for. To compare
// each of thousands with all others would take minutes.
const maxCandidates = 400

// nearest returns the index of the call that is nearest to c, among the free calls of the same
// endpoint; -1 if there is none. Of more than maxCandidates calls it compares only those around
// the place of c.
func nearest(c *call, among []call, isFree func(int) bool) int {
	first := 0
	end := len(among)
	if end > maxCandidates {
		first = min(max(c.number-maxCandidates/2, 0), end-1)
		end = min(first+maxCandidates, end)
	}
	var candidates []diff.Candidate
	var indices []int
	for i := first; i < end; i++ {
		if isFree(i) && among[i].endpoint == c.endpoint {
			candidates = append(candidates, diff.Candidate{Form: among[i].form()})
			indices = append(indices, i)
		}
	}
	candidate := func(i int) diff.Candidate { return candidates[i] }
	i := diff.Nearest(c.form(), len(candidates), candidate)
	if i < 0 {
		return -1
	}
	return indices[i]
}
