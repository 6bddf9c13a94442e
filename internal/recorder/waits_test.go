package recorder

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
)

// TestWaitsOfNothing: what was not answered yet when the same was asked again was no wait.
func TestWaitsOfNothing(t *testing.T) {
	t.Parallel()
	var w waits
	w.noteRequest("https://h/1")
	w.noteRequest("https://h/1")
	w.report("let the test set how long it sleeps", func(_ finding.Code, format string, args ...any) { t.Errorf(format, args...) })
}

// What a program waits for by its own clock between requests of one endpoint is named, with the
// line and what can be done.
func TestWaitsAreNamed(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {}))
	file := filepath.Join(t.TempDir(), "c.yaml")
	for i, tt := range []struct {
		slept time.Duration // between two of four polls
		named bool
	}{{0, false}, {300 * time.Millisecond, false}, {600 * time.Millisecond, true}, {time.Hour, true}} {
		var notes string
		mode := ModeNone
		if i == 0 {
			mode = ModeAll
		}
		r, err := Open(file, func(c *Config) {
			c.InMode(mode)
			c.Log(func(text string) { notes += text + "\n" })
		})
		if err != nil {
			t.Fatal(err)
		}
		client := &http.Client{Transport: r}
		for range 4 {
			resp, err := client.Get(s.URL + "/poll")
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			r.waits.answeredAt = r.waits.answeredAt.Add(-tt.slept) // as if it had
		}
		if problems := r.Close(); len(problems) > 0 {
			t.Error(problems)
		}
		if named := strings.Contains(notes, "/poll, waits_test.go:") && strings.Contains(notes, "testing/synctest"); named != tt.named {
			t.Errorf("%v between polls, notes:\n%s", tt.slept, notes)
		}
	}
	s.Close()
}
