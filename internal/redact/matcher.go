package redact

import (
	"bytes"
	"cmp"
	"slices"
)

// A matcher finds many texts of 8 bytes or more in one pass, however many there are:
// a program can have a credential for each of its calls. It is the algorithm of Wu and
// Manber (A Fast Algorithm for Multi-Pattern Searching, 1994): most places are
// skipped by what stands there.
type matcher struct {
	texts   []spelled
	shift   []uint8 // by the hash of three bytes: how far no text can begin
	buckets map[uint16][]int
}

// A spelled is a known value in one of its spellings.
type spelled struct{ kind, text string }

const (
	few   = 16 // texts are faster looked for one by one
	block = 3
)

func hashBlock(a, b, c byte) uint16 { return uint16(a)<<8 ^ uint16(b)<<4 ^ uint16(c) }

func (m *matcher) add(kind, text string) {
	m.texts = append(m.texts, spelled{kind, text})
	switch n := len(m.texts); {
	case n <= few:
	case n == few+1:
		m.buckets = map[uint16][]int{}
		m.shift = bytes.Repeat([]byte{minSecret - block + 1}, 1<<16)
		for i := range m.texts {
			m.index(i)
		}
	default:
		m.index(n - 1)
	}
}

func (m *matcher) index(i int) {
	text := m.texts[i].text
	for end := block - 1; end < minSecret; end++ {
		h := hashBlock(text[end-2], text[end-1], text[end])
		m.shift[h] = min(m.shift[h], uint8(minSecret-1-end))
		if end == minSecret-1 {
			m.buckets[h] = append(m.buckets[h], i)
		}
	}
}

// each calls f with every place where one of the texts stands, until f returns false.
func (m *matcher) each(b []byte, f func(s *spelled, start, end int) bool) {
	if m.shift == nil {
		for i := range m.texts {
			s := &m.texts[i]
			for at := 0; ; at++ {
				n := bytes.Index(b[at:], []byte(s.text))
				if n < 0 {
					break
				}
				if at += n; !f(s, at, at+len(s.text)) {
					return
				}
			}
		}
		return
	}
	for end := minSecret - 1; end < len(b); {
		h := hashBlock(b[end-2], b[end-1], b[end])
		if skip := m.shift[h]; skip > 0 {
			end += int(skip)
			continue
		}
		start := end - minSecret + 1
		for _, i := range m.buckets[h] {
			s := &m.texts[i]
			if bytes.HasPrefix(b[start:], []byte(s.text)) && !f(s, start, start+len(s.text)) {
				return
			}
		}
		end++
	}
}

// replace returns b with the texts of all matchers replaced; where several overlap,
// all of them together. It returns b itself if it holds none and never changes it.
func replace(b []byte, all ...*matcher) []byte {
	var spans []span
	for _, m := range all {
		if m != nil {
			m.each(b, func(_ *spelled, start, end int) bool {
				spans = append(spans, span{start: start, end: end})
				return true
			})
		}
	}
	if len(spans) == 0 {
		return b
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.start, b.start) })
	var out []byte
	at := 0
	for i := 0; i < len(spans); {
		start, end := spans[i].start, spans[i].end
		for i++; i < len(spans) && spans[i].start < end; i++ {
			end = max(end, spans[i].end)
		}
		out = append(append(out, b[at:start]...), Placeholder...)
		at = end
	}
	return append(out, b[at:]...)
}

// Written remembers enough of the texts that were added to tell, in a time that does
// not depend on how many there were, that none of them holds a value: the journal need
// not be read again when a credential becomes known. It may be wrong in the other
// direction only.
type Written struct{ filters []filter }

// A filter is a set of blocks of 8 bytes, each one bit; two may share one.
type filter struct {
	bits  []uint64
	shift int // of a hash, to the number of a bit
	left  int // blocks that it has room for
}

// maxFilter is the size of the largest filter, 8 MB, in bits of the number of a bit. One
// that is fuller than it should be is wrong more often, in the harmless direction.
const maxFilter = 26

// Texts are cut into blocks at every stride; one in a value of wholeBlock bytes or more
// is whole, wherever the value stands.
const (
	stride     = 4
	blockLen   = 8
	wholeBlock = blockLen + stride - 1
)

func (f *filter) bit(b []byte) (word int, mask uint64) {
	x := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 | uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
	n := x * 0x9e3779b97f4a7c15 >> f.shift
	return int(n / 64), 1 << (n % 64)
}

// Add remembers a text.
func (w *Written) Add(text []byte) {
	if n := len(w.filters); n == 0 || w.filters[n-1].left < len(text)/stride {
		size := min(16+2*n, maxFilter) // in bits of a number; each is four times as large
		for size < maxFilter && (1<<size)/16 < len(text)/stride {
			size++
		}
		w.filters = append(w.filters, filter{bits: make([]uint64, 1<<size/64), shift: 64 - size, left: 1 << size / 16})
	}
	f := &w.filters[len(w.filters)-1]
	f.left -= len(text) / stride
	for at := 0; at+blockLen <= len(text); at += stride {
		word, mask := f.bit(text[at:])
		f.bits[word] |= mask
	}
}

// MayHold reports whether a text that was added may hold a value that has become known
// since so many were; see [Policy.Known].
func (w *Written) MayHold(p *Policy, since int) bool {
	for _, v := range p.since(since) {
		for _, line := range v.lines() {
			if w.mayHold(line.whole) {
				return true
			}
		}
		for _, form := range v.all() {
			if w.mayHold(form.text) {
				return true
			}
		}
	}
	return false
}

func (w *Written) mayHold(text []byte) bool {
	return slices.ContainsFunc(w.filters, func(f filter) bool { return f.mayHold(text) })
}

func (f *filter) mayHold(text []byte) bool {
	if len(text) < wholeBlock {
		return true
	}
	for first := range stride {
		all := true
		for at := first; all && at+blockLen <= len(text); at += stride {
			word, mask := f.bit(text[at:])
			all = f.bits[word]&mask != 0
		}
		if all {
			return true
		}
	}
	return false
}
