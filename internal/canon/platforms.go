package canon

// Platforms that serve the models of others, in the spelling of each model. The
// path names the model; all of the body matches.
var platformFamilies = []*Family{
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
			"x-amzn-sagemaker-inference-component", "x-amzn-sagemaker-session-id",
		},
		Transcript: generated,
	},
	{
		// https://developers.cloudflare.com/api/resources/ai/methods/run; a model's name has slashes.
		Name:     "cloudflare.run",
		Paths:    []string{"/ai/run/{model...}", "/workers-ai/{model...}"},
		Stream:   "stream",
		Rewrites: []Rewrite{messageNulls, toolIDs},
		Transcript: Transcript{
			Text:   []string{"response", "result/response", "result/text"},
			Calls:  calls{{"tool_calls/*", "name", "arguments"}, {"result/tool_calls/*", "name", "arguments"}},
			Pieces: pieces{{Grow: names{"response", "tool_calls"}}},
		},
	},
	{
		// https://replicate.com/docs/reference/http; "prefer" says whether to wait for the output.
		Name: "replicate.predictions",
		Paths: []string{
			"/models/{org}/{model}/predictions", "/{org=deployments}/{org}/{model}/predictions",
			"/models/{org}/{model}/versions/{version}/predictions",
		},
		Needs:       []string{"input"},
		Headers:     []string{"prefer"},
		Bookkeeping: []string{"webhook", "webhook_events_filter"},
		Transcript:  predicted,
		Acts:        []string{"webhook"},
	},
	{
		Name:        "replicate.predictions",
		Paths:       []string{"/v1/predictions"},
		Needs:       []string{"version"},
		NoModel:     true, // the version is one of a model
		Headers:     []string{"prefer"},
		Bookkeeping: []string{"webhook", "webhook_events_filter"},
		Transcript:  predicted,
		Acts:        []string{"webhook"},
	},
}

// predicted is what a model of Replicate's has put out, if somebody waited for it.
var predicted = Transcript{Text: []string{"output", "output/*"}}
