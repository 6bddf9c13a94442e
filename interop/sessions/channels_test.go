package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
)

// A sample is what a program sends in a session over channels.
type sample struct {
	At   time.Time `json:"at"`
	Data []byte    `json:"data"`
	Note string    `json:"note,omitempty"`
}

// A level is what it receives.
type level struct {
	At    time.Time     `json:"at"`
	Sum   []byte        `json:"sum"`
	Since time.Duration `json:"since"`
}

// errOverloaded ends a session.
var errOverloaded = errors.New("meter: overloaded")

// A meter is a session over a pair of channels. It answers each sample with two levels.
type meter struct {
	ctx     context.Context
	samples chan sample
	levels  chan level
	err     error // how the session ends; it is written before levels is closed
}

// openMeter opens a session with a goroutine that is the other side.
func openMeter(ctx context.Context) (promptecho.Stream[sample, level], error) {
	m := &meter{ctx: ctx, samples: make(chan sample), levels: make(chan level), err: io.EOF}
	go m.serve()
	return m, nil
}

func (m *meter) serve() {
	defer close(m.levels)
	for {
		var s sample
		var isOpen bool
		select {
		case s, isOpen = <-m.samples:
		case <-m.ctx.Done():
		}
		if m.ctx.Err() != nil {
			m.err = m.ctx.Err()
			return
		}
		if !isOpen {
			return
		}
		if s.Note == "overload" {
			m.err = fmt.Errorf("sample at %s: %w", s.At.Format(time.RFC3339), errOverloaded)
			return
		}
		for n := range 2 {
			l := level{At: s.At.Add(time.Second), Sum: append(bytes.ToUpper(s.Data), byte(n)), Since: time.Duration(n)}
			select {
			case m.levels <- l:
			case <-m.ctx.Done():
			}
		}
	}
}

func (m *meter) Send(s sample) error {
	select {
	case m.samples <- s:
		return nil
	case <-m.ctx.Done():
		return m.ctx.Err()
	}
}

func (m *meter) CloseSend() error {
	close(m.samples)
	return nil
}

func (m *meter) Recv() (level, error) {
	l, ok := <-m.levels
	if !ok {
		return l, m.err
	}
	return l, nil
}

// sampleAt returns the sample with a number.
func sampleAt(n int, note string) sample {
	return sample{At: time.Date(2026, 5, 1, 12, 0, n, 789, time.UTC), Data: []byte{'a', byte(n), 0xff}, Note: note}
}

// A way opens the session of a meter through a recorder.
type way struct {
	open func(ctx context.Context, rec *promptecho.Recorder) (promptecho.Stream[sample, level], error)

	// knows reports whether an error is errOverloaded, live and in replay.
	knows func(err error) bool
}

var ways = map[string]way{
	"WrapStream": {
		open: func(ctx context.Context, rec *promptecho.Recorder) (promptecho.Stream[sample, level], error) {
			return promptecho.WrapStream(rec, "tool/meter", openMeter, promptecho.Sentinels(errOverloaded))(ctx)
		},
		knows: func(err error) bool { return errors.Is(err, errOverloaded) },
	},
	"Session": {
		open: func(ctx context.Context, rec *promptecho.Recorder) (promptecho.Stream[sample, level], error) {
			req, err := http.NewRequestWithContext(ctx, http.MethodGet, "meter://lab/levels?room=1", nil)
			if err != nil {
				return nil, err
			}
			s, err := rec.Session(req, func(ctx context.Context) (promptecho.Stream[[]byte, []byte], error) {
				m, err := openMeter(ctx)
				return asBytes{m}, err
			})
			return fromBytes{s}, err
		},
		knows: func(err error) bool { return strings.HasSuffix(err.Error(), errOverloaded.Error()) },
	},
}

// asBytes is a session whose messages are JSON.
type asBytes struct {
	promptecho.Stream[sample, level]
}

func (s asBytes) Send(message []byte) error {
	var m sample
	err := json.Unmarshal(message, &m)
	if err != nil {
		return err
	}
	return s.Stream.Send(m)
}

func (s asBytes) Recv() ([]byte, error) {
	m, err := s.Stream.Recv()
	if err != nil {
		return nil, err
	}
	return json.Marshal(m)
}

// fromBytes is the reverse of asBytes.
type fromBytes struct {
	promptecho.Stream[[]byte, []byte]
}

func (s fromBytes) Send(m sample) error {
	message, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return s.Stream.Send(message)
}

func (s fromBytes) Recv() (m level, err error) {
	message, err := s.Stream.Recv()
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(message, &m)
}

// A measurement is a program with two goroutines: one sends samples with notes, and one receives
// levels.
type measurement struct {
	notes   []string
	levels  int  // how many levels are received; 0 for all
	cancels bool // the program cancels the session after that; otherwise it leaves it open
}

func (m measurement) program(w way) program {
	return func(ctx context.Context, rec *promptecho.Recorder, _ string, see *notes) error {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		s, err := w.open(ctx, rec)
		if err != nil {
			return err
		}
		var sending sync.WaitGroup
		defer sending.Wait()
		var sendErr error
		sending.Go(func() {
			for n, note := range m.notes {
				sendErr = s.Send(sampleAt(n, note))
				if sendErr != nil {
					return
				}
			}
			if m.levels == 0 {
				sendErr = s.CloseSend()
			}
		})
		for n := 0; m.levels == 0 || n < m.levels; n++ {
			l, err := s.Recv()
			switch {
			case err == nil:
				see.add("levels", "%s %x %d", l.At.Format(time.RFC3339Nano), l.Sum, l.Since)
				continue
			case err == io.EOF, w.knows(err):
				see.add("levels", "the end: %v", err)
			default:
				return err
			}
			sending.Wait()
			return sendErr
		}
		if !m.cancels {
			return nil
		}
		cancel()
		for err == nil {
			_, err = s.Recv()
		}
		see.add("levels", "the end: %v", err)
		return nil
	}
}

// Sessions over channels, with times and bytes, replay in a program with two goroutines. They replay
// to the end, to an error, until the context is canceled, and where nothing reads to the end.
func TestSessionsOverChannels(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		measurement
		end string // in the cassette; "" for none
	}{
		"to the end":           {measurement{notes: []string{"a", "b", "c"}}, ""},
		"to an error":          {measurement{notes: []string{"a", "overload"}}, "error"},
		"until it is canceled": {measurement{notes: []string{"a", "b"}, levels: 3, cancels: true}, "closed"},
		"not to the end":       {measurement{notes: []string{"a", "b"}, levels: 3}, "closed"},
	}
	for how, w := range ways {
		for name, tt := range tests {
			t.Run(how+" "+name, func(t *testing.T) {
				t.Parallel()
				nowhere := httptest.NewServer(nil) // sessions over channels need no server
				file := replays(t, nowhere, tt.program(w))
				text := read(t, file)
				if tt.end != "" && !strings.Contains(text, "end: "+tt.end) || tt.end == "" && strings.Contains(text, "end: ") {
					t.Errorf("the session does not end with %q:\n%s", tt.end, text)
				}
				if want := "at: \"2026-05-01T12:00:00.000000789Z\""; !strings.Contains(strings.ReplaceAll(text, "'", "\""), want) && !strings.Contains(text, strings.ReplaceAll(want, "\"", "")) {
					t.Errorf("the time of a message is not readable:\n%s", text)
				}
				other := slices.Clone(tt.notes)
				other[0] = "another note"
				changed := tt.measurement
				changed.notes = other
				err := wantMiss(t, file, "", changed.program(w), "note", "another note")
				var miss *promptecho.MissError
				if !errors.As(err, &miss) || miss.Line == 0 {
					t.Errorf("the program gets %v", err)
				}
			})
		}
	}
}
