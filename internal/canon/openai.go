package canon

import "github.com/promptecho/promptecho/internal/exactjson"

// openaiBookkeeping cannot change an answer of any OpenAI endpoint; the list
// has what compatible servers add: vLLM the last of the first two lines, OpenRouter a session
// and a trace for those who watch.
var openaiBookkeeping = []string{
	"user", "metadata", "store", "service_tier", "prompt_cache_key", "prompt_cache_retention",
	"prompt_cache_options", "safety_identifier", "request_id", "priority", "cache_salt", "session_id", "trace",
	"stream_options/include_obfuscation",
}

// OpenAI's API (https://platform.openai.com/docs/api-reference), by itself, on
// Azure and of everything that speaks it, under any prefix.
func openaiFamilies() []*Family {
	return []*Family{
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
		responses(Family{Name: "openai.responses.input_tokens", Paths: []string{"/responses/input_tokens"}}),
		responses(Family{Name: "openai.responses.compact", Paths: []string{"/responses/compact"}, Transcript: responsesTranscript}),
		responses(Family{
			Name:       "openai.responses",
			Paths:      []string{"/responses"},
			Stream:     "stream",
			Sampling:   []string{"max_output_tokens", "max_tokens", "temperature", "top_p"},
			EndMarkers: responsesEnds,
			Transcript: responsesTranscript,
			Acts:       []string{"conversation"}, // it gets what is asked and answered
		}),
		poll(Family{
			Name: "openai.responses.retrieve", Paths: []string{"/v1/responses/{response}", "/responses/resp_{response}"},
			EndMarkers: responsesEnds, Transcript: responsesTranscript,
		}),
		poll(Family{
			Name: "openai.chat.retrieve", Transcript: chatTranscript,
			Paths: []string{"/chat/completions/chatcmpl-{completion}", "/chat/deferred-completion/{request}"}, // stored by OpenAI, deferred by xAI
		}),
		{
			Name: "openai.decisions", Paths: []string{"/decisions"}, Needs: []string{"input questions"}, Bookkeeping: openaiBookkeeping,
			Transcript: Transcript{Calls: calls{{"answers/*", "name", "choice score"}}},
		},
		{Name: "openai.batches", Paths: []string{"/batches"}, Needs: []string{"input_file_id endpoint"}, NoModel: true, Bookkeeping: []string{"metadata"}, Acts: []string{"*"}},
		poll(Family{Name: "openai.batches.retrieve", Paths: []string{"/batches/batch_{batch}"}}),
		openaiVideos("openai.videos", "/videos"), openaiVideos("openai.videos.edits", "/videos/edits"),
		openaiVideos("openai.videos.extensions", "/videos/extensions"), openaiVideos("openai.videos.remix", "/videos/{video}/remix"),
		poll(Family{Name: "openai.videos.retrieve", Paths: []string{"/videos/video_{video}"}}),
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
			Rewrites: []Rewrite{dropEmpty("stop"), asList("stop")},
			Defaults: completionsDefaults,
			Transcript: Transcript{
				Text: []string{"choices/*/text"}, Finish: []string{"choices/*/finish_reason"}, Pieces: pieces{{Grow: names{"text"}}},
			},
		},
		{
			Name:        "openai.embeddings",
			Paths:       []string{"/embeddings"},
			Needs:       []string{"input"},
			Bookkeeping: []string{"user", "metadata"},
			Rewrites:    []Rewrite{asList("input")}, // token lists stay as they are
			Defaults:    embeddingsDefaults,
		},
		openaiImages("generations", "prompt"), openaiImages("edits", "prompt", "image", "image[]"), openaiImages("variations", "image"),
		openaiAudio("transcriptions", audioNeeds...), openaiAudio("translations", audioNeeds...), openaiAudio("speech", "input"),
		{
			Name:        "openai.moderations",
			Paths:       []string{"/moderations"},
			Needs:       []string{"input"},
			Bookkeeping: []string{"metadata", "safety_identifier"},
			Rewrites:    []Rewrite{asList("input")},
		},
	}
}

// Groq takes a URL, Mistral one or the id of a file, OpenRouter the audio as JSON.
var audioNeeds = []string{"file", "url", "file_url", "file_id", "input_audio"}

// chatCompletions is POST /chat/completions, or the same elsewhere.
func chatCompletions(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = openaiBookkeeping
	f.Sampling = []string{
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "seed", "random_seed",
		"presence_penalty", "frequency_penalty", "repetition_penalty",
	}
	f.Rewrites = []Rewrite{
		messageNulls,
		renamed("stop_sequences", "stop"),
		dropEmpty("tools", "stop", "system"),
		asList("stop"),
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
	f.Defaults = chatDefaults
	f.Transcript = chatTranscript
	return &f
}

// responses is POST /responses, or something else about one. What makes a response is in
// https://platform.openai.com/docs/api-reference/responses/create.
func responses(f Family) *Family {
	f.Needs = []string{"input", "prompt", "previous_response_id", "conversation"}
	f.Bookkeeping = openaiBookkeeping
	f.Rewrites = []Rewrite{dropEmpty("tools"), renamed("max_output_tokens", "max_tokens"), responsesInput, toolChoice}
	f.Defaults = responsesDefaults
	return &f
}

var chatTranscript = Transcript{
	Text: []string{
		"choices/*/message/content", "choices/*/message/content/*", "choices/*/message/content/*/type=text/text", "choices/*/message/refusal",
		"choices/*/message/audio/transcript",
	},
	Reasoning: []string{
		"choices/*/message/reasoning_content",                       // DeepSeek
		"choices/*/message/reasoning",                               // OpenRouter, vLLM
		"choices/*/message/content/*/type=thinking/thinking/*/text", // Mistral
	},
	Calls: calls{
		{"choices/*/message/tool_calls/*/function", "name", "arguments"},
		{"choices/*/message/tool_calls/*/custom", "name", "input"},
		{"choices/*/message/function_call", "name", "arguments"},
		{"choices/*/message/executed_tools/*", "name type", "arguments"}, // Groq
		{"choices/*/message/tool_calls/*/function!=*/custom!=*", "type"},
		{"choices/*/message/content/*/type!=" + chatBlocks + "|text|thinking", "type"},
	},
	Results: calls{
		{"choices/*/message/executed_tools/*", "name type", "output"},
		{"choices/*/message/images/*", "type"},
		{"choices/*/message/content/*/type=" + chatBlocks, "type"},
	},
	Finish: []string{"choices/*/finish_reason"},
	Pieces: pieces{{Grow: names{"delta"}}},
}

// chatBlocks are the types of blocks that stand beside texts: pictures, and sources of texts.
const chatBlocks = "image_url|image|reference|tool_reference|document_url"

// What a response says is in items: those of ResponseOutputItemUnion and of
// BetaResponseOutputItemUnion in OpenAI's SDK.
var responsesTranscript = Transcript{
	Text: []string{
		"output/*/type=message/content/*/type=output_text/text", "output/*/type=message/content/*/type=refusal/refusal", "transcript",
	},
	Reasoning: []string{"output/*/type=reasoning/summary/*/text", "output/*/type=reasoning/content/*/text"},
	Calls: calls{
		{"output/*/type=function_call|mcp_call|mcp_approval_request", "namespace server_label name", "arguments"},
		{"output/*/type=custom_tool_call", "namespace name", "input"},
		{"output/*/type=web_search_call", "type", "action/type action/query action/queries " +
			"action/url action/pattern"},
		{"output/*/type=" + hostedCalls, "type", "action actions operation code queries arguments " +
			"execution approve reason revised_prompt " +
			"background output_format quality size"},
		{"output/*/type=computer_call/pending_safety_checks/*", "=pending_safety_check", "code message"},
		{"output/*/type!=message|reasoning|function_call|mcp_call|mcp_approval_request|custom_tool_call|web_search_call|" +
			hostedCalls + "|" + hostedResults, "type"},
		{"output/*/type=message/content/*/type!=output_text|refusal|" + inputBlocks, "type"},
	},
	Results: calls{
		{"output/*/type=" + hostedResults, "type", "output result tools encrypted_content ."},
		{"output/*/type=code_interpreter_call|file_search_call|image_generation_call|mcp_call", "type", "output outputs result results error"},
		{"output/*/type=web_search_call", "type", "action/sources"},
		{"output/*/type=message/content/*/type=" + inputBlocks, "type"}, // of a compacted conversation
	},
	Finish: []string{"status", "incomplete_details/reason", "output/*/type=message/content/*/type=refusal/type"},
	Pieces: pieces{
		{At: "type=response.output_item.added|response.output_item.done/item", To: "output/{output_index}"},
		{At: "type=response.output_text.delta/delta", To: responsesItem + "type=message/content/{content_index}/type=output_text/text", Grow: all},
		{At: "type=response.refusal.delta/delta", To: responsesItem + "type=message/content/{content_index}/type=refusal/refusal", Grow: all},
		{At: "type=response.reasoning_text.delta/delta", To: responsesItem + "type=reasoning/content/{content_index}/text", Grow: all},
		{At: "type=response.reasoning_summary_text.delta/delta", To: responsesItem + "type=reasoning/summary/{summary_index}/text", Grow: all},
		{At: "type=response.function_call_arguments.delta|response.mcp_call_arguments.delta/delta", To: responsesItem + "arguments", Grow: all},
		{At: "type=response.custom_tool_call_input.delta/delta", To: responsesItem + "input", Grow: all},
		{At: "type=response.code_interpreter_call_code.delta/delta", To: responsesItem + "code", Grow: all},
		{At: "type=response.shell_call_command.delta/delta", To: responsesItem + "action/commands/{command_index}", Grow: all},
		{At: "type=response.audio.transcript.delta/delta", To: "transcript", Grow: all},
		{At: "type=response.completed|response.incomplete|response.failed/response"},
	},
}

var responsesEnds = []string{"response.completed", "response.failed", "response.incomplete"}

const responsesItem = "output/{output_index}/"

// hostedCalls are the types of items that call a tool of OpenAI's own, or ask for leave.
const (
	hostedCalls = "file_search_call|code_interpreter_call|computer_call|image_generation_call|local_shell_call|shell_call|" +
		"apply_patch_call|tool_search_call|program|mcp_approval_response|multi_agent_call"
	inputBlocks   = "input_text|input_image|input_file"
	hostedResults = "function_call_output|custom_tool_call_output|computer_call_output|local_shell_call_output|shell_call_output|" +
		"apply_patch_call_output|tool_search_output|program_output|mcp_list_tools|additional_tools|multi_agent_call_output|compaction"
)

// openaiVideos is a POST that makes a video.
func openaiVideos(name, path string) *Family {
	return &Family{Name: name, Paths: []string{path}, Needs: []string{"prompt"}, TakesForms: true, Acts: []string{"*"}}
}

// openaiImages is POST /images/OPERATION: JSON, or a form with files.
func openaiImages(operation string, has ...string) *Family {
	return &Family{
		Name:        "openai.images." + operation,
		Paths:       []string{"/images/" + operation},
		Needs:       has,
		TakesForms:  true,
		Stream:      "stream",
		Bookkeeping: []string{"user", "safety_identifier"},
		Defaults:    imagesDefaults(operation),
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
		Defaults:   audioDefaults(operation),
		EndMarkers: []string{"transcript.text.done", "speech.audio.done"},
		Transcript: Transcript{Text: []string{"text"}, Pieces: pieces{{At: "type=transcript.text.delta/delta", To: "text", Grow: all}}},
	}
}

// speechStream: stream_format "sse" makes the binary answer of speech a stream
// of events.
func speechStream(r *request, body *exactjson.Value) {
	if isString(member(body, "stream_format"), "sse") {
		r.Wire = "stream"
	}
}

// responsesInput writes the input as the list of items it stands for: a
// string is a message of the user ("equivalent to a text input with the user
// role"), a role alone makes a message.
var responsesInput = each("",
	each("input", inputMessage),
	each("input/*",
		dropNull,
		each("content/*", dropNull),
		each("role=*", textDefault("type", "message")),
		each("role=user|system|developer", asBlocks("content", "input_text")),
		// What an assistant said is one block of output, as a response has it, without the
		// lists that are empty there.
		each("role=assistant",
			asBlocks("content", "output_text"),
			each("content/*/type=output_text", dropEmpty("annotations", "logprobs")),
		),
		each("type=function_call", parseArguments),
		// Only an item of a response has a status; clients send it back or do not.
		each("type=message|function_call|function_call_output|reasoning", dropDefault(`"completed"`, "status")),
	),
	linkTools("input"),
	dropMessageIDs,
)

func inputMessage(r *request, input *exactjson.Value) {
	if isKind(input, exactjson.String) {
		replace(input, r.list(r.object(field("role", stringValue("user")), field("content", *input))))
	}
}

// dropMessageIDs drops the ids of messages that a response had. The API holds a
// reasoning item to the item that followed it, by its id: where there is one they stay.
func dropMessageIDs(_ *request, body *exactjson.Value) {
	reasons := false
	body.Each("input/*/type=reasoning", func(*exactjson.Value) { reasons = true })
	if !reasons {
		body.Each("input/*/type=message/role=assistant", func(m *exactjson.Value) { drop(m, "id") })
	}
}
