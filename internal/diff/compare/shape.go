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

// values are the values at one path. All elements of a list have the same path.
type values []*exactjson.Value

// groupBy returns the values by a key. It leaves out wording, and null: some servers send a
// missing member as null.
func groupBy[K comparable](all values, key func(*exactjson.Value) K) map[K]values {
	groups := map[K]values{}
	for _, v := range all {
		isWording := v.ID == transcript.Said
		if v.Kind != exactjson.Null && !isWording {
			groups[key(v)] = append(groups[key(v)], v)
		}
	}
	return groups
}

// elems returns the elements of lists, or the members of objects.
func (all values) elems() (elems values) {
	for _, v := range all {
		for i := range v.Elems {
			elems = append(elems, &v.Elems[i])
		}
	}
	return elems
}

func kindOf(v *exactjson.Value) exactjson.Kind { return v.Kind }

func nameOf(v *exactjson.Value) string { return v.Name }

// typeOf returns the member "type" of an object, or "" if there is none.
func typeOf(v *exactjson.Value) string { return v.Member("type").Scalar() }

// sample returns the first value of the first kind as text, or "" if there is none.
func (all values) sample() string {
	kinds := groupBy(all, kindOf)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		return compact(kinds[kind][0])
	}
	return ""
}

// compareShapes lists the differences in the shapes of two values at a path. Values are not
// compared, nor are the lengths of lists unless withLengths is set.
func compareShapes(path string, withLengths bool, recorded, live *exactjson.Value) []diff.Edit {
	c := shapeComparer{withLengths: withLengths}
	c.compare(path, values{recorded}, values{live})
	return c.edits
}

// A shapeComparer collects the differences in the shapes of two answers.
type shapeComparer struct {
	withLengths bool // the lengths of all lists are compared
	edits       []diff.Edit
}

// join returns the path of a member, or of the elements of a list.
func join(path, name string) string { return strings.TrimPrefix(path+"/"+name, "/") }

// compare compares the recorded and the live values at a path.
func (c *shapeComparer) compare(path string, recorded, live values) {
	recordedKinds, liveKinds := groupBy(recorded, kindOf), groupBy(live, kindOf)
	if len(recordedKinds) == 0 || len(liveKinds) == 0 {
		return
	}
	hasCommonKind := false
	for kind := range recordedKinds {
		hasCommonKind = hasCommonKind || liveKinds[kind] != nil
	}
	if !hasCommonKind {
		c.add(path, recorded.sample(), live.sample(), diff.NoNote)
		return
	}
	c.compareObjects(path, recordedKinds[exactjson.Object], liveKinds[exactjson.Object])
	c.compareLists(path, recordedKinds[exactjson.Array], liveKinds[exactjson.Array])
	c.compareStrings(path, recordedKinds[exactjson.String], liveKinds[exactjson.String])
}

// compareObjects compares objects that have the same member "type". Types that only one side has
// are not compared.
func (c *shapeComparer) compareObjects(path string, recorded, live values) {
	recordedTypes, liveTypes := groupBy(recorded, typeOf), groupBy(live, typeOf)
	for _, typ := range slices.Sorted(maps.Keys(recordedTypes)) {
		if liveTypes[typ] == nil {
			continue
		}
		typePath := path
		if typ != "" {
			typePath += "/type=" + typ
		}
		c.compareMembers(typePath, recordedTypes[typ], liveTypes[typ])
	}
}

// compareLists compares the elements of all lists at a path, and how many there are if that
// counts: an embedding has as many numbers in each answer of a model.
func (c *shapeComparer) compareLists(path string, recorded, live values) {
	if recorded == nil || live == nil {
		return
	}
	recordedElems, liveElems := recorded.elems(), live.elems()
	if c.withLengths || isEmbedding(path) {
		c.compareCounts(path, len(recordedElems), len(liveElems), diff.DifferentElements)
	}
	c.compare(join(path, "*"), recordedElems, liveElems)
}

// compareStrings compares the lengths of embeddings in base64.
func (c *shapeComparer) compareStrings(path string, recorded, live values) {
	if recorded == nil || live == nil || !isEmbedding(path) {
		return
	}
	c.compareCounts(path, len(recorded[0].Text), len(live[0].Text), diff.DifferentBytes)
}

// compareCounts adds a difference if two counts differ.
func (c *shapeComparer) compareCounts(path string, recorded, live int, note diff.NoteCode) {
	if recorded != live {
		c.add(path, strconv.Itoa(recorded), strconv.Itoa(live), note)
	}
}

// compareMembers compares the members of objects. A member differs if all objects of one side
// have it, and none of the other side. A member that only some objects have is optional.
func (c *shapeComparer) compareMembers(path string, recorded, live values) {
	recordedMembers := groupBy(recorded.elems(), nameOf)
	liveMembers := groupBy(live.elems(), nameOf)
	names := slices.Concat(
		slices.Collect(maps.Keys(recordedMembers)), slices.Collect(maps.Keys(liveMembers)))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if isChance(name) || slices.Contains(dependOnWording, name) {
			continue
		}
		recordedValues, liveValues := recordedMembers[name], liveMembers[name]
		memberPath := join(path, name)
		switch {
		case recordedValues != nil && liveValues != nil:
			c.compare(memberPath, recordedValues, liveValues)
		case len(recordedValues) == len(recorded):
			c.add(memberPath, recordedValues.sample(), "", diff.NoNote)
		case len(liveValues) == len(live):
			c.add(memberPath, "", liveValues.sample(), diff.NoNote)
		}
	}
}

func (c *shapeComparer) add(path, recorded, live string, note diff.NoteCode) {
	c.edits = append(c.edits, diff.Edit{
		Path:     path,
		Recorded: recorded,
		Incoming: live,
		Note:     diff.Note{Code: note},
		Live:     true,
	})
}

// isEmbedding reports whether a path leads to an embedding. Its numbers differ slightly from
// answer to answer, but a program depends on their count. An embedding may be in base64.
func isEmbedding(path string) bool {
	return strings.HasPrefix(path, "embedding") || strings.Contains(path, "/embedding")
}

// dependOnWording are members whose presence depends on the wording of the answer: log
// probabilities, citations, the sources of a search, safety ratings.
var dependOnWording = []string{
	"logprobs", "log_probs", "logprobs_result", "logprobsResult", "avgLogprobs",
	"annotations", "citations", "citationMetadata",
	"groundingMetadata", "urlContextMetadata", "search_results",
	"safetyRatings",
	"reasoning_details", "context", "stop_sequence", "thought", "warnings",
}

// isChance reports whether the member of this name differs by chance in every answer, such as
// a fingerprint, a latency or the usage.
func isChance(name string) bool {
	return chance.Noise(name) || chance.Counts(name) || chance.Proofs(name)
}

// toolArguments are the members with the arguments of a tool. The program defines the names
// inside them, so none of those names is one of chance.
var toolArguments = []string{"input", "args", "arguments", "parameters"}

// withoutChance returns a value without the members that differ by chance: IDs, times,
// fingerprints, latencies and usage. A string that is a JSON object or list, as the arguments
// of a call are, is replaced by that value.
func withoutChance(v exactjson.Value) exactjson.Value {
	v = parsedString(v)
	elems := v.Elems
	v.Elems = nil
	for _, e := range elems {
		if v.Kind != exactjson.Object {
			v.Elems = append(v.Elems, withoutChance(e))
			continue
		}
		isScalar := e.Kind != exactjson.Object && e.Kind != exactjson.Array
		isID := isScalar && chance.IDs(e.Name)
		switch {
		case isChance(e.Name) || isID:
		case slices.Contains(toolArguments, e.Name):
			v.Elems = append(v.Elems, parsedString(e))
		default:
			v.Elems = append(v.Elems, withoutChance(e))
		}
	}
	return v
}

// parsedString returns the value of a string that is a JSON object or list, and any other value
// as it is.
func parsedString(v exactjson.Value) exactjson.Value {
	if v.Kind != exactjson.String {
		return v
	}
	object, ok := parseObject(v.Text)
	if !ok {
		return v
	}
	object.Name = v.Name
	return object
}

// bodyValue returns the JSON of a body, or a list of the payloads of a stream's events. It
// returns false if the body is not JSON.
func bodyValue(resp *interaction.Response) (v exactjson.Value, ok bool) {
	if resp.Stream == "" {
		v, err := exactjson.Parse(resp.Body)
		return v, err == nil
	}
	v.Kind = exactjson.Array
	for payload := range resp.Payloads() {
		event, err := exactjson.Parse(payload)
		if err == nil {
			v.Elems = append(v.Elems, event)
		}
	}
	return v, true
}

// parseObject parses a text that is a JSON object or list. It returns false for any other text.
func parseObject(text string) (v exactjson.Value, ok bool) {
	v, err := exactjson.Parse(text)
	return v, err == nil && (v.Kind == exactjson.Object || v.Kind == exactjson.Array)
}

func stringValue(s string) exactjson.Value { return exactjson.Value{Kind: exactjson.String, Text: s} }

// compact returns a value as the value of an edit.
func compact(v *exactjson.Value) string { return string(v.AppendJSON(nil, exactjson.Layout{})) }

func quote(s string) string {
	v := stringValue(s)
	return compact(&v)
}
