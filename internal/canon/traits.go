package canon

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/fieldpath"
	"github.com/promptecho/promptecho/internal/memo"
)

// A level says how much a field means: whether it is part of what is asked, and
// if not, how much it says about which of several recordings is meant.
type level int

const (
	ignored  level = iota - 1 // it is left out
	identity                  // it matches
	givenOut                  // the others do not: they choose, the first before the rest. An id that an answer gave out
	within                    // the function that asks
	host
	prefix      // what stands in a path before what a family knows
	query       // parameters that no family lists
	header      // request headers that are stored
	unmatched   // fields of the body that the user's MatchOnly leaves out
	sampling    // how the answer is drawn
	bookkeeping // what cannot change it
	spelling    // how the request is written
	levels
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

// Varying holds the paths of those traits in which the recordings of a form differ.
// The others say nothing about which is meant: another host, or another way to write
// all requests, has changed for all of them.
type Varying map[string]bool

// VaryingOf compares the traits of several requests.
func VaryingOf(all [][]Trait) Varying {
	count := map[Trait]int{}
	for _, traits := range all {
		for _, t := range traits {
			count[t]++
		}
	}
	varying := Varying{}
	for t, n := range count {
		if n != len(all) { // some have another, or none
			varying[t.Path] = true
		}
	}
	return varying
}

// A Kind is the hash of a request's traits at each level, the most important first.
// Requests of one kind differ in nothing that chooses.
type Kind [levels - 1]uint64

// Of returns the kind of a request of those traits.
func (v Varying) Of(traits []Trait) (k Kind) {
	for _, t := range traits {
		if v[t.Path] {
			k.add(t)
		}
	}
	return k
}

// KindOf returns the kind of a request among all there may be.
func KindOf(traits []Trait) (k Kind) {
	for _, t := range traits {
		k.add(t)
	}
	return k
}

// add adds a trait; their order means nothing.
func (k *Kind) add(t Trait) { k[t.level-1] += hash(t.value, t.Path) }

// Differing returns the most important trait in which two requests differ: of those
// that vary, if it is one of them.
func (v Varying) Differing(a, b []Trait) (first Trait) {
	for _, side := range [...][2][]Trait{{a, b}, {b, a}} {
		for _, t := range side[0] {
			if !slices.Contains(side[1], t) &&
				(first.Path == "" || v[t.Path] && !v[first.Path] || v[t.Path] == v[first.Path] && t.level < first.level) {
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

// Agreed returns a hash of those levels in which requests that are so near agree.
func (k *Kind) Agreed(near int) uint64 {
	h := uint64(fnvOffset)
	for i, at := range k {
		if near>>(len(k)-1-i)&1 == 1 {
			h = (h ^ at) * fnvPrime
			h ^= h >> 29
		}
	}
	return h
}

// FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/.
const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// hash goes on with the hash of a text, and of its end.
func hash[T string | []byte](h uint64, text T) uint64 {
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * fnvPrime
	}
	return (h ^ 0x100) * fnvPrime
}

// newTrait returns the trait that a field is. It is none if it counts, times or names a
// single call: a poll that was asked once more would take the answer that comes later.
func newTrait(l level, path, value string) (t Trait, ok bool) {
	ok = true
	switch l {
	case query, header, unmatched, bookkeeping:
		switch saying.Get(fieldpath.Name(path)) {
		case ofOneCall:
			ok = false
		case whoAsks:
			ok = !drawn().MatchString(value)
		default:
			value, ok = withoutCounters(value)
		}
	}
	return Trait{path, hash(fnvOffset, value), l}, ok
}

// What the name of a field says of its value.
type meaning int

const (
	anything  meaning = iota
	ofOneCall         // it tells one call from the next
	whoAsks           // it tells callers apart, or versions: it counts with its numbers
)

// OfOneCall reports whether the name of a field says that it tells one call from the
// next, and decides no answer.
func OfOneCall(path string) bool { return saying.Get(fieldpath.Name(path)) == ofOneCall }

// saying remembers what names say: they are few.
var saying = memo.Strings[meaning]{Func: func(name string) meaning {
	switch {
	case callNames().MatchString(name):
		return ofOneCall
	case callerNames().MatchString(name):
		return whoAsks
	}
	return anything
}}

// callWords are what names of fields call a single call, or a count of calls.
const callWords = `trace|span|request|correlation|nonce|idempotency|run|build|progress|message|call|event|attempt|retry|retries|sequence|seq|` +
	`step|turn|counter|iteration|iter|poll|invocation|completion|generation|task|job`

// The expressions are compiled by the first request that needs them, not by every
// program that links this package.
var (
	callNames = memo.Regexp(`(?i:(^|[_-])(` + callWords + `)([_-]?(id|no|nr|number|count|key|token|uuid))?$)|` +
		`[a-z](?i:` + callWords + `)(Id|ID|Number|Count|Key|Token|UUID)$|` +
		`(?i:^ts$|time|timestamp|date|created|updated|traceparent|tracestate)$|(_a|A)t$`)
	callerNames = memo.Regexp(`(?i)user|tenant|account|customer|client|organi[sz]ation|^org|project|session|conversation|thread|identifier|cache_key|version`)
	// times matches dates and times as programs write them.
	times = memo.Regexp(`\d{4}-?\d\d-?\d\d|\d\d?:\d\d|(?i:\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*,? \d)`)
	// drawn matches what is drawn for a call or a run: UUIDs and hexadecimal.
	drawn = memo.Regexp(`[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-|[0-9a-fA-F]{16}`)
)

// withoutCounters returns a value without its numbers; ok is false if nothing is left
// to choose by.
func withoutCounters(value string) (rest string, ok bool) {
	plain := strings.Trim(value, `"`)
	switch {
	case plain == "null":
		return "", false
	case !strings.ContainsAny(value, "0123456789"):
		return value, true
	case strings.Trim(plain, "0123456789.+-eE") == "" || times().MatchString(plain) || drawn().MatchString(plain):
		return "", false
	}
	return strings.Map(func(r rune) rune {
		if '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, value), true
}
