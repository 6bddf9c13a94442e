package promptecho

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts no goroutines,
// other than to record in a bubble of [testing/synctest].
//
// A nil Recorder does the real thing, so that a program needs no second path for production:
// its requests go to [http.DefaultTransport], a wrapped function stays itself, the time is
// the present one, a secret is the value of its variable, and Close does nothing.
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
func (r *Recorder) Online() bool { return r == nil || r.plan.mayGoUpstream() }

// Secret returns the value of an environment variable if this run may go upstream, and a
// dummy in replay, so that a client that demands a key can be made either way. If the
// value has 8 bytes or more, a placeholder replaces it wherever it would be written. If
// the variable is empty in a run that may go upstream, Secret returns the dummy, and the
// first request that would go upstream fails with an error that names the variable. The same
// happens, and the run fails, if env cannot be the name of a variable, such as the key itself.
func (r *Recorder) Secret(env string) string {
	switch {
	case r == nil:
		return os.Getenv(env)
	case !r.isVariable("Secret", env):
		return "promptecho-replay"
	}
	dummy := "promptecho-replay-" + env
	r.redact.AddSecret(dummy)
	value := os.Getenv(env)
	r.redact.AddSecret(value) // in replay too: the program may have the value and send it
	if !r.Online() {
		return dummy
	}
	if value == "" {
		why := fmt.Sprintf("the environment variable %s is empty: set it, or replay with PROMPTECHO_MODE=none", env)
		r.life.missing.CompareAndSwap(nil, &why)
		return dummy
	}
	return value
}

// isVariable reports whether a text can be the name of an environment variable. It fails the
// run if not, without showing the text, which may be a key.
func (r *Recorder) isVariable(method, name string) bool {
	if variable().MatchString(name) && !redact.IsCredential(name) {
		return true
	}
	r.redact.AddSecret(name)
	why := fmt.Sprintf("rec.%s takes the name of an environment variable, such as \"OPENAI_API_KEY\"; its argument cannot be one, and is not shown, since it may be a secret", method)
	r.life.missing.CompareAndSwap(nil, &why)
	r.log.Error(fmt.Errorf("%s: %s", r.file, why))
	return false
}

var variable = memo.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Misses returns the requests that had no recording so far, each once, in the
// order in which they were first sent.
func (r *Recorder) Misses() []*MissError {
	if r == nil {
		return nil
	}
	var misses []*MissError
	for _, m := range r.log.Misses() {
		misses = append(misses, (*MissError)(m))
	}
	return misses
}

// A lifecycle says whether a recorder is open, being closed or closed. The zero value is
// open.
type lifecycle struct {
	closed  atomic.Bool                   // it takes no more requests
	missing atomic.Pointer[string]        // why no request can go upstream; nil if one can
	report  atomic.Pointer[report.Report] // nil until it is there

	mu   sync.Mutex    // guards over; no other lock is taken under it
	over chan struct{} // made by the first who ends it, closed with the report
}

// end closes the recorder by calling conclude, once, and returns what that returned.
func (l *lifecycle) end(conclude func() report.Report) report.Report {
	if rep := l.report.Load(); rep != nil {
		return *rep // who waits for a channel must be in the synctest bubble in which it was made
	}
	l.closed.Store(true)
	l.mu.Lock()
	over := l.over
	if over == nil {
		l.over = make(chan struct{})
	}
	l.mu.Unlock()
	if over == nil {
		told := conclude()
		l.report.Store(&told)
		close(l.over)
	} else {
		<-over // and not a sync.Once, since a bubble sees who waits for a channel
	}
	return *l.report.Load()
}
