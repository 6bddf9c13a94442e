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
	path   string
	redact *redact.Policy

	mu      sync.Mutex
	items   []*cassette.Interaction // that are in the file
	known   int                     // credentials that were known when they were written
	written redact.Written          // their texts
	closed  bool
	foreign bool // another process has a journal there
}

// journalSuffix is added to the name of the cassette.
const journalSuffix = ".partial"

// append adds an interaction; item is its text, made when so many credentials were
// known. If another is by now, and may stand in the text or in what was written,
// everything is written anew.
func (j *journal) append(it *cassette.Interaction, item *cassette.Item, known int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.foreign {
		return
	}
	first := len(j.items) == 0
	if first {
		if _, err := os.Lstat(j.path); err == nil {
			j.foreign = true
			return
		}
	}
	now := j.redact.Known()
	if known != now && j.redact.HoldsSince(known, item.Text) || j.written.MayHold(j.redact, j.known) {
		j.items = append(j.items, clone(it))
		j.rewrite()
		return
	}
	switch err := cassette.Append(j.path, item, first); {
	case err == nil:
		j.known = now
		j.written.Add(item.Text)
		j.items = append(j.items, clone(it))
	case first && os.IsExist(err):
		j.foreign = true
	}
}

// rewrite cleans everything once more and writes the file anew, but for what cannot
// be cleaned.
func (j *journal) rewrite() {
	j.known = j.redact.Known()
	var clean []*cassette.Interaction
	for _, it := range j.items {
		if j.redact.Interaction(it); j.redact.CheckInteraction("journal", it) == nil {
			clean = append(clean, it)
		}
	}
	_ = cassette.Save(j.path, &cassette.File{Partial: true, Interactions: clean})
	text, _ := os.ReadFile(j.path)
	j.written = redact.Written{}
	j.written.Add(text)
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
	return cassette.Remove(j.path)
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
	r.journal = &journal{path: path, redact: &r.redact}
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
