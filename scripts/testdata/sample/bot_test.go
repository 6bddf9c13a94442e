package bot

import (
	"cmp"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/promptecho/promptecho/echotest"
)

// TestMain also fails if a goroutine is left.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(echotest.RunFunc(func() int { return echotest.Run(m) }))
}

// recorded returns a bot whose requests are recorded.
func recorded(t testing.TB) *Bot {
	rec := echotest.New(t)
	return &Bot{
		Client: rec.Client(),
		Base:   cmp.Or(os.Getenv("OPENAI_BASE_URL"), "https://api.openai.com/v1"),
		Key:    rec.Secret("OPENAI_API_KEY"),
	}
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, question, want string }{
		{"capital", "What is the capital of France?", "France"},
		{"river", "Which river flows through Cologne?", "Cologne"},
		{"a word that is long", "What does antidisestablishmentarianism mean?", "antidisestablishmentarianism"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, err := recorded(t).Answer(t.Context(), test.question)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	var parts []string
	if err := recorded(t).Tell(t.Context(), "the fox and the grapes", func(s string) { parts = append(parts, s) }); err != nil {
		t.Fatal(err)
	}
	if story := strings.Join(parts, ""); len(parts) < 2 || !strings.Contains(story, "grapes") {
		t.Errorf("%d parts: %q", len(parts), story)
	}
}
