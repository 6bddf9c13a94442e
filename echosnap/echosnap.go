// Package echosnap says whether what a program made of an answer is still right, after the
// answer was recorded anew.
//
// A cassette freezes what the provider says. A snapshot holds what the program made of it:
//
//	echosnap.Match(t, got)                                 // text, or any value as JSON
//	echosnap.Match(t, got, echosnap.Ignore("created"))     // but for these fields
//	echosnap.Inline(t, got, "Paris")                       // in the source
//	echosnap.Route(t, rec)                                 // what an agent did
//
// The snapshots of TestX are in testdata/snapshots/TestX.snap. The first run writes them, and
// fails where CI is set. If a value differs, the test fails with the words that differ and
// leaves TestX.snap.new, which promptecho review shows, to be accepted or rejected; in CI it
// writes nothing. The flag -echo.update, or PROMPTECHO_SNAPSHOTS=update, accepts everything;
// PROMPTECHO_SNAPSHOTS=none writes nothing, as in CI.
//
// What is written is redacted as cassettes are. docs/SNAPSHOTS.md says where the line runs
// between a replay, a snapshot, a judge and an evaluation.
package echosnap

import (
	"context"
	"fmt"
	"testing"

	"github.com/promptecho/promptecho/internal/judge"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// Match compares a value with its snapshot. A string, an error and bytes that are no JSON are
// text, which is equal if it is the same but for the ends of its lines ("\r\n" is "\n"). Every
// other value is compared as its JSON: as a value, so that the order of members does not
// count. Bytes and a [encoding/json.RawMessage] that are JSON are the value that they hold.
//
// Several snapshots of one test are numbered in the order in which they are asked for; give
// them names if that may change, or if goroutines ask. A subtest has a file of its own.
func Match(t testing.TB, got any, opts ...Option) {
	t.Helper()
	c := newConfig(t, "Match", opts)
	sec := c.section(t, "Match", got)
	s := sessionOf(t)
	sec.Name = s.name(c.name)
	s.match(sec, c)
}

// An Option changes what [Match] and [Inline] do.
type Option interface{ option(c *config) }

type config struct {
	name     string
	ignored  []string
	ask      judge.Ask
	criteria []string
	err      error
}

type optionFunc func(c *config)

func (f optionFunc) option(c *config) { f(c) }

// A Named is what [Name] returns.
type Named string

func (n Named) option(c *config)     { c.setName(string(n)) }
func (n Named) route(c *routeConfig) { c.setName(string(n)) }

func (c *config) setName(name string) {
	if err := snapshot.CheckName(name); err != nil && c.err == nil {
		c.err = fmt.Errorf("Name: %w", err)
	}
	c.name = name
}

// Name gives a snapshot a name that is unique in its test: it is found by that, and not by the
// order in which snapshots are asked for.
func Name(name string) Named { return Named(name) }

// Ignore leaves out fields of a value: they may have any value, or be absent. A path names the
// members from the top, with "*" for all elements of a list or members of an object, and "**"
// for any number of them: "created", "items/*/id", "**/request_id".
func Ignore(paths ...string) Option {
	return optionFunc(func(c *config) {
		for _, p := range paths {
			if err := snapshot.CheckPattern(p); err != nil && c.err == nil {
				c.err = fmt.Errorf("Ignore: %w", err)
			}
		}
		c.ignored = append(c.ignored, paths...)
	})
}

// Judge asks a model whether a value that differs is right, too: whether it meets each of the
// criteria. What passes leaves the snapshot as it was, and says so in go test -v.
//
// ask hands a prompt to a model and returns its answer, through the test's recorder, so that
// the verdict is recorded and replayed for ever. It is called only if the value differs from
// its snapshot: once if the answer is that all criteria are met, and otherwise twice more, and
// the majority decides. The test fails if ask returns an error, as it does for a request that
// is not recorded, or an answer that cannot be read.
func Judge(ask func(ctx context.Context, prompt string) (string, error), criteria ...string) Option {
	return optionFunc(func(c *config) {
		err := judge.Check(criteria)
		switch {
		case c.err != nil:
		case ask == nil:
			c.err = fmt.Errorf("Judge: there is nobody to ask: the function is nil")
		case err != nil:
			c.err = fmt.Errorf("Judge: %w", err)
		}
		c.ask, c.criteria = ask, criteria
	})
}

// newConfig ends the test if an option cannot be.
func newConfig(t testing.TB, who string, opts []Option) *config {
	t.Helper()
	c := &config{}
	for _, o := range opts {
		o.option(c)
	}
	if c.err != nil {
		t.Fatalf("echosnap: %s: %v", who, c.err)
	}
	return c
}

// section returns a value as it is compared and written, without a name.
func (c *config) section(t testing.TB, who string, got any) *snapshot.Section {
	t.Helper()
	sec, err := snapshot.Of(got)
	if err == nil {
		redacted(sec)
		err = sec.Layout(c.ignored)
	}
	if err != nil {
		t.Fatalf("echosnap: %s: %v", who, err)
	}
	return sec
}
