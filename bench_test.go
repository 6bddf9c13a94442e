package promptecho

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
)

// BenchmarkHugeCassette opens a cassette of 200 MB, 20,000 interactions of 10 KB,
// replays one and closes. It reports the heap that is live meanwhile.
//
//	go test -run '^$' -bench HugeCassette -benchtime 1x .
func BenchmarkHugeCassette(b *testing.B) {
	file := filepath.Join(b.TempDir(), "c.yaml")
	var f cassette.File
	filling := strings.Repeat("All work and no play makes a dull cassette. ", 220)
	for i := range 20_000 {
		f.Interactions = append(f.Interactions, &cassette.Interaction{
			Kind:     "llm",
			Request:  cassette.Request{Method: "POST", URL: "http://h/v1/chat/completions", Body: []byte(prompt(fmt.Sprint(i)))},
			Response: cassette.Response{Status: 200, Body: []byte(fmt.Sprintf(`{"answer":"%d %s"}`, i, filling))},
		})
	}
	if err := cassette.Save(file, &f); err != nil {
		b.Fatal(err)
	}
	f = cassette.File{}
	info, err := os.Stat(file)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(info.Size())/1e6, "MB-file")
	for b.Loop() {
		r, err := Open(file, InMode(ModeNone), AllowUnused())
		if err != nil {
			b.Fatal(err)
		}
		resp, err := r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(prompt("19999")))
		if err != nil || resp.StatusCode != http.StatusOK {
			b.Fatal(resp, err)
		}
		resp.Body.Close()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		b.ReportMetric(float64(m.HeapAlloc)/1e6, "MB-live")
		if err := r.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
