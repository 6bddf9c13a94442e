package tape

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Overtaken reports whether another process has written the cassette since it
// was opened, or is recording it. The tape must be closed.
func (t *Tape) Overtaken() bool {
	return t.Journal.isForeign || t.version != versionOf(t.Config.Path)
}

// Save writes recordings, and what they give their test, to the cassette file
// at path, which errors call name, unless the file would contain a known
// secret. Everything is redacted again, because a secret may have become known
// after it was first seen. The tape must be closed.
func (t *Tape) Save(
	path, name string, given interaction.Given, recs []*Recording, partial bool,
) error {
	head, err := encodeGiven(t.policy, name, given)
	if err != nil {
		return err
	}
	contents := cassette.Contents{
		Partial: partial,
		Given:   head,
		New:     t.version == "" && path == t.Config.Path,
	}
	for i, rec := range recs {
		item, err := t.encoded(rec, name)
		if err != nil {
			return fmt.Errorf("%w (interaction %d)", err, i+1)
		}
		contents.Items = append(contents.Items, item)
	}
	if err := contents.Save(path); err != nil {
		return t.relative(err)
	}
	return nil
}

// encoded returns the text of a recording, which has no known secret.
func (t *Tape) encoded(rec *Recording, name string) (*cassette.Encoded, error) {
	isEncoded := rec.live != nil && rec.live.encoded != nil
	if isEncoded && t.isStillClean(rec.live) {
		return rec.live.encoded, nil
	}
	return t.encodeAgain(rec, name)
}

// isStillClean reports whether the text of a recording has no secret that has
// become known since it was encoded.
func (t *Tape) isStillClean(live *live) bool {
	if live.knownSecrets == t.policy.Count() {
		return true
	}
	hasAssets := len(live.encoded.Assets) > 0 // these would have to be searched, too
	return !hasAssets && !t.policy.MayContain(live.encoded.Text)
}

// SucceededLater returns the recordings whose request succeeded when it was
// sent again.
func (t *Tape) SucceededLater() map[*Recording]bool { return succeededLater(t.recordings) }

// FollowsPlayed reports whether a recording was asked for after one of the
// cassette was played.
func (t *Tape) FollowsPlayed(rec *Recording) bool {
	return slices.ContainsFunc(t.recordings, func(other *Recording) bool {
		call := other.run.firstCall
		return !other.Fresh() && 0 < call && call < rec.run.firstCall
	})
}

// WrittenBefore returns a played recording of a request that wrote something to
// the local server of rec; nil if there is none. This run asked for it before
// it asked for rec.
//
// The server has another port than when the write was recorded, so it is a new
// process. It lacks what was written, since the write was played and not sent.
func (t *Tape) WrittenBefore(rec *Recording) *Recording {
	form := rec.Form()
	if !form.Local || form.Known {
		return nil
	}
	for _, other := range t.recordings {
		wasPlayed := !other.Fresh() && other.run.firstCall > 0
		wasBefore := other.run.firstCall <= rec.run.firstCall
		if !wasPlayed || !wasBefore {
			continue
		}
		if other.originInThisRun() != form.Origin {
			continue
		}
		isSameProcess := other.Form().Origin == form.Origin
		if !isSameProcess && isWrite(other.Head()) {
			return other
		}
	}
	return nil
}

// isWrite reports whether a request wrote something to its server.
func isWrite(it *interaction.Interaction) bool {
	method := it.Request.Method
	if method == http.MethodPut || method == http.MethodPatch {
		return true
	}
	if it.Response.Status == http.StatusCreated {
		return true
	}
	path, _, _ := strings.Cut(it.Request.URL, "?")
	last := path[strings.LastIndexByte(path, '/')+1:]
	return method == http.MethodPost && slices.Contains(writePaths, last)
}

// writePaths are the last segments of the paths by which stores of vectors and
// documents are sent what they keep.
var writePaths = []string{
	"points", "upsert", "insert", "add", "_bulk", "documents", "vectors", "memories",
}

// Succeeded reports whether a request succeeded in this run; key is that of its
// form.
func (t *Tape) Succeeded(key string) bool {
	return slices.ContainsFunc(t.recordings, func(rec *Recording) bool {
		hasSucceeded := rec.Fresh() && rec.Complete() && !rec.Failed()
		return hasSucceeded && rec.Form().Key() == key
	})
}
