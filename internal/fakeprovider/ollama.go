package fakeprovider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// ollama is the vendor of the Ollama endpoints. It asks for no key.
var ollama = &vendor{
	speaks: func(r *http.Request) bool {
		return strings.HasPrefix(r.URL.Path, "/api/") && strings.HasPrefix(r.UserAgent(), "ollama")
	},
	key: unasked,
	badJSON: func(err error) problem {
		why := "expected an object"
		if err != nil {
			why = err.Error()
		}
		return problem{status: http.StatusBadRequest, message: why}
	},
	headers: func(*call, http.Header, int) {},
	refuse: func(c *call, h http.Header, p problem) []byte {
		switch {
		case p.message != "":
		case p.status == http.StatusNotFound:
			h.Set("Content-Type", "text/plain")
			return []byte("404 page not found")
		case p.status == http.StatusMethodNotAllowed:
			h.Set("Content-Type", "text/plain")
			return []byte("405 method not allowed")
		default:
			p.message = "refused with status " + strconv.Itoa(p.status) + " (stand-in, on demand)"
		}
		h.Set("Content-Type", ollamaJSON)
		return encode(object{{"error", p.message}})
	},
}

const (
	ollamaJSON = "application/json; charset=utf-8"
	ndjson     = "application/x-ndjson"
)

func ollamaModel(c *call) *problem {
	switch model := c.body.text("model"); model {
	case "":
		return &problem{status: http.StatusBadRequest, message: "model is required"}
	case noModel, noModel + ":latest":
		return &problem{status: http.StatusNotFound, message: "model '" + model + "' not found"}
	}
	return nil
}

// ollamaChat is Ollama's chat; it streams unless told not to.
var ollamaChat = family{
	name:   "ollama.chat",
	vendor: ollama,
	owns:   suffix("/api/chat"),
	answer: answerOllamaChat,
}

func answerOllamaChat(c *call) (*answer, *problem) {
	if p := ollamaModel(c); p != nil {
		return nil, p
	}
	a := &ollamaAnswer{c: c, said: func(text string, calls []object) field {
		message := object{{"role", "assistant"}, {"content", text}}
		if calls != nil {
			message = append(message, field{"tool_calls", calls})
		}
		return field{"message", message}
	}}
	if len(c.body.list("messages")) == 0 {
		return a.loaded()
	}
	prompt := ollamaOptions(c.body)
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
	return a.answer(prompt.reply(0))
}

// ollamaCalls is the tool calls of a message; one without an id is known by its name.
func ollamaCalls(message object) []toolCall {
	var calls []toolCall
	for _, t := range objects(message.list("tool_calls")) {
		f := t.sub("function")
		id, _ := t.or("id", "").(string)
		if id == "" {
			id = f.text("name")
		}
		calls = append(calls, toolCall{id, f.text("name"), string(encode(f.or("arguments", object{})))})
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
	answer: answerOllamaGenerate,
}

func answerOllamaGenerate(c *call) (*answer, *problem) {
	if p := ollamaModel(c); p != nil {
		return nil, p
	}
	a := &ollamaAnswer{c: c, context: true, said: func(text string, _ []object) field {
		return field{"response", text}
	}}
	if c.body.text("prompt") == "" {
		return a.loaded()
	}
	prompt := ollamaOptions(c.body)
	prompt.system = c.body.text("system")
	prompt.turns = []turn{{role: "user", text: appendText(c.body.text("prompt"), c.body.text("suffix"))}}
	return a.answer(prompt.reply(0))
}

// ollamaAnswer spells a reply; said is how a piece of it is put.
type ollamaAnswer struct {
	c       *call
	context bool
	said    func(text string, calls []object) field
}

func (a *ollamaAnswer) answer(r reply) (*answer, *problem) {
	var calls []object
	for i, t := range r.calls {
		calls = append(calls, object{
			{"id", fmt.Sprintf("call_standin%06d%d", a.c.n, i)},
			{"function", object{{"index", i}, {"name", t.name}, {"arguments", raw(t.args)}}},
		})
	}
	if a.c.body.get("stream") == false {
		return &answer{kind: ollamaJSON, body: encode(a.last(r, r.text, calls))}, nil
	}
	var events [][]byte
	for _, text := range deltas(r.tokens) {
		events = append(events, jsonLine(append(a.piece(text, nil), field{"done", false})))
	}
	if calls != nil {
		events = append(events, jsonLine(append(a.piece("", calls), field{"done", false})))
	}
	return &answer{kind: ndjson, events: append(events, jsonLine(a.last(r, "", nil)))}, nil
}

func (a *ollamaAnswer) piece(text string, calls []object) object {
	return object{
		{"model", a.c.body.text("model")},
		{"created_at", a.c.created().Format("2006-01-02T15:04:05.000000Z07:00")},
		a.said(text, calls),
	}
}

// last is the end of a stream, and all of a plain answer.
func (a *ollamaAnswer) last(r reply, text string, calls []object) object {
	why := "stop"
	if r.why == limited {
		why = "length"
	}
	o := append(a.piece(text, calls), field{"done", true}, field{"done_reason", why})
	if a.context {
		o = append(o, field{"context", []any{1, 2, 3}})
	}
	const ms = 1000000
	return append(o,
		field{"total_duration", (20 + 2*r.out) * ms}, field{"load_duration", 10 * ms},
		field{"prompt_eval_count", r.in}, field{"prompt_eval_duration", 10 * ms},
		field{"eval_count", r.out}, field{"eval_duration", 2 * r.out * ms})
}

// loaded answers a request that says nothing: the model is in memory now.
func (a *ollamaAnswer) loaded() (*answer, *problem) {
	o := append(a.piece("", nil), field{"done", true}, field{"done_reason", "load"})
	return &answer{kind: ollamaJSON, body: encode(o)}, nil
}

// jsonLine is an event of newline-delimited JSON.
func jsonLine(o object) []byte { return append(encode(o), '\n') }
