package streams_test

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

// What clients of services read outside of bodies is the same in replay: headers, announced
// lengths, redirects.
func TestHeadersOfServicesAreReplayed(t *testing.T) {
	t.Parallel()
	services := []service{
		{
			name:   "Docker: the version of the API",
			answer: answerAsDocker,
			use: func(c *serviceClient) {
				c.ask("HEAD", "/_ping", "")
			},
			seen: []string{"Api-Version", "Ostype", "HEAD 200 OK 0 0"},
		},
		{
			name:   "tables of Azure: where the next page begins",
			answer: answerAsTables,
			use: func(c *serviceClient) {
				next := c.ask("GET", "/things()", "").Get("X-Ms-Continuation-Nextrowkey")
				c.ask("GET", "/things()?NextRowKey="+next, "")
			},
			seen: []string{
				"X-Ms-Continuation-Nextpartitionkey", "X-Ms-Continuation-Nextrowkey", "Content-Type",
			},
		},
		{
			name:   "Supabase: how many rows there are",
			answer: answerAsSupabase,
			use: func(c *serviceClient) {
				c.ask("HEAD", "/rest/v1/things", "")
				c.ask("GET", "/rest/v1/things", "")
			},
			seen: []string{"Content-Range", "Preference-Applied"},
		},
		{
			name:   "OpenSearch: the length that HEAD announces",
			answer: answerAsOpenSearch,
			use: func(c *serviceClient) {
				c.ask("HEAD", "/index", "")
			},
			seen: []string{"X-Opensearch-Version", "HEAD 200 OK 300 0"},
		},
		{
			name:   "Hugging Face: a redirect to a signed URL",
			answer: answerAsHuggingFace,
			use: func(c *serviceClient) {
				c.ask("HEAD", "/org/model/resolve/main/model.bin", "")
				c.ask("GET", "/org/model/resolve/main/model.bin", "")
			},
			seen: []string{"X-Repo-Commit", "X-Linked-Size", "X-Linked-Etag", "Etag", "GET 200 OK -1 250000"},
		},
		{
			name:   "Google's storage: an upload in chunks, of which one is refused at first",
			answer: answerAsGoogleStorage(),
			use: func(c *serviceClient) {
				session := c.ask("POST", "/upload", "{}").Get("Location")
				path := strings.TrimPrefix(session, c.base)
				c.ask("PUT", path, "abcd", "bytes 0-3/*")
				c.ask("PUT", path, "efgh", "bytes 4-7/8")
				c.ask("PUT", path, "efgh", "bytes 4-7/8")
			},
			seen: []string{"Range", "X-Http-Status-Code-Override", "X-Goog-Hash", "PUT 308 ", "PUT 503 "},
		},
	}
	for _, tt := range services {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(tt.answer)
			defer server.Close()
			file := filepath.Join(t.TempDir(), "c.yaml")
			use := func(mode promptecho.Mode) (seen string) {
				rec := must.Open(t, file, promptecho.InMode(mode))
				defer must.Close(t, rec)
				client := newServiceClient(t, rec, server.URL)
				tt.use(client)
				return client.seen.String()
			}

			recorded := use(promptecho.ModeAll)
			for _, want := range tt.seen {
				if !strings.Contains(recorded, want) {
					t.Errorf("recorded without %q:\n%s", want, recorded)
				}
			}
			for range full.Cases(2, 200) {
				if replayed := use(promptecho.ModeNone); replayed != recorded {
					t.Fatalf("replayed\n%s\nwant\n%s", replayed, recorded)
				}
			}
		})
	}
}

// A service answers as a known one does, and is used as its client does.
type service struct {
	name   string
	answer http.HandlerFunc
	use    func(c *serviceClient)
	seen   []string // what the client must have seen, at least
}

// A serviceClient notes what a client can see of answers.
type serviceClient struct {
	t      *testing.T
	base   string // the address of the service
	client *http.Client
	seen   strings.Builder
}

func newServiceClient(t *testing.T, rec *promptecho.Recorder, base string) *serviceClient {
	c := &serviceClient{t: t, base: base, client: rec.Client()}
	c.client.CheckRedirect = func(req *http.Request, _ []*http.Request) error {
		c.note(req.Response.Header)
		req.URL.Opaque = req.URL.Path // as a client that writes the request line itself
		return nil
	}
	return c
}

// ask sends a request, and returns the headers of its answer. It may have a Content-Range.
func (c *serviceClient) ask(method, path, body string, contentRange ...string) http.Header {
	c.t.Helper()
	req := must.NewRequest(c.t, c.t.Context(), method, c.base+path, body)
	for _, part := range contentRange {
		req.Header.Set("Content-Range", part)
		req.GetBody = nil // so that net/http does not follow a status 308
	}
	resp, err := c.client.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	fmt.Fprintln(&c.seen, method, resp.Status, resp.ContentLength, len(data), err)
	c.note(resp.Header)
	return resp.Header
}

// note notes the headers that clients of these services read.
func (c *serviceClient) note(header http.Header) {
	names := []string{
		"Api-Version", "Content-Range", "Content-Type", "Etag", "Ostype", "Preference-Applied", "Range",
		"X-Goog-Hash", "X-Http-Status-Code-Override", "X-Linked-Etag", "X-Linked-Size",
		"X-Ms-Continuation-Nextpartitionkey", "X-Ms-Continuation-Nextrowkey", "X-Opensearch-Version",
		"X-Repo-Commit",
	}
	for _, name := range names {
		if values, ok := header[name]; ok {
			fmt.Fprintln(&c.seen, "", name, values)
		}
	}
}

func answerAsDocker(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Api-Version", "1.47")
	w.Header().Set("Ostype", "linux")
	w.Header().Set("Content-Length", "0")
}

func answerAsTables(w http.ResponseWriter, req *http.Request) {
	if req.URL.Query().Get("NextRowKey") != "" {
		fmt.Fprint(w, `{"value":[2]}`)
		return
	}
	w.Header().Set("X-Ms-Continuation-Nextpartitionkey", "1!8!cGFydGl0aW9u")
	w.Header().Set("X-Ms-Continuation-Nextrowkey", "1!4!cm93")
	fmt.Fprint(w, `{"value":[1]}`)
}

func answerAsSupabase(w http.ResponseWriter, req *http.Request) {
	w.Header().Set("Content-Range", "0-1/317")
	w.Header().Set("Preference-Applied", "count=exact")
	if req.Method != http.MethodHead {
		w.WriteHeader(http.StatusPartialContent)
		fmt.Fprint(w, `[{"id":1},{"id":2}]`)
	}
}

func answerAsOpenSearch(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("X-Opensearch-Version", "OpenSearch/3.1.0 (opensearch)")
	w.Header().Set("Content-Length", "300")
}

func answerAsHuggingFace(w http.ResponseWriter, req *http.Request) {
	const file = "/cdn/model.bin"
	if req.URL.Path == file {
		w.Header().Set("Etag", `"0123456789abcdef0123456789abcdef"`)
		w.Write(make([]byte, 250000))
		return
	}
	w.Header().Set("X-Repo-Commit", "990580e27d329c7408b3741ecff85876e128e203")
	w.Header().Set("X-Linked-Size", "250000")
	w.Header().Set("X-Linked-Etag", `"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`)
	w.Header().Set("Location", file+"?Signature=kQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs&Key-Pair-Id=K3RPWS32NSSJCE")
	w.WriteHeader(http.StatusFound)
}

// answerAsGoogleStorage returns a service that refuses the second chunk once.
func answerAsGoogleStorage() http.HandlerFunc {
	hasRefused := false
	return func(w http.ResponseWriter, req *http.Request) {
		chunk := req.Header.Get("Content-Range")
		switch {
		case req.Method == http.MethodPost:
			w.Header().Set("Location", "http://"+req.Host+"/upload?upload_id=AHmUCY0qQx2mPz9Vw4Lr8Tn3Yb6Jd5Hg0Rs")
		case strings.HasPrefix(chunk, "bytes 4-") && !hasRefused:
			hasRefused = true
			w.WriteHeader(http.StatusServiceUnavailable)
		case strings.HasSuffix(chunk, "/*"): // more chunks follow
			w.Header().Set("Range", "bytes=0-3")
			w.Header().Set("X-Http-Status-Code-Override", "308")
			w.WriteHeader(http.StatusPermanentRedirect)
		default:
			w.Header().Set("X-Goog-Hash", "crc32c=n03x6A==")
			fmt.Fprint(w, `{"size":"8"}`)
		}
	}
}
