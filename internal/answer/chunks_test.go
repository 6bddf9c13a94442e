package answer

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// A body that a person made longer or shorter is played whole.
func TestChunksOfAnEditedBody(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		"abcdef":   {"abc", "def"},
		"abcdefgh": {"abc", "defgh"},
		"abcd":     {"abc", "d"},
		"ab":       {"ab"},
		"abc":      {"abc"},
	} {
		_, ends, err := Join(&interaction.Response{Body: []byte(body), Chunks: []int{3, 3}})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		start := 0
		for _, c := range chunksOf(len(body), ends, []interaction.Delay{{MS: 1}}) {
			got = append(got, body[start:c.end])
			start = c.end
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q in chunks of 3 is %q, want %q", body, got, want)
		}
	}
}
