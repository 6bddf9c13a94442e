package tape

import (
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/redact"
)

// Revealed returns a call for somebody who is shown how it differs from a recording: without what
// stands, or may stand, where that has placeholders.
func (t *Tape) Revealed(m *Match, rec *Recording) *Match {
	asked := map[string]string{}
	for line := range strings.SplitSeq(m.text(), "\n") {
		path, value, _ := strings.Cut(line, " ")
		asked[path] = value
	}
	var others redact.Policy
	for line := range strings.SplitSeq(rec.requestText(), "\n") {
		path, value, _ := strings.Cut(line, " ")
		if redact.Hides(value) && !t.policy.Reveal(value, asked[path]) {
			others.RevealWithin(value, asked[path])
		}
	}
	shown := *m
	_ = others.RedactNew(&shown.Request) // see redactNew
	shown = t.redactedAgain(shown)
	return &shown
}

// Hides reports whether two values differ only in what a placeholder stands for.
func (t *Tape) Hides(recorded, incoming string) bool { return t.policy.Reveal(recorded, incoming) }

// encodeAgain encodes a recording as it is redacted by now.
func (t *Tape) encodeAgain(rec *Recording, name string) (*cassette.Encoded, error) {
	it := rec.Interaction()
	url, body := it.Request.URL, string(it.Request.Body)
	item, err := Encode(t.policy, name, it)
	if rec.fresh && (it.Request.URL != url || string(it.Request.Body) != body) {
		rec.write(it)
		t.WithLate = append(t.WithLate, rec)
	}
	return item, err
}
