package report

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/group"
)

// Filtered reports whether -run or -skip may have left out parts of a test:
// a recording that was not used is then no evidence, and what was recorded may
// not be all.
func Filtered(name string) bool {
	segments := strings.Split(name, "/")
	deeper := func(pattern []string) bool { return len(pattern) > len(segments) && fits(pattern, segments) }
	run, skip := patterns("test.run"), patterns("test.skip")
	// An alternative that ends at the test or above it has everything below run.
	all := slices.ContainsFunc(run, func(p []string) bool { return len(p) <= len(segments) && fits(p, segments) })
	return !all && slices.ContainsFunc(run, deeper) || slices.ContainsFunc(skip, deeper)
}

// FilteredInside reports whether -run or -skip may have left out parts of a test, no
// matter which.
func FilteredInside() bool {
	deep := func(pattern []string) bool { return len(pattern) > 1 }
	return slices.ContainsFunc(patterns("test.run"), deep) || slices.ContainsFunc(patterns("test.skip"), deep)
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

// Short reports whether -short is given: a test may ask for less than it does otherwise.
func Short() bool { return Flag("test.short") == "true" }

// Fuzzing reports whether inputs are being made for this fuzz test, which ask for what
// nobody knows. That happens in other processes; this one may be one of them.
func Fuzzing(name string) bool {
	return strings.HasPrefix(name, "Fuzz") && (Flag("test.fuzz") != "" || FuzzWorker())
}

// FuzzWorker reports whether this process tries inputs for a fuzz test, beside others.
func FuzzWorker() bool { return Flag("test.fuzzworker") == "true" }

// Flag returns the value of a flag, or "" if there is none of that name.
func Flag(name string) string {
	if f := flag.Lookup(name); f != nil {
		return f.Value.String()
	}
	return ""
}

// fits reports whether a pattern matches a test as far as both go; one that is
// no regular expression is taken to.
func fits(pattern, segments []string) bool {
	for i := range min(len(pattern), len(segments)) {
		re, err := regexp.Compile(strings.ReplaceAll(pattern[i], " ", "_"))
		if err == nil && !re.MatchString(segments[i]) {
			return false
		}
	}
	return true
}

// patterns splits a -run or -skip flag as package testing does: alternatives at
// "|", the levels of each at "/", but not inside brackets.
func patterns(name string) (alternatives [][]string) {
	value := Flag(name)
	if name == "test.run" && value == "" {
		value = os.Getenv("TESTBRIDGE_TEST_ONLY")
	}
	if value == "" {
		return nil
	}
	const level, alternative = "\x00", "\x01" // what separates them from here on
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
