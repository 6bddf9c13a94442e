package recorder

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
)

// A note says that the program waits between requests to one URL, which a replay cannot shorten.
func TestNoteOfAProgramThatWaits(t *testing.T) {
	t.Parallel()
	const poll, other = "https://api.example/jobs/1", "https://api.example/jobs/2"
	type request struct {
		url  string
		wait time.Duration // since the answer to the request before
	}
	tests := []struct {
		name     string
		requests []request
		want     string // in the note; "" if there is none
	}{{
		name:     "two seconds",
		requests: []request{{url: poll}, {url: poll, wait: 2 * time.Second}},
		want:     "2s passed between requests to one endpoint",
	}, {
		name: "together more than a second",
		requests: []request{
			{url: poll},
			{url: poll, wait: 600 * time.Millisecond},
			{url: poll, wait: 600 * time.Millisecond},
		},
		want: "1.2s passed between requests to one endpoint",
	}, {
		name:     "less than a second",
		requests: []request{{url: poll}, {url: poll, wait: 900 * time.Millisecond}},
	}, {
		name:     "another request in between",
		requests: []request{{url: poll}, {url: other, wait: 2 * time.Second}, {url: poll, wait: 2 * time.Second}},
	}, {
		name:     "a single request",
		requests: []request{{url: poll}},
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var w waits
			for i, req := range tt.requests {
				if i > 0 {
					w.answeredAt = time.Now().Add(-req.wait)
				}
				w.noteRequest(req.url, "")
				w.noteAnswer()
			}
			got := noteOf(&w)
			if (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
				t.Errorf("note %q, want %q", got, tt.want)
			}
			if got != "" && !strings.Contains(got, "("+poll) {
				t.Errorf("note %q does not name the URL", got)
			}
		})
	}
}

// A note of a wait names the process that waits, and not a line of the server in front of the recorder.
func TestNoteOfAWaitNamesTheProcess(t *testing.T) {
	t.Parallel()
	const url, by = "https://api.example/jobs/1", "agent/1.0, through the proxy for https://api.example"
	var w waits
	w.noteRequest(url, by)
	w.answeredAt = time.Now().Add(-2 * time.Second)
	w.noteRequest(url, by)
	if got := noteOf(&w); !strings.Contains(got, "("+url+", "+by+")") {
		t.Errorf("note %q", got)
	}
}

// Waits in a bubble take no time, so that no note says anything.
func TestNoNoteOfAProgramThatWaitsInABubble(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var w waits
		for range 3 {
			w.noteRequest("https://api.example/jobs/1", "")
			w.noteAnswer()
			time.Sleep(time.Minute)
		}
		if got := noteOf(&w); got != "" {
			t.Errorf("note %q", got)
		}
	})
}

// noteOf returns the note about waits; "" if there is none.
func noteOf(w *waits) string {
	var note string
	w.report("run the test in a bubble", func(code finding.Code, format string, args ...any) {
		note = string(code) + ": " + fmt.Sprintf(format, args...)
	})
	return note
}
