package sessions_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/stream"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A body that is sent while the response streams replays as it ended. The server or the client ends it,
// after each of its events, in each way.
func TestTwoWayBodyReplaysAsItEnded(t *testing.T) {
	t.Parallel()
	const questions = 3
	serverEnds := map[string]func(*io.PipeWriter){
		"end":    func(w *io.PipeWriter) { w.Close() },
		"broken": func(w *io.PipeWriter) { w.CloseWithError(io.ErrUnexpectedEOF) },
		"half an event": func(w *io.PipeWriter) {
			frame := eventFrame("never whole")
			_, _ = w.Write(frame[:len(frame)/2])
			w.CloseWithError(io.ErrUnexpectedEOF)
		},
	}
	clientEnds := map[string]func(*sonicStream){
		"closes":              (*sonicStream).Close,
		"ends its body":       func(s *sonicStream) { s.writer.Close() },
		"breaks its body":     func(s *sonicStream) { s.writer.CloseWithError(io.ErrUnexpectedEOF) },
		"closes the response": func(s *sonicStream) { s.body.Close() },
	}
	for name, end := range serverEnds {
		for after := range questions + 1 {
			t.Run(fmt.Sprintf("server: %s after %d", name, after), func(t *testing.T) {
				t.Parallel()
				upstream := endingUpstream{after, end}
				wantSameEvents(t, upstream, func(s *sonicStream) string {
					return askSonic(s, questions, true)
				})
			})
		}
	}
	for name, end := range clientEnds {
		for after := range questions + 1 {
			t.Run(fmt.Sprintf("client %s after %d", name, after), func(t *testing.T) {
				t.Parallel()
				wantSameEvents(t, acknowledge{}, func(s *sonicStream) string {
					log := askSonic(s, after, false)
					end(s)
					return log
				})
			})
		}
	}
}

// askSonic sends questions, each after the answer to the one before, and returns what it has
// received. If readsOn is set, it reads to the end.
func askSonic(s *sonicStream, questions int, readsOn bool) string {
	var log strings.Builder
	for n := range questions {
		_ = s.Send(fmt.Sprintf(`{"event":{"textInput":{"content":"question %d"}}}`, n))
		got, err := s.Recv()
		if err != nil {
			fmt.Fprintln(&log, "ends:", endOf(err))
			return log.String()
		}
		fmt.Fprintln(&log, got)
	}
	for readsOn {
		got, err := s.Recv()
		if err != nil {
			fmt.Fprintln(&log, "ends:", endOf(err))
			break
		}
		fmt.Fprintln(&log, got)
	}
	return log.String()
}

// wantSameEvents records a session, and checks that replays are equal to it.
func wantSameEvents(t *testing.T, upstream http.RoundTripper, talk func(*sonicStream) string) {
	t.Helper()
	file := newCassette(t)
	run := func(rec *promptecho.Recorder) (log string) {
		opened, err := openSonic(rec)
		if err != nil {
			t.Fatal(err)
		}
		s := opened.(*sonicStream)
		defer s.Close()
		inTime(t, "the session", func() { log = talk(s) })
		must.Close(t, rec)
		return log
	}
	want := run(record(t, file, promptecho.Upstream(upstream)))
	for range full.Cases(1, 10) {
		if got := run(replay(t, file)); got != want {
			t.Fatalf("the replay has\n%s\nwant\n%s\nthe cassette is\n%s", got, want, must.Read(t, file))
		}
	}
}

// An endingUpstream acknowledges events, and ends the response after some of them.
type endingUpstream struct {
	after int
	end   func(*io.PipeWriter)
}

func (u endingUpstream) RoundTrip(req *http.Request) (*http.Response, error) {
	body, writer := io.Pipe()
	go func() {
		n := 0
		events := stream.Cutter{ContentType: eventStream, Frame: func([]byte) {
			if n < u.after {
				_, _ = writer.Write(eventFrame(acknowledgement(n)))
			}
			n++
		}}
		buf := make([]byte, 4096)
		for n < u.after {
			size, err := req.Body.Read(buf)
			events.Add(buf[:size])
			if err != nil {
				break
			}
		}
		go func() { _, _ = io.Copy(io.Discard, req.Body) }()
		u.end(writer)
	}()
	return &http.Response{
		StatusCode: http.StatusOK,
		Header:     http.Header{"Content-Type": {eventStream}},
		Body:       body,
		Request:    req,
	}, nil
}

// A two-way request passes through in mode live, with its body.
func TestTwoWayBodyPassesThrough(t *testing.T) {
	t.Parallel()
	rec := must.Open(t, newCassette(t), promptecho.InMode(promptecho.ModeLive), promptecho.Upstream(acknowledge{}))
	opened, err := openSonic(rec)
	if err != nil {
		t.Fatal(err)
	}
	defer opened.Close()
	inTime(t, "the session", func() {
		got := askSonic(opened.(*sonicStream), 2, false)
		want := acknowledgement(0) + "\n" + acknowledgement(1) + "\n"
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// A two-way request whose response is an error, or a miss, does not leave its client waiting until
// its body is read.
func TestRefusedTwoWayBodyIsClosed(t *testing.T) {
	t.Parallel()
	file := newCassette(t)
	refusal := provider.Func(func(req *http.Request) (*http.Response, error) {
		req.Body.Close()
		resp, err := provider.Says(`{"message":"no access to the model"}`).RoundTrip(req)
		if resp != nil {
			resp.StatusCode = http.StatusBadRequest
		}
		return resp, err
	})
	recorded := []promptecho.Option{promptecho.Upstream(refusal), promptecho.OnRecordError(promptecho.Keep)}
	for _, open := range []func() *promptecho.Recorder{
		func() *promptecho.Recorder { return record(t, file, recorded...) },
		func() *promptecho.Recorder { return replay(t, file) },
		func() *promptecho.Recorder { return replay(t, newCassette(t)) }, // a miss
	} {
		rec := open()
		opened, err := openSonic(rec)
		if err != nil {
			t.Fatal(err)
		}
		inTime(t, "the client", func() {
			if err := opened.Send(`{"event":{}}`); err == nil {
				t.Error("the body is read")
			}
		})
		opened.Close()
		_ = rec.Close() // the miss is an error
	}
}
