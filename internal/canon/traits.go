package canon

import (
	"bytes"
	"hash/maphash"
	"maps"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// A level says how much a field means: whether it is part of what is asked, and
// if not, how much it says about which of several recordings is meant.
type level int

const (
	ignored  level = iota - 1 // it is left out
	identity                  // it matches
	givenOut                  // the others do not: they choose, the first before the rest. An id that an answer gave out
	within                    // the function that asks, or how the program calls the request
	host
	prefix      // what stands in a path before what a family knows
	query       // parameters that no family lists
	header      // request headers that are stored
	unmatched   // fields of the body that the user's MatchOnly leaves out
	sampling    // how the answer is drawn
	bookkeeping // what cannot change it
	spelling    // how the request is written
	levels
	anew = levels // what clients draw or count for each request: it chooses nothing
)

// A Trait is a field that does not match and can tell which of several recordings of a
// form is meant.
type Trait struct {
	Path  string
	value uint64 // its hash
	level level
}

// GivenOut returns the trait that an id is which an answer of the cassette gave out: whoever
// sends it has that answer, so it says which conversation this is.
func GivenOut(id uint64) Trait { return Trait{givenOutPath, id, givenOut} }

const givenOutPath = "id"

// IsGivenOut reports whether the trait is an id that an answer gave out, which no option
// tells apart.
func (t Trait) IsGivenOut() bool { return t.level == givenOut }

// Spelled reports whether the trait is how a request is written, which no option tells
// apart.
func (t Trait) Spelled() bool { return t.level == spelling }

// Varying holds the values of those traits in which the recordings of a form differ, by their
// paths; 0 stands for none. The others say nothing about which is meant: another host, or
// another way to write all requests, has changed for all of them. If it is nil, all vary.
type Varying map[string]map[uint64]bool

// VaryingOf compares the traits of several requests.
func VaryingOf(all [][]Trait) Varying {
	count, have := map[Trait]int{}, map[string]int{} // the requests that have a trait, and one of a path
	for _, traits := range all {
		for _, t := range traits {
			count[t]++
		}
		for path := range valuesOf(traits) {
			have[path]++
		}
	}
	varying := Varying{}
	for t, n := range count {
		if n != len(all) { // some have another, or none
			varying[t.Path] = map[uint64]bool{0: have[t.Path] < len(all)}
		}
	}
	for t := range count {
		if values := varying[t.Path]; values != nil {
			values[t.value] = true
		}
	}
	return varying
}

// Known returns those in which a request has what one of the recordings has. A value that none
// of them has, such as a temperature that was changed everywhere, says nothing about which is
// meant, and must not hide what does.
func (v Varying) Known(traits []Trait) Varying {
	known, of := maps.Clone(v), valuesOf(traits)
	maps.DeleteFunc(known, func(path string, values map[uint64]bool) bool {
		if of[path] == nil {
			return !values[0]
		}
		return !slices.ContainsFunc(of[path], func(value uint64) bool { return values[value] })
	})
	return known
}

// valuesOf returns the values of traits by their paths.
func valuesOf(traits []Trait) map[string][]uint64 {
	of := map[string][]uint64{}
	for _, t := range traits {
		of[t.Path] = append(of[t.Path], t.value)
	}
	return of
}

// A Kind is the hash of a request's traits at each level, the most important first.
// Requests of one kind differ in nothing that chooses.
type Kind [levels - 1]uint64

// Of returns the kind of a request of those traits.
func (v Varying) Of(traits []Trait) (k Kind) {
	for _, t := range traits {
		if v == nil || v[t.Path] != nil {
			k[t.level-1] += hash(t.value, t.Path) // their order means nothing
		}
	}
	return k
}

// KindOf returns the kind of a request among all there may be.
func KindOf(traits []Trait) Kind { return Varying(nil).Of(traits) }

// Differing returns the most important trait in which two requests differ: of those
// that vary, if it is one of them.
func (v Varying) Differing(a, b []Trait) (first Trait) {
	varies := func(t Trait) bool { return v[t.Path] != nil }
	for _, side := range [...][2][]Trait{{a, b}, {b, a}} {
		for _, t := range side[0] {
			if !slices.Contains(side[1], t) &&
				(first.Path == "" || varies(t) && !varies(first) || varies(t) == varies(first) && t.level < first.level) {
				first = t
			}
		}
	}
	return first
}

// SameKind is how near two requests of one kind are: a bit for each level, the most
// important first.
const SameKind = 1<<(levels-1) - 1

// SpellingOnly is how near two requests are that differ only in how they are written.
const SpellingOnly = SameKind - 1

// Agreed returns what requests that are so near agree in.
func (k Kind) Agreed(near int) Kind {
	for i := range k {
		if near>>(len(k)-1-i)&1 == 0 {
			k[i] = 0
		}
	}
	return k
}

// seed makes hashes that are only compared with each other, in one process.
var seed = maphash.MakeSeed()

// hash goes on with the hash of a text.
func hash(h uint64, text string) uint64 {
	type link struct {
		h    uint64
		text string
	}
	return maphash.Comparable(seed, link{h, text})
}

// trait adds a field that does not match to what chooses, unless it counts, times or names a
// single call: a poll that was asked once more would take the answer that comes later.
func (f *Form) trait(l level, path, value string) {
	ok := l != anew
	switch l {
	case query, header, unmatched, bookkeeping:
		switch name := fieldpath.Name(path); {
		case chance.OfOneCall(name):
			ok = false
		case chance.WhoAsks(name):
			ok = !chance.Drawn(value)
		default:
			value, ok = withoutCounters(value)
		}
	}
	if ok {
		f.Traits = append(f.Traits, Trait{path, hash(0, value), l})
	}
}

// OfOneCall reports whether the name of a field says that it tells one call from the
// next, and decides no answer.
func OfOneCall(path string) bool { return chance.OfOneCall(fieldpath.Name(path)) }

// withoutCounters returns a value without its numbers; ok is false if nothing is left
// to choose by.
func withoutCounters(value string) (rest string, ok bool) {
	plain := strings.Trim(value, `"`)
	switch {
	case plain == "null":
		return "", false
	case !strings.ContainsAny(value, "0123456789"):
		return value, true
	case strings.Trim(plain, "0123456789.+-eE") == "" || chance.Timed(plain) || chance.Drawn(plain):
		return "", false
	}
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	return strings.Join(strings.FieldsFunc(value, isDigit), ""), true
}

// spellingOf returns how a request is written, where that changes nothing: the blanks and
// escapes of its JSON, which members it has, whatever their order and values, the names
// of its files. A program writes each of its requests in one way, so of two recordings that
// differ in it the one that is written alike is meant. Members that are left out come and go.
func spellingOf(text []byte, encoding encoding, body *exactjson.Value, leftOut func(member string) bool) Trait {
	var h uint64
	if bytes.Contains(text, []byte(`\u`)) && foreignEscape().Match(text) {
		h = hash(h, `\u`)
	}
	if bytes.Contains(text, []byte(`\/`)) {
		h = hash(h, `\/`)
	}
	if encoding == multipartBody {
		for _, rest := range bytes.Split(text, []byte(`filename="`))[1:] {
			name, _, _ := bytes.Cut(rest, []byte(`"`))
			h = hash(h, string(name))
		}
	} else {
		h = blanks(h, text)
	}
	return Trait{"spelling", h + membersHash(body, 0, leftOut), spelling}
}

// foreignEscape matches escapes of what is not ASCII; others are an encoder's habit
// with single characters.
var foreignEscape = memo.Regexp(`\\u([^0]|0[^0]|00[^0-7])`)

// blanks goes on with a hash of the blanks behind the first brace, colon and comma of a
// JSON text.
func blanks(h uint64, body []byte) uint64 {
	inString := false
	var seen [256]bool
	for i, left := 0, 3; i < min(len(body), 4096) && left > 0; i++ {
		switch b := body[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case !inString && (b == '{' || b == ':' || b == ',') && !seen[b]:
			seen[b] = true
			left--
			rest := body[i+1 : min(len(body), i+66)]
			h = hash(h, string(rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))]))
		}
	}
	return h
}

// membersHash returns the sum of a hash of every member's name and place, and of the kind
// of its value.
func membersHash(v *exactjson.Value, place uint64, leftOut func(member string) bool) (sum uint64) {
	for i := range v.Elems {
		at := hash(place, "")
		if v.Kind == exactjson.Object {
			if leftOut != nil && leftOut(v.Elems[i].Name) {
				continue
			}
			at = hash(place, v.Elems[i].Name)
			sum += at * (uint64(v.Elems[i].Kind) + 1)
		}
		sum += membersHash(&v.Elems[i], at, nil)
	}
	return sum
}
