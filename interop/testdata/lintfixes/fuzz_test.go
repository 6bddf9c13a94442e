package app

import (
	"testing"

	"github.com/openai/openai-go/v3"
)

func FuzzInput(f *testing.F) {
	f.Add("a")
	f.Fuzz(func(t *testing.T, s string) {
		c := openai.NewClient()
		c.Models.List(t.Context())
		t.Run("again", func(t *testing.T) {
			c := openai.NewClient()
			c.Models.List(t.Context())
		})
	})
}

func FuzzGiven(f *testing.F) {
	f.Fuzz(func(t *testing.T, f string) {
		c := openai.NewClient()
		c.Models.List(t.Context())
	})
}

func BenchmarkRound(b *testing.B) {
	for b.Loop() {
		c := openai.NewClient()
		c.Models.List(b.Context())
	}
}
