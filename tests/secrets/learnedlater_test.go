package secrets_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A credential is replaced also in what was recorded before it was known, and the recording replays.
//
// A login answers it under a harmless name; the next request carries it as a credential. From then
// on neither the journal nor the cassette has it.
func TestCredentialLearnedLaterIsReplacedInEarlierAnswers(t *testing.T) {
	t.Parallel()
	const token = "echo-secret-token-0123456789"
	file := filepath.Join(t.TempDir(), "c.yaml")
	logIn := func(rec *promptecho.Recorder) {
		must.Post(t, rec, "http://h/login", `{"user":"me"}`)
	}
	askWith := func(rec *promptecho.Recorder, credential string) (status int, body string) {
		url := "http://h/v1/chat/completions"
		return must.Post(t, rec, url, must.ChatBody("a"), "Authorization", "Bearer "+credential)
	}

	rec := must.Open(t, file, promptecho.Upstream(provider.Says(`{"session":"`+token+`","n":1}`)))
	logIn(rec)
	askWith(rec, token)
	journal := must.Read(t, file+must.JournalSuffix)
	if strings.Contains(journal, token) || strings.Count(journal, "- kind: ") != 2 {
		t.Errorf("the journal:\n%s", journal)
	}
	must.Close(t, rec)
	if _, err := os.Stat(file + must.JournalSuffix); !os.IsNotExist(err) {
		t.Errorf("the journal is left: %v", err)
	}
	text := must.Read(t, file)
	if strings.Contains(text, token) || strings.Count(text, `session: "[REDACTED]"`) != 2 {
		t.Errorf("the cassette:\n%s", text)
	}

	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	logIn(rec)
	if status, body := askWith(rec, "[REDACTED]"); status != http.StatusOK {
		t.Errorf("in replay: %d %s", status, body)
	}
	must.Close(t, rec)
}

// A secret of several lines is replaced, however its characters are escaped.
func TestSecretOfSeveralLinesIsReplaced(t *testing.T) {
	// Not parallel: it sets the environment.
	const secret = "echo-secret-line-1\necho-secret-line-2"
	t.Setenv("PROMPTECHO_TEST_PEM", secret)
	for name, body := range map[string]string{
		"as Go escapes it":         must.ChatBody(secret),
		"as no known encoder does": strings.Replace(must.ChatBody(secret), "echo-", `echo\u002d`, 1),
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "c.yaml")
			rec := must.Open(t, file, promptecho.Upstream(provider.Says(`{}`)))
			rec.Secret("PROMPTECHO_TEST_PEM")
			must.Post(t, rec, "http://h/v1/chat/completions", body)
			must.Close(t, rec)
			if text := must.Read(t, file); !strings.Contains(text, `content: "[REDACTED]"`) {
				t.Errorf("the cassette:\n%s", text)
			}
		})
	}
}
