package promptecho

import (
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// An ending says how a run that records has ended.
type ending struct {
	report.Outcome
	clash     bool // there are recordings that replay cannot tell apart
	overtaken bool // something else has written the cassette since it was read
	doubtful  bool // a call got no answer, or that of another
	outdated  bool // a request failed after an answer that was replayed
}

// A fate is what happens to a cassette at the end of a run that records.
type fate struct {
	beside bool   // it stays as it is, and what was recorded goes to NAME.yaml.failed
	reason string // why, if that is an error

	failed bool // the run did

	keep   kept // which of its recordings it keeps
	asMany bool // it keeps none if as many were recorded as it has

	marked         bool // it is marked partial
	markedIfUnused bool // it is marked partial if any of its recordings was not used
}

type kept int

const (
	keepAll     kept = iota
	keepUnasked      // those that were not asked for again
	keepAsked        // those that were asked for
	keepNone
)

// fateOf returns what becomes of a cassette in a run with this plan. docs/DESIGN.md has
// this as a table.
func fateOf(p plan, c tape.State, e ending) fate {
	again, whole := p.again, c.Present && !c.Partial
	// A test that skips itself because of an answer has asked for everything it asks for.
	incomplete := e.Failed || e.Filtered
	switch {
	case e.overtaken:
		return fate{beside: true, reason: "something else wrote it in the meantime (another test process?)"}
	case !again && whole && e.clash:
		return fate{beside: true, reason: "it would hold recordings that replay cannot tell apart"}
	case p.update && whole && e.outdated, p.renew && e.Failed:
		return fate{beside: true}
	case p.update && c.Present && e.AskedAll() && !e.doubtful:
		return fate{keep: keepAsked}
	case !again && whole:
		return fate{}
	case again && whole && e.Failed, again && c.Cut && !e.Whole():
		return fate{beside: true}
	case !c.Present:
		return fate{marked: incomplete}
	case !again:
		return fate{marked: incomplete, markedIfUnused: true}
	case e.AskedAll():
		return fate{keep: keepNone}
	}
	// Nobody knows how the run ended. If it recorded as much as there was, that is in the place of it.
	return fate{keep: keepUnasked, marked: c.Partial, asMany: e.Unsure && e.Whole() && !e.Short && !e.doubtful}
}
