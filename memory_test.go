package promptecho

import (
	"fmt"
	"io"
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
	"github.com/promptecho/promptecho/internal/rewrite"
)

// peakHeap returns by how many bytes the heap grows at most while f runs: what each collection
// found alive, and they run often, so that the result does not depend on what else the process
// has left behind or on how busy the machine is.
func peakHeap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
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
	if err := rewrite.Save(file, seal(f)); err != nil {
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

// TestMemoryOfARecording: a large answer is not read as values, which takes more than ten times its
// bytes, and what is written is given back, also while the test keeps its recorder.
func TestMemoryOfARecording(t *testing.T) {
	// Not parallel: it measures the heap.
	if underRace {
		return // it has other figures
	}
	t.Setenv("CI", "")
	rows := make([]string, 120_000)
	for i := range rows {
		rows[i] = fmt.Sprintf(`{"id":%d,"title":"The row %d","text":"a text of some words that say nothing at all"}`, i, i)
	}
	answer := `{"rows":[` + strings.Join(rows, ",") + `],"model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}`
	rows = nil
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(r *Recorder) (n int) {
		resp, err := r.Client().Post("http://h/v1/embeddings", "application/json", strings.NewReader(`{"model":"m","input":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		n64, err := io.Copy(io.Discard, resp.Body)
		if resp.Body.Close(); err != nil {
			t.Fatal(err)
		}
		return int(n64)
	}
	var r *Recorder
	peak := peakHeap(func() {
		r = mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(answer)), ContentLength: -1, Request: req}, nil
		})))
		ask(r)
	})
	if most := uint64(7 * len(answer)); peak > most {
		t.Errorf("the heap grew by %d MB for an answer of %d MB", peak>>20, len(answer)>>20)
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	kept := heap()
	runtime.KeepAlive(r)
	r = nil
	if kept = kept - min(kept, heap()); kept > uint64(len(answer)/4) {
		t.Errorf("a recorder that is closed keeps %d MB", kept>>20)
	}
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if it := f.Interactions[0]; string(it.Response.Body) != answer || it.Usage == nil || it.Usage.InputTokens != 7 {
		t.Errorf("recorded %d bytes with usage %+v", len(it.Response.Body), it.Usage)
	}
	r = mustOpen(t, file, InMode(ModeNone))
	if n := ask(r); n != len(answer) {
		t.Errorf("replayed %d bytes of %d", n, len(answer))
	}
	mustClose(t, r)
}

// TestMemoryOfATalk: of what is recorded, the text that is written is kept, and not the request, its
// form and the answer beside it; what turns repeat takes no more when it is written. All of them took
// 4.4 and 11.6 times the bytes of such a conversation.
func TestMemoryOfATalk(t *testing.T) {
	// Not parallel: it measures the heap.
	if underRace {
		return // it has other figures
	}
	t.Setenv("CI", "")
	const turns = 300
	said := strings.Repeat("It was said before, and it is said again. ", 5)
	var asks []string
	history, size := "", 0
	for i := range turns {
		history += fmt.Sprintf(`{"role":"user","content":"question %d: %s"}`, i, said)
		asks = append(asks, `{"model":"m","messages":[`+history+`]}`)
		history += fmt.Sprintf(`,{"role":"assistant","content":"answer %d"},`, i)
		size += len(asks[i])
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	talk := func(r *Recorder) {
		for i, ask := range asks {
			resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(ask))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if resp.Body.Close(); err != nil || string(body) != fmt.Sprintf(`{"answer":%d}`, i) {
				t.Fatalf("answer %d is %s (%v)", i, body, err)
			}
		}
	}
	n := 0
	r := mustOpen(t, file, InMode(ModeAll), Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		n++
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(fmt.Sprintf(`{"answer":%d}`, n-1))), Request: req}, nil
	})))
	if peak := peakHeap(func() { talk(r); runtime.GC() }); peak > uint64(2*size) {
		t.Errorf("the heap grew by %.1f times what was recorded", float64(peak)/float64(size))
	}
	if peak := peakHeap(func() { mustClose(t, r) }); peak > uint64(2*size) {
		t.Errorf("writing took %.1f times what was recorded", float64(peak)/float64(size))
	}
	r = mustOpen(t, file, InMode(ModeNone))
	talk(r)
	mustClose(t, r)
}
