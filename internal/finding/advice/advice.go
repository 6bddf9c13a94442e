// Package advice has the words of reports that depend on how a suite is written. A
// test in Go sets options in code, a suite in another language gives them to
// promptecho serve. A report takes all such words from a [Words], so that no text
// has to be translated.
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
	Args []string `json:"args,omitempty"` // texts without quotes, numbers, and the names of constants
}

// New returns an option.
func New(name Name, args ...string) Option { return Option{Name: name, Args: args} }

// A Value is one that a recording keeps, so that a replay can give it again.
type Value int

// The values.
const (
	Time Value = iota
	Random
)

// Words are what a suite calls the things that reports advise.
type Words struct {
	// Code returns options as they are pasted into the test or the command.
	Code func(options ...Option) string

	// Line returns an option as it is pasted in a line of its own.
	Line func(o Option) string

	// Call names an option with its arguments in a sentence.
	Call func(o Option) string

	// Name names an option without its arguments.
	Name func(name Name) string

	// AliasOf returns, as Line does, the Alias for a server of the test, whose port is another
	// one in each run.
	AliasOf func(address, name string) string

	// TakeValue advises to take values from the recording.
	TakeValue func(values ...Value) string

	NameRequest  string // what gives a request a name: "promptecho.WithName"
	ReplayTime   string // for a request with a date, a sentence
	ReplayUser   string // for a request with the name of the user, a sentence
	SetVariable  string // for a variable that seems to be unset, a sentence
	NameSecret   string // for a text that may be a secret
	UseBubble    string // for a program that sleeps
	CompleteTest string // for a cassette that is partial
	RedactIt     string // for a secret that is not replaced by itself
	DropOld      string // for a run that kept old recordings
}

// InGo are the words for a test in Go.
var InGo = &Words{
	Code:         codeInGo,
	Line:         func(o Option) string { return codeInGo(o) + "," },
	Call:         callInGo,
	Name:         func(name Name) string { return string(name) },
	AliasOf:      aliasInGo,
	TakeValue:    takeValueInGo,
	NameRequest:  "promptecho.WithName",
	ReplayTime:   "Take it from rec.Now(), which a replay gives again",
	ReplayUser:   `Read it with rec.Env("USER"), which a replay gives again`,
	SetVariable:  "Set it, or read it with rec.Env(NAME) and record again: then a replay has the recorded value",
	NameSecret:   "call rec.Secret(NAME), with the name of its environment variable, before the first request",
	UseBubble:    "run the test in a testing/synctest bubble, or let the test set how long it sleeps",
	CompleteTest: "run the whole test until it passes; then commit the cassette",
	RedactIt:     "have promptecho.Redact replace it",
	DropOld:      "to keep nothing old, delete the file before recording",
}

// codeInGo returns calls with the name of the package, in a list.
func codeInGo(options ...Option) string {
	var calls []string
	for _, o := range options {
		calls = append(calls, "promptecho."+callInGo(o))
	}
	return strings.Join(calls, ", ")
}

// callInGo returns a call: Ignore("metadata/user").
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

// takeValueInGo advises to call the recorder for values.
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
	return "take the value from " + strings.Join(calls, " and ") + ", to get the recorded one in replay"
}

// aliasInGo returns the line for the list of options, where server stands for the
// variable of the test.
func aliasInGo(address, name string) string {
	return "promptecho.Alias(server.URL, " + strconv.Quote(name) + "), // server: the *httptest.Server at " + address
}
