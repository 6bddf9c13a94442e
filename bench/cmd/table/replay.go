package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/bench"
)

// replayGoals say how many times as long as promptecho the peers shall take.
var replayGoals = []struct {
	workload, peer string
	limit          float64
}{
	{"1KB", "go-vcr", 6},
	{"8KB", "go-vcr", 15},
	{"8KB", "httprr", 1},
	{"100KB", "go-vcr", 45},
	{"100KB", "httprr", 1},
	{"SSE", "go-vcr", 4},
}

// callsOfTest is the number of calls of a typical test.
const callsOfTest = 5

// replay measures a typical test: open a cassette, make five calls, close it.
func replay(s *settings) (*table, error) {
	names := append([]string{ours}, s.peers...)
	t := &table{head: append(append([]string{"requests"}, names...), "goal")}
	for _, w := range bench.Tests() {
		all, err := replays(s, w, names)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.Name, err)
		}
		t.add(replayRow(w.Name, s.peers, all)...)
	}
	return t, nil
}

// replayRow is one row of the table: our time, and for each peer how many
// times as long it takes.
func replayRow(workload string, peers []string, all samples) []string {
	cells := []string{labels[workload], all.of(ours).cell(duration)}
	for _, peer := range peers {
		cells = append(cells, all.ratio(peer, ours).cell(times))
	}
	var verdicts []string
	for _, g := range replayGoals {
		if g.workload != workload || !slices.Contains(peers, g.peer) {
			continue
		}
		reached := atLeast(g.limit, all.ratio(g.peer, ours).median, times)
		verdicts = append(verdicts, g.peer+" "+reached)
	}
	return append(cells, strings.Join(verdicts, "<br>"))
}

// A replayer replays the same cassette again and again.
type replayer struct {
	contender bench.Contender
	caller    *bench.Caller
	file      string
	bodies    [][]byte
	batch     int // tests in one sample
}

// replays returns the nanoseconds that a test takes with each contender.
func replays(s *settings, w *bench.Workload, names []string) (samples, error) {
	replayers := map[string]*replayer{}
	for _, name := range names {
		r, err := newReplayer(s.dir, name, w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		replayers[name] = r
	}
	return rounds(pick(s, 100, 5), names, func(name string) (float64, error) {
		return replayers[name].sample()
	})
}

func newReplayer(dir, name string, w *bench.Workload) (*replayer, error) {
	c, err := contender(name)
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(dir, "replay", w.Name, name)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return nil, err
	}
	r := &replayer{
		contender: c,
		caller:    bench.NewCaller(),
		file:      filepath.Join(folder, "cassette.yaml"),
		bodies:    w.Requests(callsOfTest),
		batch:     1,
	}
	if err := c.RecordCalls(r.file, w, callsOfTest); err != nil {
		return nil, err
	}
	if err := c.VerifyFile(r.file, w, callsOfTest); err != nil {
		return nil, err
	}
	return r, r.calibrate()
}

// calibrate sets the batch so that a sample takes about ten milliseconds: long
// enough for the clock and for a share of garbage collection, short enough for
// many rounds.
func (r *replayer) calibrate() error {
	const sampleTime = 10 * time.Millisecond
	ns, err := r.sample()
	if err != nil {
		return err
	}
	r.batch = max(1, int(float64(sampleTime)/ns))
	return nil
}

// sample returns the nanoseconds of one test, the mean of a batch.
func (r *replayer) sample() (float64, error) {
	runtime.GC() // the garbage of the contender before is not ours
	began := time.Now()
	for range r.batch {
		session, err := r.contender.Replay(r.file, false)
		if err != nil {
			return 0, err
		}
		if err := r.caller.Run(session, r.bodies); err != nil {
			return 0, err
		}
	}
	return float64(time.Since(began)) / float64(r.batch), nil
}

// contender returns the contender of a name that keeps files.
func contender(name string) (bench.Contender, error) {
	c, ok := bench.ByName(name)
	if !ok || c.InMemory {
		return c, fmt.Errorf("no contender %q that has files", name)
	}
	return c, nil
}
