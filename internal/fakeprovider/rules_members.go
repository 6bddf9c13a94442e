package fakeprovider

// The members of each request's body, from the parameters of the SDKs: openai-go
// 3.99.0, anthropic-sdk-go 1.84.0 (with its beta), genai 1.77.0, cohere-go 2.15.3.
// A provider takes more than its SDK has, so each list ends with the members
// that other SDKs and the docs have: a list that is too long refuses too little.

var openaiChatMembers = words(`
	audio frequency_penalty function_call functions logit_bias logprobs
	max_completion_tokens max_tokens messages metadata modalities model moderation n
	parallel_tool_calls prediction presence_penalty prompt_cache_key
	prompt_cache_options prompt_cache_retention reasoning_effort response_format
	safety_identifier seed service_tier stop store stream stream_options temperature
	tool_choice tools top_logprobs top_p user verbosity web_search_options
	data_sources dataSources enhancements user_security_context
`)

var openaiResponsesMembers = words(`
	access_programs background context_management conversation image include input
	instructions max_output_tokens max_tool_calls metadata model moderation
	multi_agent parallel_tool_calls previous_response_id prompt prompt_cache_key
	prompt_cache_options prompt_cache_retention reasoning safety_identifier
	service_tier store stream stream_options temperature text tool_choice tools
	top_logprobs top_p truncation user
	agent agent_reference client_metadata generate structured_inputs
`)

var openaiEmbedMembers = words(`
	dimensions encoding_format input model user
	input_type
`)

var anthropicMembers = words(`
	cache_control compaction container context_management diagnostics
	fallback_credit_token fallbacks inference_geo max_tokens mcp_servers messages
	metadata model output_config output_format service_tier speed stop_sequences
	stream system temperature thinking tool_choice tools top_k top_p
	betas
`)

// anthropicInvokeMembers are those of Bedrock, which has the model in the path.
var anthropicInvokeMembers = append(words(`
	anthropic_version anthropic_beta
`), without(anthropicMembers, words("model stream"))...)

var anthropicMessageMembers = words(`
	clear_at content output_config role
`)

var geminiMembers = words(`
	cachedContent contents generationConfig labels model modelArmorConfig
	safetySettings serviceTier store systemInstruction toolConfig tools
	audioTranscriptionConfig automaticContinuation continuationToken
	generationOutputConfig
`)

var geminiConfigMembers = words(`
	audioTimestamp audioTranscriptionConfig candidateCount enableAffectiveDialog
	enableEnhancedCivicAnswers frequencyPenalty imageConfig logprobs maxOutputTokens
	mediaResolution modelConfig modelSelectionConfig presencePenalty responseFormat
	responseJsonSchema responseLogprobs responseMimeType responseModalities
	responseSchema routingConfig seed speechConfig stopSequences temperature
	thinkingConfig topK topP translationConfig
	_responseJsonSchema generationOutputConfig videoConfig
`)

var cohereMembers = words(`
	citation_options documents frequency_penalty k logprobs max_tokens messages model
	p presence_penalty response_format safety_mode seed stop_sequences stream
	strict_tools temperature thinking tool_choice tools
	priority raw_prompting return_prompt
`)

var mistralMembers = words(`
	frequency_penalty guardrails max_tokens messages metadata model n
	parallel_tool_calls prediction presence_penalty prompt_mode random_seed
	reasoning_effort response_format safe_prompt stop stream temperature tool_choice
	tools top_p
	document_image_limit document_page_limit prompt_cache_key stream_options
`)
