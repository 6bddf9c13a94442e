package must

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
)

// NewRequest returns a request of this method. Without a text it has no body.
func NewRequest(t testing.TB, ctx context.Context, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// Fetch sends a request and reads the whole answer. It returns an error instead of ending the
// test, for requests that are canceled. What it has read of a body that breaks off is returned
// with the error.
func Fetch(c *http.Client, req *http.Request) (body string, err error) {
	resp, err := c.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return string(b), err
}
