package cancellation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// An openStream sends two values and then nothing, until it is closed or DELETE is asked.
type openStream struct {
	media string
	asked int
	ends  *io.PipeWriter
}

func (s *openStream) RoundTrip(req *http.Request) (*http.Response, error) {
	s.asked++
	if req.Method == http.MethodDelete {
		s.ends.Close()
		return &http.Response{StatusCode: 204, ProtoMajor: 1, Body: http.NoBody, Header: http.Header{}}, nil
	}
	in, out := io.Pipe()
	s.ends = out
	context.AfterFunc(req.Context(), func() { out.CloseWithError(req.Context().Err()) })
	go func() {
		for i := range 2 {
			if s.media == "text/event-stream" {
				fmt.Fprintf(out, "data: {\"n\":%d}\n\n", i)
			} else {
				fmt.Fprintf(out, "{\"n\":%d}\n", i)
			}
		}
	}()
	return &http.Response{StatusCode: 200, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, TransferEncoding: []string{"chunked"}, ContentLength: -1, Body: in, Header: http.Header{"Content-Type": {s.media}}}, nil
}

// A reader reads a body by a goroutine of its own.
type reader struct {
	body  io.ReadCloser
	ended chan error
	said  string
}

func startReading(t *testing.T, r *promptecho.Recorder, req *http.Request) *reader {
	t.Helper()
	resp, err := r.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	rd := &reader{body: resp.Body, ended: make(chan error, 1)}
	go func() {
		b, err := io.ReadAll(resp.Body)
		rd.said = string(b)
		rd.ended <- err
	}()
	return rd
}

func (rd *reader) isOpen() bool {
	synctest.Wait()
	select {
	case <-rd.ended:
		return false
	default:
		return true
	}
}

func get(ctx context.Context, method string) *http.Request {
	req, _ := http.NewRequestWithContext(ctx, method, "http://kube.example/pods?watch=true", nil)
	return req
}

// TestWatchStaysOpen: a stream that was closed while it was read stays open in replay until it
// is closed, or the recorder is; so does one whose recorder was closed before it.
func TestWatchStaysOpen(t *testing.T) {
	t.Parallel()
	for _, media := range []string{"application/json", "text/event-stream"} {
		for _, closes := range []string{"body", "recorder"} {
			synctest.Test(t, func(t *testing.T) {
				file := filepath.Join(t.TempDir(), "c.yaml")
				for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
					r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(&openStream{media: media}))
					rd := startReading(t, r, get(context.Background(), "GET"))
					time.Sleep(time.Hour)
					if !rd.isOpen() {
						t.Errorf("%s, mode %s: it ended by itself", media, mode)
					}
					if closes == "body" {
						rd.body.Close()
						if err := <-rd.ended; err == nil {
							t.Errorf("%s, mode %s: it ended well", media, mode)
						}
					}
					must.Close(t, r)
					if closes == "recorder" {
						if err := <-rd.ended; err == nil {
							t.Errorf("%s, mode %s: it ended well", media, mode)
						}
					}
					if strings.Count(rd.said, `"n"`) != 2 {
						t.Errorf("%s, mode %s: %q", media, mode, rd.said)
					}
				}
			})
		}
	}
}

// TestStandingStream: the end of a stream that listens comes when what ended it is asked, after
// however long.
func TestStandingStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(&openStream{media: "text/event-stream"}))
			rd := startReading(t, r, get(context.Background(), "GET"))
			time.Sleep(time.Minute)
			if !rd.isOpen() {
				t.Errorf("mode %s: it ended before it was told to", mode)
			}
			resp, err := r.Client().Do(get(context.Background(), "DELETE"))
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if err := <-rd.ended; err != nil {
				t.Errorf("mode %s: %v", mode, err)
			}
			must.Close(t, r)
		}
		// Nothing tells it to end.
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		rd := startReading(t, r, get(context.Background(), "GET"))
		time.Sleep(time.Minute)
		rd.body.Close()
		if err := <-rd.ended; !errors.Is(err, net.ErrClosed) {
			t.Errorf("closed: %v", err)
		}
		r.Close()
	})
}

// TestStoppedStream: what a stopped or failed run left in the midst of a stream is asked again,
// also if the run was killed then.
func TestStoppedStream(t *testing.T) {
	t.Parallel()
	for name, o := range map[string]report.Outcome{"failed": {Failed: true}, "stopped": {Stopped: true, Filtered: true}} {
		synctest.Test(t, func(t *testing.T) {
			file, up := filepath.Join(t.TempDir(), "c.yaml"), &openStream{media: "text/event-stream"}
			for range 3 {
				r := must.Open(t, file, promptecho.InMode(promptecho.ModeOnce), promptecho.Upstream(up))
				ctx, cancel := context.WithCancelCause(context.Background())
				rd := startReading(t, r, get(ctx, "POST"))
				synctest.Wait()
				cancel(request.ErrServerClosed)
				<-rd.ended
				must.Finish(r, o)
			}
			if up.asked != 3 {
				t.Errorf("%s: asked %d times in three runs", name, up.asked)
			}
		})
	}
}

// TestLeftByAnotherProcess: nobody knows whether a program that came over a listener had what it
// wanted when it left; one that reads on gets an error after a while, and a note says why.
func TestLeftByAnotherProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			var notes []string
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(&openStream{media: "text/event-stream"}), promptecho.Log(func(note string) { notes = append(notes, note) }))
			ctx, cancel := context.WithCancel(request.WithServed(context.Background(), request.Served{By: "curl"}))
			rd := startReading(t, r, get(ctx, "POST"))
			if !rd.isOpen() {
				t.Errorf("mode %s: it ended at once", mode)
			}
			if mode == promptecho.ModeAll {
				cancel()
				<-rd.ended
				must.Close(t, r)
				continue
			}
			time.Sleep(10 * time.Second)
			if err := <-rd.ended; err == nil || !strings.Contains(err.Error(), "record again") {
				t.Errorf("it ended with %v", err)
			}
			cancel()
			must.Close(t, r)
			if !strings.Contains(strings.Join(notes, "\n"), "the recording ends here") {
				t.Errorf("notes: %q", notes)
			}
		}
	})
}

// TestHooks: a program that measures the time to the first byte can do so in replay.
func TestHooks(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
		said := ""
		ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
			WroteRequest:         func(httptrace.WroteRequestInfo) { said += "wrote " },
			GotFirstResponseByte: func() { said += "got" },
		})
		resp, err := r.Client().Do(get(ctx, "GET"))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if mode == promptecho.ModeNone && said != "wrote got" {
			t.Errorf("%q", said)
		}
		must.Close(t, r)
	}
}
