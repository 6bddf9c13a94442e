package models

import (
	"math"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The retirement of a model is found by the names that programs ask for, and no other version
// is taken for it. The dates are those of the pages in sources.go.
func TestRetirementsAreFoundByTheNamesThatProgramsUse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		host, model, date, replacement string // date is "" if none is known
	}{
		{"api.openai.com", "gpt-4o-mini-2024-07-18", "2027-01-14", "gpt-6-luna"},
		{"api.openai.com", "gpt-4o-2024-05-13", "2026-10-23", "gpt-5.6-sol"},
		{"openrouter.ai", "openai/gpt-4o-mini", "2027-01-14", "gpt-6-luna"},
		{"x.openai.azure.com", "gpt-4o-mini-2024-07-18", "2026-10-01", "gpt-4.1-mini"},
		{"x.openai.azure.com", "gpt-5-2025-08-07", "", ""},
		{"api.anthropic.com", "claude-3-5-haiku-20241022", "2026-02-19", "claude-haiku-4-5-20251001"},
		{"generativelanguage.googleapis.com", "models/gemini-2.5-pro", "2026-12-01", "gemini-3.8-flash"},
		{"us-central1-aiplatform.googleapis.com", "gemini-2.5-pro", "2026-10-20", "gemini-3.5-flash"},
		{"aiplatform.googleapis.com", "claude-3-haiku@20240307", "2026-08-23", ""},
		{"bedrock-runtime.us-east-1.amazonaws.com",
			"us.anthropic.claude-3-haiku-20240307-v1:0", "2026-09-10", ""},
		{"api.mistral.ai", "mistral-large-2411", "2026-05-31", "mistral-medium-2604"},
		{"api.openai.com", "gpt-4o-mini-2031-01-01", "", ""},
		{"api.openai.com", "ft:gpt-4o-mini-2024-07-18:us::1", "", ""},
		{"api.openai.com", "", "", ""},
	} {
		r, ok := RetirementAt(tt.host, tt.model)
		if !ok {
			if tt.date != "" {
				t.Errorf("%s at %s: none found", tt.model, tt.host)
			}
			continue
		}
		if date := r.Date.Format(time.DateOnly); date != tt.date || r.Replacement != tt.replacement {
			t.Errorf("%s at %s: %s, %q, want %s, %q",
				tt.model, tt.host, date, r.Replacement, tt.date, tt.replacement)
		}
	}
	if r, ok := RetirementOf("claude-2.1"); !ok || r.Provider != "Anthropic" {
		t.Errorf("claude-2.1: %+v, %v", r, ok)
	}
}

// Each row has a day and a source, and names no model as its own replacement.
func TestRowsAreComplete(t *testing.T) {
	t.Parallel()
	check := func(s source, date string) {
		for _, d := range []string{s.read, date} {
			if _, err := time.Parse(time.DateOnly, d); err != nil {
				t.Error(err)
			}
		}
		if s.url == "" || s.copy == "" {
			t.Errorf("source %+v", s)
		}
	}
	for _, list := range retirements {
		seen := map[string]bool{}
		for _, row := range list.rows {
			check(list.source, row.date)
			if seen[row.model] || row.model == row.replacement || row.model != base(row.model) {
				t.Errorf("%s: row %+v", list.provider, row)
			}
			seen[row.model] = true
		}
	}
	seen := map[string]bool{}
	for _, list := range prices {
		for _, p := range list.rows {
			check(list.source, list.source.read)
			if seen[p.Model] || p.Input <= 0 || p.Cached <= 0 || p.Cached > p.Input {
				t.Errorf("price %+v", p)
			}
			seen[p.Model] = true
		}
	}
}

// A price is found by the names that programs ask for, and an unknown one is not guessed.
func TestCost(t *testing.T) {
	t.Parallel()
	million := interaction.Usage{InputTokens: 1e6, OutputTokens: 1e6}
	short := interaction.Usage{InputTokens: 1e5, OutputTokens: 1e5}
	for _, tt := range []struct {
		model string
		usage interaction.Usage
		usd   float64 // -1 if unknown
	}{
		{"gpt-4o-mini", million, 0.75},
		{"gpt-4o-mini-2024-07-18", million, 0.75},
		{"openai/gpt-4o-mini", million, 0.75},
		{"gpt-4o-2024-05-13", million, 20}, // not the price of gpt-4o
		{"gpt-4o-2024-11-20", million, 12.50},
		{"gpt-4o-mini", interaction.Usage{InputTokens: 1e6, CachedTokens: 4e5}, 0.6*0.15 + 0.4*0.075},
		{"us.anthropic.claude-haiku-4-5-20251001-v1:0", million, 6},
		{"claude-3-5-haiku@20241022", million, 4.80},
		{"claude-3-5-haiku-latest", million, 4.80},
		{"anthropic.claude-opus-4-6-v1", million, 30},
		{"us.amazon.nova-lite-v1:0", million, 0.30},
		{"models/gemini-2.0-flash-001", million, 0.50},
		{"publishers/google/models/gemini-2.5-pro", short, 1.125},
		{"gemini-2.5-pro", million, -1}, // requests above 200,000 tokens cost more
		{"ft:gpt-4o-mini-2024-07-18:us::1", million, -1},
		{"gpt-4o-audio-preview-2024-12-17", million, -1},
		{"my-model", million, -1},
		{"", million, -1},
	} {
		usd, ok := Cost(tt.model, tt.usage)
		if ok != (tt.usd >= 0) || ok && math.Abs(usd-tt.usd) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", tt.model, usd, ok, tt.usd)
		}
	}
}

// A user's price counts before the table, and a mistake in it is named.
func TestPricesOfAUser(t *testing.T) {
	t.Parallel()
	var ps Prices
	for _, text := range []string{"gpt-4o-mini=1/2", "team/llama=3/4/0.5"} {
		if err := ps.Set(text); err != nil {
			t.Fatal(err)
		}
	}
	usage := interaction.Usage{InputTokens: 1e6, OutputTokens: 1e6, CachedTokens: 1e6}
	for model, want := range map[string]float64{
		"gpt-4o-mini": 3, "gpt-4o-mini-2024-07-18": 3, "team/llama": 4.5, "gpt-4o": 11.25,
	} {
		if usd, ok := ps.Cost(model, usage); !ok || usd != want {
			t.Errorf("%s: %v, %v, want %v", model, usd, ok, want)
		}
	}
	if got, want := ps.String(), "gpt-4o-mini=1/2/1,team/llama=3/4/0.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, text := range []string{"", "gpt=", "=1/2", "gpt=1", "gpt=1/2/3/4", "gpt=a/2", "gpt=-1/2", "gpt=NaN/1", "gpt=Inf/1"} {
		if p, err := ParsePrice(text); err == nil {
			t.Errorf("%q: %+v", text, p)
		}
	}
}
