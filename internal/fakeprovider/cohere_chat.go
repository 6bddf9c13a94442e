package fakeprovider

import (
	"net/http"
	"strings"
)

// cohereChat is Cohere's chat, version 2.
var cohereChat = family{
	name:   "cohere.chat",
	vendor: cohere,
	owns:   suffix("/v2/chat"),
	plans:  always,
	read:   readCohereChat,
	write:  writeCohereChat,
}

func readCohereChat(c *call) (prompt, *Problem) {
	if p := cohereModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, &Problem{Status: http.StatusBadRequest,
			Message: "invalid request: list of messages must not be empty"}
	}
	return coherePrompt(c.body), nil
}

func coherePrompt(body object) prompt {
	p := prompt{
		choice: choice{mode: strings.ToLower(body.text("tool_choice"))},
		limit:  body.number("max_tokens"),
		stops:  stopsOf(body.get("stop_sequences")),
	}
	for _, m := range objects(body.list("messages")) {
		text := contentText(m.get("content"))
		switch m.text("role") {
		case "system", "developer":
			p.system = appendText(p.system, text)
		case "assistant":
			p.turns = append(p.turns, turn{role: "assistant", text: appendText(m.text("tool_plan"), text), calls: chatCalls(m)})
		case "tool":
			p.turns = append(p.turns, turn{role: "tool", text: cohereResult(m.get("content")), id: m.text("tool_call_id")})
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
	for _, t := range objects(body.list("tools")) {
		if f := t.sub("function"); f != nil {
			p.tools = append(p.tools, tool{f.text("name"), f.get("parameters")})
		}
	}
	if f := body.sub("response_format"); f.text("type") == "json_object" {
		p.format = &format{f.or("json_schema", f.get("schema"))}
	}
	return p
}

// cohereResult returns the text of a tool's result, which may be in documents.
func cohereResult(content any) string {
	list, ok := content.([]any)
	if !ok {
		return contentText(content)
	}
	said := ""
	for _, part := range objects(list) {
		switch data := part.sub("document").get("data").(type) {
		case string:
			said = appendText(said, data)
		case object:
			said = appendText(said, string(encode(data)))
		default:
			said = appendText(said, contentText([]any{part}))
		}
	}
	return said
}
