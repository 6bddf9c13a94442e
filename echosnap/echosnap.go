// Package echosnap tells whether the output of a program is still right after an answer was
// recorded again.
//
// A cassette freezes the answer of the provider. A snapshot holds the output of the program:
//
//	echosnap.Match(t, got)                                 // text, or any value as JSON
//	echosnap.Match(t, got, echosnap.Ignore("created"))     // but for these fields
//	echosnap.Inline(t, got, "Paris")                       // in the source
//	echosnap.Route(t, rec)                                 // what an agent did
//
// The snapshots of TestX are in testdata/snapshots/TestX.snap. The first run writes them.
// Where CI is set, a test without its snapshot fails, and nothing is written. If a value
// differs, the test fails with the words that differ and leaves TestX.snap.new, which
// promptecho review shows, to be accepted or rejected; in CI it writes nothing. The flag
// -echo.update, or PROMPTECHO_SNAPSHOTS=update, accepts everything; PROMPTECHO_SNAPSHOTS=none
// writes nothing, as in CI.
//
// What is written is redacted as cassettes are. docs/SNAPSHOTS.md explains when to
// use a replay, a snapshot, a judge or an evaluation.
package echosnap

import "testing"

// Match compares a value with its snapshot. A string, an error and bytes that are not JSON
// are text, which is equal if it is the same except for line ends ("\r\n" is "\n"). Every
// other value is compared as its JSON: as a value, so that the order of members does not
// count. Bytes and a [encoding/json.RawMessage] that are JSON are compared as the value they contain.
//
// Several snapshots of one test are numbered in the order of the calls; give them names
// if that may change, or if several goroutines call it. A subtest has a file of its own.
func Match(t testing.TB, got any, opts ...Option) {
	t.Helper()
	c := newConfig(t, "Match", opts)
	sec := c.section(t, "Match", got)
	s := sessionOf(t)
	sec.Name = s.name(c.name)
	s.match(sec, c)
}
