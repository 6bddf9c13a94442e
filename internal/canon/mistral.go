package canon

// Mistral's API (https://docs.mistral.ai/api) where it is not OpenAI's.
var mistralFamilies = []*Family{
	mistralCompletions("mistral.fim", "/fim/completions"),
	mistralCompletions("mistral.agents", "/agents/completions"),
	{
		Name:        "mistral.ocr",
		Paths:       []string{"/v1/ocr"},
		Bookkeeping: []string{"id", "metadata"},
		Rules:       []Rule{dropNulls()},
	},
	{
		Name:        "mistral.conversations.restart",
		Paths:       []string{"/v1/conversations/{conversation}/restart"},
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
		Rules:       []Rule{dropNulls()},
	},
	{
		Name:        "mistral.conversations",
		Paths:       []string{"/v1/conversations"},
		Has:         "inputs", // OpenAI has conversations too, with "items"
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
		Rules:       []Rule{dropNulls()},
	},
	{
		Name:        "mistral.conversations.append",
		Paths:       []string{"/v1/conversations/{conversation}"},
		Has:         "inputs",
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store"},
		Rules:       []Rule{dropNulls()},
	},
	{
		Name:        "mistral.chat_moderations",
		Paths:       []string{"/chat/moderations"},
		Bookkeeping: []string{"metadata"},
		Rules:       []Rule{dropNulls()},
	},
	{
		Name:        "mistral.classifications",
		Paths:       []string{"/classifications"},
		Bookkeeping: []string{"metadata"},
		Rules:       []Rule{dropNulls(), listed("input")},
	},
}

func mistralCompletions(name, path string) *Family {
	return &Family{
		Name:        name,
		Paths:       []string{path},
		Stream:      "stream",
		Bookkeeping: []string{"metadata", "store", "user", "prompt_cache_key"},
		Sampling: []string{
			"max_tokens", "min_tokens", "temperature", "top_p", "random_seed", "presence_penalty", "frequency_penalty",
		},
		Rules: []Rule{dropNulls("messages"), dropEmpty("tools", "stop"), listed("stop"), chatMessages, functionTools, toolChoice},
		Ends:  []string{"[DONE]"},
		Delta: chatDelta,
	}
}
