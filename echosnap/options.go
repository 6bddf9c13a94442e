package echosnap

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
	"github.com/promptecho/promptecho/internal/snapshot/route"
)

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

// A Named is an option that [Name] returns. [Match] and [Route] take it.
type Named string

func (n Named) option(c *config)     { c.setName(string(n)) }
func (n Named) route(c *routeConfig) { c.setName(string(n)) }

func (c *config) setName(name string) {
	if err := snapshot.CheckName(name); err != nil && c.err == nil {
		c.err = fmt.Errorf("Name: %w", err)
	}
	c.name = name
}

// Name gives a snapshot a name that is unique in its test. The snapshot is
// found by its name, and not by the order of the calls.
func Name(name string) Named { return Named(name) }

// Ignore leaves out fields of a value: they may have any value, or be absent. A
// path names the members from the top. In it, "*" stands for any element of a
// list or member of an object, and "**" for any number of such steps:
//
//	echosnap.Match(t, got, echosnap.Ignore("created", "items/*/id", "**/request_id"))
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

// Judge asks a model whether a value that differs is right, too: whether it
// meets each of the criteria. If the value passes, the snapshot does not
// change, and go test -v says so.
//
// ask hands a prompt to a model and returns its answer, through the test's
// recorder, so that the verdict is recorded and always replayed. It is called
// only if the value differs from its snapshot. If the answer is that all
// criteria are met, ask is called once. Otherwise it is called twice more, and
// the majority decides. The test fails if ask returns an error, as it does for
// a request that is not recorded, or an answer that cannot be read.
func Judge(ask func(ctx context.Context, prompt string) (string, error), criteria ...string) Option {
	return optionFunc(func(c *config) {
		err := judge.Check(criteria)
		switch {
		case c.err != nil:
		case ask == nil:
			c.err = errors.New("Judge: the function is nil")
		case err != nil:
			c.err = fmt.Errorf("Judge: %w", err)
		}
		c.ask = ask
		c.criteria = criteria
	})
}

// newConfig returns the configuration of these options. It ends the test if one is not valid.
// function is the function of this package that has the options.
func newConfig(t testing.TB, function string, opts []Option) *config {
	t.Helper()
	c := &config{}
	for _, o := range opts {
		o.option(c)
	}
	if c.err != nil {
		t.Fatalf("echosnap: %s: %v", function, c.err)
	}
	return c
}

// section returns a value in the form in which it is compared and written, without a name.
func (c *config) section(t testing.TB, function string, got any) *snapshot.Section {
	t.Helper()
	sec, err := snapshot.Of(got)
	if err == nil {
		err = redacted(sec)
	}
	if err == nil {
		err = sec.Layout(c.ignored)
	}
	if err != nil {
		t.Fatalf("echosnap: %s: %v", function, err)
	}
	return sec
}

// A RouteOption is an expectation of a route, or a [Name].
type RouteOption interface{ route(c *routeConfig) }

type routeConfig struct {
	config
	checks []route.Check
}

type expectation struct{ check route.Check }

func (e expectation) route(c *routeConfig) { c.checks = append(c.checks, e.check) }
