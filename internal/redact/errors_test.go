package redact

import (
	"fmt"
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
		"2024-10-21": false, "/v1/models": false, "two words here": false,
	} {
		if got := new(Policy).Reveal(`model "[REDACTED]"`, fmt.Sprintf("model %q", value)); got != want {
			t.Errorf("%q: %v, want %v", value, got, want)
		}
	}
}
