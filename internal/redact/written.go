package redact

import (
	"encoding/binary"
	"slices"
)

// Written remembers enough of the texts that were added to tell, in a time that does not
// depend on how many there were, that none of them holds a secret: the journal need not
// be read again when a secret becomes known. It may be wrong in the other direction only.
type Written struct{ blocks map[uint32]struct{} } // by their hashes

// Texts are cut into blocks at every stride; one in a value of wholeBlock bytes or more
// is whole, wherever the value stands.
const (
	stride     = 4
	blockLen   = 8
	wholeBlock = blockLen + stride - 1
)

// hashBlock returns the hash of the block that b begins with.
func hashBlock(b []byte) uint32 {
	return uint32(binary.LittleEndian.Uint64(b) * 0x9e3779b97f4a7c15 >> 32)
}

// Add remembers a text.
func (w *Written) Add(text []byte) {
	if w.blocks == nil {
		w.blocks = map[uint32]struct{}{}
	}
	for at := 0; at+blockLen <= len(text); at += stride {
		w.blocks[hashBlock(text[at:])] = struct{}{}
	}
}

// MayContain reports whether a text that was added may hold a secret, in any spelling,
// that has become known since so many were; see [Policy.Count].
func (w *Written) MayContain(p *Policy, since int) bool {
	return slices.ContainsFunc(p.spelledSince(since), func(s spelling) bool { return w.mayContain([]byte(s.text)) })
}

func (w *Written) mayContain(text []byte) bool {
	if len(text) < wholeBlock {
		return true
	}
	for first := range stride {
		all := true
		for at := first; all && at+blockLen <= len(text); at += stride {
			_, all = w.blocks[hashBlock(text[at:])]
		}
		if all {
			return true
		}
	}
	return false
}
