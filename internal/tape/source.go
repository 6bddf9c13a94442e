package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/sequence"
)

// ErrClosed is the error of a request that came after [Tape.Stop].
var ErrClosed = errors.New("the tape is closed")

// A Config says which cassette a tape is for, and how it matches.
type Config struct {
	Path    string         // the cassette, absolute
	Name    string         // the cassette, as the user named it: for messages
	Options *canon.Options // what matches
	Plain   bool           // no option changes what makes two requests the same

	Repeats canon.Selectors // the requests whose last recording is played again and again
	Frozen  canon.Selectors // the calls that are played in every run

	Fork int // see PlayBeforeFork; from 1

	InOrder bool // concurrent calls are answered in the recorded sequence
	Rounds  bool // what this run records is played when it is asked for again

	Since interaction.Date // for PlayNotOlder: the first day whose recordings are played

	// Snapshots says that snapshots read the tape. So each recording notes the
	// goroutine of its first call, and what this run has recorded stays in
	// memory after Free. Other runs do without: finding the goroutine takes 4
	// to 20 µs, since it unwinds the stack, and a replayed call about 60 µs
	// (BenchmarkTypicalTest).
	Snapshots bool
}

// digest returns the digest of a request as it is matched: requests with one
// digest are equal byte for byte. The host counts unless the user ignores it.
func (c *Config) digest(req *interaction.Request) uint64 {
	plain := *req
	if slices.Contains(c.Options.Ignore, "host") {
		_, afterScheme, _ := strings.Cut(req.URL, "://")
		_, plain.URL, _ = strings.Cut(afterScheme, "/")
	}
	return plain.Digest()
}

// A State is what is known of a cassette before its interactions are read. The
// zero value says that there is no cassette.
type State struct {
	Present bool  // there is one
	Partial bool  // it is marked as not complete
	Pinned  bool  // it is marked as never to be written
	Cut     bool  // there is one, but a part of it is gone
	Edited  []int // the lines of the interactions that were edited

	Accepted bool // it has interactions that were accepted

	// HasAge says that it has interactions with an age. Oldest is the earliest day on which one of
	// these was recorded; "" if one of the days is unknown.
	HasAge bool
	Oldest interaction.Date

	RecordedValues interaction.RecordedValues
}

// A source is where the interactions of a cassette are read from, and how they
// are redacted and matched.
type source struct {
	Config Config
	State  State // of the cassette when the run began

	policy *redact.Policy
	stored *cassette.Index    // the cassette; nil if there is none
	order  *sequence.Sequence // the recorded sequence; nil if no calls overlapped

	// Healed is how much was left out of a cassette that has a merge conflict;
	// nil if it has none.
	Healed *int

	unread atomic.Pointer[error] // the first reason why an interaction could not be read
	peeked atomic.Int64          // the length of the forms that Peek has made
}

// Open opens the cassette and says in State what it is. It is not an error if
// there is none. With heal, a cassette with a merge conflict has the recordings
// of both sides.
func (s *source) Open(heal bool) error {
	// The match key of a sealed recording is not its key in this run if its
	// text has a known secret, since secrets are replaced before a request is
	// matched.
	isBelievable := func(text []byte) bool { return !s.policy.MayContain(text) }
	f, err := cassette.Open(s.Config.Path, canon.Revision, isBelievable)
	if err != nil && heal {
		healed, left, ok := cassette.LoadConflicted(s.Config.Path)
		if ok {
			f, err = healed, nil
			s.Healed = &left
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		s.State.Cut = isCut(err)
		return s.relative(err)
	}

	s.stored = f
	s.State = State{
		Present:        true,
		Partial:        f.Partial,
		Pinned:         f.Pinned,
		Edited:         f.Edited(),
		RecordedValues: f.RecordedValues,
	}
	for i := range f.Len() {
		outline := f.Outline(i)
		if outline.Accepted {
			s.State.Accepted = true
		}
		if outline.HasAge() {
			s.State.addDay(outline.Recorded)
		}
	}
	return nil
}

// addDay adds the day on which an interaction with an age was recorded.
func (s *State) addDay(day interaction.Date) {
	if !s.HasAge || day < s.Oldest {
		s.Oldest = day
	}
	s.HasAge = true
}

// HasOlderThan reports whether the cassette has a recording from before a day, or from an unknown
// one.
func (s *State) HasOlderThan(day interaction.Date) bool { return s.HasAge && s.Oldest < day }

// isCut reports whether an error says that a part of a file is gone.
func isCut(err error) bool {
	var syntax *cassette.SyntaxError
	return errors.As(err, &syntax) && syntax.Incomplete
}

// Failed returns the path of the file in which a run that did not pass leaves
// what it recorded.
func (s *source) Failed() string { return cassette.PathWithSuffix(s.Config.Path, FailedSuffix) }

// FailedAssets returns the folders with the assets of [source.Failed] and of
// the cassette, if the first one is there.
func (s *source) FailedAssets() (failed, own string, ok bool) {
	failed = cassette.Assets(s.Failed())
	own = cassette.Assets(s.Config.Path)
	_, err := os.Lstat(failed)
	return failed, own, err == nil
}

// Unreadable returns the first reason why an interaction that was needed could
// not be read, or nil if all could be read.
func (s *source) Unreadable() error {
	if err := s.unread.Load(); err != nil {
		return *err
	}
	return nil
}

// unreadable keeps the first error of reading an interaction that is needed,
// and returns it with the file named as the user named it.
func (s *source) unreadable(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return ErrClosed
	}
	err = s.relative(err)
	s.unread.CompareAndSwap(nil, &err)
	return err
}

// redactNew replaces the secrets that have become known since a request was
// redacted. A request that cannot be searched to its end has a placeholder for
// its body then, and matches nothing, so the error needs no handling.
func (s *source) redactNew(req *interaction.Request) {
	_ = s.policy.RedactNew(req)
}

// relative shortens the absolute path in an error to the name that the user
// gave.
func (s *source) relative(err error) error {
	path := s.Config.Path
	name := s.Config.Name
	var syntax *cassette.SyntaxError
	if errors.As(err, &syntax) {
		syntax.Msg = strings.ReplaceAll(syntax.Msg, syntax.File, name)
		syntax.File = name
		return syntax
	}
	var perr *fs.PathError
	if errors.As(err, &perr) && perr.Path == path {
		return &fs.PathError{Op: perr.Op, Path: name, Err: perr.Err}
	}
	return err
}

// versionOf returns the version of a file: it changes when the file is written.
// It is "" if there is no file.
func versionOf(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano())
}

// sequence returns the recorded sequence of events that this run keeps; nil if
// there is none.
func (s *source) sequence() *sequence.Sequence {
	if !s.Config.InOrder {
		return nil
	}
	return s.order
}
