package cancellation_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Mode update drops recordings that are not used, even if they overlapped a canceled request.
func TestUpdateDropsUnusedRecordingsNextToACanceledOne(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	runs := []struct {
		mode    promptecho.Mode
		prompts []string // sent at once
	}{
		{promptecho.ModeAll, []string{"a", "b", "canceled"}},
		{promptecho.ModeUpdate, []string{"c", "d", "canceled"}},
	}
	for _, run := range runs {
		synctest.Test(t, func(t *testing.T) {
			rec := must.Open(t, file, promptecho.InMode(run.mode), hangsOn("canceled"))
			var all sync.WaitGroup
			for _, prompt := range run.prompts {
				ctx := canceledAfter(t, time.Minute)
				all.Go(func() { must.Send(ctx, rec, prompt) })
				synctest.Wait() // they are sent in this order
			}
			all.Wait()
			must.Pass(t, rec)
			if got, want := must.Prompts(t, file), strings.Join(run.prompts, " "); got != want {
				t.Errorf("mode %s saved %s, want %s", run.mode, got, want)
			}
		})
	}
}

// A request that is canceled in a test that fails is not saved.
//
// The failure may be why it was canceled, and the test that passes would wait to be canceled.
func TestCanceledRequestOfAFailedTestIsNotSaved(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), hangsOn("second"))
		must.Post(t, rec, must.ChatURL, must.ChatBody("first"))
		must.Send(canceledAfter(t, time.Minute), rec, "second")
		must.Finish(rec, report.Outcome{Failed: true})
		if got := must.Prompts(t, file); got != "first" {
			t.Errorf("saved %q", got)
		}
	})
}

// A request that is canceled just before its recorder is closed is recorded as canceled.
//
// A replay waits until it is canceled, too.
func TestRequestCanceledJustBeforeCloseIsRecordedAsCanceled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	endsAfterClose := provider.Func(func(req *http.Request) (*http.Response, error) {
		resp, err := provider.Hangs(req)
		time.Sleep(10 * time.Millisecond) // the recorder is closed meanwhile
		return resp, err
	})
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(endsAfterClose))
		ctx, cancel := context.WithCancel(t.Context())
		go must.Send(ctx, rec, "hi")
		synctest.Wait()
		cancel()
		must.Close(t, rec)
	})
	recorded := must.Load(t, file).Interactions
	if len(recorded) != 1 || recorded[0].Response.End != interaction.EndCanceled {
		t.Fatalf("recorded\n%s", must.Read(t, file))
	}
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancel(t.Context())
		var err error
		go func() { _, err = must.Send(ctx, rec, "hi") }()
		synctest.Wait()
		cancel()
		synctest.Wait()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("replayed: %v, want canceled", err)
		}
		must.Close(t, rec)
	})
}

// A stream that is canceled just before its recorder is closed is canceled in replay, too.
//
// When it was recorded, the program had not yet seen that it was canceled.
func TestStreamCanceledJustBeforeCloseIsCanceledInReplay(t *testing.T) {
	t.Parallel()
	const event = "data: 1\n\n"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, event)
		_ = http.NewResponseController(w).Flush()
		<-req.Context().Done()
	}))
	t.Cleanup(server.Close)
	file := filepath.Join(t.TempDir(), "c.yaml")

	begin := func(ctx context.Context, rec *promptecho.Recorder) io.Reader {
		resp, err := rec.Client().Do(must.NewRequest(t, ctx, "POST", server.URL, `{"q":1}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, len(event))); err != nil {
			t.Error(err)
		}
		return resp.Body
	}
	readOne := func(body io.Reader) error {
		_, err := body.Read(make([]byte, 1))
		return err
	}

	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	ctx, cancel := context.WithCancel(t.Context())
	body := begin(ctx, rec)
	ended := make(chan error)
	go func() {
		<-ctx.Done()
		ended <- readOne(body)
	}()
	cancel()
	must.Pass(t, rec)
	if err := <-ended; err == nil {
		t.Error("recording: the stream goes on")
	}

	for range 2 {
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancel(t.Context())
		body := begin(ctx, rec)
		time.AfterFunc(10*time.Millisecond, cancel)
		if err := readOne(body); !errors.Is(err, context.Canceled) {
			t.Errorf("replay: %v, want canceled", err)
		}
		must.Pass(t, rec)
	}
}

// A stream that a failed or stopped run left unfinished is requested again by the next run.
func TestUnfinishedStreamOfAFailedRunIsRequestedAgain(t *testing.T) {
	t.Parallel()
	tests := map[string]report.Outcome{
		"the test failed":     {Failed: true},
		"the run was stopped": {Stopped: true, Filtered: true},
	}
	for name, outcome := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				server := &watchServer{media: "text/event-stream"}
				for range 3 {
					rec := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(server))
					ctx, cancel := context.WithCancelCause(context.Background())
					watch := startWatch(t, rec, must.NewRequest(t, ctx, "POST", watchURL, ""))
					synctest.Wait()
					cancel(request.ErrServerClosed)
					<-watch.ended
					must.Finish(rec, outcome)
				}
				if server.asked != 3 {
					t.Errorf("%d requests in three runs", server.asked)
				}
			})
		})
	}
}
