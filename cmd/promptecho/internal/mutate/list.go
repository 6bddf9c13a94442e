package mutate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/promptecho/promptecho/internal/mutant"
)

// firstLimit is the time that all tests of a package have in the first replay.
const firstLimit = 10 * time.Minute

// aloneLimit is the time that a test has which runs alone and did not pass in the first replay.
const aloneLimit = time.Minute

// list replays the tests of a package, and returns those that play recordings, with their answers.
func (b *binary) list(ctx context.Context, filters []string) ([]*Test, error) {
	p, err := b.run(ctx, mutant.Plan{}, firstLimit, filters...)
	if err != nil {
		return nil, err
	}
	names := map[int32]string{} // of the tests whose recorders these are
	for _, n := range p.notes {
		if n.Event == mutant.Ended && n.Test != "" {
			names[n.Recorder] = n.Test
		}
	}
	byName := map[string]*Test{}
	var tests []*Test
	for _, n := range p.notes {
		name := names[n.Recorder]
		if name == "" {
			name = n.Test
		}
		isRefused := n.Event == mutant.Refused
		if isRefused && name == "" {
			name = "TestMain"
		}
		if n.Event != mutant.Played && !isRefused || name == "" {
			continue
		}
		t := byName[name]
		if t == nil {
			t = &Test{Package: b.pkg.Path, Dir: b.pkg.Dir, Name: name, baseline: p.baselineOf(name)}
			byName[name] = t
			tests = append(tests, t)
		}
		if isRefused {
			t.refusedMode = n.Call
		} else {
			t.addAnswer(n)
		}
	}
	slices.SortStableFunc(tests, func(a, b *Test) int { return strings.Compare(a.Name, b.Name) })
	return tests, nil
}

// addAnswer adds a recording that was played, once.
func (t *Test) addAnswer(n mutant.Note) {
	isSame := func(a *Answer) bool { return a.Cassette == n.Cassette && a.Number == n.Number+1 }
	if !slices.ContainsFunc(t.Answers, isSame) {
		t.Answers = append(t.Answers, &Answer{Cassette: n.Cassette, Number: n.Number + 1, Call: n.Call})
	}
	slices.SortStableFunc(t.Answers, func(a, b *Answer) int {
		if a.Cassette != b.Cassette {
			return strings.Compare(a.Cassette, b.Cassette)
		}
		return a.Number - b.Number
	})
}

// baselineOf returns how a test ended. A subtest may pass beside one that fails.
func (p *process) baselineOf(test string) baseline {
	switch {
	case hasResult(p.output, "PASS", test):
		return basePassed
	case hasResult(p.output, "SKIP", test):
		return baseSkipped
	case hasResult(p.output, "FAIL", test):
		return baseFailed
	}
	return baseUnknown
}

// replayAlone replays a test once more if it failed among the others: it may pass alone, and changed
// answers are played to it alone.
func (b *binary) replayAlone(ctx context.Context, t *Test) error {
	if t.baseline != baseFailed && t.baseline != baseUnknown {
		return nil
	}
	p, err := b.runAlone(ctx, mutant.Plan{}, aloneLimit, onlyTest(t.Name, 1)...)
	if err != nil || ctx.Err() != nil {
		return err
	}
	t.baseline = p.baselineOf(t.Name)
	return nil
}

// whyNotJudged returns why a test cannot be judged by its replay, or "".
func (t *Test) whyNotJudged() string {
	switch t.baseline {
	case baseFailed:
		if t.refusedMode != "" {
			return "its recorder has " + t.refusedMode + ", and may send or write something"
		}
		return "it fails with nothing changed: go test -run '^" + t.Name + "$' says why"
	case baseSkipped:
		return "it is skipped"
	case baseUnknown:
		return "the test program ends before the test does"
	}
	return ""
}

// CassetteName returns the path of a cassette below the folder of its package, for people.
func (t *Test) CassetteName(path string) string {
	rel, err := filepath.Rel(t.Dir, path)
	if err != nil {
		return path
	}
	return filepath.ToSlash(rel)
}
