package fakeprovider

import (
	"cmp"
	"fmt"
)

// ollamaFinish are Ollama's done reasons.
var ollamaFinish = map[string]string{
	FinishSequence: "stop",
	FinishCalls:    "stop",
	FinishFilter:   "stop",
	FinishRefusal:  "stop",
}

// ollamaPiece is what one line of an answer brings.
type ollamaPiece struct {
	thinking string
	text     string
	calls    []object
}

// ollamaMessage spells a piece as chat does.
func ollamaMessage(p ollamaPiece) object {
	message := object{{"role", "assistant"}, {"content", p.text}}
	return object{{"message", append(message, p.extras()...)}}
}

// ollamaResponse spells a piece as generate does.
func ollamaResponse(p ollamaPiece) object {
	return append(object{{"response", p.text}}, p.extras()...)
}

// extras is what a piece has besides text.
func (p ollamaPiece) extras() object {
	var o object
	if p.thinking != "" {
		o = append(o, field{"thinking", p.thinking})
	}
	if p.calls != nil {
		o = append(o, field{"tool_calls", p.calls})
	}
	return o
}

// ollamaAnswer spells a reply.
type ollamaAnswer struct {
	c       *call
	reply   Reply
	calls   []object
	spell   func(ollamaPiece) object
	context bool // the last line has the context, which generate takes again
}

func newOllamaAnswer(c *call, spell func(ollamaPiece) object, r Reply) *ollamaAnswer {
	a := &ollamaAnswer{c: c, reply: refusalAsText(r), spell: spell}
	for i, t := range r.Calls {
		id := cmp.Or(t.ID, fmt.Sprintf("call_standin%06d%d", c.n, i))
		f := object{{"index", i}, {"name", t.Name}, {"arguments", argsObject(t)}}
		a.calls = append(a.calls, object{{"id", id}, {"function", f}})
	}
	return a
}

func (a *ollamaAnswer) answer(p prompt) *answer {
	if p.free {
		return a.loaded()
	}
	if a.c.body.get("stream") == false {
		whole := ollamaPiece{thinking: a.reply.Reasoning, text: a.reply.Text, calls: a.calls}
		return &answer{kind: ollamaJSON, body: encode(a.last(whole))}
	}
	var events [][]byte
	for _, piece := range a.pieces() {
		events = append(events, jsonLine(append(a.line(piece), field{"done", false})))
	}
	end := a.last(ollamaPiece{})
	if broken := a.reply.Broken; broken != nil {
		end = object{{"error", brokenMessage(*broken)}}
	}
	return &answer{kind: ndjson, events: append(events, jsonLine(end))}
}

// pieces is the lines of a stream without the last. All calls are in one line.
func (a *ollamaAnswer) pieces() []ollamaPiece {
	var pieces []ollamaPiece
	for _, text := range a.reply.reasoningPieces() {
		pieces = append(pieces, ollamaPiece{thinking: text})
	}
	for _, text := range a.reply.pieces() {
		pieces = append(pieces, ollamaPiece{text: text})
	}
	if a.calls != nil {
		pieces = append(pieces, ollamaPiece{calls: a.calls})
	}
	return pieces
}

// line is the beginning of a line.
func (a *ollamaAnswer) line(p ollamaPiece) object {
	o := object{
		{"model", a.c.body.text("model")},
		{"created_at", a.c.created().Format("2006-01-02T15:04:05.000000Z07:00")},
	}
	return append(o, a.spell(p)...)
}

// last is the end of a stream, and all of a plain answer.
func (a *ollamaAnswer) last(p ollamaPiece) object {
	u := a.reply.Usage
	o := append(a.line(p),
		field{"done", true},
		field{"done_reason", finish(a.reply.Finish, ollamaFinish)})
	if a.context {
		o = append(o, field{"context", []any{1, 2, 3}})
	}
	return append(o,
		field{"total_duration", (20 + 2*u.Output) * millisecond},
		field{"load_duration", 10 * millisecond},
		field{"prompt_eval_count", u.Input},
		field{"prompt_eval_duration", 10 * millisecond},
		field{"eval_count", u.Output},
		field{"eval_duration", 2 * u.Output * millisecond})
}

// millisecond is the number of nanoseconds in which Ollama gives durations.
const millisecond = 1000000

// loaded answers a request that says nothing: the model is in memory now.
func (a *ollamaAnswer) loaded() *answer {
	o := append(a.line(ollamaPiece{}), field{"done", true}, field{"done_reason", "load"})
	return &answer{kind: ollamaJSON, body: encode(o)}
}
