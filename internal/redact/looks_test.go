package redact

import "testing"

// A value that was found in one place is searched for elsewhere only if it looks like a secret.
func TestLooksSecret(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value      string
		credential bool // if it was in a place that can only have a credential
		anywhere   bool // if it was under a name that may be data
	}{
		// Keys and passwords.
		{"Zq3vT8mKx2Lw9pRb4NcY7dHsUe5JfAg6", true, true},
		{"echo-secret-0123456789abcdef", true, true},
		{"0123456789abcdef0123456789abcdef", true, true},
		{"8f14e45f-ceea-467f-a8d5-3b1c7e9d2a60", true, true},
		{"tRqWzLpKmXvNbHgFdSaJ", true, true},
		{"tr-9f8e7d6c5b4a3928", true, true},
		{"817236485512", true, false},
		{"pplnibbeeteqxzez", true, false},
		{"correct horse battery", true, false},
		{"aB3dE5fG7", true, true}, // short, but of all three classes
		{"QuietRiver", false, false},
		{"qWzLpKmX", false, false},
		{"quiet7river", false, false},
		{"summer-2024-paris", true, false},
		{"Elasticsearch2024", true, false},
		{"my-api-key-for-tests", true, false},
		{"dummy-key-for-tests", true, false},

		// Models.
		{"gpt-4o", false, false},
		{"gpt-4o-mini-2024-07-18", false, false},
		{"gpt-5.4-mini-2026-03-17", false, false},
		{"o3-mini-2025-01-31", false, false},
		{"chatgpt-4o-latest", false, false},
		{"openai/gpt-oss-120b", false, false},
		{"ft:gpt-4o-mini-2024-07-18:acme::A1b2C3d4", false, false},
		{"claude-3-5-sonnet-20241022", false, false},
		{"claude-sonnet-4-5-20250929", false, false},
		{"us.anthropic.claude-3-5-sonnet-20241022-v2:0", false, false},
		{"anthropic.claude-v2", false, false},
		{"gemini-2.5-flash-preview-09-2025", false, false},
		{"models/gemini-1.5-pro-002", false, false},
		{"grok-4-1-fast-non-reasoning", false, false},
		{"meta-llama/Llama-3.3-70B-Instruct-Turbo", false, false},
		{"Meta-Llama-3.1-405B-Instruct", false, false},
		{"mistral-large-2411", false, false},
		{"mixtral-8x7b-32768", false, false},
		{"Qwen2.5-72B-Instruct", false, false},
		{"deepseek-r1-distill-llama-70b", false, false},
		{"text-embedding-3-large", false, false},
		{"command-r-plus-08-2024", false, false},
		{"amazon.nova-pro-v1:0", false, false},
		{"amazon.titan-embed-text-v2:0", false, false},
		{"Phi-4-multimodal-instruct", false, false},
		{"moonshotai/Kimi-K2-Instruct-0905", false, false},
		{"stable-diffusion-3.5-large", false, false},

		// Deployments, tools and roles.
		{"chat-production-eu", false, false},
		{"my-deployment-name", false, false},
		{"get_current_weather", false, false},
		{"getCurrentWeather", false, false},
		{"search_web", false, false},
		{"assistant", false, false},
		{"administrator", true, false},
		{"prod-2024-chat", true, false},

		// Paths, versions, times.
		{"/v1/chat/completions", false, false},
		{"/openai/deployments/gpt-4o/chat/completions", false, false},
		{"2024-10-21", false, false},
		{"2024-10-21-preview", false, false},
		{"2025-01-02T03:04:05Z", false, false},
		{"v1beta", false, false},
		{"1.2.3-rc.1", false, false},
	}
	for _, tt := range tests {
		if got := looksSecret(tt.value, true); got != tt.credential {
			t.Errorf("%q as a credential: %v, want %v", tt.value, got, tt.credential)
		}
		if got := looksSecret(tt.value, false); got != tt.anywhere {
			t.Errorf("%q under a name that may be data: %v, want %v", tt.value, got, tt.anywhere)
		}
	}
}

// TestRandomValuesAndSequences: what counts up, or changes its classes too rarely, is not
// random.
func TestRandomValuesAndSequences(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		measures   measures
		isSequence bool
	}{
		{measures{alnums: 20, closePairs: 9}, true},   // 45 percent
		{measures{alnums: 29, closePairs: 13}, false}, // 44.8 percent
		{measures{alnums: 20, closePairs: 20}, true},
		{measures{alnums: 20}, false},
	} {
		if got := tt.measures.isSequence(); got != tt.isSequence {
			t.Errorf("%d close pairs of %d letters and digits: %v", tt.measures.closePairs, tt.measures.alnums, got)
		}
	}
	for value, want := range map[string]bool{
		"qzxkvjwpbnr482tghdmxwvkpjf7391zq": true,  // 32 of one case, with many digits
		"qzxkvjwpbnr482tghdmxwvkpjf7391z":  false, // shorter, with as few changes
		"Zq3vT8mKx2Lw9pRb":                 true,
		"abcdefgh12345678":                 false,
		"short7Zq":                         false,
	} {
		if got := looksRandomAlone(value); got != want {
			t.Errorf("%q looks random: %v", value, got)
		}
	}
}

// TestLimitsOfPredicates: values next to the limits of what is taken for a secret.
func TestLimitsOfPredicates(t *testing.T) {
	t.Parallel()
	lower := "qzxkvjwpbnrtghdm" // 16 letters that are no words
	for name, tt := range map[string]struct{ got, want bool }{
		"a generated value with a run of 15":      {looksGenerated("A1" + lower[1:]), true},
		"with a run of 16, as words have":         {looksGenerated("A1" + lower), false},
		"a UUID of eight digits":                  {isUUID("01234567-0123-4567-0123-012345670123"), true},
		"a UUID of seven digits":                  {isUUID("01234560-0123-4560-0123-012345600123"), false},
		"a strong password":                       {isStrongPassword("q1w2e3R4-t5y6", "", 100), true}, // one capital
		"without a capital":                       {isStrongPassword("q1w2e3r4-t5y6", "", 100), false},
		"too short":                               {isStrongPassword("q1w2e3R4-t5", "", 100), false},
		"a variable":                              {isStrongPassword("${q1w2e3R4t5y6}", "", 100), false},
		"a user and a printable password":         {isBasic("dXNlcjpwNHNzfncwcmQ="), true},  // user:p4ss~w0rd
		"a password that is not printable":        {isBasic("dXNlcjpwNHNzf3cwcmQ="), false}, // user:p4ss\x7fw0rd
		"a random password with two digits":       {isRandomPassword("QzxKvjWpbn4RtGhD7mLs"), true},
		"a long password without digits":          {isRandomPassword("QzxKvjWpbnrRtGhDamLs"), false},
		"the text of a placeholder":               {isRedacted(Placeholder), true},
		"stars":                                   {isRedacted("****"), true},
		"another word":                            {isRedacted("secret"), false},
		"a placeholder and more":                  {isRedacted(Placeholder + "x"), false},
		"a parameter of a credential":             {isCertain("api_key", "h.example", "none"), true},
		"a parameter that says if one is needed":  {isCertain("api_key", "h.example", "true"), false},
		"a parameter that says that none is":      {isCertain("api_key", "h.example", "false"), false},
		"a placeholder for any text":              {HasWildcard("key " + Placeholder), true},
		"a placeholder for any text in a URL":     {HasWildcard("?key=%5BREDACTED%5D"), true},
		"a placeholder for any text in base64":    {HasWildcard("a2V5OiBbUkVEQUNURURd"), true}, // key: [REDACTED]
		"a placeholder with a hash":               {HasWildcard("[REDACTED-22b82fae]"), false},
		"no placeholder":                          {HasWildcard("key"), false},
		"a secret that is shortened with dots":    {isElided("sk-abc...", 6), true},
		"a secret that is shortened with stars":   {isElided("sk-abc***", 6), true},
		"a secret that is shortened in a display": {isElided("sk-abc…", 6), true},
		"the end of a sentence":                   {isElided("sk-abc.", 6), false},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %v, want %v", name, tt.got, tt.want)
		}
	}
}
