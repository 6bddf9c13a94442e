package services_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// TestServices: what clients of services read beside bodies is the same in replay: totals and
// cursors in headers, the length that a HEAD announces, a redirect to a signed URL by which the
// client makes the request line itself, an upload in chunks of which one is refused at first. So
// ask those of Docker, Azure's tables, Supabase, OpenSearch, Hugging Face and Google's storage.
func TestServices(t *testing.T) {
	t.Parallel()
	refused := false
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		h := w.Header()
		switch path := req.URL.Path; {
		case path == "/_ping":
			h.Set("Api-Version", "1.47")
			h.Set("Ostype", "linux")
			h.Set("Content-Length", "0")
		case path == "/things()" && req.URL.Query().Get("NextRowKey") == "":
			h.Set("X-Ms-Continuation-Nextpartitionkey", "1!8!cGFydGl0aW9u")
			h.Set("X-Ms-Continuation-Nextrowkey", "1!4!cm93")
			fmt.Fprint(w, `{"value":[1]}`)
		case path == "/things()":
			fmt.Fprint(w, `{"value":[2]}`)
		case path == "/rest/v1/things":
			h.Set("Content-Range", "0-1/317")
			h.Set("Preference-Applied", "count=exact")
			if req.Method != http.MethodHead {
				w.WriteHeader(http.StatusPartialContent)
				fmt.Fprint(w, `[{"id":1},{"id":2}]`)
			}
		case path == "/index":
			h.Set("X-Opensearch-Version", "OpenSearch/3.1.0 (opensearch)")
			h.Set("Content-Length", "300")
		case path == "/org/model/resolve/main/model.bin":
			h.Set("X-Repo-Commit", "990580e27d329c7408b3741ecff85876e128e203")
			h.Set("X-Linked-Size", "250000")
			h.Set("X-Linked-Etag", `"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`)
			h.Set("Location", "/cdn/model.bin?Signature=kQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs&Key-Pair-Id=K3RPWS32NSSJCE")
			w.WriteHeader(http.StatusFound)
		case path == "/cdn/model.bin":
			h.Set("Etag", `"0123456789abcdef0123456789abcdef"`)
			w.Write(make([]byte, 250000))
		case path == "/upload" && req.Method == http.MethodPost:
			h.Set("Location", "http://"+req.Host+"/upload?upload_id=AHmUCY0qQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs")
		case path == "/upload" && strings.HasPrefix(req.Header.Get("Content-Range"), "bytes 4-") && !refused:
			refused = true
			w.WriteHeader(http.StatusServiceUnavailable)
		case path == "/upload" && strings.HasSuffix(req.Header.Get("Content-Range"), "/*"):
			h.Set("Range", "bytes=0-3")
			h.Set("X-Http-Status-Code-Override", "308")
			w.WriteHeader(http.StatusPermanentRedirect)
		case path == "/upload":
			h.Set("X-Goog-Hash", "crc32c=n03x6A==")
			fmt.Fprint(w, `{"size":"8"}`)
		}
	}))
	defer server.Close()
	names := strings.Fields(`Api-Version Ostype X-Ms-Continuation-Nextpartitionkey X-Ms-Continuation-Nextrowkey Content-Range Preference-Applied
		X-Opensearch-Version X-Repo-Commit X-Linked-Size X-Linked-Etag Etag Range X-Http-Status-Code-Override X-Goog-Hash Content-Type`)
	use := func(r *promptecho.Recorder) (seen string) {
		client := r.Client()
		note := func(h http.Header) {
			for _, name := range names {
				if v, ok := h[name]; ok {
					seen += fmt.Sprintln("", name, v)
				}
			}
		}
		client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
			note(req.Response.Header)
			req.URL.Opaque = req.URL.Path
			return nil
		}
		ask := func(method, address, body, part string) http.Header {
			req, _ := http.NewRequest(method, address, strings.NewReader(body))
			if part != "" {
				req.Header.Set("Content-Range", part)
				req.GetBody = nil // or net/http follows a status 308
			}
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			data, err := io.ReadAll(resp.Body)
			seen += fmt.Sprintln(method, resp.Status, resp.ContentLength, len(data), err)
			note(resp.Header)
			return resp.Header
		}
		ask("HEAD", server.URL+"/_ping", "", "")
		next := ask("GET", server.URL+"/things()", "", "").Get("X-Ms-Continuation-Nextrowkey")
		ask("GET", server.URL+"/things()?NextRowKey="+next, "", "")
		ask("HEAD", server.URL+"/rest/v1/things", "", "")
		ask("GET", server.URL+"/rest/v1/things", "", "")
		ask("HEAD", server.URL+"/index", "", "")
		ask("HEAD", server.URL+"/org/model/resolve/main/model.bin", "", "")
		ask("GET", server.URL+"/org/model/resolve/main/model.bin", "", "")
		session := ask("POST", server.URL+"/upload", "{}", "").Get("Location")
		ask("PUT", session, "abcd", "bytes 0-3/*")
		ask("PUT", session, "efgh", "bytes 4-7/8")
		ask("PUT", session, "efgh", "bytes 4-7/8")
		return seen
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeAll))
	want := use(r)
	must.Close(t, r)
	for _, said := range append(names, "HEAD 200 OK 300 0", "GET 200 OK -1 250000", "PUT 308 ", "PUT 503 ") {
		if !strings.Contains(want, said) {
			t.Errorf("recorded without %s:\n%s", said, want)
		}
	}
	for range full.Cases(2, 200) {
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		if got := use(r); got != want {
			t.Fatalf("replayed\n%s\nwant\n%s", got, want)
		}
		must.Close(t, r)
	}
}
