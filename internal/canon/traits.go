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

// A level says what a field means to matching: whether it matches, and if not,
// how much it helps to choose among recordings of the same form.
type level int

const (
	levelIgnored  level = iota - 1 // left out
	levelIdentity                  // matches

	// The fields of these levels do not match. They help to choose: a level
	// comes before all levels below it.
	levelIssuedID    // an ID that first appeared in a recorded answer
	levelCaller      // the function that sends the request, or the name that the program gives it
	levelHost        // the host
	levelPrefix      // segments of the path before those that the family's pattern matches
	levelQuery       // parameters that the family does not list
	levelHeader      // request headers that are stored
	levelUnmatched   // fields of the body that the option MatchOnly does not select
	levelSampling    // see Family.Sampling
	levelBookkeeping // see Family.Bookkeeping
	levelSpelling    // how the request is written: white space, escapes, names of files

	levels                  // how many levels there are, with levelIdentity
	levelGenerated = levels // values that clients generate for each request: they do not help
)

// A Trait is a field that does not match, but helps to choose among recordings
// of one form.
type Trait struct {
	Path  string
	value uint64 // the hash of the field's value
	level level
}

// IssuedID returns the trait of a request that sends an issued ID: one that
// first appeared in a recorded answer. The client has that answer, so the ID
// tells which conversation the request belongs to. The argument is the hash of
// the ID.
func IssuedID(id uint64) Trait { return Trait{issuedIDPath, id, levelIssuedID} }

const issuedIDPath = "id"

// IsIssuedID reports whether the trait is an issued ID. No option makes such a
// trait match.
func (t Trait) IsIssuedID() bool { return t.level == levelIssuedID }

// IsSpelling reports whether the trait is how a request is written. No option
// makes such a trait match.
func (t Trait) IsSpelling() bool { return t.level == levelSpelling }

// Varying has the values of the traits in which the recordings of a form
// differ, by path. The value noTrait stands for a request without the trait. Only
// these traits help to choose: a trait that all recordings share, such as the
// host, may have changed for all of them. With a nil Varying, all traits count.
type Varying map[string]map[uint64]bool

// noTrait is the value in a Varying for requests that have no trait with the path.
const noTrait uint64 = 0

// VaryingOf compares the traits of requests, one list for each request. It returns
// the paths at which not all requests have the same traits, with the values there.
//
//	requests                           result
//	host=a seed=1, host=a seed=2       seed: 1, 2
//	host=a seed=1, host=a              seed: 1, noTrait
//	host=a, host=a                     none
func VaryingOf(all [][]Trait) Varying {
	withTrait := map[Trait]int{} // how many requests have the trait
	withPath := map[string]int{} // how many requests have a trait with the path
	for _, traits := range all {
		for _, t := range traits {
			withTrait[t]++
		}
		for path := range valuesOf(traits) {
			withPath[path]++
		}
	}

	varying := Varying{}
	for t, n := range withTrait {
		isInAll := n == len(all)
		if !isInAll {
			someLackPath := withPath[t.Path] < len(all)
			varying[t.Path] = map[uint64]bool{noTrait: someLackPath}
		}
	}
	for t := range withTrait {
		values := varying[t.Path]
		if values != nil {
			values[t.value] = true
		}
	}
	return varying
}

// Known returns v with only the paths at which a request has the value of some
// recording. A value that no recording has, such as a temperature that was
// changed in the whole program, does not help to choose, and must not outweigh
// traits that do.
func (v Varying) Known(traits []Trait) Varying {
	known := maps.Clone(v)
	requested := valuesOf(traits)
	maps.DeleteFunc(known, func(path string, recorded map[uint64]bool) bool {
		if requested[path] == nil {
			return !recorded[noTrait]
		}
		for _, value := range requested[path] {
			if recorded[value] {
				return false
			}
		}
		return true
	})
	return known
}

// valuesOf returns the values of traits by their paths.
func valuesOf(traits []Trait) map[string][]uint64 {
	values := map[string][]uint64{}
	for _, t := range traits {
		values[t.Path] = append(values[t.Path], t.value)
	}
	return values
}

// A Variant has the hash of a request's traits at each level, the most important
// level first. Requests of the same form and variant get their recordings in
// recorded order.
type Variant [levels - 1]uint64

// Of returns the variant of a request with these traits.
func (v Varying) Of(traits []Trait) (variant Variant) {
	for _, t := range traits {
		if v == nil || v[t.Path] != nil {
			variant[t.level-1] += hash(t.value, t.Path) // a sum: the order of traits does not matter
		}
	}
	return variant
}

// VariantOf returns the variant of a request for which all its traits count.
func VariantOf(traits []Trait) Variant { return Varying(nil).Of(traits) }

// Differing returns the most important trait that one of two requests has and
// the other does not. Traits that vary among the recordings come before all
// others.
func (v Varying) Differing(a, b []Trait) Trait {
	var first Trait
	consider := func(t Trait) {
		varies := v[t.Path] != nil
		firstVaries := v[first.Path] != nil
		switch {
		case first.Path == "":
			first = t
		case varies != firstVaries:
			if varies {
				first = t
			}
		case t.level < first.level:
			first = t
		}
	}
	for _, t := range a {
		if !slices.Contains(b, t) {
			consider(t)
		}
	}
	for _, t := range b {
		if !slices.Contains(a, t) {
			consider(t)
		}
	}
	return first
}

// SameVariant is the set of all levels as bits, the most important level in the
// highest bit: two requests of one variant agree in all of them.
const SameVariant = 1<<(levels-1) - 1

// SpellingOnly is the set of all levels but that of the spelling.
const SpellingOnly = SameVariant - 1

// Agreed returns the variant without the levels that are not in a set; see
// [SameVariant]. Two requests agree in the levels of the set if the results for
// their variants are equal.
func (v Variant) Agreed(set int) Variant {
	for i := range v {
		isInSet := set>>(len(v)-1-i)&1 == 1
		if !isInSet {
			v[i] = 0
		}
	}
	return v
}

// seed is the seed of all hashes. Hashes are only compared with others of the
// same process.
var seed = maphash.MakeSeed()

// hash adds a text to a hash, which is 0 at the beginning.
func hash(h uint64, text string) uint64 {
	type link struct {
		h    uint64
		text string
	}
	return maphash.Comparable(seed, link{h, text})
}

// addTrait adds a field that does not match, unless its value belongs to one
// call only: a trace ID, a counter, a time. With such a trait, a poll that is
// sent again would get the recording of a later poll.
func (f *Form) addTrait(l level, path, value string) {
	switch l {
	case levelGenerated:
		return
	case levelQuery, levelHeader, levelUnmatched, levelBookkeeping:
		stable, ok := stablePart(fieldpath.Name(path), value)
		if !ok {
			return
		}
		value = stable
	}
	f.Traits = append(f.Traits, Trait{path, hash(0, value), l})
}

// stablePart returns the part of a field's value that is the same in each call.
// It returns false if there is none.
func stablePart(name, value string) (stable string, ok bool) {
	switch {
	case chance.OfOneCall(name):
		return "", false
	case chance.WhoAsks(name):
		return value, !chance.Drawn(value)
	}
	return withoutDigits(value)
}

// OfOneCall reports whether the value of a field belongs to one call only, such
// as a trace ID, by the name of the field. No answer depends on it.
func OfOneCall(path string) bool { return chance.OfOneCall(fieldpath.Name(path)) }

// withoutDigits returns a value without its digits, which may be a counter. It
// returns false for a number, a time, a random value and null.
func withoutDigits(value string) (rest string, ok bool) {
	plain := strings.Trim(value, `"`)
	isNumber := strings.Trim(plain, "0123456789.+-eE") == ""
	switch {
	case plain == "null":
		return "", false
	case !strings.ContainsAny(value, "0123456789"):
		return value, true
	case isNumber || chance.Timed(plain) || chance.Drawn(plain):
		return "", false
	}
	isDigit := func(r rune) bool { return '0' <= r && r <= '9' }
	return strings.Join(strings.FieldsFunc(value, isDigit), ""), true
}

// spellingOf returns the trait of how a body is written: the white space and
// the escapes of its JSON, and the names of its members in any order, or the
// names of the files of a multipart body. A program writes all its requests in
// one way, so a recording that is written in the same way is more likely the
// right one. Members of the body for which isLeftOut is true do not count.
func spellingOf(
	text []byte,
	encoding encoding,
	body *exactjson.Value,
	isLeftOut func(member string) bool,
) Trait {
	var h uint64
	if bytes.Contains(text, []byte(`\u`)) && nonASCIIEscape().Match(text) {
		h = hash(h, `\u`)
	}
	if bytes.Contains(text, []byte(`\/`)) {
		h = hash(h, `\/`)
	}
	if encoding == multipartBody {
		h = hashFileNames(h, text)
	} else {
		h = hashSpaces(h, text)
	}
	return Trait{"spelling", h + hashMembers(body, 0, isLeftOut), levelSpelling}
}

// nonASCIIEscape matches escapes of characters beyond ASCII. Most encoders
// escape some ASCII characters, so those escapes do not count.
var nonASCIIEscape = memo.Regexp(`\\u([^0]|0[^0]|00[^0-7])`)

// hashFileNames adds the names of the files of a multipart body to a hash.
func hashFileNames(h uint64, body []byte) uint64 {
	for _, rest := range bytes.Split(body, []byte(`filename="`))[1:] {
		name, _, _ := bytes.Cut(rest, []byte(`"`))
		h = hash(h, string(name))
	}
	return h
}

const (
	// The first separators show how a program writes JSON. Reading more would
	// cost time and tell no more.
	maxScanned = 4096
	maxSpaces  = 65
)

// hashSpaces adds the white space after the first brace, the first colon and
// the first comma of a JSON text to a hash.
func hashSpaces(h uint64, body []byte) uint64 {
	inString := false
	var seen [256]bool
	missing := len("{:,")
	for i := 0; i < min(len(body), maxScanned) && missing > 0; i++ {
		b := body[i]
		isSeparator := b == '{' || b == ':' || b == ','
		switch {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case isSeparator && !inString && !seen[b]:
			seen[b] = true
			missing--
			rest := body[i+1 : min(len(body), i+1+maxSpaces)]
			spaces := len(rest) - len(bytes.TrimLeft(rest, " \t\r\n"))
			h = hash(h, string(rest[:spaces]))
		}
	}
	return h
}

// hashMembers returns a hash of the members of v and of the objects in v: their
// names, in which object they are, and the JSON types of their values. parent
// is a hash of the place of v. Members of v itself for which isLeftOut is true
// do not count.
func hashMembers(
	v *exactjson.Value,
	parent uint64,
	isLeftOut func(member string) bool,
) (sum uint64) {
	for i := range v.Elems {
		child := &v.Elems[i]
		if v.Kind != exactjson.Object {
			sum += hashMembers(child, hash(parent, ""), nil)
			continue
		}
		if isLeftOut != nil && isLeftOut(child.Name) {
			continue
		}
		place := hash(parent, child.Name)
		sum += place * (uint64(child.Kind) + 1)
		sum += hashMembers(child, place, nil)
	}
	return sum
}
