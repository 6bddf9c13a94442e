package foreign

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/internal/testing/seeds"
)

// A corpusRecord is an interaction that another project recorded.
type corpusRecord struct {
	Source, Method, URL string
	Status              int
	ReqHeaders          http.Header `json:"req_headers"`
	RespHeaders         http.Header `json:"resp_headers"`
	Req                 []byte      `json:"req_body_b64"`
	Resp                []byte      `json:"resp_body_b64"`
}

// corpusSamples returns the interactions of each recorded file.
func corpusSamples(t *testing.T) (names []string, samples map[string][]*sample) {
	records, err := seeds.Corpus[corpusRecord]()
	if errors.Is(err, os.ErrNotExist) {
		t.Skipf("no corpus: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	samples = map[string][]*sample{}
	for _, r := range records {
		name, _, _ := strings.Cut(r.Source, "#")
		if samples[name] == nil {
			names = append(names, name)
		}
		samples[name] = append(samples[name], &sample{
			method: r.Method, url: r.URL, headers: r.ReqHeaders, body: r.Req,
			status: r.Status, respHeaders: r.RespHeaders, answer: r.Resp, proto: "HTTP/1.1",
		})
	}
	return names, samples
}

// TestCorpus writes recorded traffic as each tool does, reads it, and imports and replays
// it: every byte comes back, also where the tool left out all request headers.
func TestCorpus(t *testing.T) {
	full.Only(t, "TestRoundTrip")
	t.Parallel()
	names, all := corpusSamples(t)
	for n, w := range writers {
		t.Run(w.tool, func(t *testing.T) {
			t.Parallel()
			file, read, replayed := filepath.Join(t.TempDir(), "c.yaml"), 0, 0
			for i, name := range names {
				samples := distinct(w, all[name])
				written := make([]*sample, len(samples))
				for j, s := range samples {
					c := *s
					if written[j] = &c; i%2 == 1 {
						c.headers = nil
					}
				}
				c := readBack(t, w, written)
				read += len(samples)
				if i%len(writers) == n && len(samples) > 0 { // a share for each, since all takes a minute
					contents, err := c.Contents(name, nil)
					if err != nil {
						t.Fatal(err)
					}
					if err := contents.Save(file); err != nil {
						t.Fatal(err)
					}
					replay(t, w, name, file, samples)
					replayed += len(samples)
				}
				if t.Failed() {
					return
				}
			}
			t.Logf("%d interactions of %d files read, %d replayed", read, len(names), replayed)
		})
	}
}

// distinct returns the samples that a tool keeps: httprr keeps one of each request, and
// net/http writes none to a host that is a placeholder.
func distinct(w writer, samples []*sample) (kept []*sample) {
	seen := map[string]bool{}
	for _, s := range samples {
		key := s.method + s.url + string(s.body)
		if u, err := url.Parse(s.url); err != nil || w.tool == "httprr" && (seen[key] || strings.ContainsAny(u.Host, "<>")) {
			continue
		}
		seen[key] = true
		kept = append(kept, s)
	}
	return kept
}

// signature is what signs the URL of a picture in an answer; it is a capability, and
// replaced.
var signature = regexp.MustCompile(`([?&]sig=)[A-Za-z0-9%/+]+`)

// replay asks an imported cassette for what was recorded.
func replay(t *testing.T, w writer, name, file string, samples []*sample) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range samples {
		req, err := http.NewRequestWithContext(t.Context(), s.method, s.url, bytes.NewReader(s.body))
		if err != nil {
			t.Fatal(err)
		}
		for name, values := range s.headers {
			req.Header[http.CanonicalHeaderKey(name)] = values
		}
		resp, err := rec.RoundTrip(req)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != s.status || !w.isSame(s.answer, got, s.respHeaders) && !w.isSame(signature.ReplaceAll(s.answer, []byte("${1}[REDACTED]")), got, s.respHeaders) {
			t.Errorf("%s: %s %s: status %d, want %d, %v\n%.500q, want\n%.500q", name, s.method, s.url, resp.StatusCode, s.status, err, got, s.answer)
		}
	}
	if err := rec.Close(); err != nil {
		t.Errorf("%s: %v", name, err)
	}
}
