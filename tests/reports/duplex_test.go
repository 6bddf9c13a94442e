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
