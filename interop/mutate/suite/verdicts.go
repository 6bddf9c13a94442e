// Package suite has tests of which it is known what they notice of the recorded answers. What
// "promptecho mutate" says of them is compared with [Verdicts].
package suite

// An Expected is what "promptecho mutate" must say of a test.
type Expected struct {
	Test    string // or the subtest; the one that has the recorder
	Verdict string
	Why     string
}

// The verdicts. They follow from what a test compares, and not from a run of the command:
//
//   - Content is what an answer says: another text, another value of a field, no call, another
//     argument, another vector. A test is blind to an answer if it passes with each change of its
//     content. If a test is blind to all of its answers, it is blind.
//   - A test is weak if it passes with some change, whatever the kind of the change is. A status
//     429 that comes once does not count: with the retries of an SDK, the answer is the recorded
//     one.
//   - A test is held if it passes with no change, but with some only if the requests that follow
//     from the change are not compared. So only the recording notices it.
//   - A test is good if it fails with each change by itself.
const (
	Good  = "good"
	Held  = "held"
	Weak  = "weak"
	Blind = "blind"

	BlindToOneOfTwo   = "blind to 1 of 2 answers"
	BlindToTwoOfThree = "blind to 2 of 3 answers"
)

// Verdicts has a row for each test of this package that has recordings.
var Verdicts = []Expected{
	// OpenAI's chat completions.
	{"TestChatText", Good, "compares the whole text"},
	{"TestChatWord", Weak, "the word is in the half that an answer has which was cut off"},
	{"TestChatLastWord", Good, "the word is in the half that an answer lacks which was cut off"},
	{"TestChatAnswers", Blind, "looks only at the error and at the number of choices"},
	{"TestChatStream", Good, "compares the text and the finish reason, and looks at the error"},
	{"TestChatStreamPrefix", Weak, "ignores how the stream ends"},
	{"TestChatStreamCounts", Blind, "counts the pieces, whatever they say"},

	// OpenAI's Responses.
	{"TestResponsesText", Good, "compares the whole text"},
	{"TestResponsesStatus", Blind, "looks at the status, and another text has the same"},
	{"TestResponsesStream", Good, "compares the text, and waits for the event that ends it"},
	{"TestResponsesStreamPrefix", Weak, "ignores how the stream ends"},

	// Anthropic.
	{"TestMessageText", Good, "compares the whole text"},
	{"TestMessageNotEmpty", Blind, "any text is not empty; only no text is noticed"},
	{"TestMessageStream", Good, "compares the text and the stop reason, and looks at the error"},
	{"TestMessageStreamPrefix", Weak, "ignores how the stream ends"},

	// Gemini.
	{"TestGeminiText", Good, "compares the whole text"},
	{"TestGeminiWord", Weak, "the word is in the half that an answer has which was cut off"},
	{"TestGeminiStream", Good, "compares the text and the finish reason, and looks at the error"},
	{"TestGeminiSchemaDecodes", Blind, "any JSON of the schema decodes"},

	// Bedrock Converse.
	{"TestConverseText", Good, "compares the whole text"},
	{"TestConverseUsage", Blind, "looks only at the number of tokens"},
	{"TestConverseStream", Good, "compares the text and the stop reason"},
	{"TestConverseStreamPrefix", Weak, "the SDK takes a stream that breaks for one that ends"},

	// Ollama.
	{"TestOllamaText", Good, "compares the whole text"},
	{"TestOllamaRole", Blind, "looks only at the role"},
	{"TestOllamaStream", Good, "compares the text and whether the answer is done"},
	{"TestOllamaFormatOneField", Weak, "looks at one of two fields"},

	// Cohere.
	{"TestCohereText", Good, "compares the whole text"},
	{"TestCohereFinish", Blind, "looks at the finish reason, and another text has the same"},
	{"TestCohereStream", Good, "compares the text and the finish reason"},

	// Structured output.
	{"TestOrderStrict", Good, "compares all fields"},
	{"TestOrderStrictOneField", Weak, "looks at one of three fields"},
	{"TestOrderStrictDecodes", Blind, "the provider sends only JSON that decodes"},
	{"TestOrderLoose", Good, "compares all fields, and looks at the error of json.Unmarshal"},
	{"TestOrderLooseDecodes", Blind, "any JSON with these fields decodes"},

	// Agents with tools.
	{"TestAgentCalls", Good, "compares the calls and the final text"},
	{"TestAgentFinalText", Held, "compares only the final text: a changed call is a miss"},
	{"TestAgentRuns", BlindToOneOfTwo, "a changed call is a miss, but no one reads the final text"},
	{"TestAgentForgetsCalls", Blind, "offers a tool, and looks at no call"},
	{"TestAgentByID", Weak, "sends no call back: a changed argument leaves the same request"},
	{"TestAgentClaudeStream", Good, "compares the calls, the stop reasons and the final text"},
	{"TestAgentGemini", Held, "compares only the final text: a changed call is a miss"},
	{"TestConverseTool", Good, "compares the name and the arguments of the only call"},
	{"TestOllamaTool", Weak, "looks at the name of the tool, and not at the argument"},
	{"TestClaudeToolInput", Weak, "looks at the argument, and not at the name of the tool"},

	// Embeddings.
	{"TestEmbedding", Good, "compares the vector"},
	{"TestEmbeddingSize", Blind, "each vector has the same size"},
	{"TestSearch", Good, "the vector decides which text is found, and an error fails the test"},
	{"TestSearchFallback", Weak, "an error is overcome by a search for words"},
	{"TestGeminiEmbedding", Good, "compares the vector"},
	{"TestOllamaEmbedding", Blind, "looks only at the number of vectors"},

	// Functions of promptecho.Wrap.
	{"TestFunction", Good, "compares the result, and looks at the error"},
	{"TestFunctionOneField", Weak, "looks at one of two fields"},
	{"TestFunctionRuns", Blind, "looks only at the error"},
	{"TestAgentWithFunction", Held, "compares only the final text: a changed result is a miss"},

	// MCP over HTTP.
	{"TestRemoteTool", Good, "compares the whole text, and looks at the error"},
	{"TestRemoteToolOneField", Weak, "looks at one of two fields"},
	{"TestRemoteToolAnswers", Blind, "looks only at the error"},

	// Sessions over a WebSocket.
	{"TestSocketTexts", Good, "compares the whole texts of both answers"},
	{"TestSocketWord", Weak, "the word is in the half that an answer has which was cut off"},
	{"TestRealtimeAnswers", Blind, "waits for the end of the answer, and looks at nothing"},

	// Child processes.
	{"TestLocalTool", Good, "compares the whole text, and looks at the error"},
	{"TestLocalToolAnswers", Blind, "looks only at the error"},

	// Snapshots.
	{"TestSnapshotText", Good, "the snapshot has the whole text"},
	{"TestSnapshotInline", Good, "the snapshot has the whole text"},
	{"TestRouteOfText", Blind, "a route has no words of an answer"},
	{"TestRouteOfAgent", Good, "the route has the calls, and a snapshot the final text"},

	// Flows of several requests.
	{"TestRetried", Good, "compares the whole text, after a status 429"},
	{"TestAskedAgain", BlindToOneOfTwo, "any text that is no JSON is asked for again"},
	{"TestFanOut", Good, "compares the texts of all three answers"},
	{"TestFanOutFirst", BlindToTwoOfThree, "compares one of three answers"},
	{"TestMajority", Blind, "two answers of three outvote a changed one"},
	{"TestChain", Held, "compares the last answer, whose prompt has the first one"},
	{"TestChainWhole", Good, "compares both answers"},

	// Tests and recorders.
	{"TestCapitals/France", Weak, "the word is in the half that an answer has which was cut off"},
	{"TestCapitals/Norway", Good, "the word is in the half that an answer lacks which was cut off"},
	{"TestTour", Good, "its subtests compare both answers of its recorder"},
	{"TestTwoCassettes", BlindToOneOfTwo, "compares the answer of one of two recorders"},
	{"TestSharedCassette", Good, "compares its answer of a cassette that another test has, too"},
	{"TestSharedCassetteAnswers", Blind, "looks only at the error"},
	{"TestPlainOpen", Good, "compares the whole text"},
	{"TestPlainOpenAnswers", Blind, "looks only at the error"},
}
