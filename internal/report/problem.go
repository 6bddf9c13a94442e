package report

import (
	"fmt"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/redact"
)

// A Problem is an error of a report in its parts, so that what many tests fail for is told once.
type Problem struct {
	Code     finding.Code
	At       string         // the cassette with a line, if one is known
	Hints    []finding.Code // what else is known of it
	General  string         // what happened, without the numbers of this run; "" for the reason of the first cause
	Head     string
	Causes   []Cause
	Tail     string   // the end of a list that is too long, and the like; may be empty
	Advice   string   // what may help instead of the remedies, after an empty line; may be empty
	Remedies []Remedy // what to do

	Acceptable int // how many causes promptecho accept may take for edits that keep the answers
}

// A Finding is a reason why a test fails. Tests that fail for the same reason have equal ones.
type Finding struct {
	Reason string // in a line
	Detail string // what differs, in several lines; may be empty
}

// A Cause is a finding where it was made.
type Cause struct {
	Finding
	At   string // "FILE:4 (bot.go:39)", in a line; if it is empty, the finding is told in full each time
	Text string // all there is to tell, as it follows the head
}

// A Remedy is a command.
type Remedy struct {
	Records bool   // it records one test; those of several tests are one
	Say     string // what comes of it: "To record it again:"
	Mode    string // the record mode in which it runs the test
	Command string // with two spaces in front
}

// brief returns the cause in a line.
func (c *Cause) brief() string {
	place, by, _ := strings.Cut(c.At, " ")
	return strings.TrimSuffix(place+": "+c.Reason+" "+by, " ")
}

// Text returns all of the problem.
func (p *Problem) Text() string { return p.Tell(func(Finding) string { return "" }) }

// Tell returns the text of a problem for the output of a test. Another part of the output may
// have the full text of a finding: then elsewhere returns where that is, such as "TestA has the
// report", and Tell gives the finding only one line. elsewhere returns "" for any other finding.
// If all findings have their full text elsewhere, Tell returns one line for all of them.
func (p *Problem) Tell(elsewhere func(Finding) string) string {
	text := p.Head
	var brief []string // the causes whose full text is elsewhere
	where := ""        // the place of the last one of them
	for _, c := range p.Causes {
		place := ""
		if c.At != "" {
			place = elsewhere(c.Finding)
		}
		if place == "" {
			text += c.Text
			continue
		}
		brief = append(brief, c.brief())
		where = place
	}

	advice := p.Advice
	if advice != "" && elsewhere(Finding{Reason: advice}) != "" {
		advice = ""
	}
	if len(brief) > 0 && len(brief) == len(p.Causes) {
		return brief[0] + english.AndMore(", ", len(brief)-1) + "; " + where + advice
	}
	if len(brief) > 0 {
		text += "\n\n  " + strings.Join(brief, "\n  ") + "; " + where
	}
	text += p.Tail + p.Advice
	for _, r := range p.Remedies {
		text += "\n\n" + r.Say + "\n" + r.Command
	}
	if len(p.Remedies) > 0 && p.Code != finding.RunFailed {
		text += "\n\nMore about " + string(p.Code) + ": " + misses + string(p.Code)
	}
	return text
}

// misses is the page that has a section for each code.
const misses = "https://github.com/promptecho/promptecho/blob/main/docs/MISSES.md#"

// printable makes a problem safe to show.
func (p *Problem) printable() {
	texts := []*string{&p.Head, &p.Tail, &p.Advice}
	for i := range p.Causes {
		c := &p.Causes[i]
		texts = append(texts, &c.Reason, &c.Detail, &c.At, &c.Text)
	}
	for i := range p.Remedies {
		texts = append(texts, &p.Remedies[i].Say, &p.Remedies[i].Command)
	}
	for _, text := range texts {
		*text = redact.Printable(*text)
	}
}

// have returns the verb behind a number: "has" behind 1, else "have".
func have(n int) string {
	if n == 1 {
		return "has"
	}
	return "have"
}

// times returns "once", "2 times".
func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// A note is what is told and does not fail the run.
type note struct {
	code finding.Code
	text string
}

// A failure is an error that fails the run.
type failure struct {
	code          finding.Code
	place, reason string // the place may be empty
}
