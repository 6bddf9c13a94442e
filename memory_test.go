package promptecho

import (
	"fmt"
	"net/http"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// peakHeap returns by how many bytes the heap grows at most while f runs. The collector runs
// often meanwhile, or the result would be when it happens to run.
func peakHeap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	held := func() uint64 {
		metrics.Read(heap)
		return heap[0].Value.Uint64()
	}
	before := held()
	peak := before
	stop, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		for tick := time.NewTicker(time.Millisecond); ; {
			select {
			case <-stop:
				tick.Stop()
				return
			case <-tick.C:
				peak = max(peak, held())
			}
		}
	}()
	func() {
		defer func() { close(stop); <-over }() // also if the test ends in f
		f()
	}()
	return max(peak, held()) - before
}

// TestMemoryOfAMiss: the recordings with which a miss is compared need not fit into memory.
// Here they have 40 MB; what is needed does not grow with that, and was 25 MB for 100 MB.
func TestMemoryOfAMiss(t *testing.T) {
	// Not parallel: it measures the heap.
	if underRace {
		return // it has other figures
	}
	words := strings.Repeat("All work and no play makes Jack a dull boy. ", 233)
	file := filepath.Join(t.TempDir(), "c.yaml")
	f := new(cassette.File)
	for i := range 4_000 {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(prompt(fmt.Sprint(i, " ", words)))},
			Response: interaction.Response{Status: 200, Body: []byte(`{"ok":true}`)},
		})
	}
	if err := cassette.Save(file, seal(f)); err != nil {
		t.Fatal(err)
	}
	f = nil
	peak := peakHeap(func() {
		r := mustOpen(t, file, InMode(ModeNone), AllowUnused())
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(prompt("2000 NEW "+words)))
		if err != nil || resp.StatusCode != http.StatusTeapot {
			t.Fatal(resp, err)
		}
		resp.Body.Close()
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "{+NEW +}") {
			t.Errorf("Close: %v", err)
		}
	})
	if peak > 32<<20 {
		t.Errorf("the heap grew by %d MB", peak>>20)
	}
}
