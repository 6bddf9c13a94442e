package redact

import (
	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// postponeExpiry returns a text of a response with the times of expiry of its secrets in
// the far future, so that a client does not notice in replay that they have expired. It
// changes nothing in other texts.
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

// findExpiry returns the year of a date of expiry, or all of a time of expiry in seconds or
// milliseconds since 1970, if a leaf has one.
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
