// Package finding has what a run can have to say as data: what happened, where,
// and how bad it is. The words are made elsewhere. Other programs may rely on the
// codes; docs/MISSES.md has a section for each.
package finding

import (
	"errors"
	"fmt"
)

// A Code says what happened. A code never changes its meaning; new ones may be
// added.
type Code string

// Why a request has no recording. Each fails the run.
const (
	RequestChanged   Code = "request-changed"    // it differs from the nearest recording in fields that count
	OrderDiffers     Code = "order-differs"      // it differs only in the order of a list
	ModelChanged     Code = "model-changed"      // the recording is of another model
	EndpointChanged  Code = "endpoint-changed"   // the recording is of another endpoint or function
	FramingChanged   Code = "framing-changed"    // one of the two is streamed, or framed in another way
	AskedMoreOften   Code = "asked-more-often"   // all recordings of it are used
	RecordingTaken   Code = "recording-taken"    // an earlier, different request got its recording
	NotRecorded      Code = "not-recorded"       // nothing like it is recorded
	CassetteAbsent   Code = "cassette-absent"    // there is no file, and the mode does not record
	CassetteEmpty    Code = "cassette-empty"     // the file has no interactions
	CassetteLeftOver Code = "cassette-left-over" // a cassette that no test opens any more has it
	RequestBroken    Code = "request-broken"     // its body is not what its API takes
	FollowsMiss      Code = "follows-miss"       // it contains the error of an earlier miss
	WebSocket        Code = "websocket"          // it opens a WebSocket, which is not recorded
	Telemetry        Code = "telemetry"          // an exporter sends it, with new content in each run
)

// What else fails a run.
const (
	RecordingUnused     Code = "recording-unused"      // no request used some recordings
	NoRequest           Code = "no-request"            // no request reached the recorder
	ValueLacking        Code = "value-lacking"         // the cassette has no time, seed or variable that the test asks for
	RecordingConflict   Code = "recording-conflict"    // a recording answered another request than its own
	ServersAmbiguous    Code = "servers-ambiguous"     // two local servers answered the same request differently
	FieldAmbiguous      Code = "field-ambiguous"       // a field that is not written decides the answer
	BodyUnfinished      Code = "body-unfinished"       // a request is still sending its body
	TwoWay              Code = "two-way"               // a request sends its body while its answer arrives
	NotCanceled         Code = "not-canceled"          // a request was canceled when it was recorded, and is not now
	NoRoom              Code = "no-room"               // a body cannot be kept while it is sent
	KeyMissing          Code = "key-missing"           // a key is needed to send a request
	PlaceholderSent     Code = "placeholder-sent"      // a request to be sent has a placeholder for a secret
	Unsendable          Code = "unsendable"            // a request of another process cannot be sent on
	ProtocolSwitched    Code = "protocol-switched"     // a connection became one of another protocol
	NameInvalid         Code = "name-invalid"          // a text is no name of an environment variable
	VariableSecret      Code = "variable-secret"       // a variable that looks like a credential is not written
	FunctionRefused     Code = "function-refused"      // a function's values cannot be recorded
	FailureRefused      Code = "failure-refused"       // a failure was recorded, which OnRecordError(Fail) forbids
	SuccessKept         Code = "success-kept"          // a failure would have replaced a recorded success
	AccessLost          Code = "access-lost"           // a key that had access has it no more
	AccessRefused       Code = "access-refused"        // a server refused the key
	RecordingsOutdated  Code = "recordings-outdated"   // a server no longer knows what recordings refer to
	NoAnswer            Code = "no-answer"             // a request got no answer when it was to be recorded
	TooLate             Code = "too-late"              // a request came after the recorder was closed
	NotSaved            Code = "not-saved"             // the cassette could not be written
	LeftoverNotRemoved  Code = "leftover-not-removed"  // the cassette is written, but a journal or an older file could not be removed
	NotSent             Code = "not-sent"              // a request was not sent, because its answer could not be saved
	OutcomeNotWritten   Code = "outcome-not-written"   // the command that runs the tests does not learn what the recorder did
	CassetteUnreadable  Code = "cassette-unreadable"   // the cassette, or a part of it, cannot be read
	AnswerDrifted       Code = "answer-drifted"        // the provider does not answer as recorded (mode compare)
	NothingComparable   Code = "nothing-comparable"    // no live answer could be compared (mode compare)
	OptionWithoutEffect Code = "option-without-effect" // an option, flag or variable changed nothing
	RunFailed           Code = "run-failed"            // any other error
)

// What is only noted.
const (
	SecretInFile       Code = "secret-in-file"         // a value in the cassette looks like a secret
	SecretLearned      Code = "secret-learned"         // a recording was played that has a placeholder where the request has a text
	SecretKnownLate    Code = "secret-known-late"      // a request was recorded before a secret in it was known
	VariableDiffers    Code = "variable-differs"       // a variable has another value here than when it was recorded
	ConflictHealed     Code = "merge-conflict"         // the cassette has a merge conflict, which this run resolves
	ModeLowered        Code = "mode-lowered"           // the cassette allows less than the record mode does
	Edited             Code = "recording-edited"       // the cassette was edited since it was recorded
	CutOff             Code = "cassette-cut"           // the cassette was cut off, and is recorded again
	JournalRemoved     Code = "journal-removed"        // everything in a journal was already saved
	Resumed            Code = "recording-resumed"      // the run went on from what a killed run had recorded
	CanceledSkipped    Code = "canceled-skipped"       // a canceled recording was left out
	RetrySkipped       Code = "retry-skipped"          // a recorded failure was left out, because the SDK would wait
	FieldIgnored       Code = "ignored-field-changed"  // a field that matching ignores has changed
	ValueVolatile      Code = "value-volatile"         // a recorded request has a value that is another one tomorrow or elsewhere
	FailureSaved       Code = "failure-saved"          // a failure is recorded
	FailureInFailedRun Code = "failure-not-saved"      // a failure of a failed run is not recorded
	FailureReplayed    Code = "failure-replayed"       // a recorded failure was replayed
	NothingRecorded    Code = "nothing-recorded"       // the run recorded nothing, so the cassette stays
	OldKept            Code = "old-recordings-kept"    // recordings stay that the run did not record again
	SetAside           Code = "recordings-set-aside"   // what a failed run recorded is in another file
	Dropped            Code = "recordings-dropped"     // unused recordings are gone
	Saved              Code = "saved"                  // a file was written
	AcceptedPlayed     Code = "accepted-played"        // a recording was played whose request promptecho accept has changed
	AnswerDelayed      Code = "answer-delayed"         // replay delayed an answer to keep the recorded order
	OrderAmbiguous     Code = "order-ambiguous"        // calls are recorded in both orders
	HeadersWithheld    Code = "headers-withheld"       // response headers are not recorded
	PassedThrough      Code = "passed-through"         // requests passed through
	AnswerCut          Code = "answer-cut"             // the client closed the body early when this was recorded
	ProgramWaits       Code = "program-waits"          // the program waits by its own clock
	Compared           Code = "answers-compared"       // how live answers compare with recorded ones
	NotPassedOn        Code = "misses-not-handed-over" // promptecho accept cannot read what was missed
)

// What else is known of a changed request or an unused recording. It is part of
// the report of that.
const (
	WordsReordered   Code = "words-reordered"   // a text has the same words in another order
	ParallelOrder    Code = "parallel-order"    // the request depends on the order of calls that ran in parallel
	RecordedParallel Code = "recorded-parallel" // the recording overlapped another request
)

// How a test fails though all of its requests have recordings, as promptecho prove
// finds it in the output of the test.
const (
	DataRace      Code = "data-race"      // the race detector found a race
	ProgramPanics Code = "program-panics" // the test, or the program, panicked
	TestFails     Code = "test-fails"     // anything else
)

// What a command finds in files.
const (
	RecordingPartial   Code = "recording-partial"    // the run that recorded a cassette failed, or ran only a part of its test
	JournalLeft        Code = "journal-left"         // a killed run left what it had recorded in NAME.yaml.partial
	FailedLeft         Code = "failed-left"          // a failed run left what it had recorded in NAME.yaml.failed
	DerivedLeft        Code = "derived-left"         // a run with live functions or models left NAME.derived.yaml
	ChecksumsOutdated  Code = "checksums-outdated"   // the seals, or the comments above streams, are not those of the content
	RequestAccepted    Code = "request-accepted"     // promptecho accept put in a request that is newer than its answer
	TestGone           Code = "test-gone"            // no test has the name of the file
	TestHasSubtests    Code = "test-has-subtests"    // the test of the cassette opens recorders in its subtests only
	TestHasNoSubtests  Code = "test-has-no-subtests" // the cassette is of a subtest, and its test has none
	RecordingLeftOver  Code = "recording-left-over"  // requests to a server pass through, and recordings of it are left
	SnapshotUnreadable Code = "snapshot-unreadable"  // a file with snapshots cannot be read
	SnapshotNew        Code = "snapshot-new"         // a run left a snapshot that is to be reviewed, and there was none before
	SnapshotDiffers    Code = "snapshot-differs"     // a run left a snapshot that is to be reviewed, and it differs
	SnapshotStale      Code = "snapshot-stale"       // the snapshot has changed since it was compared
	RecordingAdded     Code = "recording-added"      // only the new cassette has the recording
	RecordingRemoved   Code = "recording-removed"    // only the old cassette has the recording
	RecordingChanged   Code = "recording-changed"    // the recording has another request, answer or usage
	NoRecorder         Code = "no-recorder"          // a request leaves the process, and no recorder covers it
	HookUnfit          Code = "hook-unfit"           // observe cannot see all requests with this version of Go
	AnswerCanceled     Code = "answer-canceled"      // the client canceled the request when it was recorded
	AnswerBroken       Code = "answer-broken"        // the connection broke while the answer was recorded
	PackageFailed      Code = "package-failed"       // a package does not build, or fails other than by a test
)

// Why promptecho import does not write a cassette, or leaves something out.
const (
	FormatUnknown  Code = "format-unknown"  // the file is a recording of a tool that import does not read
	PathTaken      Code = "path-taken"      // two cassettes would be written to one path
	FileExists     Code = "file-exists"     // there is something in the place of the new file
	AnswerMissing  Code = "answer-missing"  // the file has no answer to a request
	RequestMissing Code = "request-missing" // the file does not say what was sent
	NotWrappable   Code = "not-wrappable"   // a call has a name that no wrapped function can have
)

// Why promptecho accept leaves a recording as it is.
const (
	EditAmbiguous    Code = "edit-ambiguous"    // it is not clear which recording, or which request, is meant
	EditTooLarge     Code = "edit-too-large"    // the most similar recording is too different
	QuestionChanged  Code = "question-changed"  // the messages, the input or the argument differ
	AnswerFailed     Code = "answer-failed"     // the recorded answer is a failure
	AnswerHasID      Code = "answer-has-id"     // the recorded answer repeats the id of the old request
	ToolGone         Code = "tool-gone"         // the recorded answer calls a tool that the request does not offer
	EditDeclined     Code = "edit-declined"     // the user said no
	WritingForbidden Code = "writing-forbidden" // a mode in the code keeps the cassette as it is
)

// What promptecho serve says of a suite.
const (
	RequestStopped   Code = "request-stopped"   // a request would have bypassed the cassette
	TestUnfit        Code = "test-unfit"        // a test failed because of its cassette
	TestRunning      Code = "test-running"      // a test was still running when the suite ended
	CassetteUnopened Code = "cassette-unopened" // no test opened the cassette
	RequestsCounted  Code = "requests-counted"  // how many requests were replayed and recorded
	ControlRefused   Code = "control-refused"   // a suite asked for something that promptecho serve does not do
)

// A Severity says whether a finding fails the run.
type Severity string

// The severities.
const (
	Failure Severity = "error"
	Note    Severity = "note"
)

// A Finding is what a command has to say of a file.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`   // from 1; 0 if none is known
	Column   int      `json:"column,omitempty"` // the same, in characters
	Text     string   `json:"text"`             // for people, without the place; it may change
}

// Place returns where it is: "FILE:LINE:COLUMN", as far as that is known.
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

// An Error is a finding as an error. Its text is the place and what is wrong there.
type Error struct {
	Code  Code
	Place string // the cassette, with a line if one is known: "c.yaml:4"
	Err   error  // what is wrong
}

// Errorf returns an error whose text behind the place is that of
// [fmt.Errorf].
func Errorf(code Code, place, format string, args ...any) *Error {
	return &Error{Code: code, Place: place, Err: fmt.Errorf(format, args...)}
}

func (e *Error) Error() string {
	if e.Place == "" {
		return e.Err.Error()
	}
	return e.Place + ": " + e.Err.Error()
}

// Finding returns the error itself. Errors that are findings in other clothes have
// this method, too.
func (e *Error) Finding() *Error { return e }

// Unwrap returns what is wrong.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of an error, and [RunFailed] if it has none.
func CodeOf(err error) Code {
	var found interface {
		error
		Finding() *Error
	}
	if errors.As(err, &found) {
		return found.Finding().Code
	}
	return RunFailed
}
