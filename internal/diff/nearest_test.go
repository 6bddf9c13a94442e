package diff

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// TestNearestOfOneEdit edits one field of one of many short forms that share words. None that
// differs there as the original does, and in another field too, is nearer than the original.
func TestNearestOfOneEdit(t *testing.T) {
	t.Parallel()
	vocabulary := []string{"the", "red", "cat", "Translate", "Translated", "to", "French", "word0", "word1", "the red cat", "5", "!"}
	for seed := range uint64(full.Cases(60, 300)) {
		r := rand.New(rand.NewPCG(seed, 19))
		text := func() string {
			words := make([]string, 1+r.IntN(5))
			for i := range words {
				words[i] = vocabulary[r.IntN(len(vocabulary))]
			}
			return strings.Join(words, []string{" ", "-", "  "}[r.IntN(3)])
		}
		fields := 2 + r.IntN(4)
		texts := make([][]string, 20+r.IntN(60))
		for i := range texts {
			for range fields {
				texts[i] = append(texts[i], text())
			}
		}
		original := r.IntN(len(texts))
		edited := slices.Clone(texts[original])
		at := r.IntN(fields)
		for edited[at] == texts[original][at] {
			edited[at] = text()
		}
		// Forms that differ from the original in another field, or have a message more.
		for range 40 {
			worse := slices.Clone(texts[original])
			switch other := r.IntN(fields); {
			case r.IntN(5) == 0:
				worse = append(worse, "!"+text())
			case other == at:
				continue
			default:
				worse[other] = text()
			}
			texts = slices.Insert(texts, 0, worse)
			original++
		}
		made := func(texts []string) *canon.Form {
			lines := []string{`body/model "m"`}
			for i, text := range texts {
				lines = append(lines, fmt.Sprintf("body/messages/%d/content %s", i, quote(text)), fmt.Sprintf(`body/messages/%d/role "user"`, i))
			}
			return form("openai.chat", "m", "whole", lines...)
		}
		var recorded []Candidate
		for _, one := range texts {
			recorded = append(recorded, Candidate{Form: made(one)})
		}
		nearest := texts[Nearest(made(edited), len(recorded), func(i int) Candidate { return recorded[i] })]
		if nearest[at] == texts[original][at] && !slices.Equal(nearest, texts[original]) {
			t.Errorf("seed %d: asked %q\nits original is %q\nnearest is %q", seed, edited, texts[original], nearest)
		}
	}
}

// TestNearestOfManyShort: hundreds of questions of one word, whose system prompt is edited.
func TestNearestOfManyShort(t *testing.T) {
	t.Parallel()
	ask := func(system string, i int) *canon.Form {
		return form("openai.chat", "m", "whole", "body/messages/0/content "+quote(system), fmt.Sprintf(`body/messages/1/content "word%d"`, i))
	}
	var recorded []Candidate
	for i := range 300 {
		recorded = append(recorded, Candidate{Form: ask("Translate", i)})
	}
	for i := range recorded {
		if got := Nearest(ask("Translated", i), len(recorded), func(i int) Candidate { return recorded[i] }); got != i {
			t.Fatalf("Nearest of word%d is word%d", i, got)
		}
	}
}

// TestNearestOfQuestions: of questions that differ in the word that was edited and in a number, the
// one with the number is meant.
func TestNearestOfQuestions(t *testing.T) {
	t.Parallel()
	ask := func(country string, i int) *canon.Form {
		return form("openai.chat", "m", "whole", fmt.Sprintf(`body/messages/0/content "What is the capital of %s? %d"`, country, i))
	}
	var recorded []Candidate
	for i := range 5 {
		recorded = append(recorded, Candidate{Form: ask("France", i)})
	}
	for i := range recorded {
		if got := Nearest(ask("Spain", i), len(recorded), func(i int) Candidate { return recorded[i] }); got != i {
			t.Errorf("nearest to Spain? %d is France? %d", i, got)
		}
	}
}
