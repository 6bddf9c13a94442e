package diff

import (
	"iter"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// A Candidate is a recorded form that could have been meant.
type Candidate struct {
	Form *canon.Form
	Used bool // it has answered a request already
}

// plausible is the least share of a candidate that could have been meant: below
// it, what two requests have in common is only what all requests have.
const plausible = 0.25

// Nearest returns the number of the candidate most like asked, from 0; -1 if there is
// none. In this order it prefers the very same lines for another endpoint, which there are if a
// gateway or a provider has changed; the same endpoint; an unused candidate that
// differs in model and wire only; the same model and wire; one that has a
// fair part in common; an unused one; the larger common part; the earlier one.
// It keeps no candidate.
func Nearest(asked *canon.Form, recorded iter.Seq[Candidate]) int {
	same, other := newProfile(asked.Lines(), 0), newProfile(asked.Lines(), anyPath)
	same.behind, other.behind = true, true
	i, nearest, best := -1, -1, rank{}
	for c := range recorded {
		i++
		p := same
		if c.Form.Endpoint != asked.Endpoint {
			p = other
		}
		if r := rankOf(asked, p, c); nearest < 0 || slices.Compare(r[:], best[:]) > 0 {
			nearest, best = i, r
		}
	}
	return nearest
}

// A rank says how near a candidate is, by the criteria that [Nearest] lists.
// Ranks compare as slices.
type rank [7]float64

func rankOf(asked *canon.Form, p *profile, c Candidate) rank {
	share := p.share(c.Form.Lines(), p.skip)
	sameModel, sameWire := c.Form.Model == asked.Model, c.Form.Wire == asked.Wire
	sameEndpoint := c.Form.Endpoint == asked.Endpoint
	return rank{
		score(!sameEndpoint && slices.Equal(c.Form.Lines(), asked.Lines())),
		score(sameEndpoint),
		score(!c.Used && sameButModel(asked.Lines(), c.Form.Lines())),
		score(sameModel) + score(sameWire),
		score(share >= plausible),
		score(!c.Used),
		share,
	}
}

func score(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

func sameButModel(a, b []canon.Line) bool {
	return len(a) > 0 && slices.EqualFunc(a, b, func(a, b canon.Line) bool {
		return a == b || a.Path == "body/model" && b.Path == "body/model"
	})
}

// Likeness returns how much two forms have in common: 1 for everything, 0 for nothing.
func Likeness(a, b *canon.Form) float64 {
	there, back := newProfile(a.Lines(), 0).share(b.Lines(), 0), newProfile(b.Lines(), 0).share(a.Lines(), 0)
	return (there + back) / 2 // words that only one side has count in one direction
}
