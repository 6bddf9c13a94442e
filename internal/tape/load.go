package tape

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// New returns an empty tape. Of the cassette it knows nothing yet: see [Tape.Open].
func New(config Config, policy *redact.Policy) *Tape {
	return &Tape{
		config: config, policy: policy,
		trusted: config.Plain,
		release: func() {},
		queues:  queues{},
		open:    map[*Recording]bool{},
	}
}

// A State is what is known of a cassette before its interactions are read. The zero value
// is that of none.
type State struct {
	Present bool // there is one
	Partial bool // it is marked as not complete
	Pinned  bool // it is marked as never to be written
	Cut     bool // there is one of which a part is gone
	Edited  int  // the line of the first interaction that was edited, 0 if none was
}

// Open opens the cassette and says in State what it is. It is no error if there is none.
func (t *Tape) Open() error {
	// A key that a seal vouches for is not that of this run if a secret stands in the
	// text, which is replaced before it is matched.
	trust := func(text []byte) bool { return !t.policy.MayContain(text) }
	f, err := cassette.Open(t.config.Path, canon.Revision, trust)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		t.State.Cut = isCut(err)
		return t.relative(err)
	}
	t.stored = f
	t.State = State{Present: true, Partial: f.Partial, Pinned: f.Pinned, Edited: f.Edited()}
	return nil
}

// isCut reports whether an error says that a part of a file is gone.
func isCut(err error) bool {
	var syntax *cassette.SyntaxError
	return errors.As(err, &syntax) && syntax.Cut
}

// Load puts the recordings of the cassette on the tape, to be played, or aside, to be
// replaced. Where seals tell what they answer, nothing of them is read, unless save says
// that this run is about to write the file. If one that is needed cannot be read, the
// error says why, and the tape is as if there were no cassette.
func (t *Tape) Load(play, save bool) error {
	t.records = save
	if t.stored == nil {
		return nil
	}
	list := make([]Recording, t.stored.Len())
	if play {
		t.queues, t.exact = make(queues, len(list)), make(map[uint64]*Recording, len(list))
	}
	for i := range list {
		t.place(&list[i], i, play)
	}
	for i := range list {
		if save {
			list[i].Interaction()
		}
		if save && !t.trusted {
			list[i].Form()
		}
	}
	err := t.Unreadable()
	if save || err != nil {
		t.stored.Close()
	}
	if err != nil {
		t.State = State{Cut: isCut(err)}
		t.stored, t.replaced = nil, nil
		t.unread.Store(nil)
	}
	return err
}

// place puts the recording with a number in the cassette where it belongs.
func (t *Tape) place(rec *Recording, number int, play bool) {
	var digest uint64
	rec.of, rec.number = t, number
	rec.key, digest, rec.sealed = t.stored.Hint(number)
	rec.givenUp = t.stored.GivenUp(number)
	if !play {
		t.replaced = append(t.replaced, rec)
		return
	}
	if rec.sealed && t.trusted {
		rec.digest = digest
	} else {
		rec.key = keyOf(rec.Form())
	}
	t.add(rec)
}

// add puts a recording on the tape, to be played.
func (t *Tape) add(rec *Recording) {
	t.recordings = append(t.recordings, rec)
	t.queues.add(rec)
	if t.exact[rec.digest] == nil && rec.digest != 0 && rec.givenUp != canceled {
		t.exact[rec.digest] = rec
	}
}

// A Leftover is what a run that was killed has left beside the cassette.
type Leftover struct {
	Name     string // of its journal, as the user would name it
	Resumed  int    // how many interactions this run goes on from
	WasSaved bool   // all that it has stands in the cassette
}

// Resume prepares a run that saves. It puts on the tape, to be played once, what a run
// that was killed has left in its journal, and goes on with that. Failures that no retry
// overcame are asked for again, unless keepFailures.
func (t *Tape) Resume(keepFailures bool) (l Leftover, err error) {
	t.version = versionOf(t.config.Path)
	path := cassette.Beside(t.config.Path, JournalSuffix)
	l.Name = cassette.Beside(t.config.Name, JournalSuffix)
	if err := cassette.Prepare(t.config.Path, path, cassette.Beside(t.config.Path, FailedSuffix)); err != nil {
		return l, err
	}
	t.Journal = &Journal{Path: path, policy: t.policy}
	left, stale, err := cassette.LoadJournal(path, t.config.Path)
	if err != nil {
		return l, fmt.Errorf("%s, which a recording that was killed has left, cannot be read: %w. Delete it to record without it", l.Name, err)
	}
	l.Resumed, l.WasSaved = len(left), stale
	if len(left) == 0 {
		return l, cassette.Remove(path) // saved, or killed while it was created
	}
	recs := make([]*Recording, len(left))
	for i, it := range left {
		recs[i] = t.resumed(it)
	}
	for _, rec := range recs {
		if keepFailures || !rec.Failed() || succeededLater(rec, recs) {
			t.add(rec)
		}
	}
	t.Journal.goOn(left)
	return l, nil
}

// resumed returns a recording of a run that was killed.
func (t *Tape) resumed(it *interaction.Interaction) *Recording {
	rec := &Recording{of: t, number: -1, resumed: true, givenUp: it.Response.GivenUp()}
	rec.interaction.Store(it)
	rec.key = keyOf(rec.Form())
	return rec
}

// Unreadable returns why an interaction that was needed could not be read, the first
// time; nil if all could.
func (t *Tape) Unreadable() error {
	if err := t.unread.Load(); err != nil {
		return *err
	}
	return nil
}

// unreadable keeps the first error of reading an interaction that is needed, and
// returns it with the file named as the user named it.
func (t *Tape) unreadable(err error) error {
	if errors.Is(err, fs.ErrClosed) {
		return ErrClosed
	}
	err = t.relative(err)
	t.unread.CompareAndSwap(nil, &err)
	return err
}

// relative shortens the absolute path in an error to the name that the user gave.
func (t *Tape) relative(err error) error {
	path, name := t.config.Path, t.config.Name
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

// A version tells whether a file is still the one that was read.
type version struct {
	size     int64
	modified int64 // Unix time in nanoseconds; 0 if there is no file
}

func versionOf(path string) version {
	info, err := os.Stat(path)
	if err != nil {
		return version{}
	}
	return version{info.Size(), info.ModTime().UnixNano()}
}
