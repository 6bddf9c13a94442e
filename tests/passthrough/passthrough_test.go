package passthrough_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
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
	network := provider.Func(func(req *http.Request) (*http.Response, error) {
		if "http://"+req.URL.Host == db.URL {
			return http.DefaultTransport.RoundTrip(req)
		}
		return provider.Says(`"model"`).RoundTrip(req)
	})
	for i, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeOnce, promptecho.ModeUpdate, promptecho.ModeNewEpisodes, promptecho.ModeCompare, promptecho.ModeLive} {
		r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(network), promptecho.PassThrough("http/"+strings.TrimPrefix(db.URL, "http://")))
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
		if _, body := must.Post(t, r, must.ChatURL, must.ChatBody("hi")); body != `"model"` {
			t.Errorf("%s: %s", mode, body)
		}
		rep := must.Finish(r, report.Outcome{})
		if text := strings.Join(rep.Notes, "\n"); len(rep.Errors) > 0 || !strings.Contains(text, "2 requests passed through to http/127.0.0.1:") {
			t.Errorf("%s: %v\n%s", mode, rep.Errors, text)
		}
	}
	if text := must.Read(t, file); strings.Contains(text, "rows") || strings.Count(text, "- kind:") != 1 {
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
		{[]string{"127.0.0.1:6333"},
			[]string{"http://127.0.0.1:6333/x", "https://127.0.0.1:6333"},
			[]string{"http://127.0.0.1:6334", "http://127.0.0.1", "http://127.0.0.1:6333@evil.example/"}},
		{[]string{"db.example.com"},
			[]string{"https://db.example.com", "http://db.example.com:8080", "https://DB.example.com.:8443/x"},
			[]string{"https://x.db.example.com", "https://db.example.com.evil.net", "https://db.example.com@evil.net"}},
		{[]string{"https://db.example.com"},
			[]string{"https://db.example.com", "https://db.example.com:443/x", "http://db.example.com:443"},
			[]string{"http://db.example.com", "https://db.example.com:8443"}},
		{[]string{"http://localhost:4318/v1/traces/"},
			[]string{"http://localhost:4318/v1/traces", "http://localhost:4318/v1/traces/x"},
			[]string{"http://localhost:4318/v1/metrics", "http://localhost/v1/traces", "http://localhost:4318/v1/traces/../x"}},
		{[]string{"localhost"}, []string{"http://localhost:4318", "http://LOCALHOST"}, []string{"http://localhost.evil.net", "http://127.0.0.1:4318"}},
		{[]string{"*.langfuse.com"}, []string{"https://cloud.langfuse.com", "https://cloud.langfuse.com:8443"}, []string{"https://langfuse.com", "https://evillangfuse.com"}},
		{[]string{"https://*.langfuse.com"}, []string{"https://cloud.langfuse.com"}, []string{"https://cloud.langfuse.com:8443"}},
		{[]string{"api.openai.com/v1/traces"}, []string{"https://api.openai.com/v1/traces/ingest"}, []string{"https://api.openai.com/v1/responses"}},
		{[]string{"qdrant:6333"}, []string{"http://qdrant:6333"}, []string{"http://qdrant"}},
		{[]string{"::1"}, []string{"http://[::1]:99"}, []string{"http://[::2]:99"}},
		{[]string{"[::1]:99"}, []string{"http://[::1]:99"}, []string{"http://[::1]:98"}},
		{[]string{"bücher.example:81"}, []string{"https://xn--bcher-kva.example:81"}, []string{"https://bucher.example:81"}},
		{[]string{"http/bücher.example"}, []string{"https://xn--bcher-kva.example", "https://bücher.example"}, []string{"https://bucher.example"}},
		{[]string{"http/[::1]:99"}, []string{"http://[0:0:0:0:0:0:0:1]:99"}, []string{"http://[::2]:99"}},
	} {
		passes := false
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.PassThrough(tt.servers...),
			promptecho.Upstream(provider.Func(func(req *http.Request) (*http.Response, error) {
				passes = true
				return provider.Says("{}").RoundTrip(req)
			})))
		for i, addresses := range [][]string{tt.pass, tt.stop} {
			for _, address := range addresses {
				passes = false
				resp, err := r.Client().Get(address)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if passes != (i == 0) {
					t.Errorf("%q: %s passes: %v", tt.servers, address, passes)
				}
			}
		}
		_ = r.Close() // which tells of the requests that did not pass
	}
	for _, s := range []string{"", "*", "http", "http/", "http/*", "http/*.", "llm/openai.chat", "llm", "tool/search", "ftp://db.example.com", "https://", "https://*", "https://u@db.example.com", "db.example.com?x=1", "qdrant", "http/a.*.com", "http/db.example.com:", "http/https://db.example.com", "http/u@db.example.com", "http/db example.com", "http/db.example.com?x=1", "http/[::1", "http/."} {
		if _, err := promptecho.Open(filepath.Join(t.TempDir(), "c.yaml"), promptecho.PassThrough(s)); err == nil || !strings.Contains(err.Error(), "is not a server such as") {
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
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.PassThrough("http/"+strings.TrimPrefix(db.URL, "http://")))
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
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeOnce, promptecho.ModeNone, promptecho.ModeUpdate} {
		r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")), promptecho.PassThrough("http/db.example.com"))
		must.Post(t, r, "http://db.example.com/rows", "{}")
		if rep := must.Finish(r, report.Outcome{}); len(rep.Errors) > 0 {
			t.Errorf("%s: %s", mode, rep.Errors)
		}
	}
}

// A selector that lets nothing pass is noted.
func TestPassThroughForNothing(t *testing.T) {
	t.Parallel()
	r := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(provider.Says("{}")), promptecho.PassThrough("http/db.example.com"))
	must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
	rep := must.Finish(r, report.Outcome{})
	if text := strings.Join(rep.Notes, "\n"); !strings.Contains(text, `PassThrough("http/db.example.com") has no effect: no request went to this server`) {
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
		"https://api.smith.langchain.com/otel/v1/traces":               "LangSmith",
		"https://cloud.langfuse.com/api/public/otel/v1/traces":         "Langfuse",
		"https://o1.ingest.sentry.io/api/42/envelope/?sentry_key=0001": "Sentry",
		"https://api.datadoghq.eu/api/v2/series":                       "Datadog",
		"https://eu.i.posthog.com/batch/":                              "PostHog",
		"https://api.openai.com/v1/traces/ingest":                      "OpenAI's tracing",
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		u, _ := url.Parse(address)
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
			must.Post(t, r, address, fmt.Sprintf(`{"spans":[{"id":"%s"}]}`, mode))
			rep := must.Finish(r, report.Outcome{})
			text := strings.Join(append(rep.Notes, rep.Errors...), "\n")
			if !strings.Contains(text, fmt.Sprintf(`this request is telemetry (%s)`, what)) || !strings.Contains(text, `promptecho.PassThrough("http/`+u.Host) {
				t.Errorf("%s, mode %s:\n%s", address, mode, text)
			}
			if mode == promptecho.ModeNone && (len(rep.Problems) != 1 || len(rep.Problems[0].Causes) != 1 || rep.Problems[0].Causes[0].Detail != "" || !strings.Contains(rep.Problems[0].Causes[0].Reason, "PassThrough")) {
				t.Errorf("%s: echotest.Main could not say it once for all tests: %+v", address, rep.Problems)
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
		mode promptecho.Mode
		opts []promptecho.Option
		want string
	}{
		{promptecho.ModeAll, nil, ""},
		{promptecho.ModeNone, []promptecho.Option{promptecho.PassThrough("http/db.example.com")}, "it is left over, because PassThrough now lets such requests pass; mode update drops it"},
		{promptecho.ModeUpdate, []promptecho.Option{promptecho.PassThrough("http/db.example.com")}, ""},
		{promptecho.ModeNone, []promptecho.Option{promptecho.PassThrough("http/db.example.com")}, ""},
	} {
		r := must.Open(t, file, append(tt.opts, promptecho.InMode(tt.mode), promptecho.Upstream(provider.Says("{}")))...)
		must.Post(t, r, rows, "{}")
		must.Post(t, r, must.ChatURL, must.ChatBody("hi"))
		rep := must.Finish(r, report.Outcome{})
		if text := strings.Join(rep.Errors, "\n"); tt.want == "" && text != "" || !strings.Contains(text, tt.want) {
			t.Errorf("%s: %s", tt.mode, text)
		}
	}
}

// A place is where a request goes, and how it is spelled.
type place struct{ scheme, host, port string }

// spelled returns a URL of a place in one of its spellings, all of which net/http dials alike.
func (p place) spelled(r *rand.Rand) string {
	host := p.host
	if pick := map[string][]string{
		"127.0.0.1":             {"127.0.0.1", "[::ffff:127.0.0.1]"},
		"[::1]":                 {"[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]"},
		"xn--bcher-kva.example": {"b\u00fccher.example", "B\u00dcCHER.example", "XN--bcher-kva.example", "b%C3%BCcher.example"},
	}[host]; pick != nil {
		host = pick[r.IntN(len(pick))]
	} else if strings.Contains(host, "e") {
		host = []string{host, strings.ToUpper(host), host + ".", strings.Replace(host, "e", "E", 1)}[r.IntN(4)]
	}
	if p.port != "" {
		host += ":" + []string{"", "0", "00"}[r.IntN(3)] + p.port
	}
	return p.scheme + "://" + []string{"", "", "u@", "u:p@", "127.0.0.1:6333@", "db.example.com@"}[r.IntN(6)] + host
}

// effective is the port that net/http dials.
func (p place) effective() string {
	return cmp.Or(p.port, map[string]string{"http": "80", "https": "443"}[p.scheme])
}

// Whatever the spelling of a request, it passes if a selector names the place where net/http
// dials, and otherwise gets a miss; a redirect is a request of its own.
func TestPassThroughPasses(t *testing.T) {
	t.Parallel()
	hosts := []string{"db.example.com", "x.db.example.com", "example.com", "db.example.com.evil.net", "evildb.example.com",
		"127.0.0.1", "127.0.0.2", "[::1]", "[::2]", "xn--bcher-kva.example", "bucher.example", "localhost"}
	ports := []string{"", "80", "443", "6333", "6334"}
	paths := map[string]bool{"": false, "/": false, "/v1/traces": true, "/v1/traces/": true, "/v1/traces/ingest?x=/../y": true, "/v1//traces": true,
		"/v1/tracesx": false, "/v1/traces/../x": false, "/v1/traces/%2e%2e/x": false, "/v1/traces/..%2fx": false, "/V1/traces": false, "/x?/v1/traces": false, "/x/v1/traces": false}
	dialled := make(chan string, 20)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if to := req.Header.Get("Redirect-To"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	defer server.Close()
	dial := func(ctx context.Context, network, address string) (net.Conn, error) {
		dialled <- address
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}
	upstream := &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}
	wants := map[int]int{} // how often each number of requests passed
	for seed := range uint64(full.Cases(40, 400)) {
		r := rand.New(rand.NewPCG(seed, 43))
		host := hosts[r.IntN(len(hosts))]
		chosen := place{"http", host, ports[r.IntN(len(ports))]}
		domain, below := r.IntN(4) == 0 && strings.Contains(host, "e"), r.IntN(3) == 0
		_, spelling, _ := strings.Cut(chosen.spelled(r), "://")
		spelling = spelling[strings.LastIndex(spelling, "@")+1:]
		if u, err := url.Parse("//" + spelling); err == nil { // as a user writes it: not escaped
			spelling = u.Host
		}
		selector := "http/" + map[bool]string{true: "*."}[domain] + spelling + map[bool]string{true: "/v1/traces"}[below]
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.InMode(promptecho.ModeNone), promptecho.Upstream(upstream), promptecho.PassThrough(selector), promptecho.Log(func(string) {}))
		named := func(p place, path string) bool {
			isHost := p.host == host && !domain || domain && strings.HasSuffix(p.host, "."+host)
			isPort := chosen.port == p.effective() || chosen.port == "" && p.effective() == place{scheme: p.scheme}.effective()
			return isHost && isPort && (!below || paths[path])
		}
		draw := func() (p place, path, address string) {
			p = place{[]string{"http", "https"}[r.IntN(2)], hosts[r.IntN(len(hosts))], ports[r.IntN(len(ports))]}
			if r.IntN(2) == 0 {
				p.host, p.port = host, chosen.port
			}
			all := slices.Sorted(maps.Keys(paths))
			path = all[r.IntN(len(all))]
			return p, path, p.spelled(r) + path
		}
		for range 10 {
			p, path, address := draw()
			to, toPath, redirect := draw()
			req, err := http.NewRequest("GET", address, nil)
			if err != nil {
				continue // no client can send it
			}
			req.Header.Set("Redirect-To", redirect)
			switch r.IntN(6) {
			case 0:
				req.Host = spelling
			case 1:
				req.Host = "evil.example"
			case 2:
				req.URL.Opaque = "//" + spelling + "/v1/traces"
			}
			want := 0 // requests that pass
			if req.URL.Opaque == "" && named(p, path) {
				want = 1
				if named(to, toPath) {
					want = 2
				}
			}
			wants[want]++
			client := rec.Client()
			client.CheckRedirect = func(next *http.Request, via []*http.Request) error {
				if len(via) > 1 {
					return http.ErrUseLastResponse
				}
				return nil
			}
			resp, err := client.Do(req)
			if err == nil {
				resp.Body.Close()
			}
			got := len(dialled)
			var addresses []string
			for range got {
				addresses = append(addresses, <-dialled)
			}
			if (want == 0) != (got == 0) || (want == 2) != (got == 2) {
				t.Errorf("seed %d: %s: %s (host %s, opaque %s), redirected to %s: %d of %d requests passed, to %s (%v)", seed, selector, address, req.Host, req.URL.Opaque, redirect, got, want, addresses, err)
			}
		}
		rec.Close()
	}
	if wants[0] < 100 || wants[1] < 10 || wants[2] < 10 {
		t.Errorf("requests that passed: %v", wants)
	}
}
