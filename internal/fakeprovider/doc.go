// Package fakeprovider answers model requests as each provider would, in its format.
// [Read] reads a request and checks it by the rules of its provider. Its answer is a
// [Reply] of a script ([Request.Answer], for package echofake), or one that is made
// from the words of the prompt ([Request.Improvise], for tests, examples and the
// demo). [Server] gives the latter on a loopback address.
//
// Nothing that it says was recorded anywhere, and it shows: each ID has "standin" in
// it, but those of Mistral's calls, which are too short. Without a script, each
// response has the header "x-promptecho-provider: stand-in", and each text that is
// not asked to be JSON begins with "[stand-in".
//
// An answer is a function of the request. Only IDs, created times, request IDs
// and rate-limit headers change from one request to the next: they count up. The
// next paragraphs, up to the endpoints, are about answers without a script.
//
// Text. The answer repeats the last user message in full, quotes the beginnings
// of the earlier ones and of the system prompt, and counts the words and letters
// of the whole conversation. A token is a word or a part of a long one; the
// limits max_tokens, max_completion_tokens and max_output_tokens count those.
// They cut texts, not tool calls. The model name is of no consequence, but that
// "no-such-model" is not found. Any key will do; none is refused, but by Ollama,
// and by Gemini, whose SDKs may leave it to the HTTP client. Signatures are not
// checked.
//
// Endpoints. A path is recognised by its end, so that a gateway may stand before it.
//
//   - OpenAI: chat/completions, responses, embeddings, moderations (which flag
//     nothing), images/generations and edits, audio/speech, transcriptions and
//     translations
//   - Anthropic: v1/messages, v1/messages/count_tokens; on Vertex AI
//     publishers/anthropic/models/{id}:rawPredict, :streamRawPredict
//   - Gemini, on Vertex AI too: :generateContent, :streamGenerateContent (events
//     with alt=sse, else one JSON array), :embedContent, :batchEmbedContents,
//     :countTokens, and Vertex AI's :predict of embeddings and pictures
//   - Bedrock: model/{id}/converse, converse-stream, count-tokens; invoke and
//     invoke-with-response-stream of Anthropic's models, of Amazon's Nova and Titan
//     Text, and invoke of Titan's and Cohere's embeddings of texts. A model with
//     another name is taken for one of Anthropic's.
//   - Ollama: api/chat, api/generate, api/embed, api/embeddings (with a prompt),
//     api/show, api/tags, api/version, the heartbeat
//   - Cohere: v2/chat, v1/chat, v2/embed, v1/embed, v2/rerank, v1/rerank
//   - Mistral, at api.mistral.ai or below a path with the step "mistral":
//     chat/completions, fim/completions, embeddings
//
// Pictures and sounds. Without a script a picture is a gray pixel as PNG, and a
// sound a silence of 1 ms as WAV, whatever format is asked for. What is said in a
// sound is unknown: a transcription repeats the name of the file.
//
// Replies of a script. Each field of a [Reply] is sent where the provider has a
// place for it. These have none, or a special one:
//
//	field      Gemini                      Ollama             Cohere
//	Refusal    the text, reason SAFETY     the text           the text
//	Text       before calls: text          text               tool_plan
//	Call.ID    sent if given               made up if ""      made up if ""; none in v1
//	Reasoning  thought parts, tokens       thinking           content; none in v1
//	Cached     cachedContentTokenCount     none               cached_tokens
//	Media      inlineData                  none               none
//	Broken     an error object             an error line      the reason ERROR
//
// A Gemini prompt is blocked, so that there are no candidates, if the reply has no
// content and its Finish is one of Gemini's block reasons in Gemini's spelling,
// such as "SAFETY" or "PROHIBITED_CONTENT". With [FinishFilter] the answer is
// withheld instead: a candidate without content, with the reason SAFETY. Arguments
// of a call that are not a JSON object become {} at Gemini, Ollama and Cohere's v1,
// which send objects.
//
// Reranking takes the query and the documents as its inputs: the cosines of their
// vectors are the scores.
//
// Sessions. Over a WebSocket, responses and realtime of OpenAI are answered by a
// script (Handshake, Session, Sockets). Tools are served by MCP (type MCP). The
// Server has neither.
//
// Tools. The names of offered tools that stand in the last user text are the
// steps to take, in that order: "use search, then read_file, then search" takes
// three turns. Names joined by "and", "&" or "+" are called in one turn, unless
// the request forbids parallel calls. A name may bring its arguments, as values
// in the order of the schema, add(2, 3), or as JSON, add({"a":2,"b":3}). If no
// tool is named, a tool is wanted when a word of its name, of four letters or
// more, is a word of the text: get_weather for "What's the weather in Paris?".
// When all steps are taken the answer is a text that sums up their results.
// A tool choice of none calls nothing, of required the steps and then any tool
// not called yet, of a specific tool that tool.
//
// Values. Arguments and structured answers are made from the JSON schema. Values
// come from the user's text: quoted phrases and capitalised words (not the first
// of a sentence) for strings, numbers for numbers, an enum value that occurs.
// What the text does not give is made up: "stand-in city", 1, true. Only required
// properties are filled in, or all if the schema requires none. The keywords
// pattern, not, if, contains and uniqueItems are not heeded.
package fakeprovider
