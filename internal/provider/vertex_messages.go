package provider

import (
	"net/http"
	"strings"
)

// vertexMessages is Anthropic Messages on Vertex AI, where the path names the
// model and whether to stream.
var vertexMessages = family{
	name:   "vertex.messages",
	vendor: anthropic,
	owns: func(path string) bool {
		return strings.Contains(path, "/publishers/anthropic/models/") && suffix(":rawPredict", ":streamRawPredict")(path)
	},
	answer: answerVertexMessages,
}

func answerVertexMessages(c *call) (*answer, *problem) {
	model, _, _ := strings.Cut(lastPart(c.path), ":")
	if model == "count-tokens" {
		return answerMessagesCount(c)
	}
	if model == noModel {
		return nil, &problem{status: http.StatusNotFound, kind: "not_found_error", message: "model: " + model}
	}
	for _, name := range []string{"anthropic_version", "max_tokens"} {
		if c.body.get(name) == nil {
			p := invalidMessages(name + ": Field required")
			return nil, &p
		}
	}
	if len(c.body.list("messages")) == 0 {
		p := invalidMessages("messages: at least one message is required")
		return nil, &p
	}
	m := &messagesAnswer{c: c, model: model, id: "msg_vrtx_standin"}
	m.blocks, m.reply = messagesBlocks(c, messagesPrompt(c.body))
	if strings.HasSuffix(c.path, ":streamRawPredict") {
		return &answer{events: m.sse()}, nil
	}
	return &answer{body: encode(m.message(m.reply.out))}, nil
}

// messagesCount is Anthropic's count of the tokens of a Messages request.
var messagesCount = family{
	name:   "anthropic.count_tokens",
	vendor: anthropic,
	owns:   suffix("/v1/messages/count_tokens"),
	answer: answerMessagesCount,
}

func answerMessagesCount(c *call) (*answer, *problem) {
	model := c.body.text("model")
	if model == noModel {
		return nil, &problem{status: http.StatusNotFound, kind: "not_found_error", message: "model: " + model}
	}
	if model == "" || len(c.body.list("messages")) == 0 {
		p := invalidMessages("model and messages: Field required")
		return nil, &p
	}
	return &answer{body: encode(object{{"input_tokens", messagesPrompt(c.body).size()}})}, nil
}
