package promptecho

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
)

// A journal keeps what a run has recorded so far in a file beside the cassette,
// so that a process that is killed loses nothing that was paid for: the next run
// that records resumes from it. It has the format of a cassette; each interaction
// is appended when it is settled, before its client sees the end of the answer.
type journal struct {
	redact *redact.Policy

	mu      sync.Mutex
	file    cassette.Journal
	items   []*cassette.Interaction // that are in the file
	known   int                     // credentials that were known when they were written
	closed  bool
	foreign bool // another process has a journal there
}

// journalSuffix is added to the name of the cassette.
const journalSuffix = ".partial"

// append adds an interaction; item is its text.
func (j *journal) append(it *cassette.Interaction, item *cassette.Item) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.foreign {
		return
	}
	first := len(j.items) == 0
	if !first && j.redact.Known() != j.known {
		// A credential has become known that may stand in what was written.
		j.items = append(j.items, clone(it))
		j.rewrite()
		return
	}
	switch err := j.file.Append(item, first); {
	case err == nil:
		j.known = j.redact.Known()
		j.items = append(j.items, clone(it))
	case first && os.IsExist(err):
		j.foreign = true
	}
}

// rewrite cleans everything once more and writes the file anew.
func (j *journal) rewrite() {
	j.file.Close()
	j.known = j.redact.Known()
	for _, it := range j.items {
		j.redact.Interaction(it)
	}
	_ = cassette.Save(j.file.Path, &cassette.File{Partial: true, Interactions: j.items})
}

// isForeign reports whether another process has a journal there.
func (j *journal) isForeign() bool {
	if j == nil {
		return false
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.foreign
}

// close ends the journal; what is settled later is not in it.
func (j *journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	j.file.Close() // an error shows in what the next run finds
}

// remove deletes the journal when what it has is in the cassette.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.items) == 0 || j.foreign {
		return nil
	}
	return cassette.Remove(j.file.Path)
}

// clone copies what cleaning changes in place.
func clone(it *cassette.Interaction) *cassette.Interaction {
	c := *it
	c.Response.Events = make([]cassette.Event, len(it.Response.Events))
	for i, e := range it.Response.Events {
		c.Response.Events[i] = slices.Clone(e)
	}
	return &c
}

// resume puts on the tape what a run that was killed has left, and goes on with
// its journal. Failures that no retry overcame are asked for again.
func (r *Recorder) resume() error {
	path := r.path + journalSuffix
	r.journal = &journal{redact: &r.redact, file: cassette.Journal{Path: path}}
	f, err := cassette.LoadJournal(path)
	if err != nil {
		return fmt.Errorf("promptecho: %s%s, which a recording that was killed has left, cannot be read: %w. Delete it to record without it", r.file, journalSuffix, err)
	}
	if f == nil || len(f.Interactions) == 0 {
		return cassette.Remove(path) // killed while it was created
	}
	var slots []*slot
	for _, it := range f.Interactions {
		req := r.asked(it, false)
		form := r.cfg.rules.Form(&req)
		r.noteSelected(form)
		slots = append(slots, &slot{in: r, read: it, asked: form, key: keyOf(form), resumed: true})
	}
	left := &tape{slots: slots}
	for _, s := range slots {
		if s.failed() && r.cfg.onRecordError != Keep && !left.overcome(s) {
			continue
		}
		r.tape.add(s)
	}
	r.journal.items = f.Interactions
	r.journal.rewrite() // its end may be torn
	r.notes = append(r.notes, fmt.Sprintf("%s: resumed a recording that was killed: %s from %[1]s%s", r.file, plural(len(slots), "interaction"), journalSuffix))
	return nil
}

// A stamp tells whether a file is still the one that was read.
type stamp struct {
	there bool
	info  fs.FileInfo
}

func stampOf(path string) stamp {
	info, err := os.Stat(path)
	return stamp{err == nil, info}
}

func (s stamp) same(o stamp) bool {
	if s.there != o.there {
		return false
	}
	return !s.there || s.info.Size() == o.info.Size() && s.info.ModTime().Equal(o.info.ModTime())
}
