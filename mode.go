package promptecho

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A Mode says what a recorder replays and what it may send upstream.
type Mode string

// The record modes.
const (
	// ModeNone replays and never uses the network, except for what [PassThrough] names: a
	// request that is not recorded is a miss. It is the default where CI is set.
	ModeNone Mode = "none"

	// ModeCompare replays like ModeNone and never writes. When the test is over, it sends the replayed
	// model calls upstream as well, one after the other, and compares the answers with the recorded ones.
	// An answer that has drifted fails the test: other tool calls, another finish reason, another
	// shape of its JSON, another status or model. Other wording does not; it is
	// shown. Calls to other servers, calls of tools, and calls that start or poll jobs are not sent.
	// It is never a default: choose it by flag, by environment or with [InMode].
	ModeCompare Mode = "compare"

	// ModeOnce records if the cassette is absent, completes it if it is partial,
	// and otherwise replays like ModeNone. It is the default where CI is not set.
	ModeOnce Mode = "once"

	// ModeNewEpisodes replays what is recorded, records what is not, and saves
	// both.
	ModeNewEpisodes Mode = "new_episodes"

	// ModeUpdate replays what is recorded, records what is not, and drops the recordings that a
	// complete, passing run did not use: after an edit you pay only for what has changed, and
	// nothing stale stays. It keeps what [AllowUnused] accepts. If a request was replayed
	// and a later one fails with a status of 400 to 499, except 429, the cassette is not touched: the later
	// request may refer to something (a response id, a cache) that no longer exists. After an edit in the
	// middle of a conversation that a server or a function keeps, use ModeAll: what is replayed does not reach them.
	ModeUpdate Mode = "update"

	// ModeAll records everything and replaces the cassette at the end, if the complete run passed.
	// [Recorder.Close] says what happens where that is not known.
	ModeAll Mode = "all"

	// ModeLive passes everything through. It writes no cassette, and reads one only for calls that
	// are [Frozen].
	ModeLive Mode = "live"
)

// modeAccepted records again what promptecho accept has put another request into, in cassettes
// that have such recordings, and is like ModeUpdate there otherwise. If the run fails, the
// cassette stays as it was. It replays other cassettes like ModeNone. It is what promptecho
// record -accepted sets, and what verify says how to set for a program that is no test.
const modeAccepted Mode = "accepted"

// modes lists the record modes for users.
var modes = []Mode{ModeNone, ModeCompare, ModeOnce, ModeNewEpisodes, ModeUpdate, ModeAll, ModeLive}

// may says whether a mode may send requests upstream, and whether it may write. It
// may do both if the code names none.
func (m Mode) may() (send, write bool) {
	switch m {
	case ModeNone:
		return false, false
	case ModeCompare, ModeLive:
		return true, false
	}
	return true, true
}

// allows reports whether a mode in code lets another one be chosen that may do no more.
func (m Mode) allows(other Mode) bool {
	send, write := m.may()
	sends, writes := other.may()
	return (send || !sends) && (write || !writes)
}

// ceiling says what in the code keeps a cassette from being written, if that allows this mode at
// most; "" if nothing does.
func (m Mode) ceiling() string {
	if _, writes := m.may(); writes {
		return ""
	}
	return fmt.Sprintf("InMode(Mode%s%s) in the code allows no recording", strings.ToUpper(string(m[:1])), m[1:])
}

// parseMode returns the mode named s; where says who asked for it.
func parseMode(s, where string) (Mode, error) {
	if m := Mode(s); m == modeAccepted || slices.Contains(modes, m) {
		return m, nil
	}
	names := group.Each(modes, func(m Mode) string { return string(m) })
	return "", fmt.Errorf("promptecho: %s: unknown record mode %q: use one of %s", where, s, strings.Join(names, ", "))
}

// A chosenMode is a mode and who chose it, for messages.
type chosenMode struct {
	mode Mode
	by   string
}

func (c chosenMode) String() string { return fmt.Sprintf("mode %s (%s)", c.mode, c.by) }

// A benchmark asks for the same again and again, and package testing calls it several times.
// The first round is recorded, and all others replay it.

// benchmarked has the absolute paths of the cassettes that benchmarks of this process have
// recorded again.
var benchmarked sync.Map

// inRounds returns the mode of a recorder that a benchmark opens: only the first one of a
// cassette records all of it again.
func inRounds(m chosenMode, path string) chosenMode {
	if m.mode != ModeAll {
		return m
	}
	if _, again := benchmarked.LoadOrStore(path, true); again {
		return chosenMode{ModeNone, "an earlier round of this benchmark was recorded"}
	}
	return m
}

// A plan is what a mode means for a given cassette. Once a recorder is open, its plan
// decides, and nothing asks for the mode.
type plan struct {
	passThrough bool // requests go upstream, and nothing is recorded or played
	record      bool // what no recording answers goes upstream, and Close saves
	compare     bool // model calls that were played go upstream once more, when the run is over
	again       bool // nothing is played: all of it is recorded again
	renew       bool // recordings that were accepted are not played: they are recorded again
	update      bool // what was not asked for is dropped in the end
	derive      bool // what Live selects is asked for real
	saveDerived bool // and what comes of it is saved beside the cassette
	checkUnused bool // a recording that answers nothing is an error
}

// mayGoUpstream reports whether any request can leave the process.
func (p plan) mayGoUpstream() bool { return p.record || p.passThrough || p.compare }

// plays says which recordings of the cassette are played.
func (p plan) plays() tape.Playing {
	switch {
	case p.again || p.passThrough:
		return tape.PlayNone
	case p.renew:
		return tape.PlayNotAccepted
	}
	return tape.PlayAll
}

// planFor returns the plan of a mode for a cassette that is not pinned. live says that the
// user wants a part of it live.
func planFor(m Mode, c tape.State, live bool) plan {
	p := planOf(m, c)
	if live && c.Present && !c.Partial && !p.again && !p.passThrough {
		p.derive = true
		_, p.saveDerived = m.may()
	}
	return p
}

// planOf returns the plan of a mode if nothing is live.
func planOf(m Mode, c tape.State) plan {
	switch {
	case m == ModeLive:
		return plan{passThrough: true}
	case m == ModeAll:
		return plan{record: true, again: true}
	case m == ModeNewEpisodes:
		return plan{record: true}
	case m == ModeUpdate:
		return plan{record: true, update: true}
	case m == modeAccepted && c.Accepted:
		return plan{record: true, update: true, renew: true}
	case m == ModeCompare:
		return plan{compare: true, checkUnused: true}
	case m == ModeOnce && (!c.Present || c.Partial):
		return plan{record: true, checkUnused: true}
	}
	return plan{checkUnused: true}
}

// settleMode returns the mode of a run on the cassette named file: none if the cassette
// is pinned and the mode would record it. The note is for the user and may be empty. It
// is an error if the cassette contradicts itself or cannot be used in that mode.
func settleMode(m chosenMode, c tape.State, file string) (settled chosenMode, note string, err error) {
	p := planOf(m.mode, c)
	switch {
	case c.Pinned && c.Partial:
		return m, "", fmt.Errorf("%s is pinned and partial: a pinned cassette is never written, so it can never be completed. Remove \"pinned: true\" to let a run complete it, or \"partial: true\" if it is complete as it is", file)
	case c.Partial && !p.record && !p.passThrough:
		return m, "", fmt.Errorf("%s is partial: the run that recorded it failed, or ran only part of its test, and %s does not complete it. On your machine, without that mode and with the key set, run the whole test until it passes; then commit the cassette", file, m)
	case c.Pinned && p.record:
		note = fmt.Sprintf("%s is pinned: replayed, not recorded, despite %s", file, m)
		return chosenMode{ModeNone, "the cassette is pinned"}, note, nil
	}
	return m, "", nil
}

// An ending says how a run that records has ended.
type ending struct {
	report.Outcome
	clash     bool // there are recordings that replay cannot tell apart
	overtaken bool // something else has written the cassette since it was read
	doubtful  bool // a call got no answer, or that of another
	outdated  bool // a request failed after an answer that was replayed
	shared    bool // another test of this process has used the cassette, too
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

// overtaken is why a cassette is not written that something else has written since it was read.
const overtaken = "something else wrote it in the meantime (another test process?)"

// fateOf returns what becomes of a cassette in a run with this plan. docs/DESIGN.md has
// this as a table.
func fateOf(p plan, c tape.State, e ending) fate {
	again, whole := p.again, c.Present && !c.Partial
	// A test that skips itself because of an answer has asked for everything it asks for.
	incomplete := e.Failed || e.Filtered
	askedAll := e.AskedAll() && !e.shared
	switch {
	case e.overtaken:
		return fate{beside: true, reason: overtaken}
	case !again && whole && e.clash:
		return fate{beside: true, reason: "it would hold recordings that replay cannot tell apart"}
	case p.update && whole && e.outdated, p.renew && e.Failed:
		return fate{beside: true}
	case p.update && c.Present && askedAll && !e.doubtful:
		return fate{keep: keepAsked}
	case !again && whole:
		return fate{}
	case again && whole && e.Failed, again && c.Cut && !e.Whole():
		return fate{beside: true}
	case !c.Present:
		return fate{marked: incomplete}
	case !again:
		return fate{marked: incomplete, markedIfUnused: true}
	case askedAll:
		return fate{keep: keepNone}
	}
	// Nobody knows how the run ended. If it recorded as much as there was, that is in the place of it.
	return fate{keep: keepUnasked, marked: c.Partial, asMany: e.Unsure && e.Whole() && !e.Short && !e.doubtful}
}
