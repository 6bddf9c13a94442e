package fakeprovider

import (
	"cmp"
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
	badJSON: func(err error) Problem {
		why := "expected an object"
		if err != nil {
			why = err.Error()
		}
		return Problem{Status: http.StatusBadRequest, Message: why}
	},
	headers: func(*call, http.Header, int) {},
	refuse: func(c *call, h http.Header, p Problem) []byte {
		switch {
		case p.Message != "":
		case p.Status == http.StatusNotFound:
			h.Set("Content-Type", "text/plain")
			return []byte("404 page not found")
		case p.Status == http.StatusMethodNotAllowed:
			h.Set("Content-Type", "text/plain")
			return []byte("405 method not allowed")
		default:
			p.Message = "refused with status " + strconv.Itoa(p.Status) + " (stand-in, on demand)"
		}
		h.Set("Content-Type", ollamaJSON)
		return encode(object{{"error", p.Message}})
	},
}

const (
	ollamaJSON = "application/json; charset=utf-8"
	ndjson     = "application/x-ndjson"
)

func ollamaModel(c *call) *Problem {
	switch model := c.body.text("model"); model {
	case "":
		return &Problem{Status: http.StatusBadRequest, Message: "model is required"}
	case noModel, noModel + ":latest":
		return &Problem{Status: http.StatusNotFound, Message: "model '" + model + "' not found"}
	}
	return nil
}

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
	a := &ollamaAnswer{c: c, said: func(text string, calls []object) field {
		message := object{{"role", "assistant"}, {"content", text}}
		if calls != nil {
			message = append(message, field{"tool_calls", calls})
		}
		return field{"message", message}
	}}
	return a.answer(p, replies[0])
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
	prompt.turns = []turn{{role: "user", text: appendText(c.body.text("prompt"), c.body.text("suffix"))}}
	return prompt, nil
}

func writeOllamaGenerate(c *call, p prompt, replies []Reply) *answer {
	a := &ollamaAnswer{c: c, context: true, said: func(text string, _ []object) field {
		return field{"response", text}
	}}
	return a.answer(p, replies[0])
}

// ollamaFinish are Ollama's done reasons.
var ollamaFinish = map[string]string{
	FinishSequence: "stop",
	FinishCalls:    "stop",
	FinishFilter:   "stop",
	FinishRefusal:  "stop",
}

// ollamaAnswer spells a reply; said is how a piece of it is put.
type ollamaAnswer struct {
	c       *call
	context bool
	said    func(text string, calls []object) field
}

func (a *ollamaAnswer) answer(p prompt, r Reply) *answer {
	if p.free {
		return a.loaded()
	}
	var calls []object
	for i, t := range r.Calls {
		calls = append(calls, object{
			{"id", cmp.Or(t.ID, fmt.Sprintf("call_standin%06d%d", a.c.n, i))},
			{"function", object{{"index", i}, {"name", t.Name}, {"arguments", raw(t.Args)}}},
		})
	}
	if a.c.body.get("stream") == false {
		return &answer{kind: ollamaJSON, body: encode(a.last(r, r.Text, calls))}
	}
	var events [][]byte
	for _, text := range r.pieces() {
		events = append(events, jsonLine(append(a.piece(text, nil), field{"done", false})))
	}
	if calls != nil {
		events = append(events, jsonLine(append(a.piece("", calls), field{"done", false})))
	}
	return &answer{kind: ndjson, events: append(events, jsonLine(a.last(r, "", nil)))}
}

func (a *ollamaAnswer) piece(text string, calls []object) object {
	return object{
		{"model", a.c.body.text("model")},
		{"created_at", a.c.created().Format("2006-01-02T15:04:05.000000Z07:00")},
		a.said(text, calls),
	}
}

// last is the end of a stream, and all of a plain answer.
func (a *ollamaAnswer) last(r Reply, text string, calls []object) object {
	o := append(a.piece(text, calls), field{"done", true}, field{"done_reason", finish(r.Finish, ollamaFinish)})
	if a.context {
		o = append(o, field{"context", []any{1, 2, 3}})
	}
	const ms = 1000000
	return append(o,
		field{"total_duration", (20 + 2*r.Usage.Output) * ms}, field{"load_duration", 10 * ms},
		field{"prompt_eval_count", r.Usage.Input}, field{"prompt_eval_duration", 10 * ms},
		field{"eval_count", r.Usage.Output}, field{"eval_duration", 2 * r.Usage.Output * ms})
}

// loaded answers a request that says nothing: the model is in memory now.
func (a *ollamaAnswer) loaded() *answer {
	o := append(a.piece("", nil), field{"done", true}, field{"done_reason", "load"})
	return &answer{kind: ollamaJSON, body: encode(o)}
}

// jsonLine is an event of newline-delimited JSON.
func jsonLine(o object) []byte { return append(encode(o), '\n') }
