package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// The rewrites that several families share. Each brings spellings that mean the
// same to the model to one; none joins, trims or reorders text.

// dropNulls removes members that are null in the elements of the named lists,
// and in the blocks of their content: clients write them for "not set". At the
// top of a body that is done for every family. Neither looks further down, where user
// data starts.
func dropNulls(lists ...string) Rewrite {
	return func(b *Body) {
		for _, name := range lists {
			for item := range items(b.Get(name)) {
				dropNull(item)
				dropBlockNulls(member(item, "content"))
			}
		}
	}
}

func dropBlockNulls(content *exactjson.Value) {
	for block := range items(content) {
		dropNull(block)
	}
}

// dropEmpty removes members that are an empty list.
func dropEmpty(names ...string) Rewrite {
	return func(b *Body) { dropIfEmpty(b.Value, exactjson.Array, names...) }
}

// dropEmptyObjects removes members that are an empty object.
func dropEmptyObjects(names ...string) Rewrite {
	return func(b *Body) { dropIfEmpty(b.Value, exactjson.Object, names...) }
}

// asList writes a string as the list of that one string.
func asList(name string) Rewrite {
	return func(b *Body) {
		if v := b.Get(name); isKind(v, exactjson.String) {
			replace(v, b.list(*v))
		}
	}
}

// renamed gives a member its common name, unless that is taken.
func renamed(from, to string) Rewrite {
	return func(b *Body) { rename(b.Value, from, to) }
}

// blocks writes a text as the list of one text block of the given type.
func (b *Body) blocks(v *exactjson.Value, blockType string) {
	if isKind(v, exactjson.String) {
		replace(v, b.list(b.object(field("type", stringValue(blockType)), field("text", *v))))
	}
}

// ordinals replaces ids that only link a tool call to its result by "#1", "#2"
// in order of first appearance: fantasy and Genkit make random ones.
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

// parseArguments writes arguments that are the text of a JSON object as this
// object, so that a re-marshalled history is the same:
// {"arguments": "{ \"a\": 1}"}. They get a name of their own, since arguments that
// are an object when they are sent are not the same.
func (b *Body) parseArguments(call *exactjson.Value) {
	v := member(call, "arguments")
	if !isKind(v, exactjson.String) {
		return
	}
	if args, ok := b.parseObject(exactjson.UnescapeText(v.Text)); ok {
		replace(v, args)
		rename(call, "arguments", parsedArguments)
	}
}

const parsedArguments = "arguments.json"

// functionTool brings the spellings of a function tool to one: Anthropic's
// {name, description, input_schema}, Chat's {type, function: {...}} and
// Responses' {type, name, parameters}. Hosted tools keep everything.
func (b *Body) functionTool(tool *exactjson.Value) {
	dropNull(tool)
	kind, fn := member(tool, "type"), member(tool, "function")
	switch {
	case isString(kind, "function") && isKind(fn, exactjson.Object) && only(tool, "type", "function"):
		dropNull(fn)
		flat := *fn
		flat.Elems = append(flat.Elems, field("type", stringValue("function")))
		replace(tool, flat)
	case (kind == nil || isString(kind, "custom")) && member(tool, "input_schema") != nil && member(tool, "parameters") == nil:
		rename(tool, "input_schema", "parameters")
		set(tool, "type", stringValue("function"))
	}
}

func functionTools(b *Body) {
	for tool := range items(b.Get("tools")) {
		b.functionTool(tool)
	}
}

// toolChoice brings the spellings of tool_choice to one: "auto", "none",
// "required" or {type: function, name}.
func toolChoice(b *Body) {
	tc := b.Get("tool_choice")
	if !isKind(tc, exactjson.Object) {
		return
	}
	kind, name, fn := member(tc, "type"), member(tc, "name"), member(tc, "function")
	nested := isString(kind, "function") && only(tc, "type", "function") && only(fn, "name")
	if nested {
		name = member(fn, "name")
	}
	switch {
	case only(tc, "type") && isOneOf(kind, "auto", "none"):
		replace(tc, *kind)
	case only(tc, "type") && isString(kind, "any"):
		replace(tc, stringValue("required"))
	case name != nil && (nested || isOneOf(kind, "tool", "function") && only(tc, "type", "name")):
		replace(tc, b.object(field("type", stringValue("function")), field("name", *name)))
	}
}

// sortTools orders tools by name, in every place a family has them.
func sortTools(body *exactjson.Value) {
	name := func(v exactjson.Value) string {
		for _, path := range [][]string{{"name"}, {"function", "name"}, {"toolSpec", "name"}, {"type"}} {
			if s := text(&v, path...); s != "" {
				return exactjson.UnescapeText(s)
			}
		}
		return ""
	}
	byName := func(list []exactjson.Value) {
		slices.SortStableFunc(list, func(a, b exactjson.Value) int { return strings.Compare(name(a), name(b)) })
	}
	tools := elems(member(body, "tools"))
	byName(tools)
	for _, t := range tools {
		byName(elems(member(&t, "functionDeclarations")))
	}
	byName(elems(member(body, "toolConfig", "tools")))
}
