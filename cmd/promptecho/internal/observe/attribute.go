package observe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A process is the state of a test program, as far as its log is read.
type process struct {
	dir     string            // of its package
	tests   map[uint64]string // by the number of the goroutine that runs the test
	running map[string]bool   // the tests and subtests that are running
}

// A sentRequest is a request that a test program was about to send.
type sentRequest struct {
	method, url string
	context     string // the name of the test whose context the request has
	stack       []stack.Goroutine
}

// readLine reads a line of a log, as the hooks write them. It returns the request if the line
// has one, and nil if the line is about a test.
func (p *process) readLine(line string) (*sentRequest, error) {
	words, err := unquoteFields(line)
	if err != nil {
		return nil, lineError(line)
	}
	event := words[0]
	switch {
	case event == "start" && len(words) == 2:
		p.dir = words[1]
		return nil, nil
	case event == "ask" && len(words) == 5:
		return &sentRequest{
			method:  words[1],
			url:     words[2],
			context: words[3],
			stack:   stack.Parse(words[4]),
		}, nil
	case len(words) != 3:
		return nil, lineError(line)
	}

	goroutine, err := strconv.ParseUint(words[1], 10, 64)
	if err != nil {
		return nil, lineError(line)
	}
	test := words[2]
	switch event {
	case "begin":
		p.tests[goroutine] = test
	case "run":
		p.running[test] = true
	case "stop":
		delete(p.running, test)
	default:
		return nil, lineError(line)
	}
	return nil, nil
}

// unquoteFields splits a line at tabs. All fields but the first may be quoted.
func unquoteFields(line string) ([]string, error) {
	fields := strings.Split(line, "\t")
	for i := 1; i < len(fields); i++ {
		if !strings.HasPrefix(fields[i], `"`) {
			continue
		}
		text, err := strconv.Unquote(fields[i])
		if err != nil {
			return nil, err
		}
		fields[i] = text
	}
	return fields, nil
}

func lineError(line string) error {
	return fmt.Errorf("a line in the log that a test program writes for promptecho cannot be "+
		"read: %q. Run this again; if it stays, please report it", line)
}

// attribute returns the test that sends a request. If several may have sent it, test is empty
// and others has them.
//
// These sources name a test, the most reliable one first:
//
//   - the functions on the stack of the sender
//   - the context of the request
//   - the test that is run by the sender's goroutine, or by the nearest one that started it
//   - the functions on the stacks of these goroutines
//
// A test that is not running is left out: a goroutine of a pool that an earlier test has
// started sends requests of the present test. A later source counts only if it names a subtest
// of the test that was found. If no source names a running test, the request is of one of the
// tests that run. If none runs, it is of the test that started the sender.
func (p *process) attribute(req *sentRequest) (test string, others []string) {
	consider := func(name string) {
		if name == "" || !p.isRunning(name) {
			return
		}
		if test == "" || isSubtest(name, test) {
			test = name
		}
	}
	if len(req.stack) > 0 {
		consider(firstTest(req.stack[0].Frames))
		consider(req.context)
	}
	for _, g := range req.stack {
		name := p.tests[g.ID]
		if name != "" && p.isRunning(name) {
			consider(name)
			break
		}
	}
	for _, g := range req.stack {
		consider(firstTest(g.Frames))
	}
	if test != "" {
		return test, nil
	}

	innermost := p.innermostRunning()
	switch {
	case len(innermost) == 1:
		return innermost[0], nil
	case len(innermost) > 1:
		return "", innermost
	}
	for _, g := range req.stack {
		if name := p.tests[g.ID]; name != "" {
			return name, nil
		}
	}
	return "", nil
}

// firstTest returns the test of the innermost frame that belongs to one.
func firstTest(frames []stack.Frame) string {
	for _, f := range frames {
		if name := testOf(f); name != "" {
			return name
		}
	}
	return ""
}

// isRunning reports whether a test, or a subtest of it, may be running. The hooks write no
// events for examples, benchmarks, TestMain and init functions, but no test runs while these
// do. Without the patches of the standard library there are no events at all.
func (p *process) isRunning(name string) bool {
	if len(p.running) == 0 {
		hasEvents := len(p.tests) > 0
		isTest := strings.HasPrefix(name, "Test") && name != "TestMain"
		return !hasEvents || !isTest
	}
	return p.running[name] || p.hasRunningSubtest(name)
}

func (p *process) hasRunningSubtest(name string) bool {
	for other := range p.running {
		if isSubtest(other, name) {
			return true
		}
	}
	return false
}

// isSubtest reports whether a test is a subtest of another, at any depth.
func isSubtest(test, outer string) bool { return strings.HasPrefix(test, outer+"/") }

// innermostRunning returns the running tests that have no running subtest.
func (p *process) innermostRunning() (list []string) {
	for name := range p.running {
		if !p.hasRunningSubtest(name) {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
