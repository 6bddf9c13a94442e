package diff

import (
	"cmp"
	"hash/maphash"
	"math"
	"math/bits"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
)

// plausible is the share from which a candidate can be what was meant: below
// it, what two requests have in common is only what all requests have.
const plausible = 0.25

// Nearest returns the index of the candidate most like asked, -1 if there is
// none. In this order it prefers the same endpoint; an unused candidate that
// differs in model and wire only; the same model and wire; one that has a
// fair part in common; an unused one; the larger common part; the earlier one.
func Nearest(asked *canon.Form, recorded []Candidate) int {
	endpoint := slices.ContainsFunc(recorded, func(c Candidate) bool { return c.Form.Endpoint == asked.Endpoint })
	b := newBag(asked.Lines(), 0)
	if !endpoint {
		b = newBag(asked.Lines(), anyPath)
	}
	best, rank := -1, rank{}
	for i, c := range recorded {
		if endpoint && c.Form.Endpoint != asked.Endpoint {
			continue
		}
		if r := rankOf(asked, b, c); best < 0 || r.compare(&rank) > 0 {
			best, rank = i, r
		}
	}
	return best
}

// rank says how near a candidate is, the weightiest field first.
type rank struct {
	twin   bool // unused, and nothing differs but model and wire
	same   int  // of model and wire
	fair   bool
	unused bool
	share  float64
}

func rankOf(asked *canon.Form, b *bag, c Candidate) rank {
	r := rank{unused: !c.Used}
	if c.Form.Model == asked.Model {
		r.same++
	}
	if c.Form.Wire == asked.Wire {
		r.same++
	}
	r.share = b.share(c.Form.Lines(), b.skip)
	r.fair = r.share >= plausible
	r.twin = r.unused && sameButModel(asked.Lines(), c.Form.Lines())
	return r
}

func (r *rank) compare(other *rank) int {
	return cmp.Or(
		compareBools(r.twin, other.twin),
		cmp.Compare(r.same, other.same),
		compareBools(r.fair, other.fair),
		compareBools(r.unused, other.unused),
		cmp.Compare(r.share, other.share),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

func sameButModel(a, b []canon.Line) bool {
	if len(a) != len(b) || len(a) == 0 {
		return false
	}
	for i := range a {
		if a[i] != b[i] && (a[i].Path != "body/model" || b[i].Path != "body/model") {
			return false
		}
	}
	return true
}

// A bag holds what some lines say, to be compared with many others: each line
// without the numbers in its path, and the pairs of words of its long strings.
type bag struct {
	skip   int // bytes of the paths that don't count
	weight float64
	lines  map[uint64]int  // how often each line occurs
	lens   map[int]bool    // the lengths of their values
	taken  map[uint64]int  // scratch: how many of them a comparison has used
	words  map[uint64]bool // set while small
	filter []uint64        // a bit for each of words: most pairs of unlike texts end here
}

// longString is the length from which a string is compared by its words.
const longString = 24

// anyPath leaves paths out of the comparison.
const anyPath = math.MaxInt

func newBag(lines []canon.Line, skip int) *bag {
	b := &bag{skip: skip, lines: make(map[uint64]int, len(lines)), lens: map[int]bool{}, taken: map[uint64]int{}, words: map[uint64]bool{}}
	for _, l := range lines {
		b.weight += weigh(l.Value)
		path := pathHash(l.Path, skip)
		b.lines[path^maphash.String(seed, l.Value)]++
		b.lens[len(l.Value)] = true
		eachWord(l.Value, func(h uint64, _ int) { b.words[path^h] = true })
	}
	b.filter = make([]uint64, 1<<max(4, bits.Len(uint(len(b.words)))))
	for h := range b.words {
		b.filter[h>>6&uint64(len(b.filter)-1)] |= 1 << (h & 63)
	}
	return b
}

// weigh says how much a field counts: short ones by their length, and a long
// text not for all of its length, or the system prompt would decide alone.
func weigh(value string) float64 {
	const short = 64
	if len(value) <= short {
		return float64(8 + len(value))
	}
	return 8 + short*(1+float64(bits.Len(uint(len(value)/short)))/2)
}

// share returns how much the lines have in common with the bag: 1 for
// everything, 0 for nothing. The first skip bytes of the paths don't count.
func (b *bag) share(lines []canon.Line, skip int) float64 {
	clear(b.taken)
	var total, common float64
	for _, l := range lines {
		w, path := weigh(l.Value), pathHash(l.Path, skip)
		total += w
		if b.take(path, l.Value) {
			common += w
		} else {
			common += w * b.covered(path, l.Value)
		}
	}
	if total+b.weight == 0 {
		return 1
	}
	return 2 * min(common, b.weight, total) / (total + b.weight)
}

// take reports whether the bag has the line once more.
func (b *bag) take(path uint64, value string) bool {
	if !b.lens[len(value)] {
		return false
	}
	h := path ^ maphash.String(seed, value)
	if b.taken[h] >= b.lines[h] {
		return false
	}
	b.taken[h]++
	return true
}

// covered returns the part of a long string's words that the bag has too.
func (b *bag) covered(path uint64, value string) float64 {
	var total, common int
	mask := uint64(len(b.filter) - 1)
	eachWord(value, func(h uint64, n int) {
		total += n
		h ^= path
		if b.filter[h>>6&mask]&(1<<(h&63)) != 0 && b.words[h] {
			common += n
		}
	})
	if total == 0 {
		return 0
	}
	return float64(common) / float64(total)
}

// pathHash is of a path without its first skip bytes and the numbers in it.
func pathHash(path string, skip int) uint64 {
	h, digits := uint64(fnvOffset), false
	for i := min(skip, len(path)); i < len(path); i++ {
		c := path[i]
		if '0' <= c && c <= '9' {
			if digits {
				continue
			}
			c, digits = '0', true
		} else {
			digits = false
		}
		h = (h ^ uint64(c)) * fnvPrime
	}
	return h
}

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// maxWords bounds the bytes of one string that are read for words.
const maxWords = 32 << 10

// eachWord calls f for each word of a long JSON string, with a hash of it and
// the word before, and its length. A character of a script without spaces is
// a word. Of a huge string it reads the beginning and the end.
func eachWord(value string, f func(h uint64, n int)) {
	if len(value) < longString || value[0] != '"' {
		return
	}
	if len(value) > maxWords {
		eachWord(value[:maxWords/2], f)
		value = `"` + value[len(value)-maxWords/2:]
	}
	h, before, n := uint64(fnvOffset), uint64(0), 0
	end := func() {
		if n == 0 {
			return
		}
		h ^= h >> 32
		f(h^before*fnvPrime, n)
		h, before, n = fnvOffset, h, 0
	}
	for i := 1; i < len(value); i++ {
		c := value[i]
		switch {
		case c >= 0xE3: // U+3000 and up
			end()
			fallthrough
		case wordBytes[c]:
			h = (h ^ uint64(c)) * fnvPrime
			n++
		default:
			end()
			if c == '\\' {
				i++ // an escape is no letter
			}
		}
	}
	end()
}

// wordBytes has the ASCII letters and digits, and every byte of a rune beyond.
var wordBytes = func() (t [256]bool) {
	for c := range t {
		t[c] = '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= 0x80
	}
	return t
}()
