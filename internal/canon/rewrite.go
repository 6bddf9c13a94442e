package canon

import (
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// The rules that several families share. Each brings spellings that mean the
// same to the model to one; none joins, trims or reorders text.

// dropNulls removes members that are null in the elements of the named lists,
// and in the blocks of their content: clients write them for "not set". At the
// top of a body that is done for every family. Neither looks further down, where user
// data starts.
func dropNulls(lists ...string) Rewrite {
	return func(b *Body) {
		for _, name := range lists {
			list := elems(b.Get(name))
			for i := range list {
				dropNull(&list[i])
				dropBlockNulls(member(&list[i], "content"))
			}
		}
	}
}

func dropBlockNulls(content *exactjson.Value) {
	blocks := elems(content)
	for i := range blocks {
		dropNull(&blocks[i])
	}
}

func dropNull(v *exactjson.Value) {
	if v.Kind != exactjson.Object {
		return
	}
	for i := len(v.Names) - 1; i >= 0; i-- {
		if v.Elems[i].Kind == exactjson.Null {
			v.Names = slices.Delete(v.Names, i, i+1)
			v.Elems = slices.Delete(v.Elems, i, i+1)
		}
	}
}

// dropEmpty removes members that are an empty list.
func dropEmpty(names ...string) Rewrite {
	return func(b *Body) { dropIfEmpty(b.Value, exactjson.Array, names) }
}

// dropEmptyObjects removes members that are an empty object.
func dropEmptyObjects(names ...string) Rewrite {
	return func(b *Body) { dropIfEmpty(b.Value, exactjson.Object, names) }
}

func dropIfEmpty(v *exactjson.Value, kind exactjson.Kind, names []string) {
	for _, n := range names {
		if m := member(v, n); m != nil && m.Kind == kind && len(m.Elems) == 0 {
			drop(v, n)
		}
	}
}

// listed writes a string as the list of that one string.
func listed(names ...string) Rewrite {
	return func(b *Body) {
		for _, n := range names {
			if v := b.Get(n); v != nil && v.Kind == exactjson.String {
				replace(v, b.list(*v))
			}
		}
	}
}

// renamed gives a member its common name, unless that is taken.
func renamed(from, to string) Rewrite {
	return func(b *Body) { rename(b.Value, from, to) }
}

// blocks writes a text as the list of one text block of the given type.
func (b *Body) blocks(v *exactjson.Value, blockType string) {
	if v != nil && v.Kind == exactjson.String {
		replace(v, b.list(b.object(field{"type", stringValue(blockType)}, field{"text", *v})))
	}
}

// ordinals replaces ids that only link a tool call to its result by "#1", "#2"
// in order of first appearance: fantasy and Genkit make random ones.
type ordinals map[string]string

// call replaces the id of a tool call.
func (o ordinals) call(v *exactjson.Value) {
	if v == nil || v.Kind != exactjson.String {
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
	if v == nil || v.Kind != exactjson.String {
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
	if args, err := b.call.parser.Parse(exactjson.UnescapeText(v.Text)); err == nil && args.Kind == exactjson.Object {
		replace(v, args)
		rename(call, "arguments", parsedArguments)
	}
}

const parsedArguments = "arguments.json"

// functionTool brings the spellings of a function tool to one: Anthropic's
// {name, description, input_schema}, Chat's {type, function: {...}} and
// Responses' {type, name, parameters}. Hosted tools keep everything.
func (b *Body) functionTool(tool *exactjson.Value) {
	if tool.Kind != exactjson.Object {
		return
	}
	dropNull(tool)
	kind, fn := member(tool, "type"), member(tool, "function")
	switch {
	case isString(kind, "function") && fn != nil && fn.Kind == exactjson.Object && only(tool, "type", "function"):
		dropNull(fn)
		n := len(fn.Names)
		flat := b.call.parser.Make(exactjson.Object, n+1)
		copy(flat.Names, fn.Names)
		copy(flat.Elems, fn.Elems)
		flat.Names[n], flat.Elems[n] = "type", stringValue("function")
		replace(tool, flat)
	case kind == nil || isString(kind, "custom"):
		if member(tool, "input_schema") != nil && member(tool, "parameters") == nil {
			rename(tool, "input_schema", "parameters")
			set(tool, "type", stringValue("function"))
		}
	}
}

func functionTools(b *Body) {
	tools := elems(b.Get("tools"))
	for i := range tools {
		b.functionTool(&tools[i])
	}
}

// toolChoice brings the spellings of tool_choice to one: "auto", "none",
// "required" or {type: function, name}.
func toolChoice(b *Body) {
	tc := b.Get("tool_choice")
	if tc == nil || tc.Kind != exactjson.Object {
		return
	}
	kind, name := member(tc, "type"), member(tc, "name")
	if fn := member(tc, "function"); fn != nil && isString(kind, "function") && only(tc, "type", "function") && only(fn, "name") {
		name = member(fn, "name")
	}
	switch {
	case isString(kind, "auto") && only(tc, "type"), isString(kind, "none") && only(tc, "type"):
		replace(tc, *kind)
	case isString(kind, "any") && only(tc, "type"):
		replace(tc, stringValue("required"))
	case name != nil && isString(kind, "tool") && only(tc, "type", "name"),
		name != nil && isString(kind, "function") && (only(tc, "type", "name") || only(tc, "type", "function")):
		replace(tc, b.object(field{"type", stringValue("function")}, field{"name", *name}))
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
	byName(elems(member(member(body, "toolConfig"), "tools")))
}
