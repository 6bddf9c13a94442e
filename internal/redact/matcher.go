package redact

import (
	"bytes"
	"iter"
	"slices"
)

// minSecret is the length in bytes under which a secret is not looked for in other
// places: replacing every "x" of a body because a test's key is "x" would ruin the
// recording and hide nothing.
const minSecret = 8

// rooms is how many hashes there are.
const rooms = 1 << 13

// A spelling is a text in which a secret can stand.
type spelling struct{ kind, text string }

// A matcher finds many texts of minSecret bytes or more in one pass, however many there are: a
// program can have a key for each of its calls. At nearly every place a table tells that none
// begins there.
type matcher struct {
	texts  map[[minSecret]byte][]spelling // by their first bytes
	begins []bool                         // by a hash of three bytes: whether one may begin with them
}

func hash(b []byte) int { return (int(b[0])<<8 ^ int(b[1])<<4 ^ int(b[2])) % rooms }

// add adds texts.
func (m *matcher) add(texts ...spelling) {
	if m.texts == nil {
		m.texts, m.begins = map[[minSecret]byte][]spelling{}, make([]bool, rooms)
	}
	for _, s := range texts {
		first := [minSecret]byte([]byte(s.text))
		m.texts[first] = append(m.texts[first], s)
		m.begins[hash(first[:])] = true
	}
}

// in returns every place in b where one of the texts stands. A nil matcher has none.
func (m *matcher) in(b []byte) iter.Seq[match] {
	return func(yield func(match) bool) {
		for at := 0; m != nil && m.texts != nil && at+minSecret <= len(b); at++ {
			if !m.begins[hash(b[at:])] {
				continue
			}
			for _, s := range slices.Backward(m.texts[[minSecret]byte(b[at:])]) {
				if bytes.HasPrefix(b[at:], []byte(s.text)) && !yield(match{s.kind, at, at + len(s.text)}) {
					return
				}
			}
		}
	}
}
