package cassette

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hostile are cassettes that nobody records. Each has a size that a reader that does
// more than look at each byte a few times would take too long for.
func hostile() map[string]string {
	resp := func(r string) string {
		return "version: 1\ninteractions:\n  - request: {method: GET, url: /}\n    response:\n      status: 200\n" + r
	}
	deep := func(n int, line string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.Repeat(" ", 8+2*i) + line + "\n")
		}
		return b.String()
	}
	return map[string]string{
		"deep mappings":               resp("      body:\n" + deep(990, "a:")),
		"deep lists":                  resp("      body:\n" + strings.Repeat(" ", 8) + strings.Repeat("- ", 900) + "x\n"),
		"deep lists, again and again": resp("      body:\n" + strings.Repeat("        - "+strings.Repeat("- ", 900)+"x\n", 300)),
		"deep layout":                 resp("      layout: {indent: 16}\n      body: " + strings.Repeat("[", 900) + strings.Repeat("1, ", 100_000) + "1" + strings.Repeat("]", 900) + "\n"),
		"deep layout of events":       resp("      stream: sse\n      events_layout: {indent: 16}\n      events:\n" + strings.Repeat("        - {data: "+strings.Repeat("[", 200)+strings.Repeat("1, ", 300)+"1"+strings.Repeat("]", 200)+"}\n", 300)),
		"padding of every event":      resp("      stream: sse\n      events:\n" + strings.Repeat("        - {data: {}}\n", 20_000) + "      events_padding: [" + strings.Repeat("65536, ", 20_000) + "0]\n"),
		"wide indentation":            resp("      body:\n" + strings.Repeat(strings.Repeat(" ", 100_000)+"- x\n", 50)),
		"blank lines":                 resp("      body: |\n" + strings.Repeat("\n", 2_000_000)),
		"blank lines after texts":     resp("      body:\n" + strings.Repeat("        - a\n", 1000) + strings.Repeat("\n", 1_000_000)),
		"blank lines in quotes":       resp("      body: \"" + strings.Repeat("\n", 1_000_000) + "\"\n"),
		"wide blank lines":            resp("      body: |\n" + strings.Repeat(strings.Repeat(" ", 1000)+"\n", 2000)),
		"literals without text":       resp("      body:\n" + strings.Repeat("        - |\n", 100_000) + strings.Repeat("\n", 100_000)),
		"many keys": resp("      body:\n" + func() string {
			var b strings.Builder
			for i := range 100_000 {
				fmt.Fprintf(&b, "        k%d: 1\n", i)
			}
			return b.String()
		}()),
		"quotes within quotes":         resp("      body: '" + strings.Repeat("''", 1_000_000) + "'\n"),
		"escapes":                      resp("      body: \"" + strings.Repeat(`\n`, 1_000_000) + "\"\n"),
		"marks":                        resp("") + strings.Repeat("...\n", 300_000),
		"markers in a text":            resp("      body: |\n" + strings.Repeat("        ...x\n", 200_000)),
		"comments":                     resp(strings.Repeat("# x\n", 500_000)),
		"a seal that is too long":      resp("") + "  - kind: a\n    match_key: 0123456789abcdef\n    seal: 0123456789abcdef/01234567/1000000000/1\n" + strings.Repeat("  - x\n", 100_000),
		"many seals that are too long": "# promptecho cassette: safe to commit, meant to be read. docs/CASSETTE.md\nversion: 1\ninteractions:\n" + strings.Repeat("  - kind: a\n    match_key: 0123456789abcdef\n    seal: 0123456789abcdef/01234567/1000000/1\n    request:\n      method: GET\n      url: /\n    response:\n      status: 200\n    latency_ms: 0\n", 20_000) + "...\n",
	}
}

func TestHostileFiles(t *testing.T) {
	// Not parallel: it counts what is allocated.
	for name, text := range hostile() {
		path := filepath.Join(t.TempDir(), "x.yaml")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		s, err := Open(path, 1, nil)
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		used := float64(after.TotalAlloc-before.TotalAlloc) / float64(len(text))
		e := fmt.Sprint(err)
		if s != nil {
			s.Close()
		}
		t.Logf("%-30s %8d bytes %8v %6.1f times: %.100s", name, len(text), took.Round(time.Millisecond), used, e)
	}
}
