package recorder

import (
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// waits knows how long the program waited by its own clock between one request and the next
// of the same endpoint. No answer can tell it not to. The zero value is ready for use.
type waits struct {
	mu    sync.Mutex // guards what follows
	last  string     // the URL that was asked last
	at    time.Time  // when that was answered
	total time.Duration
	first string // what was asked when it had waited first, and the line of the program
}

// asked notes that a URL is asked. Less than a few milliseconds is work, and the clock of
// a bubble of testing/synctest costs nothing.
func (w *waits) asked(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if gap := time.Since(w.at); url == w.last && !w.at.IsZero() && gap > 50*time.Millisecond && !bubble.In() {
		w.total += gap
		if w.first == "" {
			w.first = strings.TrimSuffix(url+", "+stack.Caller(), ", ")
		}
	}
	w.last = url
}

// answered notes that what was asked has been answered.
func (w *waits) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = time.Now()
}

// note tells of them if they are worth it. useBubble says what helps.
func (w *waits) note(useBubble string, notef func(code finding.Code, format string, args ...any)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.total > time.Second {
		notef(finding.ProgramWaits, "in this replay, %v passed between requests to one endpoint, "+
			"without any other request in between (%s): if the program sleeps there, %s",
			w.total.Round(100*time.Millisecond), w.first, useBubble)
	}
}
