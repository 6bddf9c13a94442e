package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A stream without an end stays open in replay until its body or its recorder is closed.
func TestWatchStaysOpenUntilItIsClosed(t *testing.T) {
	t.Parallel()
	closeBody := func(w *watch, _ *promptecho.Recorder) error { return w.body.Close() }
	closeRecorder := func(_ *watch, rec *promptecho.Recorder) error { return rec.Close() }
	tests := []struct {
		name  string
		media string
		end   func(*watch, *promptecho.Recorder) error
	}{
		{"lines, the body is closed", "application/json", closeBody},
		{"lines, the recorder is closed", "application/json", closeRecorder},
		{"events, the body is closed", "text/event-stream", closeBody},
		{"events, the recorder is closed", "text/event-stream", closeRecorder},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				server := promptecho.Upstream(&watchServer{media: tt.media})
				for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
					rec := must.Open(t, file, promptecho.InMode(mode), server)
					watch := startWatch(t, rec, must.NewRequest(t, context.Background(), "GET", watchURL, ""))
					time.Sleep(time.Hour)
					if !watch.isOpen() {
						t.Errorf("mode %s: the stream ended by itself", mode)
					}
					if err := tt.end(watch, rec); err != nil {
						t.Errorf("mode %s: %v", mode, err)
					}
					if err := <-watch.ended; err == nil {
						t.Errorf("mode %s: the stream came to its end", mode)
					}
					if strings.Count(watch.text, `"n"`) != 2 {
						t.Errorf("mode %s: read %q", mode, watch.text)
					}
					must.Close(t, rec)
				}
			})
		})
	}
}

// watchURL is where a watch is requested with GET or POST, and ended with DELETE.
const watchURL = "http://kube.example/pods?watch=true"

// A watchServer answers a request with a stream of two values. The stream stays open until its
// client ends it or sends DELETE.
type watchServer struct {
	media string // of the stream
	asked int
	open  *io.PipeWriter // the last stream
}

func (s *watchServer) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked++
	resp := &http.Response{Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}}
	if req.Method == http.MethodDelete {
		s.open.Close()
		resp.StatusCode = http.StatusNoContent
		resp.Body = http.NoBody
		return resp, nil
	}
	format := "{\"n\":%d}\n"
	if s.media == "text/event-stream" {
		format = "data: {\"n\":%d}\n\n"
	}
	body, stream := io.Pipe()
	context.AfterFunc(req.Context(), func() { stream.CloseWithError(req.Context().Err()) })
	go func() {
		for n := range 2 {
			fmt.Fprintf(stream, format, n)
		}
	}()
	s.open = stream
	resp.StatusCode = http.StatusOK
	resp.Header.Set("Content-Type", s.media)
	resp.TransferEncoding = []string{"chunked"}
	resp.ContentLength = -1
	resp.Body = body
	return resp, nil
}

// A watch is a stream that a goroutine reads.
type watch struct {
	body  io.Closer
	ended chan error // why no more was read; nil for the end of the stream
	text  string     // what was read, when it has ended
}

// startWatch sends a request, and reads the answer in a goroutine.
func startWatch(t *testing.T, rec *promptecho.Recorder, req *http.Request) *watch {
	t.Helper()
	resp, err := rec.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	w := &watch{body: resp.Body, ended: make(chan error, 1)}
	go func() {
		text, err := io.ReadAll(resp.Body)
		w.text = string(text)
		w.ended <- err
	}()
	return w
}

// isOpen reports whether the stream goes on when all goroutines of the bubble are blocked.
func (w *watch) isOpen() bool {
	synctest.Wait()
	return len(w.ended) == 0
}

// recordEndedWatch records a watch that is ended with DELETE after a minute.
func recordEndedWatch(t *testing.T, file string) {
	t.Helper()
	server := promptecho.Upstream(&watchServer{media: "text/event-stream"})
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), server)
	watchAndEnd(t, rec)
	must.Close(t, rec)
}

// watchAndEnd ends a watch with DELETE after a minute.
func watchAndEnd(t *testing.T, rec *promptecho.Recorder) {
	t.Helper()
	watch := startWatch(t, rec, must.NewRequest(t, context.Background(), "GET", watchURL, ""))
	time.Sleep(time.Minute)
	if !watch.isOpen() {
		t.Error("the stream ended before DELETE was sent")
	}
	resp, err := rec.Client().Do(must.NewRequest(t, context.Background(), "DELETE", watchURL, ""))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if err := <-watch.ended; err != nil {
		t.Errorf("the stream ended with %v", err)
	}
}

// A stream that another request ended ends in replay when that request is sent.
func TestWatchEndsWhenTheRequestThatEndedItIsSent(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		recordEndedWatch(t, file)
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		watchAndEnd(t, rec)
		must.Close(t, rec)
	})
}

// A stream that another request ended stays open in replay until it is closed, without that request.
func TestWatchWithoutTheRequestThatEndedItStaysOpen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		recordEndedWatch(t, file)
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		watch := startWatch(t, rec, must.NewRequest(t, context.Background(), "GET", watchURL, ""))
		time.Sleep(time.Minute)
		if !watch.isOpen() {
			t.Error("the stream ended by itself")
		}
		watch.body.Close()
		if err := <-watch.ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("the stream ended with %v", err)
		}
		rec.Close() // reports that DELETE was not sent
	})
}

// A stream that another process left early ends with an error in replay, and a note says why.
//
// The process, curl for example, sends its request to a listener of promptecho. It is unknown whether
// it had read all that it wanted.
func TestStreamThatAnotherProcessLeftEndsWithAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		startAsProcess := func(rec *promptecho.Recorder) (*watch, context.CancelFunc) {
			served := request.WithServed(context.Background(), request.Served{By: "curl"})
			ctx, cancel := context.WithCancel(served)
			watch := startWatch(t, rec, must.NewRequest(t, ctx, "POST", watchURL, ""))
			if !watch.isOpen() {
				t.Error("the stream ended at once")
			}
			return watch, cancel
		}

		server := promptecho.Upstream(&watchServer{media: "text/event-stream"})
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), server)
		watch, cancel := startAsProcess(rec)
		cancel()
		<-watch.ended
		must.Close(t, rec)

		var notes strings.Builder
		log := promptecho.Log(func(note string) { notes.WriteString(note + "\n") })
		rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), log)
		watch, cancel = startAsProcess(rec)
		time.Sleep(10 * time.Second)
		if err := <-watch.ended; err == nil || !strings.Contains(err.Error(), "record again") {
			t.Errorf("the stream ended with %v", err)
		}
		cancel()
		must.Close(t, rec)
		if !strings.Contains(notes.String(), "the recording ends here") {
			t.Errorf("notes: %s", notes.String())
		}
	})
}
