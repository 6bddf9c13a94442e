package echofake

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho"
)

// A Condition decides whether a turn answers a request. It must not change the
// request, and must not send requests itself.
type Condition func(r *promptecho.Request) bool

// System holds for requests whose system text contains text.
func System(text string) Condition {
	return func(r *promptecho.Request) bool { return strings.Contains(r.System, text) }
}

// User holds for requests in which the last message of the user contains text.
func User(text string) Condition {
	return func(r *promptecho.Request) bool {
		for _, m := range slices.Backward(r.Messages) {
			if m.Role == "user" {
				return strings.Contains(m.Text, text)
			}
		}
		return false
	}
}

// Offers holds for requests in which the model may call a tool of this name.
func Offers(tool string) Condition {
	return func(r *promptecho.Request) bool { return r.Offers(tool) }
}

// Model holds for requests to a model of this name.
func Model(name string) Condition {
	return func(r *promptecho.Request) bool { return r.Model == name }
}

// Streamed holds for requests that ask for a stream.
func Streamed(r *promptecho.Request) bool { return r.Stream }

// Not holds where cond does not.
func Not(cond Condition) Condition {
	return func(r *promptecho.Request) bool { return !cond(r) }
}
