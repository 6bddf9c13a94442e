package canon

// cohereFamilies returns the families of versions 1 and 2 of Cohere's API
// (https://docs.cohere.com/reference/about).
func cohereFamilies() []*Family {
	return []*Family{
		{
			Name:     "cohere.chat",
			Paths:    []string{"/v2/chat"},
			Needs:    []string{"model messages"},
			Stream:   "stream",
			Sampling: cohereSampling,
			Rewrites: []Rewrite{
				messageNulls, dropEmpty("tools", "stop_sequences"), chatMessages, toolCalls,
			},
			Defaults:   cohereChatDefaults,
			EndMarkers: []string{"message-end"},
			Transcript: cohereTranscript,
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
				Text: []string{"text"},
				Calls: calls{
					{"tool_calls/*", "name", "parameters"},
					{"search_queries/*", "=search", "text"},
				},
				Results: calls{{"", "=search", "documents"}},
				Finish:  []string{"finish_reason"},
				Pieces: pieces{
					{At: "event_type=text-generation/text", To: "text", Grow: all},
					{At: "event_type=tool-calls-generation/tool_calls", To: "tool_calls"},
					{
						At: "event_type=search-queries-generation/search_queries",
						To: "search_queries",
					},
					{At: "event_type=stream-end/finish_reason", To: "finish_reason"},
					{At: "event_type=stream-end/response"},
				},
			},
		},
		{
			Name:       "cohere.embed",
			Paths:      []string{"/v2/embed"},
			Needs:      cohereEmbeds,
			TakesForms: true,
			Defaults:   cohereEmbedDefaults,
		},
		{
			Name:     "cohere.embed_v1",
			Paths:    []string{"/v1/embed"},
			Needs:    cohereEmbeds,
			Defaults: cohereEmbedDefaults,
		},
		{Name: "cohere.rerank", Paths: []string{"/v2/rerank"}, Needs: []string{"model documents"}},
	}
}

var cohereEmbeds = []string{"texts", "images", "inputs"}

var cohereTranscript = Transcript{
	Text:      []string{"message/content/*/text"},
	Reasoning: []string{"message/content/*/thinking", "message/tool_plan"},
	Calls: calls{
		{"message/tool_calls/*/function", "name", "arguments"},
		{"message/tool_calls/*/function!=*", "type"},
		{"message/content/*/text!=*/thinking!=*", "type"},
	},
	Finish: []string{"finish_reason"},
	Pieces: pieces{
		{At: "delta/message/content", To: "message/content/{index}", Grow: all},
		{At: "delta/message/tool_calls", To: "message/tool_calls/{index}", Grow: all},
		{At: "delta/message/tool_plan", To: "message/tool_plan", Grow: all},
		{At: "delta/finish_reason", To: "finish_reason"},
	},
}

var cohereSampling = []string{
	"max_tokens", "temperature", "p", "k", "seed", "frequency_penalty", "presence_penalty",
}
