package cancellation_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request whose deadline passed in the recording fails in a bubble when its context is done.
func TestDeadlinePassesOnTheClockOfABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		send := func(rec *promptecho.Recorder) error {
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			_, err := must.Send(ctx, rec, "hi")
			if ctx.Err() == nil {
				t.Error("the request failed before its deadline")
			}
			return err
		}
		file := filepath.Join(t.TempDir(), "c.yaml")
		rec := must.Open(t, file,
			promptecho.InMode(promptecho.ModeAll),
			promptecho.Upstream(provider.Hangs),
			promptecho.OnRecordError(promptecho.Keep))
		if err := send(rec); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatal(err)
		}
		must.Close(t, rec)

		for _, pace := range []float64{0, 1} {
			start := time.Now()
			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(pace))
			err := send(rec)
			if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != time.Hour {
				t.Errorf("pace %v: %v after %v", pace, err, took)
			}
			must.Close(t, rec)
		}
	})
}

// A canceled request whose context cannot be canceled in replay fails with the line of its recording.
func TestCanceledRequestThatCannotBeCanceledFails(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	recordOneCanceled(t, file)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	_, err := must.Send(context.Background(), rec, "hi")
	want := "c.yaml:4: when this was recorded, its caller canceled it before there was an answer"
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	must.Close(t, rec)
}

// recordOneCanceled records one request, which is canceled before it has an answer.
func recordOneCanceled(t *testing.T, file string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file,
			promptecho.InMode(promptecho.ModeAll),
			promptecho.Upstream(provider.Hangs))
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Minute, cancel)
		if _, err := must.Send(ctx, rec, "hi"); !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		must.Close(t, rec)
	})
}

// A canceled recording may stay unused: whether such a request is sent depends on the time others take.
func TestUnusedCanceledRecordingIsNotReported(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	recordOneCanceled(t, file)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	errs := must.Finish(rec, report.Outcome{}).Errors
	if text := strings.Join(errs, "\n"); strings.Contains(text, "not used") {
		t.Error(text)
	}
}
