package fakeprovider

import (
	"cmp"
	"encoding/base64"
	"fmt"
)

// outputItem is an element of the output of a response.
type outputItem interface {
	// json returns the item with a status. An item in progress is still empty.
	json(status string) object

	// stream sends the content of the item, which is number i of the output.
	stream(s *responsesStream, i int)
}

// outputItems returns the output of a reply, in the order of the API: reasoning,
// a picture, the message, calls.
func outputItems(c *call, r Reply) []outputItem {
	var items []outputItem
	if r.Reasoning != "" {
		items = append(items, reasoningItem{fmt.Sprintf("rs_standin%06d", c.n), r.Reasoning})
	}
	if picture := r.media("image"); picture != nil {
		items = append(items, newPictureItem(c, *picture))
	}
	hasMessage := r.Text != "" || r.Refusal != ""
	isEmpty := len(items) == 0 && len(r.Calls) == 0
	if hasMessage || isEmpty {
		items = append(items, messageItem{fmt.Sprintf("msg_standin%06d", c.n), r})
	}
	for i, t := range r.Calls {
		t.ID = cmp.Or(t.ID, responsesCall(c, i))
		items = append(items, callItem{fmt.Sprintf("fc_standin%06d%d", c.n, i), t})
	}
	return items
}

// responsesCall is the ID of the i-th call of an answer.
func responsesCall(c *call, i int) string { return fmt.Sprintf("call_standin%06d%d", c.n, i) }

const inProgress = "in_progress"

// reasoningItem is what the model thinks, as a summary of one part.
type reasoningItem struct {
	id   string
	text string
}

func (it reasoningItem) json(status string) object {
	summary := []object{}
	if status != inProgress {
		summary = append(summary, summaryText(it.text))
	}
	return object{
		{"id", it.id},
		{"type", "reasoning"},
		{"encrypted_content", "standin-encrypted"},
		{"summary", summary},
	}
}

func (it reasoningItem) stream(s *responsesStream, i int) {
	at := place{content: "summary_index", item: it.id, output: i}
	s.sendPart(summaryPart, at, it.text, deltas(tokens(it.text)))
}

// messageItem is a text, a refusal, or both. A message of neither has an empty
// text.
type messageItem struct {
	id    string
	reply Reply
}

func (it messageItem) hasText() bool { return it.reply.Text != "" || it.reply.Refusal == "" }

func (it messageItem) json(status string) object {
	content := []object{}
	if status != inProgress && it.hasText() {
		content = append(content, outputText(it.reply.Text))
	}
	if status != inProgress && it.reply.Refusal != "" {
		content = append(content, refusalText(it.reply.Refusal))
	}
	return object{
		{"id", it.id},
		{"type", "message"},
		{"status", status},
		{"content", content},
		{"role", "assistant"},
	}
}

func (it messageItem) stream(s *responsesStream, i int) {
	at := place{content: "content_index", item: it.id, output: i}
	if it.hasText() {
		s.sendPart(textPart, at, it.reply.Text, it.reply.pieces())
		at.index++
	}
	if refusal := it.reply.Refusal; refusal != "" {
		s.sendPart(refusalPart, at, refusal, deltas(tokens(refusal)))
	}
}

// callItem is a call of a function.
type callItem struct {
	id   string
	call Call
}

func (it callItem) json(status string) object {
	args := it.call.Args
	if status == inProgress {
		args = ""
	}
	return object{
		{"id", it.id},
		{"type", "function_call"},
		{"status", status},
		{"arguments", args},
		{"call_id", it.call.ID},
		{"name", it.call.Name},
	}
}

func (it callItem) stream(s *responsesStream, i int) {
	at := place{item: it.id, output: i}
	for _, part := range fragments(it.call.Args) {
		s.sendDelta("response.function_call_arguments.delta", part, at.with()...)
	}
	done := append([]field{{"arguments", it.call.Args}}, at.with()...)
	s.send("response.function_call_arguments.done", done...)
}

// pictureItem is a call of the image generation tool, with the picture.
type pictureItem struct {
	id       string
	picture  Media
	settings object // of the tool in the request
}

func newPictureItem(c *call, picture Media) pictureItem {
	it := pictureItem{id: fmt.Sprintf("ig_standin%06d", c.n), picture: picture}
	for _, t := range objects(c.body.list("tools")) {
		if t.text("type") == "image_generation" {
			it.settings = t
		}
	}
	return it
}

func (it pictureItem) json(status string) object {
	o := object{{"id", it.id}, {"type", "image_generation_call"}}
	if status == inProgress {
		return append(o, field{"status", inProgress}, field{"result", nil})
	}
	o = append(o, field{"status", "completed"}, field{"action", "generate"})
	o = append(o, imageSettings(it.settings, it.picture)...)
	return append(o, field{"result", base64.StdEncoding.EncodeToString(it.picture.Data)})
}

func (it pictureItem) stream(s *responsesStream, i int) {
	const kind = "response.image_generation_call."
	at := place{item: it.id, output: i}
	s.send(kind+"in_progress", at.with()...)
	s.send(kind+"generating", at.with()...)
	for k := range it.settings.number("partial_images") {
		s.send(kind+"partial_image", at.with(
			field{"partial_image_index", k},
			field{"partial_image_b64", base64.StdEncoding.EncodeToString(it.picture.Data)},
		)...)
	}
	s.pieces = len(s.events)
	s.send(kind+"completed", at.with()...)
}
