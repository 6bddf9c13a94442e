package redact

import (
	"bytes"
	"iter"
)

// A matcher finds many texts of 8 bytes or more in one pass, however many there are: a
// program can have a key for each of its calls. It is the algorithm of Wu and Manber (A
// Fast Algorithm for Multi-Pattern Searching, 1994): most places are skipped by what
// stands there.
type matcher struct {
	texts   []spelling
	shift   []uint8 // by the hash of three bytes: how far no text can begin
	buckets map[uint16][]int
}

const (
	few   = 16 // texts are faster looked for one by one
	block = 3
)

func hashBlock(a, b, c byte) uint16 { return uint16(a)<<8 ^ uint16(b)<<4 ^ uint16(c) }

func (m *matcher) add(s spelling) {
	m.texts = append(m.texts, s)
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

// in returns every place in b where one of the texts stands. A nil matcher has none.
func (m *matcher) in(b []byte) iter.Seq[match] {
	return func(yield func(match) bool) {
		switch {
		case m == nil:
		case m.shift == nil:
			m.oneByOne(b, yield)
		default:
			m.allAtOnce(b, yield)
		}
	}
}

func (m *matcher) oneByOne(b []byte, yield func(match) bool) {
	for i := range m.texts {
		s := &m.texts[i]
		for at := 0; ; at++ {
			n := bytes.Index(b[at:], []byte(s.text))
			if n < 0 {
				break
			}
			if at += n; !yield(match{s.kind, at, at + len(s.text)}) {
				return
			}
		}
	}
}

func (m *matcher) allAtOnce(b []byte, yield func(match) bool) {
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
