package canon

import (
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/exactjson"
)

// openaiBookkeeping cannot change an answer of any OpenAI endpoint; the list
// has what compatible servers (vLLM, OpenRouter) add.
var openaiBookkeeping = []string{
	"user", "metadata", "store", "service_tier", "prompt_cache_key", "prompt_cache_retention",
	"prompt_cache_options", "safety_identifier", "request_id", "priority", "cache_salt",
	"stream_options/include_obfuscation",
}

// OpenAI's API (https://platform.openai.com/docs/api-reference), by itself, on
// Azure and of everything that speaks it, under any prefix.
var openaiFamilies = []*Family{
	chatCompletions(Family{Name: "openai.chat", Paths: []string{"/chat/completions"}}),
	chatCompletions(Family{
		// Publishers on Vertex (AI21, Mistral), and models on Databricks.
		Name:        "openai.chat",
		Paths:       []string{"/models/{model}:rawPredict", "/serving-endpoints/{model}/invocations"},
		StreamPaths: []string{"/models/{model}:streamRawPredict"},
		Needs:       []string{"messages"},
	}),
	// Writer's chat (https://dev.writer.com) is OpenAI's at another path; Cohere's
	// first version at that path has a "message".
	chatCompletions(Family{Name: "writer.chat", Paths: []string{"/v1/chat"}, Needs: []string{"model messages"}}),
	{
		Name:        "openai.responses.input_tokens",
		Paths:       []string{"/responses/input_tokens"},
		Needs:       responsesNeeds,
		Bookkeeping: openaiBookkeeping,
		Headers:     openaiHeaders,
		Rewrites:    responsesRewrites,
	},
	{
		Name:        "openai.responses.compact",
		Paths:       []string{"/responses/compact"},
		Needs:       responsesNeeds,
		Bookkeeping: openaiBookkeeping,
		Headers:     openaiHeaders,
		Rewrites:    responsesRewrites,
	},
	{
		Name:        "openai.responses",
		Paths:       []string{"/responses"},
		Needs:       responsesNeeds,
		Stream:      "stream",
		Bookkeeping: openaiBookkeeping,
		Sampling:    []string{"max_output_tokens", "max_tokens", "temperature", "top_p"},
		Headers:     openaiHeaders,
		Rewrites:    responsesRewrites,
		EndMarkers:  []string{"response.completed", "response.failed", "response.incomplete"},
		Delta:       responsesDelta,
	},
	{
		Name:        "openai.completions",
		Paths:       []string{"/completions"},
		Needs:       []string{"prompt"},
		Stream:      "stream",
		Bookkeeping: openaiBookkeeping,
		Sampling: []string{
			"max_tokens", "temperature", "top_p", "top_k", "min_p", "min_tokens", "seed", "presence_penalty",
			"frequency_penalty", "repetition_penalty",
		},
		Rewrites:   []Rewrite{dropEmpty("stop"), listed("stop")},
		EndMarkers: []string{"[DONE]"},
		Delta: func(t *transcript, event *exactjson.Value) {
			for _, choice := range elems(member(event, "choices")) {
				if text(&choice, "index") == "0" {
					t.text.WriteString(text(&choice, "text"))
				}
			}
		},
	},
	{
		Name:        "openai.embeddings",
		Paths:       []string{"/embeddings"},
		Needs:       []string{"input"},
		Bookkeeping: []string{"user", "metadata"},
		Rewrites:    []Rewrite{listed("input")}, // token lists stay as they are
	},
	openaiImages("generations", "prompt"), openaiImages("edits", "prompt", "image", "image[]"), openaiImages("variations", "image"),
	openaiAudio("transcriptions", audioNeeds...), openaiAudio("translations", audioNeeds...), openaiAudio("speech", "input"),
	{
		Name:        "openai.moderations",
		Paths:       []string{"/moderations"},
		Needs:       []string{"input"},
		Bookkeeping: []string{"metadata", "safety_identifier"},
		Rewrites:    []Rewrite{listed("input")},
	},
}

var (
	// A response is made of one of these
	// (https://platform.openai.com/docs/api-reference/responses/create).
	responsesNeeds = []string{"input", "prompt", "previous_response_id", "conversation"}

	// Groq takes a URL, Mistral one or the id of a file, OpenRouter the audio as JSON.
	audioNeeds = []string{"file", "url", "file_url", "file_id", "input_audio"}
)

// chatCompletions is POST /chat/completions, or the same elsewhere.
func chatCompletions(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = openaiBookkeeping
	f.Sampling = []string{
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "seed", "random_seed",
		"presence_penalty", "frequency_penalty", "repetition_penalty",
	}
	f.Headers = openaiHeaders
	f.Rewrites = []Rewrite{
		dropNulls("messages"),
		renamed("stop_sequences", "stop"),
		dropEmpty("tools", "stop", "system"),
		listed("stop"),
		renamed("max_completion_tokens", "max_tokens"),
		chatMessages,
		chatToolBlocks,
		chatSystem,
		// Gateways take Anthropic's spelling here too.
		anthropicBlocks,
		toolIDs,
		functionTools,
		anthropicParallel,
		toolChoice,
	}
	f.EndMarkers = []string{"[DONE]"}
	f.Delta = chatDelta
	return &f
}

var openaiHeaders = []string{"openai-beta"}

// openaiImages is POST /images/OPERATION: JSON, or a form with files.
func openaiImages(operation string, has ...string) *Family {
	return &Family{
		Name:        "openai.images." + operation,
		Paths:       []string{"/images/" + operation},
		Needs:       has,
		TakesForms:  true,
		Stream:      "stream",
		Bookkeeping: []string{"user", "safety_identifier"},
		EndMarkers:  []string{"image_generation.completed", "image_edit.completed"},
	}
}

// openaiAudio is POST /audio/OPERATION: JSON for speech, a form with a file for
// the others.
func openaiAudio(operation string, has ...string) *Family {
	return &Family{
		Name:       "openai.audio." + operation,
		Paths:      []string{"/audio/" + operation},
		Needs:      has,
		TakesForms: true,
		Stream:     "stream",
		Sampling:   []string{"temperature"},
		Rewrites:   []Rewrite{speechStream},
		EndMarkers: []string{"[DONE]", "transcript.text.done", "speech.audio.done"},
		Delta: func(t *transcript, event *exactjson.Value) {
			if text(event, "type") == "transcript.text.delta" {
				t.text.WriteString(text(event, "delta"))
			}
		},
	}
}

// speechStream: stream_format "sse" makes the binary answer of speech a stream
// of events.
func speechStream(b *Body) {
	if isString(b.Get("stream_format"), "sse") {
		b.call.wire = "stream"
	}
}

// chatDelta reads the first choice; further ones (n > 1) are in the events.
func chatDelta(t *transcript, event *exactjson.Value) {
	for _, choice := range elems(member(event, "choices")) {
		if text(&choice, "index") != "0" {
			continue
		}
		delta := member(&choice, "delta")
		t.reasoning.WriteString(text(delta, "reasoning_content") + text(delta, "reasoning")) // DeepSeek; OpenRouter, vLLM
		t.text.WriteString(text(delta, "content"))
		for _, c := range elems(member(delta, "tool_calls")) {
			call := t.call(text(&c, "index"))
			call.name += text(&c, "function", "name")
			call.args.WriteString(text(&c, "function", "arguments"))
		}
	}
}

func responsesDelta(t *transcript, event *exactjson.Value) {
	switch text(event, "type") {
	case "response.reasoning_summary_text.delta", "response.reasoning_text.delta":
		t.reasoning.WriteString(text(event, "delta"))
	case "response.output_text.delta", "response.refusal.delta":
		t.text.WriteString(text(event, "delta"))
	case "response.output_item.added":
		if text(event, "item", "type") == "function_call" {
			t.call(text(event, "output_index")).name = text(event, "item", "name")
		}
	case "response.function_call_arguments.delta":
		t.call(text(event, "output_index")).args.WriteString(text(event, "delta"))
	}
}

// responsesInput writes the input as the list of items it stands for: a
// string is a message of the user ("equivalent to a text input with the user
// role"), a role alone makes a message.
func responsesInput(b *Body) {
	if in := b.Get("input"); in != nil && in.Kind == exactjson.String {
		replace(in, b.list(b.object(field{"role", stringValue("user")}, field{"content", *in})))
	}
	ids := ordinals{}
	items := elems(b.Get("input"))
	// The API holds a reasoning item to the item that followed it, by its id.
	reasons := slices.ContainsFunc(items, func(item exactjson.Value) bool { return isString(member(&item, "type"), "reasoning") })
	for i := range items {
		item := &items[i]
		dropNull(item)
		dropBlockNulls(member(item, "content"))
		role := member(item, "role")
		if role != nil && member(item, "type") == nil && item.Kind == exactjson.Object {
			set(item, "type", stringValue("message"))
			role = member(item, "role")
		}
		if role != nil && slices.Contains([]string{"user", "system", "developer"}, role.Text) {
			b.blocks(member(item, "content"), "input_text")
		}
		if kind := member(item, "type"); kind != nil && strings.HasSuffix(kind.Text, "_output") {
			ids.result(member(item, "call_id"))
		} else {
			ids.call(member(item, "call_id"))
		}
		if isString(member(item, "type"), "function_call") {
			b.parseArguments(item)
		}
		if isString(role, "assistant") {
			b.outputText(member(item, "content"))
		}
		b.returned(item, reasons)
	}
}

// outputText writes what an assistant said as one block of output, as a
// response has it, without the lists that are empty there.
func (b *Body) outputText(content *exactjson.Value) {
	b.blocks(content, "output_text")
	blocks := elems(content)
	for i := range blocks {
		if isString(member(&blocks[i], "type"), "output_text") {
			dropIfEmpty(&blocks[i], exactjson.Array, []string{"annotations", "logprobs"})
		}
	}
}

// returned drops what only an item of a response has when it is sent back:
// clients leave it out or do not.
func (b *Body) returned(item *exactjson.Value, reasons bool) {
	kind := member(item, "type")
	if kind == nil || !slices.Contains([]string{"message", "function_call", "function_call_output", "reasoning"}, kind.Text) {
		return
	}
	if isString(member(item, "status"), "completed") {
		drop(item, "status")
	}
	if kind.Text == "message" && isString(member(item, "role"), "assistant") && !reasons {
		drop(item, "id")
	}
}

// responsesRewrites bring a call of Responses to its one spelling.
var responsesRewrites = []Rewrite{
	dropEmpty("tools"),
	renamed("max_output_tokens", "max_tokens"),
	responsesInput,
	toolChoice,
}

// chatMessages writes every text as one text block and tool arguments as what
// they hold.
func chatMessages(b *Body) {
	messages := elems(b.Get("messages"))
	for i := range messages {
		m := &messages[i]
		calls := elems(member(m, "tool_calls"))
		if len(calls) > 0 && isString(member(m, "content"), "") {
			drop(m, "content") // go-openai and ollama write "", openai-go nothing
		}
		if isString(member(m, "role"), "assistant") {
			dropIfEmpty(m, exactjson.Array, []string{"tool_calls", "annotations"}) // of a response that is sent back
		}
		b.blocks(member(m, "content"), "text")
		for j := range calls {
			dropNull(&calls[j])
			b.parseArguments(member(&calls[j], "function"))
		}
	}
}

// chatToolBlocks writes tool calls and their results where Anthropic has them:
// in the content of the assistant's message and of one user message after it.
// What holds more than those says stays as it is.
func chatToolBlocks(b *Body) {
	messages := b.Get("messages")
	if messages == nil || messages.Kind != exactjson.Array {
		return
	}
	out := messages.Elems[:0] // never longer than what is read
	results := false          // the last of out is a message of results made here
	for i := range messages.Elems {
		m := &messages.Elems[i]
		if block, ok := b.toolResult(m); ok {
			if !results {
				out = append(out, b.object(field{"role", stringValue("user")}, field{"content", b.list(block)}))
				results = true
				continue
			}
			content := member(&out[len(out)-1], "content")
			content.Elems = append(content.Elems, block)
			continue
		}
		results = false
		b.toolUses(m)
		out = append(out, *m)
	}
	messages.Elems = out
}

// toolResult returns the tool_result block of a message of role tool.
func (b *Body) toolResult(m *exactjson.Value) (exactjson.Value, bool) {
	id, content := member(m, "tool_call_id"), member(m, "content")
	if !isString(member(m, "role"), "tool") || id == nil || content == nil || !only(m, "role", "tool_call_id", "content") {
		return exactjson.Value{}, false
	}
	block := b.object(field{"type", stringValue("tool_result")}, field{"tool_use_id", *id}, field{"content", *content})
	block.Mark = m.Mark
	return block, true
}

// toolUses moves the tool calls of a message to blocks of its content.
func (b *Body) toolUses(m *exactjson.Value) {
	calls, content := elems(member(m, "tool_calls")), member(m, "content")
	if len(calls) == 0 || content != nil && content.Kind != exactjson.Array {
		return
	}
	list := b.call.parser.Make(exactjson.Array, len(elems(content))+len(calls))
	blocks := list.Elems[copy(list.Elems, elems(content)):]
	for i := range calls {
		fn, id := member(&calls[i], "function"), member(&calls[i], "id")
		kind, name, args := member(&calls[i], "type"), member(fn, "name"), member(fn, parsedArguments)
		if args == nil && !isKind(member(fn, "arguments"), exactjson.Object) {
			args = member(fn, "arguments")
		}
		if id == nil || name == nil || args == nil || !only(&calls[i], "id", "type", "function", "index") || len(fn.Names) != 2 ||
			kind != nil && !isString(kind, "function") {
			return
		}
		block := b.object(field{"type", stringValue("tool_use")}, field{"id", *id}, field{"name", *name}, field{"input", *args})
		block.Mark = calls[i].Mark
		blocks[i] = block
	}
	set(m, "content", list)
	drop(m, "tool_calls")
}

// A field is a member of an object that a rule makes.
type field struct {
	name  string
	value exactjson.Value
}

// object returns a JSON object of the fields, which lives as long as the body.
func (b *Body) object(fields ...field) exactjson.Value {
	v := b.call.parser.Make(exactjson.Object, len(fields))
	for i, f := range fields {
		v.Names[i], v.Elems[i] = f.name, f.value
	}
	return v
}

// list returns a JSON array of one value.
func (b *Body) list(v exactjson.Value) exactjson.Value {
	list := b.call.parser.Make(exactjson.Array, 1)
	list.Elems[0] = v
	return list
}

// sameDeveloper are the models that take a system message for one of the
// developer: "When you use a system message with o4-mini, o3, o3-mini, and o1 it
// will be treated as a developer message"
// (https://learn.microsoft.com/azure/ai-services/openai/how-to/reasoning). o1-mini
// refuses both, and other servers may not know the developer.
var sameDeveloper = regexp.MustCompile(`^(o1|o3|o3-mini|o4-mini)(-\d{4}-\d\d-\d\d)?$`)

// chatSystem moves the leading system message to where Anthropic has it. Only
// the first, and only if it holds nothing else: further ones stay messages, so
// that no two conversations become one.
func chatSystem(b *Body) {
	messages := b.Get("messages")
	list := elems(messages)
	if len(list) == 0 || b.Get("system") != nil {
		return
	}
	first := &list[0]
	role, content := member(first, "role"), member(first, "content")
	developer := isString(role, "developer") && sameDeveloper.MatchString(modelOf(b.Value))
	if !isString(role, "system") && !developer || content == nil || !only(first, "role", "content") {
		return
	}
	system := *content
	messages.Elems = list[1:]
	b.Set("system", system)
}
