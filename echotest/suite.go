package echotest

import (
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/attr"
	"github.com/promptecho/promptecho/internal/report"
)

// How much a summary shows.
const (
	maxReasons = 10
	maxNamed   = 10 // tests of one reason, or cassettes
)

// A suite is what the tests of a package with recorders came to.
type suite struct {
	mu        sync.Mutex // guards what follows; no other lock is taken under it
	total     attr.Done
	changed   int                         // tests whose cassettes were written
	cassettes map[string]bool             // absolute paths of those that were opened
	shared    []string                    // the recorders that no test owns, by their cassettes
	options   []report.Option             // of all recorders
	names     map[string]bool             // of the tests with recorders
	problems  map[string][]report.Problem // of the tests, and of these recorders, that failed
	mode      string                      // the record mode, and who chose it

	broken      map[string]bool // the cassettes that cannot be read, and whether a formatter wrote them
	brokenTests map[string]bool // the tests of them
}

func newSuite() *suite {
	return &suite{cassettes: map[string]bool{}, names: map[string]bool{}, problems: map[string][]report.Problem{}, broken: map[string]bool{}, brokenTests: map[string]bool{}}
}

// add adds the report of one of the recorders of a test, or of one of [suite.shared]; nil is
// a suite that does not run.
func (s *suite) add(name string, rep *report.Report) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, path := range rep.Done.Cassettes {
		s.cassettes[path] = true
	}
	s.options = append(s.options, rep.Options...)
	s.total.Add(rep.Done.Counts)
	s.total.Kept += rep.Done.Kept
	if len(rep.Done.Saved) > 0 {
		s.changed++
	}
	s.names[name] = true
	if len(rep.Problems) > 0 {
		s.problems[name] = append(s.problems[name], rep.Problems...)
		s.mode = rep.Mode
	}
}

// count counts what failed: "2 tests and 1 recorder of the package".
func (s *suite) count(names []string) string {
	tests := slices.DeleteFunc(slices.Clone(names), s.isShared)
	var parts []string
	if n := len(tests); n > 0 {
		parts = append(parts, report.Count(n, "test"))
	}
	if n := len(names) - len(tests); n > 0 {
		parts = append(parts, report.Count(n, "recorder")+" of the package")
	}
	return strings.Join(parts, " and ")
}

// isShared reports whether a name is that of a recorder that no test owns.
func (s *suite) isShared(name string) bool { return slices.Contains(s.shared, name) }

// these lists cassettes: "this cassette: A.yaml".
func these(cassettes []string) string {
	if len(cassettes) == 1 {
		return "this cassette: " + cassettes[0]
	}
	return "these cassettes: " + report.List(cassettes, maxNamed)
}

// current is the suite that runs; nil if there is none.
var current atomic.Pointer[suite]
