package saving_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request without an answer fails the run, is not recorded, and the old cassette stays.
func TestRequestWithoutAnAnswerIsNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	must.Record(t, file, "old")
	before := must.Read(t, file)
	noConnection := errors.New("no connection")
	r := must.Open(t, file,
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider.Fails(noConnection)))
	if _, err := must.Complete(t.Context(), r.Client(), "x"); !errors.Is(err, noConnection) {
		t.Errorf("the client got %v, want the transport's error", err)
	}
	rep := must.Finish(r, report.Outcome{})
	want := "not recorded: POST " + must.ChatURL + ": no connection"
	if !strings.Contains(strings.Join(rep.Errors, "\n"), want) {
		t.Errorf("errors: %q", rep.Errors)
	}
	if must.Read(t, file) != before {
		t.Error("the old cassette was replaced")
	}
}

// A request without an answer does not fail the run if a retry of it was answered.
func TestRetryOvercomesARequestWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	noConnection := errors.New("no connection")
	upstream := provider.Fails(noConnection)
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
			return upstream.RoundTrip(req)
		})))
	if _, err := must.Complete(t.Context(), r.Client(), "x"); !errors.Is(err, noConnection) {
		t.Error(err)
	}
	upstream = provider.Says(`{}`)
	resp, err := must.Complete(t.Context(), r.Client(), "x")
	if err != nil {
		t.Fatal(err)
	}
	if err := must.ReadToEnd(resp.Body); err != nil {
		t.Fatal(err)
	}
	must.Close(t, r)
}

// With OnRecordError(Keep), a failed connection is recorded, and replayed as the same kind of error.
func TestKeptTransportErrorIsReplayed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		err     error
		is      error // the replayed error is this one, too; nil for none
		timeout bool
	}{
		{
			name: "the connection is refused",
			err:  &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			is:   syscall.ECONNREFUSED,
		},
		{
			name:    "reading takes too long",
			err:     &net.OpError{Op: "read", Net: "tcp", Err: os.ErrDeadlineExceeded},
			is:      os.ErrDeadlineExceeded,
			timeout: true,
		},
		{name: "the deadline is over", err: context.DeadlineExceeded, is: context.DeadlineExceeded, timeout: true},
		{name: "the answer is cut", err: io.ErrUnexpectedEOF, is: io.ErrUnexpectedEOF},
		{name: "the connection is closed", err: io.EOF, is: io.EOF},
		{name: "the certificate is bad", err: errors.New("tls: bad certificate")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file,
				promptecho.InMode(promptecho.ModeAll),
				promptecho.OnRecordError(promptecho.Keep),
				promptecho.Upstream(provider.Fails(tt.err)))
			_, live := must.Complete(t.Context(), r.Client(), "x")
			must.Close(t, r)

			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			_, err := must.Complete(t.Context(), r.Client(), "x")
			if err == nil {
				t.Fatal("it is replayed as a success")
			}
			for _, want := range []string{tt.err.Error(), "c.yaml:4"} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("it is replayed as %v, want %q", err, want)
				}
			}
			if tt.is != nil && !errors.Is(err, tt.is) || errors.Is(err, syscall.EPIPE) {
				t.Errorf("it is replayed as %v", err)
			}
			if !isNetError(err, tt.timeout) || !isNetError(live, tt.timeout) {
				t.Errorf("timeout: replayed %v, live %v", err, live)
			}
			notes := must.Finish(r, report.Outcome{Failed: true}).Notes
			want := "nothing was sent: this failure was replayed from "
			if len(notes) != 1 || !strings.Contains(notes[0], want) {
				t.Errorf("notes of a test that failed: %q", notes)
			}
		})
	}
}

// isNetError reports whether an error of a client is a net.Error that says this of timeouts.
func isNetError(err error, timeout bool) bool {
	var netErr net.Error
	return errors.As(err, &netErr) && netErr.Timeout() == timeout
}

// OnRecordError decides whether a request with an error status is recorded, reported, or fails the run.
func TestErrorStatusIsRecordedAsThePolicySays(t *testing.T) {
	t.Parallel()
	const request = "POST http://h/v1/chat/completions"
	for _, tt := range []struct {
		name     string
		policy   promptecho.RecordErrorPolicy
		statuses []int
		failed   bool
		saved    string
		err      string
		note     string
	}{
		{
			name:     "warn",
			policy:   promptecho.Warn,
			statuses: []int{404},
			saved:    "x",
			note:     "a failure is recorded: " + request + ": status 404",
		},
		{
			name:     "warn, and the test fails",
			policy:   promptecho.Warn,
			statuses: []int{404},
			failed:   true,
			note:     "c.yaml: " + request + ": status 404",
		},
		{
			name:     "warn, and the key is refused",
			policy:   promptecho.Warn,
			statuses: []int{401},
			err:      "the server refused access: " + request + ": status 401",
		},
		{
			name:     "warn, and the request is forbidden",
			policy:   promptecho.Warn,
			statuses: []int{403},
			err:      "the server refused access: " + request + ": status 403",
		},
		{
			name:     "warn, and another key overcomes the refusal",
			policy:   promptecho.Warn,
			statuses: []int{401, 200},
			saved:    "x x",
		},
		{
			name:     "warn, and a retry overcomes the failure, and the test fails",
			policy:   promptecho.Warn,
			statuses: []int{503, 200},
			failed:   true,
			saved:    "x x",
		},
		{
			name:     "warn, and a failure follows a success",
			policy:   promptecho.Warn,
			statuses: []int{200, 500},
			saved:    "x x",
			note:     "status 500",
		},
		{
			name:     "keep",
			policy:   promptecho.Keep,
			statuses: []int{404},
			saved:    "x",
		},
		{
			name:     "keep, and the key is refused",
			policy:   promptecho.Keep,
			statuses: []int{401},
			saved:    "x",
		},
		{
			name:     "fail",
			policy:   promptecho.Fail,
			statuses: []int{500},
			err: "nothing was written, because a request failed and OnRecordError(Fail) is set: " +
				request + ": status 500",
		},
		{
			name:     "fail, and a retry overcomes the failure",
			policy:   promptecho.Fail,
			statuses: []int{429, 200},
			saved:    "x x",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file,
				promptecho.OnRecordError(tt.policy),
				promptecho.Upstream(provider.Statuses(`{}`, tt.statuses...)))
			for range tt.statuses {
				must.Ask(t, r, "http://h", "x")
			}
			rep := must.Finish(r, report.Outcome{Failed: tt.failed})
			if got := must.Prompts(t, file); got != tt.saved {
				t.Errorf("saved %q, want %q", got, tt.saved)
			}
			errs := strings.Join(rep.Errors, "\n")
			if (errs != "") != (tt.err != "") || !strings.Contains(errs, tt.err) {
				t.Errorf("errors %q, want %q", errs, tt.err)
			}
			notes := strings.Join(rep.Notes, "\n")
			if !strings.Contains(notes, tt.note) || tt.note == "" && strings.Contains(notes, "failure") {
				t.Errorf("notes %q, want %q", notes, tt.note)
			}
		})
	}
}

// An answer of status 200 that contains an error counts as a failed request.
//
// One cassette is recorded again and again, so each run finds what the one before it has left.
func TestErrorInAnAnswerOfStatus200IsAFailure(t *testing.T) {
	t.Parallel()
	const (
		failure = `{"error":{"message":"Provider returned error","code":502}}`
		success = `{"choices":[],"error":null}`
		reason  = "POST " + must.ChatURL + ": status 200, and an error in the answer"
	)
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, run := range []struct {
		name   string
		answer string
		policy promptecho.RecordErrorPolicy
		err    string
		note   string
		saved  string // is in the cassette afterwards; "" for no cassette
	}{
		{
			name:   "fail: it is refused",
			answer: failure,
			policy: promptecho.Fail,
			err:    "OnRecordError(Fail) is set: " + reason,
		},
		{
			name:   "warn: it is recorded and noted",
			answer: failure,
			policy: promptecho.Warn,
			note:   "a failure is recorded: " + reason,
			saved:  "502",
		},
		{
			name:   "a success replaces it",
			answer: success,
			policy: promptecho.Warn,
			saved:  "choices",
		},
		{
			name:   "warn: it does not replace a success",
			answer: failure,
			policy: promptecho.Warn,
			err:    "not replaced: this recording is a success, and the new one a failure",
			saved:  "choices",
		},
		{
			name:   "keep: it replaces a success",
			answer: failure,
			policy: promptecho.Keep,
			saved:  "502",
		},
	} {
		r := must.Open(t, file,
			promptecho.InMode(promptecho.ModeAll),
			promptecho.OnRecordError(run.policy),
			promptecho.Upstream(provider.Says(run.answer)))
		must.Chat("").Ask(t, r)
		rep := must.Finish(r, report.Outcome{})
		errs, notes := strings.Join(rep.Errors, "\n"), strings.Join(rep.Notes, "\n")
		if (errs != "") != (run.err != "") || !strings.Contains(errs, run.err) {
			t.Errorf("%s: errors %q", run.name, errs)
		}
		isNoted := strings.Contains(notes, "failure is recorded")
		if !strings.Contains(notes, run.note) || run.note == "" && isNoted {
			t.Errorf("%s: notes %q", run.name, notes)
		}
		if run.saved != "" && !strings.Contains(must.Read(t, file), run.saved) {
			t.Errorf("%s: %s", run.name, must.Read(t, file))
		}
	}
}

// A request that is unanswered when the recorder is closed is not recorded, and the report says so.
func TestUnansweredRequestAtTheEndIsNotRecorded(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}), make(chan struct{})
	waiting := provider.Func(func(*http.Request) (*http.Response, error) {
		close(arrived)
		<-release
		return nil, errors.New("too late")
	})
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(waiting))
	done := make(chan struct{})
	go func() {
		defer close(done)
		must.Complete(t.Context(), r.Client(), "x")
	}()
	<-arrived
	rep := must.Finish(r, report.Outcome{})
	close(release)
	<-done
	want := "not recorded: POST " + must.ChatURL + ": it had no answer when the recorder was closed"
	if !strings.Contains(strings.Join(rep.Notes, "\n"), want) {
		t.Errorf("notes %q, want %q", rep.Notes, want)
	}
}
