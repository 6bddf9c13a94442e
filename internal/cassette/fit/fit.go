// Package fit says why a cassette must neither be committed nor handed on: promptecho verify
// tells that, and promptecho-store push refuses such a cassette.
package fit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Given returns what is wrong with the values that the test of a cassette was given.
func Given(file string, f *cassette.File) (problems []string) {
	var policy redact.Policy
	for _, name := range slices.Sorted(maps.Keys(f.Given.Env)) {
		if err := policy.CheckVariable(name, f.Given.Env[name]); err != nil {
			problems = append(problems, fmt.Sprintf("%s: env %s: %v; remove it, and revoke it if it was committed", file, name, err))
		}
	}
	return problems
}

// Interaction returns what looks like a secret in an interaction of a cassette.
func Interaction(file string, it *interaction.Interaction) (problems []string) {
	for _, finding := range redact.Findings(it) {
		problems = append(problems, fmt.Sprintf("%s:%d: %s: looks like a secret; replace it with [REDACTED], and revoke it if it was committed", file, it.Line, finding))
	}
	return problems
}

// Partial returns what is wrong with a cassette whose recording is not complete.
func Partial(file string, f *cassette.File) (problems []string) {
	if f.Partial {
		problems = append(problems, file+": partial: the run that recorded it failed, or ran only part of its test; run the whole test until it passes")
	}
	return problems
}

// Cassette returns all that is wrong with a cassette that can be read.
func Cassette(file string, f *cassette.File) []string {
	problems := append(Partial(file, f), Given(file, f)...)
	for _, it := range f.Interactions {
		problems = append(problems, Interaction(file, it)...)
	}
	return problems
}
