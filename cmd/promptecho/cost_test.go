package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testenv/attr"
)

// paid returns a cassette with an answer of a model.
func paid(model string, in, out int64) *cassette.File {
	f := answered("q", "a")
	f.Interactions[0].Request.Body = fmt.Appendf(nil, `{"model":%q,"messages":[]}`, model)
	f.Interactions[0].Usage = &interaction.Usage{InputTokens: in, OutputTokens: out}
	return f
}

// The comment of a pull request says what it changes in cost, and leaves out what is unknown.
// The prices are gpt-4o-mini's and gpt-4o's: $0.15 and $0.60, $2.50 and $10 a million.
func TestDiffSaysWhatChangesInCost(t *testing.T) {
	t.Parallel()
	fake := paid("gpt-4o-mini", 1000, 1000)
	fake.Interactions[0].Fake = true
	for name, tt := range map[string]struct {
		old, fresh *cassette.File
		want       string // how the tokens and the cost have changed
	}{
		"more tokens":   {paid("gpt-4o-mini", 1000, 100), paid("gpt-4o-mini", 2000, 100), "tokens 1,000 -> 2,000 in, 100 -> 100 out, cost $0.00021 -> $0.00036"},
		"another model": {paid("gpt-4o-mini", 1000, 1000), paid("gpt-4o", 1000, 1000), "cost $0.00075 -> $0.013"},
		"new":           {&cassette.File{}, paid("gpt-4o", 1000, 1000), "tokens 0 -> 1,000 in, 0 -> 1,000 out, cost $0.00 -> $0.013"},
		"no price":      {paid("gpt-4o-mini", 1000, 100), paid("my-model", 2000, 100), "tokens 1,000 -> 2,000 in, 100 -> 100 out"},
		"of a fake":     {fake, paid("gpt-4o-mini", 1000, 100), "tokens 1,000 -> 1,000 in, 1,000 -> 100 out"},
		"equal":         {paid("gpt-4o", 1000, 1000), paid("gpt-4o", 1000, 1000), ""},
	} {
		d := compare("TestX.yaml (HEAD)", "TestX.yaml", tt.old, tt.fresh)
		if got := d.Total.String(); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
		if text := markdownOf(t, []*difference{d}); tt.want != "" && !strings.Contains(text, "\n\n"+tt.want+"\n\n") {
			t.Errorf("%s: %q is not in:\n%s", name, tt.want, text)
		}
	}
}

// The sum of several cassettes has a cost only if all prices are known.
func TestCostOfCassettesIsLeftOutIfOneIsUnknown(t *testing.T) {
	t.Parallel()
	known := compare("a", "a", paid("gpt-4o", 1000, 0), paid("gpt-4o", 2000, 0))
	unknown := compare("b", "b", paid("m", 1000, 0), paid("m", 2000, 0))
	for _, tt := range []struct {
		list []*difference
		want string
	}{
		{[]*difference{known, known}, "2 cassettes changed, tokens 2,000 -> 4,000 in, 0 -> 0 out, cost $0.005 -> $0.01"},
		{[]*difference{known, unknown}, "2 cassettes changed, tokens 2,000 -> 4,000 in, 0 -> 0 out"},
	} {
		if got := totalLine(tt.list); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

// A recording run says what it has cost, unless a price is unknown. A version of promptecho in
// the tests that does not tell the models makes it unknown, too. The prices are gpt-4o-mini's: $0.15 and $0.60 a million.
func TestRecordSaysWhatItCosts(t *testing.T) {
	t.Parallel()
	tokens := attr.Counts{Recorded: 2, InputTokens: 2000, OutputTokens: 1000}
	mini := attr.ModelTokens{Model: "gpt-4o-mini", InputTokens: 2000, OutputTokens: 1000}
	other := attr.ModelTokens{Model: "my-model"}
	for name, tt := range map[string]struct {
		done attr.Done
		want string
	}{
		"known":           {attr.Done{Counts: tokens, Models: []attr.ModelTokens{mini}}, "2 recorded; tokens: 2,000 in, 1,000 out, $0.0009"},
		"one is unknown":  {attr.Done{Counts: tokens, Models: []attr.ModelTokens{mini, other}}, "2 recorded; tokens: 2,000 in, 1,000 out"},
		"older library":   {attr.Done{Counts: tokens}, "2 recorded; tokens: 2,000 in, 1,000 out"},
		"without a model": {attr.Done{Counts: attr.Counts{Recorded: 2}}, "2 recorded"},
	} {
		s := &summary{others: []attr.Done{tt.done}}
		if got := countsLine(tt.done.Counts, s.cost()); got != tt.want {
			t.Errorf("%s: %q, want %q", name, got, tt.want)
		}
	}
}
