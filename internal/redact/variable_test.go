package redact

import (
	"regexp"
	"strings"
	"testing"
)

// A variable that looks like a credential is not written into a cassette. What tests depend on may:
// models, regions, addresses, ids. What may be a credential may not, by its name or by its looks.
func TestVariables(t *testing.T) {
	t.Parallel()
	const known = "Qm8vT2xLp9Wz"
	p := Policy{Names: []string{"CUSTOMER"}, Patterns: []*regexp.Regexp{regexp.MustCompile(`\b[a-z]+@acme\.example\b`)}}
	p.AddSecret(known)
	for _, tt := range []struct{ name, value, want string }{
		{"MODEL", "gpt-5.1", ""},
		{"MODEL", "", ""},
		{"MODEL", "claude-opus-4-8-20260101", ""},
		{"MODEL", "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.anthropic.claude-sonnet-4-20250514-v1:0", ""},
		{"MODEL", "ft:gpt-4o-mini-2024-07-18:acme::9xYz12Ab", ""},
		{"MODEL", "meta-llama/Meta-Llama-3.1-70B-Instruct-Turbo", ""},
		{"REGION", "us-east-1", ""},
		{"BASE_URL", "https://my-resource-eastus2.openai.azure.com/openai?api-version=2024-10-21", ""},
		{"MAX_TOKENS", "100", ""},
		{"TZ", "Europe/Berlin", ""},
		{"SETTINGS", `{"a": 1, "b": [true]}`, ""},
		{"RUN", "3f2504e0-4f89-11d3-9a0c-0305e82c3301", ""},
		{"VECTOR_STORE_ID", "vs_68d1c2b3a4f58191a2b3c4d5e6f70819", ""},
		{"GITHUB_SHA", "5f2d9e1c4b7a8f3e6d0c1b2a3f4e5d6c7b8a9f0e", ""},
		{"OPENAI_API_KEY", "", "its name is that of a credential"},
		{"CI_JOB_TOKEN", "x", "its name is that of a credential"},
		{"PGPASSWORD", "x", "its name is that of a credential"},
		{"DB_PASS", "x", "its name is that of a credential"},
		{"MODEL", "is " + known, "its value holds a known secret (plain)"},
		{"MODEL_ID", known, "its value holds a known secret (plain)"},
		{"DEPLOY", "Zk93hQ7xPw2LmN8v", "its value looks like a credential (if it is an id, rename the variable so that its name ends in _ID)"},
		{"SESSION_ID", "Zk93hQ7xPw2LmN8v", "its value looks like a credential (if it is an id, rename the variable so that its name ends in _ID)"},
		{"MODEL_ID", "gh" + "p_16C7e42F292c6912E7710c838347Ae178B4a", "its value looks like a credential (GitHub token)"},
		{"DATABASE_URL", "postgres://u:Zk93hQ7xPw2@h/db", "its value looks like a credential (a user name or password before the host)"},
		{"BASE_URL", "https://h/?api_key=abc", `its value looks like a credential (the parameter "api_key")`},
		{"customer", "x", "the option Redact or RedactFields matches its name or value"},
		{"TO", "jane@acme.example", "the option Redact or RedactFields matches its name or value"},
	} {
		got := ""
		if err := p.CheckVariable(tt.name, tt.value); err != nil {
			got = err.Error()
		}
		if got != tt.want || len(tt.value) > 3 && strings.Contains(got, tt.value) {
			t.Errorf("%s=%s: %q, want %q", tt.name, tt.value, got, tt.want)
		}
	}
}
