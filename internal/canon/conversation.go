package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
	"github.com/promptecho/promptecho/internal/memo"
)

// This file has the rewrites of conversations in the formats of OpenAI's chat
// and of Anthropic's messages. Gateways accept both formats, and other APIs
// have similar ones.

// chatMessages normalizes the messages of a chat: a text becomes one text
// block, and the arguments of tool calls are parsed.
var chatMessages = each("messages/*",
	dropEmptyText,
	each("tool_calls/*", dropNull, each("function", parseArguments)),
	each("role=assistant", dropEmpty("tool_calls", "annotations")), // an answer that is sent back
	asBlocks("content", "text"),
)

// dropEmptyText removes the empty content of a message with tool calls.
// go-openai and Ollama's client send it, and openai-go does not.
func dropEmptyText(_ *request, m *exactjson.Value) {
	hasCalls := len(elems(member(m, "tool_calls"))) > 0 || member(m, "function_call") != nil
	if hasCalls && isString(member(m, "content"), "") {
		drop(m, "content")
	}
}

// moveToolsToBlocks changes the tool calls and the results of a chat to
// Anthropic's format: blocks of the assistant's message, and of one message of
// the user after it. Messages and calls with members that the other format
// lacks stay as they are.
func moveToolsToBlocks(_ *request, body *exactjson.Value) {
	messages := member(body, "messages")
	if !isKind(messages, exactjson.Array) {
		return
	}
	changed := messages.Elems[:0] // in place: it never grows faster than it is read
	wasResult := false
	for i := range messages.Elems {
		m := &messages.Elems[i]
		block, isResult := toolResultBlock(m)
		switch {
		case !isResult:
			moveCallsToContent(m)
			changed = append(changed, *m)
		case wasResult:
			last := &changed[len(changed)-1]
			content := member(last, "content")
			content.Elems = append(content.Elems, block)
		default:
			message := objectOf(field("role", stringValue("user")), field("content", listOf(block)))
			message.ID = m.ID
			changed = append(changed, message)
		}
		wasResult = isResult
	}
	messages.Elems = changed
}

// toolResultBlock returns Anthropic's tool_result block for a message with the
// role tool.
func toolResultBlock(m *exactjson.Value) (block exactjson.Value, ok bool) {
	id := member(m, "tool_call_id")
	content := member(m, "content")
	isResult := isString(member(m, "role"), "tool") && id != nil && content != nil
	if !isResult || !hasOnly(m, "role", "tool_call_id", "content") {
		return exactjson.Value{}, false
	}
	block = objectOf(
		field("type", stringValue("tool_result")),
		field("tool_use_id", *id),
		field("content", *content),
	)
	block.ID = m.ID
	return block, true
}

// moveCallsToContent replaces the tool calls of a message by Anthropic's
// tool_use blocks at the end of its content, if there is a block for each of
// them.
func moveCallsToContent(m *exactjson.Value) {
	calls := elems(member(m, "tool_calls"))
	content := member(m, "content")
	hasOtherContent := content != nil && content.Kind != exactjson.Array
	if len(calls) == 0 || hasOtherContent {
		return
	}
	blocks := slices.Clip(elems(content))
	for i := range calls {
		block, ok := toolUseBlock(&calls[i])
		if !ok {
			return
		}
		blocks = append(blocks, block)
	}
	set(m, "content", exactjson.Value{Kind: exactjson.Array, Elems: blocks})
	drop(m, "tool_calls")
}

// toolUseBlock returns Anthropic's tool_use block for a tool call. Its input is
// the parsed arguments, or the text of arguments that are not JSON.
func toolUseBlock(call *exactjson.Value) (block exactjson.Value, ok bool) {
	kind := member(call, "type")
	isFunction := kind == nil || isString(kind, "function")
	if !isFunction || !hasOnly(call, "id", "type", "function", "index") {
		return exactjson.Value{}, false
	}

	function := member(call, "function")
	args := member(function, parsedArguments)
	sentArgs := member(function, "arguments")
	if args == nil && !isKind(sentArgs, exactjson.Object) {
		args = sentArgs
	}
	id := member(call, "id")
	name := member(function, "name")
	if id == nil || name == nil || args == nil || len(function.Elems) != 2 {
		return exactjson.Value{}, false
	}
	block = objectOf(
		field("type", stringValue("tool_use")),
		field("id", *id),
		field("name", *name),
		field("input", *args),
	)
	block.ID = call.ID
	return block, true
}

// systemIsDeveloper matches the models for which a message of the developer
// means the same as one of the system: "When you use a system message with
// o4-mini, o3, o3-mini, and o1 it will be treated as a developer message"
// (https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning).
// o1-mini rejects both roles, and other servers may not know the developer's
// role.
var systemIsDeveloper = memo.Regexp(`^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d\d-\d\d)?$`)

// moveSystemMessage moves a system message to the member system of the body, as
// Anthropic has it. It moves only the first message, and only one that has no
// other members. Later system messages stay, so that no two different
// conversations become equal.
func moveSystemMessage(_ *request, body *exactjson.Value) {
	messages := member(body, "messages")
	list := elems(messages)
	if len(list) == 0 || member(body, "system") != nil {
		return
	}
	first := &list[0]
	content := member(first, "content")
	if content == nil || !hasOnly(first, "role", "content") {
		return
	}
	role := member(first, "role")
	isSystem := isString(role, "system") ||
		isString(role, "developer") && systemIsDeveloper().MatchString(modelOf(body))
	if !isSystem {
		return
	}
	messages.Elems = list[1:]
	set(body, "system", *content)
}

// anthropicBlocks normalizes a request in Anthropic's format: a text becomes
// one text block, and defaults and cache_control, which cannot change the
// answer, are removed. A cache_control in the input or the schema of a tool is
// data of the user, and stays.
var anthropicBlocks = each("",
	asBlocks("system", "text"),
	each("system/*", dropNull, dropMembers("cache_control")),
	each("tools/*", dropNull, dropMembers("cache_control")),
	dropMembers("cache_control"),
	each("messages/*", asBlocks("content", "text"), each("content/*",
		dropMembers("cache_control"),
		// Answers have these members, and some clients do not send them back. A
		// call without a caller is direct, and a text without citations has
		// none.
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

// toolCalls normalizes tool calls and results in the formats of both providers.
// A conversation may have both, since moveToolsToBlocks leaves some calls as
// they are.
var toolCalls = normalizeToolCalls("messages")

// moveParallelToolUse moves disable_parallel_tool_use from tool_choice to
// parallel_tool_calls of the body, as OpenAI has it.
func moveParallelToolUse(_ *request, body *exactjson.Value) {
	choice := member(body, "tool_choice")
	disable := member(choice, "disable_parallel_tool_use")
	if !isKind(disable, exactjson.Bool) {
		return
	}
	if disable.Text == "true" {
		set(body, "parallel_tool_calls", exactjson.Value{Kind: exactjson.Bool, Text: "false"})
	}
	choice = member(body, "tool_choice") // set may have moved it
	drop(choice, "disable_parallel_tool_use")
}
