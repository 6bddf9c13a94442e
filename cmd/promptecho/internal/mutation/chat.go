package mutation

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// chat is OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat), and that
// of compatible servers.
type chat struct{}

// messages calls f for each message of an answer, or for each piece of a message of a stream.
func (chat) messages(d *document, f func(p *payload, choice, message *exactjson.Value)) {
	for _, p := range d.sent() {
		p.value.Each("choices/*", func(choice *exactjson.Value) {
			message := choice.Member("delta")
			if message == nil {
				message = choice.Member("message")
			}
			if message != nil {
				f(p, choice, message)
			}
		})
	}
}

// finish removes the annotations of a changed text, which have places in it that it may not have.
func (c chat) finish(d *document) {
	c.changeSecondForms(d)
	if c.read(d).text() == c.read(newDocument(d.response)).text() {
		return
	}
	c.messages(d, func(_ *payload, _, message *exactjson.Value) {
		if annotations := message.Member("annotations"); annotations != nil {
			annotations.Elems = nil
		}
	})
}

// changeSecondForms changes the second form that some servers have of each piece in a stream: a
// copy of it (Writer), or the message up to it (Perplexity).
func (chat) changeSecondForms(d *document) {
	before := map[string]string{} // by the index of the choice
	for _, p := range d.sent() {
		recorded, _ := exactjson.Parse(p.before)
		p.value.Each("choices/*", func(choice *exactjson.Value) {
			delta := choice.Member("delta")
			message := choice.Member("message")
			if delta == nil || message == nil {
				return
			}
			index := choice.Member("index").Scalar()
			before[index] += delta.Member("content").Scalar()
			isCopy := false
			recorded.Each("choices/*/index="+index, func(v *exactjson.Value) {
				old := v.Member("delta")
				isCopy = old != nil && v.Member("message") != nil &&
					compact(old) == compact(v.Member("message"))
			})
			content := message.Member("content")
			switch {
			case isCopy:
				set(message, clone(delta))
			case content != nil && content.Kind == exactjson.String:
				setText(content, before[index])
			}
		})
	}
}

func (c chat) read(d *document) *answer {
	a := &answer{document: d}
	texts := map[string]*text{} // by the index of the choice
	calls := map[string]*call{} // by callKey
	c.messages(d, func(_ *payload, choice, message *exactjson.Value) {
		addText := func(v *exactjson.Value) {
			isText := v.Kind == exactjson.String && v.Text != ""
			isObject := v.Kind == exactjson.Object // structured output of Cloudflare
			if !isText && !isObject {
				return
			}
			index := choice.Member("index").Scalar()
			if texts[index] == nil {
				texts[index] = new(text)
				a.texts = append(a.texts, texts[index])
			}
			texts[index].add(0, v)
		}
		message.Each("content", addText)
		message.Each("content/*/type=text/text", addText) // Mistral, beside its reasoning
		list := message.Member("tool_calls")
		for i := range elems(list) {
			v := &list.Elems[i]
			key := c.callKey(choice, v, i)
			found := calls[key]
			if found == nil {
				found = &call{key: key}
				calls[key] = found
				a.calls = append(a.calls, found)
			}
			function := v.Member("function")
			if name := function.Member("name"); name.Scalar() != "" {
				found.names = append(found.names, name)
			}
			if args := function.Member("arguments"); args != nil {
				found.args.add(0, args)
			}
		}
	})
	return a
}

// callKey returns what the pieces of a call have in common: the numbers of the choice and of the
// call, which is at i in its list.
func (chat) callKey(choice, call *exactjson.Value, i int) string {
	index := cmp.Or(call.Member("index").Scalar(), strconv.Itoa(i))
	return choice.Member("index").Scalar() + "/" + index
}

func (c chat) end(a *answer, e ending) bool {
	if e == refused {
		c.refuse(a)
	}
	reasons := map[ending]string{
		stopped: "stop", cutOff: "length", filtered: "content_filter", refused: "stop",
	}
	found := false
	for _, p := range a.document.payloads {
		p.value.Each("choices/*/finish_reason", func(v *exactjson.Value) {
			if v.Kind == exactjson.String {
				setText(v, reasons[e])
				found = true
			}
		})
	}
	return found
}

// refuse puts a refusal in the place of the texts and calls
// (https://platform.openai.com/docs/guides/structured-outputs#refusals).
func (c chat) refuse(a *answer) {
	for _, call := range slices.Backward(slices.Clone(a.calls)) {
		c.drop(a, call)
	}
	c.clear(a)
	isFirst := true
	c.messages(a.document, func(_ *payload, _, message *exactjson.Value) {
		if isFirst {
			setMember(message, "content", exactjson.Value{})
			setMember(message, "refusal", stringValue("I'm sorry, I can't help with that."))
		}
		isFirst = false
	})
}

func (chat) clear(a *answer) {
	a.clearTexts()
}

func (c chat) drop(a *answer, dropped *call) {
	choiceOf, indexOf, _ := strings.Cut(dropped.key, "/")
	c.messages(a.document, func(p *payload, choice, message *exactjson.Value) {
		list := message.Member("tool_calls")
		if list == nil {
			return
		}
		var left []exactjson.Value
		for i := range list.Elems {
			v := list.Elems[i]
			if c.callKey(choice, &v, i) == dropped.key {
				continue
			}
			index := v.Member("index")
			isLater := choice.Member("index").Scalar() == choiceOf &&
				number(index.Scalar()) > number(indexOf)
			if isLater {
				index.Text = strconv.Itoa(number(index.Text) - 1)
			}
			left = append(left, v)
		}
		list.Elems = left
		if len(left) > 0 {
			return
		}
		dropMember(message, "tool_calls")
		isPiece := message.Name == "delta"
		reason := choice.Member("finish_reason")
		isFinish := reason != nil && reason.Kind == exactjson.String && reason.Text != ""
		if isPiece && len(message.Elems) == 0 && !isFinish {
			p.isDropped = true
		}
	})
	*a = *c.read(a.document)
	if len(a.calls) == 0 {
		c.end(a, stopped)
	}
}

func (c chat) repeat(a *answer, repeated *call) {
	var last *exactjson.Value // the list with the last piece of a call
	var again exactjson.Value // the first piece of the repeated one
	highest := 0
	choiceOf, _, _ := strings.Cut(repeated.key, "/")
	c.messages(a.document, func(_ *payload, choice, message *exactjson.Value) {
		list := message.Member("tool_calls")
		if choice.Member("index").Scalar() != choiceOf {
			return
		}
		for i := range elems(list) {
			v := &list.Elems[i]
			if n, err := strconv.Atoi(v.Member("index").Scalar()); err == nil {
				highest = max(highest, n)
			}
			isFirst := again.Kind == exactjson.Null
			if c.callKey(choice, v, i) == repeated.key && isFirst {
				again = clone(v)
			}
			last = list
		}
	})
	again.Each("id", func(id *exactjson.Value) { setText(id, id.Text+"b") })
	again.Each("index", func(v *exactjson.Value) { v.Text = strconv.Itoa(highest + 1) })
	again.Each("function/arguments", func(v *exactjson.Value) { setText(v, repeated.args.String()) })
	last.Elems = append(last.Elems, again)
}

func (chat) errorEvent(_ *document, last *payload) bool {
	last.setValue(openaiFailure)
	return true
}
