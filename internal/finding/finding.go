// Package finding describes the findings of a run or a command as data: what happened, where,
// and whether it fails the run. Packages that report a finding write its sentences. Other
// programs may rely on the codes; docs/MISSES.md has a section for each.
package finding

import (
	"errors"
	"fmt"
)

// A Code says what happened. A code never changes its meaning; new codes may be added.
type Code string

// Reasons why a request has no recording. Each of these codes fails the run.
const (
	RequestChanged   Code = "request-changed"    // it differs from the nearest recording in fields that count
	OrderDiffers     Code = "order-differs"      // it differs from a recording only in the order of a list
	ModelChanged     Code = "model-changed"      // the nearest recording is of another model
	EndpointChanged  Code = "endpoint-changed"   // the nearest recording is of another endpoint or function
	FramingChanged   Code = "framing-changed"    // it is streamed and the recording is not, or the framings differ
	AskedMoreOften   Code = "asked-more-often"   // every recording of it is already used
	RecordingTaken   Code = "recording-taken"    // an earlier, different request used its recording
	NotRecorded      Code = "not-recorded"       // no recording is similar
	CassetteAbsent   Code = "cassette-absent"    // the cassette does not exist, and the mode does not record
	CassetteEmpty    Code = "cassette-empty"     // the cassette has no interactions
	CassetteLeftOver Code = "cassette-left-over" // only a cassette that no test opens has a recording of it
	RequestBroken    Code = "request-broken"     // its body is not one that the API accepts
	FollowsMiss      Code = "follows-miss"       // it contains the error of an earlier miss
	SessionLonger    Code = "session-longer"     // it is a message of a session that has none left
	SessionWaits     Code = "session-waits"      // a client waits for a message that cannot come
	Telemetry        Code = "telemetry"          // an exporter sends it, with new content in each run
)

// Other findings that fail a run.
const (
	RecordingUnused     Code = "recording-unused"      // recordings were not used
	SessionUnreadable   Code = "session-unreadable"    // a side of a session sends what is no message
	SessionUnfinished   Code = "session-unfinished"    // the client of a session did not send all of its messages
	NoRequest           Code = "no-request"            // no request reached the recorder
	ValueLacking        Code = "value-lacking"         // the cassette lacks a time, seed or variable of the test
	RecordingConflict   Code = "recording-conflict"    // a recording answered another request than its own
	ServersAmbiguous    Code = "servers-ambiguous"     // two local servers answered the same request differently
	FieldAmbiguous      Code = "field-ambiguous"       // the answer depends on a field that is not recorded
	BodyUnfinished      Code = "body-unfinished"       // the body of a request is still being sent
	NotCanceled         Code = "not-canceled"          // a request was canceled in the recording run, and is not now
	NoRoom              Code = "no-room"               // the temporary storage for the body of a request is full
	KeyMissing          Code = "key-missing"           // sending a request needs an API key
	PlaceholderSent     Code = "placeholder-sent"      // a request that is to be sent has the placeholder of a secret
	Unsendable          Code = "unsendable"            // a request of another process cannot be sent upstream
	ProtocolSwitched    Code = "protocol-switched"     // a connection switched to another protocol
	NameInvalid         Code = "name-invalid"          // a name is not valid for an environment variable
	VariableSecret      Code = "variable-secret"       // a variable that looks like a credential is not written
	FunctionRefused     Code = "function-refused"      // a function's values cannot be recorded
	FailureRefused      Code = "failure-refused"       // a failure was recorded, which OnRecordError(Fail) forbids
	SuccessKept         Code = "success-kept"          // a failure would have replaced a recorded success
	AccessLost          Code = "access-lost"           // a server refused a key that it accepted before
	AccessRefused       Code = "access-refused"        // a server refused a key
	RecordingsOutdated  Code = "recordings-outdated"   // a server does not know an ID that recordings refer to
	NoAnswer            Code = "no-answer"             // a request that was to be recorded got no answer
	TooLate             Code = "too-late"              // a request came after the recorder was closed
	NotSaved            Code = "not-saved"             // the cassette could not be written
	LeftoverNotRemoved  Code = "leftover-not-removed"  // after saving, a journal or an older file could not be removed
	NotSent             Code = "not-sent"              // a request was not sent, because its answer could not be saved
	OutcomeNotWritten   Code = "outcome-not-written"   // the command that runs the tests does not get the outcome
	CassetteUnreadable  Code = "cassette-unreadable"   // the cassette, or a part of it, cannot be read
	AnswerDrifted       Code = "answer-drifted"        // the provider does not answer as recorded (mode compare)
	NothingComparable   Code = "nothing-comparable"    // no live answer could be compared (mode compare)
	BudgetUsed          Code = "budget-used"           // the budget of the run does not allow another request
	QuotaExhausted      Code = "quota-exhausted"       // the provider has said that the account has no quota left
	PriceUnknown        Code = "price-unknown"         // the costs are limited, and the price of a model is unknown
	QuotaLost           Code = "quota-lost"            // promptecho record does not say whether a request may be sent
	OptionWithoutEffect Code = "option-without-effect" // an option, flag or variable had no effect
	RunFailed           Code = "run-failed"            // any other error
)

// Findings that do not fail a run.
const (
	SecretInFile       Code = "secret-in-file"         // a value in the cassette looks like a secret
	SecretLearned      Code = "secret-learned"         // a text of the request is a placeholder in its recording
	SecretKnownLate    Code = "secret-known-late"      // a secret in a recorded request was only known later
	VariableDiffers    Code = "variable-differs"       // a variable does not have its recorded value
	ConflictHealed     Code = "merge-conflict"         // the cassette has a merge conflict, which this run resolves
	ModeLowered        Code = "mode-lowered"           // the cassette allows less than the record mode does
	Edited             Code = "recording-edited"       // the cassette was edited since it was recorded
	CutOff             Code = "cassette-cut"           // the cassette is truncated, and is recorded again
	JournalRemoved     Code = "journal-removed"        // everything in a journal was already saved
	Resumed            Code = "recording-resumed"      // the run continued with what a killed run had recorded
	CanceledSkipped    Code = "canceled-skipped"       // a canceled recording was left out
	RetrySkipped       Code = "retry-skipped"          // a recorded failure was left out, because the SDK would wait
	FieldIgnored       Code = "ignored-field-changed"  // a field that matching ignores has changed
	ValueVolatile      Code = "value-volatile"         // a recorded request has a value that differs by day or machine
	FailureSaved       Code = "failure-saved"          // a failure was recorded
	FailureInFailedRun Code = "failure-not-saved"      // a failure was not recorded, because the run failed
	FailureReplayed    Code = "failure-replayed"       // a recorded failure was replayed
	NothingRecorded    Code = "nothing-recorded"       // the run recorded nothing, so the cassette is left as it is
	OldKept            Code = "old-recordings-kept"    // recordings that the run did not record again are kept
	SetAside           Code = "recordings-set-aside"   // the recordings of a failed run are in another file
	Dropped            Code = "recordings-dropped"     // unused recordings were removed
	Saved              Code = "saved"                  // a file was written
	AcceptedPlayed     Code = "accepted-played"        // the request of a played recording was changed by accept
	AnswerDelayed      Code = "answer-delayed"         // replay delayed an answer to keep the recorded order
	FilesNotRecorded   Code = "files-not-recorded"     // a recorded program wrote files, which are not in the cassette
	OrderAmbiguous     Code = "order-ambiguous"        // calls are recorded in both orders
	HeadersWithheld    Code = "headers-withheld"       // response headers were not recorded
	PassedThrough      Code = "passed-through"         // requests passed through
	AnswerCut          Code = "answer-cut"             // the client closed the body early when this was recorded
	ProgramWaits       Code = "program-waits"          // the program waits by its own clock
	Compared           Code = "answers-compared"       // how live answers compare with recorded ones
	NotPassedOn        Code = "misses-not-handed-over" // promptecho accept does not get the misses of the run
)

// Details of a changed request or an unused recording. They are part of its report.
const (
	WordsReordered   Code = "words-reordered"   // a text has the same words in another order
	ParallelOrder    Code = "parallel-order"    // the request depends on the order of calls that ran in parallel
	RecordedParallel Code = "recorded-parallel" // the recording overlapped another request
)

// Failures of a test whose requests all have recordings. promptecho prove reads them
// from the output of the test.
const (
	DataRace      Code = "data-race"      // the race detector found a race
	ProgramPanics Code = "program-panics" // the test, or the program, panicked
	TestFails     Code = "test-fails"     // anything else
)

// Findings of commands about files.
const (
	RecordingPartial   Code = "recording-partial"    // the recording run failed, or ran only a part of its test
	JournalLeft        Code = "journal-left"         // the recordings of a killed run are in NAME.yaml.partial
	FailedLeft         Code = "failed-left"          // the recordings of a failed run are in NAME.yaml.failed
	DerivedLeft        Code = "derived-left"         // a fork or a run with live parts left NAME.derived.yaml
	NamesDifferInCase  Code = "names-differ-in-case" // macOS and Windows can check out only one of two files
	ChecksumsOutdated  Code = "checksums-outdated"   // the seals, or comments above streams, do not fit the content
	RequestAccepted    Code = "request-accepted"     // promptecho accept stored a request newer than its answer
	RecordedFromFake   Code = "recorded-from-fake"   // a fake has given the recorded answer, not a provider
	RecordingOld       Code = "recording-old"        // the recording is older than promptecho verify -max-age allows
	AgeUnknown         Code = "age-unknown"          // the day on which an answer was recorded is unknown
	ModelRetires       Code = "model-retires"        // the provider of a recorded model retires it, or has
	TestGone           Code = "test-gone"            // no test has the name of the file
	TestHasSubtests    Code = "test-has-subtests"    // the test of the cassette opens recorders in its subtests only
	TestHasNoSubtests  Code = "test-has-no-subtests" // the cassette is of a subtest, and its test has no subtests
	RecordingLeftOver  Code = "recording-left-over"  // requests to a server pass through, but recordings of it remain
	SnapshotUnreadable Code = "snapshot-unreadable"  // a file with snapshots cannot be read
	SnapshotNew        Code = "snapshot-new"         // a run left a new snapshot for review
	SnapshotDiffers    Code = "snapshot-differs"     // a run left a changed snapshot for review
	SnapshotStale      Code = "snapshot-stale"       // the snapshot has changed since it was compared
	RecordingAdded     Code = "recording-added"      // only the new cassette has the recording
	RecordingRemoved   Code = "recording-removed"    // only the old cassette has the recording
	RecordingChanged   Code = "recording-changed"    // the recording has another request, answer or usage
	NoRecorder         Code = "no-recorder"          // a request leaves the process without passing a recorder
	HookUnfit          Code = "hook-unfit"           // observe cannot see all requests with this version of Go
	AnswerCanceled     Code = "answer-canceled"      // the client canceled the request when it was recorded
	AnswerBroken       Code = "answer-broken"        // the connection broke while the answer was recorded
	PackageFailed      Code = "package-failed"       // a package does not build, or fails other than by a test
	FileIgnored        Code = "file-ignored"         // git ignores a file that tests need
	FileNotAdded       Code = "file-not-added"       // git does not know a file that tests need
	LineEndsChanged    Code = "line-ends-changed"    // git or an editor has changed the line ends of a cassette
	PathTooLong        Code = "path-too-long"        // Windows cannot open the path in every folder
	VersionOlder       Code = "version-older"        // the command is older than the library
)

// Reasons why promptecho import does not write a cassette, or leaves something out.
const (
	FormatUnknown  Code = "format-unknown"  // the file is a recording of a tool that import does not read
	PathTaken      Code = "path-taken"      // two cassettes would be written to one path
	FileExists     Code = "file-exists"     // a file with the name of the new cassette exists
	AnswerMissing  Code = "answer-missing"  // the file has no answer to a request
	RequestMissing Code = "request-missing" // the file does not have the request of an answer
	NotWrappable   Code = "not-wrappable"   // the name of a call is not valid for a wrapped function
)

// Reasons why promptecho accept leaves a recording as it is.
const (
	EditAmbiguous    Code = "edit-ambiguous"    // the recording or the request that belongs to the edit is ambiguous
	EditTooLarge     Code = "edit-too-large"    // the most similar recording is too different
	QuestionChanged  Code = "question-changed"  // the messages, the input or the argument differ
	AnswerFailed     Code = "answer-failed"     // the recorded answer is a failure
	AnswerHasID      Code = "answer-has-id"     // the recorded answer repeats the ID of the old request
	SessionEdited    Code = "session-edited"    // it is of a session, whose later messages depend on it
	ToolGone         Code = "tool-gone"         // the recorded answer calls a tool that the request does not offer
	EditDeclined     Code = "edit-declined"     // the user said no
	WritingForbidden Code = "writing-forbidden" // a mode in the code forbids writing the cassette
)

// Findings of promptecho serve about a suite.
const (
	RequestStopped   Code = "request-stopped"   // a request would have bypassed the cassette
	TestUnfit        Code = "test-unfit"        // a test failed because of its cassette
	TestRunning      Code = "test-running"      // a test was still running when the suite ended
	CassetteUnopened Code = "cassette-unopened" // no test opened the cassette
	RequestsCounted  Code = "requests-counted"  // the numbers of replayed and recorded requests
	ControlRefused   Code = "control-refused"   // a suite sent a command that promptecho serve does not know
)

// Findings about programs that use a proxy, or an address that other machines reach.
const (
	CertificateRefused Code = "certificate-refused" // a program does not trust the authority of the run
	SecretMissing      Code = "secret-missing"      // a request came without the secret of the run
)

// A Severity says whether a finding fails the run.
type Severity string

// The severities.
const (
	Failure Severity = "error"
	Note    Severity = "note"
)

// A Finding is what a command has found in a file.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`   // from 1; 0 if unknown
	Column   int      `json:"column,omitempty"` // in characters, from 1; 0 if unknown
	Text     string   `json:"text"`             // a sentence for people, without the place; may change
}

// Place returns "FILE:LINE:COLUMN", without the line or the column if it is unknown.
func (f *Finding) Place() string {
	place := f.File
	for _, number := range []int{f.Line, f.Column} {
		if number > 0 {
			place += fmt.Sprintf(":%d", number)
		}
	}
	return place
}

// String returns the place and the text.
func (f *Finding) String() string {
	if f.File == "" {
		return f.Text
	}
	return f.Place() + ": " + f.Text
}

// An Error is a finding as an error. Its text is the place, followed by the text of Err.
type Error struct {
	Code  Code
	Place string // the cassette, with the line if it is known: "c.yaml:4"; may be empty
	Err   error
}

// Errorf returns an [Error] whose Err is the result of [fmt.Errorf].
func Errorf(code Code, place, format string, args ...any) *Error {
	return &Error{Code: code, Place: place, Err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Err.Error()
	}
	return e.Place + ": " + e.Err.Error()
}

// Finding returns the error itself. Other types of errors that have a code implement this
// method, too; see [CodeOf].
func (e *Error) Finding() *Error { return e }

// Unwrap returns the error without its place.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of the first error with a method Finding in the tree of err, or
// [RunFailed] if there is none.
func CodeOf(err error) Code {
	var coded interface {
		error
		Finding() *Error
	}
	if errors.As(err, &coded) {
		return coded.Finding().Code
	}
	return RunFailed
}
