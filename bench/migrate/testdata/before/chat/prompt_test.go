package chat

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestPrompt(t *testing.T) {
	var sent request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, `{"choices": [{"message": {"content": "Paris."}}]}`)
	}))
	defer server.Close()
	t.Setenv("OPENAI_BASE_URL", server.URL)
	client := &Client{HTTP: server.Client(), Key: "unused"}
	got, err := client.Ask(t.Context(), "What is the capital of France?")
	if err != nil || got != "Paris." {
		t.Errorf("%q, %v", got, err)
	}
	if asked := sent.Messages[0].Content; asked != "What is the capital of France?" {
		t.Errorf("asked %q", asked)
	}
}
