// Package build has in its folders the same small test with one library each, and with
// none. The command table builds and edits them.
package build

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
)

// Ask makes a call to a server of the test's own with client, and checks the answer.
func Ask(t *testing.T, client *http.Client) {
	const answer = "an answer"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, answer)
	}))
	defer server.Close()
	resp, err := client.Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err != nil || string(body) != answer {
		t.Fatalf("got %q, %v", body, err)
	}
}
