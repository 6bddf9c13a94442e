package canon

import (
	"regexp"
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// The rewrites of conversations: OpenAI's chats and Anthropic's messages, which
// gateways take in each other's spelling, and what has borrowed theirs.

// chatMessages writes every text as one text block and tool arguments as what
// they hold.
func chatMessages(b *Body) {
	for m := range items(b.Get("messages")) {
		calls := member(m, "tool_calls")
		if len(elems(calls)) > 0 {
			dropIfEmpty(m, exactjson.String, "content") // go-openai and ollama write "", openai-go nothing
			calls = member(m, "tool_calls")
		}
		for call := range items(calls) {
			dropNull(call)
			b.parseArguments(member(call, "function"))
		}
		if isString(member(m, "role"), "assistant") {
			dropIfEmpty(m, exactjson.Array, "tool_calls", "annotations") // of a response that is sent back
		}
		b.blocks(member(m, "content"), "text")
	}
}

// chatToolBlocks writes tool calls and their results where Anthropic has them:
// in the content of the assistant's message and of one user message after it.
// What holds more than those says stays as it is.
func chatToolBlocks(b *Body) {
	messages := b.Get("messages")
	if !isKind(messages, exactjson.Array) {
		return
	}
	out := messages.Elems[:0] // never longer than what is read
	results := false          // the last of out is a message of results made here
	for i := range messages.Elems {
		m := &messages.Elems[i]
		block, isResult := b.toolResult(m)
		switch {
		case !isResult:
			b.toolUses(m)
			out = append(out, *m)
		case results:
			content := member(&out[len(out)-1], "content")
			content.Elems = append(content.Elems, block)
		default:
			out = append(out, b.object(field("role", stringValue("user")), field("content", b.list(block))))
		}
		results = isResult
	}
	messages.Elems = out
}

// toolResult returns the tool_result block of a message of role tool.
func (b *Body) toolResult(m *exactjson.Value) (block exactjson.Value, ok bool) {
	id, content := member(m, "tool_call_id"), member(m, "content")
	if !isString(member(m, "role"), "tool") || id == nil || content == nil || !only(m, "role", "tool_call_id", "content") {
		return exactjson.Value{}, false
	}
	block = b.object(field("type", stringValue("tool_result")), field("tool_use_id", *id), field("content", *content))
	block.ID = m.ID
	return block, true
}

// toolUses moves the tool calls of a message to blocks of its content.
func (b *Body) toolUses(m *exactjson.Value) {
	calls, content := elems(member(m, "tool_calls")), member(m, "content")
	if len(calls) == 0 || content != nil && content.Kind != exactjson.Array {
		return
	}
	blocks := slices.Clip(elems(content))
	for i := range calls {
		block, ok := b.toolUse(&calls[i])
		if !ok {
			return
		}
		blocks = append(blocks, block)
	}
	set(m, "content", exactjson.Value{Kind: exactjson.Array, Elems: blocks})
	drop(m, "tool_calls")
}

// toolUse returns the tool_use block of a tool call.
func (b *Body) toolUse(call *exactjson.Value) (block exactjson.Value, ok bool) {
	fn, id, kind := member(call, "function"), member(call, "id"), member(call, "type")
	name, args := member(fn, "name"), member(fn, parsedArguments)
	if args == nil && !isKind(member(fn, "arguments"), exactjson.Object) {
		args = member(fn, "arguments")
	}
	if id == nil || name == nil || args == nil || len(fn.Elems) != 2 ||
		!only(call, "id", "type", "function", "index") || kind != nil && !isString(kind, "function") {
		return exactjson.Value{}, false
	}
	block = b.object(field("type", stringValue("tool_use")), field("id", *id), field("name", *name), field("input", *args))
	block.ID = call.ID
	return block, true
}

// sameDeveloper are the models that take a system message for one of the
// developer: "When you use a system message with o4-mini, o3, o3-mini, and o1 it
// will be treated as a developer message"
// (https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning). o1-mini
// refuses both, and other servers may not know the developer.
var sameDeveloper = regexp.MustCompile(`^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d\d-\d\d)?$`)

// chatSystem moves the leading system message to where Anthropic has it. Only
// the first, and only if it holds nothing else: further ones stay messages, so
// that no two conversations become one.
func chatSystem(b *Body) {
	messages := b.Get("messages")
	list := elems(messages)
	if len(list) == 0 || b.Get("system") != nil {
		return
	}
	first := &list[0]
	role, content := member(first, "role"), member(first, "content")
	developer := isString(role, "developer") && sameDeveloper.MatchString(modelOf(b.Value))
	if !isString(role, "system") && !developer || content == nil || !only(first, "role", "content") {
		return
	}
	messages.Elems = list[1:]
	b.Set("system", *content)
}

// anthropicBlocks writes every text as one text block and drops what is a
// default or a caching hint. A cache_control that is user data (in a tool's
// input or schema) stays.
func anthropicBlocks(b *Body) {
	b.blocks(b.Get("system"), "text")
	for _, name := range []string{"system", "tools"} {
		for v := range items(b.Get(name)) {
			dropNull(v)
			drop(v, "cache_control")
		}
	}
	drop(b.Value, "cache_control")
	for m := range items(b.Get("messages")) {
		b.blocks(member(m, "content"), "text")
		for block := range items(member(m, "content")) {
			b.anthropicBlock(block)
		}
	}
}

func (b *Body) anthropicBlock(block *exactjson.Value) {
	drop(block, "cache_control")
	// What a response has and its client may not send back: "direct" is who calls
	// a tool if nobody is named, and text without citations has none.
	if caller := member(block, "caller"); isString(member(caller, "type"), "direct") && only(caller, "type") {
		drop(block, "caller")
	}
	dropBlockNulls(member(block, "citations"))
	if isString(member(block, "type"), "text") {
		dropIfEmpty(block, exactjson.Array, "citations")
	}
	dropNull(block)
	content := member(block, "content")
	dropNull(content)
	dropBlockNulls(content)
	if !isString(member(block, "type"), "tool_result") {
		return
	}
	if e := member(block, "is_error"); isKind(e, exactjson.Bool) && e.Text == "false" {
		drop(block, "is_error")
	}
	b.blocks(member(block, "content"), "text")
	for inner := range items(member(block, "content")) {
		drop(inner, "cache_control")
	}
}

// toolIDs replaces the ids that link tool calls to their results, in the
// spelling of either provider: a conversation can hold both, since what is more
// than a call is not rewritten. They are numbered in one pass, when everything
// is in its place: numbering twice would lose which result belongs to which
// call.
func toolIDs(b *Body) {
	ids := ordinals{}
	for m := range items(b.Get("messages")) {
		for call := range items(member(m, "tool_calls")) {
			ids.call(member(call, "id"))
		}
		ids.result(member(m, "tool_call_id"))
		for block := range items(member(m, "content")) {
			if isOneOf(member(block, "type"), "tool_use", "server_tool_use", "mcp_tool_use") {
				ids.call(member(block, "id"))
			}
			if member(block, "type") != nil {
				ids.result(member(block, "tool_use_id"))
				ids.result(member(block, "caller", "tool_id"))
			}
		}
	}
}

// anthropicParallel moves disable_parallel_tool_use out of tool_choice, where
// OpenAI has parallel_tool_calls beside it.
func anthropicParallel(b *Body) {
	off := member(b.Get("tool_choice"), "disable_parallel_tool_use")
	if !isKind(off, exactjson.Bool) {
		return
	}
	if off.Text == "true" {
		b.Set("parallel_tool_calls", exactjson.Value{Kind: exactjson.Bool, Text: "false"})
	}
	drop(b.Get("tool_choice"), "disable_parallel_tool_use")
}
