package canon

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// docs/design/extending.md shows this table of a made-up provider.
var madeUpFamilies = []*Family{{
	Name:        "acme.chat",
	Paths:       []string{"/v1/acme/{model}/chat"},
	Stream:      "stream",
	Bookkeeping: []string{"user"},
	Sampling:    []string{"temperature"},
	Rewrites:    []Rewrite{messageNulls, dropEmpty("tools"), functionTools, normalizeToolChoice},
	EndMarkers:  []string{"[DONE]"},
	Transcript:  chatTranscript,
}}

// This test is not parallel: it changes the table of families while it runs.
func TestNewFamily(t *testing.T) {
	old := families
	t.Cleanup(func() { families = old })
	known := slices.Concat(madeUpFamilies, old())
	families = func() []*Family { return known }
	ask := func(body string) *Form {
		var rules Options
		return rules.Form(&interaction.Request{Method: "POST", URL: "https://acme.example/v1/acme/large/chat", Body: []byte(body)})
	}
	a := ask(`{"stream":true,"user":"u","temperature":1,"messages":[{"text":"hi","x":null}],"tools":[]}`)
	b := ask(`{"messages":[{"text":"hi"}],"stream":true,"user":"v"}`)
	if a.Text() != b.Text() || a.Endpoint != "acme.chat" || a.Model != "large" || a.Wire != "stream" || !a.Completes("[DONE]") {
		t.Errorf("--- a\n%s\n--- b\n%s", a.Text(), b.Text())
	}
	if c := ask(`{"messages":[{"text":"ho"}],"stream":true}`); c.Text() == b.Text() {
		t.Error("another prompt is the same")
	}
}
