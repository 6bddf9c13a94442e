package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A Rewrite brings the body of a request, or a value in it, to its one spelling. None
// joins, trims or reorders text.
type Rewrite func(r *request, v *exactjson.Value)

// rewrite runs rewrites on a value, in their order.
func (r *request) rewrite(v *exactjson.Value, rewrites []Rewrite) {
	for _, rewrite := range rewrites {
		rewrite(r, v)
	}
}

// each runs rewrites on what stands at a path of [exactjson.Steps]; at "" is the value itself.
// The path is read at its first use: a test uses few of the tables. Inlined, there would be
// a copy of the closure at each call, which is 0.1 MB of a test's binary in all.
//
//go:noinline
func each(path string, rewrites ...Rewrite) Rewrite {
	return func(r *request, v *exactjson.Value) {
		v.Each(path, func(v *exactjson.Value) { r.rewrite(v, rewrites) })
	}
}

// dropNull removes the members of an object that are null: clients write them for "not
// set". At the top of a body that is done for every family.
func dropNull(_ *request, v *exactjson.Value) {
	if isKind(v, exactjson.Object) {
		v.Elems = slices.DeleteFunc(v.Elems, func(m exactjson.Value) bool { return m.Kind == exactjson.Null })
	}
}

// messageNulls removes members that are null in messages, and in the blocks of their content.
// It does not look further down, where user data starts.
var messageNulls = each("messages/*", dropNull, each("content/*", dropNull))

// dropDefault removes members that have the value that they have without them, which is
// given as JSON. It is not inlined, and reads the value at its first use, like [each].
//
//go:noinline
func dropDefault(value string, names ...string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		unset := defaultValues.Get(value)
		for _, name := range names {
			if m := member(v, name); m != nil && equal(m, &unset) {
				drop(v, name)
			}
		}
	}
}

// dropEmpty removes members that are an empty list.
func dropEmpty(names ...string) Rewrite { return dropDefault(`[]`, names...) }

// dropped removes members.
func dropped(names ...string) Rewrite {
	return func(_ *request, v *exactjson.Value) { drop(v, names...) }
}

// textDefault fills in a member of an object that has none of that name.
func textDefault(name, text string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		if isKind(v, exactjson.Object) && member(v, name) == nil {
			set(v, name, stringValue(text))
		}
	}
}

// asList writes a string as the list of that one string.
func asList(name string) Rewrite {
	return func(r *request, v *exactjson.Value) {
		if m := member(v, name); isKind(m, exactjson.String) {
			replace(m, r.list(*m))
		}
	}
}

// asBlocks writes a text as the list of one text block of the given type.
func asBlocks(name, blockType string) Rewrite {
	return func(r *request, v *exactjson.Value) {
		if m := member(v, name); isKind(m, exactjson.String) {
			replace(m, r.list(r.object(field("type", stringValue(blockType)), field("text", *m))))
		}
	}
}

// renamed gives a member its common name, unless that is taken.
func renamed(from, to string) Rewrite {
	return func(_ *request, v *exactjson.Value) { rename(v, from, to) }
}

// parseArguments writes arguments that are the text of a JSON object as this
// object, so that a re-marshalled history is the same:
// {"arguments": "{ \"a\": 1}"}. They get a name of their own, since arguments that
// are an object when they are sent are not the same.
func parseArguments(_ *request, call *exactjson.Value) {
	v := member(call, "arguments")
	if !isKind(v, exactjson.String) {
		return
	}
	if args, ok := parseJSON(exactjson.UnescapeText(v.Text)); ok && args.Kind == exactjson.Object {
		replace(v, args)
		rename(call, "arguments", parsedArguments)
	}
}

const parsedArguments = "arguments.json"

// functionTool brings the spellings of a function tool to one: Anthropic's
// {name, description, input_schema}, Chat's {type, function: {...}} and
// Responses' {type, name, parameters}. Hosted tools keep everything.
func functionTool(r *request, tool *exactjson.Value) {
	dropNull(r, tool)
	kind, fn := member(tool, "type"), member(tool, "function")
	switch {
	case isString(kind, "function") && isKind(fn, exactjson.Object) && only(tool, "type", "function"):
		dropNull(r, fn)
		flat := *fn
		flat.Elems = append(flat.Elems, field("type", stringValue("function")))
		replace(tool, flat)
	case (kind == nil || isString(kind, "custom")) && member(tool, "input_schema") != nil && member(tool, "parameters") == nil:
		rename(tool, "input_schema", "parameters")
		set(tool, "type", stringValue("function"))
	}
	leanSchema(r, member(tool, "parameters"))
}

// leanSchema drops the empty properties of what is no object: go-openai wrote them for every value
// until v1.26.
func leanSchema(r *request, schema *exactjson.Value) {
	if schema == nil {
		return
	}
	if kind := member(schema, "type"); isKind(kind, exactjson.String) && kind.Text != "object" {
		noProperties(r, schema)
	}
	below := func(v *exactjson.Value) { leanSchema(r, v) }
	schema.Each("properties/{*}", below)
	schema.Each("items", below)
}

var noProperties = dropDefault(`{}`, "properties")

var functionTools = each("tools/*", functionTool)

// toolChoice brings the spellings of tool_choice to one: "auto", "none",
// "required" or {type: function, name}.
func toolChoice(r *request, body *exactjson.Value) {
	tc := member(body, "tool_choice")
	if !isKind(tc, exactjson.Object) {
		return
	}
	kind, name, fn := member(tc, "type"), member(tc, "name"), member(tc, "function")
	nested := isString(kind, "function") && only(tc, "type", "function") && only(fn, "name")
	if nested {
		name = member(fn, "name")
	}
	switch {
	case only(tc, "type") && isString(kind, "auto", "none"):
		replace(tc, *kind)
	case only(tc, "type") && isString(kind, "any"):
		replace(tc, stringValue("required"))
	case name != nil && (nested || isString(kind, "tool", "function") && only(tc, "type", "name")):
		replace(tc, r.object(field("type", stringValue("function")), field("name", *name)))
	}
}

// toolNames are where a tool has its name.
var toolNames = []string{"name", "function/name", "toolSpec/name", "functionDeclarations/*/name", "type"}

// sortTools orders tools by name, in every place a family has them: programs range over maps
// of them. It keeps the order in which they were sent as that of the list.
func sortTools(body *exactjson.Value) {
	name := func(v exactjson.Value) (name string) {
		for _, path := range slices.Backward(toolNames) {
			v.Each(path, func(s *exactjson.Value) { name = cmp.Or(s.Scalar(), name) })
		}
		return name
	}
	for _, path := range []string{"tools/*/functionDeclarations", "tools", "toolConfig/tools"} {
		body.Each(path, func(list *exactjson.Value) {
			if len(elems(list)) < 2 || slices.ContainsFunc(list.Elems, func(v exactjson.Value) bool { return name(v) == "" }) {
				return
			}
			for _, tool := range list.Elems {
				list.Text += name(tool) + ", "
			}
			group.Sort(list.Elems, func(a, b exactjson.Value) int { return strings.Compare(name(a), name(b)) })
		})
	}
}
