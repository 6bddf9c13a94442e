package streams_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A replayed stream ends where the client stopped reading or the server broke off, and says why.
func TestReplayedStreamEndsWhereItWasRecorded(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		cut    int                        // the server breaks off after so many events, if not 0
		read   func(*steppedStream) error // what the recorded client does
		end    string                     // in the cassette
		replay func(pieces int, err error) (ok bool)
	}{
		{
			name:   "read to the end, not closed",
			read:   func(s *steppedStream) error { return must.ReadToEnd(s) },
			end:    "",
			replay: endsNormally,
		},
		{
			name:   "closed at the last event",
			read:   readUntilDone,
			end:    "",
			replay: endsNormally,
		},
		{
			name: "closed early",
			read: func(s *steppedStream) error { return readOnce(s) },
			end:  interaction.EndClosed,
			replay: func(_ int, err error) bool {
				why := "the recording ends here: its client closed the body before the end"
				return err != nil && strings.Contains(err.Error(), why)
			},
		},
		{
			name: "closed unread",
			read: func(s *steppedStream) error { return s.Close() },
			end:  interaction.EndClosed,
		},
		{
			name: "cut by the server",
			cut:  2,
			read: func(s *steppedStream) error {
				err := must.ReadToEnd(s)
				if !errors.Is(err, io.ErrUnexpectedEOF) {
					return fmt.Errorf("the recorded client got %v", err)
				}
				return nil
			},
			end: interaction.EndError,
			replay: func(pieces int, err error) bool {
				return pieces == 2 && errors.Is(err, io.ErrUnexpectedEOF)
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := fakeprovider.New()
			defer p.Close()
			if tt.cut > 0 {
				p.Cut(tt.cut)
			}
			gate := p.Hold() // so that each event is a piece of its own
			file := filepath.Join(t.TempDir(), "c.yaml")
			keep := promptecho.OnRecordError(promptecho.Keep)
			rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), keep)
			resp := openStream(t, t.Context(), rec, p.URL, "hello there")
			live := &steppedStream{ReadCloser: resp.Body, gate: gate}
			if err := tt.read(live); err != nil {
				t.Error(err)
			}
			must.Close(t, rec)
			if got := recorded(t, file).End; got != tt.end {
				t.Errorf("end: %q, want %q", got, tt.end)
			}
			if tt.replay == nil {
				return
			}

			rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			resp = openStream(t, t.Context(), rec, p.URL, "hello there")
			pieces, err := readPieces(resp.Body)
			if !tt.replay(len(pieces), err) {
				t.Errorf("the replay ends after %d pieces with %v", len(pieces), err)
			}
			if got, want := strings.Join(pieces, ""), live.seen.String(); got != want {
				t.Errorf("replayed %q, the recorded client saw %q", got, want)
			}
			must.Close(t, rec)
		})
	}
}

// A steppedStream lets the server send one more event after each read.
type steppedStream struct {
	io.ReadCloser
	gate *fakeprovider.Gate
	seen bytes.Buffer // what was read
}

func (s *steppedStream) Read(p []byte) (int, error) {
	n, err := s.ReadCloser.Read(p)
	s.seen.Write(p[:n])
	s.gate.Step()
	return n, err
}

// readUntilDone reads to the last event of OpenAI, and closes the stream without reading its end.
func readUntilDone(s *steppedStream) error {
	for p := make([]byte, 64<<10); !strings.Contains(s.seen.String(), "[DONE]"); {
		_, err := s.Read(p)
		if err == io.EOF {
			break // it came with the last event
		}
		if err != nil {
			return err
		}
	}
	return s.Close()
}

func endsNormally(_ int, err error) bool { return err == io.EOF }

// An answer that breaks off does so at the same byte in replay, with the same error.
func TestAnswerThatBreaksOffDoesSoInReplay(t *testing.T) {
	t.Parallel()
	wantSameAnswer(t, answer{handler: writes("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi")})
}

// A canceled stream is recorded as far as the client read it, and the server sees that it left.
func TestCanceledStreamIsRecordedSoFar(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	p.Hold()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	ctx, cancel := context.WithCancel(t.Context())
	resp := openStream(t, ctx, rec, p.URL, "hello")
	first := readEvent(t, resp.Body)
	cancel()
	if err := must.ReadToEnd(resp.Body); !errors.Is(err, context.Canceled) {
		t.Errorf("the client got %v", err)
	}
	p.Wait() // the handler ends because its client left
	must.Close(t, rec)
	got := recorded(t, file)
	if got.End != interaction.EndClosed || len(got.Events) != 1 {
		t.Errorf("end %q, %d events; the client had %q", got.End, len(got.Events), first)
	}
}

// A stream that is never closed is recorded as far as the client read it.
func TestStreamLeftOpenIsRecordedSoFar(t *testing.T) {
	t.Parallel()
	p := fakeprovider.New()
	defer p.Close()
	p.Hold()
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	resp := openStream(t, t.Context(), rec, p.URL, "hello")
	readEvent(t, resp.Body)
	must.Close(t, rec)
	resp.Body.Close()
	got := recorded(t, file)
	if got.End != interaction.EndClosed || len(got.Events) != 1 {
		t.Errorf("end %q, %d events", got.End, len(got.Events))
	}
}

// A canceled replay ends with the error of net/http: the cause over HTTP/1.1, context.Canceled over HTTP/2.
func TestCanceledReplayEndsWithTheErrorOfNetHTTP(t *testing.T) {
	t.Parallel()
	stop := errors.New("the user pressed stop")
	for _, tt := range []struct {
		proto string
		want  error
	}{
		{proto: "HTTP/1.1", want: stop},
		{proto: "HTTP/2.0", want: context.Canceled},
	} {
		file := slowCassette(t, "      proto: "+tt.proto+"\n")
		rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		ctx, cancel := context.WithCancelCause(t.Context())
		resp := openSlowStream(t, ctx, rec)
		cancel(stop)
		if _, err := io.ReadAll(resp.Body); err != tt.want {
			t.Errorf("over %s: %v, want %v", tt.proto, err, tt.want)
		}
		must.Close(t, rec)
	}
}

// A client that cancels a replay between two pieces gets no further piece.
func TestCanceledReplayGivesNoFurtherPiece(t *testing.T) {
	t.Parallel()
	const url = "https://api.example.com/lines"
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode:    200,
			Header:        http.Header{"Content-Type": {"text/plain"}},
			Body:          io.NopCloser(iotest.OneByteReader(strings.NewReader("one two"))),
			ContentLength: -1,
		}, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	if err := must.ReadToEnd(roundTrip(t, t.Context(), rec, "GET", url).Body); err != nil {
		t.Fatal(err)
	}
	must.Close(t, rec)

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	ctx, cancel := context.WithCancel(t.Context())
	body := roundTrip(t, ctx, rec, "GET", url).Body
	if _, err := io.ReadFull(body, make([]byte, 3)); err != nil {
		t.Fatal(err)
	}
	cancel()
	if rest, err := io.ReadAll(body); !errors.Is(err, context.Canceled) || len(rest) > 0 {
		t.Errorf("%q, %v", rest, err)
	}
	must.Close(t, rec)
}

// An answer counts as complete once its data is decoded: other calls do not wait until it is closed.
func TestDecodedAnswerIsCompleteBeforeItIsClosed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, media string
		before      string                    // what the client reads before it decodes
		after       string                    // what it does not read
		framed      func(io.Reader) io.Reader // how the end comes
	}{
		{
			name:   "JSON, the end comes with the last bytes, as over HTTP/1.1",
			media:  "application/json",
			framed: iotest.DataErrReader,
		},
		{
			name:   "JSON, the end comes by itself",
			media:  "application/json",
			framed: func(r io.Reader) io.Reader { return r },
		},
		{
			name:   "an event, the end comes with the last bytes, as over HTTP/1.1",
			media:  "text/event-stream",
			before: "data: ",
			after:  "\n\n",
			framed: iotest.DataErrReader,
		},
		{
			name:   "an event, the end comes by itself",
			media:  "text/event-stream",
			before: "data: ",
			after:  "\n\n",
			framed: func(r io.Reader) io.Reader { return r },
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				asked, err := io.ReadAll(req.Body)
				if err != nil {
					return nil, err
				}
				took := 1 + strings.Count(string(asked), "b") // agent b is slower
				time.Sleep(time.Duration(took) * time.Millisecond)
				text := strings.NewReader(tt.before + `{"ok":true}` + tt.after)
				return &http.Response{
					StatusCode:    200,
					ProtoMajor:    1,
					ProtoMinor:    1,
					Header:        http.Header{"Content-Type": {tt.media}},
					ContentLength: -1,
					Body:          io.NopCloser(tt.framed(text)),
					Request:       req,
				}, nil
			})
			file := filepath.Join(t.TempDir(), "c.yaml")
			want, _ := decodeAtOnce(t, file, promptecho.ModeAll, upstream, len(tt.before))
			for range 2 {
				got, took := decodeAtOnce(t, file, promptecho.ModeNone, upstream, len(tt.before))
				if got != want {
					t.Errorf("replayed %s, recorded %s", got, want)
				}
				if took > time.Millisecond {
					t.Errorf("the replay took %v", took)
				}
			}
		})
	}
}

// decodeAtOnce runs two agents at once, which ask three times each, and decode what follows some bytes
// of each answer. They close all answers at their end. It returns what was decoded, in its order.
func decodeAtOnce(
	t *testing.T, file string, mode promptecho.Mode, upstream http.RoundTripper, skip int,
) (order string, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		began := time.Now()
		var mu sync.Mutex
		var decoded []string
		var agents sync.WaitGroup
		for _, agent := range []string{"a", "b"} {
			agents.Go(func() {
				for i := range 3 {
					name := fmt.Sprint(agent, i)
					resp, err := rec.Client().Post("http://h/ask", "", strings.NewReader(`{"n":"`+name+`"}`))
					if err != nil {
						t.Error(err)
						return
					}
					defer resp.Body.Close()
					io.ReadFull(resp.Body, make([]byte, skip))
					if err := json.NewDecoder(resp.Body).Decode(&struct{ OK bool }{}); err != nil {
						t.Error(err)
					}
					mu.Lock()
					decoded = append(decoded, name)
					mu.Unlock()
				}
			})
		}
		agents.Wait()
		order, took = strings.Join(decoded, " "), time.Since(began)
		must.Pass(t, rec)
	})
	return order, took
}
