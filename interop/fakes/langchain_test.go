package fakes

import (
	"context"
	"strings"
	"testing"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/fake"
	lcopenai "github.com/tmc/langchaingo/llms/openai"

	"github.com/promptecho/promptecho/echofake"
)

// summary asks a model for a summary, and for another one if the first is too long.
func summary(ctx context.Context, model llms.Model, text string) (string, error) {
	got, err := llms.GenerateFromSinglePrompt(ctx, model, "Sum up: "+text)
	if err != nil || len(strings.Fields(got)) <= 3 {
		return got, err
	}
	return llms.GenerateFromSinglePrompt(ctx, model, "Shorter: "+got)
}

// The fake of langchaingo, as docs/MIGRATING.md shows it, answers the chain.
func TestSummaryByLangChainFake(t *testing.T) {
	t.Parallel()
	model := fake.NewFakeLLM([]string{"a text about much rain", "about rain"})
	got, err := summary(t.Context(), model, "It rains.")
	if err != nil || got != "about rain" {
		t.Errorf("got %q, %v", got, err)
	}
}

// With echofake, as docs/MIGRATING.md shows it, the chain runs through langchaingo's own client.
func TestSummary(t *testing.T) {
	t.Parallel()
	p := echofake.New(t, echofake.Text("a text about much rain"), echofake.Text("about rain"))
	model, err := lcopenai.New(lcopenai.WithHTTPClient(p.Client()), lcopenai.WithToken(p.Secret("OPENAI_API_KEY")))
	if err != nil {
		t.Fatal(err)
	}
	got, err := summary(t.Context(), model, "It rains.")
	if err != nil || got != "about rain" {
		t.Errorf("got %q, %v", got, err)
	}
	if asked := p.Requests()[1].Last().Text; asked != "Shorter: a text about much rain" {
		t.Errorf("asked %q", asked)
	}
}
