package claude

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
)

func TestCutAnswer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(name, data string) {
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", name, data)
			w.(http.Flusher).Flush()
		}
		send("message_start", `{"type":"message_start","message":{"id":"msg_1","role":"assistant","content":[]}}`)
		send("content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		for _, piece := range []string{"Once ", "upon "} {
			send("content_block_delta", fmt.Sprintf(
				`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, piece))
		}
		send("content_block_stop", `{"type":"content_block_stop","index":0}`)
		send("message_delta", `{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":2}}`)
		send("message_stop", `{"type":"message_stop"}`)
	}))
	defer server.Close()
	client := &Client{HTTP: server.Client(), Key: "unused", URL: server.URL}
	pieces, stop, err := client.Stream(t.Context(), "Tell a story.")
	if err != nil || !slices.Equal(pieces, []string{"Once ", "upon "}) || stop != "max_tokens" {
		t.Errorf("%q, %q, %v", pieces, stop, err)
	}
}
