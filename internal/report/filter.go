package report

import (
	"flag"
	"regexp"
	"slices"
	"strings"
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
	f := flag.Lookup(name)
	if f == nil || f.Value.String() == "" {
		return nil
	}
	const level, alternative = "\x00", "\x01" // what separates them from here on
	text := []byte(f.Value.String())
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
	for one := range strings.SplitSeq(string(text), alternative) {
		alternatives = append(alternatives, strings.Split(one, level))
	}
	return alternatives
}
