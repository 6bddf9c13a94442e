package mutation

import (
	"slices"
	"strconv"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// responses is OpenAI's Responses (https://platform.openai.com/docs/api-reference/responses). A
// stream has each text in pieces, and whole in the events that end its part, its item and the
// response. Items with reasoning and with calls of OpenAI's own tools stay as they are.
type responses struct{}

// responsesItems are the items of the output.
var responsesItems = blocks{
	lists:  []string{"output", "response/output"},
	number: []string{"output_index"},
}

// The copies of a text or of the arguments of a call. A response in one piece has only the last.
const (
	copyPieces = iota
	copyDone   // in the event that ends the text
	copyPart   // in the event that ends the part of a message
	copyItem   // in the event that ends the item
	copyWhole  // in the response
)

func (rs responses) read(d *document) *answer {
	r := newReading(d)
	for _, p := range d.sent() {
		rs.readEvent(r, p)
		for _, path := range responsesItems.lists {
			list := (*exactjson.Value)(nil)
			p.value.Each(path, func(v *exactjson.Value) { list = v })
			for i := range elems(list) {
				rs.readItem(r, strconv.Itoa(i), copyWhole, &list.Elems[i])
			}
		}
	}
	return r.answer
}

// readEvent reads the parts of an event about an item.
func (rs responses) readEvent(r *reading, p *payload) {
	key := p.value.Member("output_index").Scalar()
	if item := p.value.Member("item"); item != nil {
		rs.readItem(r, key, copyItem, item)
	}
	part := partKey(key, p.value.Member("content_index").Scalar())
	for _, place := range []struct {
		path string
		copy int
	}{
		{"type=response.output_text.delta/delta", copyPieces},
		{"type=response.output_text.done/text", copyDone},
		{"type=response.content_part.done/part/type=output_text/text", copyPart},
	} {
		p.value.Each(place.path, func(v *exactjson.Value) { r.addText(part, place.copy, v) })
	}
	for _, place := range []struct {
		path string
		copy int
	}{
		{"type=response.function_call_arguments.delta/delta", copyPieces},
		{"type=response.function_call_arguments.done/arguments", copyDone},
		{"type=response.custom_tool_call_input.delta/delta", copyPieces},
		{"type=response.custom_tool_call_input.done/input", copyDone},
	} {
		p.value.Each(place.path, func(v *exactjson.Value) { r.addArgs(key, place.copy, v) })
	}
	isNamed := p.value.Member("type").Scalar() == "response.function_call_arguments.done"
	if c := r.calls[key]; c != nil && isNamed && p.value.Member("name").Scalar() != "" {
		c.names = append(c.names, p.value.Member("name"))
	}
}

// readItem reads the parts of an item of the output.
func (responses) readItem(r *reading, key string, copy int, item *exactjson.Value) {
	content := item.Member("content")
	for i := range elems(content) {
		content.Elems[i].Each("type=output_text/text", func(v *exactjson.Value) {
			r.addText(partKey(key, strconv.Itoa(i)), copy, v)
		})
	}
	item.Each("type=function_call|custom_tool_call", func(call *exactjson.Value) {
		r.addCall(key, call.Member("name"))
		r.addArgs(key, copy, call.Member("arguments"))
		r.addArgs(key, copy, call.Member("input"))
	})
}

// partKey returns the key of a part of a message: the numbers of the item and of the part.
func partKey(item, part string) string { return item + "/" + part }

func (rs responses) end(a *answer, e ending) bool {
	d := a.document
	if e == refused {
		rs.refuse(a)
	}
	status := "completed"
	details := exactjson.Value{} // null
	switch e {
	case cutOff:
		status = "incomplete"
		details = parsed(`{"reason":"max_output_tokens"}`)
	case filtered:
		status = "incomplete"
		details = parsed(`{"reason":"content_filter"}`)
	}

	found := false
	for _, p := range d.sent() {
		response := wholeResponse(p)
		if response == nil || response.Member("status") == nil {
			continue
		}
		found = true
		setMember(response, "status", stringValue(status))
		setMember(response, "incomplete_details", details)
		if p.event != nil {
			p.renamed = "response." + status
			setMember(&p.value, "type", stringValue(p.renamed))
		}
	}
	if status == "incomplete" {
		rs.markIncomplete(d)
	}
	return found
}

// wholeResponse returns the response in a body, or in the last event of a stream; else nil.
func wholeResponse(p *payload) *exactjson.Value {
	if p.event == nil {
		return &p.value
	}
	switch p.value.Member("type").Scalar() {
	case "response.completed", "response.incomplete":
		return p.value.Member("response")
	}
	return nil
}

// markIncomplete marks the messages of an answer that did not end as incomplete.
func (responses) markIncomplete(d *document) {
	for _, p := range d.sent() {
		for _, path := range []string{
			"output/*/type=message/status",
			"response/output/*/type=message/status",
			"type=response.output_item.done/item/type=message/status",
		} {
			p.value.Each(path, func(v *exactjson.Value) { setText(v, "incomplete") })
		}
	}
}

// refuse puts a message with a refusal in the place of the messages and calls.
func (rs responses) refuse(a *answer) {
	d := a.document
	id := "msg_refusal"
	said := map[int]bool{}
	for _, p := range d.sent() {
		for _, path := range []string{"item", "output/*", "response/output/*"} {
			p.value.Each(path+"/type=message/id", func(v *exactjson.Value) { id = v.Scalar() })
		}
		responsesItems.numbersOf(p, func(_ *exactjson.Value, n int) {
			p.value.Each("item/type="+saidItems, func(*exactjson.Value) { said[n] = true })
		})
	}
	responsesItems.eachList(d, func(list *exactjson.Value) {
		for i := range list.Elems {
			list.Elems[i].Each("type="+saidItems, func(*exactjson.Value) { said[i] = true })
		}
	})
	for n := responsesItems.count(d) - 1; n >= 0; n-- {
		if said[n] {
			responsesItems.drop(d, n)
		}
	}
	rs.insertRefusal(d, id)
	*a = *rs.read(d)
}

// saidItems are the types of items that a refusal replaces.
const saidItems = "message|function_call|custom_tool_call"

// insertRefusal adds a message with a refusal as the last item, whose ID is given.
func (responses) insertRefusal(d *document, id string) {
	const (
		text = "I'm sorry, I can't help with that."
		part = `{"type":"refusal","refusal":"` + text + `"}`
	)
	n := exactjson.Value{Kind: exactjson.Number, Text: strconv.Itoa(responsesItems.count(d))}
	message := func(status, content string) exactjson.Value {
		v := parsed(`{"id":"","type":"message","status":"` + status + `","content":[` + content +
			`],"role":"assistant"}`)
		setMember(&v, "id", stringValue(id))
		return v
	}
	for _, p := range d.sent() {
		response := wholeResponse(p)
		output := response.Member("output")
		if output == nil || output.Kind != exactjson.Array {
			continue
		}
		output.Elems = append(slices.Clone(output.Elems), message("completed", part))
		if p.event == nil {
			continue
		}
		add := func(kind string, v exactjson.Value) {
			setMember(&v, "type", stringValue(kind))
			setMember(&v, "output_index", n)
			setMember(&v, "sequence_number", exactjson.Value{Kind: exactjson.Number, Text: "0"})
			d.insert(p, kind, v)
		}
		addItem := func(kind string, item exactjson.Value) {
			v := parsed(`{"type":""}`)
			setMember(&v, "item", item)
			add(kind, v)
		}
		addPart := func(kind, members string) {
			v := parsed(`{"type":"","content_index":0,` + members + `}`)
			setMember(&v, "item_id", stringValue(id))
			add(kind, v)
		}
		addItem("response.output_item.added", message("in_progress", ""))
		addPart("response.content_part.added", `"part":{"type":"refusal","refusal":""}`)
		addPart("response.refusal.delta", `"delta":"`+text+`"`)
		addPart("response.refusal.done", `"refusal":"`+text+`"`)
		addPart("response.content_part.done", `"part":`+part)
		addItem("response.output_item.done", message("completed", part))
	}
}

func (responses) clear(a *answer) {
	a.clearTexts()
}

func (rs responses) drop(a *answer, c *call) {
	responsesItems.drop(a.document, number(c.key))
	*a = *rs.read(a.document)
}

func (rs responses) repeat(a *answer, c *call) {
	responsesItems.repeat(a.document, number(c.key), func(v *exactjson.Value) {
		addToIDs(v, "id", "call_id", "item_id", "item/id", "item/call_id")
	})
	*a = *rs.read(a.document)
}

// finish numbers the events.
func (rs responses) finish(d *document) {
	dropEmptyPieces(d, "type=response.output_text.delta|response.function_call_arguments.delta|"+
		"response.custom_tool_call_input.delta/delta")
	rs.dropAnnotations(d)

	isOther := func(p *payload) bool { return p.isDropped || p.before == "" }
	if !slices.ContainsFunc(d.payloads, isOther) {
		return
	}
	next := -1
	for _, p := range d.sent() {
		v := p.value.Member("sequence_number")
		if v == nil {
			continue
		}
		if next < 0 {
			next = max(0, number(v.Scalar()))
		}
		v.Text = strconv.Itoa(next)
		next++
	}
}

// dropAnnotations removes the annotations of changed texts, which have places in the text that it
// may not have.
func (responses) dropAnnotations(d *document) {
	dropped := false
	for _, p := range d.sent() {
		if !p.isChanged() {
			continue
		}
		for _, path := range []string{
			"part", "item/content/*", "output/*/content/*", "response/output/*/content/*",
		} {
			p.value.Each(path+"/annotations", func(v *exactjson.Value) {
				dropped = dropped || len(v.Elems) > 0
				v.Elems = nil
			})
		}
	}
	for _, p := range d.sent() {
		isAnnotation := p.value.Member("type").Scalar() == "response.output_text.annotation.added"
		if dropped && isAnnotation {
			p.isDropped = true
		}
	}
}

// errorEvent adds the two events of a response that failed
// (https://platform.openai.com/docs/api-reference/responses-streaming).
func (responses) errorEvent(d *document, last *payload) bool {
	const problem = `"code":"server_error",` +
		`"message":"An error occurred while processing your request."`
	var begun *exactjson.Value
	for _, p := range d.sent() {
		p.value.Each("type=response.created/response", func(v *exactjson.Value) { begun = v })
	}
	numberOfLast := last.value.Member("sequence_number")
	if begun == nil || numberOfLast == nil {
		return false
	}
	failed := clone(begun)
	setMember(&failed, "status", stringValue("failed"))
	setMember(&failed, "error", parsed("{"+problem+"}"))
	end := exactjson.Value{Kind: exactjson.Number, Text: numberOfLast.Text}

	last.setValue(`{"type":"response.failed"}`)
	last.renamed = "response.failed"
	setMember(&last.value, "response", failed)
	setMember(&last.value, "sequence_number", end)
	v := parsed(`{"type":"error",` + problem + `,"param":null}`)
	setMember(&v, "sequence_number", end)
	d.insert(last, "error", v)
	return true
}
