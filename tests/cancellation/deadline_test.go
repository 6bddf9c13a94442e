package cancellation_test

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request whose deadline passed in the recording meets its deadline again, however often it is sent.
//
// An SDK retries such a request.
func TestEachRetryAfterADeadlineMeetsItsDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		recordDeadline(t, file, time.Minute)
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		for range 3 {
			if !meetDeadline(t, rec, time.Minute) {
				t.Error("the request failed before its deadline")
			}
		}
		must.Close(t, rec)
	})
}

// meetDeadline sends the prompt "hi" with a timeout, which passes. It returns whether the context
// was done by then.
func meetDeadline(t *testing.T, rec *promptecho.Recorder, timeout time.Duration) (isDone bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if _, err := must.Send(ctx, rec, "hi"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, want the error of a deadline", err)
	}
	return ctx.Err() != nil
}

// recordDeadline records that the prompt "hi" got no answer within a timeout.
func recordDeadline(t *testing.T, file string, timeout time.Duration) {
	t.Helper()
	rec := must.Open(t, file,
		promptecho.InMode(promptecho.ModeAll),
		promptecho.Upstream(provider.Hangs),
		promptecho.OnRecordError(promptecho.Keep))
	if !meetDeadline(t, rec, timeout) {
		t.Error("recorded before the deadline")
	}
	must.Pass(t, rec)
}

// A deadline that passed in the recording, and is far away in replay, passes at once.
func TestFarDeadlinePassesAtOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	recordDeadline(t, file, 20*time.Millisecond)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if meetDeadline(t, rec, time.Hour) {
		t.Error("the context is done after an hour")
	}
	must.Pass(t, rec)
}
