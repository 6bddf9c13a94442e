package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutation"
)

// A mutateFinding is one thing to tell of a run of mutate: a bug, or a change that a test, or several
// tests, did not notice.
type mutateFinding struct {
	outcome mutate.Outcome
	verdict mutate.Verdict // of the answer
	tests   []string
	change  mutate.Change // the one that tells most
	also    []mutate.Change
	calls   []string // the lines that make the requests
	places  []string // of the recordings
}

// strongest has the kinds of changes, the first one tells most of a test that does not notice it.
var strongest = []mutation.Kind{
	mutation.OtherText, mutation.Argument, mutation.FieldValue, mutation.NoCall, mutation.OtherVector,
	mutation.NoText, mutation.UnknownTool, mutation.CalledTwice, mutation.ArgumentMissing,
	mutation.FieldMissing, mutation.FieldType, mutation.ToolError, mutation.Refused,
	mutation.Filtered, mutation.CutOff, mutation.Failed, mutation.Limited, mutation.StreamError,
	mutation.StreamBreaks, mutation.StreamEnds,
}

func strengthOf(k mutation.Kind) int {
	i := slices.Index(strongest, k)
	if i < 0 {
		return len(strongest)
	}
	return i
}

// mutateFindings returns what to tell of tests: bugs first, then blind, weak and held answers. There is
// one finding for each answer, and findings that are alike are one.
func mutateFindings(tests []*mutate.Test) []*mutateFinding {
	var list []*mutateFinding
	for _, t := range tests {
		for _, a := range t.Answers {
			for _, f := range findingsOf(t, a) {
				list = addMutateFinding(list, f)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *mutateFinding) int { return cmp.Compare(a.rank(), b.rank()) })
	return list
}

// rank is the place of a finding among others.
func (f *mutateFinding) rank() int {
	switch {
	case f.outcome.IsBug():
		return 0
	case f.verdict == mutate.Blind:
		return 1
	case f.outcome == mutate.Unnoticed:
		return 2
	}
	return 3
}

// findingsOf returns the findings of an answer: a bug, and the strongest change that was not noticed, or
// that was only held.
func findingsOf(t *mutate.Test, a *mutate.Answer) (list []*mutateFinding) {
	for _, is := range []func(mutate.Outcome) bool{
		mutate.Outcome.IsBug,
		func(o mutate.Outcome) bool { return o == mutate.Unnoticed },
		func(o mutate.Outcome) bool { return o == mutate.Held },
	} {
		var found []mutate.Change
		for _, c := range a.Changes {
			if is(c.Outcome) && c.Accepted == "" {
				found = append(found, c)
			}
		}
		if len(found) == 0 {
			continue
		}
		slices.SortStableFunc(found, func(x, y mutate.Change) int {
			return cmp.Compare(strengthOf(x.Kind), strengthOf(y.Kind))
		})
		f := &mutateFinding{
			outcome: found[0].Outcome,
			verdict: a.Verdict,
			tests:   []string{t.Name},
			change:  found[0],
			also:    found[1:],
			calls:   []string{a.Call},
			places:  []string{fmt.Sprintf("%s:%d", t.CassetteName(a.Cassette), a.Line)},
		}
		list = append(list, f)
		if f.outcome == mutate.Unnoticed {
			break // what is only held matters less
		}
	}
	return list
}

// addMutateFinding adds a finding to a list, or to a finding there that it is like: the same change of
// answers to the same line, or an end of the answer or a failure that several tests do not notice in the
// same way.
func addMutateFinding(list []*mutateFinding, f *mutateFinding) []*mutateFinding {
	for _, other := range list {
		isSameKind := other.outcome == f.outcome && other.change.Kind == f.change.Kind &&
			(other.verdict == mutate.Blind) == (f.verdict == mutate.Blind)
		isSameTest := slices.Equal(other.tests, f.tests)
		isSameCall := isSameTest && other.calls[0] == f.calls[0] && other.change.Notice == f.change.Notice
		isOfProgram := f.outcome == mutate.Unnoticed && strengthOf(f.change.Kind) >= strengthOf(mutation.Refused)
		if isSameKind && (isSameCall || isOfProgram) {
			other.add(f)
			return list
		}
	}
	return append(list, f)
}

// add adds the tests and places of a finding that is like this one.
func (f *mutateFinding) add(other *mutateFinding) {
	f.tests = addNew(f.tests, other.tests...)
	f.calls = addNew(f.calls, other.calls...)
	f.places = append(f.places, other.places...)
	for _, change := range other.also {
		isSame := func(c mutate.Change) bool { return c.What == change.What }
		if !slices.ContainsFunc(f.also, isSame) && f.change.What != change.What {
			f.also = append(f.also, change)
		}
	}
}

// title says what was found: "TestBooking passes: name: "Ada" -> "another"".
func (f *mutateFinding) title() string {
	tests := strings.Join(f.tests, ", ")
	if len(f.tests) > 1 {
		tests = count(len(f.tests), "test")
	}
	one := len(f.tests) == 1
	switch {
	case f.outcome.IsBug():
		return fmt.Sprintf("%s %s: %s", tests, f.outcome, f.change.What)
	case f.outcome == mutate.Held && one:
		return fmt.Sprintf("%s is held by its recording: %s", tests, f.change.What)
	case f.outcome == mutate.Held:
		return fmt.Sprintf("%s are held by their recordings: %s", tests, f.change.What)
	case one:
		return fmt.Sprintf("%s passes: %s", tests, f.change.What)
	}
	return fmt.Sprintf("%s pass: %s", tests, f.change.What)
}

// others names the other changes of the answer that were not noticed, each once.
func (f *mutateFinding) others() string {
	const most = 4
	var names []string
	for _, c := range f.also {
		name := string(c.Kind)
		if c.Kind == f.change.Kind || c.Kind == mutation.FieldValue || c.Kind == mutation.Argument {
			name = c.What
		}
		names = addNew(names, name)
	}
	if len(names) > most {
		more := fmt.Sprintf("%d more", len(names)-most)
		names = append(names[:most], more)
	}
	return strings.Join(names, "; ")
}
