package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/promptecho/promptecho"
)

// A weight is work of which the memory is measured.
type weight struct {
	name string
	of   func(n int) talk
	n    int
}

// weights are the rows of the table of memory.
var weights = []weight{
	{"one JSON answer", large, 71_000_000},
	{"5,000 vectors", vectors, 5000},
	{"a conversation of 1,000 turns", conversation, 1000},
	{"a stream of 200,000 events", stream, 200_000},
	{"20,000 calls", distinct, 20_000},
}

// memory makes the table of memory: the bytes of heap that recording holds for each byte that is recorded.
func memory(dir string, part int) (table []byte, err error) {
	var b bytes.Buffer
	fmt.Fprintln(&b, "| recorded | bytes | at most | until it is written | afterwards |\n|---|--:|--:|--:|--:|")
	for _, w := range weights {
		line, err := w.line(dir, w.n/part)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", w.name, err)
		}
		b.WriteString(line)
	}
	return b.Bytes(), nil
}

func (w *weight) line(dir string, n int) (string, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // what is alive, and little that is not
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	t := w.of(n)
	size := 0
	for i := range t.n {
		size += len(t.ask(i))
		for _, piece := range t.answer(i) {
			size += len(piece)
		}
	}
	before := alive()
	share := func(held uint64) float64 { return max(0, float64(held)-float64(before)) / float64(size) }
	var r *promptecho.Recorder
	var until uint64
	peak, err := watched(func() (err error) {
		r, err = promptecho.Open(filepath.Join(dir, "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(t.upstream()))
		return t.through(session{r, func() error {
			until = alive()
			return r.Close()
		}}, err)
	})
	line := fmt.Sprintf("| %s | %.1f MB | %.1f | %.1f | %.1f |\n", w.name, float64(size)/1e6, share(peak), share(until), share(alive()))
	runtime.KeepAlive(r)
	runtime.KeepAlive(t)
	return line, err
}

// alive returns the bytes of heap that are alive.
func alive() uint64 {
	runtime.GC()
	runtime.GC() // what a pool has is given back by the second one
	return held()
}

// held returns the bytes that the last collection found alive.
func held() uint64 {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}

// watched returns the most that was alive while f ran.
func watched(f func() error) (peak uint64, err error) {
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				peak = max(peak, held())
			}
		}
	}()
	err = f()
	close(stop)
	<-over
	return max(peak, held()), err
}
