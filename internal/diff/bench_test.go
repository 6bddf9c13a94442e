package diff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
)

func prompt(words int, source uint64) *canon.Form {
	return form("openai.chat", "m", "whole", `body/model "m"`, user(generate("prose", words, source)))
}

// 2,100 words are 10 KB, 215,000 are 1 MB.
const (
	words10KB = 2_100
	words1MB  = 215_000
)

func BenchmarkNearest(b *testing.B) {
	recorded := make([]Candidate, 1000)
	for i := range recorded {
		recorded[i] = Candidate{Form: prompt(words10KB, uint64(i)), Used: i%2 == 0}
	}
	asked := prompt(words10KB, 5000)
	b.ReportAllocs()
	for b.Loop() {
		Nearest(asked, len(recorded), func(i int) Candidate { return recorded[i] })
	}
}

func BenchmarkReport(b *testing.B) {
	oneLine := func(n int) string { return generate("prose", n, 1) }
	manyLines := func(n int) string { return strings.ReplaceAll(oneLine(n), ". ", ".\n") }
	upper := func(s string) string {
		return strings.Join(strings.Fields(strings.ToUpper(s)), "x ")
	}
	cases := []struct {
		name   string
		change func(string) string
	}{
		{"one word", func(s string) string { return s[:len(s)/2] + " zebra " + s[len(s)/2:] }},
		{"both ends", func(s string) string { return "zebra " + s + " zebra" }},
		{"each tenth word", func(s string) string { return strings.ReplaceAll(s, " the ", " zebra ") }},
		{"all words", upper},
		{"all unlike", func(s string) string { return generate("prose", len(s)*2/10, 2) }},
	}
	for _, size := range []int{words10KB, words1MB} {
		for _, c := range cases {
			for _, text := range []string{oneLine(size), manyLines(size)} {
				changed := c.change(text)
				if c.name == "all words" && strings.Contains(text, "\n") {
					changed = strings.ReplaceAll(strings.ToUpper(text), " ", "x ")
				}
				rec, inc := form("e", "m", "whole", user(text)), form("e", "m", "whole", user(changed))
				b.Run(fmt.Sprintf("%s/%dKB/%d lines", c.name, len(text)>>10, strings.Count(text, "\n")+1), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						Write(Forms(rec, inc), "  ", 12)
					}
				})
			}
		}
	}
}
