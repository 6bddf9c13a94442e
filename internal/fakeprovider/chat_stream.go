package fakeprovider

import (
	"cmp"
	"encoding/base64"
	"fmt"
)

// chatStream writes the chunks of a stream.
type chatStream struct {
	c      *call
	usage  bool // every chunk has a usage, the last but one a real one
	plain  bool // no obfuscation
	events [][]byte
}

func chatEvents(c *call, p prompt, replies []Reply) [][]byte {
	options := c.body.sub("stream_options")
	s := &chatStream{
		c:     c,
		usage: options.flag("include_usage"),
		plain: options.get("include_obfuscation") == false,
	}
	for i, r := range replies {
		s.delta(i, chatRole(r), 0)
	}
	for i, r := range replies {
		s.reply(i, r)
	}
	if broken := replies[0].Broken; broken != nil {
		s.send(object{{"error", openaiError(c, *broken)}})
		return s.events
	}
	for i, r := range replies {
		s.finish(i, chatFinish(p, r))
	}
	if s.usage {
		s.chunk([]object{}, chatUsage(replies), 0)
	}
	return append(s.events, []byte("data: [DONE]\n\n"))
}

// chatRole is the first delta of a choice.
func chatRole(r Reply) object {
	role := object{{"role", "assistant"}, {"content", ""}, {"refusal", nil}}
	onlyCalls := len(r.Calls) > 0 && r.Text == ""
	if onlyCalls || r.media("audio") != nil {
		role[1].value = nil
	}
	return role
}

// reply sends what a choice says and calls.
func (s *chatStream) reply(choice int, r Reply) {
	for _, text := range r.reasoningPieces() {
		s.delta(choice, object{{"reasoning_content", text}}, len(text))
	}
	if sound := r.media("audio"); sound != nil {
		s.sound(choice, r, sound)
	} else {
		for _, text := range r.pieces() {
			s.delta(choice, object{{"content", text}}, len(text))
		}
	}
	for _, text := range r.refusalPieces() {
		s.delta(choice, object{{"refusal", text}}, len(text))
	}
	for i, t := range r.Calls {
		s.call(choice, i, t)
	}
}

// sound sends the transcript of a sound, the sound in parts, and its end.
func (s *chatStream) sound(choice int, r Reply, sound *Media) {
	send := func(fields ...field) {
		audio := append(object{{"id", chatAudioID(s.c)}}, fields...)
		s.delta(choice, object{{"audio", audio}}, 0)
	}
	for _, text := range r.pieces() {
		send(field{"transcript", text})
	}

	// A multiple of 3 bytes, so that the parts make up one text in base64, too.
	const most = 3 << 10
	for data := sound.Data; len(data) > 0; {
		part := data[:min(most, len(data))]
		send(field{"data", base64.StdEncoding.EncodeToString(part)})
		data = data[len(part):]
	}
	send(field{"expires_at", chatAudioExpiry(s.c)})
}

// call sends a tool call: its name first and then the arguments in fragments.
func (s *chatStream) call(choice, i int, t Call) {
	one := func(fields ...field) object { return object{{"tool_calls", []object{fields}}} }
	s.delta(choice, one(
		field{"index", i},
		field{"id", cmp.Or(t.ID, chatID(s.c, choice, i))},
		field{"type", "function"},
		field{"function", object{{"name", t.Name}, {"arguments", ""}}},
	), 0)
	for _, part := range fragments(t.Args) {
		s.delta(choice, one(field{"index", i}, field{"function", object{{"arguments", part}}}), len(part))
	}
}

func (s *chatStream) delta(choice int, delta object, size int) {
	s.chunk([]object{{
		{"index", choice},
		{"delta", delta},
		{"logprobs", nil},
		{"finish_reason", nil},
	}}, nil, size)
}

func (s *chatStream) finish(choice int, reason string) {
	s.chunk([]object{{
		{"index", choice},
		{"delta", object{}},
		{"logprobs", nil},
		{"finish_reason", reason},
	}}, nil, 0)
}

func (s *chatStream) chunk(choices []object, usage any, size int) {
	o := object{
		{"id", fmt.Sprintf("chatcmpl-standin-%06d", s.c.n)},
		{"object", "chat.completion.chunk"},
		{"created", int(s.c.created().Unix())},
		{"model", s.c.body.text("model")},
		{"service_tier", "default"},
		{"system_fingerprint", fingerprint},
		{"choices", choices},
	}
	if s.usage {
		o = append(o, field{"usage", usage})
	}
	if !s.plain {
		o = append(o, field{"obfuscation", pad(size, "x")})
	}
	s.send(o)
}

func (s *chatStream) send(o object) { s.events = append(s.events, dataEvent(o)) }
