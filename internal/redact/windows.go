package redact

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// Windows are the parts of minSecret bytes that the values of a text have, however the
// values are encoded. If a value is in the text, all of its windows are in the set. So the
// text need not be decoded again for each secret that becomes known.
type Windows struct {
	set   []uint64 // a bit for each hash of a window; windows may have equal hashes
	shift int      // shifts a hash to the number of its bit
}

// bitsPerByte is how many bits the set has for each byte of the text. A text in base64 has
// several values for each byte, and half of the bits may be set then. A value of 16 bytes
// has 9 windows, so all of them are in the set by chance once in 2^9 times.
const bitsPerByte = 8

// WindowsOf returns the windows of a text, or nil if the text cannot be searched to its
// end.
func WindowsOf(text []byte) *Windows {
	size := max(64, len(text)*bitsPerByte)
	log := bits.Len(uint(size - 1)) // of the next power of two
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

// add adds the windows of a value.
func (w *Windows) add(value string) {
	for at := 0; at+minSecret <= len(value); at++ {
		bit := w.bit(value[at:])
		w.set[bit/64] |= 1 << (bit % 64)
	}
}

// bit returns the number of the bit of the window with which a text begins.
func (w *Windows) bit(text string) uint64 {
	const factor = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio (Knuth's multiplicative hash)
	return binary.LittleEndian.Uint64([]byte(text[:minSecret])) * factor >> w.shift
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

// MayHaveAny reports whether the text may have one of several values. If so, only
// [Policy.MayContain] can tell. Nil windows may have any value.
func (w *Windows) MayHaveAny(values []string) bool {
	return w == nil || slices.ContainsFunc(values, w.mayHave)
}

// NewTexts returns the spellings of all known secrets but the first since ones, with their
// lines.
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
