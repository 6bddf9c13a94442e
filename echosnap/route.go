package echosnap

import (
	"cmp"
	"errors"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/snapshot/route"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// Route compares what the program has done so far with its snapshot. A route
// has the models and the tools that were called, the arguments of tools, and
// how each answer ended, in order. It has no words of an answer.
//
// Route reads the recorder, so that the program needs no code for it. It sees
// the calls of tools that answers ask for, MCP over HTTP, functions of
// [promptecho.Wrap], and other requests. Requests that a function sends belong
// to the function. Calls that are made at once, from several goroutines, are in
// an order that does not depend on the run.
//
// With expectations, Route checks those and has no snapshot:
//
//	echosnap.Route(t, rec, echosnap.Calls("get_weather", "book_table"), echosnap.Never("charge_card"))
//
// Call it from the goroutine of the test, when everything is done.
func Route(t testing.TB, rec *promptecho.Recorder, opts ...RouteOption) {
	t.Helper()
	c := &routeConfig{}
	for _, o := range opts {
		o.route(c)
	}
	err := c.err
	if rec == nil {
		err = errors.Join(err, errors.New("there is no recorder"))
	}
	if err != nil {
		t.Fatalf("echosnap: Route: %v", err)
	}
	r := routeOf(t, rec)
	if r == nil {
		return
	}
	sec := &snapshot.Section{Kind: snapshot.Route, Text: r.String()}
	if err := redacted(sec); err != nil {
		t.Fatalf("echosnap: Route: %v", err)
	}
	if len(c.checks) > 0 {
		for _, check := range c.checks {
			if why := check(r); why != "" {
				t.Errorf("echosnap: the route is not as expected: %s\n\n%s", why, shown(sec))
			}
		}
		return
	}
	s := sessionOf(t)
	sec.Name = cmp.Or(c.name, "route")
	s.match(sec, &c.config)
}

// routeOf returns the route of a recorder so far. It returns nil if there is none, which fails
// the test.
func routeOf(t testing.TB, rec *promptecho.Recorder) *route.Route {
	t.Helper()
	if n := len(rec.Misses()); n > 0 {
		t.Errorf("echosnap: Route: nothing is compared, because the cassette lacks %s", english.Count(n, "recording"))
		return nil
	}
	engine := (*recorder.Recorder)(rec)
	made, unfinished := engine.Tape().Made()
	if unfinished > 0 {
		t.Errorf("echosnap: Route: %s still being read: close the bodies, and call Route when everything is done",
			english.Count(unfinished, "answer"))
		return nil
	}
	var asked []route.Call
	self := stack.ID()
	for _, m := range made {
		it, err := engine.LoadPlayed(m)
		if err != nil {
			t.Errorf("echosnap: Route: %v", err)
			return nil
		}
		asked = append(asked, route.Call{Interaction: it, Goroutine: m.Goroutine(), FromTest: m.Goroutine() == self})
	}
	r := route.Of(asked)
	if r.Len() == 0 {
		t.Errorf("echosnap: Route: the recorder saw no call: none was made, the calls did not go through it, " +
			"or the mode is live, which records nothing")
		return nil
	}
	return r
}

// Calls expects these tools to be called in this order; others may be called between them.
// Tools that are called at the same time match in either order.
func Calls(tools ...string) RouteOption { return expectation{route.InOrder(tools...)} }

// CallsAny expects each of these tools to be called, in any order, as often as it is named;
// others may be called, too.
func CallsAny(tools ...string) RouteOption { return expectation{route.InAnyOrder(tools...)} }

// Never expects none of these tools to be called.
func Never(tools ...string) RouteOption { return expectation{route.Never(tools...)} }

// AtMost expects no more than n calls of these tools, or of all tools together if none is named.
func AtMost(n int, tools ...string) RouteOption { return expectation{route.AtMost(n, tools...)} }
