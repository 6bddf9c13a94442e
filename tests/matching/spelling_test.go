package matching_test

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// urlSpellings are pairs of URLs that a server may tell apart, and that mean the same to
// matching, or may do so.
var urlSpellings = map[string][2]string{
	"space":                    {"http://h.example/w?q=a+b", "http://h.example/w?q=a%20b"},
	"at sign":                  {"http://h.example/w?mailto=a@b.c", "http://h.example/w?mailto=a%40b.c"},
	"comma":                    {"http://h.example/w?fields=a,b", "http://h.example/w?fields=a%2Cb"},
	"colon":                    {"http://h.example/w?q=a:b", "http://h.example/w?q=a%3Ab"},
	"slash":                    {"http://h.example/w?q=Ab/Cd/9fKx", "http://h.example/w?q=Ab%2FCd%2F9fKx"},
	"hex digits":               {"http://h.example/w?q=%c3%a9", "http://h.example/w?q=%C3%A9"},
	"hex digits in the path":   {"http://h.example/%c3%a9", "http://h.example/%C3%A9"},
	"needless escape":          {"http://h.example/w?q=a%62%20c", "http://h.example/w?q=ab+c"},
	"needless escape, raw":     {"http://h.example/w?q=a%62%20c", "http://h.example/w?q=ab%20c"},
	"escaped tilde":            {"http://h.example/a~b", "http://h.example/a%7Eb"},
	"unescaped letter":         {"http://h.example/w?q=%C3%A9t%C3%A9+x", "http://h.example/w?q=été+x"},
	"escape in a name":         {"http://h.example/w?a%5B%5D=x", "http://h.example/w?a[]=x"},
	"escape in a longer name":  {"http://h.example/w?filter%5Bid%5D=a+b", "http://h.example/w?filter[id]=a+b"},
	"order of parameters":      {"http://h.example/w?a=1&b=2", "http://h.example/w?b=2&a=1"},
	"order of hidden ones":     {"http://h.example/w?a=x+y&b=y+z", "http://h.example/w?b=y+z&a=x+y"},
	"question mark":            {"http://h.example/w", "http://h.example/w?"},
	"ampersand":                {"http://h.example/w?a=1", "http://h.example/w?a=1&"},
	"equals sign":              {"http://h.example/w?a", "http://h.example/w?a="},
	"two slashes":              {"http://h.example/a/b", "http://h.example/a//b"},
	"trailing slash":           {"http://h.example/a", "http://h.example/a/"},
	"no path":                  {"http://h.example", "http://h.example/"},
	"case of the host":         {"http://h.example/a", "http://H.Example/a"},
	"dot of the root":          {"http://h.example/a", "http://h.example./a"},
	"port of the scheme":       {"http://h.example/a", "http://h.example:80/a"},
	"scheme":                   {"http://h.example/a", "https://h.example/a"},
	"of a model: query":        {"http://h.example/v1/chat/completions?x=a+b", "http://h.example/v1/chat/completions?x=a%20b"},
	"of a model: two slashes":  {"http://h.example/v1/chat/completions", "http://h.example//v1/chat/completions"},
	"of a model: case of host": {"http://h.example/v1/chat/completions", "http://H.EXAMPLE/v1/chat/completions"},
	"of a model: question":     {"http://h.example/v1/chat/completions", "http://h.example/v1/chat/completions?"},
	"of a model: escapes":      {"http://h.example/v1/models/a%3Ab:generateContent", "http://h.example/v1/models/a:b:generateContent"},
}

// Each of two spellings of one URL gets its own answer, in whatever order they come.
func TestURLSpellingsGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	for name, pair := range urlSpellings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			var mu sync.Mutex
			answers := 0
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				mu.Lock()
				defer mu.Unlock()
				answers++
				body := fmt.Sprintf(`{"answer":%d}`, answers)
				header := http.Header{"Content-Type": {"application/json"}}
				return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
			})
			ask := func(r *promptecho.Recorder, url string) string {
				resp, err := r.Client().Post(url, "application/json", strings.NewReader(`{"model":"m","messages":[],"contents":[]}`))
				if err != nil {
					t.Fatal(err)
				}
				defer resp.Body.Close()
				body, err := io.ReadAll(resp.Body)
				if err != nil {
					t.Fatal(err)
				}
				return string(body)
			}

			r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
			want := [2]string{ask(r, pair[0]), ask(r, pair[1])}
			must.Close(t, r)

			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			for _, i := range []int{1, 0} {
				if got := ask(r, pair[i]); got != want[i] {
					t.Errorf("%s got %s, want %s", pair[i], got, want[i])
				}
			}
			must.Close(t, r)
		})
	}
}

// What OpenAI keeps is found behind the base URL of a gateway, too.
func TestKeptBehindAGateway(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	upload := func() (body *bytes.Buffer, contentType string) {
		body = new(bytes.Buffer)
		w := multipart.NewWriter(body)
		w.WriteField("purpose", "assistants")
		part, err := w.CreateFormFile("file", "a.txt")
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(part, "content")
		w.Close()
		return body, w.FormDataContentType()
	}
	run := func(r *promptecho.Recorder, base string) {
		send := func(method, path, contentType string, body io.Reader) {
			t.Helper()
			req, err := http.NewRequest(method, base+path, body)
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Content-Type", contentType)
			resp, err := r.Client().Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("%s %s: %s, %v", method, path, resp.Status, err)
			}
		}
		body, contentType := upload()
		send("POST", "/files", contentType, body)
		send("GET", "/files/file-abc", "", nil)
		send("GET", "/files/file-abc/content", "", nil)
		send("POST", "/vector_stores", "application/json", strings.NewReader(`{"name":"n"}`))
		send("POST", "/vector_stores/vs_1/search", "application/json", strings.NewReader(`{"query":"q"}`))
		send("GET", "/vector_stores/vs_1/files?limit=2", "", nil)
		send("POST", "/conversations", "application/json", strings.NewReader(`{}`))
		send("POST", "/conversations/conv_1/items", "application/json", strings.NewReader(`{"items":[]}`))
		send("GET", "/conversations/conv_1/items", "", nil)
		send("DELETE", "/conversations/conv_1", "", nil)
		send("DELETE", "/files/file-abc", "", nil)
	}

	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says(`{"object":"x"}`)))
	run(r, "https://api.openai.com/v1")
	must.Close(t, r)
	r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	run(r, "https://gateway.example/llm/openai/v1")
	must.Close(t, r)
}

// A header that says from where a client came, or what a cache may do, tells no accounts apart.
func TestNavigationHeadersTellNobodyApart(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, err := r.Cookie("session")
		switch {
		case r.URL.Path == "/login":
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "1", Path: "/"})
			http.Redirect(w, r, "/page", http.StatusFound)
		case err != nil:
			http.Redirect(w, r, "/login", http.StatusFound)
		default:
			fmt.Fprint(w, r.Header.Get("Cache-Control")+r.Header.Get("Origin"))
		}
	}))
	defer s.Close()

	t.Run("redirect", func(t *testing.T) {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll))
		client := r.Client()
		client.Jar, _ = cookiejar.New(nil)
		resp, err := client.Get(s.URL + "/page")
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		must.Close(t, r)
	})
	for _, name := range []string{"Referer", "Origin", "Cache-Control", "Pragma", "Priority", "DNT", "Save-Data", "Upgrade-Insecure-Requests"} {
		t.Run(name, func(t *testing.T) {
			n := 0
			upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
				n++
				return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(fmt.Sprint(n))), Request: req}, nil
			})
			r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
			for _, value := range []string{"first", "second"} {
				req, err := http.NewRequest("GET", "https://api.example.com/page", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set(name, value)
				resp, err := r.Client().Do(req)
				if err != nil {
					t.Fatal(err)
				}
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			must.Close(t, r)
		})
	}
}
