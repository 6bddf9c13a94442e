package redact

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// minLearned is the length in bytes under which what a request carries is not looked for
// elsewhere: "test-key" may well be a word of the prompt.
const minLearned = 12

// minSecret is the length in bytes under which a secret is not looked for in other
// places: replacing every "x" of a body because a test's key is "x" would ruin the
// recording and hide nothing.
const minSecret = 8

// secrets are the values that are known to be secret.
type secrets struct {
	mu              sync.RWMutex
	known           map[string]bool // their texts
	inOrder         []string        // the same, in the order in which they became known
	matcher         matcher         // finds them and their lines
	signatures      [2]*matcher     // find what signs one request, the new ones first
	signaturesAdded int             // how often such a value was added
}

// AddSecret makes a secret known: it is replaced wherever it is found from now on. Values
// shorter than 8 bytes are not looked for.
func (s *secrets) AddSecret(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(text) < minSecret || strings.Contains(Placeholder, text) || s.known[text] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	text = strings.Clone(text) // it may be a part of a large one
	s.known[text] = true
	s.inOrder = append(s.inOrder, text)
	s.matcher.add(spellingsOf.Get(text)...)
}

// maxSignatures is how many values that sign one request are looked for. An answer holds
// those of its own request: they are the last ones, unless as many requests are under way
// at once.
const maxSignatures = 128

// addSignature makes a value known that signs one request, or is for one request only. It is
// replaced for a while: no answer to another request has it.
func (s *secrets) addSignature(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(text) < minLearned || s.known[text] {
		return
	}
	if s.signatures[0] == nil || len(s.signatures[0].texts) >= maxSignatures {
		s.signatures = [2]*matcher{new(matcher), s.signatures[0]}
	}
	s.signaturesAdded++
	s.signatures[0].add(spelling{kindPlain, strings.Clone(text)})
}

// Count returns how many secrets are known; it only grows.
func (s *secrets) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known)
}

// counts returns how many secrets are known, and how often a value was added that
// signs one request; both only grow.
func (s *secrets) counts() (known, signed int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known), s.signaturesAdded
}

// knowsNone reports whether there is nothing to look for.
func (s *secrets) knowsNone() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known) == 0 && s.signatures[0] == nil
}

// find returns the places where a text has a known secret, in order and without overlap.
// With lines, those count too where it has only a line of one.
func (s *secrets) find(text string, lines bool) []match {
	var found []match
	add := func(m match) {
		if m.kind != kindLine || lines {
			found = append(found, m)
		}
	}
	s.mu.RLock()
	s.matcher.find(text, add)
	s.signatures[0].find(text, add)
	s.signatures[1].find(text, add)
	s.mu.RUnlock()
	if len(found) < 2 {
		return found
	}
	slices.SortStableFunc(found, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	all := found[:1]
	for _, m := range found[1:] {
		last := &all[len(all)-1]
		if m.start < last.end {
			last.end = max(last.end, m.end)
		} else {
			all = append(all, m)
		}
	}
	return all
}

// A spelling is a text in which a secret can be in decoded text.
type spelling struct {
	kind kind // kindPlain, kindUTF16 or kindLine
	text string
}

// spellingsOf remembers the spellings of keys, which the tests of a package share.
var spellingsOf = memo.Strings[[]spelling]{Func: spellings}

// spellings returns how a secret can be in a decoded text: as it is; in the other letter
// case, if it is hexadecimal or a UUID, which come in both; without what looks like an
// escape in it; in UTF-16, as bytes; and the lines of one that has several, each of
// which is by itself in YAML.
func spellings(text string) []spelling {
	all := []spelling{{kindPlain, text}}
	if runEnd(text, 0, hexAny|dash) == len(text) {
		all = appendNew(all, kindPlain, strings.ToUpper(text))
		all = appendNew(all, kindPlain, strings.ToLower(text))
	}
	for plain := carrier.Unescape(text); ; plain = carrier.Unescape(plain) {
		n := len(all)
		all = appendNew(all, kindPlain, plain)
		if len(all) == n {
			break
		}
	}
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		all = appendNew(all, kindUTF16, utf16Of(text, order))
	}
	for line := range strings.SplitSeq(text, "\n") {
		all = appendNew(all, kindLine, line)
	}
	return all
}

// utf16Of returns a text in UTF-16.
func utf16Of(text string, order binary.AppendByteOrder) string {
	units := make([]byte, 0, 2*len(text))
	for _, unit := range utf16.Encode([]rune(text)) {
		units = order.AppendUint16(units, unit)
	}
	return string(units)
}

// appendNew appends a spelling unless it is there or too short to be looked for.
func appendNew(all []spelling, kind kind, text string) []spelling {
	isThere := slices.ContainsFunc(all, func(s spelling) bool { return s.text == text })
	if len(text) < minSecret || isThere {
		return all
	}
	return append(all, spelling{kind, text})
}

// hashes is how many hashes there are.
const hashCount = 1 << 13

// A matcher finds many texts of minSecret bytes or more in one pass, however many there are: a
// program can have a key for each of its calls. At nearly every place a table tells that none
// begins there.
type matcher struct {
	texts      map[[minSecret]byte][]spelling // by their first bytes
	firstBytes [hashCount / 64]uint64         // bits, by a hash of three bytes: whether one may begin with them
}

func windowHash(s string) uint { return (uint(s[0])<<8 ^ uint(s[1])<<4 ^ uint(s[2])) % hashCount }

// add adds texts.
func (m *matcher) add(texts ...spelling) {
	if m.texts == nil {
		m.texts = map[[minSecret]byte][]spelling{}
	}
	for _, s := range texts {
		first := [minSecret]byte([]byte(s.text[:minSecret]))
		m.texts[first] = append(m.texts[first], s)
		h := windowHash(s.text)
		m.firstBytes[h/64] |= 1 << (h % 64)
	}
}

// find calls add with every place in a text where one of the texts is. A nil matcher has
// none.
func (m *matcher) find(text string, add func(match)) {
	if m == nil || m.texts == nil {
		return
	}
	for at := 0; at+minSecret <= len(text); at++ {
		h := windowHash(text[at:])
		if m.firstBytes[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		var first [minSecret]byte
		copy(first[:], text[at:])
		for _, s := range m.texts[first] {
			if strings.HasPrefix(text[at:], s.text) {
				add(match{kind: s.kind, start: at, end: at + len(s.text)})
			}
		}
	}
}
