package mutate

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// The kinds of changes that the tests of package decode fail with: the provider or a tool reports an
// error, or the connection breaks.
var errorKinds = []string{"status 429", "status 500", "stream breaks", "error event", "tool error"}

// A refusal is a change that an SDK refuses although it reports no error.
type refusal struct {
	test, kind string
	why        string
}

var refusals = []refusal{
	{"TestCohereStream", "stream ends early",
		"without [DONE], the SDK decodes the blank line behind the last event as an event"},
}

// Each change of an answer is one that the SDK of the provider decodes: the provider could send it.
func TestSDKsDecodeChangedAnswers(t *testing.T) {
	full.Only(t, "TestFewVerdicts")
	t.Parallel()
	p := copyPackages(t)
	got := p.run(t, "./decode")
	isSeen := make([]bool, len(refusals))
	for _, test := range got.Tests {
		for _, a := range test.Answers {
			for _, c := range a.Changes {
				if slices.Contains(errorKinds, c.Kind) || c.Outcome == "unnoticed" {
					continue
				}
				i := slices.IndexFunc(refusals, func(r refusal) bool {
					return r.test == test.Test && r.kind == c.Kind
				})
				if i < 0 {
					t.Errorf("%s, answer %d: %s: %s is %s: %s",
						test.Test, a.Interaction, c.Kind, c.What, c.Outcome, c.By)
					continue
				}
				isSeen[i] = true
			}
		}
	}
	for i, r := range refusals {
		if !isSeen[i] {
			t.Errorf("no change shows that %s refuses %s: remove the row", r.test, r.kind)
		}
	}
	names := setup.TestNames(t, "decode")
	if len(got.Tests) != len(names) {
		t.Errorf("changes were tried with %d tests, want all %d", len(got.Tests), len(names))
	}
}
