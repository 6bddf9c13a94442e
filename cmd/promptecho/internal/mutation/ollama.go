package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// ollama is Ollama's chat and generate (https://docs.ollama.com/api). A line of a stream has the
// format of a whole answer. Each call is whole, in one of the lines. The key of a call is its
// number in the answer.
type ollama struct{}

// ollamaTexts are the paths of a text: in generate, and in chat.
var ollamaTexts = []string{"response", "message/content"}

func (ollama) read(d *document) *answer {
	r := newReading(d)
	n := 0
	for _, p := range d.sent() {
		for _, path := range ollamaTexts {
			p.value.Each(path, func(v *exactjson.Value) { r.addText("", 0, v) })
		}
		p.value.Each("message/tool_calls/*/function", func(function *exactjson.Value) {
			key := strconv.Itoa(n)
			r.addCall(key, function.Member("name"))
			r.addArgs(key, 0, function.Member("arguments"))
			n++
		})
	}
	return r.answer
}

// end has no reason for an answer that was refused or filtered: Ollama has neither.
func (ollama) end(a *answer, e ending) bool {
	reasons := map[ending]string{stopped: "stop", cutOff: "length"}
	return setReasons(a.document, reasons, e, "done_reason")
}

func (ollama) clear(a *answer) {
	a.clearTexts()
}

func (o ollama) drop(a *answer, c *call) {
	o.editCall(a.document, c, func(v exactjson.Value) []exactjson.Value { return nil })
	for _, p := range a.document.sent() {
		message := p.value.Member("message")
		list := message.Member("tool_calls")
		if list == nil || len(list.Elems) > 0 {
			continue
		}
		dropMember(message, "tool_calls")
		p.isDropped = o.isEmpty(p)
	}
	*a = *o.read(a.document)
}

func (o ollama) repeat(a *answer, c *call) {
	o.editCall(a.document, c, func(v exactjson.Value) []exactjson.Value {
		again := clone(&v)
		addToIDs(&again, "id")
		again.Each("function/index", func(index *exactjson.Value) {
			index.Text = strconv.Itoa(number(index.Text) + 1)
		})
		return []exactjson.Value{v, again}
	})
	*a = *o.read(a.document)
}

// editCall puts other calls in the place of a call. The indexes of later ones change with them.
func (ollama) editCall(
	d *document, c *call, edit func(v exactjson.Value) []exactjson.Value,
) {
	n := 0
	shift := 0 // of the indexes of later calls
	for _, p := range d.sent() {
		list := p.value.Member("message").Member("tool_calls")
		var calls []exactjson.Value
		for _, v := range elems(list) {
			if n == number(c.key) {
				edited := edit(v)
				shift = len(edited) - 1
				calls = append(calls, edited...)
			} else {
				v.Each("function/index", func(index *exactjson.Value) {
					isLater := number(index.Text) > 0 // old servers send 0 for each call
					if isLater {
						index.Text = strconv.Itoa(number(index.Text) + shift)
					}
				})
				calls = append(calls, v)
			}
			n++
		}
		if list != nil {
			list.Elems = calls
		}
	}
}

// isEmpty reports whether a line of a stream has nothing but an empty text.
func (ollama) isEmpty(p *payload) bool {
	isEmpty := p.event != nil && p.value.Member("done").Scalar() == "false"
	for _, path := range append(slices.Clip(ollamaTexts), "thinking", "message/thinking") {
		p.value.Each(path, func(v *exactjson.Value) { isEmpty = isEmpty && v.Scalar() == "" })
	}
	p.value.Each("message/tool_calls", func(*exactjson.Value) { isEmpty = false })
	return isEmpty
}

func (o ollama) finish(d *document) {
	for _, p := range d.sent() {
		if p.isChanged() && o.isEmpty(p) {
			p.isDropped = true
		}
	}
}

func (ollama) errorEvent(_ *document, last *payload) bool {
	last.setValue(`{"error":"an error was encountered while running the model: unexpected EOF"}`)
	return true
}
