package report

import (
	"fmt"
	"net/url"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/tape"
)

// How much a report shows.
const (
	fullMisses     = 5  // misses with all that differs
	alsoNamed      = 5  // recordings that are named beside misses and in notes
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

	Mode    string // the record mode: "once"
	ModeBy  string // who chose it: "the default"
	Ceiling string // what in the code keeps the cassette from being written; "" if nothing does

	OfTest       bool // a test tells what the recorder did
	Compares     bool // recorded answers are compared with live ones
	CheckUnused  bool // a recording that answers nothing is an error
	AllowRaced   bool // the user accepts those of them that raced with others
	KeepFailures bool // recorded failures are what the test is about

	Passes      func(u *url.URL) bool // whether requests to a URL pass through; nil if none do
	AllowUnused canon.Selectors       // the recordings of which the user accepts that they answer nothing
}

// mode names the record mode and who chose it.
func (r *Run) mode() string { return fmt.Sprintf("mode %s (%s)", r.Mode, r.ModeBy) }

// howToRecord says how to record the test again, and what stands in the way.
func (r *Run) howToRecord(o *Outcome) Remedy {
	before := RecordAgain
	switch {
	case !r.Tape.State.Present && r.Ceiling == "":
		before = RecordFirst
	case r.Tape.State.Pinned:
		before = fmt.Sprintf("%s is pinned. To record it again, remove \"pinned: true\" from its top, and run:", r.File)
	case r.Ceiling != "":
		before = r.Ceiling + ". To record it, remove that and run:"
	}
	return r.remedy(o, before, "all")
}

// remedy returns the command that runs the test in a record mode, below what it is good for.
func (r *Run) remedy(o *Outcome, say, mode string) Remedy {
	return Remedy{say, mode, r.commandIn(o, mode)}
}

// obstacle says what has to go before anything can be added to the cassette, or "".
func (r *Run) obstacle() string {
	switch {
	case r.Tape.State.Pinned:
		return " The cassette is pinned: remove \"pinned: true\" from its top first."
	case r.Ceiling != "":
		return " InMode in the code keeps the cassette as it is: remove that first."
	}
	return ""
}

// commandIn returns the line to paste that runs the test in a record mode.
func (r *Run) commandIn(o *Outcome, mode string) string {
	if o.Command == nil {
		return fmt.Sprintf("  PROMPTECHO_MODE=%s, and run the program that uses %s", mode, r.File)
	}
	return "  " + o.Command(mode)
}

// places names the first few of some recordings by their lines.
func (r *Run) places(recs []*tape.Recording) string {
	var places []string
	for _, rec := range recs {
		places = append(places, fmt.Sprintf("%s:%d", r.File, rec.Line()))
	}
	return List(places, alsoNamed)
}

// annotate adds an annotation, as long as it would be shown.
func (r *Run) annotate(rep *Report, line int, caller, text string) {
	if len(rep.Annotations) < maxAnnotations {
		rep.Annotations = append(rep.Annotations, Annotation{r.Path, line, caller, text})
	}
}
