package echotest

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/nethttp/guard"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot/ending"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// conclude ends the recorders of no test when the tests have run, writes the report of the
// package, and returns the exit status. code is the exit status of the tests.
func (s *suite) conclude(w io.Writer, code int, leaks []*guard.Leak) int {
	part := report.Part()
	for _, rec := range recorder.Unfinished() {
		rep := rec.Finish(report.Outcome{
			Failed:   code != 0,
			Filtered: part != "",
			Short:    report.Short(),
			Command:  func(mode string) string { return command(mode) },
		})
		if len(rep.Problems) > 0 {
			code = cmp.Or(code, 1)
		}
		s.concludeRecorder(w, &rep)
	}
	for _, l := range leaks {
		fmt.Fprintf(w, "promptecho: %s\n", l.Report())
		code = cmp.Or(code, 1)
	}
	s.writeBroken(w)
	s.writeFailures(w)
	s.writeTotal(w)
	if !testing.Verbose() {
		writeWithoutEffect(w, "", effectiveFirst(s.options))
	}
	whole := code == 0 && part == "" && !report.Short()
	s.writeUnused(w, whole)
	ending.Tell(w, folder, whole)
	return code
}

// concludeRecorder adds the report of a recorder that no test owns to those of the tests. It
// writes the parts that the report of the package will not have: the notes, and the problems
// without a place.
func (s *suite) concludeRecorder(w io.Writer, rep *report.Report) {
	for _, note := range rep.Notes {
		fmt.Fprintf(w, "promptecho: %s\n", note)
	}
	for _, p := range rep.Problems {
		hasPlace := p.Causes[0].At != "" // writeFailures writes these
		if !hasPlace {
			fmt.Fprintf(w, "promptecho: %s\n", p.Text())
		}
	}
	annotate(w, "TestMain", rep.Annotations)
	name := filepath.ToSlash(relativeTo(folder, rep.Done.Cassettes[0]))
	s.shared = append(s.shared, name)
	s.add(name, rep)
}

// effectiveFirst returns options with those first that had an effect, so that
// writeWithoutEffect knows them when it comes to the others.
func effectiveFirst(options []report.Option) []report.Option {
	hadEffect := func(o report.Option) bool { return o.Why == "" }
	hadNone := func(o report.Option) bool { return o.Why != "" }
	return slices.Concat(
		slices.DeleteFunc(slices.Clone(options), hadNone),
		slices.DeleteFunc(slices.Clone(options), hadEffect),
	)
}

// writeTotal writes how many recordings and cassettes were written.
func (s *suite) writeTotal(w io.Writer) {
	t := &s.total
	if t.Recorded+t.Resumed+t.CarriedOver+t.Dropped+t.Failed+t.Changed == 0 {
		return
	}
	parts := countsOf(t)
	if t.Changed > 0 {
		parts = append(parts, english.Count(int(t.Changed), "change")+" in ignored fields (go test -v shows them)")
	}
	if t.Recorded == 0 && len(parts) > 1 {
		parts = parts[1:]
	}
	written := "no cassette"
	if s.changed > 0 {
		written = english.Count(s.changed, "cassette")
	}
	fmt.Fprintf(w, "promptecho: total: %s; %s written\n", strings.Join(parts, ", "), written)
}

// writeUnused names the cassettes whose test does not exist and, after a whole run that passed,
// the cassettes that no test has opened. Neither fails the package: such a cassette makes no
// test pass that should fail. promptecho prune fails for them.
func (s *suite) writeUnused(w io.Writer, whole bool) {
	p := orphans.In(folder)
	opened := func(cassette string) bool { return s.cassettes[filepath.Join(folder, cassette)] }
	orphaned := slices.DeleteFunc(p.Orphans(), opened)
	var withoutTest, outgrown []string
	for _, cassette := range orphaned {
		if p.Reason(cassette) == orphans.TestGone {
			withoutTest = append(withoutTest, cassette)
		} else {
			outgrown = append(outgrown, cassette)
		}
	}
	if len(withoutTest) > 0 {
		fmt.Fprintf(w, "promptecho: this package has no test for %s\n", listCassettes(withoutTest))
		if whole {
			fmt.Fprintf(w, "  promptecho prune -w deletes the files of deleted tests; "+
				"if a test was renamed: promptecho mv TestOld TestNew\n")
		}
	}
	if len(outgrown) > 0 {
		fmt.Fprintf(w, "promptecho: no test opens %s: its test has subtests now, or has none now\n", listCassettes(outgrown))
		if whole {
			fmt.Fprintf(w, "  promptecho prune -w deletes what no test opens\n")
		}
	}
	benchmarks := filepath.Join(testname.Folder, "Benchmark") // they run only with -bench
	unopened := slices.DeleteFunc(slices.Clone(p.Cassettes), func(cassette string) bool {
		isNamed := slices.Contains(orphaned, cassette)
		isNoTest := strings.HasPrefix(cassette, benchmarks) || p.Tests.Mentions(cassette) // for promptecho.Open
		return opened(cassette) || isNamed || isNoTest
	})
	if whole && len(s.cassettes) > 0 && len(unopened) > 0 {
		fmt.Fprintf(w, "promptecho: all tests passed, and none opened %s\n"+
			"  if a subtest was renamed: promptecho mv OLD NEW; if it was deleted: %s\n",
			listCassettes(unopened), removal(unopened))
	}
}

// mostRemoved is how many files a printed command removes.
const mostRemoved = 5

// removal returns the command that deletes cassettes, or what to do if they are many.
func removal(cassettes []string) string {
	if len(cassettes) > mostRemoved {
		return "delete what no test needs"
	}
	place := func(cassette string) string { return shell.Place(filepath.Join(folder, cassette)) }
	return shell.Remove(group.Each(cassettes, place)...)
}
