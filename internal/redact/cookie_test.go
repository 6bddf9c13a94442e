package redact

import "testing"

// TestHeadersOfAnswers: a header of an answer that is a secret by its name or by its value.
func TestHeadersOfAnswers(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value, want string
		secret            bool
	}{
		{"Set-Cookie", "sid=k9Fq2xZr81LmPq7T; Path=/; HttpOnly", "sid=[REDACTED]~~~~~~; Path=/; HttpOnly", true},
		{"Set-Cookie", "sid=9f8e7d6c5b4a39281706f5e4d3c2b1a0", "sid=effaced0effaced0effaced0effaced0", true},
		{"X-Subject-Token", "k9Fq2xZr81LmPq7T", "[REDACTED]", true},
		{"X-Session-Id", "k9Fq2xZr81LmPq7T", "[REDACTED]", true},
		{"Mcp-Session-Id", "k9Fq2xZr81LmPq7T", "k9Fq2xZr81LmPq7T", false},
		{"X-Debug", "api_key=k9Fq2xZr81LmPq7T", "api_key=[REDACTED]", false},
		{"X-Request-Id", "req_k9Fq2xZr81LmPq7T", "req_k9Fq2xZr81LmPq7T", false},
		{"WWW-Authenticate", `Bearer authorization="https://login.acme.com/6a174c20-f6de-453c-94d2-6018fcceff64"`, `Bearer authorization="https://login.acme.com/6a174c20-f6de-453c-94d2-6018fcceff64"`, false},
	} {
		var p Policy
		if got, secret := p.HeaderOfAnswer(tt.name, tt.value); got != tt.want || secret != tt.secret {
			t.Errorf("%s: %s: %s, %v, want %s", tt.name, tt.value, got, secret, tt.want)
		}
	}
}
