package reports_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A key that is wrong or has expired fails a recording run, the report says so, and the recording stays. This holds
// whatever status the provider gives it, and whether the request is the recorded one or an edited one.
func TestRefusedKeyIsReportedAsSuch(t *testing.T) {
	t.Parallel()
	refusals := []struct {
		name   string
		status int
		body   string
	}{
		{
			name:   "OpenAI, Anthropic, Cohere",
			status: 401,
			body:   `{"error":{"message":"Incorrect API key provided"}}`,
		},
		{
			name:   "Bedrock",
			status: 403,
			body:   `{"message":"The security token included in the request is invalid."}`,
		},
		{
			name:   "Gemini",
			status: 400,
			body: `{"error":{"code":400,"message":"API key expired.","status":"INVALID_ARGUMENT","details":` +
				`[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`,
		},
		{
			name:   "AWS, an expired token",
			status: 400,
			body: `{"__type":"com.amazon.coral.service#ExpiredTokenException",` +
				`"message":"The security token is expired"}`,
		},
		{
			name:   "AWS, an unknown client",
			status: 400,
			body:   `{"__type":"UnrecognizedClientException"}`,
		},
	}
	runs := []struct {
		name    string
		mode    promptecho.Mode
		prompts []string // after "first" and "hi" were recorded
	}{
		{name: "mode all, the recorded request", mode: promptecho.ModeAll, prompts: []string{"hi"}},
		{name: "mode all, an edited request", mode: promptecho.ModeAll, prompts: []string{"hi, edited"}},
		{name: "mode update, an edited request", mode: promptecho.ModeUpdate, prompts: []string{"first", "hi, edited"}},
	}
	for _, refusal := range refusals {
		for _, run := range runs {
			t.Run(refusal.name+"/"+run.name, func(t *testing.T) {
				t.Parallel()
				file := filepath.Join(t.TempDir(), "c.yaml")
				r := must.Open(t, file, promptecho.Upstream(provider.Says(`{"ok":true}`)))
				must.Ask(t, r, "http://h", "first")
				must.Ask(t, r, "http://h", "hi")
				must.Close(t, r)
				recorded := must.Read(t, file)

				refuses := provider.Statuses(refusal.body, refusal.status)
				r = must.Open(t, file, promptecho.InMode(run.mode), promptecho.Upstream(refuses))
				for _, prompt := range run.prompts {
					must.Ask(t, r, "http://h", prompt)
				}
				errs := must.Finish(r, report.Outcome{}).Errors
				if text := strings.Join(errs, "\n"); !strings.Contains(text, "Set a key that has access") {
					t.Errorf("the report does not name the key:\n%s", text)
				}
				if got := must.Read(t, file); got != recorded {
					t.Errorf("the cassette has changed:\n%s", got)
				}
			})
		}
	}
}

// A failure of status 400 that has nothing to do with the key is not reported as a refused key.
func TestOtherBadRequestIsNotReportedAsRefusedKey(t *testing.T) {
	t.Parallel()
	refuses := provider.Statuses(`{"error":{"message":"max_tokens is too large"}}`, 400)
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(refuses))
	must.Ask(t, r, "http://h", "hi")
	rep := must.Finish(r, report.Outcome{})
	text := strings.Join(append(rep.Errors, rep.Notes...), "\n")
	if strings.Contains(text, "Set a key") {
		t.Errorf("the report tells to set a key:\n%s", text)
	}
}
