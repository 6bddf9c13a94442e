package redact

import (
	"testing"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// redactedText returns a text with a placeholder for what looks like a secret by itself, or
// by the names next to it.
func redactedText(text string) string {
	f := &finder{policy: new(Policy), scope: scope{fields: anywhere, isResponse: true}}
	w := &carrier.Walker{Find: func(l *carrier.Leaf) []carrier.Match {
		if l.Kind != carrier.Text {
			return nil
		}
		found := f.findByLooks(l)
		for i := range found {
			if !onlyPlaceholder().MatchString(found[i].Text) {
				found[i].Text = Placeholder
			}
		}
		return inOrder(found)
	}}
	for range maxRounds {
		edits, err := w.Edits(text, carrier.Place{})
		if err != nil {
			return err.Error()
		}
		if len(edits) == 0 {
			return text
		}
		text = carrier.Splice(text, edits)
	}
	return errKeepsChanging.Error()
}

// redactedAnswer returns what is written for a text of an answer.
func redactedAnswer(text string) string {
	out, err := new(Policy).redact(text, scope{fields: anywhere, isResponse: true}, carrier.Place{})
	if err != nil {
		return err.Error()
	}
	return out
}

// redactedRequest returns what is written for a text of a request, with the placeholders
// that it has from answers.
func redactedRequest(text string) string {
	out, err := new(Policy).redact(text, scope{fields: anywhere}, carrier.Place{})
	if err != nil {
		return err.Error()
	}
	return out
}

// hidden returns a text with the secrets replaced that a policy knows.
func hidden(t *testing.T, p *Policy, text string) string {
	t.Helper()
	out, err := p.replaceKnown(text)
	if err != nil {
		t.Error(err)
	}
	return out
}

// answerBy returns what a policy writes for a text of an answer.
func answerBy(t *testing.T, p *Policy, text string) string {
	t.Helper()
	out, err := p.redact(text, scope{fields: anywhere, isResponse: true}, carrier.Place{})
	if err != nil {
		t.Error(err)
	}
	return out
}
