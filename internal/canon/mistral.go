package canon

// Mistral's API (https://docs.mistral.ai/api) where it is not OpenAI's, by itself
// and on Vertex AI, where the body tells the operations apart.
var mistralFamilies = []*Family{
	mistralCompletions(Family{
		Name:        "mistral.fim",
		Paths:       []string{"/fim/completions", "/publishers/mistralai/models/{model}:rawPredict"},
		StreamPaths: []string{"/publishers/mistralai/models/{model}:streamRawPredict"},
		Needs:       []string{"prompt"},
	}),
	mistralCompletions(Family{Name: "mistral.agents", Paths: []string{"/agents/completions"}, Needs: []string{"agent_id"}}),
	{
		Name:        "mistral.ocr",
		Paths:       []string{"/v1/ocr", "/publishers/mistralai/models/{model}:rawPredict"},
		Needs:       []string{"document"},
		Bookkeeping: []string{"id", "metadata"},
	},
	{
		Name:        "mistral.conversations.restart",
		Paths:       []string{"/v1/conversations/{conversation}/restart"},
		Needs:       []string{"inputs", "from_entry_id"},
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
	},
	{
		Name:        "mistral.conversations",
		Paths:       []string{"/v1/conversations"},
		Needs:       []string{"inputs"}, // OpenAI has conversations too, with "items"
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
	},
	{
		Name:        "mistral.conversations.append",
		Paths:       []string{"/v1/conversations/{conversation}"},
		Needs:       []string{"inputs"},
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
	},
	{
		Name:        "mistral.chat_moderations",
		Paths:       []string{"/chat/moderations"},
		Needs:       []string{"input"},
		Bookkeeping: []string{"metadata"},
	},
	{
		Name:        "mistral.classifications",
		Paths:       []string{"/classifications"},
		Needs:       []string{"input"},
		Bookkeeping: []string{"metadata"},
		Rewrites:    []Rewrite{asList("input")},
	},
}

func mistralCompletions(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = []string{"metadata", "store", "user", "prompt_cache_key"}
	f.Sampling = []string{
		"max_tokens", "min_tokens", "temperature", "top_p", "random_seed", "presence_penalty", "frequency_penalty",
	}
	f.Rewrites = []Rewrite{
		dropNulls("messages"), dropEmpty("tools", "stop"), asList("stop"), chatMessages, toolIDs, functionTools, toolChoice,
	}
	f.EndMarkers = []string{"[DONE]"}
	f.Transcript = chatTranscript
	return &f
}
