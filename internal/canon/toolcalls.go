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

// A toolItem is a tool call or its result in a conversation.
type toolItem struct {
	value  *exactjson.Value // the message or the block
	object *exactjson.Value // the object with the members: value, or an object that it wraps
	id     *exactjson.Value // links a call to its result; nil if there is none
	name   string           // of the tool; "" if there is none
	result bool
}

// toolWrappers are the members that hold a call or a result in Bedrock's
// Converse and in Gemini.
var toolWrappers = []struct {
	name   string
	result bool
}{
	{"toolUse", false},
	{"functionCall", false},
	{"toolResult", true},
	{"functionResponse", true},
}

// toolItemOf returns the tool call or the result that a message or a block is.
// list is the name of the member that has the block, or "" for a message.
func toolItemOf(v *exactjson.Value, list string) (item toolItem, ok bool) {
	for _, wrapper := range toolWrappers {
		object := member(v, wrapper.name)
		if isKind(object, exactjson.Object) {
			return toolItem{
				value:  v,
				object: object,
				id:     cmp.Or(member(object, "toolUseId"), member(object, "id")),
				name:   text(object, "name"),
				result: wrapper.result,
			}, true
		}
	}

	kind := text(v, "type")
	item = toolItem{
		value:  v,
		object: v,
		name:   cmp.Or(text(v, "name"), text(v, "tool_name"), text(v, "function", "name")),
	}
	switch {
	case list == "tool_calls", strings.HasSuffix(kind, "tool_use"): // OpenAI's chat, Anthropic
		item.id = member(v, "id")
	case kind != "" && member(v, "tool_use_id") != nil: // Anthropic
		item.id = member(v, "tool_use_id")
		item.result = true
	case member(v, "call_id") != nil, kind == "function_call": // OpenAI's Responses
		item.id = cmp.Or(member(v, "call_id"), member(v, "id"))
		item.result = strings.HasSuffix(kind, "_output") || strings.HasSuffix(kind, "_result")
	case isString(member(v, "role"), "tool"), member(v, "tool_call_id") != nil: // chat, Mistral
		item.id = member(v, "tool_call_id")
		item.result = kind != "function.call"
	default:
		return toolItem{}, false
	}
	return item, true
}

// normalizeToolCalls normalizes the tool calls and the results of the
// conversation at a path.
//
// IDs that only link a call to its result become "#1", "#2", in the order of
// the calls: fantasy and Genkit make random IDs. Calls of one answer are
// sorted, and so are results with nothing between them, if each has an ID or
// each has the name of its tool: programs run tools at the same time, and have
// calls in maps. A result that is the text of JSON is parsed, since programs
// marshal maps in any order. With [Options.AsSent], only the IDs change.
func normalizeToolCalls(path string) Rewrite {
	return each(path, func(r *request, list *exactjson.Value) {
		numbers := ordinals{}
		runs := toolRuns(list)
		for i, run := range runs {
			if run[0].result {
				for _, item := range run {
					numbers.numberResult(item.id)
					if !r.options.AsSent {
						r.parseResult(item.object)
					}
				}
			}
			if key := r.sortKey(runs, i); key != nil && len(run) > 1 {
				sortRun(run, key, numbers)
				addSentOrder(list, run)
			} else {
				numbers.numberCalls(run)
			}
		}
		list.Each("*/content/*/type=*/caller/tool_id", numbers.numberResult)
	})
}

// sortKey returns the key by which a run of calls or of results is sorted, or
// nil if its order matters: without IDs or names, only the order tells which
// result is that of which call.
func (r *request) sortKey(runs [][]toolItem, i int) func(toolItem) string {
	if r.options.AsSent {
		return nil
	}
	run := runs[i]
	results := run
	if !run[0].result {
		hasResults := i+1 < len(runs) && runs[i+1][0].result
		if !hasResults {
			return nil
		}
		results = runs[i+1]
	}

	switch {
	case haveIDs(run) && haveIDs(results):
		if run[0].result {
			return func(item toolItem) string { return item.id.Text }
		}
		return func(item toolItem) string {
			return string(r.appendCall(nil, item.value, item.id, ""))
		}
	case haveNames(run) && haveNames(results):
		return func(item toolItem) string { return item.name }
	}
	return nil
}

// haveIDs reports whether each item of a run has an ID.
func haveIDs(run []toolItem) bool {
	for _, item := range run {
		if !isKind(item.id, exactjson.String) {
			return false
		}
	}
	return true
}

// haveNames reports whether each item of a run has the name of its tool.
func haveNames(run []toolItem) bool {
	for _, item := range run {
		if item.name == "" {
			return false
		}
	}
	return true
}

// toolRuns returns the runs of calls and of results in a list of messages or of
// items. A run of results has nothing else between them. A run of calls is in
// one message, or has nothing else between them in a list of items.
func toolRuns(list *exactjson.Value) (runs [][]toolItem) {
	open := false // the next item may be of the last run
	add := func(item toolItem) {
		last := len(runs) - 1
		if open && runs[last][0].result == item.result {
			runs[last] = append(runs[last], item)
		} else {
			runs = append(runs, []toolItem{item})
		}
		open = true
	}
	for i := range elems(list) {
		message := &list.Elems[i]
		if item, ok := toolItemOf(message, ""); ok {
			add(item)
			continue
		}

		// A message ends a run of calls. It continues a run of results if it
		// has only results.
		open = open && runs[len(runs)-1][0].result
		hasBlocks := false
		for _, name := range []string{"content", "parts", "tool_calls"} {
			blocks := member(message, name)
			for j := range elems(blocks) {
				hasBlocks = true
				item, ok := toolItemOf(&blocks.Elems[j], name)
				if ok {
					add(item)
				} else {
					open = false
				}
			}
		}
		open = open && hasBlocks
	}
	return runs
}

// sortRun sorts the items of a run by a key, and numbers the calls in their new
// order. The items of a run may be in several messages. They change places, so
// each message keeps its number of items.
func sortRun(run []toolItem, key func(toolItem) string, numbers ordinals) {
	sorted := slices.Clone(run)
	keys := map[*exactjson.Value]string{}
	values := map[*exactjson.Value]exactjson.Value{}
	for _, item := range run {
		keys[item.value] = key(item)
		values[item.value] = *item.value
	}
	group.Sort(sorted, func(a, b toolItem) int {
		return strings.Compare(keys[a.value], keys[b.value])
	})

	// The copies in values share their members with the items, so they get the
	// numbers, too.
	numbers.numberCalls(sorted)
	for i, item := range sorted {
		*run[i].value = values[item.value]
	}
}

// addSentOrder adds the order in which the items of a run were sent to the text
// of the list; see [walker.addOrder].
func addSentOrder(list *exactjson.Value, run []toolItem) {
	for _, item := range run {
		kind := "call "
		if item.result {
			kind = "result "
		}
		list.Text += kind + item.name + text(item.id) + ", "
	}
}

// appendCall appends the fields of a tool call, without its ID, its caller, and
// the fields that the user ignores. source is the path at which v was sent, or
// "" if that is unknown.
func (r *request) appendCall(dst []byte, v, id *exactjson.Value, source string) []byte {
	if v == id || v.Name == "caller" {
		return dst
	}
	if v.ID > 0 && r.sources != nil {
		source = r.sources[v.ID]
	}
	if source != "" && r.isIgnored(source) {
		return dst
	}
	if len(v.Elems) == 0 {
		dst = r.options.appendValue(dst, "", v)
		return append(dst, '\n')
	}
	for _, child := range children(v) {
		childSource := source
		if source != "" {
			childSource += "/" + child.segment
		}
		dst = append(dst, child.segment...)
		dst = append(dst, ' ')
		dst = r.appendCall(dst, child.value, id, childSource)
	}
	return dst
}

// isIgnored reports whether the user ignores the field that was sent at a path.
func (r *request) isIgnored(source string) bool {
	for _, pattern := range r.options.Ignore {
		if fieldpath.Match(pattern, source) {
			return true
		}
	}
	return false
}

// parseResult replaces the texts of a tool's result that are JSON objects or
// lists by their values.
func (r *request) parseResult(result *exactjson.Value) {
	for _, path := range []string{"content", "output", "response", "result", "response/{*}"} {
		result.Each(path+"/*/text", r.parseText)
		result.Each(path, r.parseText)
	}
}

// parseText replaces a text that is a JSON object or list by its value. The
// name of the member gets the suffix ".json": a value that was not sent as a
// text does not match.
func (r *request) parseText(v *exactjson.Value) {
	if !isKind(v, exactjson.String) || !mayBeJSON(v.Text) {
		return
	}
	parsed, ok := parseJSON(r.options.Masked("", exactjson.UnescapeText(v.Text)))
	if ok {
		replace(v, parsed)
		v.Name += ".json"
	}
}

// mayBeJSON reports whether an escaped text starts like a JSON object or list:
// with a bracket, a space, or an escape of one.
func mayBeJSON(text string) bool {
	return text != "" && strings.IndexByte("{[ \\", text[0]) >= 0
}

// ordinals has a number for each ID of a tool call: "#1", "#2".
type ordinals map[string]string

// numberCalls replaces the IDs of the calls among the items.
func (o ordinals) numberCalls(items []toolItem) {
	for _, item := range items {
		if !item.result {
			o.numberCall(item.id)
		}
	}
}

// numberCall replaces the ID of a call by its number. A new ID gets the next
// number.
func (o ordinals) numberCall(id *exactjson.Value) {
	if !isKind(id, exactjson.String) {
		return
	}
	number, ok := o[id.Text]
	if !ok {
		number = "#" + strconv.Itoa(len(o)+1)
		o[id.Text] = number
	}
	id.Text = number
}

// numberResult replaces the ID of a result by the number of its call. If the
// call is not in the body but in a response that the provider stores
// (previous_response_id), the ID stays: nothing else tells which call it is.
func (o ordinals) numberResult(id *exactjson.Value) {
	if !isKind(id, exactjson.String) {
		return
	}
	number, ok := o[id.Text]
	switch {
	case ok:
		id.Text = number
	case strings.HasPrefix(id.Text, "#"):
		id.Text = "#" + id.Text // so that it cannot be taken for a number
	}
}
