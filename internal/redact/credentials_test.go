package redact

import "testing"

func TestNamesOfCredentials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"OPENAI_API_KEY":                 true,
		"AWS_ACCESS_KEY_ID":              true,
		"GITHUB_TOKEN":                   true,
		"CLIENT_SECRET":                  true,
		"GOOGLE_APPLICATION_CREDENTIALS": true,
		"OPENAI_BASE_URL":                false,
		"key":                            false, // variables are in upper case
		"":                               false,
	} {
		if got := IsCredentialVariable(name); got != want {
			t.Errorf("IsCredentialVariable(%q) = %v", name, got)
		}
	}
	for name, want := range map[string]bool{
		"Authorization": true,
		"X-Api-Key":     true,
		"session_id":    true,
		"X-Author":      true, // a credential must not be overlooked
		"Content-Type":  false,
		"":              false,
	} {
		if got := MayHoldCredential(name); got != want {
			t.Errorf("MayHoldCredential(%q) = %v", name, got)
		}
	}
}
