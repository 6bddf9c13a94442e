package streams_test

import (
	"cmp"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The length, transfer encoding and HTTP version of an answer are the same live, recorded and replayed.
func TestLengthAndVersionOfAnAnswerAreReplayed(t *testing.T) {
	t.Parallel()
	megabyte := "data: " + strings.Repeat("0123456789abcdef", 1<<16) + "\n\ndata: [DONE]\n\n"
	wantSameAnswers(t, []answer{
		{name: "known length", handler: says("application/json", `{"a":1}`)},
		{name: "known length, HTTP/2", http2: true, handler: says("application/json", `{"a":1}`)},
		{name: "unknown length", handler: streams("application/json", `{"a":`, `1}`)},
		{name: "stream", handler: streams("text/event-stream", twoEvents)},
		{name: "stream, HTTP/2", http2: true, handler: streams("text/event-stream", twoEvents)},
		{
			name: "stream of known length",
			handler: writes("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 29\r\n\r\n" +
				twoEvents),
		},
		{name: "an event of a megabyte", handler: streams("text/event-stream", megabyte)},
		{
			name:    "to the end of the connection",
			handler: writes("HTTP/1.1 201 Made\r\nX-Thing: 7\r\n\r\nhi"),
		},
		{name: "HTTP/1.0", handler: writes("HTTP/1.0 200 OK\r\nX-Thing: 7\r\n\r\n{}")},
	})
}

const twoEvents = "data: {\"a\":1}\n\ndata: [DONE]\n\n"

// An answer is what a server does with a request without a body.
type answer struct {
	name    string
	method  string // POST, if empty
	http2   bool
	handler http.HandlerFunc
	change  func(live *seen) // what a client of a recorder sees otherwise, while it records and in replay
}

// says returns a handler that answers with a text.
func says(media, text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		io.WriteString(w, text)
	}
}

// streams returns a handler that answers with texts, and flushes after each. So the length is
// unknown to the client.
func streams(media string, texts ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", media)
		for _, text := range texts {
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}
	}
}

// status returns a handler that answers with a status and no body.
func status(code int) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

// writes returns a handler that writes an answer as it stands, and closes the connection.
func writes(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		io.WriteString(conn, answer)
		conn.(*net.TCPConn).CloseWrite()
		io.Copy(io.Discard, conn) // until the client has seen that
		conn.Close()
	}
}

// wantSameAnswers compares what a client of net/http sees of each answer without a recorder, while
// it is recorded, and in replay.
func wantSameAnswers(t *testing.T, answers []answer) {
	t.Helper()
	for _, a := range answers {
		t.Run(a.name, func(t *testing.T) {
			t.Parallel()
			wantSameAnswer(t, a)
		})
	}
}

func wantSameAnswer(t *testing.T, a answer) {
	server := httptest.NewUnstartedServer(a.handler)
	server.EnableHTTP2 = a.http2
	if a.http2 {
		server.StartTLS()
	} else {
		server.Start()
	}
	defer server.Close()
	upstream := server.Client().Transport
	ask := func() *http.Request {
		req, err := http.NewRequest(cmp.Or(a.method, "POST"), server.URL+"/v1/things", nil)
		if err != nil {
			t.Fatal(err)
		}
		return req
	}

	live := see(t, upstream, ask())
	server.Client().CloseIdleConnections() // some servers do that themselves, sooner or later
	live.TLS = false                       // withheld while recording,
	live.Close = false                     // because a replay has no connection
	if a.change != nil {
		a.change(&live)
	}

	file := filepath.Join(t.TempDir(), "c.yaml")
	rec := must.Open(t, file, promptecho.Upstream(upstream), promptecho.OnRecordError(promptecho.Keep))
	if got := see(t, rec, ask()); !reflect.DeepEqual(got, live) {
		t.Errorf("the recorder changes what the client sees:\n%+v\nwithout\n%+v", got, live)
	}
	must.Close(t, rec)
	server.Close()

	if location := live.Header.Get("Location"); location != "" {
		live.Header.Set("Location", "/v1/elsewhere?limit=1")
	}
	rec = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	if got := see(t, rec, ask()); !reflect.DeepEqual(got, live) {
		t.Errorf("replayed\n%+v\nwant\n%+v\n%s", got, live, must.Read(t, file))
	}
	must.Close(t, rec)
}

// seen is what a client can see of an answer.
type seen struct {
	Status           string
	Proto            string
	Header           http.Header
	ContentLength    int64
	TransferEncoding []string
	TrailerNames     []string    // before the body is read
	Trailer          http.Header // after
	Uncompressed     bool
	TLS              bool
	Close            bool
	SameRequest      bool
	Body             string
	Err              string
}

// see sends a request, and looks at the whole answer.
func see(t *testing.T, transport http.RoundTripper, req *http.Request) seen {
	t.Helper()
	resp, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s := seen{
		Status:           resp.Status,
		Proto:            resp.Proto,
		Header:           resp.Header.Clone(),
		ContentLength:    resp.ContentLength,
		TransferEncoding: resp.TransferEncoding,
		Uncompressed:     resp.Uncompressed,
		TLS:              resp.TLS != nil,
		Close:            resp.Close,
		SameRequest:      resp.Request == req,
	}
	delete(s.Header, "Date") // never replayed: it teaches the AWS SDK a wrong clock
	for name, values := range resp.Trailer {
		if len(values) > 0 {
			t.Errorf("trailer %s has its value before the body was read", name)
		}
		s.TrailerNames = append(s.TrailerNames, name)
	}
	slices.Sort(s.TrailerNames)
	body, err := io.ReadAll(resp.Body)
	s.Body = string(body)
	if err != nil {
		s.Err = err.Error()
	}
	s.Trailer = resp.Trailer.Clone()
	return s
}

// An answer without a body is replayed without one, with the length and headers that it had.
func TestAnswerWithoutABodyIsReplayed(t *testing.T) {
	t.Parallel()
	wantSameAnswers(t, []answer{
		{
			name:   "HEAD",
			method: "HEAD",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("Content-Length", "1234")
			},
		},
		{
			name:   "HEAD, HTTP/2",
			method: "HEAD",
			http2:  true,
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Length", "9")
			},
		},
		{name: "HEAD, unknown length", method: "HEAD", handler: writes("HTTP/1.1 200 OK\r\n\r\n")},
		{name: "204", method: "DELETE", handler: status(http.StatusNoContent)},
		{name: "204, HTTP/2", method: "DELETE", http2: true, handler: status(http.StatusNoContent)},
		{name: "304", method: "GET", handler: status(http.StatusNotModified)},
		{
			name:   "304 with a tag, HTTP/2",
			method: "GET",
			http2:  true,
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Etag", `"a"`)
				w.WriteHeader(http.StatusNotModified)
			},
		},
		{name: "202 with an empty body", handler: status(http.StatusAccepted)},
		{name: "202 with an empty body, HTTP/2", http2: true, handler: status(http.StatusAccepted)},
		{
			name:    "200 with an empty body in chunks",
			handler: writes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
		},
	})
}

// The status code and text of an answer are replayed, also unusual ones.
func TestStatusOfAnAnswerIsReplayed(t *testing.T) {
	t.Parallel()
	wantSameAnswers(t, []answer{
		{
			name:   "redirect",
			method: "GET",
			handler: func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/v1/elsewhere?limit=1", http.StatusTemporaryRedirect)
			},
		},
		{
			name: "a status that is not registered",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header().Set("X-Request-Id", "req_1")
				w.WriteHeader(529)
				io.WriteString(w, `{"type":"error"}`)
			},
		},
		{
			name:  "a status that is not registered, HTTP/2",
			http2: true,
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(529)
				io.WriteString(w, `{"type":"error"}`)
			},
		},
		{name: "a status without a text", handler: writes("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi")},
	})
}

// Headers that a client may need are replayed with all their values, and no others are.
func TestHeadersOfAnAnswerAreReplayed(t *testing.T) {
	t.Parallel()
	wantSameAnswers(t, []answer{
		{
			name: "headers that are not needed",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				for _, name := range []string{
					"Server", "Alt-Svc", "Cf-Ray", "X-Trace-Id", "X-Ratelimit-Remaining", "Openai-Processing-Ms",
				} {
					w.Header().Set(name, "x")
				}
				w.Header().Set("X-Elastic-Product", "Elasticsearch")
				io.WriteString(w, `{}`)
			},
			change: func(live *seen) {
				maps.DeleteFunc(live.Header, func(name string, _ []string) bool {
					return !strings.HasPrefix(name, "Content-") && name != "X-Elastic-Product"
				})
			},
		},
		{
			name: "headers of several values",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.Header()["X-Api-Warning"] = []string{"one", "two, three", ""}
				io.WriteString(w, `{}`)
			},
		},
	})
}

// Trailers are replayed: their names before the body is read, their values after it.
func TestTrailersOfAnAnswerAreReplayed(t *testing.T) {
	t.Parallel()
	wantSameAnswers(t, []answer{
		{
			name: "announced",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Trailer", "X-Sum")
				io.WriteString(w, twoEvents)
				w.Header().Set("X-Sum", "late")
			},
		},
		{
			name:  "announced, HTTP/2",
			http2: true,
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				w.Header().Set("Trailer", "X-Sum")
				io.WriteString(w, twoEvents)
				w.(http.Flusher).Flush()
				w.Header().Set("X-Sum", "late")
			},
		},
		{
			name: "one never sent, one not announced, and one that is not kept",
			handler: func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Trailer", "X-Never, X-Trace-Id")
				io.WriteString(w, `{}`)
				w.Header().Set(http.TrailerPrefix+"Grpc-Status", "5")
				w.Header().Set("X-Trace-Id", "late")
			},
			change: func(live *seen) {
				live.TrailerNames = []string{"X-Never"}
				delete(live.Trailer, "X-Trace-Id")
			},
		},
	})
}

// The Date of an answer is given only to a client that dates its requests, and only while recording.
func TestDateIsGivenOnlyToClientsThatDateTheirRequests(t *testing.T) {
	t.Parallel()
	const date = "Fri, 02 Jan 2026 03:04:05 GMT"
	upstream := provider.Func(func(*http.Request) (*http.Response, error) {
		return &http.Response{
			StatusCode: 200,
			Header:     http.Header{"Date": {date}},
			Body:       http.NoBody,
		}, nil
	})
	for _, tt := range []struct {
		name   string
		header string // of the request
		live   string // Date while recording
	}{
		{name: "a client that does not", header: "X-Any", live: ""},
		{name: "a client of AWS", header: "X-Amz-Date", live: date},
		{name: "a client of Azure", header: "X-Ms-Date", live: date},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			ask := func(mode promptecho.Mode) (date string) {
				rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
				req, err := http.NewRequest("GET", "https://api.example.com/things", nil)
				if err != nil {
					t.Fatal(err)
				}
				req.Header.Set(tt.header, "20260102T030405Z")
				resp, err := rec.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				must.Close(t, rec)
				return resp.Header.Get("Date")
			}
			if got := ask(promptecho.ModeAll); got != tt.live {
				t.Errorf("while recording: Date %q, want %q", got, tt.live)
			}
			if got := ask(promptecho.ModeNone); got != "" {
				t.Errorf("in replay: Date %q", got)
			}
		})
	}
}

// What only a connection has, Response.TLS and Response.Close, is withheld while recording, too.
func TestConnectionOfAnAnswerIsWithheld(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "close")
	}))
	t.Cleanup(server.Close)
	upstream := server.Client().Transport
	ask := func(transport http.RoundTripper) seen {
		req, err := http.NewRequest("GET", server.URL+"/v1/things", nil)
		if err != nil {
			t.Fatal(err)
		}
		return see(t, transport, req)
	}
	if live := ask(upstream); !live.TLS || !live.Close {
		t.Fatalf("without a recorder: %+v", live)
	}
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(upstream))
		if got := ask(rec); got.TLS || got.Close {
			t.Errorf("mode %s: %+v", mode, got)
		}
		must.Close(t, rec)
	}
}
