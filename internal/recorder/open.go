package recorder

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/exchange"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/nethttp/request"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/recorder/script"
	"github.com/promptecho/promptecho/internal/recorder/volatile"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/lock"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// Open returns a recorder on the cassette file; configure sets its options.
func Open(file string, configure func(*Config)) (*Recorder, error) {
	r := &Recorder{file: file}
	configure(&r.config)
	if r.config.err != nil {
		return nil, r.config.err
	}
	if r.config.isRecorder(r.config.upstream) || exchange.IsInstalled(r.config.upstream) {
		return nil, prefixed("Upstream: this transport is a recorder: pass one that sends to the " +
			"network, such as new(http.Transport)")
	}
	mode, err := r.config.modeOfRun()
	if err != nil {
		return nil, err
	}
	if file == "" {
		return nil, prefixed("Open: the name of the cassette is empty; " +
			`name a file, such as "testdata/cassettes/login.yaml"`)
	}
	path, err := filepath.Abs(file) // so that a later Chdir does not matter
	if err != nil {
		return nil, prefixed("%s: %w", file, err)
	}
	running := stack.Current()
	if !running.InTest {
		unlogged.Store(true)
	}
	inBenchmark := testing.Testing() && running.Benchmark
	if inBenchmark {
		mode = modeOfRound(mode, path)
	}
	r.mode = mode
	r.swap, err = swapFor(mode.mode)
	if err != nil {
		return nil, err
	}
	r.fork, err = forkOf(mode.mode, path)
	if err != nil {
		return nil, err
	}

	r.tape = tape.New(tape.Config{
		Path:      path,
		Name:      file,
		Options:   &r.config.matching,
		Rounds:    inBenchmark,
		Snapshots: snapshots.Load(),
	}, &r.redact)
	r.mutant, err = mutant.Open(path)
	if err != nil {
		return nil, prefixed("%w", err)
	}
	r.setMatching()
	err = r.load()
	if err == nil {
		err = r.checkMutant()
	}
	if err != nil {
		r.tape.Free()
		return nil, prefixed("%w", err)
	}

	r.noteOverruled(inBenchmark)
	r.describe(path)
	if r.plan.record {
		r.volatile = volatile.New()
	}
	r.values = recordedValues{
		plan:    r.plan,
		tape:    r.tape,
		log:     &r.log,
		policy:  &r.redact,
		sources: map[string]*RandSource{},
	}
	r.values.find(!testing.Testing()) // package echotest calls it again if the whole test runs
	r.player = r.newPlayer()
	r.begin()
	return r, nil
}

// newPlayer returns the player of recorded answers.
func (r *Recorder) newPlayer() exchange.Player {
	return exchange.Player{
		Pace:    r.config.pace,
		Note:    func(text string) { r.log.Note(finding.AnswerCut, text) },
		Named:   r.words().NameRequest,
		Pending: &r.pending,
		HasLater: func(method string, req *http.Request) bool {
			return r.tape.HasUnused(method, r.config.urlOf(req))
		},
	}
}

// begin makes the process ready for the requests of the recorder: for those that go upstream,
// and for a report if the test does not close it.
func (r *Recorder) begin() {
	if r.plan.compare || r.plan.passThrough {
		neverCache()
	}
	if r.plan.mayGoUpstream() || len(r.config.passing) > 0 {
		r.upstream = exchange.NewUpstream(r.config.upstream, r.config.network())
	}
	if r.plan.record {
		r.quota = quota.FromEnv()
		r.try = quota.Try()
	}
	if testing.Testing() {
		unfinished.Store(r, true)
	}
}

// setMatching gives the tape the options that say which recording matches a request, and gives
// the policy those that say what is redacted before the two are compared or written.
func (r *Recorder) setMatching() {
	c := &r.tape.Config
	c.Plain = r.config.plain() && r.swap == nil
	c.Repeats = r.config.allowRepeats
	if c.Rounds || r.mutant.Repeats() {
		c.Repeats = canon.Selectors{everything}
	}
	c.Frozen = r.config.frozen
	if r.fork != nil {
		c.Fork = r.fork.first
	}
	c.InOrder = r.config.pace < 1
	r.config.matching.Hit = r.config.hit

	r.redact.KeepHeaders = r.config.keepHeaders
	r.redact.HashedParameters = r.config.hashedParameters
	r.redact.Names = r.config.redactNames
	r.redact.Patterns = r.config.redactPatterns
	r.redact.OnMatch = r.config.hit
	r.redact.HowToRedact = r.words().RedactIt
	// This is done in replay too, so that both sides of a match are redacted alike. (The
	// test cache of the go command watches what Getenv reads, and not Environ.)
	r.redact.Environment(os.Environ())
}

// load makes the plan, puts the recordings of the cassette on the tape and claims its file.
func (r *Recorder) load() error {
	// The plan for an absent cassette says whether the file is read at all.
	r.plan, _ = r.planOf(r.tape.State) // not pinned yet
	if err := lock.Check(r.file); err != nil {
		return err
	}
	if r.plan.passThrough && len(r.config.frozen) == 0 {
		return r.tape.Claim()
	}
	err := r.tape.Open(r.plan.dropUnused && !shell.InCI())
	if err := r.ignoreCut(err); err != nil {
		return err
	}
	if line := r.tape.State.RecordedValues.Options; line != "" {
		if err := r.readOptions(line); err != nil {
			return err
		}
	}
	if unfit := r.tape.Healed; unfit != nil {
		note := r.file + ": has a merge conflict: this run plays " +
			"the recordings of both sides and drops those that it does not use"
		if *unfit > 0 {
			note += fmt.Sprintf(". It does not play %s with a checksum that does not fit (edited by "+
				"hand, or mixed by git): a request for such an interaction is recorded again",
				english.Count(*unfit, "interaction"))
		}
		r.log.Note(finding.ConflictHealed, note)
	}
	mode, note, err := decideMode(r.tape.State, r.mode, r.file, r.words())
	if err != nil {
		return err
	}
	if note != "" {
		r.log.Note(finding.ModeLowered, note)
	}
	r.mode = mode
	r.plan, err = r.planOf(r.tape.State)
	if err != nil {
		return err
	}
	r.tape.Config.Since, _ = r.mode.mode.day()
	err = r.tape.Load(r.plan.plays(), r.plan.record)
	if err := r.ignoreCut(err); err != nil {
		return err
	}
	if lines := r.tape.State.Edited; len(lines) > 0 {
		r.log.Notef(finding.Edited, "%s:%d: edited since it was recorded", r.file, lines[0])
	}
	if err := r.tape.Claim(); err != nil {
		return err
	}
	return r.resume()
}

// planOf returns the plan of the run for its cassette.
func (r *Recorder) planOf(c tape.State) (plan, error) {
	if r.fork == nil {
		return planFor(r.mode.mode, c, len(r.config.live) > 0), nil
	}
	if c.Pinned && r.fork.isHere {
		return plan{}, r.errorf(finding.ModeLowered, "it is pinned, so it is never written: "+
			"leave out -here, and the new recordings go to another file")
	}
	return r.fork.plan(), nil
}

// readOptions applies the options at the top of the cassette.
func (r *Recorder) readOptions(line string) error {
	if r.config.parseOptions == nil {
		return fmt.Errorf("%s: the options at its top (%s) are for programs under promptecho serve: "+
			"pass them to the recorder in Go, and remove the line", r.file, line)
	}
	apply, err := r.config.parseOptions(line)
	if err != nil {
		return fmt.Errorf("%s: options: %w", r.file, err)
	}
	apply(&r.config)
	r.setMatching()
	return r.config.err
}

// ignoreCut returns the error of reading the cassette. It returns nil, and adds a note, if the
// cassette was cut and this run records all of it again.
func (r *Recorder) ignoreCut(err error) error {
	if err == nil || !r.plan.rerecord || !r.tape.State.Cut {
		return err
	}
	place := r.file
	var broken interface{ Finding() *finding.Error }
	if errors.As(err, &broken) {
		place = broken.Finding().Place
	}
	r.log.Notef(finding.CutOff, "%s: the file was cut here: this run records the whole cassette again", place)
	return nil
}

// resume puts the recordings of a killed run, which are in its journal, and those of other
// cassettes on the tape, if this run records.
func (r *Recorder) resume() error {
	if !r.plan.record || r.plan.derive {
		return nil
	}
	name := cassette.PathWithSuffix(r.file, tape.JournalSuffix)
	resumed, wasSaved, err := r.tape.Resume(name, r.config.onRecordError == Keep)
	if wasSaved {
		r.log.Notef(finding.JournalRemoved, "%s: removed %s: everything in it was already saved", r.file, name)
	}
	if err == nil && resumed > 0 {
		r.log.Notef(finding.Resumed, "%s: resumed a recording that an "+
			"earlier run began and did not save: %s from %s",
			r.file, english.Count(resumed, "interaction"), name)
	}
	if err != nil {
		return err
	}
	return r.carryOver()
}

// describe gives the log the facts about this run that its findings depend on.
func (r *Recorder) describe(path string) {
	r.log.Run = report.Run{
		Tape:         r.tape,
		File:         r.file,
		Path:         path,
		Mode:         string(r.mode.mode),
		ModeBy:       r.mode.by,
		InCI:         r.mode.inCI,
		Ceiling:      r.config.mode.ceiling(),
		Compares:     r.plan.compare,
		OtherModel:   r.otherModel(),
		SentModel:    r.sentModel,
		CheckUnused:  r.plan.checkUnused,
		Passes:       func(u *url.URL) bool { return request.MatchServer(r.config.passing, u) != "" },
		AllowUnused:  r.config.allowUnused,
		AllowRaced:   r.config.allowRaced,
		KeepFailures: r.config.onRecordError == Keep,
		Words:        r.words(),
	}
	r.scripts = script.New(r.tape, &r.log, r.mutant)
}

// snapshots says that snapshots read the tapes of this process.
var snapshots atomic.Bool

// ExpectSnapshots says that snapshots will read the tapes of the recorders that
// are opened from now on; see [tape.Config]. Package echosnap calls it when it is
// initialized, as a decoder registers with package image: no recorder may be
// open yet.
func ExpectSnapshots() { snapshots.Store(true) }

// networkAtStart is the default transport as it was when the program started.
var networkAtStart = http.DefaultTransport

// network returns the default transport. If a program has put a recorder into
// http.DefaultTransport, it returns the transport of the start of the program.
func (c *Config) network() http.RoundTripper {
	if c.isRecorder(http.DefaultTransport) {
		return networkAtStart
	}
	return exchange.Network()
}
