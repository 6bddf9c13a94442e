// Package echosnap compares what a program did with a file, the snapshot. So a
// test shows whether the program is still right after an answer was recorded
// again.
//
//	got, err := planTrip(rec.Client(), "Oslo to Bergen")
//	echosnap.Match(t, got)
//
// What to use:
//
//	any output                              Match
//	a short text, in the source             Inline
//	the steps of an agent                   Route
//	fields that may have any value          Ignore
//	other words that may be right, too      Judge
//	several snapshots in one test           Name
//	what an agent must and must not do      Calls, CallsAny, Never, AtMost
//
// The snapshots of TestX are in testdata/snapshots/TestX.snap. The first run
// writes them: commit the file. If a value differs, the test fails with the
// words that differ, and leaves TestX.snap.new. The command promptecho review
// shows that file, and accepts or rejects it.
//
//	where CI is set                         a test without its snapshot fails; nothing is written
//	PROMPTECHO_SNAPSHOTS=none               the same
//	-echo.update                            accepts everything
//	PROMPTECHO_SNAPSHOTS=update             the same
//
// What is written is redacted as cassettes are. Read on in docs/SNAPSHOTS.md:
// when to use a replay, a snapshot, a judge or an evaluation.
package echosnap

import "testing"

// Match compares a value with its snapshot, and fails the test if they differ.
// A string, an error and bytes that are not JSON are compared as text. Only
// line ends may differ: "\r\n" is "\n". Every other value is compared as its
// JSON: as a value, so that the order of members does not count. Bytes and a
// [encoding/json.RawMessage] that are JSON are compared as the value they
// contain.
//
// Several snapshots of one test are numbered in the order of the calls. Give
// them names if that order may change, or if several goroutines call Match. A
// subtest has a file of its own.
func Match(t testing.TB, got any, opts ...Option) {
	t.Helper()
	c := newConfig(t, "Match", opts)
	sec := c.section(t, "Match", got)
	s := sessionOf(t)
	sec.Name = s.name(c.name)
	s.match(sec, c)
}
