package promptecho

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/answer"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
)

func init() {
	report.Finish = func(recorder any, o report.Outcome) report.Report {
		return recorder.(*Recorder).finish(o)
	}
}

// A Recorder is an [http.RoundTripper] that answers from a cassette, or records
// into it. All methods may be called concurrently. It starts no goroutines.
type Recorder struct {
	file string // as the user named it
	path string // absolute, so that a later Chdir does not matter
	key  string // under which it is open
	mode chosen
	plan plan
	cfg  config

	log      report.Log // what there is to tell
	upstream *answer.Upstream
	pending  answer.Pending // answers that are under way
	redact   redact.Policy
	lastURL  atomic.Pointer[cleanURL]

	reading sync.Mutex // guards unread
	unread  error      // why an interaction could not be read, the first time

	mu       sync.Mutex // guards what follows; not held across I/O but that of Close
	tape     tape
	secrets  []string         // names asked for with Secret that the environment lacks
	contests []*contest       // see there
	unsaid   map[*slot]unsaid // of the requests that took them, in a run that saves
	closed   bool

	old      *cassette.Stored // the cassette as it was; nil if there is none
	trusts   bool             // seals tell which interaction answers a request
	replaced []*slot          // its recordings in mode all, which does not play them
	waiting  []chan struct{}  // of the Closes that came while the first was at work
	ended    bool
	report   report.Report

	journal *journal // nil if this run does not save
	cut     bool     // there is a cassette of which a part is gone; mode all replaces it
	read    stamp    // of the cassette when it was read, if this run saves
}

// A plan is what a mode comes to for a cassette that is there or not. The mode
// decides these five things and nothing else.
type plan struct {
	load        bool // the tape starts with the cassette
	record      bool // a miss goes upstream
	save        bool // Close writes the tape
	checkUnused bool
	passThrough bool
}

func planFor(m Mode, present, partial bool) plan {
	switch m {
	case ModeLive:
		return plan{passThrough: true}
	case ModeAll:
		return plan{record: true, save: true}
	case ModeNewEpisodes:
		return plan{load: true, record: true, save: true}
	case ModeOnce:
		if !present {
			return plan{record: true, save: true}
		}
		if partial {
			return plan{load: true, record: true, save: true, checkUnused: true}
		}
	}
	return plan{load: present, checkUnused: true}
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
	var cfg config
	for _, o := range opts {
		o(&cfg)
	}
	if cfg.err != nil {
		return nil, cfg.err
	}
	mode, err := chooseMode(cfg.mode)
	if err != nil {
		return nil, err
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, fmt.Errorf("promptecho: %s: %w", file, err)
	}
	r := &Recorder{
		file: file, path: path, mode: mode, cfg: cfg,
	}
	r.redact.KeepHeaders, r.redact.Names, r.redact.Patterns = cfg.keepHeaders, cfg.redactNames, cfg.redactPatterns
	// In replay too, so that both sides of a match are cleaned alike. (Environ is
	// not what the go command's test cache watches; Getenv is.)
	r.redact.Environment(os.Environ())
	if err := r.load(); err != nil {
		return nil, err
	}
	r.describe()
	if r.key, err = register(path, file); err != nil {
		r.old.Close()
		return nil, err
	}
	if r.plan.save {
		r.read = stampOf(path)
		if err := r.resume(); err != nil {
			unregister(r.key)
			return nil, err
		}
	}
	if r.Recording() {
		r.upstream = answer.NewUpstream(cfg.upstream, network())
	}
	return r, nil
}

// load reads the cassette, settles the plan and fills the tape.
func (r *Recorder) load() error {
	if r.mode.mode == ModeLive {
		r.plan = planFor(ModeLive, false, false)
		return nil
	}
	f, err := cassette.Open(r.path, canon.Revision, r.trust)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = nil, nil
	}
	if err != nil && !r.replaces(err) {
		return fmt.Errorf("promptecho: %w", r.relative(err))
	}
	if err := r.settlePlan(f); err != nil {
		f.Close()
		return err
	}
	if f == nil {
		return nil
	}
	r.old = f
	r.fill()
	if r.unread != nil {
		f.Close()
		if !r.replaces(r.unread) {
			return r.unread
		}
		r.old, r.replaced, r.unread = nil, nil, nil
	}
	if line := f.Edited(); line > 0 {
		r.log.Notef("%s:%d: edited since it was recorded", r.file, line)
	}
	return nil
}

// replaces reports whether this run records over a cassette that cannot be read: mode
// all does if a part of it is gone.
func (r *Recorder) replaces(err error) bool {
	var syntax *cassette.SyntaxError
	r.cut = errors.As(err, &syntax) && syntax.Cut && r.mode.mode == ModeAll
	if r.cut {
		r.log.Notef("recorded anew: %s", strings.TrimPrefix(r.relative(err).Error(), "promptecho: "))
	}
	return r.cut
}

// trust reports whether the key of a sealed interaction is that of this run: not if
// a value that is known here stands in it, which is replaced before it is matched.
func (r *Recorder) trust(text []byte) bool { return !r.redact.Holds(text) }

// settlePlan decides what this run does; f is the cassette, nil if there is none.
func (r *Recorder) settlePlan(f *cassette.Stored) error {
	if f != nil && f.Pinned && f.Partial {
		return fmt.Errorf("promptecho: %s is pinned and partial: a pinned cassette is never written, and a partial one is not complete. Remove one of the two lines at its top", r.file)
	}
	if f != nil && f.Pinned && (r.mode.mode == ModeAll || r.mode.mode == ModeNewEpisodes) {
		r.log.Notef("%s is pinned: replayed, not recorded, in spite of %s", r.file, r.mode)
		r.mode = chosen{ModeNone, "the cassette is pinned"}
	}
	if f != nil && f.Partial && r.mode.mode == ModeNone {
		return fmt.Errorf("promptecho: %s is partial: the run that recorded it did not pass. Run its test without CI and with the key set until it passes, which completes the cassette, and commit that", r.file)
	}
	r.plan = planFor(r.mode.mode, f != nil, f != nil && f.Partial)
	return nil
}

// fill puts the interactions of the cassette on the tape. Where seals tell what
// they answer, nothing of them is read.
func (r *Recorder) fill() {
	n := r.old.Len()
	r.trusts = r.cfg.plain()
	slots := make([]slot, n)
	if r.plan.load {
		r.tape.grow(n)
	}
	for i := range slots {
		s := &slots[i]
		s.in, s.number = r, i
		var digest uint64
		s.key, digest, s.sealed = r.old.Hint(i)
		s.givenUp = r.old.GivenUp(i)
		switch {
		case !r.plan.load:
			r.replaced = append(r.replaced, s)
			continue
		case s.sealed && r.trusts:
			s.digest = digest
		default:
			s.key = keyOf(s.form())
			r.log.Selected(s.form())
		}
		r.tape.add(s)
	}
	if r.plan.save {
		// It is about to be replaced.
		for i := range slots {
			slots[i].it()
			if !r.plan.load && !r.trusts {
				r.log.Selected(slots[i].form())
			}
		}
		r.old.Close()
	}
}

// unreadable keeps the first error of reading an interaction that is needed, and
// returns it as it is told.
func (r *Recorder) unreadable(err error) error {
	if text := err.Error(); !strings.HasPrefix(text, "promptecho: ") {
		err = fmt.Errorf("promptecho: %w", r.relative(err))
	}
	r.reading.Lock()
	defer r.reading.Unlock()
	if r.unread == nil {
		r.unread = err
	}
	return err
}

// asked returns the request of a stored interaction as it is matched: cleaned like
// a live one, whoever wrote it down. One that is sealed was cleaned by today's rules.
func (r *Recorder) asked(it *interaction.Interaction, sealed bool) interaction.Request {
	req := it.Request
	if sealed && r.trusts {
		r.redact.Again(&req)
	} else {
		r.redact.Request(&req)
	}
	return req
}

// relative shortens the absolute path in an error to the name the user gave.
func (r *Recorder) relative(err error) error {
	var syntax *cassette.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Msg = strings.ReplaceAll(syntax.Msg, syntax.File, r.file)
		syntax.File = r.file
		return syntax
	}
	var perr *fs.PathError
	if errors.As(err, &perr) && perr.Path == r.path {
		return &fs.PathError{Op: perr.Op, Path: r.file, Err: perr.Err}
	}
	return err
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
func (r *Recorder) Recording() bool { return r.plan.record || r.plan.passThrough }

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
		r.mu.Lock()
		defer r.mu.Unlock()
		r.secrets = append(r.secrets, env)
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
	if r.plan.passThrough {
		return r.pass(req)
	}
	if req.URL == nil {
		closeBody(req)
		return nil, errors.New("promptecho: the request has no URL")
	}
	c := calls.Get().(*call)
	if err := c.read(req); err != nil {
		return nil, fmt.Errorf("promptecho: reading the request: %w", err)
	}
	if err := req.Context().Err(); err != nil {
		return nil, err
	}
	c.cleanHead(r, req)
	if s := r.identical(&c.clean); s != nil {
		r.keepUnsaid(req, &c.clean, s)
		c.free()
		return r.replay(req, nil, s)
	}
	clean, body := &c.clean, c.body.Bytes()
	r.redact.Body(clean)
	form := r.cfg.rules.Form(clean)

	s, err := r.next(clean, form)
	switch {
	case err != nil:
		return r.refuse(req, err)
	case s == nil:
		return r.miss(req, clean, form), nil
	}
	r.keepUnsaid(req, clean, s)
	if s.fresh {
		return r.record(req, body, s)
	}
	if err := r.lies(s, form); err != nil {
		r.unreadable(err)
		return nil, err
	}
	r.log.Drift(recording{s}, form)
	return r.replay(req, clean, s)
}

// lies returns an error if a slot that was found by the key in its file is not of the
// form that was asked for.
func (r *Recorder) lies(s *slot, form *canon.Form) error {
	if s.digest == 0 || s.form().Key() == form.Key() {
		return nil
	}
	it := s.it()
	if s.err != nil {
		return s.err
	}
	if keyOf((&canon.Options{}).Form(&it.Request)) == s.key {
		return nil // a credential has become known meanwhile
	}
	// Only a file that was made to lie can have that.
	return fmt.Errorf("promptecho: %s:%d: the match key in its seal is not that of the request: promptecho verify -w writes the seals anew", r.file, s.line())
}

// identical returns the slot to replay for a request that is recorded byte for
// byte, nil if that is not known: then it takes the long way. clean is the request
// with its body as it came. If one of the same kind stands before, written otherwise,
// that is to be played, and the long way finds it.
func (r *Recorder) identical(clean *interaction.Request) *slot {
	if !r.trusts || !r.plan.load {
		return nil
	}
	digest := clean.Digest()
	r.mu.Lock()
	defer r.mu.Unlock()
	first := r.tape.digests.get(digest)
	if first == nil || r.closed {
		return nil
	}
	r.log.Reach()
	return r.tape.queues.get((*first).key).same(*first, r.cfg.allowRepeats)
}

// pass sends a request through, in mode live.
func (r *Recorder) pass(req *http.Request) (*http.Response, error) {
	if err := r.mayPass(req); err != nil {
		closeBody(req)
		return r.refuse(req, err)
	}
	return r.upstream.RoundTrip(req)
}

func (r *Recorder) mayPass(req *http.Request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case req.URL == nil:
		return errors.New("promptecho: the request has no URL")
	case r.closed:
		return r.tooLate(req.Method, req.URL.Redacted())
	case len(r.secrets) > 0:
		return &secretError{r.file, r.secrets[0], r.mode}
	}
	r.log.Reach()
	return nil
}

// next decides in one step what happens to a request: the slot to replay, a
// fresh slot to record into, or nil for a miss.
func (r *Recorder) next(clean *interaction.Request, form *canon.Form) (*slot, error) {
	q := r.tape.queues.get(keyOf(form)) // the queues are those of Open
	r.know(q)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, r.tooLate(clean.Method, clean.URL)
	}
	r.log.Reach()
	r.log.Selected(form)
	var contested *contest
	if q != nil {
		if !q.ready() {
			q.sort()
		}
		var s *slot
		if s, contested = q.take(form, r.cfg.allowRepeats); contested != nil {
			r.contests = append(r.contests, contested)
		}
		if s == nil && !r.plan.record {
			s = q.waiting()
		}
		if s != nil {
			return s, nil
		}
	}
	if !r.plan.record {
		return nil, nil
	}
	if len(r.secrets) > 0 {
		return nil, &secretError{r.file, r.secrets[0], r.mode}
	}
	kind, boundary := form.Kind()
	key := form.Key()
	if !r.cfg.rules.Plain() { // that of the request itself, whatever rules this test has
		key = (&canon.Options{}).Form(clean).Key()
	}
	it := &interaction.Interaction{Kind: kind, Boundary: boundary, Request: *clean, MatchKey: key}
	s := r.tape.place(it, form)
	if contested != nil {
		contested.given = s
	}
	return s, nil
}

// know reads the requests of a queue, if what they are is not known: reading must not
// happen under the lock.
func (r *Recorder) know(q *queue) {
	if q == nil {
		return
	}
	r.mu.Lock()
	ready := q.ready()
	r.mu.Unlock()
	if ready {
		return
	}
	for s := range q.all {
		s.form()
	}
}
