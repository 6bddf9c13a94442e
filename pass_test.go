package promptecho

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

// What a user names passes in every mode, and leaves no trace in the cassette; the rest is
// recorded and replayed as ever.
func TestPassThrough(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	db := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "row ", asked.Add(1))
	}))
	defer db.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	network := roundTripFunc(func(req *http.Request) (*http.Response, error) {
		if "http://"+req.URL.Host == db.URL {
			return http.DefaultTransport.RoundTrip(req)
		}
		return canned(`"model"`).RoundTrip(req)
	})
	for i, mode := range []Mode{ModeAll, ModeNone, ModeOnce, ModeUpdate, ModeNewEpisodes, ModeCompare, ModeLive} {
		r := mustOpen(t, file, InMode(mode), Upstream(network), PassThrough("http/"+strings.TrimPrefix(db.URL, "http://")))
		for n := range 2 {
			resp, err := r.Client().Get(db.URL + "/rows")
			if err != nil {
				t.Fatal(err)
			}
			body, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if want := fmt.Sprint("row ", 2*i+n+1); string(body) != want {
				t.Errorf("%s: %s, want %s", mode, body, want)
			}
		}
		if _, body := post(t, r, chatURL, prompt("hi")); body != `"model"` {
			t.Errorf("%s: %s", mode, body)
		}
		rep := r.finish(report.Outcome{})
		if text := strings.Join(rep.Notes, "\n"); len(rep.Errors) > 0 || !strings.Contains(text, "2 requests passed through to http/127.0.0.1:") {
			t.Errorf("%s: %v\n%s", mode, rep.Errors, text)
		}
	}
	if text := read(t, file); strings.Contains(text, "rows") || strings.Count(text, "- kind:") != 1 {
		t.Error(text)
	}
}

// No request passes that no selector names.
func TestPassThroughNames(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		servers []string
		pass    []string
		stop    []string
	}{
		{[]string{"http/127.0.0.1:6333"},
			[]string{"http://127.0.0.1:6333/x", "http://u:p@127.0.0.1:6333", "http://127.0.0.1:06333", "http://[::ffff:127.0.0.1]:6333"},
			[]string{"http://127.0.0.1", "http://127.0.0.1:6334", "http://localhost:6333", "http://127.0.0.1:6333@evil.example/", "http://127.0.0.1.evil.example:6333", "http://[::1]:6333"}},
		{[]string{"http/db.Example.com"},
			[]string{"https://db.example.com", "http://DB.EXAMPLE.COM.", "https://db.example.com:443", "http://db.example.com:80"},
			[]string{"https://db.example.com:80", "http://db.example.com:443", "https://x.db.example.com", "https://db.example.com.evil.net", "https://db.example.comx", "https://xdb.example.com"}},
		{[]string{"http/*.langfuse.com"},
			[]string{"https://cloud.langfuse.com", "https://us.cloud.Langfuse.com."},
			[]string{"https://langfuse.com", "https://evillangfuse.com", "https://cloud.langfuse.com:8443", "https://cloud.langfuse.com.evil.net"}},
		{[]string{"http/api.openai.com/v1/traces"},
			[]string{"https://api.openai.com/v1/traces/ingest", "https://api.openai.com/v1/traces", "https://api.openai.com/v1/x/../traces/ingest"},
			[]string{"https://api.openai.com/v1/responses", "https://api.openai.com", "https://api.openai.com/v1/tracesx", "https://api.openai.com/v1/traces/../responses", "https://api.openai.com/v1/traces/%2e%2e/responses", "https://evil.example/v1/traces"}},
		{[]string{"http/bücher.example"}, []string{"https://xn--bcher-kva.example", "https://bücher.example"}, []string{"https://bucher.example"}},
		{[]string{"http/[::1]:99"}, []string{"http://[0:0:0:0:0:0:0:1]:99"}, []string{"http://[::2]:99"}},
	} {
		c := &config{}
		PassThrough(tt.servers...)(c)
		if c.err != nil {
			t.Fatal(c.err)
		}
		for i, addresses := range [][]string{tt.pass, tt.stop} {
			for _, address := range addresses {
				u, err := url.Parse(address)
				if err != nil {
					t.Fatal(err)
				}
				if _, ok := c.passes(&http.Request{URL: u, Host: "127.0.0.1:6333"}); ok != (i == 0) {
					t.Errorf("%q: %s passes: %v", tt.servers, address, ok)
				}
			}
		}
		if _, ok := c.passes(&http.Request{URL: &url.URL{Scheme: "http", Opaque: "//127.0.0.1:6333/x", Host: "evil.example"}}); ok {
			t.Error("a URL that is opaque passes")
		}
	}
	for _, s := range []string{"", "*", "http", "http/", "http/*", "http/*.", "llm/openai.chat", "llm", "tool/search", "127.0.0.1:6333", "https://db.example.com", "http/a.*.com"} {
		if _, err := Open(filepath.Join(t.TempDir(), "c.yaml"), PassThrough(s)); err == nil || !strings.Contains(err.Error(), "is no server such as") {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// A redirect to another server does not pass.
func TestPassThroughRedirects(t *testing.T) {
	t.Parallel()
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("asked") }))
	defer other.Close()
	db := httptest.NewServer(http.RedirectHandler(other.URL, http.StatusFound))
	defer db.Close()
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeNone), PassThrough("http/"+strings.TrimPrefix(db.URL, "http://")))
	resp, err := r.Client().Get(db.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusTeapot || len(r.Misses()) != 1 {
		t.Errorf("%s, %d misses", resp.Status, len(r.Misses()))
	}
	r.Close()
}

// A test that only asks what passes has no cassette, and needs none.
func TestPassThroughAlone(t *testing.T) {
	t.Parallel()
	for _, mode := range []Mode{ModeAll, ModeOnce, ModeNone, ModeUpdate} {
		r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(mode), Upstream(canned("{}")), PassThrough("http/db.example.com"))
		post(t, r, "http://db.example.com/rows", "{}")
		if rep := r.finish(report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("%s: %s", mode, rep.Errors)
		}
	}
}

// A selector that lets nothing pass is noted.
func TestPassThroughForNothing(t *testing.T) {
	t.Parallel()
	r := mustOpen(t, filepath.Join(t.TempDir(), "c.yaml"), InMode(ModeAll), Upstream(canned("{}")), PassThrough("http/db.example.com"))
	post(t, r, chatURL, prompt("hi"))
	rep := r.finish(report.Outcome{})
	if text := strings.Join(rep.Notes, "\n"); !strings.Contains(text, `PassThrough("http/db.example.com"): no request went there`) {
		t.Error(text)
	}
}

// What an exporter sends is named when it is recorded, and when it is missed.
func TestTelemetry(t *testing.T) {
	t.Parallel()
	for address, what := range map[string]string{
		"http://127.0.0.1:4318/v1/traces":                              "OpenTelemetry",
		"https://cloud.langfuse.com/api/public/ingestion":              "Langfuse",
		"https://api.smith.langchain.com/runs/multipart":               "LangSmith",
		"https://o1.ingest.sentry.io/api/42/envelope/?sentry_key=0001": "Sentry",
		"https://api.datadoghq.eu/api/v2/series":                       "Datadog",
		"https://eu.i.posthog.com/batch/":                              "PostHog",
		"https://api.openai.com/v1/traces/ingest":                      "OpenAI's tracing",
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		u, _ := url.Parse(address)
		for _, mode := range []Mode{ModeAll, ModeNone} {
			r := mustOpen(t, file, InMode(mode), Upstream(canned("{}")))
			post(t, r, address, fmt.Sprintf(`{"spans":[{"id":"%s"}]}`, mode))
			rep := r.finish(report.Outcome{})
			text := strings.Join(append(rep.Notes, rep.Errors...), "\n")
			if !strings.Contains(text, fmt.Sprintf(`an exporter sends it (%s)`, what)) || !strings.Contains(text, `promptecho.PassThrough("http/`+u.Host) {
				t.Errorf("%s, mode %s:\n%s", address, mode, text)
			}
		}
	}
}

// What was recorded before its server was named is left over, and mode update drops it.
func TestPassThroughLeftOver(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	const rows = "https://db.example.com/rows"
	for _, tt := range []struct {
		mode Mode
		opts []Option
		want string
	}{
		{ModeAll, nil, ""},
		{ModeNone, []Option{PassThrough("http/db.example.com")}, "it is left over: PassThrough lets such requests pass, and mode update drops it"},
		{ModeUpdate, []Option{PassThrough("http/db.example.com")}, ""},
		{ModeNone, []Option{PassThrough("http/db.example.com")}, ""},
	} {
		r := mustOpen(t, file, append(tt.opts, InMode(tt.mode), Upstream(canned("{}")))...)
		post(t, r, rows, "{}")
		post(t, r, chatURL, prompt("hi"))
		rep := r.finish(report.Outcome{})
		if text := strings.Join(rep.Errors, "\n"); tt.want == "" && text != "" || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %s", tt.mode, text)
		}
	}
}
