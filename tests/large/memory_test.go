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
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The memory of a run grows with what it stores, by a bounded factor, or not at all.
//
// Two sizes of the same job are compared, so that the result does not depend on what the job takes
// however small it is.
func TestMemoryIsBounded(t *testing.T) {
	// Not parallel: it measures the heap.
	full.Only(t, "TestMissKeepsFewRecordingsInMemory")
	for _, job := range memoryJobs {
		t.Run(job.name, func(t *testing.T) {
			small := float64(job.run(t, job.size))
			large := float64(job.run(t, 4*job.size))
			t.Logf("the heap grew by %.1f MB for %d MB, and by %.1f MB for %d MB",
				small/1e6, job.size>>20, large/1e6, 4*job.size>>20)

			more := large - small
			if job.factor == 0 {
				if more > small+8e6 {
					t.Errorf("the memory grows with the job: %.1f MB, and %.1f MB for four times as much",
						small/1e6, large/1e6)
				}
				return
			}
			factor := more / float64(3*job.size)
			if factor > job.factor {
				t.Errorf("each further byte takes %.2f bytes of memory, want at most %.2f", factor, job.factor)
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

// A memoryJob is a job whose need of memory is promised.
type memoryJob struct {
	name string

	// run does the job with size bytes and returns how much the heap grew.
	run func(tb testing.TB, size int) (peak uint64)

	// size is in bytes. The test compares a job of this size with one that has
	// four times as much.
	size int

	// factor is how many bytes each further byte of the job takes. 0 means that
	// the memory does not grow with the job.
	factor float64
}

var memoryJobs = []memoryJob{
	// A miss is compared with all recordings, which need not fit into memory.
	{name: "a miss", run: memoryOfAMiss, size: 20 << 20, factor: 0},
	// A large answer is not read as values, which would take more than ten times
	// its bytes.
	{name: "recording a large answer", run: memoryOfALargeAnswer, size: 3 << 20, factor: 7},
	// Of a recording the text that is written is kept, and not the request and
	// its form.
	{name: "recording a conversation", run: memoryOfAConversation, size: 3 << 20, factor: 2},
	// The turns that a conversation repeats take no memory when it is written.
	{name: "writing a conversation", run: memoryOfWritingAConversation, size: 3 << 20, factor: 2},
	{name: "reading a stream", run: memoryOfAStream, size: 20 << 20, factor: 1.25},
	// The journal and the cassette are written.
	{name: "recording a stream", run: memoryOfAJournaledStream, size: 20 << 20, factor: 6},
	{name: "recording an upload", run: memoryOfAnUpload(promptecho.ModeAll), size: 16 << 20, factor: 0},
	{name: "replaying an upload", run: memoryOfAnUpload(promptecho.ModeNone), size: 16 << 20, factor: 0},
	{name: "adding an upload", run: memoryOfAnUpload(promptecho.ModeUpdate), size: 16 << 20, factor: 0},
}

// peakHeap returns the number of bytes by which the heap grows at most while f
// runs. It reads what each collection found alive, and makes collections
// frequent. Objects that are allocated during a collection count as alive, so
// the result is too high on a busy machine.
func peakHeap(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	runtime.GC()
	before := heapAtLastCollection()
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
				peak = max(peak, heapAtLastCollection())
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
	return max(peak, heapAtLastCollection()) - before
}

// heapAtLastCollection returns how many bytes the last collection found alive.
func heapAtLastCollection() uint64 {
	heap := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(heap)
	return heap[0].Value.Uint64()
}

// heapNow collects garbage, and returns how many bytes are alive.
func heapNow() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// memoryOfAMiss asks for what differs in a word from one of the recordings of a
// cassette of this size.
func memoryOfAMiss(tb testing.TB, size int) uint64 {
	tb.Helper()
	words := strings.Repeat("All work and no play makes Jack a dull boy. ", 233)
	file := saveSimilar(tb, size/len(words), words)
	return peakHeap(func() {
		rec := must.Open(tb, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
		must.WantMiss(tb, rec, "http://h", "1000 NEW "+words)
		if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "{+NEW +}") {
			tb.Errorf("Close: %v", err)
		}
	})
}

// saveSimilar saves a cassette of n recordings, whose prompts differ in their number only.
func saveSimilar(tb testing.TB, n int, words string) (file string) {
	tb.Helper()
	var chats []string
	for i := range n {
		chats = append(chats, fmt.Sprint(i, " ", words), `{"ok":true}`)
	}
	return must.Save(tb, must.Chats(chats...))
}

// memoryOfALargeAnswer records an answer.
func memoryOfALargeAnswer(tb testing.TB, size int) uint64 {
	tb.Helper()
	answer := rowsOfAnswer(size / 85)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	return peakHeap(func() {
		live := promptecho.Upstream(provider.Says(answer))
		rec := must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), live)
		askForRows(tb, rec)
		must.Close(tb, rec)
	})
}

// memoryOfAConversation records the requests, and does not write the cassette.
func memoryOfAConversation(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	c := newConversation(size)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	rec := must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), c.upstream())
	peak = peakHeap(func() {
		c.hold(tb, rec)
		runtime.GC()
	})
	must.Close(tb, rec)
	return peak
}

// memoryOfWritingAConversation writes what was recorded.
func memoryOfWritingAConversation(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	c := newConversation(size)
	file := filepath.Join(tb.TempDir(), "c.yaml")
	rec := must.Open(tb, file, promptecho.InMode(promptecho.ModeAll), c.upstream())
	c.hold(tb, rec)
	return peakHeap(func() { must.Close(tb, rec) })
}

// memoryOfAStream reads a stream that is recorded, and neither journaled nor
// written: its answer is a failure, and the recorder refuses those.
func memoryOfAStream(tb testing.TB, size int) (peak uint64) {
	tb.Helper()
	before := heapNow()
	stream := provider.NewStream(size, func(int) {
		now := heapNow()
		peak = max(peak, now-min(before, now))
	})
	rec := must.Open(tb, filepath.Join(tb.TempDir(), "c.yaml"),
		promptecho.OnRecordError(promptecho.Fail),
		promptecho.Upstream(streams(stream, http.StatusInternalServerError)))
	must.Engine(rec).Tape().Journal = tape.Journal{} // one that keeps nothing
	if n := askForStream(tb, rec); n != stream.Sent() {
		tb.Fatalf("%d bytes of %d", n, stream.Sent())
	}
	if err := rec.Close(); err == nil || !strings.Contains(err.Error(), "status 500") {
		tb.Errorf("Close: %v", err)
	}
	return peak
}

// memoryOfAJournaledStream records a stream into a journal and a cassette.
func memoryOfAJournaledStream(tb testing.TB, size int) uint64 {
	tb.Helper()
	stream := provider.NewStream(size, func(int) {})
	file := filepath.Join(tb.TempDir(), "c.yaml")
	return peakHeap(func() {
		rec := must.Open(tb, file, promptecho.Upstream(streams(stream, http.StatusOK)))
		askForStream(tb, rec)
		info, err := os.Stat(file + must.JournalSuffix)
		if err != nil || info.Size() < int64(stream.Sent()) {
			tb.Errorf("the journal: %v, %v", info, err)
		}
		must.Close(tb, rec)
	})
}

// streams answers with a stream.
func streams(stream *provider.Stream, status int) http.RoundTripper {
	return provider.Func(func(*http.Request) (*http.Response, error) { return stream.Response(status), nil })
}

// askForStream reads a stream to its end, and returns its length.
func askForStream(tb testing.TB, rec *promptecho.Recorder) int {
	tb.Helper()
	resp, err := rec.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
	if err != nil {
		tb.Fatal(err)
	}
	n, err := io.Copy(io.Discard, resp.Body)
	if err != nil {
		tb.Fatal(err)
	}
	return int(n)
}

// memoryOfAnUpload sends a file of this size in a mode. It records the file
// before, except for a mode that records.
func memoryOfAnUpload(mode promptecho.Mode) func(tb testing.TB, size int) uint64 {
	return func(tb testing.TB, size int) uint64 {
		tb.Helper()
		server := provider.Digests(tb, new(atomic.Int32))
		file := filepath.Join(tb.TempDir(), "a.yaml")
		upload := func(mode promptecho.Mode, size int) (answer string) {
			return must.Upload(tb, file, mode, newUpload(tb, server.URL, size))
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

// newUpload returns a request with a form that has a file of this size, and is made as it is sent.
func newUpload(tb testing.TB, base string, size int) *http.Request {
	tb.Helper()
	body, w := io.Pipe()
	form := multipart.NewWriter(w)
	_ = form.SetBoundary("B")
	go func() {
		part, _ := form.CreateFormFile("file", "x.mp3")
		_, _ = io.Copy(part, io.LimitReader(provider.Zeros{}, int64(size)))
		form.Close()
		w.Close()
	}()
	req, err := http.NewRequest("POST", base+"/v1/audio/transcriptions", body)
	if err != nil {
		tb.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return req
}

// A recorder that is closed releases the answers that it recorded, also while the test keeps it.
func TestClosedRecorderReleasesItsAnswers(t *testing.T) {
	// Not parallel: it measures the heap.
	full.Only(t, "TestLargeAnswerIsRecordedWithItsUsage")
	answer := rowsOfAnswer(120_000)
	file := filepath.Join(t.TempDir(), "c.yaml")
	live := promptecho.Upstream(provider.Says(answer))
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), live) // must.Open would keep it
	if err != nil {
		t.Fatal(err)
	}
	askForRows(t, rec)
	must.Close(t, rec)

	withRecorder := heapNow()
	runtime.KeepAlive(rec)
	rec = nil
	without := heapNow()
	runtime.KeepAlive(answer) // the provider has it, not the recorder
	kept := withRecorder - min(withRecorder, without)
	if kept > uint64(len(answer)/4) {
		t.Errorf("a recorder that is closed keeps %d MB of an answer of %d MB", kept>>20, len(answer)>>20)
	}
}

// A miss is compared with all recordings of a large cassette, and keeps few of them in memory.
//
// The file changes after the miss, so only recordings that are in memory are still answered.
func TestMissKeepsFewRecordingsInMemory(t *testing.T) {
	t.Parallel()
	const n = 1100
	file, prompts := saveLarge(t, n)
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.AllowUnused())
	must.WantMiss(t, rec, "http://h", strings.Replace(prompts[12], "12", "12 NEW ", 1))
	must.Write(t, file, strings.ReplaceAll(must.Read(t, file), "answer", "ANSWER"))

	var inMemory []int
	for i, prompt := range prompts {
		body := strings.NewReader(must.ChatBody(prompt))
		resp, err := rec.Client().Post("http://h/v1/chat/completions", "application/json", body)
		if err == nil {
			inMemory = append(inMemory, i)
			resp.Body.Close()
		}
	}
	if len(inMemory) > 10 { // those that the report of the miss is about
		t.Errorf("%d recordings were kept in memory", len(inMemory))
	}
	rec.Close()
}
