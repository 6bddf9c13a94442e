package promptecho

import (
	"github.com/promptecho/promptecho/internal/asked"
	"github.com/promptecho/promptecho/internal/group"
)

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

// Requests returns the requests that the program has sent to the recorder so far, in
// the order in which they arrived. They are the same in every record mode: a request
// is among them whether it was recorded, replayed, passed on, or had no recording.
// The requests of retries are among them, too.
//
// A request is as a cassette has it: secrets and volatile headers are left out, and
// a placeholder stands for a large upload. So a test may print it.
//
// These are not among them: calls of functions that [Wrap] made, requests to servers
// of [PassThrough], and the messages of a session, whose handshake is one request.
//
// The recorder keeps the bodies of up to 16 MB of requests that no recording has
// byte for byte. A further one has the body of the recording that answered it, or
// none. In mode live, the first 4 MB of a body are kept.
//
// Call Requests before [Recorder.Close]. A closed recorder, and a nil one, has none.
func (r *Recorder) Requests() []*Request {
	return group.Each(r.engine().Sent(), asked.New)
}
