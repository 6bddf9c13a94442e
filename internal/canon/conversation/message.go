package conversation

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// A Message is what one side said at once.
type Message struct {
	Role  string `json:"role"` // system, developer, user, assistant, tool, or as the provider calls another
	Parts []Part `json:"parts"`
}

// A Part is a piece of a message.
type Part struct {
	Kind string `json:"kind"`           // one of the kinds below
	Text string `json:"text,omitempty"` // a result's content; what a medium is; the JSON of anything else
	Name string `json:"name,omitempty"` // of the tool
	Args string `json:"arguments,omitempty"`
	ID   string `json:"id,omitempty"` // links a call to its result
	Bad  bool   `json:"is_error,omitempty"`

	Type string `json:"media_type,omitempty"` // of a medium whose bytes are known
	Data []byte `json:"-"`                    // of a medium
}

// The kinds of parts.
const (
	Text      = "text"
	Reasoning = "reasoning"
	Call      = "tool_call"
	Result    = "tool_result"
	Media     = "media"
	Other     = "other"
	Empty     = "empty" // of an answer that says nothing: why it ended
)

// The names that the providers have for one thing.
var (
	systemNames    = []string{"system", "instructions", "systemInstruction", "system_instruction", "preamble"}
	historyNames   = []string{"chat_history", "messages", "contents", "input", "message", "prompt"}
	contentNames   = []string{"content", "parts", "message", "text", "refusal"}
	reasoningNames = []string{"reasoning_content", "reasoning", "thinking", "tool_plan"}
	callLists      = []string{"tool_calls", "function_call"}
	argumentNames  = []string{"input", "args", "arguments.json", "arguments"}
	resultNames    = []string{"content", "output", "response", "result", "outputs"}
	idNames        = []string{"call_id", "tool_use_id", "toolUseId", "tool_call_id", "id"}
	wrapperNames   = []string{"functionCall", "toolUse", "functionResponse", "toolResult", "reasoningContent", "function", "custom"}
	roles          = map[string]string{"model": "assistant", "USER": "user", "CHATBOT": "assistant", "SYSTEM": "system", "TOOL": "tool"}
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
				list = append(list, split(message(&m))...)
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
		if n := len(merged); n > 0 && merged[n-1].Role == m.Role && (m.Role == "assistant" || m.Role == "tool") {
			merged[n-1].Parts = append(merged[n-1].Parts, m.Parts...)
		} else {
			merged = append(merged, m)
		}
	}
	return merged
}

// message reads a message, or what stands in a list of messages for one.
func message(v *exactjson.Value) Message {
	m := Message{Role: textOf(v, "role")}
	kind := textOf(v, "type")
	if m.Role == "" {
		switch {
		case strings.HasSuffix(kind, "_output"), strings.HasSuffix(kind, "_result"):
			m.Role = "tool"
		case strings.HasSuffix(kind, "_call"), kind == "reasoning", kind == "thought", kind == "model_output":
			m.Role = "assistant"
		default:
			m.Role = "user"
		}
	}
	if role, ok := roles[m.Role]; ok {
		m.Role = role
	}
	if isBlock(kind) {
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
		m.Parts = append(m.Parts, medium(&image))
	}
	if m.Parts == nil && len(v.Elems) > 0 && v.Member("role") != nil {
		for _, other := range v.Elems {
			if other.Kind != exactjson.Null && !slices.Contains([]string{"role", "type", "id", "status"}, other.Name) {
				m.Parts = append(m.Parts, Part{Kind: Other, Name: other.Name, Text: compact(&other)})
			}
		}
	}
	if (m.Role == "tool" || m.Role == "function") && !slices.ContainsFunc(m.Parts, func(p Part) bool { return p.Kind == Result }) {
		m.Parts = []Part{{Kind: Result, Name: textOf(v, "tool_name", "name"), ID: textOf(v, idNames...), Text: join(m.Parts)}}
	}
	return m
}

// isBlock reports whether a thing of this type stands among messages and is none.
func isBlock(kind string) bool {
	return kind != "" && kind != "message" && kind != "user_input" && kind != "model_output"
}

// split puts the results of tools, which some providers have in messages of the user, into
// messages of their own.
func split(m Message) (list []Message) {
	for _, p := range m.Parts {
		role := m.Role
		if p.Kind == Result {
			role = "tool"
		}
		if n := len(list); n > 0 && list[n-1].Role == role {
			list[n-1].Parts = append(list[n-1].Parts, p)
		} else {
			list = append(list, Message{role, []Part{p}})
		}
	}
	if list == nil {
		return []Message{m}
	}
	return list
}

// nameResults names results after the calls that they answer.
func nameResults(list []Message) {
	names := map[string]string{}
	for _, m := range list {
		for i := range m.Parts {
			switch p := &m.Parts[i]; {
			case p.ID == "":
			case p.Kind == Call:
				names[p.ID] = p.Name
			case p.Kind == Result && p.Name == "":
				p.Name = names[p.ID]
			}
		}
	}
}

// content reads what a message holds: a text, a block, a list of them, or Gemini's parts.
func content(v *exactjson.Value) (parts []Part) {
	if inner := member(v, "parts"); inner != nil {
		v = inner
	}
	for _, block := range elems(v) {
		parts = append(parts, part(&block))
	}
	return parts
}

// part reads one block.
func part(v *exactjson.Value) Part {
	if v.Kind != exactjson.Object {
		return Part{Kind: Text, Text: compact(v)}
	}
	kind := textOf(v, "type")
	inner, wrapped := v, ""
	for _, name := range wrapperNames {
		if w := member(v, name); w != nil && w.Kind == exactjson.Object {
			inner, wrapped = w, name
			break
		}
	}
	switch {
	case wrapped == "functionResponse", wrapped == "toolResult", strings.HasSuffix(kind, "_output"), strings.HasSuffix(kind, "tool_result"), kind == "function_result":
		return resultPart(inner)
	case wrapped == "functionCall", wrapped == "toolUse", strings.HasSuffix(kind, "tool_use"), member(inner, "name") != nil && member(inner, argumentNames...) != nil:
		return callPart(v)
	case wrapped == "reasoningContent", kind == "reasoning", kind == "thinking", kind == "thought", compact(member(v, "thought")) == "true":
		return Part{Kind: Reasoning, Text: thought(inner)}
	case isMedium.MatchString(kind) && !strings.HasSuffix(kind, "_call"), member(v, "inlineData", "fileData", "image", "document", "video", "audio") != nil && kind != "text":
		return medium(v)
	}
	for _, name := range []string{"text", "refusal"} {
		if t := member(v, name); t != nil && t.Kind == exactjson.String {
			return Part{Kind: Text, Text: t.Text}
		}
	}
	return Part{Kind: Other, Text: compact(v)}
}

// callPart reads the call of a tool.
func callPart(v *exactjson.Value) Part {
	p := Part{Kind: Call, ID: textOf(v, idNames...)}
	for _, name := range wrapperNames {
		if w := member(v, name); w != nil && w.Kind == exactjson.Object {
			v = w
		}
	}
	p.Name, p.Args = textOf(v, "name"), compact(member(v, argumentNames...))
	if p.ID == "" {
		p.ID = textOf(v, idNames...)
	}
	return p
}

// resultPart reads what a tool gave.
func resultPart(v *exactjson.Value) Part {
	p := Part{Kind: Result, Name: textOf(v, "name"), ID: textOf(v, idNames...)}
	p.Bad = compact(member(v, "is_error")) == "true" || textOf(v, "status") == "error"
	switch result := member(v, resultNames...); {
	case result == nil:
		p.Text = compact(v)
	case result.Kind == exactjson.Array:
		p.Text = join(content(result))
	default:
		p.Text = compact(result)
	}
	return p
}

// thought returns the text of a block of reasoning, which may be a list of summaries.
func thought(v *exactjson.Value) string {
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
	isMedium  = regexp.MustCompile(`image|document|file|audio|video`)
	mediaType = regexp.MustCompile(`^(image|audio|video|application|text)/[a-z0-9.+-]+$`)
)

// medium says what a picture, a sound or a file is: its type and where it is, or how large.
func medium(v *exactjson.Value) Part {
	var media, long string
	var walk func(v *exactjson.Value)
	walk = func(v *exactjson.Value) {
		switch {
		case v.Kind == exactjson.String && mediaType.MatchString(v.Text):
			media = v.Text
		case v.Kind == exactjson.String && len(v.Text) > len(long) && v.Name != "type":
			long = v.Text
		}
		for i := range v.Elems {
			walk(&v.Elems[i])
		}
	}
	walk(v)
	if rest, ok := strings.CutPrefix(long, "data:"); ok {
		var data string
		media, data, _ = strings.Cut(rest, ",")
		media, _, _ = strings.Cut(media, ";")
		long = data
	}
	if media == "" {
		media = "file"
		if kind := textOf(v, "type"); kind != "" {
			media = kind
		}
	}
	const name = 200 // bytes that an address or the id of a file may have
	if strings.Contains(long, "://") || len(long) < name && media == "file" || long != "" && strings.ContainsAny(long, "-_ ") && len(long) < name {
		return Part{Kind: Media, Text: media + " " + long}
	}
	p := Part{Kind: Media, Text: fmt.Sprintf("%s, %d bytes", media, len(strings.TrimRight(long, "="))*3/4)}
	if data := fromBase64(long); data != nil {
		p.Type, p.Data = mediaOf(data), data
		if p.Type != "" && !strings.Contains(media, "/") {
			p.Text = mediumPart("", data).Text
		}
	}
	return p
}

// mediumPart returns the part of a medium.
func mediumPart(name string, data []byte) Part {
	words := slices.DeleteFunc([]string{name, mediaOf(data), fmt.Sprintf("%d bytes", len(data))}, func(w string) bool { return w == "" })
	return Part{Kind: Media, Text: strings.Join(words, ", "), Type: mediaOf(data), Data: data}
}
