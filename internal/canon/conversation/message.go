package conversation

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Message is one message of a conversation.
type Message struct {
	Role  string `json:"role"` // system, developer, user, assistant, tool, or another name of the provider
	Parts []Part `json:"parts"`
}

// A Part is a piece of a message.
type Part struct {
	Kind string `json:"kind"`           // one of the kinds below
	Text string `json:"text,omitempty"` // of a text, reasoning or a result; the description of media; other JSON
	Name string `json:"name,omitempty"` // of the tool
	Args string `json:"arguments,omitempty"`
	ID   string `json:"id,omitempty"` // links a call to its result
	Bad  bool   `json:"is_error,omitempty"`

	Type string `json:"media_type,omitempty"` // of media whose bytes are known
	Data []byte `json:"-"`                    // the bytes of media
}

// The kinds of parts.
const (
	Text      = "text"
	Reasoning = "reasoning"
	Call      = "tool_call"
	Result    = "tool_result"
	Media     = "media"
	Other     = "other"
	Empty     = "empty" // an answer without content; the text is its finish reason
)

// The names of one thing in the APIs of all providers.
var (
	systemNames    = []string{"system", "instructions", "systemInstruction", "system_instruction", "preamble"}
	historyNames   = []string{"chat_history", "messages", "contents", "input", "message", "prompt"}
	contentNames   = []string{"content", "parts", "message", "text", "refusal"}
	reasoningNames = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}
	callLists      = []string{"tool_calls", "function_call"}
	argumentNames  = []string{"input", "args", "arguments.json", "arguments"}
	resultNames    = []string{"content", "output", "response", "result", "outputs"}
	idNames        = []string{"call_id", "tool_use_id", "toolUseId", "tool_call_id", "id"}
	wrapperNames   = []string{
		"functionCall", "toolUse", "functionResponse", "toolResult", "reasoningContent", "function", "custom",
	}
	roles = map[string]string{
		"model": "assistant", // Gemini

		// Cohere
		"USER":    "user",
		"CHATBOT": "assistant",
		"SYSTEM":  "system",
		"TOOL":    "tool",
	}
)

// messages returns the messages of a body, and the names of the members that hold them.
func messages(body *exactjson.Value) (list []Message, read []string) {
	for _, name := range systemNames {
		if v := member(body, name); v != nil {
			read = append(read, name)
			list = append(list, Message{"system", content(v)})
		}
	}
	for _, name := range historyNames {
		v := member(body, name)
		if v == nil {
			continue
		}
		read = append(read, name)
		texts := Message{Role: "user"} // of a list without roles
		for _, m := range elems(v) {
			if m.Kind == exactjson.Object {
				list = append(list, splitResults(message(&m))...)
			} else {
				texts.Parts = append(texts.Parts, part(&m))
			}
		}
		if texts.Parts != nil {
			list = append(list, texts)
		}
	}
	nameResults(list)
	return merge(list), read
}

// merge puts together what one side said in several items: the OpenAI Responses API has an
// item for each call and each result.
func merge(list []Message) (merged []Message) {
	for _, m := range list {
		last := len(merged) - 1
		canMerge := m.Role == "assistant" || m.Role == "tool"
		if canMerge && last >= 0 && merged[last].Role == m.Role {
			merged[last].Parts = append(merged[last].Parts, m.Parts...)
		} else {
			merged = append(merged, m)
		}
	}
	return merged
}

// roleOf returns the role of a message, or of an item without one by its type.
func roleOf(v *exactjson.Value) string {
	role := textOf(v, "role")
	if translated, ok := roles[role]; ok {
		return translated
	}
	if role != "" {
		return role
	}
	itemType := textOf(v, "type")
	switch {
	case itemType == "model_output": // Gemini's interactions
		return "assistant"
	case strings.HasSuffix(itemType, "_output"), strings.HasSuffix(itemType, "_result"):
		return "tool"
	case strings.HasSuffix(itemType, "_call"), itemType == "reasoning", itemType == "thought":
		return "assistant"
	}
	return "user"
}

// message reads an element of a list of messages: a message, or an item that is one block.
func message(v *exactjson.Value) Message {
	m := Message{Role: roleOf(v)}
	if isBlock(textOf(v, "type")) {
		m.Parts = []Part{part(v)}
		return m
	}
	for _, name := range reasoningNames {
		if text := textOf(v, name); text != "" {
			m.Parts = append(m.Parts, Part{Kind: Reasoning, Text: text})
		}
	}
	m.Parts = append(m.Parts, content(member(v, contentNames...))...)
	for _, name := range callLists {
		for _, call := range elems(member(v, name)) {
			m.Parts = append(m.Parts, callPart(&call))
		}
	}
	for _, image := range elems(member(v, "images")) {
		m.Parts = append(m.Parts, mediaPart(&image))
	}
	if m.Parts == nil && v.Member("role") != nil {
		m.Parts = unknownParts(v)
	}
	isResult := m.Role == "tool" || m.Role == "function"
	if isResult && !hasResult(m.Parts) {
		m.Parts = []Part{{
			Kind: Result,
			Name: textOf(v, "tool_name", "name"),
			ID:   textOf(v, idNames...),
			Text: join(m.Parts),
		}}
	}
	return m
}

// unknownParts returns the members of a message that has no known content.
func unknownParts(v *exactjson.Value) (parts []Part) {
	for _, m := range v.Elems {
		switch m.Name {
		case "role", "type", "id", "status":
			continue
		}
		if m.Kind != exactjson.Null {
			parts = append(parts, Part{Kind: Other, Name: m.Name, Text: compact(&m)})
		}
	}
	return parts
}

// hasResult reports whether one of parts is the result of a tool.
func hasResult(parts []Part) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Kind == Result })
}

// isBlock reports whether an element of a list of messages is one block by its type, such
// as a call of the OpenAI Responses API. Elements without a type are messages.
func isBlock(itemType string) bool {
	switch itemType {
	case "", "message", "user_input", "model_output":
		return false
	}
	return true
}

// splitResults returns a message as messages of which none has both results of tools and
// other parts: some APIs have the results in messages of the user.
func splitResults(m Message) (list []Message) {
	for _, p := range m.Parts {
		role := m.Role
		if p.Kind == Result {
			role = "tool"
		}
		last := len(list) - 1
		if last >= 0 && list[last].Role == role {
			list[last].Parts = append(list[last].Parts, p)
		} else {
			list = append(list, Message{role, []Part{p}})
		}
	}
	hasNoParts := list == nil
	if hasNoParts {
		return []Message{m}
	}
	return list
}

// nameResults names results after the calls that they answer.
func nameResults(list []Message) {
	names := map[string]string{}
	for _, m := range list {
		for i := range m.Parts {
			p := &m.Parts[i]
			switch {
			case p.ID == "":
			case p.Kind == Call:
				names[p.ID] = p.Name
			case p.Kind == Result && p.Name == "":
				p.Name = names[p.ID]
			}
		}
	}
}

// content reads the content of a message: a text, a block, a list of them, or Gemini's parts.
func content(v *exactjson.Value) (parts []Part) {
	if inner := member(v, "parts"); inner != nil {
		v = inner
	}
	for _, block := range elems(v) {
		parts = append(parts, part(&block))
	}
	return parts
}

// A block is a part of a message as an API has it. Some APIs wrap its content in a member
// that tells its kind, others have a member "type".
type block struct {
	v         *exactjson.Value
	blockType string           // the member "type", or ""
	wrapper   string           // one of wrapperNames, or ""
	inner     *exactjson.Value // the value of the wrapper; v if there is none
}

// blockOf returns the block that v is, with its wrapper if it has one.
func blockOf(v *exactjson.Value) block {
	b := block{v: v, blockType: textOf(v, "type"), inner: v}
	for _, name := range wrapperNames {
		inner := member(v, name)
		if inner != nil && inner.Kind == exactjson.Object {
			b.wrapper = name
			b.inner = inner
			break
		}
	}
	return b
}

// isResult reports whether the block is the result of a tool.
func (b *block) isResult() bool {
	return b.wrapper == "functionResponse" || b.wrapper == "toolResult" ||
		b.blockType == "function_result" || b.hasTypeSuffix("_output", "tool_result")
}

// isCall reports whether the block is a tool call. A block of any type is one if it has a
// name and arguments.
func (b *block) isCall() bool {
	if b.wrapper == "functionCall" || b.wrapper == "toolUse" || b.hasTypeSuffix("tool_use") {
		return true
	}
	return member(b.inner, "name") != nil && member(b.inner, argumentNames...) != nil
}

// isReasoning reports whether the block has reasoning of the model.
func (b *block) isReasoning() bool {
	switch b.blockType {
	case "reasoning", "thinking", "thought":
		return true
	}
	return b.wrapper == "reasoningContent" || compact(member(b.v, "thought")) == "true"
}

// isMedia reports whether the block is a picture, a sound or a file.
func (b *block) isMedia() bool {
	if mediaBlockTypes.MatchString(b.blockType) && !b.hasTypeSuffix("_call") {
		return true
	}
	return b.blockType != "text" && member(b.v, mediaMembers...) != nil
}

// hasTypeSuffix reports whether the type ends in one of suffixes.
func (b *block) hasTypeSuffix(suffixes ...string) bool {
	return slices.ContainsFunc(suffixes, func(suffix string) bool {
		return strings.HasSuffix(b.blockType, suffix)
	})
}

// part reads one block. The order of the kinds matters: the type of a result can have the
// word image or file in it, and a call can have a picture among its arguments.
func part(v *exactjson.Value) Part {
	if v.Kind != exactjson.Object {
		return Part{Kind: Text, Text: compact(v)}
	}
	b := blockOf(v)
	switch {
	case b.isResult():
		return resultPart(b.inner)
	case b.isCall():
		return callPart(v)
	case b.isReasoning():
		return Part{Kind: Reasoning, Text: reasoningText(b.inner)}
	case b.blockType == "document" && member(b.v, "document").Member("data") != nil:
		return Part{Kind: Text, Text: compact(member(b.v, "document").Member("data"))} // Cohere's
	case b.isMedia():
		return mediaPart(v)
	}
	for _, name := range []string{"text", "refusal"} {
		if t := member(v, name); t != nil && t.Kind == exactjson.String {
			return Part{Kind: Text, Text: t.Text}
		}
	}
	return Part{Kind: Other, Text: compact(v)}
}

// callPart reads a tool call.
func callPart(v *exactjson.Value) Part {
	p := Part{Kind: Call, ID: textOf(v, idNames...)}
	for _, name := range wrapperNames {
		if w := member(v, name); w != nil && w.Kind == exactjson.Object {
			v = w
		}
	}
	p.Name = textOf(v, "name")
	p.Args = compact(member(v, argumentNames...))
	if p.ID == "" {
		p.ID = textOf(v, idNames...)
	}
	return p
}

// resultPart reads the result of a tool.
func resultPart(v *exactjson.Value) Part {
	p := Part{Kind: Result, Name: textOf(v, "name"), ID: textOf(v, idNames...)}
	p.Bad = compact(member(v, "is_error")) == "true" || textOf(v, "status") == "error"
	result := member(v, resultNames...)
	switch {
	case result == nil:
		p.Text = compact(v)
	case result.Kind == exactjson.Array:
		p.Text = join(content(result))
	default:
		p.Text = compact(result)
	}
	return p
}

// reasoningText returns the text of a block of reasoning: one text, or a list of texts.
func reasoningText(v *exactjson.Value) string {
	if inner := member(v, "reasoningText"); inner != nil {
		v = inner
	}
	if text := textOf(v, "thinking", "text"); text != "" {
		return text
	}
	var texts []string
	for _, name := range []string{"summary", "content", "thinking"} {
		for _, s := range elems(member(v, name)) {
			texts = append(texts, textOf(&s, "text"))
		}
	}
	return strings.Join(texts, "\n")
}

// join returns the texts of parts.
func join(parts []Part) string {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.Text)
	}
	return strings.Join(texts, "\n")
}

var (
	mediaBlockTypes  = regexp.MustCompile(`image|document|file|audio|video`)
	mediaMembers     = []string{"inlineData", "fileData", "image", "document", "video", "audio"}
	mediaTypePattern = regexp.MustCompile(`^(image|audio|video|application|text)/[a-z0-9.+-]+$`)
)

// mediaPart describes a picture, a sound or a file: its media type, and its address or size.
func mediaPart(v *exactjson.Value) Part {
	media, source := mediaSource(v)
	if isReference(media, source) {
		return Part{Kind: Media, Text: media + " " + source}
	}

	p := Part{Kind: Media, Text: fmt.Sprintf("%s, %d bytes", media, base64Size(source))}
	data := fromBase64(source)
	if data == nil {
		return p
	}
	p.Type = mediaTypeOf(data)
	p.Data = data
	isMediaType := strings.Contains(media, "/")
	if p.Type != "" && !isMediaType {
		p.Text = mediaPartOf("", data).Text
	}
	return p
}

// mediaSource returns the media type of a block, and its source: an address, the ID of a
// file, or bytes in base64. The source is the longest text in the block, since the APIs have
// it at many places. Without a media type, media is the type of the block, or "file".
func mediaSource(v *exactjson.Value) (media, source string) {
	var walk func(v *exactjson.Value)
	walk = func(v *exactjson.Value) {
		if v.Kind == exactjson.String {
			isLonger := len(v.Text) > len(source)
			switch {
			case mediaTypePattern.MatchString(v.Text):
				media = v.Text
			case isLonger && v.Name != "type":
				source = v.Text
			}
		}
		for i := range v.Elems {
			walk(&v.Elems[i])
		}
	}
	walk(v)

	if dataURL, ok := strings.CutPrefix(source, "data:"); ok {
		head, data, _ := strings.Cut(dataURL, ",")
		source = data
		media, _, _ = strings.Cut(head, ";")
	}
	return cmp.Or(media, textOf(v, "type"), "file"), source
}

// isReference reports whether the source that [mediaSource] returned is an address or the
// ID of a file, and not bytes in base64.
func isReference(media, source string) bool {
	if strings.Contains(source, "://") {
		return true
	}
	const longestID = 200 // bytes
	if len(source) >= longestID {
		return false
	}
	isUntyped := media == "file"
	hasSeparator := strings.ContainsAny(source, "-_ ") // as in "file-abc"; not in base64
	return isUntyped || hasSeparator
}

// mediaPartOf returns the part for the bytes of a picture, a sound or a file. name may be
// empty.
func mediaPartOf(name string, data []byte) Part {
	var words []string
	for _, word := range []string{name, mediaTypeOf(data), fmt.Sprintf("%d bytes", len(data))} {
		if word != "" {
			words = append(words, word)
		}
	}
	return Part{Kind: Media, Text: strings.Join(words, ", "), Type: mediaTypeOf(data), Data: data}
}
