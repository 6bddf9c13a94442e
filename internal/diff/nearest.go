package diff

import (
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Candidate is a recorded form that the request may have been meant to match.
type Candidate struct {
	Form *canon.Form
	Used bool // it has answered a request
}

// plausible is the least share of lines that a plausible candidate has in common with the
// request. Any two requests have a smaller share in common.
const plausible = 0.25

// Nearest returns the index of the candidate that is most similar to asked, or -1 if there are
// no candidates. These are the criteria, the most important one first:
//  1. It has the same lines for another endpoint: a gateway or a provider has changed.
//  2. It has the same endpoint.
//  3. It is unused, and differs only in the model and the wire.
//  4. It has the same model and the same wire.
//  5. A plausible share of it is the same.
//  6. It is unused.
//  7. A larger share of it is the same.
//  8. It is the earlier one.
//
// Nearest calls recorded once for each index below count, and keeps no candidate.
func Nearest(asked *canon.Form, count int, recorded func(i int) Candidate) int {
	withPaths := newProfile(asked.Lines(), 0)
	withoutPaths := newProfile(asked.Lines(), anyPath)
	withPaths.halfForWord = true
	withoutPaths.halfForWord = true
	nearest := -1
	var best rank
	for i := range count {
		c := recorded(i)
		p := withPaths
		if c.Form.Endpoint != asked.Endpoint {
			p = withoutPaths
		}
		r := rankOf(asked, p, c)
		if nearest < 0 || slices.Compare(r[:], best[:]) > 0 {
			nearest = i
			best = r
		}
	}
	return nearest
}

// A rank has a number for each of the first seven criteria of [Nearest]. Ranks are compared as
// slices.
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
	// A share does not count the words that only the profile has, so take both directions.
	shareOfB := newProfile(a.Lines(), 0).share(b.Lines(), 0)
	shareOfA := newProfile(b.Lines(), 0).share(a.Lines(), 0)
	return (shareOfB + shareOfA) / 2
}

// A profile is an index of lines for comparisons with many other lists of lines.
type profile struct {
	lines  []canon.Line
	skip   int                // the number of bytes at the start of each path that are ignored
	weight float64            // the sum of the weights of the lines
	counts map[uint64]int     // how often each line occurs, by its hash
	at     map[string]float64 // the weight of the line at each path
	words  map[uint64]bool    // hashes of the words, and of each two words in a row

	halfForWord bool // a word that follows another one than in the profile counts half
}

// anyPath as the number of skipped bytes leaves paths out of the comparison.
const anyPath = math.MaxInt

// newProfile returns the profile of lines, without the first skip bytes of their paths.
func newProfile(lines []canon.Line, skip int) *profile {
	p := &profile{
		lines:  lines,
		skip:   skip,
		counts: map[uint64]int{},
		at:     map[string]float64{},
		words:  map[uint64]bool{},
	}
	for _, l := range lines {
		w := weight(l.Value)
		path := pathHash(l.Path, skip)
		p.weight += w
		p.counts[lineHash(path, l.Value)]++
		p.at[withoutStart(l.Path, skip)] = w
		stringWords(l.Value, func(pair, word uint64, _ int) {
			p.words[path^pair] = true
			p.words[path^word] = true
		})
	}
	if skip == anyPath {
		p.at[""] = math.Inf(1) // all fields are at this path, and none limits another
	}
	return p
}

// withoutStart returns a path without its first skip bytes.
func withoutStart(path string, skip int) string { return path[min(skip, len(path)):] }

// share returns how much the lines have in common with the profile: 1 for
// everything, 0 for nothing. The first skip bytes of their paths don't count.
//
// A changed field counts less than an equal one, whatever its value, and an
// additional field never raises the share. So lines that differ in one field have
// a larger share than lines that differ in the same field and in another one.
func (p *profile) share(lines []canon.Line, skip int) float64 {
	sameFields := slices.EqualFunc(p.lines, lines, func(a, b canon.Line) bool {
		return withoutStart(a.Path, p.skip) == withoutStart(b.Path, skip)
	})
	taken := map[uint64]int{} // how often each line was found at another path
	total := p.weight
	common := 0.0 // the weight of equal lines, and the equal part of changed fields
	added := 0.0  // the part of additional fields whose words the profile has
	for i, l := range lines {
		w := weight(l.Value)
		total += w
		if sameFields && l.Value == p.lines[i].Value {
			common += w
			continue
		}
		path := pathHash(l.Path, skip)
		line := lineHash(path, l.Value)
		count := p.counts[line]
		weightHere, hasPath := p.at[withoutStart(l.Path, skip)]
		isChanged := sameFields || hasPath && count == 0
		switch {
		case isChanged:
			common += min(w, weightHere-1) * p.overlap(path, l.Value)
		case taken[line] < count:
			taken[line]++
			common += w
		case count == 0:
			added += w * p.overlap(path, l.Value)
		}
	}
	if total == 0 {
		return 1
	}
	return min(1, 2*common/total*(1+added/total))
}

// overlap returns the share of a string's words that the profile has at the same path.
func (p *profile) overlap(path uint64, value string) float64 {
	var total, common float64
	stringWords(value, func(pair, word uint64, size int) {
		total += float64(size)
		switch {
		case p.words[path^pair]:
			common += float64(size)
		case p.halfForWord && p.words[path^word]:
			common += float64(size) / 2
		}
	})
	return common / max(total, 1)
}

// weight returns how much a value counts. The weight of a long text grows with the logarithm
// of its length, so that the system prompt alone does not decide.
func weight(value string) float64 {
	const short = 64
	if len(value) <= short {
		return float64(8 + len(value))
	}
	return 8 + short*(1+float64(bits.Len(uint(len(value)/short)))/2)
}

// seed is random: hashes are only compared with others of the same process.
var seed = maphash.MakeSeed()

func lineHash(path uint64, value string) uint64 { return path ^ maphash.String(seed, value) }

// pathHash returns the hash of a path without its first skip bytes and without digits, so
// that the index in a list does not count.
func pathHash(path string, skip int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, c := range []byte(withoutStart(path, skip)) {
		if c < '0' || c > '9' {
			h.WriteByte(c)
		}
	}
	return h.Sum64()
}

// stringWords calls f for each word of a JSON string with the hash of the word and the one
// before it, the hash of the word, and its length. It reads only the beginning and the end of
// a huge string.
func stringWords(value string, f func(pair, word uint64, size int)) {
	const maxBytes = 32 << 10
	if value == "" || value[0] != '"' {
		return
	}
	if len(value) > maxBytes {
		value = value[:maxBytes/2] + value[len(value)-maxBytes/2:]
	}
	before := uint64(0)
	eachWord(exactjson.UnescapeText(value), func(word string) {
		hash := maphash.String(seed, word)
		f(hash^bits.RotateLeft64(before, 1), hash, len(word))
		before = hash
	})
}
