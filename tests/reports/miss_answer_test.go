package reports_test

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// A request without a recording gets status 418, which no SDK retries, and an error that names the nearest recording.
//
// The reason phrase has the line of that recording. A header tells the answer apart from one of the provider.
func TestMissAnswerNamesTheNearestRecording(t *testing.T) {
	t.Chdir(t.TempDir()) // with a long path, there would be no room for the whole text
	const file = "c.yaml"
	base := must.Record(t, file, "the cat sat")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	resp, err := rec.Client().Post(base+"/v1/chat/completions", "application/json",
		strings.NewReader(must.ChatBody("the dog sat")))
	if err != nil {
		t.Fatal(err)
	}
	body := must.Body(t, resp)

	if resp.StatusCode != 418 || resp.Status != "418 promptecho: c.yaml:4" {
		t.Errorf("status %q", resp.Status)
	}
	if resp.Header.Get(promptecho.MissHeader) == "" {
		t.Errorf("headers %q", resp.Header)
	}
	if retry := resp.Header.Get("X-Should-Retry"); retry != "false" {
		t.Errorf("X-Should-Retry %q, want that SDKs do not retry", retry)
	}
	want := `{"error":{"code":"promptecho_miss","message":"promptecho: not recorded: ` + file +
		`:4: the nearest recording differs in messages/0/content: recorded \"the cat sat\", incoming \"the dog sat\"` +
		`","type":"promptecho_miss"},"type":"error"}`
	if string(body) != want {
		t.Errorf("body %s\nwant %s", body, want)
	}
}

// The answer to a request without a recording is an error that the client of its API can read.
func TestMissAnswerHasTheErrorOfItsAPI(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ api, url, begins string }{
		{
			api:    "Ollama, whose error is a text",
			url:    "http://127.0.0.1:1/api/chat",
			begins: `{"error":"promptecho: not recorded: `,
		},
		{
			api:    "Gemini, whose code is a number",
			url:    "http://127.0.0.1:1/v1beta/models/gemini-2.5-flash:generateContent",
			begins: `{"error":{"code":418,"message":"promptecho: not recorded: `,
		},
		{
			api:    "OpenAI",
			url:    "http://127.0.0.1:1/v1/embeddings",
			begins: `{"error":{"code":"promptecho_miss","message":"promptecho: not recorded: `,
		},
		{
			api:    "OpenRouter",
			url:    "http://127.0.0.1:1/api/v1/chat/completions",
			begins: `{"error":{"code":"promptecho_miss","message":"promptecho: not recorded: `,
		},
		{
			api:    "Mistral, whose error is the body",
			url:    "https://api.mistral.ai/v1/chat/completions",
			begins: `{"code":"promptecho_miss","message":"promptecho: not recorded: `,
		},
	} {
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone))
		_, body := must.Post(t, rec, tt.url, must.ChatBody("hello"))
		if !json.Valid([]byte(body)) || !strings.HasPrefix(body, tt.begins) {
			t.Errorf("%s: %s", tt.api, body)
		}
		if strings.Count(body, "not recorded") != 1 {
			t.Errorf("%s: it says more than once that it is not recorded: %s", tt.api, body)
		}
	}
}

// A request without a recording that is sent in a loop is one entry of Misses, and of the report.
func TestRepeatedMissIsReportedOnce(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "the cat sat")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	for range 3 {
		must.WantMiss(t, rec, base, "the dog sat")
	}

	misses := rec.Misses()
	if len(misses) != 1 {
		t.Fatalf("%d misses: %+v", len(misses), misses)
	}
	miss := misses[0]
	if miss.Count != 3 || miss.Line != 4 || miss.File != file {
		t.Errorf("%d times at %s:%d", miss.Count, miss.File, miss.Line)
	}
	if miss.Call != "llm/openai.chat" || miss.Model != "m" {
		t.Errorf("the call is %s, the model %s", miss.Call, miss.Model)
	}
	var _ error = miss

	text := rec.Close().Error()
	if n := strings.Count(text, file+":4: "); n != 1 {
		t.Errorf("the report has the miss %d times:\n%s", n, text)
	}
	for _, want := range []string{
		"1 request has no recording (mode none, InMode in the code; 0 of 1 recordings used)",
		"cat",
		"dog",
		"recorded",
		"incoming",
		"PROMPTECHO_MODE=all",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report has no %q:\n%s", want, text)
		}
	}
}

// A miss names the line of the test that sent the request.
func TestMissNamesItsCaller(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	base := must.Record(t, file, "the cat sat")
	rec := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	resp, err := rec.Client().Post(base+"/v1/chat/completions", "application/json",
		strings.NewReader(must.ChatBody("the dog sat")))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if caller := rec.Misses()[0].Caller; !strings.HasPrefix(caller, "miss_answer_test.go:") {
		t.Errorf("Caller = %q, want this file", caller)
	}
}
