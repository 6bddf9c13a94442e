package fakeprovider

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
)

// Every vendor has a word for every status.
func TestFailEveryVendor(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		for _, status := range []int{400, 401, 403, 404, 405, 408, 418, 424, 429, 500, 503, 504, 529} {
			h.Fail(1, status, http.Header{"Retry-After": {"1"}})
			r := h.post(e.path, e.body)
			if r.StatusCode != status || r.Header.Get("Retry-After") != "1" || r.text == "" {
				t.Errorf("%s %d: got %d %v %s", e.name, status, r.StatusCode, r.Header, r.text)
			}
		}
	}
}

// A key is asked for where the real ones have no other way to know who calls.
func TestKeys(t *testing.T) {
	h := start(t)
	for _, e := range endpoints {
		req, err := http.NewRequest(http.MethodPost, h.URL+e.path, strings.NewReader(e.body))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		_, v := familyOf(req, []byte(e.body))
		want := v.keyless.Status
		if want == 0 {
			want = http.StatusOK
		}
		if resp.StatusCode != want {
			t.Errorf("%s without a key: %d", e.name, resp.StatusCode)
		}
	}
}

func TestUnknownPathsByVendor(t *testing.T) {
	h := start(t)
	for _, c := range []struct{ path, header, want string }{
		{"/v1beta/nothing", "", `"status": "NOT_FOUND"`},
		{"/nothing", "X-Goog-Api-Key: k", `"status": "NOT_FOUND"`},
		{"/nothing", "Authorization: AWS4-HMAC-SHA256 x", `{"message":`},
		{"/api/nothing", "User-Agent: ollama/0.17", "404 page not found"},
		{"/nothing", "X-Fern-Sdk-Name: github.com/cohere-ai/cohere-go", `"message":"404 page not found`},
		{"/api/nothing", "", "Invalid URL"},
	} {
		req, err := http.NewRequest(http.MethodPost, h.URL+c.path, strings.NewReader(`{}`))
		if err != nil {
			t.Fatal(err)
		}
		if name, value, ok := strings.Cut(c.header, ": "); ok {
			req.Header.Set(name, value)
		}
		resp, err := h.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		var buf bytes.Buffer
		_, _ = buf.ReadFrom(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNotFound || !strings.Contains(buf.String(), c.want) {
			t.Errorf("%s with %q: got %d %s", c.path, c.header, resp.StatusCode, buf.String())
		}
	}
}
