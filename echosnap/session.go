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

// A doing is what a run does with what has no snapshot, or another one.
type doing int

const (
	review doing = iota // writes what is new, and leaves what differs to be reviewed
	update              // writes both
	check               // writes nothing
)

// chosen returns what this run does: the flag decides, else the environment, else CI.
func chosen() (doing, error) {
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

// A session is the snapshots of one test while it runs. Nothing is written before the test is
// over, since only then it is known whether it passed.
type session struct {
	t    testing.TB
	path string // absolute
	do   doing

	mu      sync.Mutex // guards what follows; no other lock is taken under it
	stored  *snapshot.File
	broken  error // why the file cannot be read
	last    int   // the number of the last snapshot without a name
	asked   map[string]*snapshot.Section
	fresh   []*snapshot.Section // those that have no snapshot
	differs []*snapshot.Section // those that have another one
	inlines []inlined
	wrong   []string // what fails the test
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

// failNow fails the test if there are failures.
func (s *session) failNow() {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.wrong) > 0 && !s.t.Failed() {
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
	do, err := chosen()
	if err != nil {
		t.Fatalf("echosnap: %v", err)
	}
	if report.FuzzWorker() {
		do = check // one of several processes
	}
	s := &session{
		t:     t,
		path:  filepath.Join(folder, snapshot.Path(t.Name())),
		do:    do,
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
		s.failNow()
	})
	return s
}

// name returns the name of the next snapshot.
func (s *session) name(given string) string {
	if given != "" {
		return given
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	return strconv.Itoa(s.last)
}

// enter keeps what is asked for, and returns the snapshot, nil if there is none. ok is false
// if there is nothing to compare any more.
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
	if s.broken != nil && s.do != update {
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
	switch {
	case !ok, was != nil && was.Equal(sec, c.ignored):
		return
	case was == nil:
		s.add(&s.fresh, sec, was)
		if s.do == check {
			s.fail("%s has no snapshot %q, and this run writes none (%s): was it committed? To write it:\n  %s\n\n%s",
				below(s.path), sec.Name, whyNot(), command(s.t.Name()), shown(sec))
		}
		return
	case s.do == update:
		s.add(&s.differs, sec, was)
		return
	case c.ask != nil && s.judged(was, sec, c):
		return
	}
	s.add(&s.differs, sec, was)
	s.fail("%s: %q differs:\n%s%s", below(s.path), sec.Name, differences(was, sec, c.ignored), s.remedy())
}

// remedy says what to do about a snapshot that differs.
func (s *session) remedy() string {
	if s.do == check {
		return fmt.Sprintf("\nThis run writes nothing (%s). To accept it:\n  %s", whyNot(), command(s.t.Name()))
	}
	review := shell.Join([]string{"promptecho", "review", shell.Place(s.path)})
	return fmt.Sprintf("\nTo accept or reject it:\n  %s\nTo accept all of this test:\n  %s", review, command(s.t.Name()))
}

// add keeps a section that is to be written.
func (s *session) add(list *[]*snapshot.Section, sec, was *snapshot.Section) {
	sec.At = caller()
	if was != nil {
		sec.Was = was.Sum()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	*list = append(*list, sec)
}

// judged reports whether a judge says that a section is right, too.
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
	if s.do == check || wasInterrupted {
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
	if s.broken != nil && (s.do != update || !whole) {
		return // the other snapshots in the file would be lost
	}
	if err := s.write(whole); err != nil {
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

// write writes the snapshots, and the ones to review. whole is the result of isWhole.
func (s *session) write(whole bool) error {
	lock.Lock() // two runs of a test in one process must not write at once
	defer lock.Unlock()
	now, err := snapshot.Read(s.path) // a review may have changed the file since the test began
	switch {
	case err != nil && s.broken != nil:
		now = &snapshot.File{}
	case err != nil:
		return err
	}
	left, _ := snapshot.Read(snapshot.Pending(s.path))
	if left == nil {
		left = &snapshot.File{} // it cannot be read: what is in it is found again
	}
	for name := range s.asked {
		left.Drop(name)
	}
	accepted, pending := s.fresh, s.differs
	switch {
	case s.t.Failed():
		accepted, pending = nil, slices.Concat(s.fresh, s.differs)
	case s.do == update:
		accepted, pending = slices.Concat(s.fresh, s.differs), nil
	}
	for _, sec := range accepted {
		now.Put(sec)
	}
	for _, sec := range pending {
		left.Put(sec)
	}
	unasked := s.unasked(now)
	if whole {
		isUnused := func(sec *snapshot.Section) bool { return s.asked[sec.Name] == nil }
		left.Sections = slices.DeleteFunc(left.Sections, isUnused)
	}
	switch {
	case !whole || len(unasked) == 0:
	case s.do == update:
		for _, name := range unasked {
			now.Drop(name)
		}
	default:
		s.t.Logf("echosnap: %s: no test uses %s any more; go test -echo.update drops unused snapshots",
			below(s.path), quotedList(unasked))
		ending.AddUnused(below(s.path), unasked)
	}
	if len(accepted) > 0 || s.do == update {
		if err := snapshot.Write(s.path, now.Encode(false)); err != nil {
			return err
		}
	}
	s.tell(len(accepted))
	return snapshot.Write(snapshot.Pending(s.path), left.Encode(true))
}

// lock is held while files are written.
var lock sync.Mutex

// unasked returns the names of the snapshots that this run did not ask for.
func (s *session) unasked(f *snapshot.File) (names []string) {
	for _, sec := range f.Sections {
		if s.asked[sec.Name] == nil {
			names = append(names, sec.Name)
		}
	}
	return names
}

// tell says how many snapshots were written.
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
