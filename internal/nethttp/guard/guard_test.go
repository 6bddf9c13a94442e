package guard

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// What passes is not touched, whoever asks; a refusal is the error of the request.
func TestPasses(t *testing.T) {
	g := &guard{}
	for _, text := range []string{"db.internal", "*.example.com", "2001:db8::1", "db", "cache:6379", "https://api.internal", "http://a.internal:81/v1", "http/m.internal"} {
		host, err := ParseHost(text)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		g.allowed = append(g.allowed, host)
	}
	for url, want := range map[string]bool{
		"http://localhost:1/":         true,
		"http://a.localhost/":         true,
		"http://127.0.0.9/":           true,
		"http://[::1]:80/":            true,
		"http://0.0.0.0:9/":           true,
		"http://DB.internal:5432/":    true,
		"http://[2001:db8::1]/":       true,
		"https://api.example.com/":    true,
		"https://a.b.example.com/":    true,
		"https://example.com/":        false,
		"https://badexample.com/":     false,
		"https://localhost.evil.org/": false,
		"http://10.0.0.1/":            false,
		"http://sub.db.internal/":     false,
		"http://db:5432/":             true,
		"http://cache:6379/":          true,
		"http://cache/":               false,
		"https://api.internal/":       true,
		"http://api.internal/":        false,
		"http://a.internal:81/v1/x":   true,
		"http://a.internal:81/v2":     false,
		"http://m.internal/":          true,
	} {
		req := httptest.NewRequest("GET", url, nil)
		if got := g.isAllowed(req); got != want {
			t.Errorf("%s passes: %v", url, got)
		}
		if !g.isAllowed(req.WithContext(Exempt(req.Context()))) {
			t.Errorf("%s does not pass although a recorder sends it", url)
		}
	}
}

// Requests of tests that have a recorder are theirs, also those of goroutines and subtests;
// everything else is of the package. The same line is told once.
func TestLeaks(t *testing.T) {
	Install()
	Start(nil)
	leaks := Watch()
	get := func() {
		resp, err := http.Get("https://api.example.com/secret?key=1")
		if err == nil {
			resp.Body.Close()
		}
		var l *Leak
		if !errors.As(err, &l) || l.Host != "api.example.com" {
			t.Errorf("error %v", err)
		}
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(get)
	}
	all.Wait()
	t.Run("sub", func(t *testing.T) { get() })
	mine := leaks()
	n := 0
	for _, l := range mine {
		n += l.Times
		if text := l.Report(); l.Test != "TestLeaks" || !strings.HasPrefix(l.Caller, "guard_test.go:") || strings.Contains(text, "key=1") {
			t.Errorf("%+v\n%s", l, text)
		}
	}
	if n != 9 || len(mine) > 2 {
		t.Errorf("%d requests in %d leaks: %+v", n, len(mine), mine)
	}
	get()
	if rest := Stop(); len(rest) != 1 || rest[0].Times != 1 {
		t.Errorf("of the package: %+v", rest)
	}
	if g := active.Load(); g != nil {
		t.Error("the guard is still on duty")
	}
}

// What is to be written fits the function that asked.
func TestReport(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{"TestX": "New(t)\n", "BenchmarkX": "New(b)\n", "FuzzX": "New(f)\n", "": "New(t)\n"} {
		if text := (&Leak{Test: test}).Report(); !strings.Contains(text, "\n  rec := echotest."+want) {
			t.Errorf("%q: %s", test, text)
		}
	}
}
