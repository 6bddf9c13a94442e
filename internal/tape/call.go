package tape

import (
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Call is an incoming request.
type Call struct {
	// Request is redacted except for its body. Take redacts the body if it does not find
	// the recording without that.
	Request interaction.Request

	// Form is set by Take, unless the request is recorded byte for byte.
	Form *canon.Form

	// As is the form by which Take found the recording. It is not Form if the recording has
	// unknown headers; then it is that of the request with only those headers that the
	// recording lists.
	As *canon.Form

	// Outer is the recording of the function that makes the call, or nil if none is being
	// recorded.
	Outer *Recording

	// Lasts says that nobody cancels it.
	Lasts bool

	// Again says that an SDK sent the request again; see [interaction.Interaction].
	Again bool

	// Instead is the recording in the place of which the answer is recorded; nil if none.
	Instead *Recording

	// Late says that Take found the recording by what stands where that has a placeholder.
	Late bool

	contest *Contest // the contest that it began and in which it got nothing yet
}

// spelled returns the text of the form with all of the body.
func (c *Call) spelled() string { return redact.WithBody(c.Form.Text(), c.Request.Body) }
