package tape

import (
	"maps"
	"os"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// JournalSuffix is added to the name of a cassette to make the name of its journal.
const JournalSuffix = ".partial"

// FailedSuffix is added to the name of a cassette to make the name of a file for what a
// run recorded that must not replace the cassette. Nothing reads that file.
const FailedSuffix = ".failed"

// A Journal keeps what a run has recorded so far in a file beside the cassette, so that a
// process that is killed loses nothing that was paid for: the next run that records
// resumes from it. Each interaction is added when it is settled, before its client sees
// the end of the answer. The lock is held while the file is written. The only locks that
// are taken under it are those of what redacts and encodes.
type Journal struct {
	Path string // the file

	policy *redact.Policy

	mu      sync.Mutex
	given   interaction.Given   // what is in the file once there is one, or should be
	items   []*cassette.Encoded // the same; what they are made of takes more memory
	windows []*redact.Windows   // of the items up to one; made if a secret becomes known
	values  []byte              // the texts of what the run gave its test, as far as they are in the file
	known   int                 // how many secrets were known when it was last found to hold none
	made    bool                // the file is there
	behind  bool                // something could not be written
	closed  bool
	foreign bool // another process has a journal there
}

// add adds the text of an interaction; known is how many secrets were known
// when that was made. If another one has become known since, and may stand in the text or
// in what was written, the whole file is written again. It is also written again after a
// write that failed. It does nothing if there is no text.
func (j *Journal) add(item *cassette.Encoded, known int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if item == nil || j.closed || j.foreign {
		return
	}
	if !j.made {
		if _, err := os.Lstat(j.Path); err == nil {
			j.foreign = true
			return
		}
	}
	j.items = append(j.items, item)
	now := j.policy.Count()
	unclean := known != now && j.policy.MayContain(item.Text)
	if unclean || len(j.items) > 1 && (j.behind || j.known != now && j.isUnclean()) {
		var all []*interaction.Interaction
		for _, item := range j.items {
			if it, err := item.Interaction(); err == nil {
				all = append(all, it)
			}
		}
		if j.rewrite(all); !j.behind || unclean {
			return
		}
	}
	var given []byte
	if !j.made {
		given = j.encodeGiven()
	}
	switch err := cassette.Append(j.Path, given, item, !j.made); {
	case err == nil:
		j.made, j.known = true, now
		j.values = append(j.values, given...)
	case !j.made && os.IsExist(err):
		j.foreign = true
	default:
		j.behind = true
	}
}

// Give keeps what the run has given its test so far. If there is no file yet, it is
// written with the first interaction.
func (j *Journal) Give(g interaction.Given) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.given = g.Or(j.given)
	if !j.made || j.closed || j.foreign {
		return
	}
	text := j.encodeGiven()
	if err := cassette.Append(j.Path, text, nil, false); err != nil {
		j.behind = true
	}
	j.values = append(j.values, text...)
}

// Given returns what the file gives a test: what this run has given, and what a killed
// run has left.
func (j *Journal) Given() interaction.Given {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.given
}

// encodeGiven returns the text of what is given, without the variables that must not be
// written. There is none if it must not be written as a whole. The caller holds the lock.
func (j *Journal) encodeGiven() []byte {
	g := j.given.Or(interaction.Given{})
	maps.DeleteFunc(g.Env, func(name, value string) bool { return j.policy.CheckVariable(name, value) != nil })
	text, err := encodeGiven(j.policy, j.Path, g)
	if err != nil {
		return nil
	}
	return text
}

// goOn takes over what a run that was killed has left in the file, without what is torn.
func (j *Journal) goOn(left *cassette.File) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.given, j.made = left.Given, true
	j.rewrite(left.Interactions)
}

// rewrite redacts all interactions again and writes the file again, leaving out what cannot be
// redacted. The caller holds the lock.
func (j *Journal) rewrite(all []*interaction.Interaction) {
	known := j.policy.Count()
	j.items, j.windows = nil, nil
	for _, it := range all {
		if item, err := Encode(j.policy, j.Path, it); err == nil {
			j.items = append(j.items, item)
		}
	}
	j.values = j.encodeGiven()
	err := cassette.SaveJournal(j.Path, j.values, j.items)
	j.made, j.behind = j.made || err == nil, err != nil
	if err == nil {
		j.known = known
	}
}

// isUnclean reports whether what was written, or is about to be, may hold a secret that has
// become known since it was last found to hold none. A program may have a new credential for
// each call, so what is written is decoded once, not once for each of them. The caller holds the
// lock.
func (j *Journal) isUnclean() bool {
	for _, item := range j.items[len(j.windows):] {
		j.windows = append(j.windows, redact.WindowsOf(item.Text))
	}
	texts := j.policy.NewTexts(j.known)
	for i, w := range j.windows {
		if w.MayHaveAny(texts) && j.policy.MayContain(j.items[i].Text) {
			return true
		}
	}
	return j.policy.MayContain(j.values)
}

// close ends the journal; what is settled later is not in it.
func (j *Journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed, j.items, j.windows = true, nil, nil
}

// Remove deletes the journal once everything in it is in a saved file.
func (j *Journal) Remove() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.made || j.foreign {
		return nil
	}
	return cassette.Remove(j.Path)
}
