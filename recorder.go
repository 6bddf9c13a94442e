package promptecho

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts no goroutines.
type Recorder struct {
	file   string // as the user named it
	config config
	mode   chosenMode
	plan   plan

	redact   redact.Policy
	tape     *tape.Tape
	log      report.Log     // what there is to tell at the end
	pending  answer.Pending // answers that are under way
	upstream *answer.Upstream
	lastURL  urlCache
	life     lifecycle
}

// Open returns a recorder on the cassette file. The file need not exist; it is
// read now if the record mode replays, and written by [Recorder.Close] if the
// mode records.
//
// It is an error if an option or the record mode is invalid, if the file is
// there but not a whole and valid cassette (which is then never overwritten, but
// for one of which a part is gone: mode all records it anew),
// if the cassette is partial and the mode is none, and if another recorder of
// this process has the same file open, also under a name that differs only in
// case.
func Open(file string, opts ...Option) (*Recorder, error) {
	r := &Recorder{file: file}
	for _, o := range opts {
		o(&r.config)
	}
	if r.config.err != nil {
		return nil, r.config.err
	}
	var err error
	if r.mode, err = chooseMode(r.config.mode); err != nil {
		return nil, err
	}
	path, err := filepath.Abs(file) // a later Chdir does not matter
	if err != nil {
		return nil, fmt.Errorf("promptecho: %s: %w", file, err)
	}
	r.redact.KeepHeaders = r.config.keepHeaders
	r.redact.Names, r.redact.Patterns = r.config.redactNames, r.config.redactPatterns
	// In replay too, so that both sides of a match are redacted alike. (Environ is
	// not what the go command's test cache watches; Getenv is.)
	r.redact.Environment(os.Environ())
	r.tape = tape.New(tape.Config{
		Path:    path,
		Name:    file,
		Options: &r.config.matching,
		Plain:   r.config.plain(),
		Repeats: r.config.allowRepeats,
	}, &r.redact)
	if err := r.load(); err != nil {
		return nil, fmt.Errorf("promptecho: %w", err)
	}
	r.describe(path)
	if r.plan.mayGoUpstream() {
		r.upstream = answer.NewUpstream(r.config.upstream, network())
	}
	return r, nil
}

// load settles the plan, puts the cassette on the tape and claims its file.
func (r *Recorder) load() error {
	r.plan = planFor(r.mode.mode, tape.State{})
	if r.plan.passThrough {
		return r.tape.Claim()
	}
	if err := r.overCut(r.tape.Open()); err != nil {
		return err
	}
	var err error
	if r.mode, err = r.settleMode(); err != nil {
		r.tape.Free()
		return err
	}
	r.plan = planFor(r.mode.mode, r.tape.State)
	if err := r.overCut(r.tape.Load(!r.plan.again, r.plan.record)); err != nil {
		return err
	}
	if line := r.tape.State.Edited; line > 0 {
		r.log.Notef("%s:%d: edited since it was recorded", r.file, line)
	}
	if err := r.tape.Claim(); err != nil {
		r.tape.Free()
		return err
	}
	if err := r.resume(); err != nil {
		r.tape.Free()
		return err
	}
	for _, rec := range r.tape.WithForms() {
		r.log.Selected(rec.Form())
	}
	return nil
}

// resume goes on from what a run that was killed has left, if this one records.
func (r *Recorder) resume() error {
	if !r.plan.record {
		return nil
	}
	left, err := r.tape.Resume(r.config.onRecordError == Keep)
	if left.WasSaved {
		r.log.Notef("%s: removed %s: the recording that left it was saved", r.file, left.Name)
	}
	if err == nil && left.Resumed > 0 {
		r.log.Notef("%s: resumed a recording that was killed: %s from %s", r.file, report.Count(left.Resumed, "interaction"), left.Name)
	}
	return err
}

// overCut returns the error of reading the cassette, unless this run records all of it
// again and only a part of it is gone.
func (r *Recorder) overCut(err error) error {
	if err == nil || !r.plan.again || !r.tape.State.Cut {
		return err
	}
	r.log.Notef("recorded anew: %s", strings.TrimPrefix(err.Error(), "promptecho: "))
	return nil
}

// describe tells the log what this run is.
func (r *Recorder) describe(path string) {
	r.log.Run = report.Run{
		File:         r.file,
		Path:         path,
		Mode:         string(r.mode.mode),
		ModeBy:       r.mode.by,
		AtMost:       string(r.config.mode),
		Exists:       r.tape.State.Present,
		Pinned:       r.tape.State.Pinned,
		CheckUnused:  r.plan.checkUnused,
		AllowUnused:  r.config.allowUnused,
		AllowRaced:   r.config.allowRaced,
		MayAskNone:   r.plan.mayAskNone,
		KeepFailures: r.config.onRecordError == Keep,
	}
	if !r.plan.passThrough {
		r.log.Options = &r.config.matching
	}
}

// networkAtStart is the default transport as it was when the program started.
var networkAtStart = http.DefaultTransport

// network returns the default transport. A recorder is never taken for the network, also
// where it is http.DefaultTransport for code that takes no client.
func network() http.RoundTripper {
	if _, ok := http.DefaultTransport.(*Recorder); ok {
		return networkAtStart
	}
	return http.DefaultTransport
}

// Client returns an [http.Client] that goes through the recorder.
func (r *Recorder) Client() *http.Client { return &http.Client{Transport: r} }

// Recording reports whether this run may go upstream: whether a request that
// is not in the cassette is sent and recorded, or passed through.
func (r *Recorder) Recording() bool { return r.plan.mayGoUpstream() }

// Secret returns the value of an environment variable if this run may go
// upstream, and a dummy in replay, so that a client that demands a key can be
// made either way. The value is replaced by a placeholder wherever it would be
// written, if it has 8 bytes or more. If the variable is empty in a run that may go upstream, the dummy
// is returned and the first request that would go upstream fails with an error
// that names the variable.
func (r *Recorder) Secret(env string) string {
	dummy := "promptecho-replay-" + env
	r.redact.AddSecret(dummy)
	if !r.Recording() {
		// The program may have it all the same, and send it: it is hidden on both sides.
		r.redact.Variable(os.Environ(), env)
		return dummy
	}
	value := os.Getenv(env)
	if value == "" {
		r.life.miss(env)
		return dummy
	}
	r.redact.AddSecret(value)
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

// RoundTrip answers a request from the cassette or, if the record mode allows,
// sends it upstream and records the answer while the caller reads it. It does
// not change the request, other than reading and closing its body.
//
// A request that is not recorded is a miss: the answer is at once an error
// response in JSON with status 418 and "x-should-retry: false", which no SDK
// retries, and the miss is kept for [Recorder.Misses] and [Recorder.Close].
func (r *Recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL == nil {
		closeBody(req)
		return nil, errors.New("promptecho: the request has no URL")
	}
	if r.plan.passThrough {
		return r.pass(req)
	}
	in := incomings.Get().(*incoming)
	if err := in.readBody(req); err != nil {
		return nil, fmt.Errorf("promptecho: reading the request: %w", err)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	in.redactHead(req, &r.config, &r.redact, &r.lastURL)
	r.log.Reach()
	recording, err := r.tape.Take(&in.Call)
	switch {
	case err != nil:
		return r.refuse(req, err)
	case recording != nil:
		return r.play(req, in, recording)
	case r.plan.record:
		return r.record(req, in)
	}
	return r.miss(req, &in.Call), nil
}

// pass sends a request through, in mode live.
func (r *Recorder) pass(req *http.Request) (*http.Response, error) {
	if err := r.admit(); err != nil {
		closeBody(req)
		return r.refuse(req, err)
	}
	r.log.Reach()
	return r.upstream.RoundTrip(req)
}

// admit returns why a request cannot go upstream, nil if it can.
func (r *Recorder) admit() error {
	closed, missing := r.life.state()
	switch {
	case closed:
		return tape.ErrClosed
	case missing != "":
		err := refusedError(fmt.Sprintf("%s: %s goes upstream, but the environment variable %s is empty: set it, or replay with PROMPTECHO_MODE=none", r.file, r.mode, missing))
		r.log.Error(err) // the client may swallow the answer
		return err
	}
	return nil
}
