package secrets_test

import (
	"encoding/base64"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// What a secret store answers is not written, and a program that decodes and uses it works in replay.
func TestAnswerOfASecretStoreIsNotWritten(t *testing.T) {
	t.Parallel()
	const value = "hunter2-again"
	inBase64 := base64.StdEncoding.EncodeToString([]byte(value))
	loginInBase64 := base64.StdEncoding.EncodeToString([]byte("AWS:" + value))
	stores := []struct{ name, path, answer string }{
		{
			name:   "Kubernetes",
			path:   "/api/v1/namespaces/n/secrets/s",
			answer: `{"kind":"Secret","data":{"x":"` + inBase64 + `"}}`,
		},
		{
			name:   "Google Secret Manager",
			path:   "/v1/projects/p/secrets/s/versions/latest:access",
			answer: `{"payload":{"data":"` + inBase64 + `"}}`,
		},
		{
			name:   "Azure Key Vault",
			path:   "/secrets/s/1",
			answer: `{"value":"` + value + `"}`,
		},
		{
			name:   "Azure Resource Manager",
			path:   "/x/providers/y/accounts/a/listKeys",
			answer: `{"key1":"` + value + `"}`,
		},
		{
			name:   "HashiCorp Vault",
			path:   "/v1/secret/data/s",
			answer: `{"lease_duration":0,"data":{"data":{"x":"` + value + `"}}}`,
		},
		{
			name:   "AWS Systems Manager",
			path:   "/",
			answer: `{"Parameter":{"Name":"n","Type":"SecureString","Value":"` + value + `"}}`,
		},
		{
			name:   "AWS Secrets Manager",
			path:   "/",
			answer: `{"Name":"n","SecretString":"{\"x\":\"` + value + `\"}"}`,
		},
		{
			name:   "AWS ECR",
			path:   "/",
			answer: `{"authorizationData":[{"authorizationToken":"` + loginInBase64 + `"}]}`,
		},
		{
			name:   "Docker registry",
			path:   "/v1.43/auth",
			answer: `{"IdentityToken":"` + value + `"}`,
		},
	}
	runs := []struct {
		mode promptecho.Mode
		want string // what the program reads
	}{
		{mode: promptecho.ModeAll, want: value},
		{mode: promptecho.ModeNone, want: "[REDACTED]"},
	}
	for _, store := range stores {
		t.Run(store.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			for _, run := range runs {
				r := must.Open(t, file, promptecho.InMode(run.mode), promptecho.Upstream(provider.Says(store.answer)))
				_, answer := must.Post(t, r, "http://h"+store.path, `{}`)
				got := decodedSecret(answer)
				if got != run.want {
					t.Errorf("mode %s: the program reads %q of %s", run.mode, got, answer)
				}
				status, answer := must.Post(t, r, "http://h/use", `{"note":"`+got+`"}`)
				if status != http.StatusOK {
					t.Errorf("mode %s: the program uses it: %d %s", run.mode, status, answer)
				}
				must.Close(t, r)
			}
			text := must.Read(t, file)
			if strings.Contains(text, value) || strings.Contains(text, inBase64) {
				t.Errorf("the cassette has the secret:\n%s", text)
			}
		})
	}
}

// decodedSecret reads the answer of a secret store as a program does: it finds the value, and decodes one in base64,
// which may be a login of AWS.
func decodedSecret(answer string) string {
	value := regexp.MustCompile(`\w+2-again|\[REDACTED\]|[A-Za-z0-9+/]{8,}=+`).FindString(answer)
	for range 2 { // base64 may be in base64
		plain, err := base64.StdEncoding.DecodeString(value)
		if err != nil {
			return value
		}
		value = strings.TrimPrefix(string(plain), "AWS:")
	}
	return value
}
