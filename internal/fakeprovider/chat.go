package fakeprovider

// chat is OpenAI Chat Completions.
var chat = family{
	name:   "openai.chat",
	vendor: openai,
	owns:   suffix("/chat/completions"),
	read:   readChat,
	write:  writeChat,
}

func readChat(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("messages")) == 0 {
		return prompt{}, missing("messages")
	}
	return chatPrompt(c.body), nil
}

func writeChat(c *call, p prompt, replies []Reply) *answer {
	if c.body.flag("stream") {
		return &answer{events: chatEvents(c, p, replies)}
	}
	return &answer{body: append(pretty(chatBody(c, p, replies), "  "), '\n')}
}

func chatPrompt(body object) prompt {
	p := prompt{
		choices: min(body.number("n"), 128),
		choice:  openaiChoice(body.get("tool_choice")),
		serial:  body.get("parallel_tool_calls") == false,
		limit:   max(body.number("max_tokens"), body.number("max_completion_tokens")),
		stops:   stopsOf(body.get("stop")),
	}
	for _, m := range objects(body.list("messages")) {
		text := contentText(m.get("content"))
		switch m.text("role") {
		case "system", "developer":
			p.system = appendText(p.system, text)
		case "assistant":
			p.turns = append(p.turns, turn{role: "assistant", text: text, calls: chatCalls(m)})
		case "tool":
			p.turns = append(p.turns, turn{role: "tool", text: text, id: m.text("tool_call_id")})
		default:
			p.turns = append(p.turns, turn{role: "user", text: text})
		}
	}
	for _, t := range objects(body.list("tools")) {
		if f := t.sub("function"); f != nil {
			p.tools = append(p.tools, tool{f.text("name"), f.get("parameters")})
		}
	}
	switch f := body.sub("response_format"); f.text("type") {
	case "json_schema":
		p.format = &format{f.sub("json_schema").get("schema")}
	case "json_object":
		p.format = &format{}
	}
	return p
}

func chatCalls(message object) []Call {
	var calls []Call
	for _, t := range objects(message.list("tool_calls")) {
		f := t.sub("function")
		calls = append(calls, Call{t.text("id"), f.text("name"), f.text("arguments")})
	}
	return calls
}
