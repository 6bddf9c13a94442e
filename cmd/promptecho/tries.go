package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/quota"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// tries runs tests that failed again.
type tries struct {
	most int // how often a test runs in all

	// run runs the tests of packages that a pattern selects. begin says that a try begins.
	run   func(p []suite.Package, pattern string, try int) (s *summary, otherOutput string, err error)
	begin func(try, tests int)
}

// runAll runs the tests that failed again, until they pass or have run t.most times, and puts their results
// into the summary. A recorder sets aside what a failed try has recorded, so that the next one asks again.
// What a try has recorded that lacks an answer is kept, and the next one asks only for the rest.
func (t *tries) runAll(s *summary) (otherOutput string, err error) {
	var outputs []string
	for try := 2; try <= t.most; try++ {
		tests := s.toTryAgain()
		if len(tests) == 0 || s.interrupted {
			break
		}
		t.begin(try, len(tests))
		for _, group := range groupsOf(tests) {
			output, err := t.runGroup(s, group, try)
			if err != nil {
				return "", err
			}
			outputs = addNew(outputs, output)
		}
	}
	return strings.TrimSpace(strings.Join(outputs, "\n")), s.keepFailedTries()
}

// runGroup runs tests of a group again, unless the run is interrupted.
func (t *tries) runGroup(s *summary, group []*suite.Test, try int) (otherOutput string, err error) {
	if s.interrupted {
		return "", nil
	}
	isOfGroup := func(p suite.Package) bool { return p.Path == group[0].Package }
	i := slices.IndexFunc(s.packages, isOfGroup)
	result, otherOutput, err := t.run(s.packages[i:i+1], patternOf(group), try)
	if err != nil {
		return "", err
	}
	s.replace(group, result, try)
	return otherOutput, nil
}

// tryEnv returns the variable that tells recorders which try a test is, as NAME=VALUE.
func tryEnv(try int) string { return fmt.Sprintf("%s=%d", quota.TryEnv, try) }

// toTryAgain returns the tests that failed although promptecho found nothing wrong with their requests:
// for their assertions, or because a request failed. A test without a live request would fail again, and
// so would one that the limits of the run hold back. Subtests of a returned test are left out.
func (s *summary) toTryAgain() (tests []*suite.Test) {
	for _, t := range s.Tests {
		isOther := func(c finding.Code) bool { return !slices.Contains(ofFailedRequests, c) }
		hasOtherCause := slices.ContainsFunc(t.Codes, isOther)
		hasLive := t.Recorded+t.Failed+t.Resumed > 0 || len(t.Codes) > 0
		if t.Linked && t.Status == suite.Fail && hasLive && !hasOtherCause {
			tests = append(tests, t)
		}
	}
	return slices.DeleteFunc(tests, func(t *suite.Test) bool {
		return slices.ContainsFunc(tests, t.IsBelow)
	})
}

// ofFailedRequests are the findings of a test whose request failed in a way that another try may not.
var ofFailedRequests = []finding.Code{finding.NoAnswer, finding.SuccessKept, finding.FailureRefused}

// groupsOf groups tests that one run of go test can select: those of a package that are subtests of
// the same test, or no subtests.
func groupsOf(tests []*suite.Test) (groups [][]*suite.Test) {
	for _, t := range tests {
		isOfGroup := func(group []*suite.Test) bool {
			first := group[0]
			return first.Package == t.Package && path.Dir(first.Name) == path.Dir(t.Name)
		}
		i := slices.IndexFunc(groups, isOfGroup)
		if i < 0 {
			groups = append(groups, []*suite.Test{t})
			continue
		}
		groups[i] = append(groups[i], t)
	}
	return groups
}

// patternOf returns the value of -run that selects the tests of a group: "^TestA$/^(one|two)$".
func patternOf(group []*suite.Test) string {
	var elements, names []string
	for _, t := range group {
		above := strings.Split(t.Name, "/")
		names = append(names, regexp.QuoteMeta(above[len(above)-1]))
		elements = above[:len(above)-1]
	}
	pattern := ""
	for _, e := range elements {
		pattern += "^" + regexp.QuoteMeta(e) + "$/"
	}
	return pattern + runPattern(names)
}

// replace puts the results of a try into the summary, in place of those of the tests that it ran.
func (s *summary) replace(tried []*suite.Test, result *summary, try int) {
	var others []*suite.Test
	for _, t := range s.Tests {
		ranAgain := slices.ContainsFunc(tried, func(again *suite.Test) bool {
			return t == again || t.IsBelow(again) || again.IsBelow(t)
		})
		if ranAgain {
			s.triedBefore = append(s.triedBefore, t.Done)
		} else {
			others = append(others, t)
		}
	}
	for _, t := range result.Tests {
		isTried := func(again *suite.Test) bool { return t.Package == again.Package && t.Name == again.Name }
		i := slices.IndexFunc(tried, isTried)
		if i >= 0 {
			t.Try = try
			t.FailedTries = tried[i].FailedTries
			if failedItself(tried[i]) {
				t.FailedTries++
			}
		}
	}
	s.Tests = append(others, result.Tests...)
	s.Failures = append(s.Failures, result.Failures...)
	s.others = append(s.others, result.others...)
	s.Total.Add(result.Total)
	s.interrupted = s.interrupted || result.interrupted
}

// failedItself reports whether a try failed although all of its requests were answered.
func failedItself(t *suite.Test) bool {
	isSetAside := func(file string) bool { return kindOf(file) == isFailed }
	return t.Failed == 0 || slices.ContainsFunc(t.Saved, isSetAside)
}

// keepFailedTries makes what the best try has recorded the cassette of a test that has none, as it is
// after a failed run without -tries. It is marked partial.
func (s *summary) keepFailedTries() error {
	for _, t := range s.Tests {
		if t.Status != suite.Fail {
			continue
		}
		for _, file := range t.Cassettes {
			failed := cassette.PathWithSuffix(file, ".failed")
			kept, err := keepFailedTry(file, failed)
			if err != nil {
				return err
			}
			if kept {
				t.Saved = slices.DeleteFunc(t.Saved, func(saved string) bool { return saved == failed })
				t.Saved = addNew(t.Saved, file)
			}
		}
	}
	return nil
}

// keepFailedTry moves a file of recordings that were set aside, and its assets, to the place of a cassette,
// if there is none.
func keepFailedTry(file, failed string) (kept bool, err error) {
	_, err = os.Lstat(file)
	if err == nil {
		return false, nil
	}
	err = os.Rename(cassette.Assets(failed), cassette.Assets(file))
	if err != nil && !os.IsNotExist(err) {
		return false, err
	}
	err = os.Rename(failed, file)
	if os.IsNotExist(err) {
		return false, nil
	}
	return err == nil, err
}
