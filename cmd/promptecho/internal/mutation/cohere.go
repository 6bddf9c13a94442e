package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// cohere is Cohere's chat, version 2 (https://docs.cohere.com/reference/chat). An answer with calls
// has a plan in the place of a text.
type cohere struct{}

var cohereCalls = blocks{
	lists:  []string{"message/tool_calls"},
	number: []string{"type=tool-call-start|tool-call-delta|tool-call-end/index"},
}

var cohereContent = blocks{
	lists:  []string{"message/content"},
	number: []string{"type=content-start|content-delta|content-end/index"},
}

func (cohere) read(d *document) *answer {
	r := newReading(d)
	for _, p := range d.sent() {
		content := p.value.Member("message").Member("content")
		for i := range elems(content) {
			r.addText(strconv.Itoa(i), 0, content.Elems[i].Member("text"))
		}
		list := p.value.Member("message").Member("tool_calls")
		for i := range elems(list) {
			function := list.Elems[i].Member("function")
			r.addCall(strconv.Itoa(i), function.Member("name"))
			r.addArgs(strconv.Itoa(i), 0, function.Member("arguments"))
		}

		key := p.value.Member("index").Scalar()
		p.value.Each("delta/message/content/text", func(v *exactjson.Value) { r.addText(key, 0, v) })
		p.value.Each("delta/message/tool_calls/function", func(function *exactjson.Value) {
			r.addCall(key, function.Member("name"))
			r.addArgs(key, 0, function.Member("arguments"))
		})
	}
	return r.answer
}

// end has no reason for an answer that was refused or filtered: Cohere has neither.
func (cohere) end(a *answer, e ending) bool {
	reasons := map[ending]string{stopped: "COMPLETE", cutOff: "MAX_TOKENS"}
	return setReasons(a.document, reasons, e, "finish_reason", "type=message-end/delta/finish_reason")
}

func (cohere) clear(a *answer) {
	a.clearTexts()
}

func (c cohere) drop(a *answer, dropped *call) {
	cohereCalls.drop(a.document, number(dropped.key))
	*a = *c.read(a.document)
	if len(a.calls) == 0 {
		c.sayPlan(a.document)
		*a = *c.read(a.document)
		c.end(a, stopped)
	}
}

// sayPlan makes the plan for calls the text of an answer that has no calls.
func (cohere) sayPlan(d *document) {
	plan := ""
	n := cohereContent.count(d)
	for _, p := range d.sent() {
		message := p.value.Member("message")
		isWhole := message != nil && p.event == nil
		if isWhole {
			plan = message.Member("tool_plan").Scalar()
			dropMember(message, "tool_plan")
			dropMember(message, "tool_calls")
			if message.Member("content") == nil {
				setMember(message, "content", parsed(`[]`))
			}
			content := message.Member("content")
			content.Elems = append(slices.Clone(content.Elems), coherePart(plan))
		}

		p.value.Each("type=tool-plan-delta/delta/message/tool_plan", func(v *exactjson.Value) {
			plan += v.Scalar()
			p.isDropped = true
		})
		isEnd := p.event != nil && p.value.Member("type").Scalar() == "message-end"
		if !isEnd {
			continue
		}
		add := func(kind string, v exactjson.Value) {
			setMember(&v, "type", stringValue(kind))
			setMember(&v, "index", exactjson.Value{Kind: exactjson.Number, Text: strconv.Itoa(n)})
			d.insert(p, kind, v)
		}
		start := parsed(`{"type":"","index":0,"delta":{"message":{"content":{"type":"text","text":""}}}}`)
		delta := parsed(`{"type":"","index":0,"delta":{"message":{"content":{"text":""}}}}`)
		delta.Each("delta/message/content/text", func(v *exactjson.Value) { setText(v, plan) })
		add("content-start", start)
		if plan != "" {
			add("content-delta", delta)
		}
		add("content-end", parsed(`{"type":"","index":0}`))
	}
}

// coherePart returns a part of the content.
func coherePart(text string) exactjson.Value {
	v := parsed(`{"type":"text"}`)
	setMember(&v, "text", stringValue(text))
	return v
}

func (c cohere) repeat(a *answer, repeated *call) {
	cohereCalls.repeat(a.document, number(repeated.key), func(v *exactjson.Value) {
		addToIDs(v, "id", "delta/message/tool_calls/id")
	})
	*a = *c.read(a.document)
}

// finish removes the citations of a changed text, which have places in it that it may not have.
func (c cohere) finish(d *document) {
	dropEmptyPieces(d, "type=content-delta/delta/message/content/text",
		"type=tool-call-delta/delta/message/tool_calls/function/arguments")
	if c.read(d).text() == c.read(newDocument(d.response)).text() {
		return
	}
	for _, p := range d.sent() {
		if message := p.value.Member("message"); message != nil {
			dropMember(message, "citations")
		}
		switch p.value.Member("type").Scalar() {
		case "citation-start", "citation-end":
			p.isDropped = true
		}
	}
}

func (cohere) errorEvent(_ *document, last *payload) bool {
	last.setValue(`{"type":"message-end","delta":{"finish_reason":"ERROR",` +
		`"error":"an internal error has occurred"}}`)
	last.renamed = "message-end"
	return true
}
