package canon

// mistralFamilies returns the endpoints of Mistral's API
// (https://docs.mistral.ai/api) that OpenAI does not have. On Vertex AI they
// have one path, and are told apart by the body.
func mistralFamilies() []*Family {
	return []*Family{
		mistralCompletions(Family{
			Name: "mistral.fim",
			Paths: []string{
				"/fim/completions", "/publishers/mistralai/models/{model}:rawPredict",
			},
			StreamPaths: []string{"/publishers/mistralai/models/{model}:streamRawPredict"},
			Needs:       []string{"prompt"},
		}),
		mistralCompletions(Family{
			Name:  "mistral.agents",
			Paths: []string{"/agents/completions"},
			Needs: []string{"agent_id"},
		}),
		{
			Name:        "mistral.ocr",
			Paths:       []string{"/v1/ocr", "/publishers/mistralai/models/{model}:rawPredict"},
			Needs:       []string{"document"},
			Bookkeeping: []string{"id", "metadata"},
			Transcript:  Transcript{Text: []string{"pages/*/markdown"}},
		},
		mistralConversations(Family{
			Name:  "mistral.conversations.restart",
			Paths: []string{"/v1/conversations/{conversation}/restart"},
			Needs: []string{"inputs", "from_entry_id"},
		}),
		// OpenAI has the same path, with "items".
		mistralConversations(Family{
			Name:  "mistral.conversations",
			Paths: []string{"/v1/conversations"},
			Needs: []string{"inputs"},
		}),
		mistralConversations(Family{
			Name:  "mistral.conversations.append",
			Paths: []string{"/v1/conversations/{conversation}"},
			Needs: []string{"inputs"},
			// the question and the answer are stored in the conversation
			SideEffects: []string{"*"},
		}),
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
}

// mistralConversations returns the family of an endpoint for conversations.
func mistralConversations(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = []string{"metadata", "store"}
	const entry = "outputs/{output_index}/"
	f.Transcript = Transcript{
		Text: []string{
			"outputs/*/type=message.output/content", "outputs/*/type=message.output/content/*",
			"outputs/*/type=message.output/content/*/type=text/text",
		},
		Reasoning: []string{
			"outputs/*/type=message.output/content/*/type=thinking/thinking/*/text",
		},
		Calls: calls{
			{"outputs/*/type=function.call|tool.execution", "name", "arguments"},
			{"outputs/*/type=agent.handoff", "type", "next_agent_name"},
			{"outputs/*/type!=message.output|function.call|tool.execution|agent.handoff", "type"},
			{
				"outputs/*/type=message.output/content/*/type!=text|thinking|tool_reference|" +
					"tool_file|image_url|document_url|reference",
				"type",
			},
		},
		Results: calls{
			{"outputs/*/type=tool.execution", "name", "info"},
			{
				"outputs/*/type=message.output/content/*/type=tool_reference|tool_file|image_url|" +
					"document_url|reference",
				"type",
			},
		},
		Pieces: pieces{
			{
				At:   "type=message.output.delta/content",
				To:   entry + "type=message.output/content/+",
				Grow: all,
			},
			{At: "type=function.call.delta", To: entry + "type=function.call", Grow: all},
			{
				At:   "type=tool.execution.started|tool.execution.delta",
				To:   entry + "type=tool.execution",
				Grow: all,
			},
			{At: "type=tool.execution.done/info", To: entry + "info"},
			{
				At:   "type=agent.handoff.started|agent.handoff.done",
				To:   entry + "type=agent.handoff",
				Grow: all,
			},
		},
	}
	return &f
}

// mistralCompletions returns the family of an endpoint for completions, which
// has the format of OpenAI's chat.
func mistralCompletions(f Family) *Family {
	f.Stream = "stream"
	f.Bookkeeping = []string{"metadata", "store", "user", "prompt_cache_key"}
	f.Sampling = []string{
		"max_tokens", "min_tokens", "temperature", "top_p", "random_seed", "presence_penalty",
		"frequency_penalty",
	}
	f.Rewrites = []Rewrite{
		messageNulls, dropEmpty("tools", "stop"), asList("stop"), chatMessages, toolCalls,
		functionTools, normalizeToolChoice,
	}
	f.Transcript = chatTranscript
	return &f
}
