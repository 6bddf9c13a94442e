package mutate

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/mutant"
)

// A round is one run of a test in a process, which may run it several times.
type round struct {
	output   string
	notes    []mutant.Note
	passed   bool // the test, or it was skipped
	failed   bool
	abnormal Outcome // Panics, Hangs or Exits if the process did not end as tests end
}

// marker begins the lines that package testing writes with -test.v=test2json.
const marker = "\x16"

// rounds splits the output and the notes of a process into the rounds of a test. A process that did not
// end as tests end has no rounds after the one in which it ended.
func (p *process) rounds(test string) []*round {
	top, _, _ := strings.Cut(test, "/")
	parts := strings.Split(p.output, marker+"=== RUN   "+top+"\n")
	var list []*round
	for i, text := range parts[1:] {
		r := &round{output: text}
		for _, n := range p.notes {
			if n.Round == i+1 {
				r.notes = append(r.notes, n)
			}
		}
		r.passed = hasResult(text, "PASS", top) || hasResult(text, "SKIP", top)
		r.failed = hasResult(text, "FAIL", top)
		list = append(list, r)
	}
	if len(list) == 0 {
		return nil
	}
	last := list[len(list)-1]
	last.abnormal = p.abnormalEnd(last.output)

	// TestMain can fail after tests that pass. Of several rounds, none is known to be the cause.
	hasMainFailed := last.passed && last.abnormal == "" && !p.isOK
	if hasMainFailed && len(list) == 1 {
		last.passed = false
		last.failed = true
	}
	return list
}

// abnormalEnd says how a process ended that did not end as tests end, or "". output is that of its last
// round.
func (p *process) abnormalEnd(output string) Outcome {
	hasEnded := p.isOK || hasEnd(output)
	isPanic := hasLine(output, "panic: ") || hasLine(output, "fatal error: ") || hasLine(output, "SIGSEGV: ")
	switch {
	case p.timedOut, strings.Contains(p.output, "\npanic: test timed out after"):
		return Hangs
	case strings.Contains(output, "panic: unexpected call to os.Exit(0) during test"):
		return Exits
	case hasEnded:
		return ""
	case isPanic:
		return Panics
	}
	return Exits
}

// hasResult reports whether package testing has written the result of a test.
func hasResult(output, result, test string) bool {
	return strings.Contains(output, marker+"--- "+result+": "+test+" (")
}

// hasEnd reports whether package testing has written the result of all tests.
func hasEnd(output string) bool {
	return strings.Contains(output, marker+"PASS\n") || strings.Contains(output, marker+"FAIL\n")
}

// hasLine reports whether a line of the output begins with a text.
func hasLine(output, start string) bool {
	return strings.HasPrefix(output, start) || strings.Contains(output, "\n"+start) ||
		strings.Contains(output, marker+start)
}

// has reports whether a note of this event was written.
func (r *round) has(event string) bool {
	for _, n := range r.notes {
		if n.Event == event {
			return true
		}
	}
	return false
}

// judge says what came of a round. isMissed says that a request had no recording: the next question is
// what the test does if it gets one.
func (r *round) judge() (outcome Outcome, isMissed bool) {
	isMissed = r.has(mutant.Missed)
	switch {
	case !r.has(mutant.Changed):
		return NotPlayed, false
	case isMissed:
		return Held, true
	case r.abnormal != "":
		return r.bug(), false
	case r.passed:
		return Unnoticed, false
	case r.failedByItself():
		return Noticed, false
	}
	return Held, false
}

// judgeOnward says what came of a round in which requests that are not recorded got the next
// recordings.
func (r *round) judgeOnward() Outcome {
	isMissed := r.has(mutant.Missed) // there are no more recordings
	switch {
	case isMissed, r.passed && r.abnormal == "":
		return Held
	case r.abnormal != "":
		return r.bug()
	case r.failedByItself():
		return Noticed
	}
	return Held
}

// bug returns how a round ended that did not end as tests end. A program that waits longer and longer
// before it sends a failed request again does not hang.
func (r *round) bug() Outcome {
	if r.abnormal == Hangs && r.has(mutant.Waited) {
		return Waits
	}
	return r.abnormal
}

// failedByItself reports whether the test had failed before a recorder reported a problem. The test of
// a recorder that package echotest has not opened is unknown: it failed by itself if no recorder has a
// problem.
func (r *round) failedByItself() bool {
	var reported []string // tests whose recorders have reported problems
	hasProblem := false
	for _, n := range r.notes {
		if n.Event != mutant.Ended {
			continue
		}
		if n.Failed && !isBelowOne(reported, n.Test) {
			return true
		}
		if n.Problems > 0 {
			hasProblem = true
			reported = append(reported, n.Test)
		}
	}
	return !hasProblem
}

// isBelowOne reports whether a test is one of a list, or has one of them as a subtest.
func isBelowOne(list []string, test string) bool {
	for _, other := range list {
		if other == test || strings.HasPrefix(other, test+"/") {
			return true
		}
	}
	return false
}

// failureLine matches a line that a test has logged: "    x_test.go:7: got 3".
var failureLine = regexp.MustCompile(`(?m)^\s+(\S+\.go:\d+: .*)$`)

// reason returns the line of the test that says what it noticed, or that of a panic.
func (r *round) reason() string {
	for _, m := range failureLine.FindAllStringSubmatch(r.output, -1) {
		if !strings.Contains(m[1], ": promptecho: ") {
			return m[1]
		}
	}
	for line := range strings.Lines(r.output) {
		line = strings.TrimPrefix(line, marker)
		if strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}
