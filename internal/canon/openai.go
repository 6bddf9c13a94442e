package canon

import "github.com/promptecho/promptecho/internal/exactjson"

// openaiBookkeeping lists fields that cannot change an answer of any endpoint
// of OpenAI. request_id, priority and cache_salt are of vLLM, session_id and
// trace of OpenRouter.
var openaiBookkeeping = []string{
	"user", "metadata", "store", "service_tier", "prompt_cache_key", "prompt_cache_retention",
	"prompt_cache_options", "safety_identifier", "request_id", "priority", "cache_salt",
	"session_id", "trace", "stream_options/include_obfuscation",
}

// openaiFamilies returns the families of OpenAI's API
// (https://platform.openai.com/docs/api-reference): its own endpoints, those of
// Azure, and those of compatible servers under any prefix.
func openaiFamilies() []*Family {
	return []*Family{
		chatCompletions(Family{Name: "openai.chat", Paths: []string{"/chat/completions"}}),
		chatCompletions(Family{
			// Models of AI21 and Mistral on Vertex AI, and models on
			// Databricks.
			Name: "openai.chat",
			Paths: []string{
				"/models/{model}:rawPredict", "/serving-endpoints/{model}/invocations",
			},
			StreamPaths: []string{"/models/{model}:streamRawPredict"},
			Needs:       []string{"messages"},
		}),
		// Writer's chat (https://dev.writer.com) has the format of OpenAI's.
		// Version 1 of Cohere's chat has the same path, with "message" in the
		// body.
		chatCompletions(Family{
			Name:  "writer.chat",
			Paths: []string{"/v1/chat"},
			Needs: []string{"model messages"},
		}),
		responses(Family{
			Name:  "openai.responses.input_tokens",
			Paths: []string{"/responses/input_tokens"},
		}),
		responses(Family{
			Name:       "openai.responses.compact",
			Paths:      []string{"/responses/compact"},
			Transcript: responsesTranscript,
		}),
		responses(Family{
			Name:        "openai.responses",
			Paths:       []string{"/responses"},
			Stream:      "stream",
			Sampling:    responsesSampling,
			EndMarkers:  responsesEnds,
			Transcript:  responsesTranscript,
			SideEffects: []string{"conversation"}, // the question and the answer are stored in it
		}),
		poll(Family{
			Name:       "openai.responses.retrieve",
			Paths:      []string{"/v1/responses/{response}", "/responses/resp_{response}"},
			EndMarkers: responsesEnds,
			Transcript: responsesTranscript,
		}),
		poll(Family{
			Name: "openai.chat.retrieve",
			Paths: []string{
				"/chat/completions/chatcmpl-{completion}", // stored by OpenAI
				"/chat/deferred-completion/{request}",     // deferred by xAI
			},
			Transcript: chatTranscript,
		}),
		{
			Name:        "openai.decisions",
			Paths:       []string{"/decisions"},
			Needs:       []string{"input questions"},
			Bookkeeping: openaiBookkeeping,
			Transcript:  Transcript{Calls: calls{{"answers/*", "name", "choice score"}}},
		},
		{
			Name:        "openai.batches",
			Paths:       []string{"/batches"},
			Needs:       []string{"input_file_id endpoint"},
			NoModel:     true,
			Bookkeeping: []string{"metadata"},
			SideEffects: []string{"*"},
		},
		poll(Family{Name: "openai.batches.retrieve", Paths: []string{"/batches/batch_{batch}"}}),
		openaiVideos("openai.videos", "/videos"),
		openaiVideos("openai.videos.edits", "/videos/edits"),
		openaiVideos("openai.videos.extensions", "/videos/extensions"),
		openaiVideos("openai.videos.remix", "/videos/{video}/remix"),
		poll(Family{Name: "openai.videos.retrieve", Paths: []string{"/videos/video_{video}"}}),
		{
			Name:        "openai.completions",
			Paths:       []string{"/completions"},
			Needs:       []string{"prompt"},
			Stream:      "stream",
			Bookkeeping: openaiBookkeeping,
			Sampling: []string{
				"max_tokens", "temperature", "top_p", "top_k", "min_p", "min_tokens", "seed",
				"presence_penalty", "frequency_penalty", "repetition_penalty",
			},
			Rewrites: []Rewrite{dropEmpty("stop"), asList("stop")},
			Defaults: completionsDefaults,
			Transcript: Transcript{
				Text:   []string{"choices/*/text"},
				Finish: []string{"choices/*/finish_reason"},
				Pieces: pieces{{Grow: names{"text"}}},
			},
		},
		{
			Name:        "openai.embeddings",
			Paths:       []string{"/embeddings"},
			Needs:       []string{"input"},
			Bookkeeping: []string{"user", "metadata"},
			Rewrites:    []Rewrite{asList("input")}, // lists of tokens stay
			Defaults:    embeddingsDefaults,
		},
		openaiImages("generations", "prompt"),
		openaiImages("edits", "prompt", "image", "image[]"),
		openaiImages("variations", "image"),
		openaiAudio("transcriptions", audioNeeds...),
		openaiAudio("translations", audioNeeds...),
		openaiAudio("speech", "input"),
		{
			Name:        "openai.moderations",
			Paths:       []string{"/moderations"},
			Needs:       []string{"input"},
			Bookkeeping: []string{"metadata", "safety_identifier"},
			Rewrites:    []Rewrite{asList("input")},
		},
	}
}

// audioNeeds are the members with the audio: a file (OpenAI), a URL (Groq), a
// URL or the ID of a file (Mistral), the audio in JSON (OpenRouter).
var audioNeeds = []string{"file", "url", "file_url", "file_id", "input_audio"}

// chatCompletions returns the family of POST /chat/completions, or of the same
// endpoint of another provider.
func chatCompletions(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = openaiBookkeeping
	f.Sampling = []string{
		"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "min_p", "seed",
		"random_seed", "presence_penalty", "frequency_penalty", "repetition_penalty",
	}
	f.Rewrites = []Rewrite{
		messageNulls,
		renameMember("stop_sequences", "stop"),
		dropEmpty("tools", "stop", "system"),
		asList("stop"),
		renameMember("max_completion_tokens", "max_tokens"),
		chatMessages,
		moveToolsToBlocks,
		moveSystemMessage,
		// Gateways accept Anthropic's format here, too.
		anthropicBlocks,
		toolCalls,
		functionTools,
		moveParallelToolUse,
		normalizeToolChoice,
	}
	f.Defaults = chatDefaults
	f.Transcript = chatTranscript
	return &f
}

// responses returns the family of POST /responses
// (https://platform.openai.com/docs/api-reference/responses/create), or of an
// endpoint that has the same input.
func responses(f Family) *Family {
	f.Needs = []string{"input", "prompt", "previous_response_id", "conversation"}
	f.Bookkeeping = openaiBookkeeping
	f.Rewrites = []Rewrite{
		dropEmpty("tools"),
		renameMember("max_output_tokens", "max_tokens"),
		responsesInput,
		normalizeToolChoice,
	}
	f.Defaults = responsesDefaults
	return &f
}

var responsesSampling = []string{"max_output_tokens", "max_tokens", "temperature", "top_p"}

var chatTranscript = Transcript{
	Text: []string{
		"choices/*/message/content", "choices/*/message/content/*",
		"choices/*/message/content/*/type=text/text", "choices/*/message/refusal",
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

// chatBlocks are the types of blocks in an answer without text: pictures and
// sources.
const chatBlocks = "image_url|image|reference|tool_reference|document_url"

// The types of items are those of ResponseOutputItemUnion and
// BetaResponseOutputItemUnion in OpenAI's SDK.
var responsesTranscript = Transcript{
	Text: []string{
		"output/*/type=message/content/*/type=output_text/text",
		"output/*/type=message/content/*/type=refusal/refusal", "transcript",
	},
	Reasoning: []string{
		"output/*/type=reasoning/summary/*/text", "output/*/type=reasoning/content/*/text",
	},
	Calls: calls{
		{
			"output/*/type=function_call|mcp_call|mcp_approval_request",
			"namespace server_label name",
			"arguments",
		},
		{"output/*/type=custom_tool_call", "namespace name", "input"},
		{
			"output/*/type=web_search_call",
			"type",
			"action/type action/query action/queries action/url action/pattern",
		},
		{
			"output/*/type=" + hostedCalls,
			"type",
			"action actions operation code queries arguments execution approve reason " +
				"revised_prompt background output_format quality size",
		},
		{
			"output/*/type=computer_call/pending_safety_checks/*",
			"=pending_safety_check",
			"code message",
		},
		{
			"output/*/type!=message|reasoning|function_call|mcp_call|mcp_approval_request|" +
				"custom_tool_call|web_search_call|" + hostedCalls + "|" + hostedResults,
			"type",
		},
		{"output/*/type=message/content/*/type!=output_text|refusal|" + inputBlocks, "type"},
	},
	Results: calls{
		{"output/*/type=" + hostedResults, "type", "output result tools encrypted_content ."},
		{
			"output/*/type=code_interpreter_call|file_search_call|image_generation_call|mcp_call",
			"type",
			"output outputs result results error",
		},
		{"output/*/type=web_search_call", "type", "action/sources"},
		// of a compacted conversation
		{"output/*/type=message/content/*/type=" + inputBlocks, "type"},
	},
	Finish: []string{
		"status", "incomplete_details/reason", "output/*/type=message/content/*/type=refusal/type",
	},
	Pieces: pieces{
		{
			At: "type=response.output_item.added|response.output_item.done/item",
			To: "output/{output_index}",
		},
		{
			At:   "type=response.output_text.delta/delta",
			To:   responsesItem + "type=message/content/{content_index}/type=output_text/text",
			Grow: all,
		},
		{
			At:   "type=response.refusal.delta/delta",
			To:   responsesItem + "type=message/content/{content_index}/type=refusal/refusal",
			Grow: all,
		},
		{
			At:   "type=response.reasoning_text.delta/delta",
			To:   responsesItem + "type=reasoning/content/{content_index}/text",
			Grow: all,
		},
		{
			At:   "type=response.reasoning_summary_text.delta/delta",
			To:   responsesItem + "type=reasoning/summary/{summary_index}/text",
			Grow: all,
		},
		{
			At: "type=response.function_call_arguments.delta|" +
				"response.mcp_call_arguments.delta/delta",
			To:   responsesItem + "arguments",
			Grow: all,
		},
		{
			At:   "type=response.custom_tool_call_input.delta/delta",
			To:   responsesItem + "input",
			Grow: all,
		},
		{
			At:   "type=response.code_interpreter_call_code.delta/delta",
			To:   responsesItem + "code",
			Grow: all,
		},
		{
			At:   "type=response.shell_call_command.delta/delta",
			To:   responsesItem + "action/commands/{command_index}",
			Grow: all,
		},
		{At: "type=response.audio.transcript.delta/delta", To: "transcript", Grow: all},
		{At: "type=response.completed|response.incomplete|response.failed/response"},
	},
}

var responsesEnds = []string{"response.completed", "response.failed", "response.incomplete"}

const responsesItem = "output/{output_index}/"

const (
	// hostedCalls are the types of items that call a tool of OpenAI, or ask for
	// an approval.
	hostedCalls = "file_search_call|code_interpreter_call|computer_call|image_generation_call|" +
		"local_shell_call|shell_call|" +
		"apply_patch_call|tool_search_call|program|mcp_approval_response|multi_agent_call"

	// inputBlocks are the types of blocks of a message of the user.
	inputBlocks = "input_text|input_image|input_file"

	// hostedResults are the types of items with the result of a tool.
	hostedResults = "function_call_output|custom_tool_call_output|computer_call_output|" +
		"local_shell_call_output|shell_call_output|" +
		"apply_patch_call_output|tool_search_output|program_output|mcp_list_tools|" +
		"additional_tools|multi_agent_call_output|compaction"
)

// openaiVideos returns the family of a POST that makes a video.
func openaiVideos(name, path string) *Family {
	return &Family{
		Name:        name,
		Paths:       []string{path},
		Needs:       []string{"prompt"},
		TakesForms:  true,
		SideEffects: []string{"*"},
	}
}

// openaiImages returns the family of POST /images/OPERATION. Bodies are JSON,
// or forms with files.
func openaiImages(operation string, needs ...string) *Family {
	return &Family{
		Name:        "openai.images." + operation,
		Paths:       []string{"/images/" + operation},
		Needs:       needs,
		TakesForms:  true,
		Stream:      "stream",
		Bookkeeping: []string{"user", "safety_identifier"},
		Defaults:    imagesDefaults(operation),
		EndMarkers:  []string{"image_generation.completed", "image_edit.completed"},
	}
}

// openaiAudio returns the family of POST /audio/OPERATION. Bodies are JSON for
// speech, and forms with a file for other operations.
func openaiAudio(operation string, needs ...string) *Family {
	return &Family{
		Name:       "openai.audio." + operation,
		Paths:      []string{"/audio/" + operation},
		Needs:      needs,
		TakesForms: true,
		Stream:     "stream",
		Sampling:   []string{"temperature"},
		Rewrites:   []Rewrite{setSpeechWire},
		Defaults:   audioDefaults(operation),
		EndMarkers: []string{"transcript.text.done", "speech.audio.done"},
		Transcript: Transcript{
			Text:   []string{"text"},
			Pieces: pieces{{At: "type=transcript.text.delta/delta", To: "text", Grow: all}},
		},
	}
}

// setSpeechWire sets the wire format of a request for speech as a stream of
// events. Without the stream_format "sse", the answer is the audio.
func setSpeechWire(r *request, body *exactjson.Value) {
	if isString(member(body, "stream_format"), "sse") {
		r.Wire = "stream"
	}
}

// responsesInput normalizes the input to a list of items. A string is a message
// of the user ("equivalent to a text input with the user role"), and an item
// with a role but no type is a message.
var responsesInput = each("",
	each("input", wrapInputText),
	each("input/*",
		dropNull,
		each("content/*", dropNull),
		each("role=*", addDefaultText("type", "message")),
		each("role=user|system|developer", asBlocks("content", "input_text")),
		// A text of the assistant is one block, as in a response. Responses
		// also have the empty lists.
		each("role=assistant",
			asBlocks("content", "output_text"),
			each("content/*/type=output_text", dropEmpty("annotations", "logprobs")),
		),
		each("type=function_call", parseArguments),
		// Items of a response have a status, and some clients do not send it
		// back.
		each("type=message|function_call|function_call_output|reasoning",
			dropDefault(`"completed"`, "status"),
		),
	),
	normalizeToolCalls("input"),
	dropMessageIDs,
)

// wrapInputText replaces an input that is a string by the list of one message
// of the user.
func wrapInputText(_ *request, input *exactjson.Value) {
	if isKind(input, exactjson.String) {
		message := objectOf(field("role", stringValue("user")), field("content", *input))
		replace(input, listOf(message))
	}
}

// dropMessageIDs removes the IDs of the assistant's messages. If the input has
// a reasoning item, they stay: the API requires that the item after it has the
// same ID as in the response.
func dropMessageIDs(_ *request, body *exactjson.Value) {
	hasReasoning := false
	body.Each("input/*/type=reasoning", func(*exactjson.Value) { hasReasoning = true })
	if hasReasoning {
		return
	}
	body.Each("input/*/type=message/role=assistant", func(m *exactjson.Value) { drop(m, "id") })
}
