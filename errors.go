package promptecho

import (
	"net/http"

	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// A MissError says that a request was not recorded, and why the nearest
// recording was not used. [Recorder.Misses] returns all of a recorder;
// [errors.As] finds the first one in the error of [Recorder.Close].
type MissError struct {
	// Code says what happened, such as "request-changed" or "asked-more-often"; docs/MISSES.md has
	// a section for each. A code never changes its meaning.
	Code string

	File string // the path of the cassette
	Line int    // where the nearest recording starts in it; 0 if there is none
	// Call is the name by which selectors select the request: "llm/anthropic.messages",
	// "http/api.example.com", "tool/search"; see [Live].
	Call    string
	Request string // method and path, if the server is not a known model API: "GET /v1/models"; else empty
	Model   string // empty if the request names none
	// Caller is the line of the user's code, and after " < " the line of the test that called it:
	// "agent.go:10 < agent_test.go:20". For another process, it is its User-Agent and the address
	// that it called. It is empty if nothing was found.
	Caller string
	Asked  string // the beginning of the last message or input, quoted; empty if there is none
	Count  int    // how often the request was asked, retries included
	Reason string // why no recording answers the request, in one line
	Change string // the first field that differs, both values cut to one line; may be empty
	Diff   string // the fields that differ from the nearest recording; several lines, may be empty
	Hint   string // the option, as code, that would make the request match; empty if there is none
	// Instead says what to do in place of Hint if the field can change the answer; it may be
	// empty.
	Instead string
}

// Error returns the report in several lines: the nearest recording, the request and its sender, and
// each different field with both values.
func (e *MissError) Error() string { return (*report.Miss)(e).Error() }

// MissOf returns why a recorder did not answer the request of a response. It
// returns nil if the response is that of a provider, if it came from a recorder of
// another process, or if its body was replaced. It is for transports and
// interceptors that turn a response into an error: [errors.As] then finds the miss.
func MissOf(resp *http.Response) *MissError { return (*MissError)(recorder.MissOf(resp)) }

// MissHeader is a header of the answer to a request that is not recorded. A
// program that must tell a miss from a provider's answer can look for it. A
// recorder looks for it in answers of another recorder, too. Its value has no
// meaning. The status of such an answer is 418, and its body is JSON as the
// providers' errors are.
const MissHeader = "X-Promptecho-Miss"
