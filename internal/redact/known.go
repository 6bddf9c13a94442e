package redact

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// minLearned is the length in bytes of the shortest value of a request that is looked for
// in other places. A shorter value, such as "test-key", may be a word of the prompt.
const minLearned = 12

// minSecret is the length in bytes of the shortest secret that is looked for in other
// places. If a test's key is "x", replacing each "x" of a body would ruin the recording
// and protect nothing.
const minSecret = 8

// secrets are the known secrets, which are replaced wherever they are found.
type secrets struct {
	mu              sync.RWMutex
	known           map[string]bool
	inOrder         []string    // the known secrets, in the order in which they became known
	matcher         matcher     // finds the known secrets and their lines
	signatures      [2]*matcher // find signatures: the newest ones, and those before
	signaturesAdded int         // how many signatures were added so far
}

// AddSecret makes a secret known: from now on, it is replaced wherever it is found. A
// value shorter than 8 bytes is ignored.
func (s *secrets) AddSecret(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(text) < minSecret || strings.Contains(Placeholder, text) || s.known[text] {
		return
	}
	if s.known == nil {
		s.known = map[string]bool{}
	}
	text = strings.Clone(text) // do not retain a large text that it may be a part of
	s.known[text] = true
	s.inOrder = append(s.inOrder, text)
	s.matcher.add(spellingsOf.Get(text)...)
}

// maxSignatures is how many signatures are kept at least, once as many were added. A
// response may repeat the signatures of its own request. Those are among the newest ones,
// unless so many requests are in flight at once.
const maxSignatures = 128

// addSignature makes a value known that signs one request, or is for one request only. It
// is replaced until maxSignatures others are known: only the response to the same request
// can repeat it.
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

// counts returns how many secrets are known, and how many signatures were added so far.
// Both only grow.
func (s *secrets) counts() (known, signaturesAdded int) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known), s.signaturesAdded
}

// knowsNone reports whether no secret and no signature is known.
func (s *secrets) knowsNone() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known) == 0 && s.signatures[0] == nil
}

// find returns the known secrets in a text, in order. Secrets that overlap are one match.
// With includeLines, a single line of a secret is a match, too.
func (s *secrets) find(text string, includeLines bool) []match {
	var found []match
	add := func(m match) {
		if m.kind != kindLine || includeLines {
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
	group.Sort(found, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	all := found[:1]
	for _, m := range found[1:] {
		last := &all[len(all)-1]
		switch {
		case m.start >= last.end:
			all = append(all, m)
		case isOtherByteOrder(*last, m):
			// The byte that only the second one has is the zero of the next character.
		default:
			last.end = max(last.end, m.end)
		}
	}
	return all
}

// isOtherByteOrder reports whether two matches are one secret in UTF-16, found in both byte
// orders. Next to ASCII, the bytes of the text "\x00k\x00e\x00y\x00" from the second one on are
// the secret in the other order.
func isOtherByteOrder(first, second match) bool {
	areUTF16 := first.kind == kindUTF16 && second.kind == kindUTF16
	return areUTF16 && second.start == first.start+1 && second.end == first.end+1
}

// A spelling is one of the forms that a secret can have in a decoded text.
type spelling struct {
	kind kind // kindPlain, kindUTF16 or kindLine
	text string
}

// spellingsOf remembers the results of spellings: the tests of a package share secrets.
var spellingsOf = memo.Strings[[]spelling]{Func: spellings}

// spellings returns the forms that a secret can have in a decoded text:
//
//   - the secret as it is
//   - in upper and in lower case, if it is hexadecimal or a UUID
//   - with what looks like an escape decoded, as often as there is one
//   - in UTF-16, in both byte orders
//   - each of its lines, since YAML writes lines apart
func spellings(text string) []spelling {
	all := []spelling{{kindPlain, text}}
	if runEnd(text, 0, hexAny|dash) == len(text) {
		all = appendNew(all, kindPlain, strings.ToUpper(text))
		all = appendNew(all, kindPlain, strings.ToLower(text))
	}
	for plain := text; ; {
		plain = carrier.Unescape(plain)
		n := len(all)
		all = appendNew(all, kindPlain, plain)
		isKnown := len(all) == n
		if isKnown {
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

// appendNew appends a spelling, unless all has its text or the text is too short to be
// looked for.
func appendNew(all []spelling, kind kind, text string) []spelling {
	hasText := slices.ContainsFunc(all, func(s spelling) bool { return s.text == text })
	if len(text) < minSecret || hasText {
		return all
	}
	return append(all, spelling{kind, text})
}

// hashCount is how many different values prefixHash returns.
const hashCount = 1 << 13

// A matcher finds many texts of minSecret bytes or more in one pass. The time does not
// depend on how many there are: a program can have a key for each of its calls. At nearly
// every place, firstBytes says at once that no text begins there.
type matcher struct {
	texts      map[[minSecret]byte][]spelling // by their first bytes
	firstBytes [hashCount / 64]uint64         // a bit for each prefixHash of a text
}

// prefixHash returns a hash of the first three bytes of a text.
func prefixHash(s string) uint { return (uint(s[0])<<8 ^ uint(s[1])<<4 ^ uint(s[2])) % hashCount }

// add adds texts.
func (m *matcher) add(texts ...spelling) {
	if m.texts == nil {
		m.texts = map[[minSecret]byte][]spelling{}
	}
	for _, s := range texts {
		first := [minSecret]byte([]byte(s.text[:minSecret]))
		m.texts[first] = append(m.texts[first], s)
		h := prefixHash(s.text)
		m.firstBytes[h/64] |= 1 << (h % 64)
	}
}

// find calls add for each place in a text where one of the matcher's texts is. A nil
// matcher has no texts.
func (m *matcher) find(text string, add func(match)) {
	if m == nil || m.texts == nil {
		return
	}
	for at := 0; at+minSecret <= len(text); at++ {
		h := prefixHash(text[at:])
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
