package report

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
)

// Filtered reports whether -run or -skip may have left out parts of a test. Then
// the test may need recordings that it has not used, and its new recordings may be
// incomplete.
func Filtered(name string) bool {
	segments := strings.Split(name, "/")
	selectsParts := func(pattern []string) bool {
		return len(pattern) > len(segments) && fits(pattern, segments)
	}
	selectsAll := func(pattern []string) bool {
		return len(pattern) <= len(segments) && fits(pattern, segments)
	}
	if slices.ContainsFunc(splitPatterns("test.skip"), selectsParts) {
		return true
	}
	run := splitPatterns("test.run")
	return slices.ContainsFunc(run, selectsParts) && !slices.ContainsFunc(run, selectsAll)
}

// FilteredInside reports whether -run or -skip may have left out parts of any test.
func FilteredInside() bool {
	selectsParts := func(pattern []string) bool { return len(pattern) > 1 }
	return slices.ContainsFunc(splitPatterns("test.run"), selectsParts) ||
		slices.ContainsFunc(splitPatterns("test.skip"), selectsParts)
}

// Part says why this process may not run all tests of its package: "-run is set". It
// returns "" if it runs all of them. Bazel gives a process a shard of the tests
// (https://bazel.build/reference/test-encyclopedia) or only those of a filter.
func Part() string {
	for _, name := range [...]string{"run", "skip", "list", "fuzz"} {
		if Flag("test."+name) != "" {
			return "-" + name + " is set"
		}
	}
	switch shards := os.Getenv("TEST_TOTAL_SHARDS"); {
	case Flag("test.count") == "0":
		return "-count is 0"
	case FuzzWorker():
		return "this is a fuzz worker"
	case shards != "" && shards != "0" && shards != "1":
		return "TEST_TOTAL_SHARDS is " + shards
	case os.Getenv("TESTBRIDGE_TEST_ONLY") != "":
		return "TESTBRIDGE_TEST_ONLY is set"
	}
	return ""
}

// Short reports whether -short is set. A test may send fewer requests then.
func Short() bool { return Flag("test.short") == "true" }

// Fuzzing reports whether go test -fuzz runs the fuzz test of this name, whose requests depend
// on random inputs. This process may be one of its workers.
func Fuzzing(name string) bool {
	return strings.HasPrefix(name, "Fuzz") && (Flag("test.fuzz") != "" || FuzzWorker())
}

// FuzzWorker reports whether this process is one of several workers of a fuzz test.
func FuzzWorker() bool { return Flag("test.fuzzworker") == "true" }

// Flag returns the value of a flag, or "" if there is none of that name.
func Flag(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// fits reports whether a pattern matches a test in all segments that both have. A segment
// that is not a valid regular expression matches.
func fits(pattern, segments []string) bool {
	for i := range min(len(pattern), len(segments)) {
		re, err := regexp.Compile(strings.ReplaceAll(pattern[i], " ", "_"))
		if err == nil && !re.MatchString(segments[i]) {
			return false
		}
	}
	return true
}

// splitPatterns splits a -run or -skip flag as package testing does: alternatives at
// "|", and the levels of each at "/", but not inside brackets. It returns
// [["TestA" "b"] ["TestC"]] for "TestA/b|TestC".
func splitPatterns(name string) (alternatives [][]string) {
	value := Flag(name)
	if name == "test.run" && value == "" {
		value = os.Getenv("TESTBRIDGE_TEST_ONLY")
	}
	if value == "" {
		return nil
	}
	const level, alternative = "\x00", "\x01" // the separators that replace "/" and "|"
	text := []byte(value)
	brackets, parens := 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			brackets++
		case c == ']':
			brackets = max(0, brackets-1)
		case brackets > 0:
		case c == '(':
			parens++
		case c == ')':
			parens--
		case parens > 0:
		case c == '/':
			text[i] = level[0]
		case c == '|':
			text[i] = alternative[0]
		}
	}
	list := strings.Split(string(text), alternative)
	return group.Each(list, func(one string) []string { return strings.Split(one, level) })
}
