package recorder

import (
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/testenv/bubble"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// waits measures how long the program waits between two requests to the same URL. Replay cannot
// shorten such a wait. The zero value is ready for use.
type waits struct {
	mu    sync.Mutex // guards the fields below
	last  string     // the URL of the last request
	at    time.Time  // the time of the last answer
	total time.Duration
	first string // the URL and the line of the program of the first request after a wait
}

// minWait is the least time between two requests that counts as a wait. A program that does not
// wait takes a few milliseconds.
const minWait = 50 * time.Millisecond

// asked notes a request to a URL. In a bubble of testing/synctest, waits take no real time.
func (w *waits) asked(url string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	gap := time.Since(w.at)
	isRepeated := url == w.last && !w.at.IsZero()
	if isRepeated && gap > minWait && !bubble.In() {
		w.total += gap
		if w.first == "" {
			w.first = strings.TrimSuffix(url+", "+stack.Caller(), ", ")
		}
	}
	w.last = url
}

// answered notes that the last request has been answered.
func (w *waits) answered() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.at = time.Now()
}

// note adds a note if the program has waited for more than a second. useBubble is the remedy.
func (w *waits) note(useBubble string, notef func(code finding.Code, format string, args ...any)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.total > time.Second {
		notef(finding.ProgramWaits, "in this replay, %v passed between requests to one endpoint, "+
			"without any other request in between (%s): if the program sleeps there, %s",
			w.total.Round(100*time.Millisecond), w.first, useBubble)
	}
}
