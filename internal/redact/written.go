package redact

import (
	"encoding/binary"
	"slices"
)

// Written remembers enough of the texts that were added to tell, in a time that does not
// depend on how many there were, that none of them holds a secret: the journal need not
// be read again when a secret becomes known. It may be wrong in the other direction only.
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

// bit returns where the bit of the block is that b begins with.
func (f *filter) bit(b []byte) (word *uint64, mask uint64) {
	n := binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15 >> f.shift
	return &f.bits[n/64], 1 << (n % 64)
}

// Add remembers a text.
func (w *Written) Add(text []byte) {
	if n := len(w.filters); n == 0 || w.filters[n-1].left < len(text)/stride {
		size := min(16+2*n, maxFilter) // in bits of a number; each is four times as large
		for size < maxFilter && (1<<size)/8 < len(text)/stride {
			size++
		}
		bits := make([]uint64, 1<<size/64)
		w.filters = append(w.filters, filter{bits: bits, shift: 64 - size, left: 1 << size / 8})
	}
	f := &w.filters[len(w.filters)-1]
	f.left -= len(text) / stride
	for at := 0; at+blockLen <= len(text); at += stride {
		word, mask := f.bit(text[at:])
		*word |= mask
	}
}

// MayContain reports whether a text that was added may hold a secret, in any spelling,
// that has become known since so many were; see [Policy.Count].
func (w *Written) MayContain(p *Policy, since int) bool {
	return slices.ContainsFunc(p.spelledSince(since), func(s spelling) bool {
		return slices.ContainsFunc(w.filters, func(f filter) bool { return f.mayContain([]byte(s.text)) })
	})
}

func (f *filter) mayContain(text []byte) bool {
	if len(text) < wholeBlock {
		return true
	}
	for first := range stride {
		all := true
		for at := first; all && at+blockLen <= len(text); at += stride {
			word, mask := f.bit(text[at:])
			all = *word&mask != 0
		}
		if all {
			return true
		}
	}
	return false
}
