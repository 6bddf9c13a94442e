package promptecho

import (
	"cmp"
	"net/http"
	"os"
	"sync"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts no goroutines,
// other than to record in a bubble of [testing/synctest].
type Recorder struct {
	file   string // as the user named it
	config config
	mode   chosenMode
	plan   plan

	redact   redact.Policy
	tape     *tape.Tape
	log      report.Log     // what to tell at the end
	player   answer.Player  // plays what is recorded
	pending  answer.Pending // answers that are under way
	resends  answer.Resends // what SDKs sent again by themselves
	waits    waits          // how long the program waited by its own clock
	repeater repeater       // calls to send once more at the end
	upstream *answer.Upstream
	given    given // what the test gets beside answers
	life     lifecycle
}

// Client returns an [http.Client] that goes through the recorder.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// Online reports whether this run may go upstream: whether a request that
// is not in the cassette is sent and recorded, or passed through, or whether
// recorded answers are compared with live ones (mode compare).
func (r *Recorder) Online() bool { return r.plan.mayGoUpstream() }

// Secret returns the value of an environment variable if this run may go upstream, and a
// dummy in replay, so that a client that demands a key can be made either way. If the
// value has 8 bytes or more, a placeholder replaces it wherever it would be written. If
// the variable is empty in a run that may go upstream, Secret returns the dummy, and the
// first request that would go upstream fails with an error that names the variable.
func (r *Recorder) Secret(env string) string {
	dummy := "promptecho-replay-" + env
	r.redact.AddSecret(dummy)
	value := os.Getenv(env)
	r.redact.AddSecret(value) // in replay too: the program may have the value and send it
	if !r.Online() {
		return dummy
	}
	if value == "" {
		r.life.miss(env)
		return dummy
	}
	return value
}

// Misses returns the requests that were not recorded so far, each once, in the
// order they were first asked.
func (r *Recorder) Misses() []*MissError {
	var misses []*MissError
	for _, m := range r.log.Misses() {
		misses = append(misses, (*MissError)(m))
	}
	return misses
}

// A lifecycle says whether a recorder is open, being closed or closed. The zero value is
// open.
type lifecycle struct {
	mu      sync.Mutex     // guards what follows; no other lock is taken under it
	left    bool           // it takes no more requests, and gets its report later
	missing string         // the first environment variable that a request upstream needs
	over    chan struct{}  // made when the recorder takes no more requests, closed with the report
	report  *report.Report // nil until it is there
}

// end closes the recorder by calling conclude, once, and returns what that returned.
func (l *lifecycle) end(conclude func() report.Report) report.Report {
	l.mu.Lock()
	first := l.over == nil
	if first {
		l.over = make(chan struct{})
	}
	over, rep := l.over, l.report
	l.mu.Unlock()
	switch {
	case rep != nil:
		return *rep
	case !first:
		<-over // and not a sync.Once, since a synctest bubble sees who waits for a channel
		return *l.report
	}
	told := conclude()
	l.mu.Lock()
	l.report = &told
	l.mu.Unlock()
	close(over)
	return told
}

// miss notes that an environment variable is empty.
func (l *lifecycle) miss(env string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.missing = cmp.Or(l.missing, env)
}

// closed reports whether the recorder takes no more requests.
func (l *lifecycle) closed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.left || l.over != nil
}

// leave makes the recorder take no more requests.
func (l *lifecycle) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = true
}

// missingKey returns the first empty environment variable that a request upstream needs,
// or "" if there is none.
func (l *lifecycle) missingKey() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.missing
}
