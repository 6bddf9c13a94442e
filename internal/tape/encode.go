package tape

import (
	"maps"
	"slices"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/canon/said"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// Encode redacts an interaction and returns its text, unless that would have a
// known secret; name is the name of the file. It also sets the match key and
// the text for the reader. In an interaction that is redacted already, only
// secrets that have become known since are replaced.
func Encode(
	policy *redact.Policy, name string, it *interaction.Interaction,
) (*cassette.Encoded, error) {
	result := policy.Interaction(it)
	form := formOf(it)
	it.MatchKey = form.Key()
	it.Response.Text = said.Read(form, &it.Response).Transcript
	return encode(policy, name, it, result)
}

// formOf returns the form whose key is the match key of an interaction: that of
// the request itself, whatever options this run has.
func formOf(it *interaction.Interaction) *canon.Form {
	return (&canon.Options{}).Form(&it.Request)
}

// encodeGiven returns the text of the recorded values, which stands at the top
// of a cassette, unless it would have a credential. name is the name of the
// file, for errors.
func encodeGiven(policy *redact.Policy, name string, g interaction.Given) ([]byte, error) {
	for _, variable := range slices.Sorted(maps.Keys(g.Env)) {
		if err := policy.CheckVariable(variable, g.Env[variable]); err != nil {
			return nil, finding.Errorf(finding.NotSaved, name, "env %s: %w: nothing was written", variable, err)
		}
	}
	text, err := cassette.EncodeGiven(&g)
	if err != nil {
		return nil, finding.Errorf(finding.NotSaved, name, "not saved: %w", err)
	}
	return text, policy.Check(name+": its top", text)
}

// encode returns the text of a redacted interaction, unless it would have a
// known secret.
func encode(
	policy *redact.Policy, name string, it *interaction.Interaction, result redact.Result,
) (*cassette.Encoded, error) {
	if err := policy.CheckInteraction(name, it, result); err != nil {
		return nil, err
	}
	item, err := cassette.Encode(it, canon.Revision)
	if err != nil {
		return nil, finding.Errorf(finding.NotSaved, name, "not saved: %w", err)
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
