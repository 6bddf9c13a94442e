package fakeprovider

import (
	"net/http"
	"strings"
)

// vertexClaude is the vendor of Anthropic's models on Vertex AI: errors are those of
// Anthropic, headers and credentials those of Google.
var vertexClaude = &vendor{
	key:     google.key,
	badJSON: anthropic.badJSON,
	headers: google.headers,
	refuse:  refuseAnthropic,
}

// vertexMessages is Anthropic Messages on Vertex AI, plain and streamed: Messages
// whose model is in the path
// (https://platform.claude.com/docs/en/build-with-claude/claude-on-vertex-ai).
var vertexMessages = family{
	name:   "vertex.messages",
	vendor: vertexClaude,
	owns: func(path string) bool {
		predicts := suffix(":rawPredict", ":streamRawPredict")
		return predicts(path) && strings.Contains(path, "/publishers/anthropic/models/")
	},
	plans: unlessForced,
	read:  readVertexMessages,
	write: writeVertexMessages,
}

// vertexModel is the model that a path names.
func vertexModel(c *call) string {
	model, _, _ := strings.Cut(lastPart(c.path), ":")
	return model
}

func readVertexMessages(c *call) (prompt, *Problem) {
	if model := vertexModel(c); model == noModel {
		return prompt{}, &Problem{
			Status:  http.StatusNotFound,
			Kind:    "not_found_error",
			Message: "model: " + model,
		}
	}
	return readMessagesOf(c, "anthropic_version", "max_tokens", "messages")
}

func writeVertexMessages(c *call, _ prompt, replies []Reply) *answer {
	m := newMessagesAnswer(c, vertexModel(c), "msg_vrtx_standin", replies[0])
	if strings.HasSuffix(c.path, ":streamRawPredict") {
		return &answer{events: m.sse()}
	}
	return &answer{body: encode(m.message())}
}
