package fakeprovider

import (
	"cmp"
	"slices"
)

// responsesStream writes the events of a stream, numbered.
type responsesStream struct {
	plain  bool // no obfuscation
	events [][]byte
	pieces int // the number of events up to the last piece of an item
}

func (s *responsesStream) send(kind string, fields ...field) {
	o := append(object{{"type", kind}}, fields...)
	o = append(o, field{"sequence_number", len(s.events)})
	s.events = append(s.events, namedEvent(o))
}

// sendDelta sends one piece of a text, with the padding of real streams.
func (s *responsesStream) sendDelta(kind, piece string, fields ...field) {
	fields = append([]field{{"delta", piece}}, fields...)
	if !s.plain {
		fields = append(fields, field{"obfuscation", pad(len(piece), "x")})
	}
	s.send(kind, fields...)
	s.pieces = len(s.events)
}

// breakOff takes back what follows the last piece: a stream that breaks off does
// not say that its items are done.
func (s *responsesStream) breakOff() { s.events = s.events[:s.pieces] }

// place is where in the output an event belongs. Its fields stand in the order of
// the names.
type place struct {
	content string // content_index or summary_index; "" for an item as a whole
	index   int    // of the content
	item    string
	output  int
}

// with returns the fields of the place and those of the event.
func (p place) with(fields ...field) []field {
	at := []field{{"item_id", p.item}, {"output_index", p.output}}
	if p.content == "content_index" {
		at = slices.Insert(at, 0, field{p.content, p.index})
	}
	if p.content == "summary_index" {
		at = append(at, field{p.content, p.index})
	}
	return append(at, fields...)
}

// part is the text of a message, its refusal, or a summary: the words that its
// events have for it.
type part struct {
	parent string                   // of the events that add the part and say that it is done
	events string                   // of the text
	member string                   // of the event that says that the text is done
	extra  []field                  // of the events of the text
	json   func(text string) object // the part with its text
}

var (
	textPart = part{
		parent: "response.content_part",
		events: "response.output_text",
		member: "text",
		extra:  []field{{"logprobs", []any{}}},
		json:   outputText,
	}
	refusalPart = part{
		parent: "response.content_part",
		events: "response.refusal",
		member: "refusal",
		json:   refusalText,
	}
	summaryPart = part{
		parent: "response.reasoning_summary_part",
		events: "response.reasoning_summary_text",
		member: "text",
		json:   summaryText,
	}
)

// sendPart sends a part, its text in pieces.
func (s *responsesStream) sendPart(p part, at place, text string, pieces []string) {
	s.send(p.parent+".added", at.with(field{"part", p.json("")})...)
	for _, piece := range pieces {
		s.sendDelta(p.events+".delta", piece, at.with(p.extra...)...)
	}
	done := append(slices.Clone(p.extra), field{p.member, text})
	s.send(p.events+".done", at.with(done...)...)
	s.send(p.parent+".done", at.with(field{"part", p.json(text)})...)
}

func outputText(text string) object {
	return object{
		{"type", "output_text"},
		{"annotations", []any{}},
		{"logprobs", []any{}},
		{"text", text},
	}
}

func refusalText(text string) object { return object{{"type", "refusal"}, {"refusal", text}} }

func summaryText(text string) object { return object{{"type", "summary_text"}, {"text", text}} }

// fail ends a stream with an error, in the two events that the API documents: the
// error, and the response that failed
// (https://platform.openai.com/docs/api-reference/responses-streaming).
func (s *responsesStream) fail(c *call, p Problem, begun object) {
	e := openaiError(c, p)
	code := field{"code", cmp.Or(e.text("code"), e.text("type"))}
	message := field{"message", e.text("message")}
	s.send("error", code, message, field{"param", e.get("param")})
	s.send("response.failed", field{"response", failedResponse(begun, object{code, message})})
}

// failedResponse is a response that has begun and that an error ends.
func failedResponse(begun, e object) object {
	failed := slices.Clone(begun)
	for i := range failed {
		switch failed[i].name {
		case "status":
			failed[i].value = "failed"
		case "error":
			failed[i].value = e
		}
	}
	return failed
}
