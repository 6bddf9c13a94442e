package redact

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"iter"
	"net/url"
	"slices"
	"strings"
	"sync"
	"unicode/utf16"

	"github.com/promptecho/promptecho/internal/memo"
)

// minLearned is the length in bytes under which what a request carries is not looked for
// elsewhere: "test-key" may well be a word of the prompt.
const minLearned = 12

// secrets are the values that are known to be secret.
type secrets struct {
	mu    sync.RWMutex
	known map[string]bool // their texts
	finds matcher         // finds them in every spelling, and their lines
	signs [2]*matcher     // find what signs one request, the new ones first
}

// AddSecret makes a secret known: it is replaced wherever it stands from now on. Values
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
	s.finds.add(spelled.Get(text)...)
}

// mostSigns is how many values that sign one request are looked for. An answer holds
// those of its own request: they are the last ones, unless as many requests are under way
// at once.
const mostSigns = 128

// addSign makes a value known that signs one request, or is for one request only. It is
// replaced for a while: nobody else's answer has it.
func (s *secrets) addSign(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(text) < minLearned || s.known[text] {
		return
	}
	if s.signs[0] == nil || len(s.signs[0].texts) >= mostSigns {
		s.signs = [2]*matcher{new(matcher), s.signs[0]}
	}
	s.signs[0].add(jsonSpellings(strings.Clone(text))...)
}

// Count returns how many secrets are known; it only grows.
func (s *secrets) Count() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.known)
}

// in yields the places where a text holds a known secret, in every spelling, and its lines.
func (s *secrets) in(text []byte) iter.Seq[match] {
	return func(yield func(match) bool) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		_ = s.finds.in(text, yield) && s.signs[0].in(text, yield) && s.signs[1].in(text, yield)
	}
}

// Bytes returns b with every known secret replaced, also where it is escaped as JSON has
// it. It returns b itself if it holds none and never changes it.
func (s *secrets) Bytes(b []byte) []byte { return s.replace(b, plainly) }

// replace is Bytes with what hide returns in the places of secrets.
func (s *secrets) replace(b []byte, hide hider) []byte {
	var found []match
	for m := range s.in(b) {
		switch m.kind {
		case kindBase64: // all of it: what is left would tell the rest
			for m.start > 0 && class[b[m.start-1]]&(std64|word) != 0 {
				m.start--
			}
			m.end = run(b, m.end, std64|word|equal)
			fallthrough
		case kindPlain, kindJSON, kindEscaped:
			found = append(found, m)
		}
	}
	slices.SortFunc(found, func(a, b match) int { return cmp.Compare(a.start, b.start) })
	var edits []edit
	for _, m := range found {
		if n := len(edits); n > 0 && m.start < edits[n-1].end {
			edits[n-1].end = max(edits[n-1].end, m.end)
		} else {
			edits = append(edits, edit{start: m.start, end: m.end})
		}
	}
	for i, e := range edits {
		edits[i].text = hide(b[e.start:e.end])
	}
	return splice(b, edits)
}

// holdsSecret reports whether a known secret stands in a text.
func (s *secrets) holdsSecret(text string) bool { return string(s.Bytes([]byte(text))) != text }

// find returns how and where a text holds a known secret, in any spelling. The zero match
// is none.
func (s *secrets) find(text []byte) match {
	for m := range s.in(text) {
		if m.kind != kindLine {
			return m
		}
	}
	return match{}
}

// MayContain reports whether the text of a cassette may hold a known secret, in any
// spelling, or a line of it.
func (s *secrets) MayContain(text []byte) bool {
	for range s.in(text) {
		return true
	}
	return false
}

// Kinds of spellings that are told apart.
const (
	kindPlain = "plain"
	kindJSON  = "JSON-escaped"
	kindLine  = "line" // of several

	kindBase64  = "base64"
	kindEscaped = "URL-escaped"
)

// spelled remembers the spellings of keys, which the tests of a package share.
var spelled = memo.Strings[[]spelling]{Func: spellings}

// spellings returns how a secret can stand in a text: as it is, escaped for JSON or a
// URL, in base64, hexadecimal and UTF-16, and the lines of one that has several, each of
// which stands alone in YAML.
func spellings(text string) []spelling {
	all := jsonSpellings(text)
	add := func(kind, text string) { all = appendNew(all, kind, text) }
	for _, escaped := range []string{url.QueryEscape(text), url.PathEscape(text)} {
		add(kindEscaped, escaped)
		add(kindEscaped, upperEscape().ReplaceAllStringFunc(escaped, strings.ToLower)) // as .NET writes it
	}
	// What base64 of any text that holds the secret holds too, in both alphabets (RFC
	// 4648): the secret can start at any byte of a group of three, and the digits at its
	// ends depend on its neighbours.
	for _, enc := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			digits := enc.EncodeToString(append(make([]byte, before, before+len(text)), text...))
			add(kindBase64, digits[(before*8+5)/6:(before+len(text))*8/6])
		}
	}
	digits := hex.EncodeToString([]byte(text))
	add("hexadecimal", digits)
	add("hexadecimal", strings.ToUpper(digits))
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		units := make([]byte, 0, 2*len(text))
		for _, unit := range utf16.Encode([]rune(text)) {
			units = order.AppendUint16(units, unit)
		}
		add("UTF-16", string(units))
	}
	for line := range strings.SplitSeq(text, "\n") {
		add(kindLine, line)
	}
	return all
}

// jsonSpellings returns a value as it is and as it stands inside a JSON string, as the
// writers there are spell it: "&" and "/" may be escaped.
func jsonSpellings(text string) []spelling {
	all := []spelling{{kindPlain, text}}
	quoted, _ := json.Marshal(text) // a string always marshals
	html := string(quoted[1 : len(quoted)-1])
	for _, escaped := range []string{htmlEscapes.Replace(html), html} {
		all = appendNew(all, kindJSON, escaped)
		all = appendNew(all, kindJSON, strings.ReplaceAll(escaped, "/", `\/`))
		all = appendNew(all, kindJSON, strings.ReplaceAll(escaped, "+", `\u002B`)) // as .NET writes it
	}
	return all
}

var upperEscape = memo.Regexp(`%[0-9A-F]{2}`)

// htmlEscapes undoes what encoding/json escapes so that JSON can stand in HTML.
var htmlEscapes = strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&",
	`\u2028`, "\u2028", `\u2029`, "\u2029")

// appendNew appends a spelling unless it is there or too short to be looked for.
func appendNew(all []spelling, kind, text string) []spelling {
	if len(text) < minSecret || slices.ContainsFunc(all, func(s spelling) bool { return s.text == text }) {
		return all
	}
	return append(all, spelling{kind, text})
}

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
	begins [rooms / 64]uint64             // bits, by a hash of three bytes: whether one may begin with them
}

func hash(b []byte) uint { return (uint(b[0])<<8 ^ uint(b[1])<<4 ^ uint(b[2])) % rooms }

// add adds texts.
func (m *matcher) add(texts ...spelling) {
	if m.texts == nil {
		m.texts = map[[minSecret]byte][]spelling{}
	}
	for _, s := range texts {
		first := [minSecret]byte([]byte(s.text))
		m.texts[first] = append(m.texts[first], s)
		h := hash(first[:])
		m.begins[h/64] |= 1 << (h % 64)
	}
}

// in calls yield with every place in b where one of the texts stands, as long as that returns
// true, and reports whether it always did. A nil matcher has none.
func (m *matcher) in(b []byte, yield func(match) bool) bool {
	for at := 0; m != nil && m.texts != nil && at+minSecret <= len(b); at++ {
		if h := hash(b[at:]); m.begins[h/64]&(1<<(h%64)) == 0 {
			continue
		}
		for _, s := range slices.Backward(m.texts[[minSecret]byte(b[at:])]) {
			if bytes.HasPrefix(b[at:], []byte(s.text)) && !yield(match{s.kind, at, at + len(s.text)}) {
				return false
			}
		}
	}
	return true
}
