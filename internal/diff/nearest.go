package diff

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
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
// It asks for each of so many candidates once, and keeps none.
func Nearest(asked *canon.Form, count int, recorded func(i int) Candidate) int {
	same, other := newProfile(asked.Lines(), 0), newProfile(asked.Lines(), anyPath)
	same.behind, other.behind = true, true
	nearest, best := -1, rank{}
	for i := range count {
		c, p := recorded(i), same
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

// A profile holds what some lines say, to be compared with many others: each line
// without the numbers in its path, what weighs at each path, and the pairs of words.
type profile struct {
	skip   int // bytes of the paths that don't count
	weight float64
	lines  []canon.Line
	often  map[uint64]int     // how often each line occurs, without numbers
	at     map[string]float64 // the weight at a path
	words  map[uint64]bool
	behind bool // a word counts half where it stands behind another one
}

// anyPath leaves paths out of the comparison.
const anyPath = math.MaxInt

// newProfile makes the profile of lines, without the first skip bytes of their
// paths.
func newProfile(lines []canon.Line, skip int) *profile {
	p := &profile{skip: skip, lines: lines, often: map[uint64]int{}, at: map[string]float64{}, words: map[uint64]bool{}}
	for _, l := range lines {
		w, path := weight(l.Value), pathHash(l.Path, skip)
		p.weight += w
		p.often[lineHash(path, l.Value)]++
		p.at[without(l.Path, skip)] = w
		stringWords(l.Value, func(pair, word uint64, _ int) { p.words[path^pair], p.words[path^word] = true, true })
	}
	if skip == anyPath {
		p.at[""] = math.Inf(1) // all fields are at this path, and none limits another
	}
	return p
}

// without returns a path without its first skip bytes.
func without(path string, skip int) string { return path[min(skip, len(path)):] }

// share returns how much the lines have in common with the profile: 1 for
// everything, 0 for nothing. The first skip bytes of their paths don't count.
//
// A changed field counts less than an equal one, whatever it says, and a field more never
// raises the share. So lines that differ in one field have more in common than lines that
// differ there in the same way, and in another field too.
func (p *profile) share(lines []canon.Line, skip int) float64 {
	sameFields := slices.EqualFunc(p.lines, lines, func(a, b canon.Line) bool {
		return without(a.Path, p.skip) == without(b.Path, skip)
	})
	taken := map[uint64]int{} // how often each was found at another place
	total, common, more := p.weight, 0.0, 0.0
	for i, l := range lines {
		w := weight(l.Value)
		total += w
		if sameFields && l.Value == p.lines[i].Value {
			common += w
			continue
		}
		path := pathHash(l.Path, skip)
		line := lineHash(path, l.Value)
		here, paired := p.at[without(l.Path, skip)]
		switch often := p.often[line]; {
		case sameFields || paired && often == 0:
			common += min(w, here-1) * p.overlap(path, l.Value)
		case taken[line] < often:
			taken[line]++
			common += w
		case often == 0:
			more += w * p.overlap(path, l.Value)
		}
	}
	if total == 0 {
		return 1
	}
	return min(1, 2*common/total*(1+more/total))
}

// overlap returns the part of a string's words that the profile has too.
func (p *profile) overlap(path uint64, value string) float64 {
	var total, common float64
	stringWords(value, func(pair, word uint64, size int) {
		total += float64(size)
		switch {
		case p.words[path^pair]:
			common += float64(size)
		case p.behind && p.words[path^word]:
			common += float64(size) / 2
		}
	})
	return common / max(total, 1)
}

// weight says how much a field counts: short ones by their length, and a long
// text not for all of its length, or the system prompt would decide alone.
func weight(value string) float64 {
	const short = 64
	if len(value) <= short {
		return float64(8 + len(value))
	}
	return 8 + short*(1+float64(bits.Len(uint(len(value)/short)))/2)
}

// seed makes hashes that are only compared with each other, in one process.
var seed = maphash.MakeSeed()

func lineHash(path uint64, value string) uint64 { return path ^ maphash.String(seed, value) }

// pathHash is of a path without its first skip bytes and without digits: it does
// not matter where in a list something stands.
func pathHash(path string, skip int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, c := range []byte(without(path, skip)) {
		if c < '0' || c > '9' {
			h.WriteByte(c)
		}
	}
	return h.Sum64()
}

// stringWords calls f for each word of a JSON string, with a hash of it and the word
// before, one of it alone, and its length. Of a huge string it reads the beginning and the end.
func stringWords(value string, f func(pair, word uint64, size int)) {
	const most = 32 << 10
	if value == "" || value[0] != '"' {
		return
	}
	if len(value) > most {
		value = value[:most/2] + value[len(value)-most/2:]
	}
	before := uint64(0)
	eachWord(exactjson.UnescapeText(value), func(word string) {
		hash := maphash.String(seed, word)
		f(hash^bits.RotateLeft64(before, 1), hash, len(word))
		before = hash
	})
}
