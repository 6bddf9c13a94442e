package echosnap

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/english"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/snapshot/ending"
	"github.com/promptecho/promptecho/internal/snapshot/judge"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/stack"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A mode says what a run writes: values without a snapshot, and values that differ from
// theirs.
type mode int

const (
	review mode = iota // writes new values as snapshots, and values that differ for a review
	update             // writes both as snapshots
	check              // writes nothing
)

// chooseMode returns the mode of this run. The flag decides, or else the environment variable,
// or else CI.
func chooseMode() (mode, error) {
	value := os.Getenv("PROMPTECHO_SNAPSHOTS")
	switch {
	case report.Flag("echo.update") == "true", value == "update":
		return update, nil
	case value == "none", value == "" && shell.InCI():
		return check, nil
	case value != "":
		return check, fmt.Errorf("PROMPTECHO_SNAPSHOTS: %q is neither update nor none", value)
	}
	return review, nil
}

// A session has the snapshots of one test while it runs. It writes them when the test is over:
// only then it is known whether the test has passed.
type session struct {
	t    testing.TB
	path string // absolute
	mode mode

	mu      sync.Mutex                   // guards what follows; no other lock is taken under it
	stored  *snapshot.File               // the snapshots in the file
	broken  error                        // why the file cannot be read
	last    int                          // the number of the last snapshot without a name
	asked   map[string]*snapshot.Section // the values of the test, by the names of their snapshots
	fresh   []*snapshot.Section          // values without a snapshot
	differs []*snapshot.Section          // values that differ from their snapshot
	inlines []inlined                    // snapshots to write into the source
	wrong   []string                     // failures of the test
}

func init() { recorder.ExpectSnapshots() }

var sessions sync.Map // of running tests, by their testing.TB

// fail keeps a failure for the end of the test. Only then it is known whether the test has
// failed for another reason, too.
func (s *session) fail(format string, args ...any) {
	at := caller()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wrong = append(s.wrong, at+": "+fmt.Sprintf(format, args...))
}

// reportFailures fails the test with all failures that [session.fail] kept. A test
// that nothing else has failed is noted as one with snapshots to review: echotest
// saves its recordings, because the review compares the snapshots that they led
// to.
func (s *session) reportFailures() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	onlySnapshotsDiffer := len(s.wrong) > 0 && !s.t.Failed()
	if onlySnapshotsDiffer {
		ending.AddToReview(s.t)
	}
	for _, text := range s.wrong {
		s.t.Errorf("echosnap: %s", text)
	}
}

// sessionOf returns the session of a test, and makes it if this is its first snapshot.
func sessionOf(t testing.TB) *session {
	t.Helper()
	if s, ok := sessions.Load(t); ok {
		return s.(*session)
	}
	mode, err := chooseMode()
	if err != nil {
		t.Fatalf("echosnap: %v", err)
	}
	if report.FuzzWorker() {
		mode = check // several workers would write the same file
	}
	s := &session{
		t:     t,
		path:  filepath.Join(folder, snapshot.Path(t.Name())),
		mode:  mode,
		asked: map[string]*snapshot.Section{},
	}
	s.stored, s.broken = snapshot.Read(s.path)
	if s.broken != nil {
		s.stored = &snapshot.File{}
	}
	if was, loaded := sessions.LoadOrStore(t, s); loaded {
		return was.(*session) // made by another goroutine of the test
	}
	t.Cleanup(func() {
		t.Helper()
		sessions.Delete(t)
		s.conclude()
		s.reportFailures()
	})
	return s
}

// name returns the name of the next snapshot: the chosen one, or else a number.
func (s *session) name(chosen string) string {
	if chosen != "" {
		return chosen
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return strconv.Itoa(s.last)
}

// enter keeps a value, and returns its snapshot, or nil if it has none. ok is false if the value
// must not be compared: its name is used already, or the file cannot be read.
func (s *session) enter(sec *snapshot.Section, c *config) (was *snapshot.Section, ok bool) {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if before := s.asked[sec.Name]; before != nil {
		if !before.Equal(sec, c.ignored) {
			s.t.Errorf("echosnap: two values of this test are called %q: "+
				"give each a name of its own, with Name", sec.Name)
		}
		return nil, false
	}
	s.asked[sec.Name] = sec
	if s.broken != nil && s.mode != update {
		why := fmt.Sprintf("nothing is compared: %v", s.broken)
		if !slices.Contains(s.wrong, why) {
			s.wrong = append(s.wrong, why)
		}
		return nil, false
	}
	return s.stored.Find(sec.Name), true
}

// match compares a section with its snapshot.
func (s *session) match(sec *snapshot.Section, c *config) {
	s.t.Helper()
	was, ok := s.enter(sec, c)
	if !ok {
		return
	}
	switch {
	case was == nil:
		s.addFresh(sec)
		if s.mode == check {
			s.fail("%s has no snapshot %q, and this run writes none (%s): was it committed? To write it:\n  %s\n\n%s",
				below(s.path), sec.Name, whyNot(), command(s.t.Name()), shown(sec))
		}
		return
	case was.Equal(sec, c.ignored):
		return
	case s.mode == update:
		s.addDiffering(sec, was)
		return
	case c.ask != nil && s.judged(was, sec, c):
		return
	}
	s.addDiffering(sec, was)
	s.fail("%s: %q differs:\n%s%s", below(s.path), sec.Name, differences(was, sec, c.ignored), s.remedy())
}

// remedy returns what to do about a value that differs from its snapshot.
func (s *session) remedy() string {
	if s.mode == check {
		return fmt.Sprintf("\nThis run writes nothing (%s). To accept it:\n  %s", whyNot(), command(s.t.Name()))
	}
	review := shell.Join([]string{"promptecho", "review", shell.Place(s.path)})
	return fmt.Sprintf("\nTo accept or reject it:\n  %s\nTo accept all of this test:\n  %s", review, command(s.t.Name()))
}

// addFresh keeps a value without a snapshot, to be written.
func (s *session) addFresh(sec *snapshot.Section) {
	sec.At = caller()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh = append(s.fresh, sec)
}

// addDiffering keeps a value that differs from its snapshot, to be written.
func (s *session) addDiffering(sec, was *snapshot.Section) {
	sec.At = caller()
	sec.OldSum = was.Sum()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.differs = append(s.differs, sec)
}

// judged reports whether the judge accepts a value that differs from its snapshot.
func (s *session) judged(was, sec *snapshot.Section, c *config) bool {
	s.t.Helper()
	if was.Kind != sec.Kind {
		return false
	}
	v, err := judge.Decide(s.t.Context(), c.ask, was.Text, sec.Text, c.criteria)
	switch {
	case err != nil:
		s.t.Errorf("echosnap: %s: %q differs from its snapshot, and it was not judged: %v",
			below(s.path), sec.Name, err)
		return false
	case v.Holds():
		s.t.Logf("echosnap: %s: %q differs from its snapshot, and was judged right:\n%s",
			below(s.path), sec.Name, indented(v.String()))
		return true
	}
	s.fail("%s: the judge says that %q is not right:\n%s", below(s.path), sec.Name, indented(v.String()))
	return false
}

// conclude writes the files at the end of the test, unless it ended by a panic or by
// runtime.Goexit.
func (s *session) conclude() {
	s.t.Helper()
	running := stack.Current()
	byTesting := s.t.Failed() || s.t.Skipped() // FailNow and SkipNow call Goexit
	wasInterrupted := running.Panicking || running.Exiting && !byTesting
	if s.mode == check || wasInterrupted {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := missed(s.t.Name()); n > 0 {
		s.t.Logf("echosnap: no snapshot is written, since the test has %s without a recording",
			english.Count(n, "request"))
		return
	}
	whole := s.isWhole()
	if s.broken != nil && (s.mode != update || !whole) {
		return // the other snapshots in the file would be lost
	}
	if err := s.writeFiles(whole); err != nil {
		s.t.Errorf("echosnap: %v", err)
	}
	s.rewrite()
}

// isWhole reports whether the test passed and ran all of its code, so that it asked for each
// of its snapshots.
func (s *session) isWhole() bool {
	if s.t.Failed() || s.t.Skipped() || report.Short() {
		return false
	}
	return !report.Filtered(s.t.Name()) && !report.Fuzzing(s.t.Name())
}

// writeFiles writes the values of the test into two files: the accepted ones into
// the file with the snapshots, and the pending ones into the file for a review,
// see session.sort. isWhole says that the test asked for all its snapshots: then
// those that it did not ask for are unused, and are dropped or named. The caller
// holds mu.
func (s *session) writeFiles(isWhole bool) error {
	writing.Lock()
	defer writing.Unlock()
	stored, err := s.readAgain()
	if err != nil {
		return err
	}

	accepted, pending := s.sort()
	for _, sec := range accepted {
		stored.Put(sec)
	}
	if isWhole {
		s.dropUnused(stored)
	}

	mayHaveChanged := len(accepted) > 0 || s.mode == update // an update may drop some
	if mayHaveChanged {
		err := snapshot.Write(s.path, stored.Encode(false))
		if err != nil {
			return err
		}
	}
	s.tell(len(accepted))
	return s.writePending(pending, isWhole)
}

// readAgain reads the file with the snapshots when the test is over: promptecho
// review may have changed it since the test began. If the file could not be read
// then, and still cannot, this run replaces it: readAgain returns an empty file.
func (s *session) readAgain() (*snapshot.File, error) {
	stored, err := snapshot.Read(s.path)
	wasUnreadable := s.broken != nil
	if err != nil && wasUnreadable {
		return &snapshot.File{}, nil
	}
	return stored, err
}

// dropUnused drops the snapshots that no value of the test has, if the run updates snapshots.
// Otherwise it names them.
func (s *session) dropUnused(stored *snapshot.File) {
	unused := s.unused(stored)
	if len(unused) == 0 {
		return
	}
	if s.mode == update {
		for _, name := range unused {
			stored.Drop(name)
		}
		return
	}
	s.t.Logf("echosnap: %s: no test uses %s any more; go test -echo.update drops unused snapshots",
		below(s.path), quotedList(unused))
	ending.AddUnused(below(s.path), unused)
}

// writePending writes the file with values to review. It keeps the values of earlier runs that
// this run has not made, unless whole says that the test does not make them.
func (s *session) writePending(pending []*snapshot.Section, whole bool) error {
	file := snapshot.Pending(s.path)
	old, _ := snapshot.Read(file)
	if old == nil {
		old = &snapshot.File{} // the next run finds again what the unreadable file had
	}
	for name := range s.asked {
		old.Drop(name)
	}
	for _, sec := range pending {
		old.Put(sec)
	}
	if whole {
		isUnused := func(sec *snapshot.Section) bool { return s.asked[sec.Name] == nil }
		old.Sections = slices.DeleteFunc(old.Sections, isUnused)
	}
	return snapshot.Write(file, old.Encode(true))
}

// writing is locked while files are written: with -count or -cpu, two runs of a test may end at
// the same time.
var writing sync.Mutex

// sort returns the values that become snapshots, and those for a review.
func (s *session) sort() (accepted, pending []*snapshot.Section) {
	all := slices.Concat(s.fresh, s.differs)
	switch {
	case s.t.Failed():
		return nil, all
	case s.mode == update:
		return all, nil
	}
	return s.fresh, s.differs
}

// unused returns the names of the snapshots that no value of this run has.
func (s *session) unused(f *snapshot.File) (names []string) {
	for _, sec := range f.Sections {
		if s.asked[sec.Name] == nil {
			names = append(names, sec.Name)
		}
	}
	return names
}

// tell prints how many snapshots were written.
func (s *session) tell(n int) {
	switch {
	case n == 0:
	case testing.Verbose():
		s.t.Logf("echosnap: saved %s to %s", english.Count(n, "snapshot"), below(s.path))
	default:
		fmt.Printf("echosnap: %s: saved %s to %s\n", s.t.Name(), english.Count(n, "snapshot"), below(s.path))
	}
}

// missed returns how many requests of a test have no recording, if echotest has opened the
// recorder. Values that depend on such a request must not become snapshots.
func missed(test string) (n int) {
	for _, r := range recorder.Unfinished() {
		for name := test; name != ""; name = name[:max(0, strings.LastIndex(name, "/"))] {
			if r.Tape().Config.Path == filepath.Join(folder, testname.File(name)) {
				n += len(r.Misses())
			}
		}
	}
	return n
}

// rewrite writes the snapshots of the test into the source, if it passed.
func (s *session) rewrite() {
	s.t.Helper()
	if s.t.Failed() {
		return
	}
	for _, i := range s.inlines {
		if err := i.write(); err != nil {
			s.t.Errorf("echosnap: %s:%d: the snapshot is not written: %v", filepath.Base(i.file), i.line, err)
		}
	}
}
