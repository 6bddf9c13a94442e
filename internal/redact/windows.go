package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// Windows are the parts of minSecret bytes that the values of a text have, however these are
// encoded. They tell at once that a value is not in the text: a value that is has all of its
// parts in it. So a text need not be decoded again for each secret that becomes known.
type Windows struct {
	// set has a bit for each hash of a window. Different windows may have the same.
	set   []uint64
	shift int // of a hash to the number of its bit
}

// bitsPerByte is how many bits a set has for each byte of the text. A text in base64 has several
// values for each of its bytes, and a set may be half full then; a value of 16 bytes is in it by
// chance once in 2^9 times.
const bitsPerByte = 8

// WindowsOf returns the windows of a text, or nil if it cannot be searched to its end.
func WindowsOf(text []byte) *Windows {
	size := max(64, len(text)*bitsPerByte)
	log := bits.Len(uint(size - 1)) // the next power of two
	w := &Windows{set: make([]uint64, 1<<log/64), shift: 64 - log}
	walker := carrier.Walker{WantsBytes: true, Find: func(l *carrier.Leaf) []carrier.Match {
		w.add(l.Text)
		return nil
	}}
	_, err := walker.Edits(string(text), carrier.Place{})
	if err != nil {
		return nil
	}
	return w
}

// add adds all windows of a value.
func (w *Windows) add(value string) {
	for at := 0; at+minSecret <= len(value); at++ {
		bit := w.bit(value[at:])
		w.set[bit/64] |= 1 << (bit % 64)
	}
}

// bit returns the number of the bit for the window with which a text begins.
func (w *Windows) bit(text string) uint64 {
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, as Knuth's hashes have it
	return binary.LittleEndian.Uint64([]byte(text[:minSecret])) * odd >> w.shift
}

// mayHave reports whether the text may have a value.
func (w *Windows) mayHave(value string) bool {
	for at := 0; at+minSecret <= len(value); at++ {
		bit := w.bit(value[at:])
		if w.set[bit/64]&(1<<(bit%64)) == 0 {
			return false
		}
	}
	return true
}

// MayHaveAny reports whether the text may have one of some values. If it may,
// [Policy.MayContain] says it for certain.
func (w *Windows) MayHaveAny(values []string) bool {
	return w == nil || slices.ContainsFunc(values, w.mayHave)
}

// NewTexts returns the texts in which the secrets can be in a value that have become known since
// so many were, with their lines.
func (p *Policy) NewTexts(since int) []string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	var texts []string
	for _, secret := range p.inOrder[since:] {
		for _, s := range spellingsOf.Get(secret) {
			texts = append(texts, s.text)
		}
	}
	return texts
}
