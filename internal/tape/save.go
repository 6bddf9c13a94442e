package tape

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
)

// Overtaken reports whether something else has written the cassette since it was opened,
// or is recording it. The tape must be closed.
func (t *Tape) Overtaken() bool {
	return t.Journal.foreign || t.version != versionOf(t.Config.Path)
}

// Save writes recordings, and what they give their test, to the cassette file at path,
// which errors call name, unless the file would contain a known secret. Everything is redacted
// once more, because a secret may have become known after it was first seen. The tape must
// be closed.
func (t *Tape) Save(path, name string, given interaction.Given, recs []*Recording, partial bool) error {
	head, err := encodeGiven(t.policy, name, given)
	if err != nil {
		return err
	}
	contents := cassette.Contents{Partial: partial, Given: head, New: t.version == "" && path == t.Config.Path}
	for i, rec := range recs {
		item := rec.text
		if item == nil || !t.stillClean(rec) {
			var err error
			if item, err = t.encodeAgain(rec, name); err != nil {
				return fmt.Errorf("%w (interaction %d)", err, i+1)
			}
		}
		contents.Items = append(contents.Items, item)
	}
	if err := contents.Save(path); err != nil {
		return t.relative(err)
	}
	return nil
}

// stillClean reports whether the text of a recording holds no secret that has become known
// since it was made.
func (t *Tape) stillClean(rec *Recording) bool {
	return rec.known == t.policy.Count() || len(rec.text.Assets) == 0 && !t.policy.MayContain(rec.text.Text)
}

// SucceededLater returns the recordings whose request succeeded when it was sent again.
func (t *Tape) SucceededLater() map[*Recording]bool { return succeededLater(t.recordings) }

// FollowsPlayed reports whether a recording was asked for after one of the cassette was
// played.
func (t *Tape) FollowsPlayed(rec *Recording) bool {
	return slices.ContainsFunc(t.recordings, func(o *Recording) bool { return !o.fresh && 0 < o.asked && o.asked < rec.asked })
}

// WrittenBefore returns a recording that was played before another one was made, of a request that wrote something to
// the same local server; nil if there is none. That server is at another port than when it was recorded, so it was
// started anew, and lacks what was written.
func (t *Tape) WrittenBefore(rec *Recording) *Recording {
	form := rec.Form()
	if !form.Local || form.Known {
		return nil
	}
	wrote := func(o *Recording) bool {
		if o.fresh || o.asked == 0 || o.asked > rec.asked || o.askedAt() != form.Origin || o.Form().Origin == form.Origin {
			return false
		}
		it := o.Head()
		path, _, _ := strings.Cut(it.Request.URL, "?")
		method := it.Request.Method
		return method == http.MethodPut || method == http.MethodPatch || it.Response.Status == http.StatusCreated ||
			method == http.MethodPost && slices.Contains(writing, path[strings.LastIndexByte(path, '/')+1:])
	}
	if i := slices.IndexFunc(t.recordings, wrote); i >= 0 {
		return t.recordings[i]
	}
	return nil
}

// writing are how the paths end to which stores of vectors and documents are sent what they keep.
var writing = strings.Fields("points upsert insert add _bulk documents vectors memories")

// Succeeded reports whether a request succeeded in this run; key is that of its form.
func (t *Tape) Succeeded(key string) bool {
	return slices.ContainsFunc(t.recordings, func(rec *Recording) bool {
		return rec.fresh && rec.complete && !rec.Failed() && rec.Form().Key() == key
	})
}
