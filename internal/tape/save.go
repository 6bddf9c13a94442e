package tape

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// FailedSuffix is added to the name of a cassette for what a run recorded that must not
// replace it. Nothing reads that file.
const FailedSuffix = ".failed"

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
	return rec.known == t.policy.Count() || len(rec.text.Assets) == 0 && !t.policy.MayContainAny(rec.text.Text)
}

// encodeOnce puts an interaction that was just recorded and redacted into the journal,
// and returns its text and how many secrets were known when it was made. The text is nil
// if it cannot be written: Save finds out why; and if this run saves nothing.
func (t *Tape) encodeOnce(it *interaction.Interaction) (item *cassette.Item, known int) {
	if t.Journal == nil {
		return nil, 0
	}
	known = t.policy.Count()
	item, err := encode(t.policy, t.config.Name, it)
	if err != nil {
		return nil, 0
	}
	t.Journal.add(it, item, known)
	return item, known
}

// encodeAgain redacts an interaction once more and returns its text, unless that would
// hold a known secret; name is that of the file. The match key, which is that of the
// request itself whatever options this run has, and the text for the reader are made
// again.
func encodeAgain(policy *redact.Policy, name string, it *interaction.Interaction) (*cassette.Item, error) {
	policy.Interaction(it)
	form := (&canon.Options{}).Form(&it.Request)
	it.MatchKey, it.Response.Text = form.Key(), form.Read(canon.Payloads(&it.Response)).Text
	return encode(policy, name, it)
}

// encode returns the text of a redacted interaction, unless it would hold a known secret.
func encode(policy *redact.Policy, name string, it *interaction.Interaction) (*cassette.Item, error) {
	if err := policy.CheckInteraction(name, it); err != nil {
		return nil, err
	}
	item, err := cassette.FormatItem(it, canon.Revision)
	if err != nil {
		return nil, fmt.Errorf("%s: not saved: %w", name, err)
	}
	if err := policy.Check(fmt.Sprintf("%s: %s %s", name, it.Request.Method, it.Request.URL), item.Text); err != nil {
		return nil, err
	}
	for asset, data := range item.Assets {
		if err := policy.Check(name+": asset "+asset, data); err != nil {
			return nil, err
		}
	}
	return item, nil
}
