package recorder

import (
	"cmp"
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
	mu         sync.Mutex    // guards the fields below
	lastURL    string        // of the last request
	answeredAt time.Time     // the time of the last answer; zero before the first one
	total      time.Duration // the sum of the waits
	firstPlace string        // of the first wait: "https://host/v1/batches/1, poll_test.go:12"
}

// minWait is the shortest time from an answer to the next request that counts as a wait. A
// program that does not wait takes a few milliseconds.
const minWait = 50 * time.Millisecond

// noteRequest adds the time since the last answer to the total if the last request went to the
// same URL. In a bubble of testing/synctest, waits take no real time and are not counted. by is the
// process that has sent the request, if that is another one.
func (w *waits) noteRequest(url, by string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	wait := time.Since(w.answeredAt)
	isSameURL := url == w.lastURL && !w.answeredAt.IsZero()
	if isSameURL && wait > minWait && !bubble.In() {
		w.total += wait
		if w.firstPlace == "" {
			w.firstPlace = strings.TrimSuffix(url+", "+cmp.Or(by, stack.Caller()), ", ")
		}
	}
	w.lastURL = url
}

// noteAnswer notes that the last request has been answered now.
func (w *waits) noteAnswer() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answeredAt = time.Now()
}

// report adds a note to the report if the program has waited for more than a second. useBubble
// is the remedy.
func (w *waits) report(
	useBubble string, notef func(code finding.Code, format string, args ...any),
) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.total > time.Second {
		notef(finding.ProgramWaits, "in this replay, %v passed between requests to one endpoint, "+
			"without any other request in between (%s): if the program sleeps there, %s",
			w.total.Round(100*time.Millisecond), w.firstPlace, useBubble)
	}
}
