package canon

import (
	"slices"

	"github.com/promptecho/promptecho/internal/canon/transcript"
	"github.com/promptecho/promptecho/internal/group"
)

// Platforms that serve the models of others, in the spelling of each model. The
// path names the model; all of the body matches.
func platformFamilies() []*Family {
	return []*Family{
		poll(Family{Name: "perplexity.async.retrieve", Paths: []string{"/async/chat/completions/{request}", "/async/sonar/{request}"}, Transcript: sonarLater}),
		poll(Family{Name: "replicate.predictions.retrieve", Paths: []string{"/v1/predictions/{prediction}"}, Transcript: predicted}),
		{
			// https://cloud.google.com/vertex-ai/docs/reference/rest/v1/projects.locations.endpoints/rawPredict
			Name:        "vertex.rawPredict",
			Paths:       []string{"/models/{model}:rawPredict", "/{org=endpoints}/{model}:rawPredict"},
			StreamPaths: []string{"/models/{model}:streamRawPredict", "/{org=endpoints}/{model}:streamRawPredict"},
		},
		{
			// https://docs.aws.amazon.com/sagemaker/latest/APIReference/API_runtime_InvokeEndpoint.html
			Name:        "sagemaker.invoke",
			Paths:       []string{"/endpoints/{model}/invocations"},
			StreamPaths: []string{"/endpoints/{model}/invocations-response-stream"},
			StreamWire:  "eventstream",
			Headers: []string{
				"accept", "x-amzn-sagemaker-accept", "x-amzn-sagemaker-custom-attributes", "x-amzn-sagemaker-target-model",
				"x-amzn-sagemaker-target-variant", "x-amzn-sagemaker-target-container-hostname",
				"x-amzn-sagemaker-inference-component", "x-amzn-sagemaker-session-id", "x-amzn-sagemaker-enable-explanations",
			},
			AnyBody:    true,
			Transcript: generated,
		},
		{
			// The input is in a bucket, and the body is empty.
			Name: "sagemaker.async_invoke", Paths: []string{"/endpoints/{endpoint}/async-invocations"}, NoModel: true,
			Headers: []string{
				"x-amzn-sagemaker-inputlocation", "x-amzn-sagemaker-content-type", "x-amzn-sagemaker-accept", "x-amzn-sagemaker-custom-attributes",
				"x-amzn-sagemaker-filename", "x-amzn-sagemaker-s3outputpathextension",
			},
			AnyBody: true, Acts: []string{"*"},
		},
		{
			// https://developers.cloudflare.com/api/resources/ai/methods/run; a model's name has slashes.
			Name:   "cloudflare.run",
			Paths:  []string{"/ai/run/{model...}", "/workers-ai/{model...}"},
			Stream: "stream",
			Sampling: []string{
				"max_tokens", "max_completion_tokens", "temperature", "top_p", "top_k", "seed", "presence_penalty", "frequency_penalty",
				"repetition_penalty",
			},
			Rewrites:   []Rewrite{messageNulls, toolIDs},
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
		predictions(Family{Paths: []string{"/v1/predictions"}, Needs: []string{"version"}, NoModel: true}), // the version is one of a model
	}
}

// cloudflareTranscript is of the models of Workers AI. The API has their answer below "result", and
// a stream has it by itself. Some answer as OpenAI's chat does, or as Responses.
var cloudflareTranscript = Transcript{
	Text: slices.Concat(
		[]string{"response", "result/response", "result/text", "result/description"},
		chatTranscript.Text, inResult(chatTranscript.Text), inResult(responsesTranscript.Text),
	),
	Reasoning: slices.Concat(
		chatTranscript.Reasoning, inResult(chatTranscript.Reasoning), inResult(responsesTranscript.Reasoning),
	),
	Calls: slices.Concat(
		cloudflareCalls, callsInResult(cloudflareCalls),
		chatTranscript.Calls, callsInResult(chatTranscript.Calls), callsInResult(responsesTranscript.Calls),
	),
	Results: slices.Concat(chatTranscript.Results, callsInResult(chatTranscript.Results), callsInResult(responsesTranscript.Results)),
	Finish:  slices.Concat(chatTranscript.Finish, inResult(chatTranscript.Finish), inResult(responsesTranscript.Finish)),
	Pieces:  pieces{{Grow: names{"response", "tool_calls", "delta"}}},
}

// cloudflareCalls are calls of tools in Cloudflare's spelling and in that of OpenAI's chat.
var cloudflareCalls = calls{
	{"tool_calls/*/function!=*", "name", "arguments"},
	{"tool_calls/*/function", "name", "arguments"},
}

// inResult returns paths below "result".
func inResult(paths []string) []string {
	return group.Each(paths, func(path string) string { return "result/" + path })
}

func callsInResult(list calls) calls {
	return group.Each(list, func(c transcript.Call) transcript.Call {
		c[0] = "result/" + c[0]
		return c
	})
}

// predictions asks a model of Replicate's; "prefer" says whether to wait for the output.
func predictions(f Family) *Family {
	f.Name = "replicate.predictions"
	f.Headers = []string{"prefer"}
	f.Bookkeeping = []string{"webhook", "webhook_events_filter"}
	f.Transcript = predicted
	f.Acts = []string{"webhook"}
	return &f
}

// predicted is what a model of Replicate's has put out, if somebody waited for it.
var predicted = Transcript{Text: []string{"output", "output/*"}}

// sonarLater is an answer of chat in one that says how far it is.
var sonarLater = Transcript{Text: names{"response/choices/*/message/content"}, Finish: names{"response/choices/*/finish_reason"}}

// perplexityFamilies take a whole request of chat, and answer it later
// (https://docs.perplexity.ai/api-reference/async-chat-completions-post).
func perplexityFamilies() []*Family {
	return []*Family{{
		Name: "perplexity.async", Paths: []string{"/async/chat/completions", "/async/sonar"}, Needs: []string{"request"}, NoModel: true,
		Bookkeeping: []string{"idempotency_key"}, Acts: []string{"*"},
	}}
}
