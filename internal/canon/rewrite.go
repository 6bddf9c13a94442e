package canon

import (
	"cmp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/group"
)

// A Rewrite normalizes the body of a request, or a value in it: equivalent
// values become equal. No rewrite joins, trims or reorders texts.
type Rewrite func(r *request, v *exactjson.Value)

// rewrite applies rewrites to a value in their order.
func (r *request) rewrite(v *exactjson.Value, rewrites []Rewrite) {
	for _, rewrite := range rewrites {
		rewrite(r, v)
	}
}

// each returns a rewrite that applies rewrites to all values at a path below a
// value; see [exactjson.Steps]. The path "" stands for the value itself. It is
// parsed on first use, since a program uses few of the tables.
//
// Inlining each would copy the closure to every call, which makes a test's
// binary 0.1 MB larger.
//
//go:noinline
func each(path string, rewrites ...Rewrite) Rewrite {
	return func(r *request, v *exactjson.Value) {
		v.Each(path, func(v *exactjson.Value) { r.rewrite(v, rewrites) })
	}
}

// dropNull removes the null members of an object: some clients write null for
// "not set". All families apply it to the top of the body.
func dropNull(_ *request, v *exactjson.Value) {
	if !isKind(v, exactjson.Object) {
		return
	}
	v.Elems = slices.DeleteFunc(v.Elems, func(m exactjson.Value) bool {
		return m.Kind == exactjson.Null
	})
}

// messageNulls removes the null members of messages, and of the blocks of their
// content. What is below a block is data of the user, and stays.
var messageNulls = each("messages/*", dropNull, each("content/*", dropNull))

// dropDefault returns a rewrite that removes the named members if they have a
// value, which is JSON, that means the same as no such member.
// It is not inlined, and parses the value on first use; see [each].
//
//go:noinline
func dropDefault(value string, names ...string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		defaultValue := defaultValues.Get(value)
		for _, name := range names {
			m := member(v, name)
			if m != nil && equal(m, &defaultValue) {
				drop(v, name)
			}
		}
	}
}

// dropEmpty returns a rewrite that removes the named members if they are empty
// lists.
func dropEmpty(names ...string) Rewrite { return dropDefault(`[]`, names...) }

// dropMembers returns a rewrite that removes the named members.
func dropMembers(names ...string) Rewrite {
	return func(_ *request, v *exactjson.Value) { drop(v, names...) }
}

// addDefaultText returns a rewrite that adds a member to an object that lacks
// it.
func addDefaultText(name, text string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		if isKind(v, exactjson.Object) && member(v, name) == nil {
			set(v, name, stringValue(text))
		}
	}
}

// asList returns a rewrite that replaces a member that is a string by the list
// of that string.
func asList(name string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		m := member(v, name)
		if isKind(m, exactjson.String) {
			replace(m, listOf(*m))
		}
	}
}

// asBlocks returns a rewrite that replaces a member that is a string by the
// list of one block that has the string as its text.
func asBlocks(name, blockType string) Rewrite {
	return func(_ *request, v *exactjson.Value) {
		m := member(v, name)
		if isKind(m, exactjson.String) {
			block := objectOf(field("type", stringValue(blockType)), field("text", *m))
			replace(m, listOf(block))
		}
	}
}

// renameMember returns a rewrite that renames a member, unless the object has a
// member of the new name.
func renameMember(from, to string) Rewrite {
	return func(_ *request, v *exactjson.Value) { rename(v, from, to) }
}

// parseArguments replaces the arguments of a call that are the text of a JSON
// object, such as {"arguments": "{ \"a\": 1}"}, by the object: an agent may
// have marshaled them again. The member gets another name, since arguments that
// were sent as an object do not match.
func parseArguments(_ *request, call *exactjson.Value) {
	v := member(call, "arguments")
	if !isKind(v, exactjson.String) {
		return
	}
	args, ok := parseJSON(exactjson.UnescapeText(v.Text))
	if ok && args.Kind == exactjson.Object {
		replace(v, args)
		rename(call, "arguments", parsedArguments)
	}
}

const parsedArguments = "arguments.json"

// normalizeFunctionTool normalizes a function tool to {type: function, name,
// description, parameters}.
//
//	Anthropic   {name, description, input_schema}, with type custom or without a type
//	Chat        {type: function, function: {name, description, parameters}}
//	Responses   {type: function, name, description, parameters}
//
// Tools that the provider runs keep all members.
func normalizeFunctionTool(r *request, tool *exactjson.Value) {
	dropNull(r, tool)
	kind := member(tool, "type")
	function := member(tool, "function")
	isFunction := isString(kind, "function")
	isCustom := kind == nil || isString(kind, "custom")
	switch {
	case isFunction && isKind(function, exactjson.Object) && hasOnly(tool, "type", "function"):
		dropNull(r, function)
		flat := *function
		flat.Elems = append(flat.Elems, field("type", stringValue("function")))
		replace(tool, flat)
	case isCustom && member(tool, "input_schema") != nil && member(tool, "parameters") == nil:
		rename(tool, "input_schema", "parameters")
		set(tool, "type", stringValue("function"))
	}
	dropPropertiesOfNonObjects(r, member(tool, "parameters"))
}

// dropPropertiesOfNonObjects removes an empty "properties" from a JSON schema
// whose type is not object, and from the schemas in it. go-openai wrote this
// member for every type until v1.26.
func dropPropertiesOfNonObjects(r *request, schema *exactjson.Value) {
	if schema == nil {
		return
	}
	kind := member(schema, "type")
	if isKind(kind, exactjson.String) && kind.Text != "object" {
		dropEmptyProperties(r, schema)
	}
	dropBelow := func(v *exactjson.Value) { dropPropertiesOfNonObjects(r, v) }
	schema.Each("properties/{*}", dropBelow)
	schema.Each("items", dropBelow)
}

var dropEmptyProperties = dropDefault(`{}`, "properties")

var functionTools = each("tools/*", normalizeFunctionTool)

// normalizeToolChoice normalizes tool_choice.
//
//	sent                                             normalized
//	{type: auto}, {type: none}                       "auto", "none"
//	{type: any}                                      "required"
//	{type: tool, name}, {type: function, name},
//	{type: function, function: {name}}               {type: function, name}
func normalizeToolChoice(_ *request, body *exactjson.Value) {
	choice := member(body, "tool_choice")
	if !isKind(choice, exactjson.Object) {
		return
	}
	kind := member(choice, "type")
	if hasOnly(choice, "type") {
		switch {
		case isString(kind, "auto", "none"):
			replace(choice, *kind)
		case isString(kind, "any"):
			replace(choice, stringValue("required"))
		}
		return
	}

	name := member(choice, "name")
	namesTool := isString(kind, "tool", "function") && hasOnly(choice, "type", "name")
	function := member(choice, "function")
	isNested := isString(kind, "function") && hasOnly(choice, "type", "function")
	if isNested && hasOnly(function, "name") {
		name = member(function, "name")
		namesTool = true
	}
	if namesTool && name != nil {
		replace(choice, objectOf(field("type", stringValue("function")), field("name", *name)))
	}
}

// toolNames are the paths at which tools have their names, the most usual one
// first. A tool of the provider has only a type.
var toolNames = []string{
	"name",
	"function/name",
	"toolSpec/name",
	"functionDeclarations/*/name",
	"type",
}

// toolName returns the name of a tool, or "".
func toolName(tool *exactjson.Value) (name string) {
	for _, path := range toolNames {
		tool.Each(path, func(v *exactjson.Value) { name = cmp.Or(v.Scalar(), name) })
		if name != "" {
			return name
		}
	}
	return ""
}

// toolLists are the paths at which requests have lists of tools.
var toolLists = []string{
	"tools/*/functionDeclarations", "tools", "toolConfig/tools",
	// messages of sessions: Realtime, Gemini Live, Nova Sonic
	"session|response/tools",
	"setup/tools/*/functionDeclarations", "setup/tools",
	"event/promptStart/toolConfiguration/tools",
}

// sortTools sorts tools by name: programs range over maps of them. A list's
// text then has the order in which they were sent; see [walker.addOrder].
func sortTools(body *exactjson.Value) {
	for _, path := range toolLists {
		body.Each(path, sortByName)
	}
}

// sortByName sorts a list of tools, unless one of them has no name.
func sortByName(list *exactjson.Value) {
	if len(elems(list)) < 2 {
		return
	}
	for i := range list.Elems {
		if toolName(&list.Elems[i]) == "" {
			return
		}
	}
	for i := range list.Elems {
		list.Text += toolName(&list.Elems[i]) + ", "
	}
	group.Sort(list.Elems, func(a, b exactjson.Value) int {
		return strings.Compare(toolName(&a), toolName(&b))
	})
}
