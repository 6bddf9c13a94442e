// Package baseurls runs SDKs of other languages with the variables of echotest.Server.Env. The
// table of docs/SDKS.md says what they read.
package baseurls

import (
	"errors"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// Answers of providers, made up, with the fields that the SDKs need.
const (
	completion = `{"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "system_fingerprint": null,
		"choices": [{"index": 0, "finish_reason": "stop", "logprobs": null, "message": {"role": "assistant", "content": "Hello."}}],
		"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}`
	message = `{"id": "m1", "type": "message", "role": "assistant", "model": "m", "stop_reason": "end_turn",
		"content": [{"type": "text", "text": "Hello."}], "usage": {"input_tokens": 1, "output_tokens": 1}}`
	content  = `{"candidates": [{"content": {"role": "model", "parts": [{"text": "Hello."}]}, "finishReason": "STOP"}]}`
	converse = `{"output": {"message": {"role": "assistant", "content": [{"text": "Hello."}]}}, "stopReason": "end_turn",
		"usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}, "metrics": {"latencyMs": 1}}`
	passages = `{"retrievalResults": [{"content": {"text": "Hello.", "type": "TEXT"}}]}`
)

// gateway is a variable that a user has set to a gateway.
type gateway struct{ variable, value string }

// clients has the programs of testdata/npm/ask.mjs: which URL each calls, and what is answered.
var clients = map[string]struct {
	url, answer string
	gateway     gateway
}{
	"openai":           {"https://api.openai.com/v1/chat/completions", completion, gateway{}},
	"langchain":        {"https://gateway.example.com/v1/chat/completions", completion, gateway{"OPENAI_API_BASE", "https://gateway.example.com/v1"}},
	"groq":             {"https://api.groq.com/openai/v1/chat/completions", completion, gateway{}},
	"together":         {"https://api.together.ai/v1/chat/completions", completion, gateway{}},
	"cerebras":         {"https://api.cerebras.ai/v1/chat/completions", completion, gateway{}},
	"perplexity":       {"https://api.perplexity.ai/chat/completions", completion, gateway{}},
	"openrouter":       {"https://openrouter.ai/api/v1/chat/completions", completion, gateway{}},
	"genai":            {"https://generativelanguage.googleapis.com/v1beta/models/m:generateContent", content, gateway{}},
	"anthropicBedrock": {"https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/invoke", message, gateway{}},
	"anthropicMantle":  {"https://bedrock-mantle.eu-central-1.api.aws/anthropic/v1/messages", message, gateway{}},
	"bedrock":          {"https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse", converse, gateway{}},
	"bedrockAgent":     {"https://bedrock-agent-runtime.eu-central-1.amazonaws.com/knowledgebases/KBOFPROMPT/retrieve", passages, gateway{}},
	"vercelBedrock":    {"https://bedrock-runtime.eu-central-1.amazonaws.com/model/m/converse", converse, gateway{}},
}

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// SDKs from npm reach the recorder with no change to the program, and replay with no key
// and no provider.
func TestClientsReadTheirVariables(t *testing.T) {
	full.Only(t, "TestServeVariables")
	folder := npmFolder(t)
	const secret = "echo-secret-of-baseurls-0123456789"
	for _, name := range []string{"OPENAI_API_KEY", "GROQ_API_KEY", "TOGETHER_API_KEY", "CEREBRAS_API_KEY",
		"PERPLEXITY_API_KEY", "GEMINI_API_KEY", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"} {
		t.Setenv(name, secret)
	}
	t.Setenv("AWS_REGION", "eu-central-1")
	for name, client := range clients {
		t.Run(name, func(t *testing.T) {
			if client.gateway.variable != "" {
				t.Setenv(client.gateway.variable, client.gateway.value)
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			live := ask(t, folder, name, file, promptecho.ModeAll, roundTripFunc(func(req *http.Request) (*http.Response, error) {
				if req.URL.String() != client.url {
					t.Errorf("%s is called, want %s", req.URL, client.url)
				}
				return answerWith(req, client.answer), nil
			}))
			replay := ask(t, folder, name, file, promptecho.ModeNone, roundTripFunc(func(*http.Request) (*http.Response, error) {
				return nil, errors.New("a replay sends nothing")
			}))
			if live != "Hello.\n" || replay != live {
				t.Errorf("live: %q, replay: %q", live, replay)
			}
		})
	}
}

// ask runs a program of testdata/npm/ask.mjs through a recorder, and returns what it prints. The
// program has an environment with nothing but PATH and what echotest.Server.Env returns.
func ask(t *testing.T, folder, name, file string, mode promptecho.Mode, upstream http.RoundTripper) (printed string) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(upstream))
	if err != nil {
		t.Fatal(err)
	}
	t.Run(string(mode), func(t *testing.T) { // the server ends with the test, before the recorder
		cmd := exec.CommandContext(t.Context(), "node", "ask.mjs", name)
		cmd.Dir = folder
		cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, echotest.Serve(t, rec).Env()...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Errorf("%v\n%s", err, &stderr)
		}
		printed = string(out)
	})
	if err := rec.Close(); err != nil {
		t.Error(err)
	}
	return printed
}

// answerWith returns a response with a JSON text.
func answerWith(req *http.Request, text string) *http.Response {
	return &http.Response{
		StatusCode:    http.StatusOK,
		ProtoMajor:    1,
		ProtoMinor:    1,
		Header:        http.Header{"Content-Type": {"application/json"}},
		Body:          io.NopCloser(strings.NewReader(text)),
		ContentLength: int64(len(text)),
		Request:       req,
	}
}

// npmFolder returns a folder with ask.mjs and the packages of testdata/npm. It skips the test where
// Node.js or npm is not. CI has both.
func npmFolder(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"node", "npm"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "npm"))); err != nil {
		t.Fatal(err)
	}
	install := exec.CommandContext(t.Context(), "npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	install.Dir = folder
	out, err := install.CombinedOutput()
	if err != nil {
		t.Fatalf("npm ci: %v\n%s", err, out)
	}
	return folder
}
