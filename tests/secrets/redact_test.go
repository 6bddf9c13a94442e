package secrets_test

import (
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// What RedactFields and Redact name is in no file and decides no match, but the recording program sees it.
func TestRedactedTextIsNotWrittenAndDoesNotDecide(t *testing.T) {
	t.Parallel()
	const answer = `{"email":"ada@home.example","age":36,"text":"hello Ada Lovelace"}`
	const replayed = `{"email":"[REDACTED]","age":0,"text":"hello [REDACTED]"}`
	file := filepath.Join(t.TempDir(), "c.yaml")
	open := func(mode promptecho.Mode) *promptecho.Recorder {
		return must.Open(t, file,
			promptecho.InMode(mode),
			promptecho.RedactFields("email", "age"),
			promptecho.Redact(`Ada \w+`),
			promptecho.Upstream(provider.Says(answer)))
	}
	r := open(promptecho.ModeOnce)
	if _, body := must.Ask(t, r, "http://h", "I am Ada Lovelace"); body != answer {
		t.Errorf("while recording the program sees %s", body)
	}
	must.Close(t, r)
	text := must.Read(t, file)
	for _, hidden := range []string{"Lovelace", "ada@", "age: 36"} {
		if strings.Contains(text, hidden) {
			t.Errorf("the cassette has %q:\n%s", hidden, text)
		}
	}

	r = open(promptecho.ModeNone)
	if status, body := must.Ask(t, r, "http://h", "I am Ada Byron"); status != http.StatusOK || body != replayed {
		t.Errorf("replay: %d %s", status, body)
	}
	must.Close(t, r)
}

// githubToken has the format of a token of GitHub. It is made up.
const githubToken = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"

// A text that has the format of a key is not written, and a request with another such key matches.
func TestTextThatLooksLikeAKeyIsNotWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"text":"you said `+githubToken+`"}`)))
	must.Ask(t, r, "http://h", "use "+githubToken)
	must.Close(t, r)
	text := must.Read(t, file)
	if strings.Contains(text, githubToken) || strings.Count(text, "[REDACTED]") != 2 {
		t.Errorf("want it replaced in the request and in the answer:\n%s", text)
	}

	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	otherToken := strings.Replace(githubToken, "aB3", "zZ9", 1)
	if status, body := must.Ask(t, r, "http://h", "use "+otherToken); status != http.StatusOK {
		t.Errorf("with another key: %d %s", status, body)
	}
	must.Close(t, r)
}

// A secret in JSON inside JSON, as in a tool call's arguments, is not written, whatever characters it has.
func TestSecretInJSONInsideJSONIsNotWritten(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable, part = "DB_SECRET", "hQ7x" // each value has this part
	values := map[string]string{
		"quote":     `Zk93"hQ7xPw2LmN8v`,
		"backslash": `Zk93\hQ7xPw2LmN8v`,
		"line end":  "Zk93hQ7x\nPw2LmN8vQQ",
	}
	for name, value := range values {
		t.Run(name, func(t *testing.T) {
			t.Setenv(variable, value)
			arguments := jsonOf(t, map[string]string{"dsn": value})
			answer := jsonOf(t, map[string]string{"arguments": arguments})
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.Upstream(provider.Says(answer)))
			r.Secret(variable)
			must.Ask(t, r, "http://h", "connect")
			if err := r.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
			for _, name := range []string{file, file + must.JournalSuffix} {
				text, err := os.ReadFile(name)
				if errors.Is(err, fs.ErrNotExist) {
					continue
				}
				if err != nil || strings.Contains(string(text), part) {
					t.Errorf("%s: %v\n%s", name, err, text)
				}
			}
		})
	}
}

// jsonOf returns a value as JSON.
func jsonOf(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
