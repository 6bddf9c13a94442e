package report

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/tape"
)

// How much a report shows.
const (
	fullMisses     = 5  // misses with all that differs
	alsoNamed      = 5  // unused recordings that are named beside misses
	maxListed      = 20 // misses or unused recordings that are named at all
	maxAnnotations = 10 // GitHub shows ten for each step
)

// ByCI is who chose the mode if nobody did and the variable CI is set.
const ByCI = "CI is set"

// A Run describes a run to those who read its report.
type Run struct {
	Tape *tape.Tape
	File string // the cassette, as the user named it
	Path string // the same, absolute

	Mode   string // the record mode: "once"
	ModeBy string // who chose it: "the default"
	AtMost string // the record mode that the code allows at most; "" if it sets none

	OfTest       bool // a test tells what the recorder did
	ReadOnly     bool // the code allows no mode that writes
	Compares     bool // recorded answers are compared with live ones
	CheckUnused  bool // a recording that answers nothing is an error
	AllowRaced   bool // the user accepts those of them that raced with others
	MayAskNone   bool // a run without any request is fine if there is no cassette
	KeepFailures bool // recorded failures are what the test is about

	Frozen      func(name string) bool // whether calls of this name are never made; nil if none is
	Passes      func(u *url.URL) bool  // whether requests to a URL pass through; nil if none do
	AllowUnused func(name string) bool // whether the user accepts recordings of this name that answer nothing; nil if none
}

// isFrozen reports whether calls of this name are never made.
func (r *Run) isFrozen(name string) bool { return r.Frozen != nil && r.Frozen(name) }

// mode names the record mode and who chose it.
func (r *Run) mode() string { return fmt.Sprintf("mode %s (%s)", r.Mode, r.ModeBy) }

// howToRecord says how to record the test again, and what stands in the way.
func (r *Run) howToRecord(o *Outcome) Remedy {
	before := RecordAgain
	switch {
	case !r.Tape.State.Present && !r.ReadOnly:
		before = RecordFirst
	case r.Tape.State.Pinned:
		before = fmt.Sprintf("%s is pinned. To record it again, remove \"pinned: true\" from its top, and run:", r.File)
	case r.ReadOnly:
		before = r.Ceiling() + ". To record it, remove that and run:"
	}
	return r.remedy(o, before, "all")
}

// remedy returns the command that runs the test in a record mode, below what it is good for.
func (r *Run) remedy(o *Outcome, say, mode string) Remedy {
	return Remedy{say, mode, r.commandIn(o, mode)}
}

// Ceiling says what in the code keeps the cassette from being written, or "".
func (r *Run) Ceiling() string {
	if !r.ReadOnly {
		return ""
	}
	return fmt.Sprintf("InMode(Mode%s%s) in the code allows no recording", strings.ToUpper(r.AtMost[:1]), r.AtMost[1:])
}

// obstacle says what has to go before anything can be added to the cassette, or "".
func (r *Run) obstacle() string {
	switch {
	case r.Tape.State.Pinned:
		return " The cassette is pinned: remove \"pinned: true\" from its top first."
	case r.ReadOnly:
		return " InMode in the code keeps the cassette as it is: remove that first."
	}
	return ""
}

// command returns the line to paste that records the test again.
func (r *Run) command(o *Outcome) string { return r.commandIn(o, "all") }

// commandIn returns the line to paste that runs the test in a record mode.
func (r *Run) commandIn(o *Outcome, mode string) string {
	if o.Command == nil {
		return fmt.Sprintf("  PROMPTECHO_MODE=%s, and run the program that uses %s", mode, r.File)
	}
	return "  " + o.Command(mode)
}

// annotate adds an annotation, as long as it would be shown.
func (r *Run) annotate(rep *Report, line int, caller, text string) {
	if len(rep.Annotations) < maxAnnotations {
		rep.Annotations = append(rep.Annotations, Annotation{r.Path, line, caller, text})
	}
}
