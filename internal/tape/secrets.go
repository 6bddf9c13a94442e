package tape

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
)

// What happens to secrets that were not known yet when their request was sent.

// ForDisplay returns a call to be shown next to a recording from which it
// differs. Where the recording has a placeholder, the call has one, too, so
// that no secret is shown. This includes texts that may be a secret or not.
func (t *Tape) ForDisplay(m *Match, rec *Recording) *Match {
	asked := map[string]string{}
	for line := range strings.SplitSeq(m.text(), "\n") {
		path, value, _ := strings.Cut(line, " ")
		asked[path] = value
	}

	var others redact.Policy // knows the texts that may be secrets
	for line := range strings.SplitSeq(rec.requestText(), "\n") {
		path, value, _ := strings.Cut(line, " ")
		if redact.HasWildcard(value) && !t.policy.Reveal(value, asked[path]) {
			others.RevealWithin(value, asked[path])
		}
	}

	shown := *m
	_ = others.RedactNew(&shown.Request) // see redactNew
	shown = t.redactedAgain(shown)
	return &shown
}

// DiffersOnlyInSecret reports whether an incoming value differs from a recorded
// one only where that has a placeholder.
func (t *Tape) DiffersOnlyInSecret(recorded, incoming string) bool {
	return t.policy.Reveal(recorded, incoming)
}

// encodeAgain encodes a recording after redacting it with all secrets that are
// known by now. If that changes the request, the recording is one of
// t.SecretLearned.
func (t *Tape) encodeAgain(rec *Recording, name string) (*cassette.Encoded, error) {
	it := rec.Interaction()
	urlBefore := it.Request.URL
	bodyBefore := string(it.Request.Body)
	item, err := Encode(t.policy, name, it)

	isChanged := it.Request.URL != urlBefore || string(it.Request.Body) != bodyBefore
	if rec.Fresh() && isChanged {
		rec.write(it)
		t.SecretLearned = append(t.SecretLearned, rec)
	}
	return item, err
}
