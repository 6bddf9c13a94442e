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

// callsOf returns the interactions of a cassette as calls.
func callsOf(its []*interaction.Interaction) []call {
	list := make([]call, len(its))
	InParallel(len(its), func(i int) {
		var rules canon.Options
		form := rules.Form(&its[i].Request)
		list[i] = call{
			Interaction: its[i],
			formKey:     form.Key() + rules.SentKey(its[i]),
			endpoint:    strings.Clone(form.Endpoint), // a substring would keep the form in memory
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

// pairCalls returns for each new call the index of the old one that it replaced, or unpaired. It
// pairs, in this order:
//
//  1. calls with the same request, in their order, and sessions with the same messages of the
//     client;
//  2. similar calls at the same place between two pairs;
//  3. calls of one endpoint that are the nearest to each other, until there are none.
func pairCalls(old, fresh []call) []int {
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

// pairSameRequests pairs each new call with the first free old one that has the same request.
func (p *pairing) pairSameRequests() {
	free := map[string][]int{} // the indices of free old calls in order, by the key of their form
	for i := range p.old {
		key := p.old[i].formKey
		free[key] = append(free[key], i)
	}
	for j := range p.fresh {
		key := p.fresh[j].formKey
		if len(free[key]) > 0 {
			p.pair(free[key][0], j)
			free[key] = free[key][1:]
		}
	}
}

// pairSamePlaces looks at the runs of free calls between two pairs, or at either end of the
// cassette. An old run is paired with the last calls of the new run at its place if these are
// as many, and each is similar to the old call at its place in the run. New calls in front of
// these stay free: they were added.
func (p *pairing) pairSamePlaces() {
	i := 0 // the start of the old run
	j := 0
	for j < len(p.fresh) {
		if !p.isNewFree(j) {
			i = p.oldOf[j] + 1
			j++
			continue
		}
		n := 0 // the number of calls from j on that are similar to those from i on
		for p.areSimilarAt(i+n, j+n) {
			n++
		}
		isWholeOldRun := i+n == len(p.old) || p.isTaken[i+n]
		isEndOfNewRun := j+n == len(p.fresh) || !p.isNewFree(j+n)
		if isWholeOldRun && isEndOfNewRun {
			for k := range n {
				p.pair(i+k, j+k)
			}
		}
		j += max(n, 1) // behind the similar calls: the number of comparisons stays linear
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
	var indices []int // of the candidates, in among
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
