// This file decides what happens to a cassette at the end of a run that records.
//
// Recordings cost money, so a run may replace or drop old ones only if it has
// shown that the test does not need them: the whole test ran, it passed, and it
// sent all of its requests. decide takes the facts of a run. First it looks for
// facts that would make the cassette wrong. For all other runs there is a table:
// the record mode, how the run ended, and the state of the cassette when the run
// began determine the verdict. docs/design/runs-end.md has the same table, and a test
// compares the two. save.go carries the verdict out.

package recorder

import (
	"slices"

	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/tape"
)

// A verdict says what happens to a cassette.
type verdict struct {
	name string // the name in docs/design/runs-end.md

	// setAside leaves the cassette as it is, and saves the recordings of the
	// run to NAME.yaml.failed. If there is a reason, the run fails with it.
	setAside bool
	reason   string

	// inJournal leaves the cassette as it is, and the recordings of the run in the journal. The
	// next run that records resumes it.
	inJournal bool

	keeps kept // the recordings of the cassette that are kept
	marks mark // whether the cassette is marked partial: a later run must complete it
}

// A kept says which of its old recordings a cassette keeps. The recordings of
// the run are added to them.
type kept int

const (
	keepAll           kept = iota
	keepUsed               // those that the run used, or need not have used
	keepNotRerecorded      // those that the run did not record again
	keepFrozen             // frozen ones, whether the run played them or not
	keepNone               // none but frozen ones that the run played
)

// A mark says whether a cassette is marked partial.
type mark int

const (
	markNone mark = iota
	markPartial
	markWhileUnused // it is marked if the run left a recording unused
)

// The verdicts.
var (
	refused  = verdict{name: "-"} // Open returns an error, so no run ends like this
	setAside = verdict{name: "set aside", setAside: true}
	resumed  = verdict{name: "left in the journal", inJournal: true}

	written        = verdict{name: "written"}
	writtenPartial = written.partial()

	added         = verdict{name: "added"}
	addedPartial  = added.partial()
	completed     = verdict{name: "completed", marks: markWhileUnused}
	unusedDropped = verdict{name: "unused dropped", keeps: keepUsed}

	replaced          = verdict{name: "replaced", keeps: keepNone}
	frozenKept        = verdict{name: "frozen kept", keeps: keepFrozen}
	frozenKeptPartial = frozenKept.partial()
	rerecorded        = verdict{name: "re-recorded", keeps: keepNotRerecorded}
	rerecordedPartial = rerecorded.partial()
)

// partial returns the verdict that also marks the cassette partial.
func (v verdict) partial() verdict {
	v.name += ", partial"
	v.marks = markPartial
	return v
}

// setAsideBecause returns the verdict that fails the run with a reason.
func setAsideBecause(reason string) verdict {
	v := setAside
	v.reason = reason
	return v
}

// The reasons for which a run fails.
const (
	reasonOvertaken = "something else wrote it in the meantime (another test process?)"
	reasonAmbiguous = "it would hold recordings that replay cannot tell apart"
	reasonSameName  = "another test with this name has just recorded it: give the two tests different names"
)

// dropsUnusedValues reports whether the file gets only those recorded values
// (of Now, Rand and Env) that the run used. Otherwise the others stay as they
// were.
func (v verdict) dropsUnusedValues() bool { return v.setAside || v.keeps == keepNone }

// keepsUnusedFrozen reports whether frozen recordings stay that the run did not
// play.
func (v verdict) keepsUnusedFrozen() bool {
	return v.keeps == keepNotRerecorded || v.keeps == keepFrozen
}

// A saveMode is a group of record modes that save alike.
type saveMode int

const (
	adds     saveMode = iota // once, new_episodes: old recordings stay
	updates                  // update: unused ones are dropped
	replaces                 // all: new ones replace them
)

// saveMode returns how a run with this plan saves.
func (p plan) saveMode() saveMode {
	switch {
	case p.rerecord:
		return replaces
	case p.dropUnused:
		return updates
	}
	return adds
}

// An ending says how a run ended.
type ending int

const (
	passed   ending = iota // the whole test ran and passed
	unknown                // Close knows of no failure, and there are as many recordings as before
	reduced                // it passed, but another run may send more requests
	skipped                // the test skipped itself
	filtered               // -run or -skip left out parts of the test
	failed
)

type ends []ending

// saveTable has the verdict for each record mode, ending, and state of the
// cassette when the run began.
var saveTable = []struct {
	mode                        saveMode
	ends                        ends
	absent, partial, whole, cut verdict
}{
	{adds, ends{passed, unknown, reduced, skipped}, written, completed, added, refused},
	{adds, ends{filtered, failed}, writtenPartial, addedPartial, added, refused},

	{updates, ends{passed}, written, unusedDropped, unusedDropped, refused},
	{updates, ends{unknown, reduced, skipped}, written, completed, added, refused},
	{updates, ends{filtered, failed}, writtenPartial, addedPartial, added, refused},

	{replaces, ends{passed}, written, replaced, replaced, written},
	{replaces, ends{unknown}, written, frozenKeptPartial, frozenKept, written},
	{replaces, ends{reduced}, written, rerecordedPartial, rerecorded, written},
	{replaces, ends{skipped}, written, rerecordedPartial, rerecorded, setAside},
	{replaces, ends{filtered}, writtenPartial, rerecordedPartial, rerecorded, setAside},
	{replaces, ends{failed}, writtenPartial, rerecordedPartial, setAside, setAside},
}

// runFacts are the facts of a run on which the save decision depends.
type runFacts struct {
	report.Outcome // what is known of the test

	asMany    bool // it recorded at least as many interactions as there are to replace
	shared    bool // tests that did not run now may have recordings in the cassette
	doubtful  bool // a request had no recording, or got that of another request
	ambiguous bool // replay cannot tell some of the recordings apart
	outdated  bool // a request cannot be recorded: what it refers to may be gone
	overtaken bool // another process has written the cassette since it was read
	sameName  bool // another test of this process, with the same name, has recorded the cassette
	refused   bool // promptecho record did not allow to send a request: its budget is used up
	lost      bool // the test lacks an answer: a request failed, or its answer broke off
	tried     bool // promptecho record runs a test again that fails; see quota.TryEnv
}

// decide returns what becomes of a cassette. c is its state when the run began.
func decide(p plan, c tape.State, f runFacts) verdict {
	if f.overtaken {
		return setAsideBecause(reasonOvertaken)
	}

	if f.sameName {
		return setAsideBecause(reasonSameName)
	}

	// What was answered is paid, and the next run needs it.
	isFailedTry := f.tried && f.Failed
	lacksAnswer := isFailedTry && f.lost
	if f.refused || lacksAnswer {
		return resumed
	}

	// The next try must not play the answers with which this one failed.
	if isFailedTry {
		return setAside
	}

	isWhole := c.Present && !c.Partial
	wouldAddAmbiguous := f.ambiguous && isWhole && !p.rerecord
	if wouldAddAmbiguous {
		return setAsideBecause(reasonAmbiguous)
	}

	// What older recordings refer to may have expired, so only mode all helps.
	wouldMixOldAndNew := f.outdated && isWhole && p.dropUnused
	if wouldMixOldAndNew {
		return setAside
	}

	// promptecho record -accepted and -older leave a cassette as it is if the run fails.
	someRunFailed := f.Failed && p.rerecordsSome()
	if someRunFailed {
		return setAside
	}

	// A recording may be unused only because another one was played instead.
	end := f.ending()
	isProofInDoubt := f.doubtful && p.dropUnused && end == passed
	if isProofInDoubt {
		end = reduced
	}
	return lookUp(p.saveMode(), end, c)
}

// ending returns how the run ended. If several endings apply, the one counts
// that says less about what the test needs.
func (f *runFacts) ending() ending {
	switch {
	case f.Failed:
		return failed
	case f.Filtered:
		return filtered
	case f.Skipped:
		return skipped
	case f.Short:
		return reduced
	case f.Unsure && f.asMany && !f.doubtful:
		return unknown
	case f.Unsure || f.shared:
		return reduced
	}
	return passed
}

// lookUp returns a verdict from the table.
func lookUp(mode saveMode, end ending, c tape.State) verdict {
	for _, row := range saveTable {
		if row.mode != mode || !slices.Contains(row.ends, end) {
			continue
		}
		switch {
		case c.Cut:
			return row.cut
		case !c.Present:
			return row.absent
		case c.Partial:
			return row.partial
		}
		return row.whole
	}
	return setAside // the table has a row for each mode and ending, so this is never reached
}
