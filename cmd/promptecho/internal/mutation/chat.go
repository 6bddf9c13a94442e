package mutation

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// chat is OpenAI's chat completions (https://platform.openai.com/docs/api-reference/chat), and that
// of compatible servers.
type chat struct{}

// messages calls f for each message of an answer, or for each piece of a message of a stream.
func (chat) messages(d *document, f func(p *payload, choice, message *exactjson.Value)) {
	for _, p := range d.payloads {
		p.value.Each("choices/*", func(choice *exactjson.Value) {
			for _, name := range []string{"message", "delta"} {
				if m := choice.Member(name); m != nil {
					f(p, choice, m)
				}
			}
		})
	}
}

func (c chat) read(d *document) *answer {
	a := &answer{document: d}
	texts := map[string]*text{} // by the index of the choice
	calls := map[string]*call{} // by callKey
	c.messages(d, func(_ *payload, choice, message *exactjson.Value) {
		content := message.Member("content")
		if content != nil && content.Kind == exactjson.String && content.Text != "" {
			index := choice.Member("index").Scalar()
			if texts[index] == nil {
				texts[index] = new(text)
				a.texts = append(a.texts, texts[index])
			}
			texts[index].add(0, content)
		}
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
	for _, call := range slices.Clone(a.calls) {
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
	for _, t := range a.texts {
		t.set("")
	}
}

func (c chat) drop(a *answer, dropped *call) {
	a.calls = slices.DeleteFunc(a.calls, func(other *call) bool { return other == dropped })
	c.messages(a.document, func(p *payload, choice, message *exactjson.Value) {
		list := message.Member("tool_calls")
		if list == nil {
			return
		}
		var left []exactjson.Value
		for i := range list.Elems {
			if c.callKey(choice, &list.Elems[i], i) != dropped.key {
				left = append(left, list.Elems[i])
			}
		}
		list.Elems = left
		if len(left) > 0 {
			return
		}
		dropMember(message, "tool_calls")
		isPiece := message.Name == "delta"
		isFinish := choice.Member("finish_reason").Scalar() != "" && choice.Member("finish_reason").Kind == exactjson.String
		if isPiece && len(message.Elems) == 0 && !isFinish {
			p.isDropped = true
		}
	})
	if len(a.calls) == 0 {
		c.end(a, stopped)
	}
}

func (c chat) repeat(a *answer, repeated *call) {
	var last *exactjson.Value // the list with the last piece of the call
	var again exactjson.Value // the first piece
	highest := 0
	c.messages(a.document, func(_ *payload, choice, message *exactjson.Value) {
		list := message.Member("tool_calls")
		for i := range elems(list) {
			v := &list.Elems[i]
			if n, err := strconv.Atoi(v.Member("index").Scalar()); err == nil {
				highest = max(highest, n)
			}
			if c.callKey(choice, v, i) != repeated.key {
				continue
			}
			if last == nil {
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
	set(&last.value, parsed(`{"error":{"message":"The server had an error while processing your request.",`+
		`"type":"server_error","param":null,"code":null}}`))
	return true
}
