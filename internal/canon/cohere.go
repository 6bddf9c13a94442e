package canon

// Cohere's API (https://docs.cohere.com/reference/about), versions 1 and 2.
var cohereFamilies = []*Family{
	{
		Name:       "cohere.chat",
		Paths:      []string{"/v2/chat"},
		Needs:      []string{"model messages"},
		Stream:     "stream",
		Sampling:   cohereSampling,
		Rewrites:   []Rewrite{messageNulls, dropEmpty("tools", "stop_sequences"), chatMessages, toolIDs},
		EndMarkers: []string{"[DONE]", "message-end"},
		Transcript: cohereTranscript,
		Whole:      cohereWhole,
	},
	{
		Name:       "cohere.chat_v1",
		Paths:      []string{"/v1/chat"},
		Needs:      []string{"message"},
		Stream:     "stream",
		Sampling:   cohereSampling,
		Rewrites:   []Rewrite{dropEmpty("tools", "stop_sequences")},
		EndMarkers: []string{"stream-end"},
		Transcript: Transcript{
			Text:   []string{"event_type=text-generation/text"},
			Calls:  []CallPaths{{At: "event_type=tool-calls-generation/tool_calls/*", Name: "name", Args: "parameters"}},
			Finish: []string{"event_type=stream-end/finish_reason"},
		},
		Whole: Transcript{
			Text:   []string{"text"},
			Calls:  []CallPaths{{At: "tool_calls/*", Name: "name", Args: "parameters"}},
			Finish: []string{"finish_reason"},
		},
	},
	{Name: "cohere.embed", Paths: []string{"/v2/embed"}, Needs: cohereEmbeds, TakesForms: true},
	{Name: "cohere.embed_v1", Paths: []string{"/v1/embed"}, Needs: cohereEmbeds},
	{Name: "cohere.rerank", Paths: []string{"/v2/rerank"}, Needs: []string{"model documents"}},
}

var cohereEmbeds = []string{"texts", "images", "inputs"}

var cohereTranscript = Transcript{
	Text:      []string{"type=content-delta/delta/message/content/text"},
	Reasoning: []string{"type=content-delta/delta/message/content/thinking", "type=tool-plan-delta/delta/message/tool_plan"},
	Calls: []CallPaths{{
		ID: "index", Name: "delta/message/tool_calls/function/name", Args: "delta/message/tool_calls/function/arguments",
	}},
	Finish: []string{"delta/finish_reason"},
}

var cohereWhole = Transcript{
	Text:      []string{"message/content/*/type=text/text"},
	Reasoning: []string{"message/content/*/type=thinking/thinking", "message/tool_plan"},
	Calls:     []CallPaths{{At: "message/tool_calls/*", Name: "function/name", Args: "function/arguments"}},
	Finish:    []string{"finish_reason"},
}

var cohereSampling = []string{"max_tokens", "temperature", "p", "k", "seed", "frequency_penalty", "presence_penalty"}
