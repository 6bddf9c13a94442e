package canon

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/fieldpath"
	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A toolItem is the call of a tool or its result, where a conversation has it.
type toolItem struct {
	at     *exactjson.Value
	in     *exactjson.Value // what holds the members: at itself, or what it wraps
	id     *exactjson.Value // links a call to its result; nil if it has none
	name   string           // of the tool; "" if it is not told
	result bool
}

// wrappers are the members that hold a call or a result in Converse and in Gemini.
var wrappers = []string{"toolUse", "functionCall", "toolResult", "functionResponse"}

// toolItemOf reads a message, or a block of one, that is a call or a result; list is the
// member that it stands in.
func toolItemOf(v *exactjson.Value, list string) (it toolItem, ok bool) {
	kind := text(v, "type")
	it = toolItem{at: v, in: v, name: cmp.Or(text(v, "name"), text(v, "tool_name"), text(v, "function", "name"))}
	for i, name := range wrappers {
		if in := member(v, name); isKind(in, exactjson.Object) {
			it.in, it.id, it.name, it.result = in, cmp.Or(member(in, "toolUseId"), member(in, "id")), text(in, "name"), i >= 2
			return it, true
		}
	}
	switch {
	case list == "tool_calls", strings.HasSuffix(kind, "tool_use"):
		it.id = member(v, "id")
	case kind != "" && member(v, "tool_use_id") != nil:
		it.id, it.result = member(v, "tool_use_id"), true
	case member(v, "call_id") != nil, kind == "function_call":
		it.id, it.result = cmp.Or(member(v, "call_id"), member(v, "id")), strings.HasSuffix(kind, "_output") || strings.HasSuffix(kind, "_result")
	case isString(member(v, "role"), "tool"), member(v, "tool_call_id") != nil:
		it.id, it.result = member(v, "tool_call_id"), kind != "function.call"
	default:
		return it, false
	}
	return it, true
}

// linkTools brings the calls and results of the conversation at a path to one spelling. Ids
// that only link a call to its result become "#1", "#2" in order of first appearance: fantasy
// and Genkit make random ones. Calls of one answer, and results that stand together, may be
// sent in any order if each says which call it is about: programs finish their tools in any
// order, and keep calls in maps. What a result has as the text of JSON is compared as that.
func linkTools(path string) Rewrite {
	return each(path, func(r *request, list *exactjson.Value) {
		numbers, runs := ordinals{}, toolRuns(list)
		for i, run := range runs {
			results := run // what tells how its items are linked
			if run[0].result {
				for _, it := range run {
					numbers.result(it.id)
					if !r.options.AsSent {
						r.parseResult(it.in)
					}
				}
			} else if results = nil; i+1 < len(runs) && runs[i+1][0].result {
				results = runs[i+1]
			}
			var key func(toolItem) string
			switch linked := areLinked(run) && areLinked(results); {
			case results == nil, r.options.AsSent:
			case linked && run[0].result:
				key = func(it toolItem) string { return it.id.Text }
			case linked:
				key = func(it toolItem) string { return string(r.says(nil, it.at, it.id, "")) }
			case areNamed(run) && areNamed(results):
				key = func(it toolItem) string { return it.name }
			}
			arrange(list, run, key, numbers)
		}
		list.Each("*/content/*/type=*/caller/tool_id", numbers.result)
	})
}

// areLinked reports whether each item of a run has an id, and areNamed whether each has the
// name of its tool.
func areLinked(run []toolItem) bool {
	return !slices.ContainsFunc(run, func(it toolItem) bool { return !isKind(it.id, exactjson.String) })
}

func areNamed(run []toolItem) bool {
	return !slices.ContainsFunc(run, func(it toolItem) bool { return it.name == "" })
}

// toolRuns returns the calls and results that stand together: results with nothing else
// between them, and calls of one message, or in a list that has no messages around them.
func toolRuns(list *exactjson.Value) (runs [][]toolItem) {
	open := false // nothing came behind the last run
	add := func(it toolItem) {
		if last := len(runs) - 1; open && runs[last][0].result == it.result {
			runs[last] = append(runs[last], it)
		} else {
			runs = append(runs, []toolItem{it})
		}
		open = true
	}
	for i := range elems(list) {
		m := &list.Elems[i]
		if it, ok := toolItemOf(m, ""); ok {
			add(it)
			continue
		}
		open = open && runs[len(runs)-1][0].result
		found := false
		for _, name := range []string{"content", "parts", "tool_calls"} {
			blocks := member(m, name)
			for j := range elems(blocks) {
				it, ok := toolItemOf(&blocks.Elems[j], name)
				open = open && ok
				if ok {
					add(it)
				}
				found = true
			}
		}
		open = open && found
	}
	return runs
}

// arrange sorts a run by what its items say, unless key is nil, and numbers its calls. It
// keeps the order in which they were sent as that of the list.
func arrange(list *exactjson.Value, run []toolItem, key func(toolItem) string, numbers ordinals) {
	sorted, keys, values := slices.Clone(run), map[*exactjson.Value]string{}, map[*exactjson.Value]exactjson.Value{}
	sorts := key != nil && len(run) > 1
	if sorts {
		for _, it := range run {
			keys[it.at], values[it.at] = key(it), *it.at
		}
		group.Sort(sorted, func(a, b toolItem) int { return strings.Compare(keys[a.at], keys[b.at]) })
	}
	for i, it := range sorted {
		if !it.result {
			numbers.call(it.id)
		}
		if sorts {
			*run[i].at = values[it.at]
		}
	}
	for i := 0; sorts && i < len(run); i++ {
		what := map[bool]string{true: "result ", false: "call "}[run[i].result]
		list.Text += what + run[i].name + text(run[i].id) + ", "
	}
}

// says appends what a call says, without its id and the fields that the user ignores.
func (r *request) says(dst []byte, v, id *exactjson.Value, source string) []byte {
	if v == id || v.Name == "caller" {
		return dst
	}
	if v.ID > 0 && r.sources != nil {
		source = r.sources[v.ID]
	}
	if source != "" && slices.ContainsFunc(r.options.Ignore, func(p string) bool { return fieldpath.Match(p, source) }) {
		return dst
	}
	if len(v.Elems) == 0 {
		return append(r.options.appendValue(dst, "", v), '\n')
	}
	for _, c := range children(v) {
		below := source
		if below != "" {
			below += "/" + c.segment
		}
		dst = r.says(append(append(dst, c.segment...), ' '), c.value, id, below)
	}
	return dst
}

// parseResult writes those texts of a result that are JSON, an object or a list, as what they
// hold, under a name of their own: one that was sent as that is not the same. A program that
// marshals a map may write its members in any order.
func (r *request) parseResult(result *exactjson.Value) {
	for _, path := range []string{"content", "output", "response", "result", "response/{*}"} {
		result.Each(path+"/*/text", r.parseText)
		result.Each(path, r.parseText)
	}
}

// parseText writes a text that is JSON as what it holds.
func (r *request) parseText(v *exactjson.Value) {
	if !isKind(v, exactjson.String) || !strings.ContainsAny(v.Text[:min(1, len(v.Text))], "{[ \\") {
		return
	}
	if parsed, ok := parseJSON(r.options.Masked("", exactjson.UnescapeText(v.Text))); ok {
		replace(v, parsed)
		v.Name += ".json"
	}
}

// ordinals are the numbers of ids.
type ordinals map[string]string

// call replaces the id of a tool call.
func (o ordinals) call(v *exactjson.Value) {
	if !isKind(v, exactjson.String) {
		return
	}
	n, ok := o[v.Text]
	if !ok {
		n = "#" + strconv.Itoa(len(o)+1)
		o[v.Text] = n
	}
	v.Text = n
}

// result replaces the id of a tool's result. One whose call is not in the body
// (it is in the response that previous_response_id names) stays as it is:
// nothing else tells which call it answers.
func (o ordinals) result(v *exactjson.Value) {
	if !isKind(v, exactjson.String) {
		return
	}
	if n, ok := o[v.Text]; ok {
		v.Text = n
	} else if strings.HasPrefix(v.Text, "#") {
		v.Text = "#" + v.Text // not an ordinal
	}
}
