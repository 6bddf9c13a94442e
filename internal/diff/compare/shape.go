package compare

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/diff"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/interaction"
)

// nodes are the values that stand at one place; the elements of a list are one place.
type nodes []*exactjson.Value

// by returns values in groups, without what answers say. Null is no value: some servers leave
// out what others send as null.
func by[K comparable](all nodes, key func(*exactjson.Value) K) map[K]nodes {
	groups := map[K]nodes{}
	for _, v := range all {
		if v.Kind != exactjson.Null && v.ID != transcript.Said {
			groups[key(v)] = append(groups[key(v)], v)
		}
	}
	return groups
}

// elems returns the elements of lists, or the members of objects.
func (all nodes) elems() (elems nodes) {
	for _, v := range all {
		for i := range v.Elems {
			elems = append(elems, &v.Elems[i])
		}
	}
	return elems
}

func kindOf(v *exactjson.Value) exactjson.Kind { return v.Kind }

func nameOf(v *exactjson.Value) string { return v.Name }

// typeOf returns the type that an object names, "" if it names none.
func typeOf(v *exactjson.Value) string { return v.Member("type").Scalar() }

// sample returns the first value of the first kind, or nil.
func (all nodes) sample() *exactjson.Value {
	kinds := by(all, kindOf)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		return kinds[kind][0]
	}
	return nil
}

// compareShapes lists where the shapes of two values at a place differ. Of answers that have
// no wording, the lengths of all lists are compared, too.
func compareShapes(at string, counts bool, recorded, live *exactjson.Value) []diff.Edit {
	c := shapes{counts: counts}
	c.compare(at, nodes{recorded}, nodes{live})
	return c.edits
}

// shapes compares the shapes of two answers.
type shapes struct {
	counts bool // the lengths of all lists are compared
	edits  []diff.Edit
}

// below returns the place of a member, of the elements of a list, or of the objects of a type.
func below(at, name string) string { return strings.TrimPrefix(at+"/"+name, "/") }

// compare compares what stands at a place.
func (c *shapes) compare(at string, was, is nodes) {
	a, b := by(was, kindOf), by(is, kindOf)
	if len(a) == 0 || len(b) == 0 {
		return
	}
	if !slices.ContainsFunc(slices.Collect(maps.Keys(a)), func(k exactjson.Kind) bool { return b[k] != nil }) {
		c.changed(at, compact(was.sample()), compact(is.sample()), diff.NoNote)
		return
	}
	wasOf, isOf := by(a[exactjson.Object], typeOf), by(b[exactjson.Object], typeOf)
	for _, typ := range slices.Sorted(maps.Keys(wasOf)) {
		place := at
		if typ != "" {
			place += "/type=" + typ
		}
		if isOf[typ] != nil {
			c.members(place, wasOf[typ], isOf[typ])
		}
	}
	if a[exactjson.Array] != nil && b[exactjson.Array] != nil {
		was, is := a[exactjson.Array].elems(), b[exactjson.Array].elems()
		if len(was) != len(is) && (c.counts || isVector(at)) {
			c.changed(at, strconv.Itoa(len(was)), strconv.Itoa(len(is)), diff.DifferentElements)
		}
		c.compare(below(at, "*"), was, is)
	}
	s, t := a[exactjson.String], b[exactjson.String]
	if isVector(at) && s != nil && t != nil && len(s[0].Text) != len(t[0].Text) {
		c.changed(at, strconv.Itoa(len(s[0].Text)), strconv.Itoa(len(t[0].Text)), diff.DifferentBytes)
	}
}

// members compares the members of objects. One that all objects of a side have, and none
// of the other side, has appeared or disappeared. What only some have may be chance.
func (c *shapes) members(at string, was, is nodes) {
	wasOf, isOf := by(was.elems(), nameOf), by(is.elems(), nameOf)
	for _, name := range slices.Sorted(maps.Keys(by(slices.Concat(was.elems(), is.elems()), nameOf))) {
		if isChance(name) || slices.Contains(besideText, name) {
			continue
		}
		a, b, next := wasOf[name], isOf[name], below(at, name)
		switch {
		case a != nil && b != nil:
			c.compare(next, a, b)
		case len(a) == len(was):
			c.changed(next, compact(a.sample()), "", diff.NoNote)
		case len(b) == len(is):
			c.changed(next, "", compact(b.sample()), diff.NoNote)
		}
	}
}

func (c *shapes) changed(at string, was, is string, note diff.NoteCode) {
	c.edits = append(c.edits, diff.Edit{Path: at, Recorded: was, Incoming: is, Note: diff.Note{Code: note}, Live: true})
}

// isVector reports whether a place has embeddings. The numbers of one differ a little from
// answer to answer, and their count is what its reader has to rely on. It may be in
// base64.
func isVector(at string) bool {
	return strings.HasPrefix(at, "embedding") || strings.Contains(at, "/embedding")
}

// besideText are the members that come and go with the wording: log probabilities,
// citations, the sources of a search, ratings of what was said.
var besideText = []string{
	"logprobs", "log_probs", "logprobs_result", "logprobsResult", "avgLogprobs", "annotations", "citations", "citationMetadata",
	"groundingMetadata", "urlContextMetadata", "search_results", "safetyRatings", "reasoning_details", "context", "stop_sequence",
	"thought", "warnings",
}

// isChance reports whether the member of this name says nothing in any answer.
func isChance(name string) bool {
	return chance.Noise(name) || chance.Counts(name) || chance.Proofs(name)
}

// given are the members that hold what a tool gets: their names are the program's.
var given = []string{"input", "args", "arguments", "parameters"}

// withoutChance returns a value without what differs by chance: ids, times, fingerprints,
// latencies and usage. A text that is JSON is what it says, as the arguments of a call are.
func withoutChance(v exactjson.Value) exactjson.Value {
	v = parsed(v)
	elems := v.Elems
	v.Elems = nil
	for _, e := range elems {
		isScalar := e.Kind != exactjson.Object && e.Kind != exactjson.Array
		if v.Kind == exactjson.Object && (isChance(e.Name) || isScalar && chance.IDs(e.Name)) {
			continue
		}
		if v.Kind == exactjson.Object && slices.Contains(given, e.Name) {
			v.Elems = append(v.Elems, parsed(e))
		} else {
			v.Elems = append(v.Elems, withoutChance(e))
		}
	}
	return v
}

// parsed returns what a text that is JSON says, and any other value as it is.
func parsed(v exactjson.Value) exactjson.Value {
	if object, ok := parseObject(v.Text); v.Kind == exactjson.String && ok {
		object.Name = v.Name
		return object
	}
	return v
}

// value returns the JSON of a body, or the list of what the events of a stream carry; ok
// is false if the body is not JSON.
func value(resp *interaction.Response) (v exactjson.Value, ok bool) {
	if resp.Stream == "" {
		v, err := exactjson.Parse(resp.Body)
		return v, err == nil
	}
	v.Kind = exactjson.Array
	for payload := range resp.Payloads() {
		if event, err := exactjson.Parse(payload); err == nil {
			v.Elems = append(v.Elems, event)
		}
	}
	return v, true
}

// parseObject reads a text that is an object or a list; ok is false if it is neither.
func parseObject(s string) (v exactjson.Value, ok bool) {
	v, err := exactjson.Parse(s)
	return v, err == nil && (v.Kind == exactjson.Object || v.Kind == exactjson.Array)
}

func text(s string) exactjson.Value { return exactjson.Value{Kind: exactjson.String, Text: s} }

// compact returns a value as the value of an edit, "" if there is none.
func compact(v *exactjson.Value) string {
	if v == nil {
		return ""
	}
	return string(v.AppendJSON(nil, exactjson.Layout{}))
}

func quote(s string) string {
	v := text(s)
	return compact(&v)
}
