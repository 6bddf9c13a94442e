package tape

import "context"

// An outcome is how a recorded request ended.
type outcome int

const (
	answered outcome = iota // with a response, or a failure to get one
	canceled                // its caller canceled it before there was a response
	timedOut                // its deadline passed before there was a response
)

// outcomeOf returns the outcome of a request. contextError is the text of its
// context's error, which the cassette has if no response came; else "".
func outcomeOf(contextError string) outcome {
	switch contextError {
	case "":
		return answered
	case context.Canceled.Error():
		return canceled
	}
	return timedOut
}
