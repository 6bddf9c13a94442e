package reports_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A key that is wrong or has expired fails the run with a text that says to set another one,
// in every mode that sends, whether the request is the recorded one or an edited one, and
// whatever status the provider gives it. The good recording stays.
func TestExpiredKeyIsReportedAsKey(t *testing.T) {
	t.Parallel()
	refusals := []struct {
		name   string
		status int
		body   string
	}{
		{"OpenAI, Anthropic, Cohere", 401, `{"error":{"message":"Incorrect API key provided"}}`},
		{"Bedrock", 403, `{"message":"The security token included in the request is invalid."}`},
		{"Gemini", 400, `{"error":{"code":400,"message":"API key expired.","status":"INVALID_ARGUMENT","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID"}]}}`},
		{"AWS", 400, `{"__type":"com.amazon.coral.service#ExpiredTokenException","message":"The security token is expired"}`},
		{"AWS, unknown client", 400, `{"__type":"UnrecognizedClientException"}`},
	}
	for _, refusal := range refusals {
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeUpdate} {
			for _, prompt := range []string{"hi", "hi, edited"} {
				if mode == promptecho.ModeUpdate && prompt == "hi" {
					continue // it is played
				}
				t.Run(fmt.Sprint(refusal.name, "/", mode, "/", prompt), func(t *testing.T) {
					t.Parallel()
					file := filepath.Join(t.TempDir(), "c.yaml")
					r := must.Open(t, file, promptecho.Upstream(provider.Statuses(`{"ok":true}`, 200, 200)))
					must.Ask(t, r, "http://h", "first")
					must.Ask(t, r, "http://h", "hi")
					must.Close(t, r)
					recorded := must.Read(t, file)

					r = must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Statuses(refusal.body, refusal.status, refusal.status)))
					if mode == promptecho.ModeUpdate {
						must.Ask(t, r, "http://h", "first")
					}
					must.Ask(t, r, "http://h", prompt)
					rep := must.Finish(r, report.Outcome{})
					if text := strings.Join(rep.Errors, "\n"); !strings.Contains(text, "Set a key that has access") {
						t.Errorf("the report says nothing of the key:\n%s", text)
					}
					if got := must.Read(t, file); got != recorded {
						t.Errorf("the cassette has changed:\n%s", got)
					}
				})
			}
		}
	}
}

// A client error of status 400 that has nothing to do with the key is not told as one.
func TestBadRequestIsNotReportedAsKey(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Statuses(`{"error":{"message":"max_tokens is too large"}}`, 400)))
	must.Ask(t, r, "http://h", "hi")
	rep := must.Finish(r, report.Outcome{})
	if text := strings.Join(append(rep.Errors, rep.Notes...), "\n"); strings.Contains(text, "Set a key") {
		t.Errorf("told as a refused key:\n%s", text)
	}
}

// The two options Alias that a report suggests are not suggested again, with the host that
// one of them has made.
func TestAliasThatIsSetIsNotSuggestedAgain(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"ok":true}`)))
	askLine(t, r, `POST http://127.0.0.1:6333/points/search {"vector":[1,2]}`)
	must.Close(t, r)

	report := func(opts ...promptecho.Option) string {
		r := must.Open(t, file, append(opts, promptecho.InMode(promptecho.ModeNone))...)
		askLine(t, r, `POST https://qdrant.acme.com/points/search {"vector":[1,2]}`)
		return fmt.Sprint(r.Close())
	}
	if text := report(); !strings.Contains(text, `promptecho.Alias("http://127.0.0.1:6333", "service"), promptecho.Alias("https://qdrant.acme.com", "service")`) {
		t.Errorf("no alias is suggested:\n%s", text)
	}
	text := report(promptecho.Alias("http://127.0.0.1:6333", "service"), promptecho.Alias("https://qdrant.acme.com", "service"))
	if strings.Contains(text, `Alias("`) || !strings.Contains(text, "record again") {
		t.Errorf("with both options set:\n%s", text)
	}
}
