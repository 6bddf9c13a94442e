// Package recorder is the engine below package promptecho: it answers requests
// from a cassette or records them, and saves and judges the run at its end.
// Package promptecho has the types, the options and the documentation that users
// see, and calls this package for all of it.
//
// A request starts in roundtrip.go; a run ends in close.go.
package recorder

import (
	"fmt"
	"net/url"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/modelswap"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/recorder/script"
	"github.com/promptecho/promptecho/internal/recorder/volatile"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Recorder is the implementation of a promptecho.Recorder. A nil Recorder sends
// every request upstream and calls every function.
//
// It has no exported or embedded fields, since promptecho.Recorder is a type with
// the same fields, so they would be exported to users.
type Recorder struct {
	file   string // the path of the cassette, as the user wrote it
	config Config
	mode   chosenMode
	plan   plan

	redact   redact.Policy
	tape     *tape.Tape
	log      report.Log       // the findings for the report at the end
	player   exchange.Player  // plays recorded answers
	scripts  *script.Scripts  // play recorded sessions
	pending  exchange.Pending // answers that the client is reading
	retries  exchange.Retries // requests that SDKs send again after a failure
	waits    waits            // how long the program waits between requests
	repeater repeater         // calls to send again at the end, in mode compare
	fork     *fork            // nil unless the cassette is forked
	swap     *modelswap.Swap  // models that take the place of others; nil in most runs
	mutant   *mutant.Recorder // changes an answer, for promptecho mutate; nil in other runs
	upstream *exchange.Upstream
	quota    *quota.Quota   // permits requests to be sent; nil unless promptecho record runs the test
	try      int            // which one the test is of those of promptecho record -tries; 0 without
	sent     sentRequests   // by the program, for a test that looks at them
	values   recordedValues // the time, random sources and variables of the test

	orphans *orphans.Search // recordings of the test under an earlier name; nil outside of tests

	volatile      *volatile.Finder // nil if nothing is recorded
	volatileNoted report.Tally[volatile.Kind]

	// life is the state from Open to Close.
	life struct {
		closed     atomic.Bool            // no more requests are taken
		closer     closer                 // closes the recorder once
		missing    atomic.Pointer[string] // the reason why no request can go upstream, or nil
		refused    atomic.Bool            // the command has refused a request
		unanswered sync.Map               // requests without an answer yet, by their recordings
	}
}

// Online reports whether this run may go upstream.
func (r *Recorder) Online() bool { return r == nil || r.plan.mayGoUpstream() }

// Secret returns the value of an environment variable if this run may go
// upstream, and a dummy in replay.
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
		remedy := "set it, or replay with PROMPTECHO_MODE=none"
		if r.plan.record && r.tape.IsBlank() { // nothing can be replayed
			remedy = "set it for this run, which records; a replay needs no key"
		}
		why := fmt.Sprintf("the environment variable %s is empty: %s", env, remedy)
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
	why := fmt.Sprintf("rec.%s needs the name of an environment variable, such as "+
		"\"OPENAI_API_KEY\", and got another text (not shown, since it may be a secret)", method)
	r.life.missing.CompareAndSwap(nil, &why)
	r.log.Error(r.errorf(finding.NameInvalid, "%s", why))
	return false
}

var variable = memo.Regexp(`^[A-Za-z_][A-Za-z0-9_]*$`)

// Misses returns the requests that had no recording so far, each once, in the
// order in which they were first sent.
func (r *Recorder) Misses() []*report.Miss {
	if r == nil {
		return nil
	}
	return r.log.Misses()
}

// Now returns when the recording was made.
func (r *Recorder) Now() time.Time {
	if r == nil {
		return time.Now().UTC().Truncate(time.Second)
	}
	return r.values.time()
}

// Rand returns the source of random numbers of this name. Calls with the same
// name return the same source.
func (r *Recorder) Rand(name string) *RandSource {
	if r == nil {
		return NewRandSource(drawSeed(), name)
	}
	return r.values.rand(name)
}

// Env returns the value that an environment variable had when the recording was
// made.
func (r *Recorder) Env(name string) string {
	switch {
	case r == nil:
		return os.Getenv(name)
	case !r.isVariable("Env", name):
		return ""
	}
	return r.values.env(name)
}

// Tape returns the recordings.
func (r *Recorder) Tape() *tape.Tape { return r.tape }

// Policy returns what the recorder redacts.
func (r *Recorder) Policy() *redact.Policy { return &r.redact }

// HasAlias reports whether the server of a URL has an alias.
func (r *Recorder) HasAlias(u *url.URL) bool { return r.config.aliases.of(u) != nil }

// errorf returns an error of the cassette.
func (r *Recorder) errorf(code finding.Code, format string, args ...any) *finding.Error {
	return finding.Errorf(code, r.file, format, args...)
}

// errorAt returns an error of a recording.
func (r *Recorder) errorAt(line int, code finding.Code, format string, args ...any) *finding.Error {
	return finding.Errorf(code, fmt.Sprintf("%s:%d", r.file, line), format, args...)
}
