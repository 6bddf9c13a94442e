// Which recordings of a run are worth saving.
//
// A recording of a success is saved. A recording of a failure replays as a
// failure until it is made again, so it is saved only if it is plausible that
// the test is about it. A recording that refers to something that is gone (in a
// local server that was started again, or at the provider) is never saved: it
// would be replayed together with older recordings that contradict it.

package recorder

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A worth says whether a recording of this run is saved, and why.
type worth int

const (
	success      worth = iota // saved
	savedFailure              // saved, with a note

	// Not saved.
	canceledByEnd   // the end of the test canceled it
	unanswered      // it had no answer when the recorder was closed
	failureInFailed // it failed, and so did the run

	// Not saved, and an error of the run.
	serverRestarted // the local server lacks what a played request wrote
	answerExpired   // it failed after a played answer that it may refer to
	failureRefused  // it failed, and OnRecordError(Fail) is set
	worseThanOld    // it failed, and its old recording is a success
	accessLost      // the key was refused, and its old recording is a success
	accessRefused   // the key was refused
)

// saves reports whether the recording is saved.
func (w worth) saves() bool { return w == success || w == savedFailure }

// The texts for each worth. Their arguments are the request with the failure, and
// where they need it the request of an older recording; those of notes begin with
// the cassette.
const (
	unlessAboutIt = "If that is what the test is about, say so with %s"
	recordAll     = "To record everything again: PROMPTECHO_MODE=all"
	setKey        = "Set a key that has access, and run the test again; " +
		"if the refusal is what the test is about, say so with %s"

	textSavedFailure = "%s: a failure is recorded: %s. " + unlessAboutIt
	textUnanswered   = "%s: not recorded: %s: it had no answer when the recorder was closed: " +
		"the program sent it in the background, and the test did not wait for it"
	textFailureInFailed = "failed, and not recorded in %s: %s%s"
	textServerRestarted = "this recording was replayed, " +
		"and wrote something to a local server (%s). " +
		"What was asked there later is not recorded, because the server is a new one, " +
		"at another port, and lacks that: %s. " + recordAll + ". " +
		"If it needs nothing of that, say so with %s"
	textAnswerExpired = "not updated: %s. " +
		"The request follows an answer that was replayed, and may use something from it " +
		"(a response id, a file, a cache) that no longer exists at the provider. " + recordAll
	textFailureRefused = "nothing was written, " +
		"because a request failed and %s is set: %s"
	textWorseThanOld = "not replaced: this recording is a success, " +
		"and the new one a failure: %s. " + unlessAboutIt + "%s"
	textAccessRefused = "not recorded: the server refused access: %s. " + setKey
	textAccessLost    = "not replaced: this recording is a success, " +
		"and now the server refused access: %s. " + setKey
	textNoAnswer = "%s: not recorded: %s"
)

// keepFailures is the option for a test that is about a failure.
var keepFailures = advice.New(advice.OnRecordError, "Keep")

// An outdatedError says that a request cannot be recorded because it refers to
// something that existed only when older recordings were made.
type outdatedError struct{ reason *finding.Error }

func (e outdatedError) Error() string { return e.reason.Error() }

// Finding returns the error for the report.
func (e outdatedError) Finding() *finding.Error { return e.reason }

// worthSaving returns the recordings of this run that are to be saved, in the
// order of their requests. refused is an error if one of them is a failure that
// must not be saved; it is the last of these.
func (r *Recorder) worthSaving(o *report.Outcome) (list []*tape.Recording, refused error) {
	sentByPlayed := r.tape.WithinPlayed()
	succeededLater := r.tape.SucceededLater()

	for _, rec := range r.tape.Recordings() {
		switch {
		case rec.Resumed():
			// A killed run made it. A complete run that did not use it shows
			// that it is not needed. A carried recording is still in the
			// cassette that it comes from.
			mayBeNeeded := !o.AskedAll() && !rec.Carried()
			if rec.Used() || sentByPlayed(rec) || mayBeNeeded {
				list = append(list, rec)
			}
		case !rec.Fresh():
			// It is in the cassette.
		case rec.Unreachable() && o.Whole():
			// The function that sent it is not recorded, so no replay sends it.
		default:
			w := r.worth(rec, succeededLater[rec], o)
			if err := r.noteWorth(w, rec); err != nil {
				refused = err
				if r.config.onRecordError == Fail {
					return nil, refused
				}
			}
			if w.saves() {
				list = append(list, rec)
			}
		}
	}
	if err := r.reportNoAnswer(); err != nil {
		refused = err
	}
	return list, refused
}

// worth returns whether a recording of this run is saved, and why.
func (r *Recorder) worth(rec *tape.Recording, succeededLater bool, o *report.Outcome) worth {
	resp := &rec.Head().Response
	policy := r.config.onRecordError

	isSuccess := !rec.Failed()
	mayRefer := isSuccess && policy != Keep && !r.plan.rerecord
	if mayRefer && r.tape.WrittenBefore(rec) != nil {
		return serverRestarted
	}

	// A test that passes does not cancel its requests at the end.
	endedEarly := o.Failed || o.Stopped
	isOpen := rec.Canceled() || rec.Complete() && resp.ClosedWhileWaiting()
	if endedEarly && isOpen {
		return canceledByEnd
	}
	if !rec.Complete() {
		return unanswered
	}
	if isSuccess || policy == Keep || succeededLater {
		return success
	}

	mayHaveExpired := isClientError(resp.Status) && !refusesKey(rec) &&
		resp.Status != http.StatusTooManyRequests
	if r.plan.dropUnused && mayHaveExpired && r.tape.FollowsPlayed(rec) {
		return answerExpired
	}
	switch {
	case policy == Fail:
		return failureRefused
	case r.tape.SucceededBefore(rec) != nil && refusesKey(rec):
		return accessLost
	case r.tape.SucceededBefore(rec) != nil:
		return worseThanOld
	case refusesKey(rec):
		return accessRefused
	case o.Failed:
		return failureInFailed
	}
	return savedFailure
}

// noteWorth notes why a recording is not saved, or is saved although it is a
// failure. It returns the reason as an error if that fails the run.
func (r *Recorder) noteWorth(w worth, rec *tape.Recording) error {
	it := rec.Head()
	request := it.Request.String()
	failure := request + ": " + report.Failure(&it.Response)
	keep := r.words().Call(keepFailures)

	switch w {
	case unanswered:
		r.log.Notef(finding.NoAnswer, textUnanswered, r.file, request)
	case savedFailure:
		r.log.Failures.Add(rec)
		r.log.Notef(finding.FailureSaved, textSavedFailure, r.file, failure, keep)
	case failureInFailed:
		r.log.Notef(finding.FailureInFailedRun, textFailureInFailed,
			r.file, failure, r.whenToRetry(it.Response.Status))

	case serverRestarted:
		wrote := r.tape.WrittenBefore(rec)
		old := wrote.Head().Request.String()
		return outdatedError{r.errorAt(wrote.Line(), finding.RecordingsOutdated,
			textServerRestarted, old, request, keep)}
	case answerExpired:
		return outdatedError{r.errorf(finding.RecordingsOutdated, textAnswerExpired, failure)}
	case failureRefused:
		fail := r.words().Call(advice.New(advice.OnRecordError, "Fail"))
		return r.errorf(finding.FailureRefused, textFailureRefused, fail, failure)
	case worseThanOld:
		line := r.tape.SucceededBefore(rec).Line()
		return r.errorAt(line, finding.SuccessKept, textWorseThanOld,
			failure, keep, r.whenToRetry(it.Response.Status))
	case accessLost:
		line := r.tape.SucceededBefore(rec).Line()
		return r.errorAt(line, finding.AccessLost, textAccessLost, failure, keep)
	case accessRefused:
		return r.errorf(finding.AccessRefused, textAccessRefused, failure, keep)
	}
	return nil
}

// reportNoAnswer notes the requests to which no answer came. It is an error if
// a run that records the whole cassette again got no answer to a request, even
// when that was sent again.
func (r *Recorder) reportNoAnswer() (refused error) {
	for _, call := range r.log.FailedCalls() {
		text := fmt.Sprintf(textNoAnswer, r.file, call.Text)
		if r.plan.rerecord && !r.tape.Succeeded(call.Form) {
			refused = r.errorf(finding.NoAnswer, "not recorded: %s. "+unlessAboutIt,
				call.Text, r.words().Call(keepFailures))
			continue
		}
		r.log.Note(finding.NoAnswer, text)
	}
	return refused
}

// refusesKey reports whether a server refused the key of a request, because it is wrong, has
// expired or may not do this. Providers that answer with status 400 say so by a code.
func refusesKey(rec *tape.Recording) bool {
	switch rec.Head().Response.Status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return true
	case http.StatusBadRequest:
		body := rec.Interaction().Response.Body
		return slices.ContainsFunc(refusedKeyCodes, func(code string) bool {
			return bytes.Contains(body, []byte(code))
		})
	}
	return false
}

// refusedKeyCodes are the codes by which a server refuses a key in an answer of status 400.
var refusedKeyCodes = []string{
	`"API_KEY_INVALID"`, // Google APIs: ErrorInfo.reason, https://cloud.google.com/apis/design/errors

	// AWS, https://docs.aws.amazon.com/general/latest/gr/CommonErrors.html
	"ExpiredTokenException",
	"UnrecognizedClientException",
	"InvalidClientTokenId",
	"IncompleteSignature",
}

func isClientError(status int) bool { return status >= 400 && status < 500 }

// whenToRetry returns the advice for a failure because of too many requests or of
// a server that does not work, and "" for other failures.
func (r *Recorder) whenToRetry(status int) string {
	const later = ". Run it again later, or with fewer tests at once: " +
		"go test's flags -p=1 -parallel=1 do that"

	isTemporary := status == http.StatusTooManyRequests || status >= 500
	switch {
	case !isTemporary:
		return ""
	case r.plan.rerecord || r.plan.rerecordsSome():
		return later
	}
	return later + ". What is already recorded is not sent again"
}
