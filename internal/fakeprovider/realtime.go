package fakeprovider

import (
	"encoding/base64"
	"fmt"
	"slices"
)

// realtime is OpenAI's Realtime API. Its requests are those that a session makes
// of response.create and of the conversation, in the layout of the Responses API.
var realtime = family{
	name:   "openai.realtime",
	vendor: openai,
	owns:   suffix("/realtime"),
	read:   readRealtime,
	write:  writeRealtime,
}

func readRealtime(c *call) (prompt, *Problem) {
	if p := openaiModel(c); p != nil {
		return prompt{}, p
	}
	return responsesPrompt(c)
}

// writeRealtime writes the events of a response, without the IDs of events and
// without the events of the conversation, which the session adds.
func writeRealtime(c *call, _ prompt, replies []Reply) *answer {
	w := &realtimeWriter{call: c, reply: replies[0]}
	w.hasAudio = slices.Contains(c.body.list("output_modalities"), any("audio"))
	w.write()

	a := &answer{}
	for _, e := range w.events {
		a.events = append(a.events, encode(e))
	}
	return a
}

// A realtimeWriter writes the events of one response.
type realtimeWriter struct {
	call     *call
	reply    Reply
	hasAudio bool // the text is spoken

	output []object // the items so far
	events []object
}

func (w *realtimeWriter) send(kind string, fields ...field) {
	w.events = append(w.events, append(object{{"type", kind}}, fields...))
}

func (w *realtimeWriter) write() {
	w.send("response.created", field{"response", w.response("in_progress")})
	text := w.reply.Text + w.reply.Refusal // a refusal has no part of its own
	if text != "" || w.reply.Media != nil || len(w.reply.Calls) == 0 {
		w.message(text)
	}
	for i, c := range w.reply.Calls {
		if c.ID == "" {
			c.ID = responsesCall(w.call, i)
		}
		w.functionCall(c)
	}
	w.send("response.done", field{"response", w.response(realtimeStatus(w.reply))})
}

// realtimeStatus returns the status of a complete response.
func realtimeStatus(r Reply) string {
	switch {
	case r.Broken != nil:
		return "failed"
	case r.Finish == FinishLength, r.Finish == FinishFilter:
		return "incomplete"
	}
	return "completed"
}

// itemStatus returns the status of a complete item.
func (w *realtimeWriter) itemStatus() string {
	if realtimeStatus(w.reply) == "completed" {
		return "completed"
	}
	return "incomplete"
}

// item begins an item. It returns the fields with its place in the response.
func (w *realtimeWriter) item(begun object) (place []field) {
	id := fmt.Sprintf("item_standin%06d%d", w.call.n, len(w.output))
	index := field{"output_index", len(w.output)}
	response := field{"response_id", responsesID(w.call)}
	w.output = append(w.output, append(object{{"id", id}, {"object", "realtime.item"}}, begun...))
	w.send("response.output_item.added", response, index, field{"item", w.last()})
	return []field{response, {"item_id", id}, index}
}

// last returns the item that was begun last.
func (w *realtimeWriter) last() object { return w.output[len(w.output)-1] }

// endItem ends the item that was begun last.
func (w *realtimeWriter) endItem(place []field, edit field) {
	item := w.last().with("status", w.itemStatus()).with(edit.name, edit.value)
	w.output[len(w.output)-1] = item
	w.send("response.output_item.done", place[0], place[2], field{"item", item})
}

// A textSpelling is how the API spells the text of a message.
type textSpelling struct {
	kind   string // of the part of the message
	member string // of the part, and of the event that ends the text
	events string // the beginning of the types of the events
}

var (
	writtenText = textSpelling{"text", "text", "response.output_text"}
	spokenText  = textSpelling{"audio", "transcript", "response.output_audio_transcript"}
)

func (w *realtimeWriter) message(text string) {
	place := w.item(object{
		{"type", "message"},
		{"status", "in_progress"},
		{"role", "assistant"},
		{"content", []any{}},
	})
	place = append(place, field{"content_index", 0})
	at := func(f ...field) []field { return append(slices.Clip(place), f...) }

	spelling := writtenText
	if w.hasAudio {
		spelling = spokenText
	}
	part := object{{"type", spelling.kind}, {spelling.member, ""}}
	w.send("response.content_part.added", at(field{"part", part})...)
	pieces := w.reply.pieces()
	if w.reply.Text == "" {
		pieces = deltas(tokens(text))
	}
	for _, piece := range pieces {
		w.send(spelling.events+".delta", at(field{"delta", piece})...)
	}
	if w.hasAudio {
		w.audio(at)
	}
	w.send(spelling.events+".done", at(field{spelling.member, text})...)
	w.send("response.content_part.done", at(field{"part", part.with(spelling.member, text)})...)

	content := object{{"type", "output_" + spelling.kind}, {spelling.member, text}}
	w.endItem(place, field{"content", []object{content}})
}

// pieceOfAudio is the size in bytes of a piece of audio: 100 ms of 24,000 samples
// a second with 2 bytes each, which is the format of the API if none is chosen.
const pieceOfAudio = 4800

// audio sends the sound of the reply, if it has one.
func (w *realtimeWriter) audio(at func(...field) []field) {
	if w.reply.Media != nil {
		for piece := range slices.Chunk(w.reply.Media.Data, pieceOfAudio) {
			text := base64.StdEncoding.EncodeToString(piece)
			w.send("response.output_audio.delta", at(field{"delta", text})...)
		}
	}
	w.send("response.output_audio.done", at()...)
}

func (w *realtimeWriter) functionCall(c Call) {
	place := w.item(object{
		{"type", "function_call"},
		{"status", "in_progress"},
		{"name", c.Name},
		{"call_id", c.ID},
		{"arguments", ""},
	})
	at := func(f ...field) []field { return append(slices.Clip(place), f...) }
	id := field{"call_id", c.ID}
	for _, piece := range fragments(c.Args) {
		w.send("response.function_call_arguments.delta", at(id, field{"delta", piece})...)
	}
	w.send("response.function_call_arguments.done",
		at(id, field{"name", c.Name}, field{"arguments", c.Args})...)
	w.endItem(place, field{"arguments", c.Args})
}

// response returns the response object. In progress it has no output yet.
func (w *realtimeWriter) response(status string) object {
	body := w.call.body
	var usage, details any
	output := []object{}
	if status != "in_progress" {
		usage = w.usage()
		details = w.statusDetails(status)
		output = append(output, w.output...)
	}
	return object{
		{"object", "realtime.response"},
		{"id", responsesID(w.call)},
		{"status", status},
		{"status_details", details},
		{"output", output},
		{"conversation_id", body.get("conversation")},
		{"output_modalities", body.get("output_modalities")},
		{"max_output_tokens", body.or("max_output_tokens", "inf")},
		{"usage", usage},
		{"metadata", body.get("metadata")},
	}
}

// statusDetails returns why a response is not completed; nil if it is.
func (w *realtimeWriter) statusDetails(status string) any {
	switch status {
	case "failed":
		b := w.reply.Broken
		kind := b.Kind
		if kind == "" {
			kind = "server_error"
		}
		err := object{{"type", kind}, {"code", orNull(b.Code)}, {"message", orNull(b.Message)}}
		return object{{"type", "failed"}, {"error", err}}
	case "incomplete":
		reason := "max_output_tokens"
		if w.reply.Finish == FinishFilter {
			reason = "content_filter"
		}
		return object{{"type", "incomplete"}, {"reason", reason}}
	}
	return nil
}

func (w *realtimeWriter) usage() object {
	u := w.reply.Usage
	text, audio := u.Output, 0
	if w.hasAudio {
		text, audio = 0, u.Output
	}
	return object{
		{"total_tokens", u.Input + u.Output},
		{"input_tokens", u.Input},
		{"output_tokens", u.Output},
		{"input_token_details", object{
			{"text_tokens", u.Input},
			{"audio_tokens", 0},
			{"image_tokens", 0},
			{"cached_tokens", u.Cached},
		}},
		{"output_token_details", object{{"text_tokens", text}, {"audio_tokens", audio}}},
	}
}
