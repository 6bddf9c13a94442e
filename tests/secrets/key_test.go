package secrets_test

import (
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Without its key, a run that would record sends no request and names the empty variable.
func TestRecordingNeedsTheKey(t *testing.T) {
	// Not parallel: it sets the environment.
	t.Setenv("PROMPTECHO_TEST_KEY", "")
	u := provider.New(t)
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"))
	if r.Secret("PROMPTECHO_TEST_KEY") == "" {
		t.Error("no placeholder for a missing key")
	}
	status, body := must.Ask(t, r, u.URL, "x")
	const want = "environment variable PROMPTECHO_TEST_KEY is empty"
	if status != http.StatusTeapot || !strings.Contains(body, want) {
		t.Errorf("without a key: %d %s", status, body)
	}
	if u.Count() != 0 {
		t.Error("a request was sent without a key")
	}
	r.Close()
}

// A recording run uses the real key and writes it nowhere; replay needs no key.
func TestReplayNeedsNoKey(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable, key = "PROMPTECHO_TEST_KEY", "echo-secret-in-the-environment"
	u := provider.New(t)
	file := filepath.Join(t.TempDir(), "c.yaml")

	t.Setenv(variable, key)
	r := must.Open(t, file)
	if got := r.Secret(variable); got != key {
		t.Errorf("Secret = %q when recording", got)
	}
	if _, body := must.Ask(t, r, u.URL, "my key is "+key); !strings.Contains(body, key) {
		t.Errorf("the application sees %s, want what the provider sent", body)
	}
	must.Close(t, r)
	if text := must.Read(t, file); strings.Contains(text, key) {
		t.Errorf("the secret is on disk:\n%s", text)
	}

	t.Setenv(variable, "")
	r = must.Open(t, file)
	placeholder := r.Secret(variable)
	if placeholder == key || placeholder == "" {
		t.Errorf("Secret = %q in replay", placeholder)
	}
	if status, body := must.Ask(t, r, u.URL, "my key is "+placeholder); status != http.StatusOK {
		t.Errorf("the placeholder does not match the key: %d %s", status, body)
	}
	must.Close(t, r)
}

// A known secret is replaced inside hexadecimal and base64 text, and the text around it stays.
func TestEncodedSecretIsReplaced(t *testing.T) {
	// Not parallel: it sets the environment.
	const variable, key = "PROMPTECHO_TEST_KEY", "echo-secret-base64"
	t.Setenv(variable, key)
	base := must.Record(t, filepath.Join(t.TempDir(), "old.yaml"), "old")
	for name, encode := range map[string]func(string) string{
		"hexadecimal": func(s string) string { return hex.EncodeToString([]byte(s)) },
		"base64":      func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
			r.Secret(variable)
			must.Ask(t, r, base, "I am "+encode("user:"+key))
			must.Close(t, r)
		}
		text := must.Read(t, file)
		want := "I am " + encode("user:[REDACTED]")
		if strings.Contains(text, encode("user:"+key)) || !strings.Contains(text, want) {
			t.Errorf("%s: the cassette has no %q:\n%s", name, want, text)
		}
	}
}
