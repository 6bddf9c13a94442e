package large_test

import (
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/cassette/rewrite"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// peakHeap returns the number of bytes by which the heap grows at most while f
// runs. It reads what each collection found alive, and makes collections
// frequent. Objects that are allocated during a collection count as alive, so
// the result is too high on a busy machine.
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
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
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
	func() {
		defer func() { // also if the test ends in f
			close(stop)
			<-stopped
		}()
		f()
	}()
	return max(peak, held()) - before
}

// A memoryJob is a job whose need of memory is promised.
type memoryJob struct {
	name string

	// run does the job with size bytes and returns how much the heap grew.
	run func(tb testing.TB, size int) (peak uint64)

	// size is in bytes. The test compares a job of this size with one that has
	// four times as much.
	size int

	// times is how many bytes each further byte of the job takes. 0 means that
	// the memory does not grow with the job.
	times float64
}

var memoryJobs = []memoryJob{
	// A miss is compared with all recordings, which need not fit into memory.
	{"a miss", memoryOfAMiss, 20 << 20, 0},
	// A large answer is not read as values, which would take more than ten times
	// its bytes.
	{"recording a large answer", memoryOfALargeAnswer, 3 << 20, 7},
	// Of a recording the text that is written is kept, and not the request and
	// its form.
	{"recording a conversation", memoryOfAConversation, 3 << 20, 2},
	// The turns that a conversation repeats take no memory when it is written.
	{"writing a conversation", memoryOfWritingAConversation, 3 << 20, 2},
	{"reading a stream", memoryOfAStream, 20 << 20, 1.25},
	// The journal and the cassette are written.
	{"recording a stream", memoryOfAJournaledStream, 20 << 20, 6},
	{"recording an upload", memoryOfAnUpload(promptecho.ModeAll), 16 << 20, 0},
	{"replaying an upload", memoryOfAnUpload(promptecho.ModeNone), 16 << 20, 0},
	{"adding an upload", memoryOfAnUpload(promptecho.ModeUpdate), 16 << 20, 0},
}

// TestMemory holds each job to its promise. It compares two sizes of the same
// job, so that it does not depend on what the job takes however small it is.
func TestMemory(t *testing.T) {
	// Not parallel: it measures the heap.
	full.Only(t, "TestMissKeepsFewRecordings")
	for _, job := range memoryJobs {
		t.Run(job.name, func(t *testing.T) {
			small := float64(job.run(t, job.size))
			large := float64(job.run(t, 4*job.size))
			more := large - small
			t.Logf("the heap grew by %.1f MB for %d MB, and by %.1f MB for %d MB", small/1e6, job.size>>20, large/1e6, 4*job.size>>20)
			if job.times == 0 && more > small+8e6 {
				t.Errorf("the memory grows with the job: %.1f MB, and %.1f MB for four times as much", small/1e6, large/1e6)
			}
			if times := more / float64(3*job.size); job.times > 0 && times > job.times {
				t.Errorf("each further byte takes %.2f bytes of memory, want at most %.2f", times, job.times)
			}
		})
	}
}

// BenchmarkMemory reports how much the heap grows for each of the jobs.
//
//	go test -run '^$' -bench Memory -benchtime 1x ./tests/large
func BenchmarkMemory(b *testing.B) {
	for _, job := range memoryJobs {
		b.Run(strings.ReplaceAll(job.name, " ", "-"), func(b *testing.B) {
			peak := uint64(0)
			for b.Loop() {
				peak = max(peak, job.run(b, 4*job.size))
			}
			b.ReportMetric(float64(peak)/1e6, "MB-peak")
			b.ReportMetric(float64(4*job.size)/1e6, "MB-job")
		})
	}
}

// memoryOfAMiss asks for what differs in a word from one of the recordings of a
// cassette of this size.
func memoryOfAMiss(tb testing.TB, size int) uint64 {
	tb.Helper()
	words := strings.Repeat("All work and no play makes Jack a dull boy. ", 233)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	f := new(cassette.File)
	for i := range size / len(words) {
		f.Interactions = append(f.Interactions, &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(must.ChatBody(fmt.Sprint(i, " ", words)))},
			Response: interaction.Response{Status: 200, Body: []byte(`{"ok":true}`)},
		})
	}
	if err := rewrite.Save(file, must.Seal(f)); err != nil {
		tb.Fatal(err)
	}
	f = nil
	return peakHeap(func() {
		r := must.Open(tb, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(must.ChatBody("1000 NEW "+words)))
		if err != nil || resp.StatusCode != http.StatusTeapot {
			tb.Fatal(resp, err)
		}
		resp.Body.Close()
		if err := r.Close(); err == nil || !strings.Contains(err.Error(), "{+NEW +}") {
			tb.Errorf("Close: %v", err)
		}
	})
}

// rowsOfAnswer returns an answer of this many rows, and its usage.
func rowsOfAnswer(rows int) string {
	all := make([]string, rows)
	for i := range all {
		all[i] = fmt.Sprintf(`{"id":%d,"title":"The row %d","text":"a text of some words that say nothing at all"}`, i, i)
	}
	return `{"rows":[` + strings.Join(all, ",") + `],"model":"m","usage":{"prompt_tokens":7,"total_tokens":7}}`
}

// askForRows asks for an answer and returns its length.
func askForRows(tb testing.TB, r *promptecho.Recorder) int {
	tb.Helper()
	resp, err := r.Client().Post("http://h/v1/embeddings", "application/json", strings.NewReader(`{"model":"m","input":"x"}`))
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return int(n)
}

// memoryOfALargeAnswer records an answer.
func memoryOfALargeAnswer(tb testing.TB, size int) uint64 {
	tb.Helper()
	answer := rowsOfAnswer(size / 85)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	return peakHeap(func() {
		r := must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(answer)))
		askForRows(tb, r)
		must.Close(tb, r)
	})
}

// TestUsageOfALargeAnswer: an answer of many rows is recorded and replayed
// whole, and the usage behind its rows is found.
func TestUsageOfALargeAnswer(t *testing.T) {
	t.Parallel()
	answer := rowsOfAnswer(full.Cases(1000, 100_000))
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(answer)))
	askForRows(t, r)
	must.Close(t, r)
	f, err := cassette.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	it := f.Interactions[0]
	if string(it.Response.Body) != answer || it.Usage == nil || it.Usage.InputTokens != 7 {
		t.Errorf("recorded %d bytes with usage %+v", len(it.Response.Body), it.Usage)
	}
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if n := askForRows(t, r); n != len(answer) {
		t.Errorf("replayed %d bytes of %d", n, len(answer))
	}
	must.Close(t, r)
}

// TestMemoryOfAClosedRecorder: a recorder that is closed has given back the
// answers that it recorded, also while the test keeps it.
func TestMemoryOfAClosedRecorder(t *testing.T) {
	// Not parallel: it measures the heap.
	full.Only(t, "TestUsageOfALargeAnswer")
	answer := rowsOfAnswer(120_000)
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(answer)))
	askForRows(t, r)
	must.Close(t, r)
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
		t.Errorf("a recorder that is closed keeps %d MB of an answer of %d MB", kept>>20, len(answer)>>20)
	}
}

// A conversation has turns that each repeat all turns before.
type conversation struct {
	asks []string
}

// newConversation returns a conversation whose requests have this size in all.
func newConversation(size int) *conversation {
	c := new(conversation)
	said := strings.Repeat("It was said before, and it is said again. ", 5)
	history := ""
	for i := 0; size > 0; i++ {
		history += fmt.Sprintf(`{"role":"user","content":"question %d: %s"}`, i, said)
		c.asks = append(c.asks, `{"model":"m","messages":[`+history+`]}`)
		history += fmt.Sprintf(`,{"role":"assistant","content":"answer %d"},`, i)
		size -= len(c.asks[i])
	}
	return c
}

// upstream answers each request with its number.
func (c *conversation) upstream() promptecho.Option {
	n := 0
	return promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
		n++
		return provider.Says(fmt.Sprintf(`{"answer":%d}`, n-1)).RoundTrip(req)
	}))
}

// hold asks all turns, and checks their answers.
func (c *conversation) hold(tb testing.TB, r *promptecho.Recorder) {
	tb.Helper()
	for i, ask := range c.asks {
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(ask))
		if err != nil {
			tb.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || string(body) != fmt.Sprintf(`{"answer":%d}`, i) {
			tb.Fatalf("answer %d is %s (%v)", i, body, err)
		}
	}
}

func memoryOfAConversation(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	c := newConversation(size)
	r := must.Open(tb, filepath.Join(tb.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), c.upstream())
	peak = peakHeap(func() {
		c.hold(tb, r)
		runtime.GC()
	})
	must.Close(tb, r)
	return peak
}

func memoryOfWritingAConversation(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	c := newConversation(size)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	r := must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), c.upstream())
	c.hold(tb, r)
	return peakHeap(func() { must.Close(tb, r) })
}

// TestLongConversation: a conversation whose turns repeat each other is recorded
// and replayed, and its cassette does not repeat the turns.
func TestLongConversation(t *testing.T) {
	t.Parallel()
	c := newConversation(full.Cases(100<<10, 8<<20))
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode), c.upstream())
		c.hold(t, r)
		must.Close(t, r)
	}
	if text, asked := must.Read(t, file), strings.Join(c.asks, ""); len(text) > len(asked)/2 {
		t.Errorf("the cassette has %d bytes for requests of %d bytes", len(text), len(asked))
	}
}

// memoryOfAStream reads a stream that is recorded, and neither journaled nor
// written: its answer is a failure, and the recorder refuses those.
func memoryOfAStream(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	body := provider.NewStream(size, func(int) { peak = max(peak, heap()-min(before, heap())) })
	r := must.Open(tb, filepath.Join(tb.TempDir(), "c.yaml"), promptecho.OnRecordError(promptecho.Fail), promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) {
		return body.Response(500), nil
	})))
	must.Engine(r).Tape().Journal = tape.Journal{}
	resp, err := r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
	if err != nil {
		tb.Fatal(err)
	}
	if n, err := io.Copy(io.Discard, resp.Body); int(n) != body.Sent() || err != nil {
		tb.Fatalf("%d bytes, %v", n, err)
	}
	if err := r.Close(); err == nil || !strings.Contains(err.Error(), "status 500") {
		tb.Errorf("Close: %v", err)
	}
	return peak
}

// memoryOfAJournaledStream records a stream into a journal and a cassette.
func memoryOfAJournaledStream(tb testing.TB, size int) uint64 {
	tb.Helper()
	body := provider.NewStream(size, func(int) {})
	file := filepath.Join(tb.TempDir(), "c.yaml")
	return peakHeap(func() {
		r := must.Open(tb, file, promptecho.Upstream(provider.Func(func(*http.Request) (*http.Response, error) { return body.Response(200), nil })))
		resp, err := r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
		if err != nil {
			tb.Fatal(err)
		}
		if err := must.ReadToEnd(resp.Body); err != nil {
			tb.Fatal(err)
		}
		if info, err := os.Stat(file + must.JournalSuffix); err != nil || info.Size() < int64(body.Sent()) {
			tb.Errorf("the journal: %v, %v", info, err)
		}
		must.Close(tb, r)
	})
}

// memoryOfAnUpload sends a file of this size in a mode. It records the file
// before, except for a mode that records.
func memoryOfAnUpload(mode promptecho.Mode) func(tb testing.TB, size int) uint64 {
	return func(tb testing.TB, size int) uint64 {
		tb.Helper()
		s := provider.Digests(tb, new(atomic.Int32))
		file := filepath.Join(tb.TempDir(), "a.yaml")
		upload := func(mode promptecho.Mode, size int) (answer string) {
			r, w := io.Pipe()
			form := multipart.NewWriter(w)
			_ = form.SetBoundary("B")
			go func() {
				part, _ := form.CreateFormFile("file", "x.mp3")
				_, _ = io.Copy(part, io.LimitReader(provider.Zeros{}, int64(size)))
				form.Close()
				w.Close()
			}()
			req, err := http.NewRequest("POST", s.URL+"/v1/audio/transcriptions", r)
			if err != nil {
				tb.Fatal(err)
			}
			req.Header.Set("Content-Type", form.FormDataContentType())
			return must.Upload(tb, file, mode, req)
		}
		switch mode {
		case promptecho.ModeNone:
			upload(promptecho.ModeAll, size)
		case promptecho.ModeUpdate: // it adds an upload to another one
			upload(promptecho.ModeAll, size+1)
		}
		answer := ""
		peak := peakHeap(func() { answer = upload(mode, size) })
		if len(answer) != 64 {
			tb.Errorf("mode %s: %s", mode, answer)
		}
		if text, err := os.ReadFile(file); err != nil || len(text) > 4<<10 {
			tb.Errorf("the cassette has %d bytes, %v", len(text), err)
		}
		return peak
	}
}
