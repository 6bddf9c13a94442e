package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/promptecho/promptecho/bench"
)

// memoryGoal is the most bytes of memory for each byte that is recorded.
const memoryGoal = 3.5

// memory measures the peak of memory while a session records and saves, in
// bytes for each byte of requests and answers.
func memory(s *settings) (*table, error) {
	names := append([]string{ours}, s.peers...)
	t := &table{head: append(append([]string{"recorded"}, names...), "goal")}
	for _, r := range bench.Recordings(pick(s, 10.0, 1.0)) {
		all, err := rounds(pick(s, 3, 1), names, func(name string) (float64, error) {
			return memoryShare(s.dir, name, r)
		})
		if err != nil {
			return nil, fmt.Errorf("%s: %w", r.Workload.Name, err)
		}
		cells := []string{title(r)}
		for _, name := range names {
			cells = append(cells, all.of(name).cell(times))
		}
		t.add(append(cells, atMost(memoryGoal, all.of(ours).median, times))...)
	}
	return t, nil
}

// memoryShare returns the peak of memory of one recording, divided by the
// bytes that are recorded.
func memoryShare(dir, name string, r bench.Recording) (float64, error) {
	// Collect often: what is alive counts, and not the garbage beside it.
	const percent = 10
	defer debug.SetGCPercent(debug.SetGCPercent(percent))

	c, err := contender(name)
	if err != nil {
		return 0, err
	}
	before := alive()
	var peak uint64
	err = inNewFolder(dir, func(dir string) (err error) {
		peak, err = peakOf(func() error {
			return c.RecordCalls(filepath.Join(dir, "cassette.yaml"), r.Workload, r.Calls)
		})
		return err
	})
	held := max(0, float64(peak)-float64(before))
	runtime.KeepAlive(r)
	return held / float64(r.Bytes()), err
}

// alive returns the bytes of heap that are reachable.
func alive() uint64 {
	runtime.GC()
	runtime.GC() // a sync.Pool gives back what it has in the second collection
	return lastAlive()
}

// lastAlive returns the bytes that the last collection found reachable.
func lastAlive() uint64 {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}

// peakOf returns the most bytes that were reachable while f ran.
func peakOf(f func() error) (uint64, error) {
	stop := make(chan struct{})
	peaks := make(chan uint64)
	go func() {
		var peak uint64
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				peaks <- peak
				return
			case <-tick.C:
				peak = max(peak, lastAlive())
			}
		}
	}()
	err := f()
	close(stop)
	return max(<-peaks, lastAlive()), err
}
