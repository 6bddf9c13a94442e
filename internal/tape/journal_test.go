package tape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// TestJournalHasNoSecretLearnedLater: a secret that becomes known after a text
// was made, and before the text is in the journal, is not in the journal.
func TestJournalHasNoSecretLearnedLater(t *testing.T) {
	t.Parallel()
	const value = "Zk93hQ7xPw2LmN8v"
	var policy redact.Policy
	file := filepath.Join(t.TempDir(), "c.yaml")
	tape := New(Config{Path: file, Name: file, Options: &canon.Options{}, Plain: true}, &policy)
	if _, _, err := tape.Resume(file+JournalSuffix, false); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one " + value, "two"} {
		it := &interaction.Interaction{
			Kind:     "llm",
			Boundary: "openai.chat",
			Request: interaction.Request{
				Method: "POST",
				URL:    "https://api.openai.com/v1/chat/completions",
				Body:   []byte(`{"messages":[{"content":"` + text + `","role":"user"}]}`),
			},
			Response: interaction.Response{Status: 200, Body: []byte(`{}`)},
		}
		known := policy.Count()
		item, err := encode(&policy, file, it, redact.Result{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			policy.AddSecret(value)
		}
		tape.Journal.add(item, known)
	}
	text, err := os.ReadFile(file + JournalSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), value) || strings.Count(string(text), "- kind: llm") != 2 {
		t.Errorf("%s", text)
	}
}
