// Package waits measures how long SDKs wait because of an answer, live and in replay.
package waits

import (
	"cmp"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
)

var update = flag.Bool("update", false, "measure, and write the table in docs/WAITS.md")

func TestMain(m *testing.M) {
	os.Unsetenv("CI")
	os.Unsetenv("PROMPTECHO_MODE")
	os.Exit(m.Run())
}

// An answer is what a provider answers once.
type answer struct {
	status int
	header http.Header
	body   string
	method string // of the request that it answers; any if it is empty
}

// A row is something that an SDK does, with answers that make it wait.
type row struct {
	sdk, what string
	answers   []answer
	do        func(ctx context.Context, client *http.Client, url string) error
	plain     []answer // for the same without waiting; nil is the last of the answers
}

// serve answers with the answers in order, and with the last one from then on.
func serve(t *testing.T, answers []answer) *httptest.Server {
	var mu sync.Mutex
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked, _ := io.ReadAll(r.Body)
		mu.Lock()
		i := max(0, slices.IndexFunc(answers, func(a answer) bool { return a.method == "" || a.method == r.Method }))
		a := answers[i]
		if len(answers) > 1 {
			answers = slices.Delete(answers, i, i+1)
		}
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		for name, values := range a.header {
			w.Header()[name] = values
		}
		w.WriteHeader(cmp.Or(a.status, 200))
		var id struct {
			ID json.RawMessage `json:"id"`
		}
		_ = json.Unmarshal(asked, &id)
		_, _ = io.WriteString(w, strings.ReplaceAll(a.body, "{id}", string(id.ID)))
	}))
	t.Cleanup(s.Close)
	return s
}

// run does what a row does in a bubble of testing/synctest, whose clock says how long the SDK
// waited.
func (r *row) run(t *testing.T, file, url string, mode promptecho.Mode) (waited time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		if err := r.do(ctx, rec.Client(), url); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
		waited = time.Since(start)
		if err := rec.Close(); err != nil {
			t.Errorf("mode %s: %v", mode, err)
		}
	})
	return waited
}

// No answer makes an SDK wait in replay, whatever it waits for while it is recorded.
func TestWaits(t *testing.T) {
	for _, r := range rows {
		t.Run(r.sdk+" "+r.what, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			s := serve(t, slices.Clone(r.answers))
			live := r.run(t, file, s.URL, promptecho.ModeAll)
			s.Close()
			for range 3 {
				if replay := r.run(t, file, s.URL, promptecho.ModeNone); replay > 10*time.Millisecond {
					t.Errorf("it waits %v in replay, and %v live", replay, live)
				}
			}
		})
	}
}

// TestTable holds the table in docs/WAITS.md to the rows. With -update it measures them
// and writes the table: how long each took live, and in replay, by the clock on the wall. (A
// benchmark of package testing is no place for that: a recorder plays what its first round has
// recorded.)
func TestTable(t *testing.T) {
	const page, begin, end = "../../docs/WAITS.md", "<!-- waits:begin -->\n", "<!-- waits:end -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin)
	table, after, _ := strings.Cut(rest, end)
	if *update {
		table = measured(t)
		if err := os.WriteFile(page, []byte(before+begin+table+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range rows {
		if !strings.Contains(table, fmt.Sprintf("\n| %s | %s |", r.sdk, r.what)) {
			t.Errorf("%s has no row for %s, %s: go -C interop test ./waits -update", page, r.sdk, r.what)
		}
	}
}

func measured(t *testing.T) string {
	table := "| SDK | what | live, s | in replay, ms | beyond the call, ms |\n|---|---|--:|--:|--:|\n"
	for _, r := range rows {
		all := r.timed(t, r.answers)
		if r.plain == nil {
			r.plain = r.answers[len(r.answers)-1:]
		}
		plain := r.timed(t, r.plain)
		table += fmt.Sprintf("| %s | %s | %.1f | %.1f | %.1f |\n", r.sdk, r.what, all[0].Seconds(), ms(all[1]), max(0, ms(all[1])-ms(plain[1])))
	}
	return table
}

func ms(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// timed records what a row does with these answers and returns how long that took, and the
// median of nine replays.
func (r *row) timed(t *testing.T, answers []answer) (times [2]time.Duration) {
	file := filepath.Join(t.TempDir(), "c.yaml")
	s := serve(t, slices.Clone(answers))
	run := func(mode promptecho.Mode) time.Duration {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if err := r.do(t.Context(), rec.Client(), s.URL); err != nil {
			t.Fatalf("%s, %s: %v", r.sdk, r.what, err)
		}
		took := time.Since(start)
		if err := rec.Close(); err != nil {
			t.Fatal(err)
		}
		return took
	}
	times[0] = run(promptecho.ModeAll)
	s.Close()
	var replays []time.Duration
	for range 9 {
		replays = append(replays, run(promptecho.ModeNone))
	}
	slices.Sort(replays)
	times[1] = replays[len(replays)/2]
	return times
}
