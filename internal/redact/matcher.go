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
	texts []spelling
	shift []uint8     // by the hash of three bytes: how far no text can begin
	last  map[int]int // by the same hash: the last text whose first bytes have it, counted from 1
	other []int       // for each text: the one before it with that hash, counted likewise
}

const (
	block     = 3 // bytes
	leastRoom = 1 << 10
	mostRoom  = 1 << 16
)

// hash returns the place of the three bytes before end in the tables.
func (m *matcher) hash(b []byte, end int) int {
	return (int(b[end-3])<<8 ^ int(b[end-2])<<4 ^ int(b[end-1])) & (len(m.shift) - 1)
}

// add adds texts. The tables grow with them, since for few texts it takes longer to make
// large ones than to use them.
func (m *matcher) add(texts ...spelling) {
	first := len(m.texts)
	m.texts = append(m.texts, texts...)
	m.other = append(m.other, make([]int, len(texts))...)
	if room := len(m.shift); room < mostRoom && room < 32*len(m.texts) {
		m.shift = bytes.Repeat([]byte{minSecret - block + 1}, max(leastRoom, 4*room))
		m.last = make(map[int]int, len(m.texts))
		first = 0
	}
	for i := first; i < len(m.texts); i++ {
		text := []byte(m.texts[i].text[:minSecret])
		for end := block; end <= minSecret; end++ {
			h := m.hash(text, end)
			m.shift[h] = min(m.shift[h], uint8(minSecret-end))
		}
		h := m.hash(text, minSecret)
		m.other[i], m.last[h] = m.last[h], i+1
	}
}

// in returns every place in b where one of the texts stands. A nil matcher has none.
func (m *matcher) in(b []byte) iter.Seq[match] {
	return func(yield func(match) bool) {
		if m == nil || m.shift == nil {
			return
		}
		for end := minSecret; end <= len(b); {
			h := m.hash(b, end)
			if skip := m.shift[h]; skip > 0 {
				end += int(skip)
				continue
			}
			start := end - minSecret
			for i := m.last[h]; i > 0; i = m.other[i-1] {
				s := &m.texts[i-1]
				found := match{s.kind, start, start + len(s.text)}
				if bytes.HasPrefix(b[start:], []byte(s.text)) && !yield(found) {
					return
				}
			}
			end++
		}
	}
}
