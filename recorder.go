package promptecho

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/recorder/volatile"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts goroutines only
// to record in a bubble of [testing/synctest], and for bodies beyond 4 MB.
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

	orphans *orphans.Search // recordings that the test may have had under another name; nil outside of tests

	volatile      *volatile.Finder // nil if nothing is recorded
	volatileNoted report.Tally[volatile.Kind]

	// life says whether it is open, being closed or closed.
	life struct {
		closed  atomic.Bool            // it takes no more requests
		closer  closer                 // ends it once
		missing atomic.Pointer[string] // why no request can go upstream; nil if one can
		asked   sync.Map               // the requests that have no answer yet, by their recordings
	}
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
// happens, and the run fails, if env cannot be the name of a variable: it may be the key itself.
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
	why := fmt.Sprintf("rec.%s needs the name of an environment variable, such as \"OPENAI_API_KEY\", and got another text (not shown, since it may be a secret)", method)
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
	return group.Each(r.log.Misses(), func(m *report.Miss) *MissError { return (*MissError)(m) })
}

// Now returns when the recording was made, in whole seconds and UTC: the same time in
// the recording run and in every replay. Use it in place of [time.Now] where the time gets
// into requests: the method value rec.Now is a clock that stands still.
//
// In the recording run it is the time when Now was first called, in real time even in a bubble of
// [testing/synctest]. To have the bubble's clock start at the recording, begin the bubble
// with time.Sleep(time.Until(rec.Now())), which takes no time.
//
// The cassette has the time if a test uses it, and you may edit it there. Mode all
// takes a new one if the test runs completely and has no [Frozen] calls. In a test
// without package echotest that is not known, and the time stays. A run that was killed and is
// resumed keeps its time, too.
//
// If the cassette has no time and nothing can be added to it (modes none and compare, and
// once with a whole cassette), the run fails with an error that says how to add it, and Now
// returns the first second of the year 2000. In mode live the time is not stored. A nil
// recorder returns the present time.
func (r *Recorder) Now() time.Time {
	if r == nil {
		return time.Now().UTC().Truncate(time.Second)
	}
	return r.given.time()
}

// Rand returns the source of random numbers and bytes of this name. It returns the same
// in the recording run and in every replay. Sources with different names are independent,
// so a new one changes nothing for the others. Calls with the same name return the same
// source, which goes on where it was: code that may draw in another order (a goroutine, a subtest
// that -run can select) needs a source of its own.
//
// All sources of a cassette come from one seed, which is drawn from [crypto/rand] when the
// cassette is recorded. The cassette has it if a test uses a source. It stays or
// changes as the time of [Recorder.Now] does.
//
// If the cassette has no seed and nothing can be added to it (modes none and compare, and
// once with a whole cassette), the run fails with an error that says how to add it, and the
// sources come from a seed of zeros. In mode live the seed is not stored. A nil recorder
// returns a new source with a seed of its own each time.
//
// The global sources of [crypto/rand] and [math/rand/v2] are left alone on purpose. Package
// testing/cryptotest can make the first one deterministic for a test, but then TLS draws
// from it, too, while a test records and not while it replays. So every id that is drawn
// after the first connection would differ. And the seed in a committed file would reveal
// the keys of the recorded connections.
func (r *Recorder) Rand(name string) *Rand {
	if r == nil {
		return newRand(drawSeed(), name)
	}
	return r.given.rand(name)
}

// Env returns the value that an environment variable had when the recording was made; it is
// "" if the variable was not set. So the settings a test depends on (a model's name, a region,
// a base URL) are the same wherever it is replayed. If the variable is set and has another
// value now, a note names both, and Env returns the recorded one.
//
// The cassette has the value if a test uses it, and you may edit it there. Mode all
// takes the present value. A run that was killed and is resumed keeps the one it had.
//
// A variable whose name or value looks like a credential is not written. Env returns its
// present value then, and the run fails: use [Recorder.Secret]. A random text of a dozen
// letters and digits looks like one, unless the variable's name ends in ID, SHA or the like.
//
// If the cassette does not have the variable and nothing can be added to it (modes none and
// compare, and once with a whole cassette), the run fails with an error that says how to add it, and Env
// returns "". In mode live, and of a nil recorder, it is [os.Getenv].
func (r *Recorder) Env(name string) string {
	switch {
	case r == nil:
		return os.Getenv(name)
	case !r.isVariable("Env", name):
		return ""
	}
	return r.given.env(name)
}
