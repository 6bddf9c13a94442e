package fakeprovider

import "strings"

// gemini is Gemini's generateContent, plain and streamed, on Vertex AI too.
var gemini = family{
	name:   "gemini.generate",
	vendor: google,
	owns:   suffix(":generateContent", ":streamGenerateContent"),
	read:   readGemini,
	write:  writeGemini,
}

func readGemini(c *call) (prompt, *Problem) {
	if _, p := googleModel(c); p != nil {
		return prompt{}, p
	}
	if len(c.body.list("contents")) == 0 {
		return prompt{}, googleInvalid("* GenerateContentRequest.contents: contents is not specified\n")
	}
	return geminiPrompt(c.body), nil
}

func geminiPrompt(body object) prompt {
	options := body.sub("generationConfig")
	p := prompt{
		choices: min(options.number("candidateCount"), 8),
		stops:   stopsOf(options.get("stopSequences")),
		limit:   options.number("maxOutputTokens"),
	}
	for _, t := range geminiTurns(body.get("systemInstruction")) {
		p.system = appendText(p.system, t.text)
	}
	for _, m := range body.list("contents") {
		p.turns = append(p.turns, geminiTurns(m)...)
	}
	for _, t := range objects(body.list("tools")) {
		for _, f := range objects(t.list("functionDeclarations")) {
			schema := f.or("parametersJsonSchema", lowerTypes(f.get("parameters")))
			p.tools = append(p.tools, tool{f.text("name"), schema})
		}
	}
	p.choice = geminiChoice(body)
	if options.text("responseMimeType") == "application/json" {
		p.format = &format{options.or("responseJsonSchema", lowerTypes(options.get("responseSchema")))}
	}
	return p
}

func geminiChoice(body object) choice {
	f := body.sub("toolConfig").sub("functionCallingConfig")
	switch f.text("mode") {
	case "ANY":
		if allowed := f.list("allowedFunctionNames"); len(allowed) == 1 {
			name, _ := allowed[0].(string)
			return choice{mode: "named", name: name}
		}
		return choice{mode: "required"}
	case "NONE":
		return choice{mode: "none"}
	}
	return choice{mode: "auto"}
}

// geminiTurns is the turns of one content: results come before its text. A call
// without an id is known by its name.
func geminiTurns(content any) []turn {
	m, _ := content.(object)
	t := turn{role: "user"}
	if m.text("role") == "model" {
		t.role = "assistant"
	}
	var turns []turn
	var rest []any
	for _, part := range objects(m.list("parts")) {
		call, result := part.sub("functionCall"), part.sub("functionResponse")
		switch {
		case call != nil:
			id, _ := call.or("id", call.text("name")).(string)
			t.calls = append(t.calls, Call{id, call.text("name"), string(encode(call.or("args", object{})))})
		case result != nil:
			id, _ := result.or("id", result.text("name")).(string)
			turns = append(turns, turn{role: "tool", id: id, text: geminiResult(result.sub("response"))})
		case part.flag("thought"):
		default:
			rest = append(rest, part)
		}
	}
	t.text = contentText(rest)
	if t.text != "" || t.calls != nil || turns == nil {
		turns = append(turns, t)
	}
	return turns
}

// geminiResult is the text of a function's response.
func geminiResult(o object) string {
	for _, name := range []string{"output", "result", "error"} {
		if text := o.text(name); text != "" && len(o) == 1 {
			return text
		}
	}
	return string(encode(o))
}

// lowerTypes spells the types of a schema as JSON Schema does: "string" for "STRING".
func lowerTypes(v any) any {
	switch v := v.(type) {
	case object:
		out := make(object, len(v))
		for i, f := range v {
			out[i] = field{f.name, lowerTypes(f.value)}
			if kind, ok := f.value.(string); ok && f.name == "type" {
				out[i].value = strings.ToLower(kind)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = lowerTypes(item)
		}
		return out
	}
	return v
}
