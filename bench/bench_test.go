package bench

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

// fixtures is the folder of recorded cassettes: each is recorded once in a run.
var fixtures string

// TestMain makes the run independent of where it runs: CI and PROMPTECHO_MODE
// would make promptecho stricter than its contender asks it to be.
func TestMain(m *testing.M) {
	log.SetOutput(io.Discard) // httpreplay logs requests that were not recorded
	os.Unsetenv("CI")
	os.Unsetenv("PROMPTECHO_MODE")
	if os.Getenv("BENCH_CHILD") != "" {
		os.Exit(child())
	}
	os.Exit(run(m))
}

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "promptecho-bench")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	fixtures = dir
	return m.Run()
}

// fixture returns the file of a cassette with the first n calls of w, in a folder
// of its own. It is recorded if it is not there.
func fixture(tb testing.TB, c Contender, w *Workload, n int) string {
	tb.Helper()
	dir := filepath.Join(fixtures, fmt.Sprintf("%s-%s-%d", c.Name, w.Name, n))
	file := filepath.Join(dir, "cassette.yaml")
	if _, err := os.Stat(dir); err == nil && !c.InMemory {
		return file
	}
	if c.RecordMany != nil {
		c.Record = c.RecordMany
	}
	if c.InMemory {
		record(tb, c, w, n, file)
		return file
	}
	// In a folder with another name until it is whole.
	tmp, err := os.MkdirTemp(fixtures, "unfinished")
	if err != nil {
		tb.Fatal(err)
	}
	record(tb, c, w, n, filepath.Join(tmp, "cassette.yaml"))
	if err := os.Rename(tmp, dir); err != nil {
		tb.Fatal(err)
	}
	return file
}

func record(tb testing.TB, c Contender, w *Workload, n int, file string) {
	tb.Helper()
	if err := c.RecordCalls(file, w, n); err != nil {
		tb.Fatal(err)
	}
}

// replay opens file; a contender that can repeats its recordings if asked to.
func replay(tb testing.TB, c Contender, file string, repeats bool) Session {
	tb.Helper()
	s, err := c.Replay(file, repeats)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// check demands of a session what upstream sent for exactly these requests.
func check(tb testing.TB, c Contender, s Session, w *Workload, asked ...int) {
	tb.Helper()
	if err := c.Verify(s, w, asked...); err != nil {
		tb.Fatal(err)
	}
}

func stop(tb testing.TB, s Session) {
	tb.Helper()
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
}

// each runs f for every contender, after the garbage of the one before is gone.
func each(b *testing.B, f func(b *testing.B, c Contender)) {
	for _, contender := range contenders {
		c := contender()
		b.Run("contender="+c.Name, func(b *testing.B) {
			b.ReportAllocs()
			f(b, c)
		})
	}
}

// eachOnDisk does that for those that have something on disk.
func eachOnDisk(b *testing.B, f func(b *testing.B, c Contender)) {
	for _, contender := range contenders {
		if c := contender(); !c.InMemory {
			b.Run("contender="+c.Name, func(b *testing.B) {
				b.ReportAllocs()
				f(b, c)
			})
		}
	}
}

// BenchmarkTypical is a test: it opens a cassette of five calls, makes them and
// closes. The file of those calls has "file/raw" bytes for each byte of the bodies.
func BenchmarkTypical(b *testing.B) {
	const calls = 5
	for _, w := range workloads {
		b.Run("size="+w.Name, func(b *testing.B) {
			each(b, func(b *testing.B, c Contender) {
				file := fixture(b, c, w, calls)
				s := replay(b, c, file, false)
				check(b, c, s, w, first(calls)...)
				stop(b, s)
				bodies := requests(w, first(calls))
				caller := NewCaller()
				runtime.GC()
				for b.Loop() {
					s, err := c.Replay(file, false)
					if err != nil {
						b.Fatal(err)
					}
					caller.session(b, s, bodies)
				}
				if !c.InMemory {
					b.ReportMetric(float64(sizeOf(b, filepath.Dir(file)))/float64(calls*w.rawSize()), "file/raw")
				}
			})
		})
	}
}

// session makes the calls of a session and closes it.
func (c *Caller) session(b *testing.B, s Session, bodies [][]byte) {
	b.Helper()
	if err := c.Run(s, bodies); err != nil {
		b.Fatal(err)
	}
}

// sizeOf returns the bytes of all files in a folder.
func sizeOf(tb testing.TB, dir string) (n int64) {
	tb.Helper()
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		n += info.Size()
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return n
}

// BenchmarkOpen opens a cassette of n calls; closing it is not measured.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			eachOnDisk(b, func(b *testing.B, c Contender) {
				file := fixture(b, c, kb1, n)
				s := replay(b, c, file, false)
				check(b, c, s, kb1, slices.Compact([]int{0, n / 2})...)
				stop(b, s)
				runtime.GC()
				for b.Loop() {
					s, err := c.Replay(file, false)
					if err != nil {
						b.Fatal(err)
					}
					b.StopTimer()
					stop(b, s)
					b.StartTimer()
				}
			})
		})
	}
}

// BenchmarkReplay makes one call of a cassette of n that is open, again and again.
//
// A contender whose recordings answer only once goes through those in the first
// or last tenth or through a random tenth, and opens again, outside of the timer,
// when they are used up.
func BenchmarkReplay(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1_000, 10_000} {
		for _, which := range []string{"first", "last", "random"} {
			b.Run(fmt.Sprintf("n=%d/which=%s", n, which), func(b *testing.B) {
				each(b, func(b *testing.B, c Contender) {
					file := fixture(b, c, kb1, n)
					asked := choose(which, n, c.OneShot)
					bodies := requests(kb1, asked)
					s := replay(b, c, file, true)
					check(b, c, s, kb1, asked[0])
					renew := func() {
						stop(b, s)
						s = replay(b, c, file, true)
					}
					if c.OneShot {
						renew()
					}
					caller := newCaller(s)
					next := 0
					runtime.GC()
					for b.Loop() {
						if next == len(bodies) {
							next = 0
							if c.OneShot {
								b.StopTimer()
								renew()
								caller.through(s)
								b.StartTimer()
							}
						}
						if _, err := caller.call(bodies[next]); err != nil {
							b.Fatal(err)
						}
						next++
					}
					stop(b, s)
				})
			})
		}
	}
}

// choose returns which of n calls to make, in turn. The random ones are not so
// random that those a benchmark gets to, be they few, lie all at one end: they
// start in the middle and go on in strides.
func choose(which string, n int, oneShot bool) []int {
	count := 1
	switch {
	case oneShot:
		count = max(1, n/10)
	case which == "random":
		count = min(n, 64)
	}
	all := first(n)
	switch which {
	case "last":
		slices.Reverse(all)
	case "random":
		stride := n*618/1000 | 1 // prime to a power of ten
		for i := range all {
			all[i] = (n/2 + i*stride) % n
		}
	}
	return all[:count]
}

// BenchmarkRecord records n calls and saves them.
func BenchmarkRecord(b *testing.B) {
	for _, n := range []int{1, 10, 100, 1_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			each(b, func(b *testing.B, c Contender) {
				if c.RecordMany != nil && n == 1_000 {
					b.Skip("it would take minutes")
				}
				dir := b.TempDir()
				file := filepath.Join(dir, "cassette.yaml")
				record(b, c, kb1, n, file)
				s := replay(b, c, file, false)
				check(b, c, s, kb1, first(min(n, 10))...)
				stop(b, s)
				bodies := requests(kb1, first(n))
				caller := NewCaller()
				calls := 0
				runtime.GC()
				for b.Loop() {
					b.StopTimer()
					sub := filepath.Join(dir, fmt.Sprint(calls))
					if err := cmp.Or(os.RemoveAll(filepath.Join(dir, fmt.Sprint(calls-n))), os.Mkdir(sub, 0o777)); err != nil {
						b.Fatal(err)
					}
					b.StartTimer()
					s, err := c.Record(filepath.Join(sub, "cassette.yaml"), kb1)
					if err != nil {
						b.Fatal(err)
					}
					caller.session(b, s, bodies)
					calls += n
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(calls), "ns/call")
			})
		})
	}
}

// BenchmarkStream asks for an answer of 200 events and reads it, a piece a Read.
// The contender "copy" only reads the same pieces.
func BenchmarkStream(b *testing.B) {
	want := len(sse.answer(0).body())
	b.Run("contender=copy", func(b *testing.B) {
		b.ReportAllocs()
		caller := NewCaller()
		pieces := sse.answer(0).pieces
		for b.Loop() {
			if n, err := caller.drain(&reader{pieces, nil}); n != want || err != nil {
				b.Fatal(n, err)
			}
		}
		b.ReportMetric(float64(caller.reads), "reads/op")
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N), "ns/reading")
	})
	each(b, func(b *testing.B, c Contender) {
		const recorded = 100 // so that those that repeat nothing need not open each time
		file := fixture(b, c, sse, recorded)
		s := replay(b, c, file, true)
		check(b, c, s, sse, 0)
		stop(b, s)
		s = replay(b, c, file, true)
		bodies := requests(sse, first(recorded))
		caller := NewCaller()
		next := 0
		var reading time.Duration // of what RoundTrip returned
		runtime.GC()
		for b.Loop() {
			if next == recorded {
				next = 0
				if c.OneShot {
					b.StopTimer()
					stop(b, s)
					s = replay(b, c, file, true)
					b.StartTimer()
				}
			}
			resp, err := s.RoundTrip(newRequest(bodies[next]))
			if err != nil {
				b.Fatal(err)
			}
			began := time.Now()
			if n, err := caller.drain(resp.Body); n != want || err != nil || resp.StatusCode != http.StatusOK {
				b.Fatal(n, err, resp.Status)
			}
			reading += time.Since(began)
			resp.Body.Close()
			if c.OneShot {
				next++
			}
		}
		b.ReportMetric(float64(caller.reads), "reads/op")
		b.ReportMetric(float64(reading.Nanoseconds())/float64(b.N), "ns/reading")
		stop(b, s)
	})
}

// Every contender gives every answer of every workload, whatever the order, and
// knows nothing that was not recorded.
func TestContenders(t *testing.T) {
	const n = 10
	backwards := first(n)
	slices.Reverse(backwards)
	for _, contender := range contenders {
		for _, w := range workloads {
			c := contender()
			t.Run(c.Name+"/"+w.Name, func(t *testing.T) {
				file := fixture(t, c, w, n)
				for _, asked := range [][]int{first(n), backwards} {
					s := replay(t, c, file, false)
					check(t, c, s, w, asked...)
					stop(t, s)
				}
				s := replay(t, c, file, true)
				if !c.OneShot {
					check(t, c, s, w, 3, 3, 0, 3)
				}
				stop(t, s)
				s = replay(t, c, file, false)
				if resp, err := newCaller(s).do(w.request(n)); err == nil && resp.StatusCode == http.StatusOK && !c.Blind {
					t.Error("a request that was not recorded was answered")
				}
				s.Close() // an error tells of the miss
			})
		}
	}
}

// The workloads are what the report calls them.
func TestWorkloads(t *testing.T) {
	for w, size := range map[*Workload]int{kb1: 1 << 10, kb8: 8 << 10, kb100: 100 << 10, sse: 1 << 10} {
		for _, i := range []int{0, 7, 9_999} {
			if got := len(w.request(i)); got != size {
				t.Errorf("%s: request %d has %d bytes, want %d", w.Name, i, got, size)
			}
		}
		if bytes.Equal(w.request(1), w.request(2)) || bytes.Equal(w.answer(1).body(), w.answer(2).body()) {
			t.Errorf("%s: two calls are the same", w.Name)
		}
		if got := len(w.answer(0).body()); !w.stream && got != 1<<10 {
			t.Errorf("%s: the answer has %d bytes", w.Name, got)
		}
		if got := len(w.answer(0).pieces); w.stream && got != nEvents+1 {
			t.Errorf("%s: the answer has %d pieces", w.Name, got)
		}
	}
}
