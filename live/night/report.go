package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/redact"
)

// A report says what differs.
type report struct {
	tests    []string                     // in the order in which they were seen
	cells    map[string]map[string]string // by test and step
	reasons  map[string]string            // of tests that were skipped
	problems []problem
}

// A problem is something that differs, with the output that shows it.
type problem struct{ title, output string }

// steps are the columns of the table.
var steps = []string{"compare", "record", "replay"}

// set notes the result of a test in a step.
func (r *report) set(test, step, result string) {
	if !slices.Contains(r.tests, test) {
		r.tests = append(r.tests, test)
	}
	if r.cells == nil {
		r.cells = map[string]map[string]string{}
	}
	if r.cells[test] == nil {
		r.cells[test] = map[string]string{}
	}
	r.cells[test][step] = result
}

// problem adds a problem.
func (r *report) problem(title, output string) {
	r.problems = append(r.problems, problem{title, output})
}

// skipped notes why a test was skipped: what follows the place in the first line of its output that has
// one, such as "openai_test.go:12: to record an answer, set OPENAI_API_KEY".
func (r *report) skipped(test, output string) {
	if r.reasons == nil {
		r.reasons = map[string]string{}
	}
	for line := range strings.Lines(output) {
		_, reason, ok := strings.Cut(line, ".go:")
		if ok && r.reasons[test] == "" {
			_, reason, _ = strings.Cut(reason, ": ")
			r.reasons[test] = strings.TrimSpace(reason)
		}
	}
}

// markdown returns the text of the report, without secrets.
func (r *report) markdown() string {
	var b strings.Builder
	heading := "Nothing differs"
	if len(r.problems) > 0 {
		heading = english.Count(len(r.problems), "problem")
	}
	b.WriteString("### " + heading + "\n\n")
	b.WriteString("| test | " + strings.Join(steps, " | ") + " | |\n|---|---|---|---|---|\n")
	slices.Sort(r.tests)
	for _, test := range r.tests {
		fmt.Fprintf(&b, "| %s |", test)
		for _, step := range steps {
			fmt.Fprintf(&b, " %s |", r.cells[test][step])
		}
		fmt.Fprintf(&b, " %s |\n", strings.ReplaceAll(r.reasons[test], "|", "\\|"))
	}
	for _, p := range r.problems {
		fmt.Fprintf(&b, "\n### %s\n\n%s\n", p.title, fenced(p.output))
	}
	return withoutSecrets(b.String())
}

// maxLines is the largest number of lines that a problem shows. An issue has room for 65,536
// characters.
const maxLines = 100

// fenced returns text as a block that the text itself cannot end.
func fenced(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines], fmt.Sprintf("(%d more lines)", more))
	}
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + "text\n" + strings.Join(lines, "\n") + "\n" + fence
}

// keys are the variables that have secrets.
var keys = []string{
	"ANTHROPIC_API_KEY",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
	"CO_API_KEY",
	"GEMINI_API_KEY",
	"OPENAI_API_KEY",
}

// withoutKeys returns an environment without the keys.
func withoutKeys(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.Contains(keys, name)
	})
}

// withoutSecrets replaces keys of the environment, and lines with what looks like a secret. The log
// of a job has no secrets by GitHub's doing, but the report goes into an issue.
func withoutSecrets(text string) string {
	for _, name := range keys {
		if value := os.Getenv(name); value != "" {
			text = strings.ReplaceAll(text, value, redact.Placeholder)
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if redact.IsCredential(line) {
			line = "(a line that looks like a secret)\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
