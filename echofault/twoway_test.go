package echofault_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echofault"
)

// A request whose body is sent while its response streams passes: reading its body first would wait
// for a client that waits for the response.
func TestTwoWayRequestPasses(t *testing.T) {
	t.Parallel()
	next := transportFunc(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Body: req.Body, Request: req}, nil
	})
	body, client := io.Pipe()
	url := "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke-with-bidirectional-stream"
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-EVENTS")
	resp, err := echofault.New(t, next).RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		io.WriteString(client, "an event")
		client.Close()
	}()
	echoed, err := io.ReadAll(resp.Body)
	if err != nil || !strings.Contains(string(echoed), "an event") {
		t.Errorf("the response has %q, %v", echoed, err)
	}
}

// A transportFunc is a transport that is a function.
type transportFunc func(*http.Request) (*http.Response, error)

func (f transportFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }
