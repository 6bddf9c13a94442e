// Package report says in words what went wrong in a run, and what to do about it. A
// recorder keeps a [Log] while it answers and has it judged when the test is over;
// echotest gets the [Report] of it. The package reads the tape, and knows
// forms of requests and how they differ, but no HTTP, no cassette files and no recorder.
package report

import (
	"cmp"
	"fmt"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/finding/advice"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/tape"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// An Outcome is what is known of a test when its recorder is closed.
type Outcome struct {
	Test      string // its name; "" if there is none
	Ambiguous bool   // another test may have the same name, as two specs of Ginkgo may
	Failed    bool   // the test failed, or is panicking
	Differs   bool   // it failed only for snapshots that differ; Failed is not set then
	Skipped   bool   // the test was skipped
	Filtered  bool   // parts of the test did not run because of -run or -skip
	Stopped   bool   // a user stopped it, and so its open requests
	Short     bool   // -short is set, so the test may have sent fewer requests
	Shared    bool   // its cassette is not named for it: other tests may have recordings there
	Selected  bool   // -run or -skip leaves out other tests
	Unsure    bool   // how the run ended is unknown, so no old recordings are dropped

	// Command returns the shell command that runs just this test, in a record mode; nil
	// if none is known.
	Command func(mode string) string

	// CarryOver returns the shell command that runs a test with the variable
	// [CarryOverVariable]; nil if none is known.
	CarryOver func(test, sources string) string
}

// Whole reports whether the test ran to its end and passed.
func (o *Outcome) Whole() bool { return !o.Failed && !o.Skipped && !o.Filtered }

// AskedAll reports whether what the test did not ask for is needed no more.
func (o *Outcome) AskedAll() bool { return o.Whole() && !o.Short && !o.Unsure }

// A Report is what to tell the test.
type Report struct {
	Problems    []Problem         // each fails the test
	Errors      []string          // their texts
	Notes       []string          // each is logged
	Findings    []finding.Finding // the same as data, in this order, with the place in the text
	Annotations []Annotation      // one for each finding, for tools that show it in the source
	Done        attr.Done         // what the recorder did, in numbers
	Mode        string            // the record mode, and the setting that has chosen it
	Options     []Option          // the notes name those without an effect
}

// An Option is what the program said, and why that had no effect: "" if it had one.
type Option struct{ Code, Why string }

func (o Option) String() string { return o.Code + " has no effect: " + o.Why }

// An Annotation is a finding with its place in the source.
type Annotation struct {
	File   string // the cassette, absolute
	Line   int    // in it; 0 if none
	Caller string // "file.go:line" of the user's code; may be empty
	Text   string // in one line
}

// Fail adds an error that is told in full each time. reason is what happened, in a
// line, as it is for all tests.
func (rep *Report) Fail(code finding.Code, reason, text string, remedies ...Remedy) {
	rep.fail(Problem{
		Code:     code,
		Head:     text,
		Causes:   []Cause{{Finding: Finding{Reason: reason}}},
		Remedies: remedies,
	})
}

// failFor adds a failure of the log. If it is one line at a place of the cassette,
// other tests may fail for the same.
func (rep *Report) failFor(file string, f failure) {
	if f.place == "" {
		rep.Fail(f.code, firstLine(f.reason), f.reason)
		return
	}
	text := f.place + ": " + f.reason
	isOfCassette := f.place == file || strings.HasPrefix(f.place, file+":")
	if !isOfCassette || strings.Contains(f.reason, "\n") {
		rep.Fail(f.code, firstLine(f.reason), text)
		return
	}
	rep.fail(Problem{
		Code:   f.code,
		Head:   text,
		Causes: []Cause{{Finding: Finding{Reason: f.reason}, At: f.place}},
	})
}

// firstLine returns the first line of a text, without the colon before a list.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSuffix(line, ":")
}

// note adds a note.
func (rep *Report) note(code finding.Code, text string) {
	rep.Notes = append(rep.Notes, text)
	rep.Findings = append(rep.Findings, finding.Finding{Code: code, Severity: finding.Note, Text: text})
}

// fail adds an error.
func (rep *Report) fail(p Problem) {
	p.printable()
	if rep.Done.Causes == nil {
		rep.Done.Causes = []attr.Cause{{
			Code:   p.Code,
			At:     p.At,
			Hints:  p.Hints,
			Reason: cmp.Or(p.General, p.Causes[0].Reason),
			Detail: p.Text(),
		}}
	}
	rep.Done.AddCode(p.Code)
	rep.Findings = append(rep.Findings, finding.Finding{Code: p.Code, Severity: finding.Failure, Text: p.Text()})
	rep.Problems = append(rep.Problems, p)
	rep.Errors = append(rep.Errors, p.Text())
}

// printable makes the notes of a report safe to show, since they have texts of requests and
// cassettes in them.
func (rep *Report) printable() {
	for i := range rep.Notes {
		rep.Notes[i] = redact.Printable(rep.Notes[i])
	}
	for i := range rep.Findings {
		rep.Findings[i].Text = redact.Printable(rep.Findings[i].Text)
	}
}

// How much a report shows.
const (
	fullMisses     = 5  // misses with all that differs
	alsoNamed      = 5  // recordings that are named with a miss or in a note
	maxListed      = 20 // misses or unused recordings that are named at all
	maxAnnotations = 10 // GitHub shows ten for each step
)

// A Run describes a run for its report.
type Run struct {
	Tape *tape.Tape
	File string // the cassette, as the user named it
	Path string // the same, absolute

	Mode    string // the record mode: "once"
	ModeBy  string // the setting that has chosen it: "the default"
	InCI    bool   // it was chosen because the variable CI is set
	Ceiling string // the setting in the code that forbids writing the cassette; "" if none does

	Orphans *orphans.Search // cassettes that are left over; nil if the recorder is not that of a test

	// SentModel returns the model that a request is sent to, and whether that is another one than
	// the request names. It may be nil.
	SentModel func(*canon.Form) (model string, isOther bool)

	OfTest       bool   // a test tells what the recorder did
	Compares     bool   // recorded answers are compared with live ones
	OtherModel   string // recorded answers are compared with those of this model; "" if not
	CheckUnused  bool   // a recording that answers nothing is an error
	AllowRaced   bool   // the user accepts those of them that raced with others
	KeepFailures bool   // recorded failures are what the test is about

	Passes      func(u *url.URL) bool // whether requests to a URL pass through; nil if none do
	AllowUnused canon.Selectors       // the recordings of which the user accepts that they answer nothing
	Words       *advice.Words         // the words for the language of the suite
}

// mode returns the record mode and the setting that has chosen it.
func (r *Run) mode() string { return fmt.Sprintf("mode %s (%s)", r.Mode, r.ModeBy) }

// howToRecord returns the command that records the test again in a record mode, and the changes
// that are needed before.
func (r *Run) howToRecord(o *Outcome, mode string) Remedy {
	before, isPlain := "To record it again:", true
	switch {
	case !r.Tape.State.Present && r.Ceiling == "":
		before = "To record it:"
	case r.Tape.State.Pinned && r.Ceiling != "":
		isPlain = false
		before = fmt.Sprintf("%s has \"pinned: true\" at its top, and "+
			"%s. To record the test, remove both and run:",
			r.File, r.Ceiling)
	case r.Tape.State.Pinned:
		isPlain = false
		before = fmt.Sprintf("%s is pinned. To record it again, remove \"pinned: true\" from its top, and run:",
			r.File)
	case r.Ceiling != "":
		isPlain = false
		before = r.Ceiling + ". To record the test, remove that option and run:"
	}
	remedy := r.remedy(o, before, mode)
	remedy.Records = isPlain
	return remedy
}

// remedy returns the command that runs the test in a record mode, below what it is good for.
func (r *Run) remedy(o *Outcome, say, mode string) Remedy {
	return Remedy{Say: say, Mode: mode, Command: r.commandIn(o, mode)}
}

// obstacle says what has to go before anything can be added to the cassette, or "".
func (r *Run) obstacle() (what string) {
	if r.Tape.State.Pinned {
		what = " The cassette is pinned: remove \"pinned: true\" from its top first."
	}
	if r.Ceiling != "" {
		what += " InMode in the code keeps the cassette as it is: remove that first."
	}
	return what
}

// commandIn returns the line to paste that runs the test in a record mode.
func (r *Run) commandIn(o *Outcome, mode string) string {
	if o.Command == nil {
		return fmt.Sprintf("  set PROMPTECHO_MODE=%s, and run the program that uses %s", mode, r.File)
	}
	return "  " + o.Command(mode)
}

// places names the first few of some recordings by their lines.
func (r *Run) places(recs []*tape.Recording) string {
	place := func(rec *tape.Recording) string { return fmt.Sprintf("%s:%d", r.File, rec.Line()) }
	return english.List(group.Each(recs, place), alsoNamed)
}

// annotate adds an annotation, as long as it would be shown.
func (r *Run) annotate(rep *Report, line int, caller, text string) {
	if len(rep.Annotations) < maxAnnotations {
		rep.Annotations = append(rep.Annotations, Annotation{r.Path, line, caller, redact.Printable(text)})
	}
}
