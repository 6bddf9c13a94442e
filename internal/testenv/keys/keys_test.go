package keys_test

import (
	"testing"

	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/keys"
)

// The value of each variable that an SDK reads a key from is a secret by its name.
func TestKeysAreSecretsByTheirNames(t *testing.T) {
	t.Parallel()
	for _, name := range keys.Names() {
		if !redact.IsCredentialVariable(name) {
			t.Errorf("the value of %s is not taken for a secret", name)
		}
	}
	if host := keys.Host("OPENAI_API_KEY"); host != "api.openai.com" {
		t.Errorf("OPENAI_API_KEY is for %q", host)
	}
}
