package mutation

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Of returns the mutations of the response of an interaction; the control is the first. It returns
// nil if nothing of the response can be changed: the API is unknown, or the request failed when it
// was recorded.
func Of(it *interaction.Interaction, o Options) []*Mutation {
	resp := &it.Response
	hasFailed := resp.Status >= 300 || resp.End == interaction.EndCanceled || resp.End == interaction.EndError
	if hasFailed || resp.Error != "" && it.Request.Function == "" {
		return nil
	}
	form := new(canon.Options).Form(&it.Request)
	for _, read := range readers {
		if list := read(it, form, o); list != nil {
			return list
		}
	}
	return nil
}

// A reader returns the mutations of interactions of one kind, or nil for others.
type reader func(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation

// readers are asked in this order.
var readers = []reader{ofSession, ofFunction, ofMCP, ofEmbedding, ofRanking, ofModel}

// ofModel returns the mutations of the answer of a model.
func ofModel(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	api := apis[form.Endpoint]
	if api == nil || it.Response.IsSession() {
		return nil
	}
	s := newSubject(it, form, api, o)
	if s == nil {
		return nil
	}
	for _, add := range table {
		add(s)
	}
	return s.list
}

// apis are the APIs whose answers are known, by the names of their families in package canon.
var apis = map[string]api{
	"openai.chat":          chat{},
	"openai.chat.retrieve": chat{},
	"writer.chat":          chat{},
	"mistral.fim":          chat{},
	"mistral.agents":       chat{},

	"openai.responses":          responses{},
	"openai.responses.compact":  responses{},
	"openai.responses.retrieve": responses{},

	"anthropic.messages": messages{},

	"bedrock.converse":          converse{},
	"bedrock.agentcore.harness": converse{},

	"cohere.chat":    cohere{},
	"cohere.chat_v1": cohereV1{},

	"ollama.chat":     ollama{},
	"ollama.generate": ollama{},

	"bedrock.invoke":        invoke,
	"openai.completions":    completions,
	"anthropic.complete":    complete,
	"tgi.generate":          textGeneration,
	"huggingface.inference": textGeneration,
	"vertex.rawPredict":     servers,
	"sagemaker.invoke":      servers,

	"gemini.generateContent":       gemini{},
	"gemini.interactions":          interactions{},
	"gemini.interactions.retrieve": interactions{},
}
