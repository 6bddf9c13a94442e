// Package fit says why a cassette must neither be committed nor handed on: promptecho verify
// tells that, and promptecho-store push refuses such a cassette.
package fit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// RecordedValues returns what is wrong with the recorded values of a cassette.
func RecordedValues(file string, f *cassette.File) (problems []finding.Finding) {
	var policy redact.Policy
	for _, name := range slices.Sorted(maps.Keys(f.RecordedValues.Env)) {
		if err := policy.CheckVariable(name, f.RecordedValues.Env[name]); err != nil {
			text := fmt.Sprintf("env %s: %v; remove it, and revoke it if it was committed", name, err)
			problems = append(problems, problem(finding.SecretInFile, file, 0, text))
		}
	}
	return problems
}

// Interaction returns what looks like a secret in an interaction of a cassette.
func Interaction(file string, it *interaction.Interaction) (problems []finding.Finding) {
	for _, secret := range redact.Findings(it) {
		text := fmt.Sprintf("%s: looks like a secret; replace it "+
			"with [REDACTED], and revoke it if it was committed",
			secret)
		problems = append(problems, problem(finding.SecretInFile, file, it.Line, text))
	}
	return problems
}

// Partial returns what is wrong with a cassette whose recording is not complete.
func Partial(file string, f *cassette.File) (problems []finding.Finding) {
	if f.Partial {
		const text = "partial: the run that recorded it failed, or " +
			"ran only part of its test; run the whole test until it passes"
		problems = append(problems, problem(finding.RecordingPartial, file, 0, text))
	}
	return problems
}

// Cassette returns all that is wrong with a cassette that can be read.
func Cassette(file string, f *cassette.File) []finding.Finding {
	problems := append(Partial(file, f), RecordedValues(file, f)...)
	for _, it := range f.Interactions {
		problems = append(problems, Interaction(file, it)...)
	}
	return problems
}

func problem(code finding.Code, file string, line int, text string) finding.Finding {
	return finding.Finding{Code: code, Severity: finding.Failure, File: file, Line: line, Text: text}
}
