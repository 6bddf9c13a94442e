package redact

import (
	"encoding/binary"
	"slices"
)

// Written remembers enough of the texts that were added to tell, in a time that does not
// depend on how many there were, that none of them holds a secret: the journal need not
// be read again when a secret becomes known. It may be wrong in the other direction only,
// and is so hardly ever for 10 MB of text and nearly always for 50 MB.
type Written struct {
	bits []uint64 // one for each block of 8 bytes, by its hash; it is made once
}

const writtenBits = 23 // of the number of a bit

// Texts are cut into blocks at every stride; one in a value of wholeBlock bytes or more
// is whole, wherever the value stands.
const (
	stride     = 4
	blockLen   = 8
	wholeBlock = blockLen + stride - 1
)

// bit returns where the bit of the block is that b begins with.
func (w *Written) bit(b []byte) (word *uint64, mask uint64) {
	n := binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15 >> (64 - writtenBits)
	return &w.bits[n/64], 1 << (n % 64)
}

// Add remembers a text.
func (w *Written) Add(text []byte) {
	if w.bits == nil {
		w.bits = make([]uint64, 1<<writtenBits/64)
	}
	for at := 0; at+blockLen <= len(text); at += stride {
		word, mask := w.bit(text[at:])
		*word |= mask
	}
}

// MayContain reports whether a text that was added may hold a secret, in any spelling,
// that has become known since so many were; see [Policy.Count].
func (w *Written) MayContain(p *Policy, since int) bool {
	return w.bits != nil &&
		slices.ContainsFunc(p.spelledSince(since), func(s spelling) bool { return w.mayContain([]byte(s.text)) })
}

func (w *Written) mayContain(text []byte) bool {
	if len(text) < wholeBlock {
		return true
	}
	for first := range stride {
		all := true
		for at := first; all && at+blockLen <= len(text); at += stride {
			word, mask := w.bit(text[at:])
			all = *word&mask != 0
		}
		if all {
			return true
		}
	}
	return false
}
