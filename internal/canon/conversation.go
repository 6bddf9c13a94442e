package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// The rewrites of conversations: OpenAI's chats and Anthropic's messages, which
// gateways take in each other's spelling, and what has borrowed theirs.

// chatMessages writes every text as one text block and tool arguments as what
// they hold.
var chatMessages = each("messages/*",
	dropTextBesideCalls,
	each("tool_calls/*", dropNull, each("function", parseArguments)),
	each("role=assistant", dropEmpty("tool_calls", "annotations")), // of a response that is sent back
	asBlocks("content", "text"),
)

// dropTextBesideCalls drops the empty content of a message with tool calls: go-openai
// and ollama write it, openai-go does not.
func dropTextBesideCalls(_ *request, m *exactjson.Value) {
	if (len(elems(member(m, "tool_calls"))) > 0 || member(m, "function_call") != nil) && isString(member(m, "content"), "") {
		drop(m, "content")
	}
}

// chatToolBlocks writes tool calls and their results where Anthropic has them:
// in the content of the assistant's message and of one user message after it.
// What holds more than those says stays as it is.
func chatToolBlocks(r *request, body *exactjson.Value) {
	messages := member(body, "messages")
	if !isKind(messages, exactjson.Array) {
		return
	}
	out := messages.Elems[:0] // never longer than what is read
	results := false          // the last of out is a message of results made here
	for i := range messages.Elems {
		m := &messages.Elems[i]
		block, isResult := r.toolResult(m)
		switch {
		case !isResult:
			r.toolUses(m)
			out = append(out, *m)
		case results:
			content := member(&out[len(out)-1], "content")
			content.Elems = append(content.Elems, block)
		default:
			message := objectOf(field("role", stringValue("user")), field("content", listOf(block)))
			message.ID = m.ID // where it stands
			out = append(out, message)
		}
		results = isResult
	}
	messages.Elems = out
}

// toolResult returns the tool_result block of a message of role tool.
func (r *request) toolResult(m *exactjson.Value) (block exactjson.Value, ok bool) {
	id, content := member(m, "tool_call_id"), member(m, "content")
	if !isString(member(m, "role"), "tool") || id == nil || content == nil || !hasOnly(m, "role", "tool_call_id", "content") {
		return exactjson.Value{}, false
	}
	block = objectOf(field("type", stringValue("tool_result")), field("tool_use_id", *id), field("content", *content))
	block.ID = m.ID
	return block, true
}

// toolUses moves the tool calls of a message to blocks of its content.
func (r *request) toolUses(m *exactjson.Value) {
	calls, content := elems(member(m, "tool_calls")), member(m, "content")
	if len(calls) == 0 || content != nil && content.Kind != exactjson.Array {
		return
	}
	blocks := slices.Clip(elems(content))
	for i := range calls {
		block, ok := r.toolUse(&calls[i])
		if !ok {
			return
		}
		blocks = append(blocks, block)
	}
	set(m, "content", exactjson.Value{Kind: exactjson.Array, Elems: blocks})
	drop(m, "tool_calls")
}

// toolUse returns the tool_use block of a tool call.
func (r *request) toolUse(call *exactjson.Value) (block exactjson.Value, ok bool) {
	fn, id, kind := member(call, "function"), member(call, "id"), member(call, "type")
	name, args := member(fn, "name"), member(fn, parsedArguments)
	if args == nil && !isKind(member(fn, "arguments"), exactjson.Object) {
		args = member(fn, "arguments")
	}
	if id == nil || name == nil || args == nil || len(fn.Elems) != 2 ||
		!hasOnly(call, "id", "type", "function", "index") || kind != nil && !isString(kind, "function") {
		return exactjson.Value{}, false
	}
	block = objectOf(field("type", stringValue("tool_use")), field("id", *id), field("name", *name), field("input", *args))
	block.ID = call.ID
	return block, true
}

// sameDeveloper are the models that take a system message for one of the
// developer: "When you use a system message with o4-mini, o3, o3-mini, and o1 it
// will be treated as a developer message"
// (https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning). o1-mini
// refuses both, and other servers may not know the developer.
var sameDeveloper = memo.Regexp(`^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d\d-\d\d)?$`)

// chatSystem moves the leading system message to where Anthropic has it. Only
// the first, and only if it holds nothing else: further ones stay messages, so
// that no two conversations become one.
func chatSystem(_ *request, body *exactjson.Value) {
	messages := member(body, "messages")
	list := elems(messages)
	if len(list) == 0 || member(body, "system") != nil {
		return
	}
	first := &list[0]
	role, content := member(first, "role"), member(first, "content")
	developer := isString(role, "developer") && sameDeveloper().MatchString(modelOf(body))
	if !isString(role, "system") && !developer || content == nil || !hasOnly(first, "role", "content") {
		return
	}
	messages.Elems = list[1:]
	set(body, "system", *content)
}

// anthropicBlocks writes every text as one text block and drops what is a
// default or a caching hint. A cache_control that is user data (in a tool's
// input or schema) stays.
var anthropicBlocks = each("",
	asBlocks("system", "text"),
	each("system/*", dropNull, dropMembers("cache_control")),
	each("tools/*", dropNull, dropMembers("cache_control")),
	dropMembers("cache_control"),
	each("messages/*", asBlocks("content", "text"), each("content/*",
		dropMembers("cache_control"),
		// What a response has and its client may not send back: "direct" is who calls
		// a tool if nobody is named, and text without citations has none.
		dropDefault(`{"type":"direct"}`, "caller"),
		each("citations/*", dropNull),
		each("type=text", dropEmpty("citations")),
		dropNull,
		each("content", dropNull, each("*", dropNull)),
		each("type=tool_result",
			dropDefault("false", "is_error"),
			asBlocks("content", "text"),
			each("content/*", dropMembers("cache_control")),
		),
	)),
)

// toolIDs links calls to results, in the spelling of either provider: a conversation can hold
// both, since what is more than a call is not rewritten.
var toolIDs = normalizeToolCalls("messages")

// anthropicParallel moves disable_parallel_tool_use out of tool_choice, where
// OpenAI has parallel_tool_calls beside it.
func anthropicParallel(_ *request, body *exactjson.Value) {
	choice := member(body, "tool_choice")
	off := member(choice, "disable_parallel_tool_use")
	if !isKind(off, exactjson.Bool) {
		return
	}
	if off.Text == "true" {
		set(body, "parallel_tool_calls", exactjson.Value{Kind: exactjson.Bool, Text: "false"})
	}
	drop(member(body, "tool_choice"), "disable_parallel_tool_use")
}
