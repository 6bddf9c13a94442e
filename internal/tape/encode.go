package tape

import (
	"fmt"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/said"
)

// encodeAgain redacts an interaction once more and returns its text, unless that would
// hold a known secret; name is the name of the file. It also makes the match key and the
// text for the reader again.
func encodeAgain(policy *redact.Policy, name string, it *interaction.Interaction) (*cassette.Encoded, error) {
	policy.Interaction(it)
	form := formOf(it)
	it.MatchKey, it.Response.Text = form.Key(), said.Read(form, &it.Response).Transcript
	return encode(policy, name, it)
}

// formOf returns the form whose key is the match key of an interaction: that of the
// request itself, no matter what options this run has.
func formOf(it *interaction.Interaction) *canon.Form { return (&canon.Options{}).Form(&it.Request) }

// encode returns the text of a redacted interaction, unless it would hold a known secret.
func encode(policy *redact.Policy, name string, it *interaction.Interaction) (*cassette.Encoded, error) {
	if err := policy.CheckInteraction(name, it); err != nil {
		return nil, err
	}
	item, err := cassette.Encode(it, canon.Revision)
	if err != nil {
		return nil, fmt.Errorf("%s: not saved: %w", name, err)
	}
	if err := policy.Check(name+": "+it.Request.String(), item.Text); err != nil {
		return nil, err
	}
	for asset, data := range item.Assets {
		if err := policy.Check(name+": asset "+asset, data); err != nil {
			return nil, err
		}
	}
	return item, nil
}
