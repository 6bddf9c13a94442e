package canon

import (
	"bytes"
	"regexp"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
)

// A level says how much a field means: whether it is part of what is asked, and
// if not, how much it says about which of several recordings is meant.
type level int

const (
	identity    level = iota // it matches
	host                     // the others do not: they choose, the first before the rest
	prefix                   // what stands in a path before what a family knows
	query                    // parameters that no family lists
	header                   // request headers that are stored
	unmatched                // fields of the body that the user's MatchOn leaves out
	sampling                 // how the answer is drawn
	bookkeeping              // what cannot change it
	spelling                 // how the body is written
	levels
)

// Traits choose among the recordings of one form: a hash for each level below
// identity. Two requests of equal traits are of one kind.
type Traits [levels - 1]uint64

// Near says how near two requests of one form are: the greater, the nearer. Each
// level counts more than all those behind it; [SameKind] is of equal traits.
func (t *Traits) Near(o *Traits) int {
	near := 0
	for i := range t {
		near <<= 1
		if t[i] == o[i] {
			near |= 1
		}
	}
	return near
}

// SameKind is how near two requests of one kind are.
const SameKind = 1<<(levels-1) - 1

// Agreed returns a hash of those levels in which requests that are so near agree;
// near is as of [Traits.Near].
func (t *Traits) Agreed(near int) uint64 {
	h := uint64(fnvOffset)
	for i, trait := range t {
		if near>>(len(t)-1-i)&1 == 1 {
			h = (h ^ trait) * fnvPrime
			h ^= h >> 29
		}
	}
	return h
}

// add adds a field to its level.
func (t *Traits) add(l level, path, value string) {
	h := &t[l-1]
	*h = hash(hash(*h^fnvOffset, path), value)
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

// chooses reports whether a field of bookkeeping says which of several recordings is
// meant. What is counted, timed or drawn anew for every call does
// not: a poll that was asked once more would take the answer that comes later.
func chooses(path string, value []byte) bool {
	switch value[0] {
	case 't', 'f':
	case '"':
		if len(bytes.Trim(value, `0123456789."`)) == 0 {
			return false
		}
	default:
		return false // numbers count
	}
	return !ofOneCall().MatchString(nameOf(path)) && !times().Match(value)
}

// ofOneCall matches the names of fields that tell one call from the next. It is
// compiled by the first request that needs it, not by every program that links
// this package.
var ofOneCall = sync.OnceValue(func() *regexp.Regexp {
	const words = `trace|span|request|correlation|nonce|idempotency|run|build|progress|message|call|event|attempt|retry|sequence|seq|step|turn|counter`
	return regexp.MustCompile(`(?i:(^|[_-])(` + words + `)([_-]?(id|no|nr|number|key|token|uuid))?$)|` +
		`[a-z](?i:` + words + `)(Id|ID|Number|Key|Token|UUID)$|` +
		`(?i:time|timestamp|date|created|updated|traceparent|tracestate)$|(_a|A)t$`)
})

// times matches dates and times as programs write them.
var times = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d`)
})

// spelled returns a hash of how a request is written, where that changes nothing:
// the blanks and escapes of its JSON, which members it has, whatever their order
// and values, the boundary of a multipart body, the escapes of a path. A program
// writes each of its requests in one way, so of two recordings that differ in it
// the one that is written alike is meant.
func spelled(req *cassette.Request, path string, body *cassette.Value) uint64 {
	h := hash(fnvOffset, path)
	h = hash(h, req.Headers.Get("content-type"))
	for _, escape := range [...]string{`\u`, `\/`} {
		if bytes.Contains(req.Body, []byte(escape)) {
			h = hash(h, escape)
		}
	}
	start := req.Body[:min(len(req.Body), 256)]
	for _, mark := range [...]byte{'{', ':', ','} {
		if i := bytes.IndexByte(start, mark); i >= 0 {
			rest := start[i+1:]
			h = hash(h, rest[:len(rest)-len(bytes.TrimLeft(rest, " \t\r\n"))])
		}
	}
	return h + members(body, fnvOffset)
}

// members returns the sum of a hash of every member's name and place, and of the
// kind of its value.
func members(v *cassette.Value, place uint64) (sum uint64) {
	for i := range v.Elems {
		at := place * fnvPrime
		if v.Kind == cassette.Object {
			at = hash(place, v.Names[i])
			sum += at * (uint64(v.Elems[i].Kind) + 1)
		}
		sum += members(&v.Elems[i], at)
	}
	return sum
}

// A listItem is a pattern of a family's lists.
type listItem struct {
	pattern string
	level   level
}

// listed appends the patterns that fields at or below a member of the body may
// match: those of the table start with a member's name.
func (f *Family) listed(dst []listItem, member string) []listItem {
	for _, p := range f.Bookkeeping {
		if startsWith(p, member) {
			dst = append(dst, listItem{p, bookkeeping})
		}
	}
	for _, p := range f.Sampling {
		if startsWith(p, member) {
			dst = append(dst, listItem{p, sampling})
		}
	}
	return dst
}

func startsWith(pattern, member string) bool {
	return member != "" && pattern[0] == member[0] && strings.HasPrefix(pattern, member) &&
		(len(pattern) == len(member) || pattern[len(member)] == '/')
}
