package canon

import (
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
	responses(Family{Name: "openai.responses.input_tokens", Paths: []string{"/responses/input_tokens"}}),
	responses(Family{Name: "openai.responses.compact", Paths: []string{"/responses/compact"}}),
	responses(Family{
		Name:       "openai.responses",
		Paths:      []string{"/responses"},
		Stream:     "stream",
		Sampling:   []string{"max_output_tokens", "max_tokens", "temperature", "top_p"},
		EndMarkers: []string{"response.completed", "response.failed", "response.incomplete"},
		Transcript: responsesTranscript,
		Whole:      responsesWhole,
		Acts:       []string{"conversation"}, // it gets what is asked and answered
	}),
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
		Rewrites:   []Rewrite{dropEmpty("stop"), asList("stop")},
		EndMarkers: []string{"[DONE]"},
		Transcript: Transcript{Text: []string{"choices/*/index=0/text"}, Finish: []string{"choices/*/index=0/finish_reason"}},
		Whole:      Transcript{Text: []string{"choices/*/text"}, Finish: []string{"choices/*/finish_reason"}},
	},
	{
		Name:        "openai.embeddings",
		Paths:       []string{"/embeddings"},
		Needs:       []string{"input"},
		Bookkeeping: []string{"user", "metadata"},
		Rewrites:    []Rewrite{asList("input")}, // token lists stay as they are
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
	f.Headers = openaiHeaders
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
	f.EndMarkers = []string{"[DONE]"}
	f.Transcript = chatTranscript
	f.Whole = chatWhole
	return &f
}

// responses is POST /responses, or something else about one. What makes a response is in
// https://platform.openai.com/docs/api-reference/responses/create.
func responses(f Family) *Family {
	f.Needs = []string{"input", "prompt", "previous_response_id", "conversation"}
	f.Bookkeeping = openaiBookkeeping
	f.Headers = openaiHeaders
	f.Rewrites = []Rewrite{dropEmpty("tools"), renamed("max_output_tokens", "max_tokens"), responsesInput, toolChoice}
	return &f
}

var openaiHeaders = []string{"openai-beta"}

// chatTranscript has the first choice; further ones (n > 1) are in the events.
var chatTranscript = Transcript{
	Text: []string{"choices/*/index=0/delta/content"},
	Reasoning: []string{
		"choices/*/index=0/delta/reasoning_content", // DeepSeek
		"choices/*/index=0/delta/reasoning",         // OpenRouter, vLLM
	},
	Calls: []CallPaths{
		{At: "choices/*/index=0/delta/tool_calls/*", ID: "index", Name: "function/name", Args: "function/arguments"},
		{At: "choices/*/index=0/delta/function_call", ID: "index", Name: "name", Args: "arguments"}, // has none: there is one call
	},
	Finish: []string{"choices/*/index=0/finish_reason"},
}

var chatWhole = Transcript{
	Text: []string{"choices/*/message/content", "choices/*/message/content/*/type=text/text"},
	Reasoning: []string{
		"choices/*/message/reasoning_content", "choices/*/message/reasoning",
		"choices/*/message/content/*/type=thinking/thinking/*/text", // Mistral
	},
	Calls: []CallPaths{
		{At: "choices/*/message/tool_calls/*/function", Name: "name", Args: "arguments"},
		{At: "choices/*/message/tool_calls/*/custom", Name: "name", Args: "input"},
		{At: "choices/*/message/function_call", Name: "name", Args: "arguments"},
	},
	Finish: []string{"choices/*/finish_reason"},
}

var responsesTranscript = Transcript{
	Text: []string{"type=response.output_text.delta/delta", "type=response.refusal.delta/delta"},
	Reasoning: []string{
		"type=response.reasoning_summary_text.delta/delta", "type=response.reasoning_text.delta/delta",
	},
	Calls: []CallPaths{
		{
			ID:   "output_index",
			Name: "type=response.output_item.added/item/type=function_call|custom_tool_call|mcp_call/name",
			Args: "type=response.function_call_arguments.delta|response.custom_tool_call_input.delta|response.mcp_call_arguments.delta/delta",
		},
		{
			ID:   "output_index",
			Name: "type=response.output_item.done/item/type=" + hostedCalls + "/type",
			Args: "type=response.output_item.done/item/action",
		},
	},
	Finish: []string{
		"type=response.completed|response.incomplete|response.failed/response/status",
		"type=response.incomplete/response/incomplete_details/reason",
		"type=response.refusal.done/type",
	},
}

var responsesWhole = Transcript{
	Text: []string{
		"output/*/type=message/content/*/type=output_text/text", "output/*/type=message/content/*/type=refusal/refusal",
	},
	Reasoning: []string{"output/*/type=reasoning/summary/*/text", "output/*/type=reasoning/content/*/text"},
	Calls: []CallPaths{
		{At: "output/*/type=function_call|mcp_call", Name: "name", Args: "arguments"},
		{At: "output/*/type=custom_tool_call", Name: "name", Args: "input"},
		{At: "output/*/type=" + hostedCalls, Name: "type", Args: "action"},
	},
	Finish: []string{"status", "incomplete_details/reason", "output/*/type=message/content/*/type=refusal/type"},
}

// hostedCalls are the types of items that call a tool of OpenAI's own.
const hostedCalls = "web_search_call|file_search_call|code_interpreter_call|computer_call|image_generation_call|local_shell_call|shell_call"

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
		Transcript: Transcript{Text: []string{"type=transcript.text.delta/delta"}},
		Whole:      Transcript{Text: []string{"text"}},
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
	at(body, "input/*/type=reasoning", func(*exactjson.Value) { reasons = true })
	if !reasons {
		at(body, "input/*/type=message/role=assistant", func(m *exactjson.Value) { drop(m, "id") })
	}
}
