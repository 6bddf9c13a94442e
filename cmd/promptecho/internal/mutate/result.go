// Package mutate runs tests with changed answers, and says which tests notice the changes.
//
// For each package it builds the test binary once. A first replay says which recordings each test
// plays (list.go). Then each change of each of these answers is one run of the test (try.go), which
// is judged by its notes and its output (judge.go). The outcomes of the changes make the verdict of
// an answer, and those of the answers that of a test (verdict.go).
package mutate

import "github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"

// An Outcome says what came of a run with a changed answer.
type Outcome string

// The outcomes of a run.
const (
	Noticed   Outcome = "noticed"   // the test failed by itself
	Held      Outcome = "held"      // it failed only since a request or a recording did not fit any more
	Unnoticed Outcome = "unnoticed" // it passed
	Panics    Outcome = "panics"    // the program panicked
	Hangs     Outcome = "hangs"     // the test did not end
	Exits     Outcome = "exits"     // the program called os.Exit
	NotPlayed Outcome = "not played"

	// Waits: the program sends a failed request again, but waits so long before it that the test does
	// not end in its time. Whether the test would notice is unknown.
	Waits Outcome = "waits"
)

// IsBug reports whether the outcome is a bug of the program: no answer of a provider may do that.
func (o Outcome) IsBug() bool { return o == Panics || o == Hangs || o == Exits }

// A Change is one change of an answer, and what came of the test with it.
type Change struct {
	Kind     mutation.Kind `json:"kind"`
	What     string        `json:"what"`             // the change: "name: \"Ada\" -> \"another\""
	Notice   string        `json:"notice,omitempty"` // what would notice it
	Outcome  Outcome       `json:"outcome"`
	By       string        `json:"by,omitempty"`       // the line that noticed it: "x_test.go:7: got ..."
	Accepted string        `json:"accepted,omitempty"` // why nobody need notice it; see Accepted
}

// An Answer is a recorded answer that a test plays, and what came of its changes.
type Answer struct {
	Cassette  string   `json:"cassette"`       // the absolute path
	Number    int      `json:"interaction"`    // in the cassette, from 1
	Line      int      `json:"line"`           // of the cassette, where the recording starts
	Call      string   `json:"call,omitempty"` // the line that made the request
	Verdict   Verdict  `json:"verdict"`
	NotJudged string   `json:"not_judged,omitempty"` // why; "" if it was judged
	Changes   []Change `json:"changes,omitempty"`
}

// A Test is a test, and what it notices.
type Test struct {
	Package   string    `json:"package"`
	Dir       string    `json:"-"` // of the package, absolute
	Name      string    `json:"test"`
	Verdict   Verdict   `json:"verdict"`
	Blind     int       `json:"blind_answers,omitempty"` // of those that were judged
	NotJudged string    `json:"not_judged,omitempty"`    // why no answer was
	Answers   []*Answer `json:"answers,omitempty"`

	baseline    baseline
	refusedMode string // the mode of a recorder that did not open; "" if all did
}

// A Result is what came of all tests.
type Result struct {
	Tests       []*Test `json:"tests"`
	Interrupted bool    `json:"interrupted"` // some tests or changes are missing
	Runs        int     `json:"runs"`        // of tests with a changed answer
	Seconds     float64 `json:"seconds"`

	// Stale has the accepted findings that no run has shown: "testdata/unnoticed.txt:3: ...".
	Stale []string `json:"stale,omitempty"`
}

// A Verdict says what a test notices of an answer, or of all its answers.
type Verdict string

// The verdicts, the worst one first.
const (
	Blind      Verdict = "blind"      // it passes whatever the answer says
	Weak       Verdict = "weak"       // it passes with some changes
	HeldBy     Verdict = "held"       // without the recording, it would pass with some changes
	Good       Verdict = "good"       // it notices all changes
	NothingYet Verdict = "not judged" // see NotJudged
)

// A baseline is how a test ended in a replay in which nothing is changed.
type baseline string

const (
	basePassed  baseline = "passed"
	baseFailed  baseline = "failed"
	baseSkipped baseline = "skipped"
	baseUnknown baseline = "" // the process ended first
)
