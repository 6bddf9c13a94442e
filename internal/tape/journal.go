package tape

import (
	"maps"
	"os"
	"sync"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// JournalSuffix is added to the name of a cassette to make the name of its
// journal.
const JournalSuffix = ".partial"

// FailedSuffix is added to the name of a cassette to make the name of a file
// for what a run recorded that must not replace the cassette. Nothing reads
// that file.
const FailedSuffix = ".failed"

// A Journal keeps what a run has recorded so far in a file next to the
// cassette. So a process that is killed loses nothing that was paid for: the
// next run that records resumes from the journal. Each interaction is added
// when it is complete, before its client sees the end of the response.
//
// The zero Journal keeps nothing.
type Journal struct {
	Path string // the file

	policy *redact.Policy // nil if this run saves nothing

	// The lock is held while the file is written, so that the file has the
	// interactions in the order of items. See [Tape] for the locks of the
	// package.
	mu sync.Mutex

	// What the file has, or should have. The encoded interactions take less
	// memory than the interactions.
	given interaction.Given
	items []*cassette.Encoded

	values  []byte            // the encoded texts of given that are in the file
	windows []*redact.Windows // of the first items; made if a secret becomes known

	// checkedSecrets is how many secrets were known when the file was last found
	// to have none of them.
	checkedSecrets int

	isCreated    bool // the file is there
	isIncomplete bool // the file lacks an interaction that could not be written
	isClosed     bool
	isForeign    bool // another process has a journal there
}

// start says where the journal is. It is not created before the first
// interaction.
func (j *Journal) start(path string, policy *redact.Policy) {
	j.Path = path
	j.policy = policy
}

// isStarted reports whether this run keeps a journal.
func (j *Journal) isStarted() bool { return j.policy != nil }

// add adds the text of an interaction, unless the text is nil; knownThen is how
// many secrets were known when the text was made.
//
// The whole file is written again if another secret has become known since and
// may stand in the text or in the file, or if an earlier write has failed.
func (j *Journal) add(item *cassette.Encoded, knownThen int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if item == nil || j.isClosed || j.isForeign {
		return
	}
	if !j.isCreated {
		_, err := os.Lstat(j.Path)
		if err == nil {
			j.isForeign = true
			return
		}
	}
	j.items = append(j.items, item)

	knownNow := j.policy.Count()
	itemMayHaveSecret := knownThen != knownNow && j.policy.MayContain(item.Text)
	if itemMayHaveSecret || j.mustRewrite(knownNow) {
		j.rewrite(j.interactions())
		if itemMayHaveSecret || !j.isIncomplete {
			return
		}
		// The file could not be written as a whole. Append this one at least.
	}
	j.append(item, knownNow)
}

// mustRewrite reports whether the file has to be written again, whatever the
// last item is. The caller holds the lock.
func (j *Journal) mustRewrite(knownNow int) bool {
	if len(j.items) < 2 {
		return false
	}
	return j.isIncomplete || j.checkedSecrets != knownNow && j.mayHaveNewSecret()
}

// append writes an item at the end of the file, and makes the file if there is
// none. knownNow is how many secrets are known. The caller holds the lock.
func (j *Journal) append(item *cassette.Encoded, knownNow int) {
	var given []byte
	if !j.isCreated {
		given = j.encodeGiven()
	}
	err := cassette.Append(j.Path, given, item, !j.isCreated)
	switch {
	case err == nil:
		j.isCreated = true
		j.checkedSecrets = knownNow
		j.values = append(j.values, given...)
	case !j.isCreated && os.IsExist(err): // another process has just made it
		j.isForeign = true
	default:
		j.isIncomplete = true
	}
}

// interactions decodes the items of the journal. It leaves out an item that
// cannot be decoded. The caller holds the lock.
func (j *Journal) interactions() []*interaction.Interaction {
	var all []*interaction.Interaction
	for _, item := range j.items {
		it, err := item.Interaction()
		if err == nil {
			all = append(all, it)
		}
	}
	return all
}

// Give adds recorded values that the test has read. If there is no file yet,
// they are written with the first interaction.
func (j *Journal) Give(g interaction.Given) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.given = g.Or(j.given)
	if !j.isCreated || j.isClosed || j.isForeign {
		return
	}

	text := j.encodeGiven()
	err := cassette.Append(j.Path, text, nil, false)
	if err != nil {
		j.isIncomplete = true
	}
	j.values = append(j.values, text...)
}

// Given returns the recorded values: those of this run, and those that a killed
// run has left in the file.
func (j *Journal) Given() interaction.Given {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.given
}

// encodeGiven returns the text of the recorded values, without the variables
// that may be credentials; nil if nothing may be written. The caller holds the
// lock.
func (j *Journal) encodeGiven() []byte {
	g := j.given.Or(interaction.Given{})
	maps.DeleteFunc(g.Env, func(name, value string) bool {
		return j.policy.CheckVariable(name, value) != nil
	})
	text, err := encodeGiven(j.policy, j.Path, g)
	if err != nil {
		return nil
	}
	return text
}

// resume takes over what a killed run has left in the file, without an
// interaction that was not written to its end.
func (j *Journal) resume(left *cassette.File) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.given = left.Given
	j.isCreated = true
	j.rewrite(left.Interactions)
}

// rewrite redacts all interactions again and writes the file again, without
// those that cannot be redacted. The caller holds the lock.
func (j *Journal) rewrite(all []*interaction.Interaction) {
	knownNow := j.policy.Count()
	j.items = nil
	j.windows = nil
	for _, it := range all {
		item, err := Encode(j.policy, j.Path, it)
		if err == nil {
			j.items = append(j.items, item)
		}
	}
	j.values = j.encodeGiven()

	err := cassette.SaveJournal(j.Path, j.values, j.items)
	j.isIncomplete = err != nil
	if err == nil {
		j.isCreated = true
		j.checkedSecrets = knownNow
	}
}

// mayHaveNewSecret reports whether the file, or an item that is about to be
// written, may have a secret that has become known since the file was last found
// to have none. A program may have a new credential for each call, so items are
// decoded once, and not once for each credential. The caller holds the lock.
func (j *Journal) mayHaveNewSecret() bool {
	for _, item := range j.items[len(j.windows):] {
		j.windows = append(j.windows, redact.WindowsOf(item.Text))
	}
	texts := j.policy.NewTexts(j.checkedSecrets)
	for i, w := range j.windows {
		if w.MayHaveAny(texts) && j.policy.MayContain(j.items[i].Text) {
			return true
		}
	}
	return j.policy.MayContain(j.values)
}

// close ends the journal: what is added later is not in it.
func (j *Journal) close() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.isClosed = true
	j.items = nil
	j.windows = nil
}

// Remove deletes the journal once everything in it is in a saved file.
func (j *Journal) Remove() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.isCreated || j.isForeign {
		return nil
	}
	return cassette.Remove(j.Path)
}
