package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/promptecho/promptecho/bench"
	"github.com/promptecho/promptecho/bench/internal/harness"
)

// Goals of recording: CPU time against go-vcr.
const (
	longStreamGoal  = 3
	otherAnswerGoal = 1.5
)

// recording measures the CPU time of recording and saving.
func recording(s *settings) (*table, error) {
	names := append([]string{ours}, s.peers...)
	t := &table{head: append(append([]string{"recorded"}, names...), "goal")}
	for _, r := range bench.Recordings(pick(s, 1.0, 0.1)) {
		for _, name := range names {
			if err := verifyRecording(s.dir, name, r); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", r.Workload.Name, name, err)
			}
		}
		all, err := rounds(pick(s, 20, 2), names, func(name string) (float64, error) {
			return recordingTime(s.dir, name, r)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Workload.Name, err)
		}
		t.add(recordingRow(r, s.peers, all)...)
	}
	return t, nil
}

// recordingRow is one row of the table: our CPU time, and for each peer how
// many times as much as the peer we need.
func recordingRow(r bench.Recording, peers []string, all samples) []string {
	cells := []string{title(r), all.of(ours).cell(duration)}
	reached := ""
	for _, peer := range peers {
		ratio := all.ratio(ours, peer)
		cells = append(cells, ratio.cell(times))
		if peer != "go-vcr" {
			continue
		}
		limit := otherAnswerGoal
		if r.LongStream {
			limit = longStreamGoal
		}
		reached = "go-vcr " + atMost(limit, ratio.median, times)
	}
	return append(cells, reached)
}

// title says what is recorded.
func title(r bench.Recording) string {
	size := megabytes(float64(r.Bytes()))
	label := labels[r.Workload.Name]
	if r.Calls > 1 {
		label = fmt.Sprintf("%d calls of %s", r.Calls, label)
	}
	return label + ", " + size
}

// verifyRecording returns an error unless a contender replays exactly what it
// has recorded.
func verifyRecording(dir, name string, r bench.Recording) error {
	return inNewFolder(dir, func(dir string) error {
		c, err := contender(name)
		if err != nil {
			return err
		}
		file := filepath.Join(dir, "cassette.yaml")
		if err := c.RecordCalls(file, r.Workload, r.Calls); err != nil {
			return err
		}
		return c.VerifyFile(file, r.Workload, r.Calls)
	})
}

// recordingTime returns the nanoseconds of CPU that one recording takes, with
// those of garbage collection.
func recordingTime(dir, name string, r bench.Recording) (float64, error) {
	c, err := contender(name)
	if err != nil {
		return 0, err
	}
	var took time.Duration
	err = inNewFolder(dir, func(dir string) error {
		runtime.GC()
		before := harness.CPU()
		err := c.RecordCalls(filepath.Join(dir, "cassette.yaml"), r.Workload, r.Calls)
		took = harness.CPU() - before
		return err
	})
	return float64(took), err
}

// inNewFolder calls f with a new folder in dir, and removes the folder.
func inNewFolder(dir string, f func(folder string) error) error {
	folder, err := os.MkdirTemp(dir, "recording")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return f(folder)
}
