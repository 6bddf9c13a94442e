package reports_test

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request whose body is sent while its answer arrives is refused at once, with its reason and line.
func TestTwoWayRequestIsRefused(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Says(`{}`)))
	body, w := io.Pipe()
	url := "https://bedrock-runtime.us-east-1.amazonaws.com/model/m/invoke-with-bidirectional-stream"
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("X-Amz-Content-Sha256", "STREAMING-AWS4-HMAC-SHA256-EVENTS")
	resp, err := r.Client().Do(req)
	if err != nil || resp.StatusCode != http.StatusTeapot {
		t.Fatal(resp, err)
	}
	resp.Body.Close()
	if _, err := w.Write([]byte("x")); err == nil {
		t.Error("the body is still open")
	}
	text := strings.Join(must.Finish(r, report.Outcome{}).Errors, "\n")
	for _, want := range []string{"sends its body while its answer arrives", "duplex_test.go:"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// A request that is still sending its body when the test ends is named in the report, with its line. Nothing in such a
// request tells beforehand that its body is sent for as long as its answer arrives.
func TestRequestThatStillSendsItsBodyIsNamed(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.Upstream(provider.Says(`{}`)))
	body, w := io.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		req, err := http.NewRequest("POST", "http://h/chat", body)
		if err != nil {
			t.Error(err)
			return
		}
		if resp, err := r.Client().Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	w.Write([]byte("x")) // it returns when the recorder has read it, so the request is open
	text := strings.Join(must.Finish(r, report.Outcome{Failed: true}).Errors, "\n")
	for _, want := range []string{"POST http://h/chat (duplex_test.go:", "is still sending its body"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "no request reached") {
		t.Errorf("the report says that there was no request:\n%s", text)
	}
	w.Close()
	<-done
}
