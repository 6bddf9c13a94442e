// Package quota asks the command that runs the tests whether a request may be sent.
// promptecho record runs many test processes at once, and keeps all of them within one
// rate and one budget. Each recorder asks it before a request goes upstream, waits for its
// answer, and reports how the request ended.
//
// The command listens on a loopback address (package limits of the command). A connection
// is the permit of one request: if the process of a test is killed, or its client cancels
// the request, the connection ends, and with it the permit. These lines of JSON go over
// it, each side in its turn:
//
//	recorder  Ask   which request is to be sent
//	command   Reply it may be sent now, or it is refused
//	recorder  Head  the header of the response has arrived
//	recorder  End   the response is complete or has broken off
//
// The command closes the connection when it has counted the answer.
package quota

import (
	"os"
	"strconv"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Env is the environment variable with the address of the command and the token that it
// expects, as ADDRESS/TOKEN.
const Env = "PROMPTECHO_QUOTA"

// TryEnv is the environment variable that says which try of a test this is, from 1, if
// promptecho record -tries may run a test again that fails.
const TryEnv = "PROMPTECHO_TRY"

// Try returns the number in [TryEnv], or 0.
func Try() int {
	n, err := strconv.Atoi(os.Getenv(TryEnv))
	if err != nil {
		return 0
	}
	return n
}

// An Ask says which request is to be sent.
type Ask struct {
	Token    string `json:"token"`
	Recorder string `json:"recorder"` // the same for all requests of one recorder
	Call
}

// A Call is what counts of a request.
type Call struct {
	Host  string `json:"host"`
	Model string `json:"model"` // "" if it is unknown or there is none

	// AsksModel says that a model answers the request, so that the answer has tokens.
	AsksModel bool `json:"asks_model"`

	// Recorded is the usage of the recorded answer that the new one will replace; nil if
	// there is none.
	Recorded *interaction.Usage `json:"recorded,omitempty"`
}

// A Reply says that the request may be sent now, or why it is refused.
type Reply struct {
	Go     bool         `json:"go"`
	Code   finding.Code `json:"code,omitempty"`
	Reason string       `json:"reason,omitempty"` // a sentence
}

// A Head is the header of a response.
type Head struct {
	Status       int   `json:"status"`
	RetryAfterMS int64 `json:"retry_after_ms"` // how long the server wants clients to wait; 0 if it does not say
}

// An End says how a request ended.
type End struct {
	Model string             `json:"model"`           // the requested model
	Usage *interaction.Usage `json:"usage,omitempty"` // nil if the answer costs nothing

	Whole     bool `json:"whole"`     // the answer is a success, and is complete
	Estimated bool `json:"estimated"` // Usage is an estimate: the answer did not report it
	Exhausted bool `json:"exhausted"` // the server says that the account has no quota left
}
