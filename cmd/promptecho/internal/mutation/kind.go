package mutation

import "github.com/promptecho/promptecho/internal/interaction"

// A Kind says what is changed. The values are words of the command's output.
type Kind string

// The kinds of mutations.
const (
	Control Kind = "control" // the same answer, written again: a test must pass with it

	OtherText Kind = "other text"
	NoText    Kind = "no text"

	FieldValue   Kind = "another value" // of a field of structured output
	FieldMissing Kind = "field missing"
	FieldType    Kind = "another type"

	NoCall          Kind = "no call"
	Argument        Kind = "another argument"
	ArgumentMissing Kind = "argument missing"
	UnknownTool     Kind = "unknown tool"
	CalledTwice     Kind = "called twice"

	CutOff   Kind = "cut off" // at the limit of tokens
	Filtered Kind = "filtered"
	Refused  Kind = "refused"

	Limited Kind = "status 429"
	Failed  Kind = "status 500"

	StreamEnds   Kind = "stream ends early" // without an error
	StreamBreaks Kind = "stream breaks"
	StreamError  Kind = "error event"

	OtherVector Kind = "another vector"
	ToolError   Kind = "tool error" // the result of a tool is an error
)

// IsFailure reports whether a mutation is a failure of the provider or of the connection. A test
// that looks at the error of a call notices each of them, so they say little of its assertions.
func (k Kind) IsFailure() bool {
	switch k {
	case Limited, Failed, StreamEnds, StreamBreaks, StreamError, ToolError:
		return true
	}
	return false
}

// IsContent reports whether a mutation changes what was said: a test that notices none of them
// does not look at the answer.
func (k Kind) IsContent() bool {
	switch k {
	case OtherText, FieldValue, NoCall, Argument, OtherVector:
		return true
	}
	return false
}

// A Mutation is one change of a recorded answer.
type Mutation struct {
	Kind   Kind
	What   string // the change in a few words: `name: "Ada" -> "another"`
	Notice string // what a test can do to notice it: "compare field name"

	// Answer is the number of the answer in a session with several, from 1; else 0.
	Answer int

	// Response returns the changed response. Each call makes it again.
	Response func() *interaction.Response
}

// IsRepeated reports whether each request gets the mutation that is sent again, as a program does
// when a call has failed.
func (m *Mutation) IsRepeated() bool { return m.Kind.IsFailure() && m.Kind != ToolError }

// Options say what may be changed.
type Options struct {
	// Wrapped reports whether calls of a tool are recorded by promptecho.Wrap, so that a replay
	// does not run the tool. Only such a call is doubled.
	Wrapped func(tool string) bool
}
