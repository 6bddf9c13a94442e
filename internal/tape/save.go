package tape

import (
	"fmt"
	"slices"

	"github.com/promptecho/promptecho/internal/cassette"
)

// Overtaken reports whether something else has written the cassette since it was opened,
// or is recording it.
func (t *Tape) Overtaken() bool {
	return t.Journal.isForeign() || t.version != versionOf(t.config.Path)
}

// Save writes recordings to the cassette file at path, called name in errors, unless it
// would hold a known secret. Everything is redacted once more: a secret may have become
// known after it was first seen. The tape must be closed.
func (t *Tape) Save(path, name string, recs []*Recording, partial bool) error {
	draft := cassette.Draft{Partial: partial}
	for i, rec := range recs {
		item := rec.text
		if item == nil || !t.stillClean(rec) {
			var err error
			if item, err = encodeAgain(t.policy, name, rec.Interaction()); err != nil {
				return fmt.Errorf("%w (interaction %d)", err, i+1)
			}
		}
		draft.Items = append(draft.Items, item)
	}
	if err := draft.Save(path); err != nil {
		return t.relative(err)
	}
	return nil
}

// stillClean reports whether the text of a recording holds no secret that has become known
// since it was made.
func (t *Tape) stillClean(rec *Recording) bool {
	return rec.known == t.policy.Known() || len(rec.text.Assets) == 0 && !t.policy.HoldsSince(rec.known, rec.text.Text)
}

// SucceededLater reports whether the request of a recording succeeded when it was sent
// again.
func (t *Tape) SucceededLater(rec *Recording) bool {
	return succeededLater(rec, t.recordings)
}

// Succeeded reports whether a request succeeded in this run; key is that of its form.
func (t *Tape) Succeeded(key string) bool {
	return slices.ContainsFunc(t.recordings, func(rec *Recording) bool {
		return rec.fresh && rec.complete && !rec.Failed() && rec.Form().Key() == key
	})
}

// SucceededBefore returns the recording that is to be replaced of the same request which
// succeeded, nil if there is none.
func (t *Tape) SucceededBefore(rec *Recording) *Recording {
	for _, old := range t.replaced {
		if old.Form().Key() == rec.Form().Key() && !old.Failed() {
			return old
		}
	}
	return nil
}

// NotAskedAgain returns the recordings to be replaced of whose kind none was recorded in
// this run. What was recorded takes the place of what would have answered it: local
// servers have other ports now.
func (t *Tape) NotAskedAgain() (kept []*Recording) {
	old := queues{}
	for _, rec := range t.replaced {
		rec.key = keyOf(rec.Form())
		old.add(rec)
	}
	again := map[requestKey]bool{}
	for _, rec := range t.recordings {
		if q := old[keyOf(rec.Form())]; q != nil {
			if answer, _ := q.take(rec.Form(), true); answer != nil {
				again[answer.requestKey()] = true
			}
		}
	}
	for _, rec := range t.replaced {
		if !again[rec.requestKey()] {
			kept = append(kept, rec)
		}
	}
	return kept
}
