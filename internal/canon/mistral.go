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
	mistralConversations("mistral.conversations.restart", "/v1/conversations/{conversation}/restart", "inputs", "from_entry_id"),
	mistralConversations("mistral.conversations", "/v1/conversations", "inputs"), // OpenAI's have "items"
	mistralConversations("mistral.conversations.append", "/v1/conversations/{conversation}", "inputs"),
	{
		Name:  "mistral.chat_moderations",
		Paths: []string{"/chat/moderations"}, Needs: []string{"input"}, Bookkeeping: []string{"metadata"},
	},
	{
		Name:  "mistral.classifications",
		Paths: []string{"/classifications"}, Needs: []string{"input"}, Bookkeeping: []string{"metadata"},
		Rewrites: []Rewrite{asList("input")},
	},
}

func mistralConversations(name, path string, needs ...string) *Family {
	return &Family{
		Name:  name,
		Paths: []string{path}, Needs: needs, Stream: "stream", Bookkeeping: []string{"metadata", "store"},
	}
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
