package redact

import (
	"bytes"
	"iter"
)

// minSecret is the length in bytes under which a secret is not looked for in other
// places: replacing every "x" of a body because a test's key is "x" would ruin the
// recording and hide nothing.
const minSecret = 8

// A spelling is a text in which a secret can stand.
type spelling struct{ kind, text string }

// A matcher finds many texts of minSecret bytes or more in one pass, however many there are: a
// program can have a key for each of its calls. It is the algorithm of Wu and Manber (A
// Fast Algorithm for Multi-Pattern Searching, 1994): most places are skipped by what
// stands there.
type matcher struct {
	texts   []spelling
	shift   []uint8 // by the hash of three bytes: how far no text can begin
	buckets map[uint16][]int
}

const block = 3

func hashBlock(a, b, c byte) uint16 { return uint16(a)<<8 ^ uint16(b)<<4 ^ uint16(c) }

func (m *matcher) add(s spelling) {
	if m.shift == nil {
		m.buckets = map[uint16][]int{}
		m.shift = bytes.Repeat([]byte{minSecret - block + 1}, 1<<16)
	}
	for end := block - 1; end < minSecret; end++ {
		h := hashBlock(s.text[end-2], s.text[end-1], s.text[end])
		m.shift[h] = min(m.shift[h], uint8(minSecret-1-end))
		if end == minSecret-1 {
			m.buckets[h] = append(m.buckets[h], len(m.texts))
		}
	}
	m.texts = append(m.texts, s)
}

// in returns every place in b where one of the texts stands. A nil matcher has none.
func (m *matcher) in(b []byte) iter.Seq[match] {
	return func(yield func(match) bool) {
		if m == nil || m.shift == nil {
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
				if bytes.HasPrefix(b[start:], []byte(s.text)) && !yield(match{s.kind, start, start + len(s.text)}) {
					return
				}
			}
			end++
		}
	}
}
