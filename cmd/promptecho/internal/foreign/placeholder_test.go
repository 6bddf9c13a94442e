package foreign

import (
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

func rubyFile(uri, body string) string {
	return "---\nhttp_interactions:\n- request:\n    method: post\n    uri: " + uri + "\n    body: {encoding: UTF-8, string: '" + body +
		"'}\n    headers: {}\n  response:\n    status: {code: 200, message: OK}\n    headers: {}\n    body: {encoding: UTF-8, string: ok}\nrecorded_with: VCR 6.2.0\n"
}

// A placeholder of filter_sensitive_data in the URL of an imported recording matches any value, and
// nothing else differs.
func TestPlaceholdersInURLs(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ recorded, asked, other string }{
		{`"<API_BASE>/chat"`, "http://localhost:11434/v1/chat", "http://localhost:11434/v1/models"},
		{`"<API_BASE>/chat"`, "https://h.example/chat", "https://h.example/chat?a=b"},
		{"https://bedrock.<AWS_REGION>.h.example/x", "https://bedrock.us-east-1.h.example/x", "https://bedrock.us-east-1.i.example/x"},
		{"https://h.example/projects/<PROJECT>/x", "https://h.example/projects/mine/x", "https://h.example/projects/my/own/x"},
		{"https://h.example/<API KEY>/x", "https://h.example/k/x", "https://h.example/k/y"},
		{"https://h.example/<<<token>>>/x", "https://h.example/k/x", "https://h.example/x"},
		{"https://h.example/x?team=<TEAM>&v=1", "https://h.example/x?v=1&team=7", "https://h.example/x?team=7&v=2"},
		{"http://localhost:<PORT>/x", "http://127.0.0.1:8123/x", "http://h.example/x"},
	} {
		t.Run(tt.recorded, func(t *testing.T) {
			t.Parallel()
			c, err := Read("c", []byte(rubyFile(tt.recorded, "hello")), nil)
			if err != nil {
				t.Fatal(err)
			}
			contents, err := c.Contents("c", nil)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			if err := contents.Save(file); err != nil {
				t.Fatal(err)
			}
			rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
			if err != nil {
				t.Fatal(err)
			}
			defer rec.Close()
			for _, ask := range []struct {
				url    string
				status int
			}{{tt.other, http.StatusTeapot}, {tt.asked, http.StatusOK}} {
				resp, err := rec.Client().Post(ask.url, "text/plain", strings.NewReader("hello"))
				if err != nil {
					t.Fatal(err)
				}
				body, err := io.ReadAll(resp.Body)
				resp.Body.Close()
				if err != nil || resp.StatusCode != ask.status {
					t.Errorf("%s: status %d, %s, %v, want %d", ask.url, resp.StatusCode, body, err, ask.status)
				}
			}
		})
	}
}

// A placeholder in an imported body matches only itself, and a note says so.
func TestPlaceholdersInBodiesAreNoted(t *testing.T) {
	t.Parallel()
	for body, noted := range map[string]bool{
		`{"account": "<ACCOUNT>"}`:       true,
		"id=<CLIENT_ID>&a=b":             true,
		"a=b&id=%3CCLIENT_ID%3E":         true,
		`{"prompt": "what is <NAME> ?"}`: false,
		`{"html": "<b>"}`:                false,
		"hello":                          false,
	} {
		_, c := readOne(t, rubyFile("https://h.example/x", body))
		got := false
		for _, l := range c.Losses {
			got = got || strings.HasPrefix(l.Text, "the body of the request has placeholders")
		}
		if got != noted {
			t.Errorf("%s: noted is %v, want %v", body, got, noted)
		}
	}
}
