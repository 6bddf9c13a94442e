package mutation

import "github.com/promptecho/promptecho/internal/exactjson"

// cohereV1 is Cohere's chat, version 1 (https://docs.cohere.com/v1/reference/chat). Only answers
// without calls are changed. The history has the text, too, as its last message.
type cohereV1 struct{}

// cohereV1Wholes are the paths of a whole answer: in a body, and in the last event of a stream.
var cohereV1Wholes = []string{"response_id=*", "event_type=stream-end/response"}

func (cohereV1) read(d *document) *answer {
	r := newReading(d)
	if d.has("tool_calls/*", "response/tool_calls/*") {
		return r.answer
	}
	for _, p := range d.sent() {
		p.value.Each("event_type=text-generation/text", func(v *exactjson.Value) {
			r.addText("", 0, v)
		})
		for _, path := range cohereV1Wholes {
			p.value.Each(path, func(whole *exactjson.Value) {
				r.addText("", 1, whole.Member("text"))
				history := elems(whole.Member("chat_history"))
				if len(history) > 0 {
					r.addText("", 2, history[len(history)-1].Member("message"))
				}
			})
		}
	}
	return r.answer
}

// end has no reason for a refusal.
func (cohereV1) end(a *answer, e ending) bool {
	reasons := map[ending]string{stopped: "COMPLETE", cutOff: "MAX_TOKENS", filtered: "ERROR_TOXIC"}
	return setReasons(a.document, reasons, e, "finish_reason", "response/finish_reason")
}

func (cohereV1) clear(a *answer) {
	a.clearTexts()
}

func (cohereV1) drop(*answer, *call)   {} // calls are not read
func (cohereV1) repeat(*answer, *call) {}

// finish removes the citations of a changed text, which have places in it that it may not have.
func (c cohereV1) finish(d *document) {
	dropEmptyPieces(d, "event_type=text-generation/text")
	if c.read(d).text() == c.read(newDocument(d.response)).text() {
		return
	}
	for _, p := range d.sent() {
		for _, path := range cohereV1Wholes {
			p.value.Each(path, func(whole *exactjson.Value) { dropMember(whole, "citations") })
		}
		if p.value.Member("event_type").Scalar() == "citation-generation" {
			p.isDropped = true
		}
	}
}

func (cohereV1) errorEvent(_ *document, last *payload) bool {
	last.setValue(`{"is_finished":true,"event_type":"stream-end","finish_reason":"ERROR",` +
		`"error":"an internal error has occurred","response":{"text":"","finish_reason":"ERROR"}}`)
	return true
}
