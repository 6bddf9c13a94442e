package mutation

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
)

// dialogues are the protocols of sessions with the server of a model, by the names of their
// families in package canon.
var dialogues = map[string]dialogue{
	"openai.responses": {responses{}, splitByTranscript},
	"openai.realtime":  {realtime{}, splitRealtime},
	"gemini.live":      {geminiLive{}, splitByTranscript},
	"bedrock.sonic":    {sonic{}, splitByTranscript},
}

// ofSession returns the mutations of a session. The messages keep their places, and none is added.
// Each answer of a model has its own mutations.
func ofSession(it *interaction.Interaction, form *canon.Form, o Options) []*Mutation {
	if !it.Response.IsSession() {
		return nil
	}
	o.Wrapped = nil // a call cannot be doubled without another message
	if g, ok := dialogues[form.Endpoint]; ok {
		return g.mutations(it, form, o)
	}
	if it.Request.IsForProcess() || it.Request.Function != "" {
		return ofProcess(it, form, o)
	}
	return nil
}
