package redact

import (
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// postponeExpiry returns an answer in which secrets were replaced with its times of
// expiry in the far future: its client must not notice that they have long
// expired.
func (f *finder) postponeExpiry(text string, at carrier.Place) string {
	if !f.foundField || !f.scope.isResponse {
		return text
	}
	w := &carrier.Walker{Find: findExpiry}
	edits, err := w.Edits(text, at)
	if err != nil {
		return text
	}
	return carrier.Splice(text, edits)
}

var (
	expiryName  = memo.Regexp(`^(?:[Ee]xpiration|[Ee]xpiry|expires_?(?:[Aa]t|[Oo]n)|expires|expireTime)$`)
	expiryYear  = memo.Regexp(`^(\d{4})-\d\d-\d\d[Tt ]`)
	expiryEpoch = memo.Regexp(`^(\d{10}|\d{13})(?:\.\d+)?$`)
)

// findExpiry returns the time at which something expires, if a leaf is one: a date,
// or seconds or milliseconds since 1970, as a number or a text.
func findExpiry(l *carrier.Leaf) []carrier.Match {
	if len(l.Text) < 10 || !expiryName().MatchString(l.Name) {
		return nil
	}
	if m := expiryEpoch().FindStringSubmatchIndex(l.Text); m != nil {
		return []carrier.Match{{Start: 0, End: m[3], Text: laterEpoch(l.Text[:m[3]])}}
	}
	if l.Kind == carrier.Text && expiryYear().MatchString(l.Text) {
		return []carrier.Match{{Start: 0, End: 4, Text: "2999"}}
	}
	return nil
}
