package promptecho

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/report"
)

// A journal keeps what a run has recorded so far in a file beside the cassette,
// so that a process that is killed loses nothing that was paid for: the next run
// that records resumes from it. Each interaction is appended when it is settled,
// before its client sees the end of the answer.
type journal struct {
	path   string
	redact *redact.Policy

	mu      sync.Mutex
	items   []*interaction.Interaction // that are in the file, or should be
	known   int                        // credentials that were known when they were written
	made    bool                       // the file is there
	behind  bool                       // something could not be written
	written redact.Written             // their texts
	closed  bool
	foreign bool // another process has a journal there
}

// journalSuffix is added to the name of the cassette.
const journalSuffix = ".partial"

// append adds an interaction; item is its text, made when so many credentials were
// known. If another is by now, and may stand in the text or in what was written,
// everything is written anew; so it is after a write that failed.
func (j *journal) append(it *interaction.Interaction, item *cassette.Item, known int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closed || j.foreign {
		return
	}
	if !j.made {
		if _, err := os.Lstat(j.path); err == nil {
			j.foreign = true
			return
		}
	}
	j.items = append(j.items, clone(it))
	now := j.redact.Known()
	unclean := known != now && j.redact.HoldsSince(known, item.Text)
	if unclean || len(j.items) > 1 && (j.behind || j.written.MayHold(j.redact, j.known)) {
		if j.rewrite(); !j.behind || unclean {
			return
		}
	}
	switch err := cassette.Append(j.path, item, !j.made); {
	case err == nil:
		j.made, j.known = true, now
		j.written.Add(item.Text)
	case !j.made && os.IsExist(err):
		j.foreign = true
	default:
		j.behind = true
	}
}

// rewrite cleans everything once more and writes the file anew, but for what cannot
// be cleaned.
func (j *journal) rewrite() {
	known := j.redact.Known()
	var clean []*cassette.Item
	for _, it := range j.items {
		j.redact.Interaction(it)
		derive(it)
		if j.redact.CheckInteraction("journal", it) != nil {
			continue
		}
		if item, err := cassette.FormatItem(it, canon.Revision); err == nil {
			clean = append(clean, item)
		}
	}
	err := cassette.SaveJournal(j.path, clean)
	j.made, j.behind = j.made || err == nil, err != nil
	if err != nil {
		return
	}
	j.known, j.written = known, redact.Written{}
	for _, item := range clean {
		j.written.Add(item.Text)
	}
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
	j.closed, j.items = true, nil
}

// remove deletes the journal when what it has is in the cassette.
func (j *journal) remove() error {
	if j == nil {
		return nil
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.made || j.foreign {
		return nil
	}
	return cassette.Remove(j.path)
}

// clone copies what cleaning changes in place.
func clone(it *interaction.Interaction) *interaction.Interaction {
	c := *it
	c.Response.Events = make([]interaction.Event, len(it.Response.Events))
	for i, e := range it.Response.Events {
		c.Response.Events[i] = slices.Clone(e)
	}
	return &c
}

// resume puts on the tape what a run that was killed has left, and goes on with
// its journal. Failures that no retry overcame are asked for again.
func (r *Recorder) resume() error {
	path, file := cassette.Beside(r.path, journalSuffix), cassette.Beside(r.file, journalSuffix)
	if err := cassette.Prepare(r.path, path, cassette.Beside(r.path, failedSuffix)); err != nil {
		return fmt.Errorf("promptecho: %w", err)
	}
	r.journal = &journal{path: path, redact: &r.redact}
	left, stale, err := cassette.LoadJournal(path, r.path)
	if err != nil {
		return fmt.Errorf("promptecho: %s, which a recording that was killed has left, cannot be read: %w. Delete it to record without it", file, err)
	}
	if stale {
		r.log.Notef("%s: removed %s: the recording that left it was saved", r.file, file)
	}
	if len(left) == 0 {
		return cassette.Remove(path) // saved, or killed while it was created
	}
	var slots []*slot
	for _, it := range left {
		req := r.asked(it, false)
		form := r.cfg.rules.Form(&req)
		r.log.Selected(form)
		slots = append(slots, &slot{in: r, read: it, asked: form, key: keyOf(form), resumed: true, givenUp: givenUp(it)})
	}
	tape := &tape{slots: slots}
	for _, s := range slots {
		if s.failed() && r.cfg.onRecordError != Keep && !tape.overcome(s) {
			continue
		}
		r.tape.add(s)
	}
	r.journal.items, r.journal.made = left, true
	r.journal.rewrite() // without what is torn
	r.log.Notef("%s: resumed a recording that was killed: %s from %s", r.file, report.Count(len(slots), "interaction"), file)
	return nil
}

// givenUp returns why the request of an interaction was given up, "" if it was not.
func givenUp(it *interaction.Interaction) string {
	if it.Response.End != interaction.EndCanceled {
		return ""
	}
	return it.Response.Error
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
