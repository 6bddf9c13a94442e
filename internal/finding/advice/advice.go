// Package advice has what reports advise that only a test in Go can do. A suite in
// another language gets other words for each (package worded).
package advice

import "strings"

// The values of a recording that a test can take.
const (
	Now  = "rec.Now()"
	Rand = "rec.Rand(NAME)"
)

// TakeValue advises to take a value from a recorder. sources are those of [Now] and
// [Rand] that may have it.
func TakeValue(sources ...string) string {
	return "take the value from " + strings.Join(sources, " and ") + ", to get the recorded one in replay"
}

const (
	// SetVariable is for a variable of the environment that seems to be unset.
	SetVariable = "Set it, or read it with rec.Env(NAME) and record again: then a replay has the recorded value"

	// NameSecret is for a text that may be a secret.
	NameSecret = "call rec.Secret(NAME), with the name of its environment variable, before the first request"

	// NameSecretOf is the same as a sentence of its own.
	NameSecretOf = "Call rec.Secret(NAME), with the name of the secret's environment variable, before the first request"

	// UseBubble is for a program that sleeps.
	UseBubble = "run the test in a testing/synctest bubble, or let the test set how long it sleeps"

	// CompleteTest is for a cassette that is partial.
	CompleteTest = "run the whole test until it passes; then commit the cassette"

	// RedactIt is for a secret that is not replaced by itself.
	RedactIt = "have promptecho.Redact replace it"

	// DropOld is for a run that kept old recordings.
	DropOld = "to keep nothing old, delete the file before recording"
)
