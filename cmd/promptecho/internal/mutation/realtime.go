package mutation

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/exactjson"
)

// realtime is OpenAI's Realtime API (https://platform.openai.com/docs/api-reference/realtime), also
// with the names of its beta version. A text, or the transcript of what the model speaks, comes in
// pieces, and whole in the events that end its part, its item and the response, and in the item of
// the conversation. What is spoken stays as it is.
type realtime struct{ noRepeat }

// splitRealtime splits a session by its responses. An event about an item of the conversation
// belongs to the response that has made the item.
func splitRealtime(_ *canon.Form, d *document) []*document {
	responses := map[string]string{} // by the ID of the item
	for _, p := range d.payloads {
		response := realtimeResponse(&p.value)
		item := realtimeItem(&p.value)
		if response != "" && item != "" {
			responses[item] = response
		}
	}
	s := newSplitter(d)
	for _, p := range d.payloads {
		response := cmp.Or(realtimeResponse(&p.value), responses[realtimeItem(&p.value)])
		if response != "" {
			s.add(response, p, false)
		}
	}
	return s.all
}

// realtimeResponse returns the ID of the response of an event, or "".
func realtimeResponse(event *exactjson.Value) string {
	return cmp.Or(event.Member("response_id").Scalar(), event.Member("response").Member("id").Scalar())
}

// realtimeItem returns the ID of the item of an event, or "".
func realtimeItem(event *exactjson.Value) string {
	return cmp.Or(event.Member("item_id").Scalar(), event.Member("item").Member("id").Scalar())
}

// The paths of texts and arguments in events.
const (
	realtimePiece = "type=response.output_text.delta|response.text.delta|" +
		"response.output_audio_transcript.delta|response.audio_transcript.delta/delta"
	realtimeWhole = "type=response.output_text.done|response.text.done|" +
		"response.output_audio_transcript.done|response.audio_transcript.done/text|transcript"
	realtimePart      = "type=response.content_part.done/part/text|transcript"
	realtimeArguments = "type=response.function_call_arguments.delta/delta"
	realtimeSound     = "type=response.output_audio.delta|response.audio.delta/delta"
)

// A realtimeReading collects the texts and calls of a response.
type realtimeReading struct {
	answer *answer
	texts  map[string]*text // by the ID of the item and the number of the part
	calls  map[string]*call // by the ID of the item
}

func (realtime) read(d *document) *answer {
	r := &realtimeReading{&answer{document: d}, map[string]*text{}, map[string]*call{}}
	for _, p := range d.payloads {
		v := &p.value
		item := realtimeItem(v)
		part := item + "/" + v.Member("content_index").Scalar()
		v.Each(realtimePiece, func(piece *exactjson.Value) { r.text(part).add(0, piece) })
		v.Each(realtimeWhole, func(whole *exactjson.Value) { r.addWhole(part, whole) })
		v.Each(realtimePart, func(whole *exactjson.Value) { r.addWhole(part, whole) })
		v.Each(realtimeArguments, func(piece *exactjson.Value) { r.call(item).args.add(0, piece) })
		v.Each("type=response.function_call_arguments.done", func(*exactjson.Value) {
			r.addArguments(item, v)
		})
		v.Each("item", r.addItem)
		v.Each("response/output/*", r.addItem)
	}
	return r.answer
}

// text returns the text with a key, which it makes if it is new.
func (r *realtimeReading) text(key string) *text {
	if r.texts[key] == nil {
		r.texts[key] = &text{copies: make([][]*exactjson.Value, 1)}
		r.answer.texts = append(r.answer.texts, r.texts[key])
	}
	return r.texts[key]
}

// addWhole adds a copy of a text that is not in pieces.
func (r *realtimeReading) addWhole(key string, v *exactjson.Value) {
	if v.Kind == exactjson.String && v.Text != "" {
		t := r.text(key)
		t.add(len(t.copies), v)
	}
}

// call returns the call that is an item, which it makes if it is new.
func (r *realtimeReading) call(item string) *call {
	if r.calls[item] == nil {
		r.calls[item] = &call{key: item, args: text{copies: make([][]*exactjson.Value, 1)}}
		r.answer.calls = append(r.answer.calls, r.calls[item])
	}
	return r.calls[item]
}

// addArguments adds a copy of the name and of the arguments of a call.
func (r *realtimeReading) addArguments(item string, v *exactjson.Value) {
	c := r.call(item)
	if name := v.Member("name"); name.Scalar() != "" {
		c.names = append(c.names, name)
	}
	args := v.Member("arguments")
	if args != nil && args.Kind == exactjson.String && args.Text != "" {
		c.args.add(len(c.args.copies), args)
	}
}

// addItem adds the texts, or the call, of an item.
func (r *realtimeReading) addItem(item *exactjson.Value) {
	id := item.Member("id").Scalar()
	switch item.Member("type").Scalar() {
	case "function_call":
		r.addArguments(id, item)
	case "message":
		content := item.Member("content")
		for i := range elems(content) {
			content.Elems[i].Each("text|transcript", func(v *exactjson.Value) {
				r.addWhole(id+"/"+strconv.Itoa(i), v)
			})
		}
	}
}

// end sets the status of a response. There is no refusal: a model that refuses says so.
func (realtime) end(a *answer, e ending) bool {
	details := map[ending]string{
		cutOff:   `{"type":"incomplete","reason":"max_output_tokens"}`,
		filtered: `{"type":"incomplete","reason":"content_filter"}`,
	}[e]
	if details == "" {
		return e == stopped // the status is "completed" with and without calls
	}
	found := false
	for _, p := range a.document.payloads {
		p.value.Each("type=response.done/response", func(response *exactjson.Value) {
			setMember(response, "status", stringValue("incomplete"))
			setMember(response, "status_details", parsed(details))
			found = true
		})
		for _, path := range []string{"type=response.output_item.done/item", "response/output/*"} {
			p.value.Each(path+"/type=message/status", func(v *exactjson.Value) {
				setText(v, "incomplete")
			})
		}
	}
	return found
}

// clear removes the texts, and the sound that goes with them.
func (realtime) clear(a *answer) {
	a.clearTexts()
	for _, p := range a.document.payloads {
		for _, path := range []string{realtimePiece, realtimeSound} {
			p.value.Each(path, func(*exactjson.Value) { p.isDropped = true })
		}
	}
}

// drop removes the item of a call. Later items move to the place before.
func (realtime) drop(a *answer, dropped *call) {
	a.calls = slices.DeleteFunc(a.calls, func(other *call) bool { return other == dropped })
	place := -1
	for _, p := range a.document.payloads {
		number, err := strconv.Atoi(p.value.Member("output_index").Scalar())
		isNumbered := err == nil
		switch {
		case realtimeItem(&p.value) == dropped.key:
			p.isDropped = true
			if isNumbered {
				place = number
			}
		case isNumbered && place >= 0 && number > place:
			p.value.Member("output_index").Text = strconv.Itoa(number - 1)
		}
		p.value.Each("response/output", func(list *exactjson.Value) {
			list.Elems = slices.DeleteFunc(list.Elems, func(item exactjson.Value) bool {
				return item.Member("id").Scalar() == dropped.key
			})
		})
	}
}

// errorEvent has the response fail.
func (realtime) errorEvent(_ *document, last *payload) bool {
	isDone := false
	last.value.Each("type=response.done/response", func(response *exactjson.Value) {
		isDone = true
		setMember(response, "status", stringValue("failed"))
		setMember(response, "status_details",
			parsed(`{"type":"failed","error":{"type":"server_error","code":"server_error"}}`))
		setMember(response, "output", exactjson.Value{Kind: exactjson.Array})
	})
	return isDone
}
