package fakeprovider

// ollamaChat is Ollama's chat; it streams unless told not to.
var ollamaChat = family{
	name:   "ollama.chat",
	vendor: ollama,
	owns:   suffix("/api/chat"),
	read:   readOllamaChat,
	write:  writeOllamaChat,
}

func readOllamaChat(c *call) (prompt, *Problem) {
	if p := ollamaModel(c); p != nil {
		return prompt{}, p
	}
	prompt := ollamaOptions(c.body)
	prompt.free = len(c.body.list("messages")) == 0
	for _, m := range objects(c.body.list("messages")) {
		t := turn{role: m.text("role"), text: m.text("content"), id: m.text("tool_call_id")}
		switch t.role {
		case "system":
			prompt.system = appendText(prompt.system, t.text)
			continue
		case "tool":
			if t.id == "" {
				t.id = m.text("tool_name")
			}
		case "assistant":
			t.calls = ollamaCalls(m)
		}
		prompt.turns = append(prompt.turns, t)
	}
	return prompt, nil
}

func writeOllamaChat(c *call, p prompt, replies []Reply) *answer {
	return newOllamaAnswer(c, ollamaMessage, replies[0]).answer(p)
}

// ollamaCalls is the tool calls of a message; one without an id is known by its name.
func ollamaCalls(message object) []Call {
	var calls []Call
	for _, t := range objects(message.list("tool_calls")) {
		f := t.sub("function")
		id, _ := t.or("id", "").(string)
		if id == "" {
			id = f.text("name")
		}
		calls = append(calls, Call{id, f.text("name"), string(encode(f.or("arguments", object{})))})
	}
	return calls
}

// ollamaOptions is what chat and generate have in common.
func ollamaOptions(body object) prompt {
	options := body.sub("options")
	p := prompt{limit: max(0, options.number("num_predict")), stops: stopsOf(options.get("stop"))}
	for _, t := range objects(body.list("tools")) {
		f := t.sub("function")
		p.tools = append(p.tools, tool{f.text("name"), f.get("parameters")})
	}
	switch f := body.get("format").(type) {
	case string:
		if f == "json" {
			p.format = &format{}
		}
	case object:
		p.format = &format{f}
	}
	return p
}

// ollamaGenerate is Ollama's generate; it streams unless told not to.
var ollamaGenerate = family{
	name:   "ollama.generate",
	vendor: ollama,
	owns:   suffix("/api/generate"),
	read:   readOllamaGenerate,
	write:  writeOllamaGenerate,
}

func readOllamaGenerate(c *call) (prompt, *Problem) {
	if p := ollamaModel(c); p != nil {
		return prompt{}, p
	}
	prompt := ollamaOptions(c.body)
	prompt.free = c.body.text("prompt") == ""
	prompt.system = c.body.text("system")
	text := appendText(c.body.text("prompt"), c.body.text("suffix"))
	prompt.turns = []turn{{role: "user", text: text}}
	return prompt, nil
}

func writeOllamaGenerate(c *call, p prompt, replies []Reply) *answer {
	a := newOllamaAnswer(c, ollamaResponse, replies[0])
	a.context = true
	return a.answer(p)
}
