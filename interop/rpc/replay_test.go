package rpc

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echogrpc"
	"github.com/promptecho/promptecho/internal/testing/full"
	"google.golang.org/grpc"
)

// A run is one run of a program: its recorder, and the options of its client.
type run struct {
	rec     *promptecho.Recorder
	options []grpc.DialOption
}

// A program makes a client, calls a server, and closes the client. It returns what the client returned
// for a call that should succeed.
type program func(context.Context, run) error

// A recording is a cassette that a program has made, and what the program saw.
type recording struct {
	file    string
	program program
	saw     []*exchange
	options []promptecho.Option
}

// record runs a program with a server, and stops the server.
func record(t *testing.T, s *grpc.Server, p program, options ...promptecho.Option) *recording {
	t.Helper()
	r := &recording{file: filepath.Join(t.TempDir(), "cassette.yaml"), program: p, options: options}
	rec, err := promptecho.Open(r.file, append(options, promptecho.InMode(promptecho.ModeAll))...)
	if err != nil {
		t.Fatal(err)
	}
	w := new(watcher)
	toServer := slices.Concat(serve(t, s), w.options(), echogrpc.DialOptions(rec))
	err = p(t.Context(), run{rec, toServer})
	if err != nil {
		t.Fatalf("recording: %v", err)
	}
	s.Stop()
	err = rec.Close()
	if err != nil {
		t.Fatalf("recording: %v", err)
	}
	r.saw = w.sorted()
	return r
}

// replays replays the recording, and reports whatever differs. A bubble fails if a goroutine is left in
// it at its end.
func (r *recording) replays(t *testing.T) {
	t.Helper()
	for i := range full.Cases(3, 200) {
		synctest.Test(t, func(t *testing.T) {
			w := new(watcher)
			closed := r.replay(t, w, func(ctx context.Context, at run) {
				err := r.program(ctx, at)
				if err != nil {
					t.Errorf("replay %d: %v", i, err)
				}
			})
			if closed != nil {
				t.Errorf("replay %d: %v", i, closed)
			}
			difference := differences(r.saw, w.sorted())
			if difference != "" {
				t.Errorf("replay %d: %s", i, difference)
			}
		})
		if t.Failed() {
			return
		}
	}
}

// replay runs a program with the recording and without a server. It returns the error of Close.
func (r *recording) replay(t *testing.T, w *watcher, p func(context.Context, run)) error {
	t.Helper()
	rec, err := promptecho.Open(r.file, append(r.options, promptecho.InMode(promptecho.ModeNone))...)
	if err != nil {
		t.Fatal(err)
	}
	names, connections := new(lookups), new(dials)
	options := slices.Concat(
		// Google's clients connect when they are made. They must get the dialler that dials nothing.
		[]grpc.DialOption{grpc.WithResolvers(names), grpc.WithContextDialer(connections.dial)},
		w.options(),
		echogrpc.DialOptions(rec),
	)
	p(t.Context(), run{rec, options})
	if names.Load() > 0 || connections.Load() > 0 {
		t.Errorf("%d look-ups and %d dials in replay", names.Load(), connections.Load())
	}
	return rec.Close()
}

// A change is one call that differs from what is recorded.
type change struct {
	name string
	ask  func(context.Context, run) (line string, err error)
	want string // of the report: the field that differs
}

// misses makes calls that are not recorded, each in a run of its own. The client must make one attempt, and
// return at once; the report names the field, and the line of the test.
func (r *recording) misses(t *testing.T, changes ...change) {
	t.Helper()
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := new(watcher)
				var line string
				closed := r.replay(t, w, func(ctx context.Context, at run) {
					began := time.Now()
					var err error
					line, err = c.ask(ctx, at)
					// The clock of a bubble stands until all goroutines wait. The recorder
					// waits for other calls for up to 100 ms; a client that retries, longer.
					waited := time.Since(began)
					if err == nil || waited > time.Second {
						t.Errorf("the client returned %v after %v, want an error at once", err, waited)
					}
				})
				var miss *promptecho.MissError
				if !errors.As(closed, &miss) {
					t.Fatalf("Close returned %v, want a miss", closed)
				}
				if miss.Count != 1 {
					t.Errorf("the client made %d attempts, want one", miss.Count)
				}
				if miss.Code != "request-changed" || !strings.Contains(miss.Reason, c.want) {
					t.Errorf("code %s, reason %q; want request-changed, and %q", miss.Code, miss.Reason, c.want)
				}
				if !strings.Contains(miss.Caller, line) {
					t.Errorf("the caller is %q, want %s\n%v", miss.Caller, line, miss)
				}
			})
		})
	}
}

// nextLine returns the line after that of its caller, as reports name it.
func nextLine() string {
	_, file, line, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line+1)
}

// atOnce calls ask with the numbers from 0 to n-1, all at once, and returns the first error.
func atOnce(n int, ask func(i int) error) error {
	var wg sync.WaitGroup
	failed := make([]error, n)
	for i := range n {
		wg.Go(func() { failed[i] = ask(i) })
	}
	wg.Wait()
	return errors.Join(failed...)
}
