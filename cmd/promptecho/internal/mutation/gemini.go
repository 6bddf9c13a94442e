package mutation

import (
	"slices"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// gemini is Gemini's generateContent, whole, as events and as a streamed array
// (https://ai.google.dev/api/generate-content). Each piece of a stream is a response of its own.
// The member of a part says its type: a text, a thought if it has "thought", or a functionCall. A
// signature belongs to its part.
type gemini struct{}

// isText reports whether a part is a text of the answer.
func (gemini) isText(part *exactjson.Value) bool {
	text := part.Member("text")
	return text != nil && text.Kind == exactjson.String && part.Member("thought").Scalar() != "true"
}

// parts calls f for each part, with the candidate that has it. The candidates have numbers, unless
// there is only one.
func (gemini) parts(d *document, f func(candidate string, part *exactjson.Value)) {
	for _, p := range d.payloads {
		p.value.Each("candidates/*", func(candidate *exactjson.Value) {
			index := candidate.Member("index").Scalar()
			candidate.Each("content/parts/*", func(part *exactjson.Value) { f(index, part) })
		})
	}
}

// calls calls f for each part with a call. A piece that continues the arguments of a call has no
// name. The calls are numbered from 0, since most have no ID.
func (g gemini) calls(d *document, f func(number int, part, call *exactjson.Value)) {
	n := -1
	g.parts(d, func(_ string, part *exactjson.Value) {
		call := part.Member("functionCall")
		if call == nil {
			return
		}
		if call.Member("name").Scalar() != "" || n < 0 {
			n++
		}
		f(n, part, call)
	})
}

func (g gemini) read(d *document) *answer {
	a := &answer{document: d}
	texts := map[string]*text{} // by the number of the candidate
	g.parts(d, func(candidate string, part *exactjson.Value) {
		if !g.isText(part) || part.Member("text").Text == "" {
			return
		}
		if texts[candidate] == nil {
			texts[candidate] = new(text)
			a.texts = append(a.texts, texts[candidate])
		}
		texts[candidate].add(0, part.Member("text"))
	})
	g.calls(d, func(number int, _, v *exactjson.Value) {
		if number == len(a.calls) {
			a.calls = append(a.calls, new(call))
		}
		c := a.calls[number]
		if name := v.Member("name"); name.Scalar() != "" {
			c.names = append(c.names, name)
		}
		args := v.Member("args")
		if args != nil && c.args.copies == nil {
			c.args.add(0, args)
		}
	})
	return a
}

func (g gemini) end(a *answer, e ending) bool {
	if e == refused {
		return g.block(a)
	}
	// The names, and the numbers of clients that ask for "enum-encoding=int".
	reasons := map[ending][2]string{
		stopped: {"STOP", "1"}, cutOff: {"MAX_TOKENS", "2"}, filtered: {"SAFETY", "3"},
	}
	if e == filtered {
		g.dropContents(a.document)
	}
	last := map[string]*exactjson.Value{} // by the number of the candidate: some repeat the reason
	for _, p := range a.document.payloads {
		p.value.Each("candidates/*", func(candidate *exactjson.Value) {
			if reason := candidate.Member("finishReason"); reason != nil {
				last[candidate.Member("index").Scalar()] = reason
			}
		})
	}
	for _, reason := range last {
		setReason(reason, reasons[e])
	}
	return len(last) > 0
}

// dropContents removes the contents that have no parts. A candidate that is withheld has none.
func (gemini) dropContents(d *document) {
	for _, p := range d.payloads {
		p.value.Each("candidates/*", func(candidate *exactjson.Value) {
			if candidate.Member("content").Member("parts") == nil {
				dropMember(candidate, "content")
			}
		})
	}
}

// setReason sets a reason to its name or its number, as it was recorded.
func setReason(reason *exactjson.Value, to [2]string) {
	if reason.Kind == exactjson.Number {
		set(reason, exactjson.Value{Kind: exactjson.Number, Text: to[1]})
		return
	}
	setText(reason, to[0])
}

// block makes the answer that of a blocked prompt: it has no candidates
// (https://ai.google.dev/api/generate-content#PromptFeedback). A model of Gemini that refuses says
// so in its text; clients are told by a block.
func (gemini) block(a *answer) bool {
	for i, p := range a.document.payloads {
		p.isDropped = i > 0
	}
	first := &a.document.payloads[0].value
	if first.Member("candidates") == nil {
		return false
	}
	reason := stringValue("PROHIBITED_CONTENT")
	first.Each("candidates/*/finishReason", func(v *exactjson.Value) {
		if v.Kind == exactjson.Number {
			reason = exactjson.Value{Kind: exactjson.Number, Text: "4"}
		}
	})
	dropMember(first, "candidates")
	feedback := exactjson.Value{Kind: exactjson.Object}
	setMember(&feedback, "blockReason", reason)
	setMember(first, "promptFeedback", feedback)
	return true
}

// clear removes the texts: the content of an answer without any has no parts. A signature needs
// its part, whose text becomes empty.
func (g gemini) clear(a *answer) {
	g.keepParts(a.document, func(part *exactjson.Value) bool {
		if !g.isText(part) {
			return true
		}
		setText(part.Member("text"), "")
		return part.Member("thoughtSignature") != nil
	})
}

// keepParts removes the other parts. A content without parts has no list of them, and an event
// without content is not sent. The first one stays: it has the bracket of a streamed array.
func (g gemini) keepParts(d *document, keep func(part *exactjson.Value) bool) {
	for i, p := range d.payloads {
		isEmpty := i > 0
		p.value.Each("candidates/*", func(candidate *exactjson.Value) {
			content := candidate.Member("content")
			parts := content.Member("parts")
			if parts == nil {
				isEmpty = false
				return
			}
			var kept []exactjson.Value
			for i := range parts.Elems {
				if keep(&parts.Elems[i]) {
					kept = append(kept, parts.Elems[i])
				}
			}
			parts.Elems = kept
			if len(kept) == 0 {
				dropMember(content, "parts")
			}
			if len(kept) > 0 || candidate.Member("finishReason") != nil {
				isEmpty = false
			}
		})
		if isEmpty && p.value.Member("candidates") != nil {
			p.isDropped = true
		}
	}
}

// drop removes a call. The reason for the end is STOP with and without calls.
func (g gemini) drop(a *answer, dropped *call) {
	n := slices.Index(a.calls, dropped)
	a.calls = slices.Delete(a.calls, n, n+1)
	isDropped := map[*exactjson.Value]bool{}
	g.calls(a.document, func(number int, part, _ *exactjson.Value) {
		isDropped[part] = number == n
	})
	g.keepParts(a.document, func(part *exactjson.Value) bool { return !isDropped[part] })
}

func (g gemini) repeat(a *answer, repeated *call) {
	n := slices.Index(a.calls, repeated)
	var again exactjson.Value // the first piece
	var last *exactjson.Value // the last one
	g.calls(a.document, func(number int, part, _ *exactjson.Value) {
		if number == n && last == nil {
			again = clone(part)
		}
		if number == n {
			last = part
		}
	})
	dropMember(&again, "thoughtSignature") // only the first of several calls has one
	again.Each("functionCall/id", func(id *exactjson.Value) { setText(id, id.Text+"b") })
	for _, p := range a.document.payloads {
		p.value.Each("candidates/*/content/parts", func(parts *exactjson.Value) {
			for i := range parts.Elems {
				if &parts.Elems[i] == last {
					parts.Elems = slices.Insert(parts.Elems, i+1, again)
					return
				}
			}
		})
	}
}

// errorEvent ends the stream as Gemini does if its model is overloaded.
func (gemini) errorEvent(_ *document, last *payload) bool {
	set(&last.value, parsed(`{"error":{"code":503,"status":"UNAVAILABLE",`+
		`"message":"The model is overloaded. Please try again later."}}`))
	return true
}
