package diff

import (
	"hash/maphash"
	"math"
	"math/bits"

	"github.com/promptecho/promptecho/internal/canon"
)

// A profile holds what some lines say, to be compared with many others: each
// line without the numbers in its path, and the pairs of words of its strings.
type profile struct {
	skip   int // bytes of the paths that don't count
	weight float64
	lines  map[uint64]int // how often each line occurs
	words  hashSet
}

// anyPath leaves paths out of the comparison.
const anyPath = math.MaxInt

// newProfile makes the profile of lines, without the first skip bytes of their
// paths.
func newProfile(lines []canon.Line, skip int) *profile {
	p := &profile{skip: skip, lines: make(map[uint64]int, len(lines))}
	var words []uint64
	for _, l := range lines {
		p.weight += weight(l.Value)
		path := pathHash(l.Path, skip)
		p.lines[lineHash(path, l.Value)]++
		eachWord(l.Value, func(word uint64, _ int) { words = append(words, path^word) })
	}
	p.words = newHashSet(words)
	return p
}

// share returns how much the lines have in common with the profile: 1 for
// everything, 0 for nothing. The first skip bytes of their paths don't count.
func (p *profile) share(lines []canon.Line, skip int) float64 {
	taken := make(map[uint64]int, len(lines)) // how often each was found
	var total, common float64
	for _, l := range lines {
		w, path := weight(l.Value), pathHash(l.Path, skip)
		total += w
		if line := lineHash(path, l.Value); taken[line] < p.lines[line] {
			taken[line]++
			common += w
		} else {
			common += w * p.overlap(path, l.Value)
		}
	}
	if total+p.weight == 0 {
		return 1
	}
	return 2 * min(common, p.weight, total) / (total + p.weight)
}

// overlap returns the part of a string's words that the profile has too.
func (p *profile) overlap(path uint64, value string) float64 {
	var total, common float64
	eachWord(value, func(word uint64, size int) {
		total += float64(size)
		if p.words.has(path ^ word) {
			common += float64(size)
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

// A hashSet holds hashes as one bit each. It is large enough that one in a
// hundred others or fewer is taken for one of its own, and needs no look at a
// hash to say so.
type hashSet []uint64

func newHashSet(hashes []uint64) hashSet {
	s := make(hashSet, 2<<bits.Len(uint(len(hashes))))
	for _, h := range hashes {
		s[s.at(h)] |= 1 << (h & 63)
	}
	return s
}

func (s hashSet) at(hash uint64) uint64 { return hash >> 6 & uint64(len(s)-1) }

func (s hashSet) has(hash uint64) bool { return s[s.at(hash)]&(1<<(hash&63)) != 0 }

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/. Unlike maphash it gives the
// same bits in every process, which a hashSet needs to err alike in all of them.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// pathHash is of a path without its first skip bytes and without digits: it does
// not matter where in a list something stands.
func pathHash(path string, skip int) uint64 {
	h := uint64(fnvOffset)
	for _, c := range []byte(path[min(skip, len(path)):]) {
		if c < '0' || c > '9' {
			h = (h ^ uint64(c)) * fnvPrime
		}
	}
	return h
}

// maxWordBytes bounds the bytes of one string that are read for words.
const maxWordBytes = 32 << 10

// eachWord calls f for each word of a JSON string, with a hash of it and the
// word before, and its length. A character of a script without spaces is
// a word. Of a huge string it reads the beginning and the end.
func eachWord(value string, f func(hash uint64, size int)) {
	if value == "" || value[0] != '"' {
		return
	}
	if len(value) > maxWordBytes {
		eachWord(value[:maxWordBytes/2], f)
		value = `"` + value[len(value)-maxWordBytes/2:]
	}
	hash, before, size := uint64(fnvOffset), uint64(0), 0
	end := func() {
		if size > 0 {
			hash ^= hash >> 32
			f(hash^before*fnvPrime, size)
			hash, before, size = fnvOffset, hash, 0
		}
	}
	for i := 1; i < len(value); i++ {
		c := value[i]
		if c >= wideStart || !isWord(c) {
			end()
		}
		if isWord(c) {
			hash = (hash ^ uint64(c)) * fnvPrime
			size++
		}
		if c == '\\' {
			i++ // an escape is no letter
		}
	}
	end()
}
