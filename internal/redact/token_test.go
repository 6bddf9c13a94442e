package redact

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// A token in the answer of a login stays a token, however long its claims are.
func TestTokenOfLoginKeepsHeaderAndClaims(t *testing.T) {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	header := part(`{"alg":"HS256","typ":"JWT"}`)
	lengths := []int{20, 61, 63, 65, 300, 900, 3030, 3040}
	if full.Set() {
		lengths = nil
		for n := range 1200 {
			lengths = append(lengths, n, maxValue*3/4-200+n/3)
		}
	}
	for _, name := range []string{"access_token", "refresh_token", "id_token"} {
		for _, n := range lengths {
			claims := part(fmt.Sprintf(`{"sub":%q}`, strings.Repeat("read write ", maxValue/11)[:n]))
			body, err := json.Marshal(map[string]string{name: header + "." + claims + "." + strings.Repeat("c2ln", 12), "token_type": "Bearer"})
			if err != nil {
				t.Fatal(err)
			}

			want := header + "." + claims + ".REDACTED"
			var got map[string]string
			redacted := answerOf(t, string(body))
			if err := json.Unmarshal([]byte(redacted), &got); err != nil {
				t.Fatalf("%s, claims of %d bytes: %v: %s", name, len(claims), err, redacted)
			}
			if got[name] != want {
				t.Errorf("%s, claims of %d bytes: got %.200s, want %.200s", name, len(claims), got[name], want)
			}
		}
	}
}

// answerOf returns what is written for an answer of this text.
func answerOf(t *testing.T, body string) string {
	t.Helper()
	it := &interaction.Interaction{
		Request:  interaction.Request{Method: "POST", URL: "https://auth.example/oauth/token", Body: []byte("grant_type=client_credentials")},
		Response: interaction.Response{Status: 200, Body: []byte(body)},
	}
	new(Policy).Interaction(it)
	return string(it.Response.Body)
}
