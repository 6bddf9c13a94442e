package claude

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/echofake"
)

func TestCutAnswer(t *testing.T) {
	p := echofake.New(t, echofake.Text("Once ", "upon ").Finish(echofake.Length))
	client := &Client{HTTP: p.Client(), Key: p.Secret("ANTHROPIC_API_KEY")}
	pieces, stop, err := client.Stream(t.Context(), "Tell a story.")
	if err != nil || !slices.Equal(pieces, []string{"Once ", "upon "}) || stop != "max_tokens" {
		t.Errorf("%q, %q, %v", pieces, stop, err)
	}
}
