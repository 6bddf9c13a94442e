package matching_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request is not answered by a recording whose headers select other content.
func TestHeadersThatSelectContentAreCompared(t *testing.T) {
	t.Parallel()
	with := func(name, value string) must.Request {
		return request("https://files.example/v1/things?page=2", name, value)
	}
	without := request("https://files.example/v1/things?page=2")
	embeddings := func(headers ...string) must.Request {
		return must.Request{
			URL:     "https://api.openai.com/v1/embeddings",
			Body:    `{"model":"m","input":"a"}`,
			Headers: headers,
		}
	}
	wantDifferent(t, []comparison{
		{"Accept", with("Accept", "text/csv"), with("Accept", "text/html")},
		{"Range", with("Range", "bytes=0-9"), with("Range", "bytes=10-19")},
		{"If-None-Match", with("If-None-Match", `"a"`), without},
		{"Prefer", with("Prefer", "wait"), with("Prefer", "respond-async")},
		{"a field mask of Google", with("X-Goog-FieldMask", "a"), with("X-Goog-FieldMask", "b")},
		{"a beta", with("OpenAI-Beta", "assistants=v1"), with("OpenAI-Beta", "assistants=v2")},
		{"a beta of a model API", embeddings("OpenAI-Beta", "a"), embeddings()},
	})
	wantSame(t, []comparison{
		{"Accept of everything, and none", with("Accept", "*/*"), without},
		{"User-Agent", with("User-Agent", "a"), with("User-Agent", "b")},
	})
}

// A header that names a source by a signed URL is compared without the signature.
func TestSignatureOfACopySourceIsNotCompared(t *testing.T) {
	t.Parallel()
	const (
		blob      = "https://a.blob.core.windows.net/c/a?versionid="
		signed    = "&sig=Zk3vQ9pXw7RtLm2NcY8bHs5D"
		resigned  = "&sig=Qm8sT4vXy2PwKn6LbZ9cRj3F"
		until2026 = "&sv=2024-11-04&se=2026-01-01T00%3A00Z"
		until2027 = "&sv=2024-11-04&se=2027-02-02T00%3A00Z"
	)
	copyOf := func(source string) must.Request {
		return request("https://files.example/v1/things", "x-ms-copy-source", source)
	}
	renameOf := func(source string) must.Request {
		return request("https://files.example/v1/things", "x-ms-rename-source", source)
	}
	wantSame(t, []comparison{
		{"a copy signed again", copyOf(blob + "1" + until2026 + signed), copyOf(blob + "1" + until2027 + resigned)},
		{"a rename signed again", renameOf("/fs/a?sv=1" + signed), renameOf("/fs/a?sv=1" + resigned)},
	})
	wantDifferent(t, []comparison{
		{"another version of the source", copyOf(blob + "1" + signed), copyOf(blob + "2" + signed)},
	})
}

// Every header that docs/MATCHING.md lists is written, and those of unknown endpoints are compared.
func TestDocumentedHeadersAreWrittenAndCompared(t *testing.T) {
	t.Parallel()
	documented := documentedHeaders(t)
	if len(documented) < 30 {
		t.Fatalf("only %d headers in the table", len(documented))
	}
	for name, isCompared := range documented {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := func(value string) must.Request { return request("https://x.example/y", name, value) }
			file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{with("blue")})
			if text := must.Read(t, file); !strings.Contains(text, name) {
				t.Errorf("not written:\n%s", text)
			}
			if !isCompared {
				return
			}
			r := replay(t, file)
			if got := with("green").Ask(t, r); got == `"one"` {
				t.Error("not compared")
			}
			r.Close()
		})
	}
}

// documentedHeaders returns the names of the headers in the table of docs/MATCHING.md, and three
// that end in -beta. The value says whether an unknown endpoint's is compared.
func documentedHeaders(t *testing.T) map[string]bool {
	t.Helper()
	page := must.Read(t, filepath.Join("..", "..", "docs", "ENDPOINTS.md"))
	_, table, _ := strings.Cut(page, "<!-- table: headers -->\n")
	table, _, _ = strings.Cut(table, "<!-- end -->")
	names := map[string]bool{"anthropic-beta": true, "openai-beta": true, "acme-beta": true}
	for row := range strings.Lines(table) {
		isOfUnknown := strings.HasPrefix(row, "- of unknown endpoints:")
		for _, m := range regexp.MustCompile("`([a-z]+(?:-[a-z]+)*)`").FindAllStringSubmatch(row, -1) {
			names[m[1]] = names[m[1]] || isOfUnknown
		}
	}
	delete(names, "content-type") // of a body that is not read into fields
	delete(names, "jsonrpc")      // an endpoint
	return names
}

// Conditional requests and requests for a range get the recorded 304 and 206 answers.
func TestConditionalRequestsReplay(t *testing.T) {
	t.Parallel()
	const content, tag = "0123456789", `"v1"`
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		header := http.Header{
			"Etag":          {tag},
			"Last-Modified": {"Mon, 02 Jan 2006 15:04:05 GMT"},
			"Content-Type":  {"text/plain"},
		}
		status, body := http.StatusOK, content
		switch {
		case req.Header.Get("If-None-Match") == tag:
			status, body = http.StatusNotModified, ""
		case req.Header.Get("Range") == "bytes=2-4":
			status, body = http.StatusPartialContent, content[2:5]
			header.Set("Content-Range", "bytes 2-4/10")
		}
		return &http.Response{
			StatusCode:    status,
			Header:        header,
			Body:          io.NopCloser(strings.NewReader(body)),
			ContentLength: int64(len(body)),
			Request:       req,
		}, nil
	})
	get := func(r *promptecho.Recorder, name, value string) (*http.Response, string) {
		req, err := http.NewRequest("GET", "https://files.example/f", nil)
		if err != nil {
			t.Fatal(err)
		}
		if value != "" {
			req.Header.Set(name, value)
		}
		resp, err := r.Client().Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp, string(b)
	}
	download := func(r *promptecho.Recorder) string {
		whole, body := get(r, "", "")
		unchanged, _ := get(r, "If-None-Match", whole.Header.Get("Etag"))
		part, middle := get(r, "Range", "bytes=2-4")
		must.Close(t, r)
		return fmt.Sprint(body, whole.Header["Last-Modified"], unchanged.StatusCode, " ",
			part.StatusCode, part.Header["Content-Range"], middle)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	want := "0123456789[Mon, 02 Jan 2006 15:04:05 GMT] 304 206 [bytes 2-4/10]234"
	if got := download(recordAll(t, file, promptecho.Upstream(upstream))); got != want {
		t.Fatalf("recorded %s", got)
	}
	if got := download(replay(t, file)); got != want {
		t.Errorf("replayed %s\nrecorded %s", got, want)
	}
}
