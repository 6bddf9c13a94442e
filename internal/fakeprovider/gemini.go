package fakeprovider

import (
	"fmt"
	"strings"
)

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

func writeGemini(c *call, _ prompt, replies []Reply) *answer {
	model, _ := googleModel(c)
	g := &geminiAnswer{c: c, model: model, replies: replies}
	if !strings.HasSuffix(c.path, ":streamGenerateContent") {
		return &answer{kind: googleJSON, body: append(pretty(g.whole(), "  "), '\n')}
	}
	chunks := g.chunks()
	if c.query.Get("alt") == "sse" {
		return &answer{kind: "text/event-stream", events: geminiEvents(chunks)}
	}
	return &answer{kind: googleJSON, events: geminiArray(chunks)}
}

// geminiEvents is the chunks as server-sent events, as Gemini spells them.
func geminiEvents(chunks []object) [][]byte {
	var events [][]byte
	for _, o := range chunks {
		events = append(events, append(append([]byte("data: "), spaced(encode(o))...), "\r\n\r\n"...))
	}
	return events
}

// geminiArray is the chunks as the elements of one array.
func geminiArray(chunks []object) [][]byte {
	var events [][]byte
	before := "["
	for _, o := range chunks {
		events = append(events, append([]byte(before), pretty(o, "  ")...))
		before = "\n,\r\n"
	}
	return append(events, []byte("\n]\n"))
}

// spaced writes compact JSON with a blank after every colon.
func spaced(data []byte) []byte {
	var out []byte
	quoted, escaped := false, false
	for _, b := range data {
		out = append(out, b)
		switch {
		case escaped:
			escaped = false
		case b == '\\':
			escaped = true
		case b == '"':
			quoted = !quoted
		case b == ':' && !quoted:
			out = append(out, ' ')
		}
	}
	return out
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

// geminiAnswer spells replies.
type geminiAnswer struct {
	c       *call
	model   string
	replies []Reply
}

// geminiFinish are Gemini's finish reasons.
var geminiFinish = map[string]string{
	FinishStop:     "STOP",
	FinishLength:   "MAX_TOKENS",
	FinishSequence: "STOP",
	FinishCalls:    "STOP",
	FinishFilter:   "SAFETY",
	FinishRefusal:  "STOP",
}

func geminiParts(r Reply) []object {
	var parts []object
	if r.Text != "" || len(r.Calls) == 0 {
		parts = append(parts, object{{"text", r.Text}})
	}
	return append(parts, geminiCalls(r)...)
}

func geminiCalls(r Reply) (parts []object) {
	for _, t := range r.Calls {
		parts = append(parts, object{{"functionCall", object{{"name", t.Name}, {"args", raw(t.Args)}}}})
	}
	return parts
}

func geminiCandidate(i int, parts []object, finish any) object {
	o := object{{"content", object{{"parts", parts}, {"role", "model"}}}}
	if finish != nil {
		o = append(o, field{"finishReason", finish})
	}
	return append(o, field{"index", i})
}

func (g *geminiAnswer) whole() object {
	var candidates []object
	out := 0
	for i, r := range g.replies {
		candidates = append(candidates, geminiCandidate(i, geminiParts(r), finish(r.Finish, geminiFinish)))
		out += r.Usage.Output
	}
	return g.response(candidates, out)
}

func (g *geminiAnswer) response(candidates []object, out int) object {
	in := g.replies[0].Usage.Input
	return object{
		{"candidates", candidates},
		{"usageMetadata", object{
			{"promptTokenCount", in},
			{"candidatesTokenCount", out},
			{"totalTokenCount", in + out},
			{"promptTokensDetails", []object{{{"modality", "TEXT"}, {"tokenCount", in}}}},
		}},
		{"modelVersion", g.model},
		{"responseId", fmt.Sprintf("standin%06d", g.c.n)},
	}
}

// chunks is the pieces of a stream; the last of each candidate says why it ends.
func (g *geminiAnswer) chunks() []object {
	var chunks []object
	sent := 0
	for i, r := range g.replies {
		var pieces [][]object
		for _, text := range r.pieces() {
			pieces = append(pieces, []object{{{"text", text}}})
		}
		for _, part := range geminiCalls(r) {
			pieces = append(pieces, []object{part})
		}
		if pieces == nil {
			pieces = [][]object{{{{"text", ""}}}}
		}
		for k, parts := range pieces {
			out, reason := sent+min(k+1, r.Usage.Output), any(nil)
			if k == len(pieces)-1 {
				out, reason = sent+r.Usage.Output, finish(r.Finish, geminiFinish)
			}
			chunks = append(chunks, g.response([]object{geminiCandidate(i, parts, reason)}, out))
		}
		sent += r.Usage.Output
	}
	return chunks
}
