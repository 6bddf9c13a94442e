package bench

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

var soak = flag.Bool("soak", false, "make TestSoak ten times as long: 20,000 cassettes, 2,000 servers")

// TestSoak records and replays one cassette after the other, and with a server for each. What a process holds
// does not grow with them: live heap, goroutines, open files.
func TestSoak(t *testing.T) {
	t.Setenv("CI", "")
	t.Setenv("PROMPTECHO_MODE", "")
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for _, word := range strings.Fields("well met by moonlight") {
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", word)
		}
		fmt.Fprint(w, "data: [DONE]\n\n")
	}))
	defer upstream.Close()
	ask := func(t *testing.T, client *http.Client, url string, i int) {
		body := fmt.Sprintf(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hello, for the %dth time"}]}`, i)
		resp, err := client.Post(url+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || !bytes.Contains(got, []byte("moonlight")) {
			t.Errorf("%q, %v", got, err)
		}
	}
	for _, kind := range []struct {
		name string
		n    int
		ask  func(t *testing.T, rec *promptecho.Recorder, i int)
	}{
		{"cassettes", 2000, func(t *testing.T, rec *promptecho.Recorder, i int) { ask(t, rec.Client(), upstream.URL, i) }},
		{"servers", 200, func(t *testing.T, rec *promptecho.Recorder, i int) {
			t.Run("", func(t *testing.T) { // which ends the server
				own := &http.Transport{}
				defer own.CloseIdleConnections()
				ask(t, &http.Client{Transport: own}, echotest.Serve(t, rec).URL(upstream.URL), i)
			})
		}},
	} {
		t.Run(kind.name, func(t *testing.T) {
			if *soak {
				kind.n *= 10
			}
			folder := t.TempDir()
			var first held
			const looks = 10
			for i := range kind.n {
				for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
					rec, err := promptecho.Open(filepath.Join(folder, fmt.Sprintf("Test%d.yaml", i)), promptecho.InMode(mode))
					if err != nil {
						t.Fatal(err)
					}
					kind.ask(t, rec, i)
					if err := rec.Close(); err != nil {
						t.Fatal(err)
					}
				}
				if (i+1)%(kind.n/looks) != 0 {
					continue
				}
				now := holds(t)
				t.Logf("after %6d: %.2f MB, %d goroutines, %d files", i+1, float64(now.heap)/1e6, now.goroutines, now.files)
				if first == (held{}) {
					first = now
				}
				// What a folder has is known to the process: the names of its files.
				if more := int64(now.heap) - int64(first.heap); more > int64(1<<20+200*i) {
					t.Errorf("%d bytes more than at first", more)
				}
				if now.goroutines > first.goroutines+5 || now.files > first.files+5 {
					t.Errorf("%+v, and at first %+v", now, first)
				}
			}
		})
	}
}

// held is what a process holds at one time.
type held struct {
	heap              uint64
	goroutines, files int
}

func holds(t *testing.T) held {
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	runtime.GC()
	runtime.GC() // what has a finalizer lives until the second one
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	h := held{heap: live[0].Value.Uint64(), goroutines: runtime.NumGoroutine()}
	if runtime.GOOS == "linux" {
		files, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		h.files = len(files)
	}
	return h
}
