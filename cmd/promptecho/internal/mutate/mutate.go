package mutate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// Options say what is run.
type Options struct {
	BuildFlags []string // of go test -c
	Filters    []string // for the test program, such as -test.run=X
	Args       []string // for the test program, of the user

	Jobs int // how many test programs run at once

	// Selects reports whether a test is judged that plays these cassettes; nil selects all.
	Selects func(t *Test) bool

	// Progress is called before each package is built and when each answer is done.
	Progress func(p Progress)
}

// Progress says how far a run is.
type Progress struct {
	Doing         Phase
	Package       string
	Answers, Done int
	Runs          int
}

// A Phase is a part of the run of a package.
type Phase string

// The phases.
const (
	Building Phase = "building" // the test program
	Listing  Phase = "listing"  // what the tests play
	Changing Phase = "changing" // the answers
)

// slowStart is how long a test program may take to start before its rounds share a process.
const slowStart = 200 * time.Millisecond

// roundsAtOnce is how many rounds share a process of a test program that starts slowly.
const roundsAtOnce = 20

// A mutator runs the tests of packages.
type mutator struct {
	options Options
	temp    string

	lock   sync.Mutex // guards what follows
	result Result
	doing  Progress
	errs   []error
}

// Run changes the answers that the tests of packages play, and returns what they notice. If ctx is
// done, it ends at once with what is known. Files below the packages are as they were when it returns.
func Run(ctx context.Context, packages []suite.Package, o Options) (*Result, error) {
	temp, err := os.MkdirTemp("", "promptecho-mutate-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(temp)
	m := &mutator{options: o, temp: temp, result: Result{Tests: []*Test{}}}
	began := time.Now()
	for i, pkg := range packages {
		if ctx.Err() != nil {
			break
		}
		dir := filepath.Join(temp, fmt.Sprint(i))
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		err := m.runPackage(ctx, pkg, dir)
		_ = os.RemoveAll(dir)
		if err != nil && ctx.Err() == nil {
			m.errs = append(m.errs, err)
		}
	}
	m.result.Interrupted = ctx.Err() != nil
	m.result.Seconds = time.Since(began).Seconds()
	return &m.result, errors.Join(m.errs...)
}

// runPackage judges the tests of a package.
func (m *mutator) runPackage(ctx context.Context, pkg suite.Package, dir string) error {
	m.progress(func(p *Progress) { p.Doing, p.Package = Building, pkg.Path })
	b, err := build(ctx, pkg, m.options.BuildFlags, dir)
	if err != nil {
		return err
	}
	b.args = m.options.Args
	b.files, err = keepFiles(pkg.Dir, filepath.Join(dir, "files"))
	if err != nil {
		return err
	}
	defer func() {
		// An interrupt drops other errors, but a file that could not be put back is always told.
		if _, err := b.files.restore(); err != nil {
			m.errs = append(m.errs, err)
		}
	}()

	m.progress(func(p *Progress) { p.Doing = Listing })
	tests, err := b.list(ctx, m.options.Filters)
	if err != nil || ctx.Err() != nil {
		return err
	}
	b.writes, err = b.files.restore()
	if err != nil {
		return err
	}
	if m.options.Selects != nil {
		tests = slices.DeleteFunc(tests, func(t *Test) bool { return !m.options.Selects(t) })
	}
	if len(tests) == 0 {
		return nil
	}
	atOnce, err := b.roundsAtOnce(ctx)
	if err != nil || ctx.Err() != nil {
		return err
	}
	accepted, err := readAccepted(pkg.Dir)
	if err != nil {
		return err
	}

	m.progress(func(p *Progress) {
		p.Doing = Changing
		for _, t := range tests {
			p.Answers += len(t.Answers)
		}
	})
	err = m.runTests(ctx, b, tests, atOnce)
	for _, t := range tests {
		accepted.apply(t)
		t.judgeTest()
	}
	m.result.Tests = append(m.result.Tests, tests...)
	hasFilters := len(m.options.Filters) > 0 || m.options.Selects != nil
	if ctx.Err() == nil && !hasFilters {
		m.result.Stale = append(m.result.Stale, accepted.stale()...)
	}
	return err
}

// roundsAtOnce returns how many rounds share a process: one, unless the program takes long to start.
func (b *binary) roundsAtOnce(ctx context.Context) (int, error) {
	p, err := b.runAlone(ctx, mutant.Plan{}, controlLimit, "-test.run=^$")
	if err != nil {
		return 0, err
	}
	if p.took > slowStart {
		return roundsAtOnce, nil
	}
	return 1, nil
}

// runTests tries the answers of tests, those of several tests at once. A test never runs twice at once,
// as with go test: it may use a folder or a port that its name has.
func (m *mutator) runTests(ctx context.Context, b *binary, tests []*Test, atOnce int) error {
	work := make(chan *Test)
	var workers sync.WaitGroup
	errs := make([]error, max(1, m.options.Jobs))
	for i := range errs {
		workers.Go(func() {
			for t := range work {
				for _, a := range t.Answers {
					err := m.try(ctx, &trial{binary: b, test: t, answer: a, atOnce: atOnce})
					errs[i] = errors.Join(errs[i], err)
					m.progress(func(p *Progress) { p.Done++ })
				}
			}
		})
	}
	var failed error
	for _, t := range tests {
		err := b.replayAlone(ctx, t)
		if err != nil {
			failed = err
			break
		}
		t.NotJudged = t.whyNotJudged()
		if t.NotJudged != "" {
			continue
		}
		select {
		case work <- t:
		case <-ctx.Done():
			for _, a := range t.Answers {
				a.stopped(ctx)
			}
		}
	}
	close(work)
	workers.Wait()
	return errors.Join(append(errs, failed)...)
}

// try tries an answer. If the tests of the package turn out to write files, it does so again while
// no other test of the package runs.
func (m *mutator) try(ctx context.Context, t *trial) error {
	mutations, line, why, err := mutationsOf(t.answer)
	t.answer.Line = line
	t.answer.NotJudged = why
	if err != nil || why != "" {
		return err
	}
	wrote := t.binary.isWriting()
	err = t.try(ctx, mutations)
	if err != nil || ctx.Err() != nil {
		t.answer.stopped(ctx)
		return err
	}
	if !wrote && t.binary.hasWritten() {
		t.answer.Changes = nil
		t.answer.NotJudged = ""
		err = t.try(ctx, mutations)
		t.answer.stopped(ctx)
	}
	m.lock.Lock()
	m.result.Runs += len(t.answer.Changes)
	m.lock.Unlock()
	return err
}

// stopped marks an answer that was interrupted before all its changes were tried.
func (a *Answer) stopped(ctx context.Context) {
	if ctx.Err() != nil {
		a.NotJudged = "interrupted"
	}
}

// mutationsOf returns the mutations of a recorded answer, and the line of its recording. why says why
// there are none.
func mutationsOf(a *Answer) (list []*mutation.Mutation, line int, why string, err error) {
	f, err := cassette.Load(a.Cassette)
	if err != nil {
		return nil, 0, "", err
	}
	if a.Number > len(f.Interactions) {
		return nil, 0, "", fmt.Errorf("%s: has no interaction %d any more", a.Cassette, a.Number)
	}
	it := f.Interactions[a.Number-1]
	wrapped := func(tool string) bool {
		return slices.ContainsFunc(f.Interactions, func(other *interaction.Interaction) bool {
			_, name, _ := strings.Cut(other.Request.Function, "/")
			return name == tool
		})
	}
	list = mutation.Of(it, mutation.Options{Wrapped: wrapped})
	switch {
	case it.Response.Status >= 400:
		why = "a failure was recorded"
	case len(list) == 0:
		why = "nothing of this answer can be changed"
	}
	return list, it.Line, why, nil
}

// progress changes what is told of the progress, and tells it.
func (m *mutator) progress(change func(p *Progress)) {
	m.lock.Lock()
	defer m.lock.Unlock()
	change(&m.doing)
	m.doing.Runs = m.result.Runs
	if m.options.Progress != nil {
		m.options.Progress(m.doing)
	}
}
