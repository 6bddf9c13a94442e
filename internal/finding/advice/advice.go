// Package advice has the phrases of reports that depend on the language of a suite. A
// test in Go sets options in code; a suite in another language passes them to
// promptecho serve. A report takes all such phrases from a [Words].
package advice

import (
	"strconv"
	"strings"
)

// A Name is the name of an option in Go.
type Name string

// The options of a recorder.
const (
	InMode        Name = "InMode"
	Upstream      Name = "Upstream"
	Match         Name = "Match"
	MatchOnly     Name = "MatchOnly"
	MatchSampling Name = "MatchSampling"
	Ignore        Name = "Ignore"
	Mask          Name = "Mask"
	MaskTimes     Name = "MaskTimes"
	MaskUUIDs     Name = "MaskUUIDs"
	MaskTempDirs  Name = "MaskTempDirs"
	Alias         Name = "Alias"
	Unordered     Name = "Unordered"
	KeepHeaders   Name = "KeepHeaders"
	KeepUploads   Name = "KeepUploads"
	Redact        Name = "Redact"
	RedactFields  Name = "RedactFields"
	Pace          Name = "Pace"
	AllowUnused   Name = "AllowUnused"
	AllowRaced    Name = "AllowRaced"
	AllowRepeats  Name = "AllowRepeats"
	Log           Name = "Log"
	Live          Name = "Live"
	Frozen        Name = "Frozen"
	PassThrough   Name = "PassThrough"
	OnRecordError Name = "OnRecordError"
)

// An Option is an option of a recorder with its arguments, as reports advise it.
type Option struct {
	Name Name     `json:"name"`
	Args []string `json:"args,omitempty"` // unquoted strings, numbers, and names of constants
}

// New returns an option.
func New(name Name, args ...string) Option { return Option{Name: name, Args: args} }

// A Value is a kind of value that a cassette stores, so that a replay uses the same one.
type Value int

// The kinds of values.
const (
	Time Value = iota
	Random
)

// Words are the phrases of reports for the suites of one language.
type Words struct {
	// Code returns options as they are pasted into the test or the command.
	Code func(options ...Option) string

	// Line returns an option as it is pasted in a line of its own.
	Line func(o Option) string

	// Call names an option with its arguments in a sentence.
	Call func(o Option) string

	// Name names an option without its arguments.
	Name func(name Name) string

	// AliasOf returns, as Line does, the option Alias for a server of the test, whose port
	// differs in each run.
	AliasOf func(address, name string) string

	// TakeValue advises to take values from the recording.
	TakeValue func(values ...Value) string

	NameRequest  string // the function that names a request: "promptecho.WithName"
	ReplayTime   string // a sentence, for a request with a date
	ReplayUser   string // a sentence, for a request with the name of the user
	SetVariable  string // a sentence, for a variable that seems to be unset
	NameSecret   string // for a text that may be a secret
	UseBubble    string // for a program that sleeps
	CompleteTest string // for a cassette that is partial
	RedactIt     string // for a secret that is not found automatically
	DropOld      string // for a run that kept old recordings
}

// InGo are the words for a test in Go.
var InGo = &Words{
	Code:        codeInGo,
	Line:        func(o Option) string { return codeInGo(o) + "," },
	Call:        callInGo,
	Name:        func(name Name) string { return string(name) },
	AliasOf:     aliasInGo,
	TakeValue:   takeValueInGo,
	NameRequest: "promptecho.WithName",
	ReplayTime:  "Take it from rec.Now(), which a replay gives again",
	ReplayUser:  `Read it with rec.Env("USER"), which a replay gives again`,
	SetVariable: "Set it, or read it with rec.Env(NAME) and record again: " +
		"then a replay has the recorded value",
	NameSecret: "call rec.Secret(NAME), with the name of its environment variable, " +
		"before the first request",
	UseBubble:    "run the test in a testing/synctest bubble, or let the test set how long it sleeps",
	CompleteTest: "run the whole test until it passes; then commit the cassette",
	RedactIt:     "have promptecho.Redact replace it",
	DropOld:      "to keep nothing old, delete the file before recording",
}

// codeInGo returns options as calls with the name of the package, separated by commas.
func codeInGo(options ...Option) string {
	var calls []string
	for _, o := range options {
		calls = append(calls, "promptecho."+callInGo(o))
	}
	return strings.Join(calls, ", ")
}

// callInGo returns an option as a call without the name of the package, such as
// Ignore("metadata/user").
func callInGo(o Option) string {
	var args []string
	for i, arg := range o.Args {
		switch {
		case o.Name == Pace || o.Name == OnRecordError:
			args = append(args, arg) // a number, or a constant
		case o.Name == Mask && len(o.Args) == 2 && i == 0 && strconv.CanBackquote(arg):
			args = append(args, "`"+arg+"`") // an expression has backslashes
		default:
			args = append(args, strconv.Quote(arg))
		}
	}
	return string(o.Name) + "(" + strings.Join(args, ", ") + ")"
}

// takeValueInGo advises to get values from methods of the recorder.
func takeValueInGo(values ...Value) string {
	var calls []string
	for _, v := range values {
		switch v {
		case Time:
			calls = append(calls, "rec.Now()")
		case Random:
			calls = append(calls, "rec.Rand(NAME)")
		}
	}
	return "take the value from " + strings.Join(calls, " and ") +
		", to get the recorded one in replay"
}

// aliasInGo returns the option Alias for a server of the test as a line of code. The
// variable of the server is named server.
func aliasInGo(address, name string) string {
	return "promptecho.Alias(server.URL, " + strconv.Quote(name) + "), " +
		"// server: the *httptest.Server at " + address
}
