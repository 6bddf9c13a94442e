package fakeprovider

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// realtimeProtocol is the subprotocol of the Realtime API. Only browsers need it.
const realtimeProtocol = "realtime"

// The marks of a client of the beta version of the API, in a header or in a
// subprotocol.
const (
	betaHeader   = "realtime=v1"
	betaProtocol = "openai-beta.realtime-v1"
)

// sessionLength is how long a session may last
// (https://platform.openai.com/docs/guides/realtime-conversations).
const sessionLength = 60 * time.Minute

// checkRealtime checks a request that opens a session.
func checkRealtime(c *call) *Problem {
	withModel := *c
	withModel.body = object{{"model", realtimeModel(c)}}
	return openaiModel(&withModel)
}

// realtimeModel returns the model that a session is opened with.
func realtimeModel(c *call) string {
	model := cmp.Or(c.query.Get("model"), c.query.Get("deployment")) // Azure
	if model == "" && c.query.Has("call_id") {
		return "gpt-realtime" // a call that has a session with its model
	}
	return model
}

// A realtimeSocket is a session of OpenAI's Realtime API. The client adds items
// to a conversation, and asks for responses to it. Speech is not heard: a client
// that sends audio has to commit it and to ask for a response.
type realtimeSocket struct {
	session *Session
	n       int // the number of the response that opened the session
	isBeta  bool

	config object   // of the session, as the API repeats it
	items  []object // of the conversation
	audio  int      // the number of bytes in the input buffer

	events int // how many were sent
	made   int // how many items got an ID from the server
}

func startRealtime(s *Session) socketAPI {
	c := &call{query: s.post.URL.Query(), n: s.n}
	a := &realtimeSocket{session: s, n: s.n}
	a.isBeta = strings.Contains(s.post.Header.Get("OpenAI-Beta"), betaHeader) ||
		slices.Contains(s.protocols, betaProtocol)
	a.config = object{
		{"type", "realtime"},
		{"object", "realtime.session"},
		{"id", fmt.Sprintf("sess_standin%06d", s.n)},
		{"model", realtimeModel(c)},
		{"output_modalities", []any{"audio"}},
		{"instructions", ""},
		{"tools", []any{}},
		{"tool_choice", "auto"},
		{"max_output_tokens", "inf"},
		{"truncation", "auto"},
		{"tracing", nil},
		{"prompt", nil},
		{"expires_at", int(c.created().Add(sessionLength).Unix())},
		{"audio", realtimeAudio()},
		{"include", nil},
	}
	return a
}

// realtimeAudio returns the formats of sound that the API uses if none is chosen.
func realtimeAudio() object {
	format := object{{"type", "audio/pcm"}, {"rate", 24000}}
	return object{
		{"input", object{
			{"format", format},
			{"transcription", nil},
			{"noise_reduction", nil},
			{"turn_detection", nil},
		}},
		{"output", object{{"format", format}, {"voice", "marin"}, {"speed", raw("1.0")}}},
	}
}

func (a *realtimeSocket) open() []object {
	return a.finish(object{{"type", "session.created"}, {"session", a.config}})
}

// realtimeTypes are the messages of a client, in the words of an error.
const realtimeTypes = "'session.update', 'input_audio_buffer.append', " +
	"'input_audio_buffer.commit', 'input_audio_buffer.clear', 'conversation.item.create', " +
	"'conversation.item.truncate', 'conversation.item.delete', " +
	"'conversation.item.retrieve', 'response.create', and 'response.cancel'"

func (a *realtimeSocket) receive(message object) ([]object, *Ending) {
	if message.text("type") == "response.create" {
		events, end := a.respond(message)
		return a.finish(events...), end
	}
	events, problem := a.edit(message)
	if problem != nil {
		unread := a.session.unread()
		events = []object{a.session.refuse(message, unread, a.n, *problem)}
	}
	return a.finish(events...), nil
}

// edit answers a message that does not ask for a response.
func (a *realtimeSocket) edit(message object) ([]object, *Problem) {
	switch message.text("type") {
	case "session.update":
		return a.update(message)
	case "input_audio_buffer.append":
		return a.hear(message)
	case "input_audio_buffer.commit":
		return a.commit()
	case "input_audio_buffer.clear":
		a.audio = 0
		return []object{{{"type", "input_audio_buffer.cleared"}}}, nil
	case "conversation.item.create":
		return a.create(message)
	case "conversation.item.truncate":
		return a.truncate(message)
	case "conversation.item.delete":
		return a.remove(message)
	case "conversation.item.retrieve":
		return a.retrieve(message)
	case "response.cancel":
		return nil, realtimeProblem("", "response_cancel_not_active",
			"Cancellation failed: no active response found")
	}
	return []object{a.session.unknownType(message, realtimeTypes)}, nil
}

// realtimeProblem returns an error of a message.
func realtimeProblem(param, code, message string) *Problem {
	return &Problem{
		Status:  http.StatusBadRequest,
		Kind:    "invalid_request_error",
		Param:   param,
		Code:    code,
		Message: message,
	}
}

func (a *realtimeSocket) update(message object) ([]object, *Problem) {
	update, ok := message.get("session").(object)
	if !ok {
		return nil, missing("session")
	}
	if update.text("type") == "" && !a.isBeta {
		return nil, missing("session.type")
	}
	if modalities := update.get("modalities"); modalities != nil { // beta
		update = update.without("modalities").with("output_modalities", modalities)
	}
	a.config = merged(a.config, update)
	return []object{{{"type", "session.updated"}, {"session", a.config}}}, nil
}

// merged returns an object with the members of an update. Members that are objects
// in both are merged.
func merged(o, update object) object {
	for _, f := range update {
		before, wasObject := o.get(f.name).(object)
		after, isObject := f.value.(object)
		if wasObject && isObject && f.name != "tool_choice" {
			f.value = merged(before, after)
		}
		o = o.with(f.name, f.value)
	}
	return o
}

func (a *realtimeSocket) hear(message object) ([]object, *Problem) {
	audio, err := base64.StdEncoding.DecodeString(message.text("audio"))
	if err != nil {
		return nil, realtimeProblem("audio", "invalid_value",
			"Invalid 'audio'. Expected base64-encoded audio bytes.")
	}
	a.audio += len(audio)
	return nil, nil
}

func (a *realtimeSocket) commit() ([]object, *Problem) {
	if a.audio == 0 {
		return nil, realtimeProblem("", "input_audio_buffer_commit_empty",
			"Error committing input audio buffer: buffer too small. "+
				"Expected at least 100ms of audio, but buffer only has 0.00ms of audio.")
	}
	a.audio = 0
	item := object{
		{"id", a.newItemID()},
		{"object", "realtime.item"},
		{"type", "message"},
		{"status", "completed"},
		{"role", "user"},
		{"content", []any{object{{"type", "input_audio"}, {"transcript", nil}}}},
	}
	committed := object{
		{"type", "input_audio_buffer.committed"},
		{"previous_item_id", a.lastItemID()},
		{"item_id", item.text("id")},
	}
	return append([]object{committed}, a.insert(len(a.items), item)...), nil
}

func (a *realtimeSocket) create(message object) ([]object, *Problem) {
	item, ok := message.get("item").(object)
	if !ok {
		return nil, missing("item")
	}
	if item.text("type") == "" {
		return nil, missing("item.type")
	}
	if id := item.text("call_id"); item.text("type") == "function_call_output" && !a.hasCall(id) {
		return nil, realtimeProblem("item.call_id", "invalid_tool_call_id",
			"Tool call ID '"+id+"' not found in conversation.")
	}
	at, problem := a.after(message)
	if problem != nil {
		return nil, problem
	}

	id := item.text("id")
	if id == "" {
		id = a.newItemID()
	} else if a.find(id) >= 0 {
		return nil, realtimeProblem("item.id", "item_create_duplicate_id",
			"Error adding item: an item with ID '"+id+"' already exists.")
	}
	item = append(object{{"id", id}, {"object", "realtime.item"}}, item.without("id", "object")...)
	return a.insert(at, item.with("status", "completed")), nil
}

// hasCall reports whether the conversation has a tool call.
func (a *realtimeSocket) hasCall(id string) bool {
	return slices.ContainsFunc(a.items, func(item object) bool {
		return item.text("type") == "function_call" && item.text("call_id") == id
	})
}

// after returns the place of a new item: after the item that the message names, at
// the beginning for "root", at the end if it names none.
func (a *realtimeSocket) after(message object) (int, *Problem) {
	id := message.text("previous_item_id")
	switch id {
	case "":
		return len(a.items), nil
	case "root":
		return 0, nil
	}
	i := a.find(id)
	if i < 0 {
		return 0, itemNotFound("previous_item_id", id)
	}
	return i + 1, nil
}

func itemNotFound(param, id string) *Problem {
	return realtimeProblem(param, "item_not_found",
		"Item with ID '"+id+"' not found in the conversation.")
}

// find returns the index of an item, -1 if there is none with this ID.
func (a *realtimeSocket) find(id string) int {
	return slices.IndexFunc(a.items, func(item object) bool { return item.text("id") == id })
}

// insert adds an item to the conversation. It returns the events that say so.
func (a *realtimeSocket) insert(at int, item object) []object {
	added := a.itemEvent("conversation.item.added", at, item)
	done := a.itemEvent("conversation.item.done", at, item)
	a.items = slices.Insert(a.items, at, item)
	return []object{added, done}
}

// itemEvent returns an event of the conversation about an item that is at an index.
func (a *realtimeSocket) itemEvent(kind string, at int, item object) object {
	var previous any
	if at > 0 {
		previous = a.items[at-1].text("id")
	}
	return object{{"type", kind}, {"previous_item_id", previous}, {"item", item}}
}

func (a *realtimeSocket) truncate(message object) ([]object, *Problem) {
	id := message.text("item_id")
	if a.find(id) < 0 {
		return nil, itemNotFound("item_id", id)
	}
	return []object{{
		{"type", "conversation.item.truncated"},
		{"item_id", id},
		{"content_index", message.number("content_index")},
		{"audio_end_ms", message.number("audio_end_ms")},
	}}, nil
}

func (a *realtimeSocket) remove(message object) ([]object, *Problem) {
	id := message.text("item_id")
	i := a.find(id)
	if i < 0 {
		return nil, itemNotFound("item_id", id)
	}
	a.items = slices.Delete(a.items, i, i+1)
	return []object{{{"type", "conversation.item.deleted"}, {"item_id", id}}}, nil
}

func (a *realtimeSocket) retrieve(message object) ([]object, *Problem) {
	id := message.text("item_id")
	i := a.find(id)
	if i < 0 {
		return nil, itemNotFound("item_id", id)
	}
	return []object{{{"type", "conversation.item.retrieved"}, {"item", a.items[i]}}}, nil
}

// respond answers response.create.
func (a *realtimeSocket) respond(message object) ([]object, *Ending) {
	options := message.sub("response")
	items, problem := a.input(options)
	if problem != nil {
		return []object{a.session.refuse(message, a.session.unread(), a.n, *problem)}, nil
	}
	body := a.body(options, items)
	post := a.session.request()
	req := readAs(&realtime, openai, post, encode(body), a.session.state)
	answer := a.session.ask(message, req)
	if answer.refusal != nil {
		return []object{answer.refusal}, answer.end
	}
	if options.text("conversation") == "none" {
		return answer.events, answer.end
	}
	return a.converse(answer.events), answer.end
}

// input returns the items that a response answers: those of the conversation, or
// those that the client chooses for this response.
func (a *realtimeSocket) input(options object) ([]object, *Problem) {
	chosen, ok := options.get("input").([]any)
	if !ok {
		return a.items, nil
	}
	var items []object
	for _, item := range objects(chosen) {
		if item.text("type") != "item_reference" {
			items = append(items, item)
			continue
		}
		i := a.find(item.text("id"))
		if i < 0 {
			return nil, itemNotFound("response.input", item.text("id"))
		}
		items = append(items, a.items[i])
	}
	return items, nil
}

// body returns the body of a request to the Responses API that asks for the same
// as response.create, with what only the Realtime API has.
func (a *realtimeSocket) body(options object, items []object) object {
	if modalities := options.get("modalities"); modalities != nil { // beta
		options = options.with("output_modalities", modalities)
	}
	chosen := func(name string) field {
		return field{name, options.or(name, a.config.get(name))}
	}
	input := []any{}
	for _, item := range items {
		input = append(input, responsesItem(item))
	}
	var conversation any
	if options.text("conversation") != "none" {
		conversation = fmt.Sprintf("conv_standin%06d", a.n)
	}
	return object{
		chosen("model"),
		chosen("instructions"),
		{"input", input},
		chosen("tools"),
		chosen("tool_choice"),
		chosen("max_output_tokens"),
		chosen("output_modalities"),
		{"conversation", conversation},
		{"metadata", options.get("metadata")},
	}
}

// responsesItem returns an item as the Responses API has it: what was spoken is
// text, if it was transcribed.
func responsesItem(item object) object {
	item = item.without("object", "status")
	content, ok := item.get("content").([]any)
	if !ok {
		return item
	}
	kind := "input_text"
	if item.text("role") == "assistant" {
		kind = "output_text"
	}
	parts := []any{}
	for _, part := range objects(content) {
		spoken := part.text("transcript")
		written := part.text("text")
		if spoken != "" || written != "" {
			part = object{{"type", kind}, {"text", cmp.Or(written, spoken)}}
		}
		parts = append(parts, part)
	}
	return item.with("content", parts)
}

// converse adds the items of a response to the conversation, with the events that
// say so.
func (a *realtimeSocket) converse(events []object) []object {
	var all []object
	at := 0 // the place of the item whose events follow
	for _, e := range events {
		item := e.sub("item")
		switch e.text("type") {
		case "response.output_item.added":
			at = len(a.items)
			all = append(all, e, a.itemEvent("conversation.item.added", at, item))
			a.items = append(a.items, item)
		case "response.output_item.done":
			all = append(all, a.itemEvent("conversation.item.done", at, item), e)
			a.items[at] = item
		default:
			all = append(all, e)
		}
	}
	return all
}

func (a *realtimeSocket) refusal(message, err object, _ int) object {
	err = err.with("event_id", orNull(message.text("event_id")))
	return object{{"type", "error"}, {"error", err}}
}

// newItemID returns an ID for an item of the client.
func (a *realtimeSocket) newItemID() string {
	a.made++
	return fmt.Sprintf("item_standin%06d_%d", a.n, a.made)
}

// lastItemID returns the ID of the last item of the conversation, or nil.
func (a *realtimeSocket) lastItemID() any {
	if len(a.items) == 0 {
		return nil
	}
	return a.items[len(a.items)-1].text("id")
}

// finish adds the IDs of events, and spells them for a client of the beta version.
func (a *realtimeSocket) finish(events ...object) []object {
	var finished []object
	for _, e := range events {
		if a.isBeta && e.text("type") == "conversation.item.done" {
			continue // an event that the beta version does not have
		}
		a.events++
		id := field{"event_id", fmt.Sprintf("event_standin%06d_%d", a.n, a.events)}
		e = slices.Insert(slices.Clone(e), 1, id)
		if a.isBeta {
			e = betaSpelling(e).(object)
		}
		finished = append(finished, e)
	}
	return finished
}

// betaTypes are the types of events and of parts of a message in the beta version.
var betaTypes = map[string]string{
	"conversation.item.added":                "conversation.item.created",
	"response.output_text.delta":             "response.text.delta",
	"response.output_text.done":              "response.text.done",
	"response.output_audio.delta":            "response.audio.delta",
	"response.output_audio.done":             "response.audio.done",
	"response.output_audio_transcript.delta": "response.audio_transcript.delta",
	"response.output_audio_transcript.done":  "response.audio_transcript.done",
	"output_text":                            "text",
	"output_audio":                           "audio",
}

// betaSpelling returns a value of an event with the names of the beta version.
func betaSpelling(v any) any {
	switch v := v.(type) {
	case object:
		spelled := slices.Clone(v)
		for i, f := range v {
			kind, _ := f.value.(string)
			switch {
			case f.name == "type" && betaTypes[kind] != "":
				spelled[i].value = betaTypes[kind]
			case f.name == "output_modalities":
				spelled[i].name = "modalities"
			default:
				spelled[i].value = betaSpelling(f.value)
			}
		}
		return spelled
	case []object:
		spelled := slices.Clone(v)
		for i, o := range v {
			spelled[i] = betaSpelling(o).(object)
		}
		return spelled
	case []any:
		spelled := slices.Clone(v)
		for i, o := range v {
			spelled[i] = betaSpelling(o)
		}
		return spelled
	}
	return v
}
