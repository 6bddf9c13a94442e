// Package echofake answers model requests of a test from a script, before there
// is a recording: no provider, no network, no key.
//
//	func TestAgent(t *testing.T) {
//		p := echofake.New(t,
//			echofake.ToolCall("get_weather", `{"city":"Paris"}`),
//			echofake.Text("It is sunny in Paris."),
//		)
//		client := openai.NewClient(
//			option.WithHTTPClient(p.Client()),
//			option.WithAPIKey(p.Secret("OPENAI_API_KEY")),
//		)
//		...
//	}
//
// A turn is one answer of the model, in no provider's spelling. The request
// decides how it is written: the same script serves OpenAI's chat and Responses,
// Anthropic, Gemini and Vertex AI, Bedrock, Ollama, Cohere and Mistral, plain
// and streamed. docs/FAKES.md lists the endpoints.
//
// What to use:
//
//	a text, in pieces of a stream        Text
//	an answer in JSON                    JSON
//	tool calls, parallel ones            ToolCall, Turn.ToolCall
//	a refusal, a filter, a limit         Refusal, Turn.Finish
//	an error of the provider             Error, Turn.ThenError
//	a slow answer, a stream that waits   Turn.After, Turn.Hold
//	a stream that breaks off             package echofault
//	embeddings, pictures, sounds         Embedding, File
//	an answer that depends on the        Func
//	request
//	several agents at once               When
//	a program that takes a base URL      echotest.Serve
//	what the program sent                Provider.Requests
//	a member that only one API has       Turn.Set
//	anything else                        Handler, Provider.Handle
//
// The test fails if the program asks once too often, if it asks too little, if
// a request is one that the provider would refuse, and if a turn calls a tool
// that the request does not offer.
//
// To have a recording in the place of the script, replace echofake.New(t, ...)
// by echotest.New(t), and run the test once with a key. Nothing else changes.
// "promptecho fake TestX" prints the script of a recording.
package echofake
