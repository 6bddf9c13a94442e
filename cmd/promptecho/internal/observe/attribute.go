package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A process is what one test program has told so far.
type process struct {
	dir     string            // of its package
	tests   map[uint64]string // by the goroutine that runs them
	running map[string]bool
}

// An asked is a request that was about to be sent.
type asked struct {
	method, url string
	context     string // the test whose context it has
	stack       []stack.Goroutine
}

// read reads a line of a log. It returns the request that it tells of, if it does.
func (p *process) read(line string) (*asked, error) {
	words := strings.Split(line, "\t")
	for i := 1; i < len(words); i++ {
		if strings.HasPrefix(words[i], `"`) {
			text, err := strconv.Unquote(words[i])
			if err != nil {
				return nil, fmt.Errorf("a line in the log that a test program writes for promptecho "+
					"cannot be read: %q. Run this again; if it stays, please report it", line)
			}
			words[i] = text
		}
	}
	switch {
	case words[0] == "start" && len(words) == 2:
		p.dir = words[1]
		return nil, nil
	case words[0] == "ask" && len(words) == 5:
		return &asked{words[1], words[2], words[3], stack.Parse(words[4])}, nil
	case len(words) == 3:
		id, err := strconv.ParseUint(words[1], 10, 64)
		if err != nil {
			break
		}
		switch words[0] {
		case "begin":
			p.tests[id] = words[2]
			return nil, nil
		case "run":
			p.running[words[2]] = true
			return nil, nil
		case "stop":
			delete(p.running, words[2])
			return nil, nil
		}
	}
	return nil, fmt.Errorf("a line in the log that a test program writes for promptecho cannot be "+
		"read: %q. Run this again; if it stays, please report it", line)
}

// attribute returns the test that makes a request. It asks those who know, the surest one
// first: the code that runs, the context of the request, and the goroutines that started
// the sender. A test that does not run makes no request: a pool that an earlier test
// started works for the present one. Who names a subtest is more exact than who names the
// test around it. If nobody knows, it is the only test that runs; if there are several, it
// is one of them.
func (p *process) attribute(a *asked) (test string, others []string) {
	consider := func(name string) {
		switch {
		case name == "" || !p.runs(name):
		case test == "" || within(name, test):
			test = name
		}
	}
	if len(a.stack) > 0 {
		consider(firstTest(a.stack[0].Frames))
		consider(a.context)
	}
	for _, g := range a.stack {
		if name := p.tests[g.ID]; name != "" && p.runs(name) {
			consider(name)
			break
		}
	}
	for _, g := range a.stack {
		consider(firstTest(g.Frames))
	}
	if test != "" {
		return test, nil
	}
	leaves := p.leaves()
	switch {
	case len(leaves) == 1:
		return leaves[0], nil
	case len(leaves) > 1:
		return "", leaves
	}
	for _, g := range a.stack { // after the end of its test
		if name := p.tests[g.ID]; name != "" {
			return name, nil
		}
	}
	return "", nil
}

// firstTest returns the test of the innermost frame that is of one.
func firstTest(frames []stack.Frame) string {
	for _, f := range frames {
		if name := testOf(f); name != "" {
			return name
		}
	}
	return ""
}

// runs reports whether a test, or a subtest of it, runs. Examples, benchmarks, TestMain and
// init functions do not tell when they run, but no test runs then. Where the overlay does not
// fit, nothing tells.
func (p *process) runs(name string) bool {
	if len(p.running) == 0 {
		return len(p.tests) == 0 || !strings.HasPrefix(name, "Test") || name == "TestMain"
	}
	if p.running[name] {
		return true
	}
	for other := range p.running {
		if within(other, name) {
			return true
		}
	}
	return false
}

// within reports whether a test is a subtest of another.
func within(test, outer string) bool { return strings.HasPrefix(test, outer+"/") }

// leaves returns the tests that run and have no subtest that runs.
func (p *process) leaves() (list []string) {
	for name := range p.running {
		leaf := true
		for other := range p.running {
			leaf = leaf && !within(other, name)
		}
		if leaf {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
