package redact

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The headers and fields with which providers say what a failed request asked for.
var (
	errorHeaders = strings.Fields(`X-Ratelimit-Key X-Ratelimit-Limit-Key X-Ratelimit-Token X-Ratelimit-Resource X-Ratelimit-Scope
		X-Quota-Key X-Limit-Key X-Model-Key X-Deployment-Key X-Routing-Key X-Cache-Key X-Backend-Key X-Shard-Key
		X-Partition-Key X-Resource-Token X-Auth-Scope X-Auth-Target X-Api-Key-Name X-Token-Name X-Session-Name
		X-Request-Token X-Policy-Key X-Pool-Key X-Group-Key X-Tier-Key X-Engine-Key`)
	errorFields = strings.Fields(`key token code param model deployment engine resource target scope secret auth session
		credential api_key access_token apiKey routing_key session_id rate_limit_key deployment_key resource_key service_key
		license_key app_key client_secret`)
)

// Words that a failure repeats from its request, such as a model or a path, are not taken for
// secrets.
func TestFailureChangesNothingThatMatches(t *testing.T) {
	t.Parallel()
	selected := []string{
		"grok-4-1-fast-non-reasoning", "gpt-4o-mini-2024-07-18", "claude-3-5-sonnet-20241022", "models/gemini-1.5-pro-002",
		"chat-production-eu", "get_current_weather", "administrator", "/openai/deployments/chat/completions", "2024-10-21-preview",
	}
	requestFor := func(value string) interaction.Request {
		return interaction.Request{Method: "POST", URL: "https://h.example/v1/chat/completions", Body: []byte(fmt.Sprintf(
			`{"model":%q,"deployment":%[1]q,"messages":[{"role":"user","content":"use %[1]s, please"}],"tools":[{"name":%[1]q}]}`, value))}
	}
	check := func(place, value string, resp interaction.Response) {
		var p Policy
		req := requestFor(value)
		p.Request(&req)
		p.Response(&req, &resp)
		again := requestFor(value)
		p.Request(&again)
		if want := requestFor(value); string(again.Body) != string(want.Body) {
			t.Errorf("%s: %s: the request becomes\n%s", place, value, again.Body)
		}
	}
	for _, value := range selected {
		for _, name := range errorHeaders {
			check(name, value, interaction.Response{Status: 429, Headers: headers(strings.ToLower(name), value)})
		}
		for _, name := range errorFields {
			body := fmt.Sprintf(`{"error":{%q:%q,"message":"limit of %[2]s exceeded"}}`, name, value)
			check(name, value, interaction.Response{Status: 429, Body: []byte(body)})
		}
	}
}

// A placeholder in a recording matches what may be a secret, and nothing else.
func TestPlaceholderMatchesSecretsOnly(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]bool{
		"Zq3vT8mKx2Lw9pRb4NcY7dHs": true, "[REDACTED]": true, "effaced0effaced0": true, "dummy-key-for-tests": true, "your-api-key": true,
		"gpt-4o": false, "grok-4-1-fast-non-reasoning": false, "get_current_weather": false, "user": false, "hello": false, "": false,
		`hello"world`: false, // 11 bytes: its escape does not count
		"2024-10-21":  false, "/v1/models": false, "two words here": false,
	} {
		if got := new(Policy).Reveal(`model "[REDACTED]"`, fmt.Sprintf("model %q", value)); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}

// TestRevealedSecretIsKnownUnescaped: a secret that a request has in the place of a placeholder is
// known without the escapes of the form, so it is found in other texts.
func TestRevealedSecretIsKnownUnescaped(t *testing.T) {
	t.Parallel()
	const secret = `Zq3vT8mK"x2Lw9pRb4NcY7dHs`
	for name, asked := range map[string]string{
		"JSON":    `body/key "Zq3vT8mK\"x2Lw9pRb4NcY7dHs"`,
		"a path":  `body/key "Zq3vT8mK%22x2Lw9pRb4NcY7dHs"`,
		"unicode": `body/key "Zq3vT8mK\u0022x2Lw9pRb4NcY7dHs"`,
	} {
		var p Policy
		if !p.Reveal(`body/key "[REDACTED]"`, asked) {
			t.Errorf("%s: the placeholder does not stand for the secret", name)
		}
		if got := hidden(t, &p, "it was "+secret+" then"); strings.Contains(got, "x2Lw9pRb4NcY7dHs") {
			t.Errorf("%s: the secret is not known: %s", name, got)
		}
	}
}

// TestResultSaysThatATextCannotBeSearched: a response in which each search finds something new is
// not written, and the result says why.
func TestResultSaysThatATextCannotBeSearched(t *testing.T) {
	t.Parallel()
	next := regexp.MustCompile(`(?:^|\[REDACTED\])(z)`) // the next one of a row
	for name, tt := range map[string]struct {
		body string
		want string
		err  error
	}{
		"two in a row": {"zz and more", "[REDACTED][REDACTED] and more", nil},
		"too many":     {strings.Repeat("z", 2*maxRounds), "[REDACTED]", errKeepsChanging},
	} {
		it := &interaction.Interaction{
			Request:  interaction.Request{Method: "GET", URL: "https://h.example/v1/files/1"},
			Response: interaction.Response{Status: 200, Body: []byte(tt.body), Text: "for readers"},
		}
		p := &Policy{Patterns: []*regexp.Regexp{next}}
		result := p.Interaction(it)
		if err := result.Err(); !errors.Is(err, tt.err) {
			t.Errorf("%s: %v, want %v", name, err, tt.err)
		}
		if got := string(it.Response.Body); got != tt.want {
			t.Errorf("%s: %q is written, want %q", name, got, tt.want)
		}
		if hasText := it.Response.Text != ""; hasText != (tt.err == nil) {
			t.Errorf("%s: the text for readers is written: %v", name, hasText)
		}

		asked := &interaction.Interaction{
			Request:  interaction.Request{Method: "POST", URL: "https://h.example/v1/files", Body: []byte(tt.body)},
			Response: interaction.Response{Status: 200},
		}
		if err := p.Interaction(asked).Err(); !errors.Is(err, tt.err) {
			t.Errorf("%s, in the request: %v, want %v", name, err, tt.err)
		}
	}
}

// TestWordsOfAFormAreNotLearned: of two forms that differ, only what may be a secret becomes known: a
// word or a name is not replaced elsewhere.
func TestWordsOfAFormAreNotLearned(t *testing.T) {
	t.Parallel()
	const secret, name = "Zq3vT8mKx2Lw9pRb4NcY7dHs", "mixtral-8x7b-32768"
	var p Policy
	p.RevealWithin(`body/key "[REDACTED]"`, `body/key "`+secret+`" body/tool "`+name+`"`)
	if got := hidden(t, &p, "call "+name+" with "+secret); got != "call "+name+" with "+Placeholder {
		t.Errorf("%s", got)
	}
}

// TestMetadataTokenOfAWS: the token of the instance metadata service is plain text, and replaced
// whatever it looks like; an empty answer stays empty.
func TestMetadataTokenOfAWS(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{"any text": Placeholder, "": ""} {
		req := &interaction.Request{Method: "PUT", URL: "http://169.254.169.254" + metadataTokenPath}
		resp := &interaction.Response{Status: 200, Body: []byte(body)}
		new(Policy).Response(req, resp)
		if got := string(resp.Body); got != want {
			t.Errorf("%q becomes %q, want %q", body, got, want)
		}
	}
}
