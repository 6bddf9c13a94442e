package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/group"
)

// platformFamilies returns the families of platforms that serve models of many
// vendors, each with a format of its own. The path names the model, and the
// whole body matches.
func platformFamilies() []*Family {
	return []*Family{
		poll(Family{
			Name:       "perplexity.async.retrieve",
			Paths:      []string{"/async/chat/completions/{request}", "/async/sonar/{request}"},
			Transcript: asyncChat,
		}),
		poll(Family{
			Name:       "replicate.predictions.retrieve",
			Paths:      []string{"/v1/predictions/{prediction}"},
			Transcript: predictionOutput,
		}),
		{
			// https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.endpoints/rawPredict
			Name:  "vertex.rawPredict",
			Paths: []string{"/models/{model}:rawPredict", "/{org=endpoints}/{model}:rawPredict"},
			StreamPaths: []string{
				"/models/{model}:streamRawPredict", "/{org=endpoints}/{model}:streamRawPredict",
			},
		},
		{
			// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
			Name:        "sagemaker.invoke",
			Paths:       []string{"/endpoints/{model}/invocations"},
			StreamPaths: []string{"/endpoints/{model}/invocations-response-stream"},
			StreamWire:  "eventstream",
			Headers: []string{
				"accept", "x-amzn-sagemaker-accept", "x-amzn-sagemaker-custom-attributes",
				"x-amzn-sagemaker-target-model", "x-amzn-sagemaker-target-variant",
				"x-amzn-sagemaker-target-container-hostname",
				"x-amzn-sagemaker-inference-component", "x-amzn-sagemaker-session-id",
				"x-amzn-sagemaker-enable-explanations",
			},
			AnyBody:    true,
			Transcript: textGeneration,
		},
		{
			// A header has the URL of the input, and the body is empty.
			Name:    "sagemaker.async_invoke",
			Paths:   []string{"/endpoints/{endpoint}/async-invocations"},
			NoModel: true,
			Headers: []string{
				"x-amzn-sagemaker-inputlocation", "x-amzn-sagemaker-content-type",
				"x-amzn-sagemaker-accept", "x-amzn-sagemaker-custom-attributes",
				"x-amzn-sagemaker-filename", "x-amzn-sagemaker-s3outputpathextension",
			},
			AnyBody:     true,
			SideEffects: []string{"*"},
		},
		{
			// https://developers.cloudflare.com/api/resources/ai/methods/run.
			// Names of models have slashes.
			Name:   "cloudflare.run",
			Paths:  []string{"/ai/run/{model...}", "/workers-ai/{model...}"},
			Stream: "stream",
			Sampling: []string{
				"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "seed",
				"presence_penalty", "frequency_penalty", "repetition_penalty",
			},
			Rewrites:   []Rewrite{messageNulls, toolCalls},
			Defaults:   cloudflareDefaults,
			Transcript: cloudflareTranscript,
		},
		// https://replicate.com/docs/reference/http
		predictions(Family{
			Paths: []string{
				"/models/{org}/{model}/predictions", "/{org=deployments}/{org}/{model}/predictions",
				"/models/{org}/{model}/versions/{version}/predictions",
			},
			Needs: []string{"input"},
		}),
		// The version names the model.
		predictions(Family{
			Paths:   []string{"/v1/predictions"},
			Needs:   []string{"version"},
			NoModel: true,
		}),
	}
}

// cloudflareTranscript is for the models of Workers AI. Answers of the API are
// the member "result" of the body, and answers in a stream are the whole
// events. Some models answer in the formats of OpenAI's chat or Responses.
var cloudflareTranscript = Transcript{
	Text: slices.Concat(
		[]string{"response", "result/response", "result/text", "result/description"},
		chatTranscript.Text, inResult(chatTranscript.Text), inResult(responsesTranscript.Text),
	),
	Reasoning: slices.Concat(
		chatTranscript.Reasoning, inResult(chatTranscript.Reasoning),
		inResult(responsesTranscript.Reasoning),
	),
	Calls: slices.Concat(
		cloudflareCalls, callsInResult(cloudflareCalls),
		chatTranscript.Calls, callsInResult(chatTranscript.Calls),
		callsInResult(responsesTranscript.Calls),
	),
	Results: slices.Concat(
		chatTranscript.Results,
		callsInResult(chatTranscript.Results),
		callsInResult(responsesTranscript.Results),
	),
	Finish: slices.Concat(
		chatTranscript.Finish,
		inResult(chatTranscript.Finish),
		inResult(responsesTranscript.Finish),
	),
	Pieces: pieces{{Grow: names{"response", "tool_calls", "delta"}}},
}

// cloudflareCalls are tool calls in the formats of Cloudflare and of OpenAI's
// chat.
var cloudflareCalls = calls{
	{"tool_calls/*/function!=*", "name", "arguments"},
	{"tool_calls/*/function", "name", "arguments"},
}

// inResult returns the paths below the member "result".
func inResult(paths []string) []string {
	return group.Each(paths, func(path string) string { return "result/" + path })
}

// callsInResult returns the calls with their paths below the member "result".
func callsInResult(list calls) calls {
	return group.Each(list, func(c transcript.Call) transcript.Call {
		c[0] = "result/" + c[0]
		return c
	})
}

// predictions returns the family of a request to a model of Replicate. The
// header prefer decides whether the answer has the output.
func predictions(f Family) *Family {
	f.Name = "replicate.predictions"
	f.Headers = []string{"prefer"}
	f.Bookkeeping = []string{"webhook", "webhook_events_filter"}
	f.Transcript = predictionOutput
	f.SideEffects = []string{"webhook"}
	return &f
}

// predictionOutput is for the output of a model of Replicate. It is missing if
// the request did not wait for it.
var predictionOutput = Transcript{Text: []string{"output", "output/*"}}

// asyncChat is for the state of a request to Perplexity's chat: it has the
// answer as its response.
var asyncChat = Transcript{
	Text:   names{"response/choices/*/message/content"},
	Finish: names{"response/choices/*/finish_reason"},
}

// perplexityFamilies returns the family of requests to Perplexity's chat that
// are answered later
// (https://docs.perplexity.ai/api-reference/async-chat-completions-post).
func perplexityFamilies() []*Family {
	return []*Family{{
		Name:        "perplexity.async",
		Paths:       []string{"/async/chat/completions", "/async/sonar"},
		Needs:       []string{"request"},
		NoModel:     true,
		Bookkeeping: []string{"idempotency_key"},
		SideEffects: []string{"*"},
	}}
}
