package mutation

import (
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// interactions is Gemini's interactions (https://ai.google.dev/api/interactions-api), whole and
// streamed. An answer is a list of steps, of which an event has the number. Thoughts, and calls of
// Google's own tools, stay as they are.
type interactions struct{}

var interactionsSteps = blocks{
	lists:  []string{"steps", "interaction/steps"},
	number: []string{"index"},
}

// The paths of texts in a step, and of the pieces of texts and arguments in an event.
const (
	stepText      = "type=model_output/content/*/type=text/text"
	stepPiece     = "event_type=step.delta/delta/type=text/text"
	stepArguments = "event_type=step.delta/delta/type=arguments_delta/arguments"
)

func (in interactions) read(d *document) *answer {
	r := newReading(d)
	for _, p := range d.sent() {
		key := p.value.Member("index").Scalar()
		p.value.Each("event_type=step.start/step", func(step *exactjson.Value) {
			in.readStep(r, key, 0, step)
		})
		p.value.Each(stepPiece, func(v *exactjson.Value) { r.addText(key, 0, v) })
		p.value.Each(stepArguments, func(v *exactjson.Value) { r.addArgs(key, 0, v) })
		for _, path := range interactionsSteps.lists {
			p.value.Each(path, func(list *exactjson.Value) {
				for i := range list.Elems {
					in.readStep(r, strconv.Itoa(i), 1, &list.Elems[i])
				}
			})
		}
	}
	return r.answer
}

// readStep reads a step. The arguments are empty where they come in pieces.
func (interactions) readStep(r *reading, key string, copy int, step *exactjson.Value) {
	step.Each(stepText, func(v *exactjson.Value) { r.addText(key, copy, v) })
	step.Each("type=function_call", func(call *exactjson.Value) {
		r.addCall(key, call.Member("name"))
		args := call.Member("arguments")
		isWhole := args != nil && (len(args.Elems) > 0 || copy > 0)
		if isWhole {
			r.addArgs(key, copy, args)
		}
	})
}

func (interactions) end(a *answer, e ending) bool {
	reasons := map[ending]string{stopped: "completed", cutOff: "incomplete"}
	return setReasons(a.document, reasons, e,
		"status", "event_type=interaction.completed/interaction/status")
}

func (interactions) clear(a *answer) {
	a.clearTexts()
}

func (in interactions) drop(a *answer, c *call) {
	interactionsSteps.drop(a.document, number(c.key))
	*a = *in.read(a.document)
	if len(a.calls) == 0 {
		in.end(a, stopped)
	}
}

func (in interactions) repeat(a *answer, c *call) {
	interactionsSteps.repeat(a.document, number(c.key), func(v *exactjson.Value) {
		addToIDs(v, "id", "step/id")
	})
	*a = *in.read(a.document)
}

// finish removes the steps, and the pieces, of which a change has left no text.
func (interactions) finish(d *document) {
	interactionsSteps.dropEmptyTexts(d, stepText, stepPiece)
	dropEmptyPieces(d, stepPiece, stepArguments)
}

func (interactions) errorEvent(_ *document, last *payload) bool {
	last.setValue(`{"event_type":"error",` +
		`"error":{"code":"internal","message":"An internal error has occurred."}}`)
	last.renamed = "error"
	return true
}
