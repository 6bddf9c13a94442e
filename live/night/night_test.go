package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// key is a key of each provider in the test. No file may hold it.
const key = "live-NOTREAL-0123456789"

// A provider is the stand-in for all providers, whose answers can be changed.
type provider struct {
	standin  fakeprovider.Server
	requests atomic.Int64
	change   func(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) // nil for none
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.requests.Add(1)
	if p.change == nil {
		p.standin.ServeHTTP(w, r)
		return
	}
	answer := httptest.NewRecorder()
	p.standin.ServeHTTP(answer, r)
	p.change(w, r, answer)
}

// forward writes an answer as it is.
func forward(w http.ResponseWriter, answer *httptest.ResponseRecorder) {
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	_, _ = io.Copy(w, answer.Body)
}

// newField adds a field to the messages of Anthropic.
func newField(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) {
	isMessage := bytes.Contains(answer.Body.Bytes(), []byte(`"type":"message"`)) ||
		bytes.Contains(answer.Body.Bytes(), []byte(`"type": "message"`))
	isJSON := strings.HasPrefix(answer.Header().Get("Content-Type"), "application/json")
	if r.URL.Path == "/v1/messages" && isMessage && isJSON {
		body := bytes.Replace(answer.Body.Bytes(), []byte("{"), []byte(`{"verdict":{"safe":true},`), 1)
		answer.Body = bytes.NewBuffer(body)
		answer.Header().Del("Content-Length")
	}
	forward(w, answer)
}

// refuseKey refuses the key of OpenAI, and repeats it. Anthropic has the new field again.
func refuseKey(w http.ResponseWriter, r *http.Request, answer *httptest.ResponseRecorder) {
	if !strings.HasPrefix(r.URL.Path, "/v1/chat/") {
		newField(w, r, answer)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusUnauthorized)
	message := "Incorrect API key: " + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	_, _ = io.WriteString(w, `{"error":{"message":"`+message+`","type":"invalid_request_error","code":"invalid_api_key"}}`)
}

// The nightly run records all providers and replays them, says nothing where they answer as last
// night, and reports what has changed. A test without its key is skipped, and no key is in the
// report or in a cassette.
func TestNights(t *testing.T) {
	p := new(provider)
	srv := httptest.NewServer(p)
	defer srv.Close()
	tests := []string{
		"TestAnthropic", "TestBedrock", "TestCohere", "TestGemini", "TestOllama", "TestOpenAIChat", "TestOpenAIResponses",
	}
	const requests = 3 // of each test
	cassettes := filepath.Join(t.TempDir(), "cassettes")
	env := append(withoutKeys(os.Environ()), "CI=true", "PROMPTECHO_MODE=", "LIVE_CASSETTES="+cassettes,
		"OPENAI_BASE_URL="+srv.URL+"/v1", "ANTHROPIC_BASE_URL="+srv.URL, "GOOGLE_GEMINI_BASE_URL="+srv.URL,
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME="+srv.URL, "CO_API_URL="+srv.URL, "OLLAMA_HOST=")
	if !full.Set() {
		env = append(env, "LIVE_RACE=0") // the SDKs compile for minutes with it
	}
	withKeys := append(env, "OLLAMA_HOST="+srv.URL)
	for _, name := range keys {
		if name != "AWS_SESSION_TOKEN" {
			withKeys = append(withKeys, name+"="+key)
		}
	}

	t.Run("without keys", func(t *testing.T) {
		text := night(t, env, 0)
		for _, test := range tests {
			row := rowOf(t, text, test)
			if !strings.Contains(row, "|  | skip | skip | to record an answer, set ") {
				t.Errorf("the row is %s", row)
			}
		}
	})
	t.Run("the first", func(t *testing.T) {
		text := night(t, withKeys, 0)
		for _, test := range tests {
			if row := rowOf(t, text, test); row != "| "+test+" |  | pass | pass |  |" {
				t.Errorf("the row is %s", row)
			}
		}
		if n := p.requests.Swap(0); n != int64(requests*len(tests)) {
			t.Errorf("the providers got %d requests", n)
		}
	})
	t.Run("nothing differs", func(t *testing.T) {
		text := night(t, withKeys, 0)
		if !strings.HasPrefix(text, "### Nothing differs\n") {
			t.Errorf("the report is\n%s", text)
		}
		for _, test := range tests {
			if row := rowOf(t, text, test); row != "| "+test+" | 3 identical | pass | pass |  |" {
				t.Errorf("the row is %s", row)
			}
		}
		// They are asked twice: to compare, and to record.
		if n := p.requests.Swap(0); n != int64(2*requests*len(tests)) {
			t.Errorf("the providers got %d requests", n)
		}
	})
	t.Run("a new field", func(t *testing.T) {
		p.change = newField
		text := night(t, withKeys, 1)
		for _, want := range []string{
			"### 1 problem\n", "| TestAnthropic | 1 identical, 2 drift | pass | pass |  |", "| TestGemini | 3 identical | pass | pass |  |",
			"### TestAnthropic: the provider does not answer as last night\n", "verdict",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in the report:\n%s", want, text)
			}
		}
	})
	t.Run("a key is refused", func(t *testing.T) {
		p.change = refuseKey
		text := night(t, withKeys, 1)
		for _, want := range []string{"### TestOpenAIChat: record fails\n", "Incorrect API key", "| TestAnthropic | 3 identical | pass | pass |  |"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is not in the report:\n%s", want, text)
			}
		}
	})
	t.Run("the run fails", func(t *testing.T) {
		text := night(t, append(withKeys, "LIVE_CASSETTES="+filepath.Join(t.TempDir(), "[")), 2)
		if !strings.Contains(text, "### The run failed\n") {
			t.Errorf("the report is\n%s", text)
		}
	})
	err := filepath.WalkDir(cassettes, func(file string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(file)
		if strings.Contains(string(text), key) {
			t.Errorf("%s has the key", file)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// night runs .ci/live, checks its exit status, and returns the report.
func night(t *testing.T, env []string, status int) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.md")
	cmd := exec.Command("bash", filepath.Join("..", "..", ".ci", "live"), file)
	cmd.Env = env
	out, _ := cmd.CombinedOutput() // the exit status says it
	if got := cmd.ProcessState.ExitCode(); got != status {
		t.Fatalf("the exit status is %d, want %d:\n%s", got, status, out)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(out), key) || strings.Contains(string(text), key) {
		t.Errorf("the key is in the log or in the report:\n%s", out)
	}
	return string(text)
}

// rowOf returns the row of a test in the table of a report.
func rowOf(t *testing.T, text, test string) string {
	t.Helper()
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| "+test+" |") {
			return strings.TrimSpace(line)
		}
	}
	t.Fatalf("the report has no row for %s:\n%s", test, text)
	return ""
}

// A block in the report ends where its text ends, and a long one is cut.
func TestFenced(t *testing.T) {
	if got := fenced("a\n```\nb\n"); got != "````text\na\n```\nb\n````" {
		t.Errorf("got %q", got)
	}
	got := fenced(strings.Repeat("line\n", maxLines+7))
	if strings.Count(got, "\nline") != maxLines || !strings.HasSuffix(got, "\n(7 more lines)\n```") {
		t.Errorf("got %q", got)
	}
}

// What looks like a secret is not in the report, whatever its variable.
func TestWithoutSecrets(t *testing.T) {
	t.Setenv("CO_API_KEY", key)
	text := "a " + key + " b\nx sk-proj-" + strings.Repeat("Ab3dEf6hIj", 5) + "\nc\n"
	if got := withoutSecrets(text); got != "a [REDACTED] b\n(a line that looks like a secret)\nc\n" {
		t.Errorf("got %q", got)
	}
}
