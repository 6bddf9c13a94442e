package main

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// viewed is a viewer of one cassette.
func viewed(t *testing.T) *viewer {
	t.Helper()
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte("version: 1\ninteractions:\n  - request: {method: GET, url: \"https://h/v1/models\"}\n    response: {status: 200, body: hello}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	return &viewer{paths: []string{file}}
}

// The server answers this machine, by a name of this machine, with the page and nothing else.
func TestViewServer(t *testing.T) {
	t.Parallel()
	v := viewed(t)
	for _, tt := range []struct {
		method, host, target string
		status               int
	}{
		{"GET", "127.0.0.1:4000", "/", http.StatusOK},
		{"HEAD", "localhost:4000", "/", http.StatusOK},
		{"GET", "localhost", "/", http.StatusOK},
		{"GET", "[::1]:4000", "/?old=a&new=b", http.StatusOK},
		{"GET", "evil.example", "/", http.StatusForbidden},
		{"GET", "127.0.0.1.evil.example:4000", "/", http.StatusForbidden},
		{"GET", "localhost.evil.example", "/", http.StatusForbidden},
		{"GET", "192.168.1.7:4000", "/", http.StatusForbidden},
		{"GET", "", "/", http.StatusForbidden},
		{"POST", "127.0.0.1:4000", "/", http.StatusMethodNotAllowed},
		{"OPTIONS", "127.0.0.1:4000", "/", http.StatusMethodNotAllowed},
		{"GET", "127.0.0.1:4000", "/one.yaml", http.StatusNotFound},
		{"GET", "127.0.0.1:4000", "/../../etc/passwd", http.StatusNotFound},
	} {
		r := httptest.NewRequest(tt.method, tt.target, nil)
		r.Host = tt.host
		w := httptest.NewRecorder()
		v.ServeHTTP(w, r)
		if w.Code != tt.status {
			t.Errorf("%s %s of %q: status %d, want %d", tt.method, tt.target, tt.host, w.Code, tt.status)
		}
		if w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s %s of %q: another origin may read it", tt.method, tt.target, tt.host)
		}
		if policy := w.Header().Get("Content-Security-Policy"); tt.status == http.StatusOK && (!strings.HasPrefix(policy, "default-src 'none'; ") || !strings.Contains(policy, "frame-ancestors 'none'")) {
			t.Errorf("%s %s of %q: policy %q", tt.method, tt.target, tt.host, policy)
		}
	}
}

// Only what is in the list can be compared: a name in an address reads no other file.
func TestViewComparesOnlyCassettes(t *testing.T) {
	t.Parallel()
	v := viewed(t)
	r := httptest.NewRequest("GET", "/?old=/etc/passwd&new="+url.QueryEscape(v.paths[0]), nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	if body := w.Body.String(); w.Code != http.StatusOK || !strings.Contains(body, "cannot be compared: it is not one of these cassettes") || strings.Contains(body, "root:") {
		t.Errorf("status %d:\n%s", w.Code, body[max(0, strings.Index(body, "<main")):])
	}
}

// A cassette that is gone between two reloads is said, and the server goes on.
func TestViewAfterDeletion(t *testing.T) {
	t.Parallel()
	v := viewed(t)
	if err := os.Remove(v.paths[0]); err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest("GET", "/", nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	v.ServeHTTP(w, r)
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), filepath.Base(v.paths[0])+": ") {
		t.Errorf("status %d: %s", w.Code, w.Body.String())
	}
}
