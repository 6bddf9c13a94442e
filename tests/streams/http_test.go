package streams_test

import (
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

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
	SameRequest      bool
	Body             string
	Err              string
}

// see sends a request and looks at everything.
func see(t *testing.T, rt http.RoundTripper, req *http.Request) seen {
	t.Helper()
	resp, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s := seen{
		Status: resp.Status, Proto: resp.Proto, Header: resp.Header.Clone(), ContentLength: resp.ContentLength,
		TransferEncoding: resp.TransferEncoding, Uncompressed: resp.Uncompressed, SameRequest: resp.Request == req,
	}
	for name, values := range resp.Trailer {
		if len(values) > 0 {
			t.Errorf("trailer %s has its value before the body was read", name)
		}
		s.TrailerNames = append(s.TrailerNames, name)
	}
	slices.Sort(s.TrailerNames)
	b, err := io.ReadAll(resp.Body)
	s.Body = string(b)
	if err != nil {
		s.Err = err.Error()
	}
	s.Trailer = resp.Trailer.Clone()
	delete(s.Header, "Date") // never replayed: it teaches the AWS SDK a wrong clock
	return s
}

// raw returns a handler that writes an answer as it stands, and closes the connection.
func raw(answer string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			io.WriteString(conn, answer)
			conn.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, conn) // until the client has seen that
			conn.Close()
		}
	}
}

// TestHTTP: a replayed answer is what the server's was, for a client of net/http.
func TestHTTP(t *testing.T) {
	t.Parallel()
	const text = "data: {\"a\":1}\n\ndata: [DONE]\n\n"
	compress := func(w io.WriteCloser, s string) { io.WriteString(w, s); w.Close() }
	tests := []struct {
		name    string
		method  string
		handler http.HandlerFunc
		http2   bool
		change  func(live *seen) // what the client of a recorder sees otherwise, live and in replay
	}{
		{name: "JSON", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a":1}`)
		}},
		{name: "JSON, length not known", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a":`)
			w.(http.Flusher).Flush()
			io.WriteString(w, `1}`)
		}},
		{name: "stream", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}},
		{name: "stream, HTTP/2", http2: true, handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
		}},
		{name: "JSON, HTTP/2", http2: true, handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			io.WriteString(w, `{"a":1}`)
		}},
		{name: "gzip, asked for by the transport", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				w.Header().Set("Content-Encoding", "gzip")
				compress(gzip.NewWriter(w), `{"a":1}`)
				return
			}
			io.WriteString(w, `{"a":1}`)
		}},
		{name: "deflate, not asked for", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Content-Encoding", "deflate")
			compress(zlib.NewWriter(w), text)
			w.(http.Flusher).Flush()
		}, change: func(live *seen) { // stored decoded
			live.Body, live.Uncompressed = text, true
			live.Header.Del("Content-Encoding")
		}},
		{name: "a coding nobody has", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Encoding", "br")
			io.WriteString(w, "\x0b\x03\x80{}\x03")
		}},
		{name: "gzip that is none", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "deflate")
			io.WriteString(w, "plain after all")
		}, change: func(live *seen) {
			live.ContentLength, live.Uncompressed = -1, true
			live.Header.Del("Content-Encoding")
			live.Header.Del("Content-Length")
		}},
		{name: "HEAD", method: "HEAD", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1234")
		}},
		{name: "204", method: "DELETE", handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(204) }},
		{name: "304", method: "GET", handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(304) }},
		{name: "no body", handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) }},
		{name: "redirect", method: "GET", handler: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/v1/elsewhere?limit=1", http.StatusTemporaryRedirect)
		}},
		{name: "an error", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("X-Request-Id", "req_1")
			w.WriteHeader(529)
			io.WriteString(w, `{"type":"error"}`)
		}},
		{name: "an error, HTTP/2", http2: true, handler: func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(529)
			io.WriteString(w, `{"type":"error"}`)
		}},
		{name: "a status line of its own", handler: raw("HTTP/1.1 200 \r\nContent-Length: 2\r\n\r\nhi")},
		{name: "to the end of the connection", handler: raw("HTTP/1.1 201 Made\r\nX-Thing: 7\r\n\r\nhi")},
		{name: "HTTP/1.0", handler: raw("HTTP/1.0 200 OK\r\nX-Thing: 7\r\n\r\n{}")},
		{name: "HEAD, length not known", method: "HEAD", handler: raw("HTTP/1.1 200 OK\r\n\r\n")},
		{name: "HEAD, HTTP/2", http2: true, method: "HEAD", handler: func(w http.ResponseWriter, r *http.Request) { w.Header().Set("Content-Length", "9") }},
		{name: "nothing, in chunks", handler: raw("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n")},
		{name: "nothing, HTTP/2", http2: true, handler: func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(202) }},
		{name: "304 with a length, HTTP/2", http2: true, method: "GET", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Etag", `"a"`)
			w.WriteHeader(304)
		}},
		{name: "a stream of known length", handler: raw("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 29\r\n\r\n" + text)},
		{name: "broken off", handler: raw("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhi")},
		{name: "headers that nobody needs", handler: func(w http.ResponseWriter, r *http.Request) {
			for _, name := range []string{"Server", "Alt-Svc", "Cf-Ray", "X-Trace-Id", "X-Ratelimit-Remaining", "Openai-Processing-Ms"} {
				w.Header().Set(name, "x")
			}
			w.Header().Set("X-Elastic-Product", "Elasticsearch")
			io.WriteString(w, `{}`)
		}, change: func(live *seen) {
			maps.DeleteFunc(live.Header, func(name string, _ []string) bool {
				return !strings.HasPrefix(name, "Content-") && name != "X-Elastic-Product"
			})
		}},
		{name: "headers of several values", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header()["X-Api-Warning"] = []string{"one", "two, three", ""}
			io.WriteString(w, `{}`)
		}},
		{name: "trailers", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, text)
			w.Header().Set("X-Sum", "late")
		}},
		{name: "trailers that were not announced, and one that is not kept", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Trailer", "X-Never, X-Trace-Id")
			io.WriteString(w, `{}`)
			w.Header().Set(http.TrailerPrefix+"Grpc-Status", "5")
			w.Header().Set("X-Trace-Id", "late")
		}, change: func(live *seen) {
			live.TrailerNames = []string{"X-Never"}
			delete(live.Trailer, "X-Trace-Id")
		}},
		{name: "trailers, HTTP/2", http2: true, handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Trailer", "X-Sum")
			io.WriteString(w, text)
			w.(http.Flusher).Flush()
			w.Header().Set("X-Sum", "late")
		}},
		{name: "a megabyte in one event", handler: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, "data: "+strings.Repeat("0123456789abcdef", 1<<16)+"\n\ndata: [DONE]\n\n")
			w.(http.Flusher).Flush()
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(tt.handler)
			server.EnableHTTP2 = tt.http2
			if tt.http2 {
				server.StartTLS()
			} else {
				server.Start()
			}
			ask := func() *http.Request {
				req, err := http.NewRequest(cmp.Or(tt.method, "POST"), server.URL+"/v1/things", nil)
				if err != nil {
					t.Fatal(err)
				}
				return req
			}
			upstream := server.Client().Transport
			direct := see(t, upstream, ask())
			server.Client().CloseIdleConnections() // some servers do that themselves, sooner or later
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.Upstream(upstream), promptecho.OnRecordError(promptecho.Keep))
			recording := see(t, r, ask())
			must.Close(t, r)
			server.Close()
			if tt.change != nil {
				tt.change(&direct)
			}
			if !reflect.DeepEqual(recording, direct) {
				t.Errorf("recording changes what the client sees:\n%+v\nwithout\n%+v", recording, direct)
			}
			if l := direct.Header.Get("Location"); l != "" {
				direct.Header.Set("Location", "/v1/elsewhere?limit=1")
			}
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
			if replayed := see(t, r, ask()); !reflect.DeepEqual(replayed, direct) {
				t.Errorf("replayed\n%+v\nwant\n%+v\n%s", replayed, direct, must.Read(t, file))
			}
			must.Close(t, r)
		})
	}
}

// TestRedirectsAreFollowed from the cassette, each hop a recording of its own.
// TestUnusualJSON: bodies of JSON that YAML cannot have as structure stand in a cassette as
// text, and come back byte for byte.
func TestUnusualJSON(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","a":1, "b":2,"a":3}`,
		`{"` + strings.Repeat("k", 257) + `":1}`,
		strings.Repeat("[", 66) + strings.Repeat("]", 66),
		`{"a":"\ud800"}`,
	} {
		file := filepath.Join(t.TempDir(), "c.yaml")
		for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
			r := must.Open(t, file, promptecho.InMode(mode), promptecho.Upstream(provider.Says(body)))
			if status, got := must.Post(t, r, "https://h.example/v1/x", body); status != 200 || got != body {
				t.Errorf("mode %s: status %d, %q, want %q", mode, status, got, body)
			}
			must.Pass(t, r)
		}
		if text := must.Read(t, file); len(regexp.MustCompile(`body: ['"]`).FindAllString(text, -1)) != 2 {
			t.Errorf("not both bodies are text:\n%s", text)
		}
	}
}

func TestRedirectsAreFollowed(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/chat/completions" {
			http.Redirect(w, r, "/v2/chat/completions", http.StatusPermanentRedirect)
			return
		}
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"path":%q,"bytes":%d}`, r.URL.Path, len(body))
	}))
	file := filepath.Join(t.TempDir(), "c.yaml")
	want := ""
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		r := must.Open(t, file, promptecho.InMode(mode))
		status, body := must.Ask(t, r, server.URL, "hi")
		if mode == promptecho.ModeAll {
			want = body
		}
		if status != 200 || body != want || !strings.Contains(body, "/v2/") || strings.Contains(body, `"bytes":0`) {
			t.Errorf("%s: %d %s, want %s", mode, status, body, want)
		}
		must.Close(t, r)
		server.Close()
	}
}

// paced is an upstream that answers in pieces, one each time a delay has passed.
func paced(header http.Header, delay time.Duration, pieces ...string) http.RoundTripper {
	return provider.Func(func(*http.Request) (*http.Response, error) {
		pr, pw := io.Pipe()
		go func() {
			for _, p := range pieces {
				time.Sleep(delay)
				io.WriteString(pw, p)
			}
			pw.Close()
		}()
		return &http.Response{StatusCode: 200, Header: header, Body: pr, ContentLength: -1}, nil
	})
}

// TestChunks: sound comes in the pieces and with the delays it was recorded in.
func TestChunks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		pieces := []string{"\xff\xfb", "abc", "\x00"}
		up := paced(http.Header{"Content-Type": {"audio/mpeg"}}, 20*time.Millisecond, pieces...)
		file := filepath.Join(t.TempDir(), "c.yaml")
		r := must.Open(t, file, promptecho.Upstream(up))
		must.Post(t, r, "http://h/v1/audio/speech", `{"input":"x"}`)
		must.Close(t, r)
		if text := must.Read(t, file); !strings.Contains(text, "chunks: [2, 3, 1]\n    delays_ms: [20, 20, 20]") {
			t.Fatalf("%s", text)
		}
		r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
		start := time.Now()
		resp, err := r.Client().Post("http://h/v1/audio/speech", "application/json", strings.NewReader(`{"input":"x"}`))
		if err != nil {
			t.Fatal(err)
		}
		got, err := reads(resp.Body)
		if !slices.Equal(got, pieces) || err != io.EOF || time.Since(start) != 60*time.Millisecond {
			t.Errorf("%q, %v after %v", got, err, time.Since(start))
		}
		resp.Body.Close()
		must.Close(t, r)
	})
}

// TestCompressedStreamKeepsItsEvents: the events of a compressed stream are
// those that the server flushed, with their times.
func TestCompressedStreamKeepsItsEvents(t *testing.T) {
	t.Parallel()
	type flusher interface {
		io.WriteCloser
		Flush() error
	}
	for name, open := range map[string]func(io.Writer) flusher{
		"gzip":         func(w io.Writer) flusher { return gzip.NewWriter(w) },
		"deflate":      func(w io.Writer) flusher { return zlib.NewWriter(w) },
		"bare deflate": func(w io.Writer) flusher { f, _ := flate.NewWriter(w, -1); return f },
	} {
		synctest.Test(t, func(t *testing.T) {
			events := []string{"data: {\"n\":1}\n\n", "data: {\"n\":2}\n\n", "data: [DONE]\n\n"}
			var buf bytes.Buffer
			z := open(&buf)
			var pieces []string
			for i, e := range events {
				io.WriteString(z, e)
				z.Flush()
				if i == len(events)-1 {
					z.Close()
				}
				pieces = append(pieces, buf.String())
				buf.Reset()
			}
			coding := strings.TrimPrefix(name, "bare ")
			up := paced(http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {coding}}, 50*time.Millisecond, pieces...)
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.Upstream(up))
			resp, err := r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
			must.Close(t, r)
			f, err := cassette.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			got := f.Interactions[0].Response
			want := []interaction.Delay{{MS: 50}, {MS: 50}, {MS: 50}}
			if len(got.Events) != 3 || !slices.Equal(got.Delays, want) || got.Headers.Get("content-encoding") != "" {
				t.Errorf("%s: %q, delays %v, headers %v", name, got.Events, got.Delays, got.Headers)
			}
		})
	}
}

// TestCompressedAndCutOff: what can be read of a compressed answer that broke
// off is kept.
func TestCompressedAndCutOff(t *testing.T) {
	t.Parallel()
	var buf bytes.Buffer
	z := gzip.NewWriter(&buf)
	io.WriteString(z, "data: {\"n\":1}\n\n")
	z.Flush()
	body := io.MultiReader(bytes.NewReader(buf.Bytes()), provider.Broken{Err: io.ErrUnexpectedEOF})
	up := provider.Func(func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/event-stream"}, "Content-Encoding": {"gzip"}}, Body: io.NopCloser(body), ContentLength: -1}, nil
	})
	file := filepath.Join(t.TempDir(), "c.yaml")
	r := must.Open(t, file, promptecho.Upstream(up), promptecho.OnRecordError(promptecho.Keep))
	resp, err := r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	must.Close(t, r)
	if text := must.Read(t, file); !strings.Contains(text, `- {data: {"n": 1}}`) || !strings.Contains(text, "end: error") {
		t.Errorf("%s", text)
	}
}

// TestPiecesOfAnEvent: where a server sends the end of an event with the next one,
// as Cohere's does, replay does too. What the network cuts, or the reader's buffer,
// says nothing.
func TestPiecesOfAnEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		sent   []string
		buffer int
		want   []string // what Reads give in replay
		delays string
	}{
		{"the blank line comes later", []string{"data: 1\n", "\ndata: 2\n", "\ndata: 3\n", "\n"}, 4096,
			[]string{"data: 1\n", "\ndata: 2\n", "\ndata: 3\n", "\n"}, "[10~1+10, +~1+10, +~1+10]"},
		{"line by line", []string{"event: a\n", "data: 1\n", "\n"}, 4096, []string{"event: a\n", "data: 1\n", "\n"}, "[10~9+10~1+10]"},
		{"whole events", []string{"data: 1\n\n", "data: 2\n\n"}, 4096, []string{"data: 1\n\n", "data: 2\n\n"}, "[10, 10]"},
		{"cut by the network", []string{"data: 1", "\n\ndata: 2\n\n"}, 4096, []string{"data: 1\n\ndata: 2\n\n"}, "[20, +]"},
		{"cut by the reader", []string{"data: 1\n\ndata: 2\n\n"}, 8, []string{"data: 1\n\n", "data: 2\n\n"}, "[10]"},
	}
	for _, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			up := paced(http.Header{"Content-Type": {"text/event-stream"}}, 10*time.Millisecond, tt.sent...)
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := must.Open(t, file, promptecho.Upstream(up))
			resp, err := r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			for buf := make([]byte, tt.buffer); ; {
				if _, err := resp.Body.Read(buf); err != nil {
					break
				}
			}
			resp.Body.Close()
			must.Close(t, r)
			if text := must.Read(t, file); !strings.Contains(text, "delays_ms: "+tt.delays+"\n") {
				t.Errorf("%s: want delays %s in\n%s", tt.name, tt.delays, text)
			}
			r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
			began := time.Now()
			resp, err = r.Client().Post("http://h/v1/x", "application/json", strings.NewReader(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			got, err := reads(resp.Body)
			if !slices.Equal(got, tt.want) || err != io.EOF {
				t.Errorf("%s: reads %q, %v; want %q", tt.name, got, err, tt.want)
			}
			if took, want := time.Since(began), time.Duration(len(tt.sent))*10*time.Millisecond; took != want {
				t.Errorf("%s: took %v, want %v", tt.name, took, want)
			}
			resp.Body.Close()
			must.Close(t, r)
		})
	}
}

// pipeServer is an HTTP server whose connections are pipes, for a bubble.
func pipeServer(h http.Handler) (rt *http.Transport, stop func()) {
	conns := make(chan net.Conn)
	done := make(chan struct{})
	server := &http.Server{Handler: h}
	go server.Serve(&pipeListener{conns, done})
	rt = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		client, srv := net.Pipe()
		select {
		case conns <- srv:
			return client, nil
		case <-done:
			return nil, net.ErrClosed
		}
	}}
	return rt, func() {
		rt.CloseIdleConnections()
		server.Close()
		<-done
	}
}

type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}
func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe"} }

// TestNoGoroutineIsLeft: however a client treats an answer, nothing runs on
// after the recorder is closed, in recording and in replay. The proof is the
// bubble's: it ends only when every goroutine in it has.
func TestNoGoroutineIsLeft(t *testing.T) {
	t.Parallel()
	cancelled := func(r *promptecho.Recorder, when string) (*http.Response, error) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		req, err := http.NewRequestWithContext(ctx, "POST", "http://h/v1/chat/completions", strings.NewReader(`{"stream":true}`))
		if err != nil {
			return nil, err
		}
		if when == "before" {
			cancel()
		}
		if when == "waiting" {
			req.Header.Set("X-Hold", "1")
			go func() { synctest.Wait(); cancel() }()
		}
		resp, err := r.Client().Do(req)
		if err == nil && when == "reading" {
			oneRead(resp.Body)
			cancel()
			io.Copy(io.Discard, resp.Body)
		}
		return resp, err
	}
	plain := func(r *promptecho.Recorder) (*http.Response, error) {
		return r.Client().Post("http://h/v1/chat/completions", "application/json", strings.NewReader(`{"stream":true}`))
	}
	tests := []struct {
		name string
		use  func(r *promptecho.Recorder) (*http.Response, error)
		end  string // what is recorded; "-" if nothing is
	}{
		{"read and closed", func(r *promptecho.Recorder) (*http.Response, error) {
			resp, err := plain(r)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
			}
			return resp, err
		}, ""},
		{"read, never closed", func(r *promptecho.Recorder) (*http.Response, error) {
			resp, err := plain(r)
			if err == nil {
				io.Copy(io.Discard, resp.Body)
			}
			return resp, err
		}, ""},
		{"closed early", func(r *promptecho.Recorder) (*http.Response, error) {
			resp, err := plain(r)
			if err == nil {
				oneRead(resp.Body)
				resp.Body.Close()
			}
			return resp, err
		}, "closed"},
		{"closed unread", func(r *promptecho.Recorder) (*http.Response, error) {
			resp, err := plain(r)
			if err == nil {
				resp.Body.Close()
			}
			return resp, err
		}, "closed"},
		{"never read, never closed", plain, "closed"},
		{"read in part, never closed", func(r *promptecho.Recorder) (*http.Response, error) {
			resp, err := plain(r)
			if err == nil {
				oneRead(resp.Body)
			}
			return resp, err
		}, "closed"},
		{"cancelled before it is sent", func(r *promptecho.Recorder) (*http.Response, error) { return cancelled(r, "before") }, "-"},
		{"cancelled while waiting", func(r *promptecho.Recorder) (*http.Response, error) { return cancelled(r, "waiting") }, "canceled"},
		{"cancelled while reading", func(r *promptecho.Recorder) (*http.Response, error) { return cancelled(r, "reading") }, "closed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				rt, stop := pipeServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
					io.Copy(io.Discard, req.Body)
					if req.Header.Get("X-Hold") != "" {
						<-req.Context().Done()
						return
					}
					w.Header().Set("Content-Type", "text/event-stream")
					for i := range 3 {
						fmt.Fprintf(w, "data: {\"n\":%d}\n\n", i)
						w.(http.Flusher).Flush()
						select {
						case <-time.After(time.Second):
						case <-req.Context().Done():
							return
						}
					}
				}))
				file := filepath.Join(t.TempDir(), "c.yaml")
				r := must.Open(t, file, promptecho.Upstream(rt), promptecho.AllowUnused())
				if _, err := tt.use(r); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				must.Close(t, r)
				stop()
				f, err := cassette.Load(file)
				if tt.end == "-" {
					if err == nil {
						t.Errorf("recorded:\n%s", must.Read(t, file))
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				if got := f.Interactions[0].Response.End; got != tt.end {
					t.Errorf("end %q, want %q", got, tt.end)
				}
				r = must.Open(t, file, promptecho.InMode(promptecho.ModeNone), promptecho.Pace(1))
				if _, err := tt.use(r); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				must.Close(t, r)
			})
		})
	}
}
