package promptecho

import "github.com/promptecho/promptecho/internal/asked"

// A Request is a request that a program sent to a model API, as a test looks at it, with the
// same fields for every API. Package echofake has requests of this type, too.
type Request = asked.Request

// The parts of a [Request].
type (
	// A Message is a message of a conversation.
	Message = asked.Message

	// A ToolCall is a call that the model made in an earlier response.
	ToolCall = asked.ToolCall

	// A ToolResult is what the program says that a tool returned.
	ToolResult = asked.ToolResult

	// Media is a picture, a sound or a file.
	Media = asked.Media

	// A Tool is a tool that the model may call.
	Tool = asked.Tool
)
