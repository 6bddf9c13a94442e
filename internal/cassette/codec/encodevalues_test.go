package codec

import (
	"strings"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// listOfValues are what cassettes can have: each value alone, all, and texts that are easily got
// wrong as names and as values.
func listOfValues() (list []interaction.RecordedValues) {
	when, seed := time.Date(2026, 11, 22, 15, 30, 12, 0, time.UTC), strings.Repeat("0f", 16)
	list = append(list, interaction.RecordedValues{Time: when}, interaction.RecordedValues{Seed: seed}, interaction.RecordedValues{Seed: strings.Repeat("12", 16)}, interaction.RecordedValues{Seed: "1234567890e123456789012345678901"},
		interaction.RecordedValues{Env: map[string]string{"MODEL": "gpt-5.1", "REGION": "eu", "EMPTY": ""}})
	for _, line := range []string{"{mask_times: true}", `{"ignore": ['a/b', "c"], mask: {"x # \\d": ""}} # why`, "{}"} {
		list = append(list, interaction.RecordedValues{Options: line}, interaction.RecordedValues{Options: line, Time: when, Seed: seed, Env: map[string]string{"options": line}})
	}
	for _, s := range seeds.Strings {
		list = append(list, interaction.RecordedValues{Time: when, Seed: seed, Env: map[string]string{"A": s, s + "B": s, "C": strings.Repeat("long ", 30)}})
	}
	return list
}

// headOf returns the top of a cassette, and fails the test unless it is read as what it is
// made from.
func headOf(t testing.TB, g interaction.RecordedValues) string {
	t.Helper()
	lines, err := EncodeRecordedValues(&g)
	if err != nil {
		t.Fatalf("%v: %v", g, err)
	}
	doc, serr := Parse("x.yaml", "version: 1\n"+string(lines)+"interactions: []\n", nil)
	if serr != nil || !doc.RecordedValues.Equal(&g) {
		t.Fatalf("%v, parsed: %v\n%s", g, serr, lines)
	}
	return "version: 1\n" + string(lines)
}

func TestRecordedValuesAreReadAsWritten(t *testing.T) {
	t.Parallel()
	for _, g := range listOfValues() {
		headOf(t, g)
	}
}

// TestRecordedValuesText is how it is written: as headers are, on one line if that is short.
func TestRecordedValuesText(t *testing.T) {
	t.Parallel()
	g := interaction.RecordedValues{
		Time: time.Date(2026, 11, 22, 16, 30, 12, 0, time.FixedZone("CET", 3600)),
		Seed: "5f0c71b2a9e84d36f1d0c3b2a1908f7e",
		Env:  map[string]string{"REGION": "eu", "MODEL": "gpt-5.1", "DEBUG": "", "RETRIES": "3"},
	}
	for _, tt := range []struct{ more, want string }{
		{"", `time: 2026-11-22T15:30:12Z
seed: 5f0c71b2a9e84d36f1d0c3b2a1908f7e
env: {DEBUG: "", MODEL: gpt-5.1, REGION: eu, RETRIES: "3"}
`},
		{strings.Repeat("one\ntwo\n", 9), `time: 2026-11-22T15:30:12Z
seed: 5f0c71b2a9e84d36f1d0c3b2a1908f7e
env:
  DEBUG: ""
  MODEL: gpt-5.1
  MORE: |
` + strings.Repeat("    one\n    two\n", 9) + `  REGION: eu
  RETRIES: "3"
`},
	} {
		if tt.more != "" {
			g.Env["MORE"] = tt.more
		}
		if got, err := EncodeRecordedValues(&g); err != nil || string(got) != tt.want {
			t.Errorf("%v\n%s\nwant\n%s", err, got, tt.want)
		}
	}
	if got, err := EncodeRecordedValues(&interaction.RecordedValues{Env: map[string]string{}}); err != nil || got != nil {
		t.Errorf("of nothing: %q, %v", got, err)
	}
}

// TestRecordedValuesThatCannotBeWritten is an error, and nothing else is written in its place.
func TestRecordedValuesThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	for _, g := range []interaction.RecordedValues{
		{Time: time.Date(2026, 11, 22, 15, 30, 12, 5, time.UTC)},
		{Time: time.Date(10_000, 1, 1, 0, 0, 0, 0, time.UTC)},
		{Time: time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC)},
		{Seed: "5f0c"},
		{Seed: strings.Repeat("5F", 16)},
	} {
		if text, err := EncodeRecordedValues(&g); err == nil {
			t.Errorf("%v: %s", g, text)
		}
	}
}

// TestRecordedValuesByHand is what people may write: in any order, in any style.
func TestRecordedValuesByHand(t *testing.T) {
	t.Parallel()
	want := interaction.RecordedValues{
		Time: time.Date(2026, 11, 22, 15, 30, 12, 0, time.UTC),
		Seed: "5f0c71b2a9e84d36f1d0c3b2a1908f7e",
		Env:  map[string]string{"DEBUG": "", "MODEL": "gpt-5.1", "RETRIES": "3", "STRICT": "true"},
	}
	for _, lines := range []string{
		"env:\n  STRICT: true # always\n  RETRIES: 3\n  MODEL: 'gpt-5.1'\n  DEBUG: \"\"\nseed: 5F0C71B2A9E84D36F1D0C3B2A1908F7E\ntime: 2026-11-22T16:30:12+01:00\n",
		"{time: \"2026-11-22T15:30:12Z\", seed: \"5f0c71b2a9e84d36f1d0c3b2a1908f7e\", env: {DEBUG: '', MODEL: !!str gpt-5.1, RETRIES: 3, STRICT: true}, version: 1, interactions: []}\n",
	} {
		doc, err := Parse("x.yaml", lines, nil)
		if !strings.HasPrefix(lines, "{") {
			doc, err = Parse("x.yaml", "version: 1\n"+lines+"interactions: []\n", nil)
		}
		if err != nil || !doc.RecordedValues.Equal(&want) {
			t.Errorf("%v\n%s", err, lines)
		}
	}
}
