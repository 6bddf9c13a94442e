package matching_test

import (
	"io"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// Files, vector stores and conversations of OpenAI are found behind the base URL of a gateway.
func TestStoredObjectsAreFoundBehindAGateway(t *testing.T) {
	t.Parallel()
	const upload = "--b\r\n" +
		"Content-Disposition: form-data; name=\"purpose\"\r\n\r\nassistants\r\n--b\r\n" +
		"Content-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n" +
		"Content-Type: application/octet-stream\r\n\r\ncontent\r\n--b--\r\n"
	calls := []struct{ method, path, contentType, body string }{
		{"POST", "/files", "multipart/form-data; boundary=b", upload},
		{"GET", "/files/file-abc", "", ""},
		{"GET", "/files/file-abc/content", "", ""},
		{"POST", "/vector_stores", "application/json", `{"name":"n"}`},
		{"POST", "/vector_stores/vs_1/search", "application/json", `{"query":"q"}`},
		{"GET", "/vector_stores/vs_1/files?limit=2", "", ""},
		{"POST", "/conversations", "application/json", `{}`},
		{"POST", "/conversations/conv_1/items", "application/json", `{"items":[]}`},
		{"GET", "/conversations/conv_1/items", "", ""},
		{"DELETE", "/conversations/conv_1", "", ""},
		{"DELETE", "/files/file-abc", "", ""},
	}
	callAll := func(r *promptecho.Recorder, base string) {
		for _, call := range calls {
			req := must.NewRequest(t, t.Context(), call.method, base+call.path, call.body)
			req.Header.Set("Content-Type", call.contentType)
			resp, err := r.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			_, err = io.ReadAll(resp.Body)
			resp.Body.Close()
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("%s %s: %s, %v", call.method, call.path, resp.Status, err)
			}
		}
		must.Close(t, r)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	callAll(recordAll(t, file, promptecho.Upstream(provider.Says(`{"object":"x"}`))), "https://api.openai.com/v1")
	callAll(replay(t, file), "https://gateway.example/llm/openai/v1")
}

// A changed host, path prefix or query parameter of a model API is ignored, and a note names it.
func TestIgnoredPartOfAURLIsNoted(t *testing.T) {
	t.Parallel()
	const azure = "https://r.openai.azure.com/openai/deployments/d/chat/completions?api-version="
	tests := []struct {
		name            string
		recorded, asked string // URLs
		note            string // part of it; "" if nothing is noted
	}{{
		name:     "another host",
		recorded: must.ChatURL,
		asked:    "https://gateway.example/v1/chat/completions",
		note:     `promptecho.Match("host")`,
	}, {
		name:     "another prefix",
		recorded: must.ChatURL,
		asked:    "https://api.openai.com/proxy/v1/chat/completions",
		note:     `promptecho.Match("path")`,
	}, {
		name:     "another api-version",
		recorded: azure + "2024-06-01",
		asked:    azure + "2025-01-01",
		note:     `promptecho.Match("query/api-version")`,
	}, {
		name:     "a further parameter",
		recorded: must.ChatURL,
		asked:    must.ChatURL + "?beta=true",
		note:     `promptecho.Match("query/beta")`,
	}, {
		name:     "another local port",
		recorded: "http://127.0.0.1:1/v1/chat/completions",
		asked:    "http://localhost:2/v1/chat/completions",
	}, {
		name:     "the same URL",
		recorded: must.ChatURL,
		asked:    must.ChatURL,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantNote(t, chatAt(tt.recorded), chatAt(tt.asked), tt.note)
		})
	}
}
