package serve

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/nethttp/request"
)

type roundTripFunc func(*http.Request) (*http.Response, error)

func (f roundTripFunc) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answer(req *http.Request, status int, header http.Header, body io.Reader) *http.Response {
	return &http.Response{StatusCode: status, ProtoMajor: 1, ProtoMinor: 1, Header: header, Body: io.NopCloser(body), ContentLength: -1, Request: req}
}

// serveFor returns a server in front of a transport, and the address of an upstream.
func serveFor(t *testing.T, upstream string, transport roundTripFunc) (*Server, string) {
	t.Helper()
	s := New(transport, "")
	t.Cleanup(s.Close)
	address, err := s.URL(upstream)
	if err != nil {
		t.Fatal(err)
	}
	return s, address
}

// send writes a request as it stands to the host of an address, and returns the answer.
func send(t *testing.T, address, text string) (*http.Response, string) {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	text = strings.ReplaceAll(strings.ReplaceAll(text, "HOST", u.Host), "\n", "\r\n")
	if _, err := io.WriteString(conn, text); err != nil {
		t.Fatal(err)
	}
	method, _, _ := strings.Cut(text, " ")
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, &http.Request{Method: method})
	for err == nil && resp.StatusCode == http.StatusContinue {
		resp, err = http.ReadResponse(r, &http.Request{Method: method})
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// What reaches the transport is the request that the client would have sent upstream.
func TestRequestIsTheUpstreams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, upstream, send, want string }{
		{"as curl sends it", "https://api.openai.com/v1",
			"POST /v1/chat/completions HTTP/1.1\nHost: HOST\nUser-Agent: curl/8.5.0\nAccept: */*\nContent-Type: application/json\nContent-Length: 2\n\n{}",
			"POST https://api.openai.com/v1/chat/completions api.openai.com 2 {} Accept: */* Content-Type: application/json User-Agent: curl/8.5.0"},
		{"as openai-python sends it", "https://api.openai.com/v1",
			"POST /v1/responses HTTP/1.1\nHost: HOST\nAccept: application/json\nAccept-Encoding: gzip, deflate\nConnection: keep-alive\nUser-Agent: OpenAI/Python 2.6.1\nX-Stainless-Lang: python\nx-stainless-read-timeout: 600\nAuthorization: Bearer echo-secret-x\ncontent-length: 2\ncontent-type: application/json\n\n{}",
			"POST https://api.openai.com/v1/responses api.openai.com 2 {} Accept: application/json Accept-Encoding: gzip, deflate Authorization: Bearer echo-secret-x Content-Type: application/json User-Agent: OpenAI/Python 2.6.1 X-Stainless-Lang: python X-Stainless-Read-Timeout: 600"},
		{"what belongs to the connection", "http://models.example.com:8080",
			"GET /a HTTP/1.1\nHost: HOST\nConnection: close, X-Hop\nX-Hop: 1\nKeep-Alive: 5\nProxy-Authorization: x\nX-Forwarded-For: 10.0.0.1\nForwarded: for=x\n\n",
			"GET http://models.example.com:8080/a models.example.com:8080 0  Forwarded: for=x User-Agent:  X-Forwarded-For: 10.0.0.1"},
		{"spelling of path and query", "https://bedrock-runtime.us-east-1.amazonaws.com:443",
			"POST /model/a%3Ab%2Fc//converse?q=%zz;r&s=+ HTTP/1.1\nHost: HOST\nContent-Length: 0\n\n",
			"POST https://bedrock-runtime.us-east-1.amazonaws.com/model/a%3Ab%2Fc//converse?q=%zz;r&s=+ bedrock-runtime.us-east-1.amazonaws.com 0  User-Agent: "},
		{"a body of unknown length", "https://api.openai.com",
			"POST /a HTTP/1.1\nHost: HOST\nTransfer-Encoding: chunked\n\n3\nabc\n2\nde\n0\n\n",
			"POST https://api.openai.com/a api.openai.com -1 abcde User-Agent: "},
		{"a body that waits for 100", "https://api.openai.com",
			"PUT /a HTTP/1.1\nHost: HOST\nExpect: 100-continue\nContent-Length: 3\n\nabc",
			"PUT https://api.openai.com/a api.openai.com 3 abc User-Agent: "},
		{"HTTP/1.0", "https://api.openai.com",
			"GET /a HTTP/1.0\n\n",
			"GET https://api.openai.com/a api.openai.com 0  User-Agent: "},
		{"HEAD", "https://api.openai.com",
			"HEAD /a HTTP/1.1\nHost: HOST\n\n",
			"HEAD https://api.openai.com/a api.openai.com 0  User-Agent: "},
		{"headers that name the listener", "https://api.openai.com",
			"GET /a HTTP/1.1\nHost: HOST\nOrigin: http://HOST\nReferer: http://HOST/b?c\nX-Other: http://127.0.0.1:1/\n\n",
			"GET https://api.openai.com/a api.openai.com 0  Origin: https://api.openai.com Referer: https://api.openai.com/b?c User-Agent:  X-Other: http://127.0.0.1:1/"},
		{"a WebSocket", "https://api.openai.com",
			"GET /a HTTP/1.1\nHost: HOST\nConnection: Upgrade\nUpgrade: websocket\n\n",
			"GET https://api.openai.com/a api.openai.com 0  Connection: Upgrade Upgrade: websocket User-Agent: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got string
			_, address := serveFor(t, tt.upstream, func(req *http.Request) (*http.Response, error) {
				var body []byte
				if req.Body != nil {
					body, _ = io.ReadAll(req.Body)
				}
				got = fmt.Sprintf("%s %s %s %d %s", req.Method, req.URL, req.Host, req.ContentLength, body)
				for _, name := range slices.Sorted(maps.Keys(req.Header)) {
					got += " " + name + ": " + strings.Join(req.Header[name], "|")
				}
				return answer(req, 200, http.Header{}, strings.NewReader("ok")), nil
			})
			if resp, _ := send(t, address, tt.send); resp.StatusCode != 200 || resp.Header["Content-Type"] != nil {
				t.Errorf("%s, %v", resp.Status, resp.Header)
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// What the transport answers reaches the client as it is.
func TestAnswerIsTheTransports(t *testing.T) {
	t.Parallel()
	_, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		switch req.URL.Path {
		case "/error":
			return nil, errors.New("connection refused (recorded)")
		case "/deadline":
			return nil, fmt.Errorf("no answer: %w", context.DeadlineExceeded)
		case "/broken":
			return answer(req, 200, http.Header{}, io.MultiReader(strings.NewReader("some"), brokenReader{})), nil
		case "/length":
			resp := answer(req, 200, http.Header{"Content-Length": {"4711"}, "X-Request-Id": {"a", "b"}}, strings.NewReader(""))
			resp.ContentLength = 4711
			return resp, nil
		case "/teapot":
			return answer(req, 418, http.Header{"Content-Type": {"application/json"}, "X-Should-Retry": {"false"}}, strings.NewReader("{}")), nil
		}
		resp := answer(req, 200, http.Header{"Content-Type": {"text/event-stream"}}, nil)
		resp.Trailer = http.Header{"X-Sum": nil}
		resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("data: x\n\n"), setTrailer{resp}))
		return resp, nil
	})
	get := func(method, path string) (string, error) {
		req, _ := http.NewRequestWithContext(t.Context(), method, address+path, nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return "", err
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		var length []string
		if method == "HEAD" { // what a client is told of the body that it does not get
			length = resp.Header["Content-Length"]
		}
		return fmt.Sprintf("%d %q %q %q %q %q %s", resp.StatusCode, resp.Header.Get("Content-Type"), length, resp.Header["X-Request-Id"], resp.Header.Get("X-Should-Retry"), resp.Trailer.Get("X-Sum"), body), err
	}
	for _, tt := range []struct{ method, path, want string }{
		{"GET", "/", `200 "text/event-stream" [] [] "" "9" data: x` + "\n\n"},
		{"HEAD", "/length", `200 "" ["4711"] ["a" "b"] "" "" `},
		{"GET", "/teapot", `418 "application/json" [] [] "false" "" {}`},
		{"GET", "/error", `502 "application/json" [] [] "" "" {"error":{"code":"promptecho_error","message":"connection refused (recorded)","type":"promptecho_error"},"message":"connection refused (recorded)","type":"error"}`},
		{"GET", "/deadline", `504 "application/json" [] [] "" "" {"error":{"code":"promptecho_error","message":"no answer: context deadline exceeded","type":"promptecho_error"},"message":"no answer: context deadline exceeded","type":"error"}`},
	} {
		got, err := get(tt.method, tt.path)
		if err != nil || got != tt.want {
			t.Errorf("%s %s: %v\ngot  %s\nwant %s", tt.method, tt.path, err, got, tt.want)
		}
	}
	if got, err := get("GET", "/broken"); !errors.Is(err, io.ErrUnexpectedEOF) || !strings.HasSuffix(got, " some") {
		t.Errorf("a body that breaks off: %q, %v", got, err)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("reset") }

// A setTrailer sets the trailer of a response at the end of its body, as a transport does.
type setTrailer struct{ resp *http.Response }

func (s setTrailer) Read([]byte) (int, error) {
	s.resp.Trailer.Set("X-Sum", "9")
	return 0, io.EOF
}

// A chunk is with the client before the next one exists.
func TestEventsReachTheClientAtOnce(t *testing.T) {
	t.Parallel()
	for _, protocol := range []string{"HTTP/1.1", "h2c"} {
		upstream, events := io.Pipe()
		_, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
			return answer(req, 200, http.Header{"Content-Type": {"text/event-stream"}}, upstream), nil
		})
		client := &http.Transport{Protocols: new(http.Protocols)}
		client.Protocols.SetHTTP1(protocol == "HTTP/1.1")
		client.Protocols.SetUnencryptedHTTP2(protocol == "h2c")
		t.Cleanup(client.CloseIdleConnections)
		req, _ := http.NewRequestWithContext(t.Context(), "GET", address, nil)
		resp, err := client.RoundTrip(req) // the headers come before the first chunk
		if err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 100)
		for i := range 3 {
			want := fmt.Sprintf("data: %d\n\n", i)
			if _, err := io.WriteString(events, want); err != nil {
				t.Fatal(err)
			}
			if n, err := resp.Body.Read(buf); string(buf[:n]) != want || err != nil {
				t.Errorf("%s: read %q, %v, want %q", protocol, buf[:n], err, want)
			}
		}
		events.Close()
		if n, err := resp.Body.Read(buf); n != 0 || err != io.EOF {
			t.Errorf("%s: at the end: %d bytes, %v", protocol, n, err)
		}
		resp.Body.Close()
	}
}

// A client that goes away cancels its request, before the answer and in the middle of it.
func TestClientGoesAway(t *testing.T) {
	t.Parallel()
	canceled := make(chan error, 1)
	asked := make(chan bool, 1)
	_, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		asked <- true
		if req.URL.Path == "/silent" {
			<-req.Context().Done()
			canceled <- req.Context().Err()
			return nil, req.Context().Err()
		}
		return answer(req, 200, http.Header{}, io.MultiReader(strings.NewReader("some"), readUntilDone{req.Context(), canceled})), nil
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-asked
		cancel()
	}()
	req, _ := http.NewRequestWithContext(ctx, "GET", address+"/silent", nil)
	if _, err := http.DefaultClient.Do(req); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	ctx, cancel = context.WithCancel(t.Context())
	req, _ = http.NewRequestWithContext(ctx, "GET", address+"/stream", nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	cancel()
	resp.Body.Close()
	if err := <-canceled; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// A readUntilDone has no bytes and ends with its context.
type readUntilDone struct {
	ctx  context.Context
	told chan<- error
}

func (r readUntilDone) Read([]byte) (int, error) {
	<-r.ctx.Done()
	r.told <- context.Cause(r.ctx)
	return 0, r.ctx.Err()
}

// Close ends streams and waits for the transport to let go of them.
func TestClose(t *testing.T) {
	t.Parallel()
	canceled := make(chan error, 1)
	s, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		return answer(req, 200, http.Header{}, io.MultiReader(strings.NewReader("some"), readUntilDone{req.Context(), canceled})), nil
	})
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	s.Close()
	select {
	case err := <-canceled:
		if !errors.Is(err, request.ErrServerClosed) {
			t.Error(err)
		}
	default:
		t.Error("Close did not wait for the request")
	}
	if body, err := io.ReadAll(resp.Body); err == nil {
		t.Errorf("a stream that was closed ended well: %q", body)
	}
	if _, err := http.Get(address); err == nil {
		t.Error("the listener is still there")
	}
	if _, err := s.URL("https://other.example.com"); err == nil || !strings.Contains(err.Error(), "https://other.example.com got a request after its recorder was closed") {
		t.Error(err)
	}
}

// Cancel ends the contexts of requests, and does not wait for clients that send nothing more: the
// caller closes their connections, and then Close has nothing to wait for.
func TestCancelDoesNotWait(t *testing.T) {
	t.Parallel()
	asked := make(chan bool)
	causes := make(chan error, 1)
	s := New(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		close(asked)
		<-req.Context().Done()
		causes <- context.Cause(req.Context())
		_, err := io.ReadAll(req.Body) // the client sends nothing
		return nil, err
	}), "http://127.0.0.1:41001/secret")
	body, connection := io.Pipe()
	ended := make(chan bool)
	go func() {
		defer close(ended)
		req := httptest.NewRequest("POST", "/secret/https/api.example.com/v1", body)
		req.Host = "127.0.0.1:41001"
		s.ServeHTTP(httptest.NewRecorder(), req)
	}()
	<-asked
	s.Cancel()
	cause := <-causes
	if !errors.Is(cause, request.ErrServerClosed) {
		t.Errorf("the request is canceled by %v", cause)
	}
	connection.CloseWithError(io.ErrUnexpectedEOF)
	<-ended
	s.Close()
}

// Headers that lead the client on lead to listeners; other URLs stay.
func TestLeads(t *testing.T) {
	t.Parallel()
	var header http.Header
	s, address := serveFor(t, "https://api.example.com:443/base", func(req *http.Request) (*http.Response, error) {
		return answer(req, 200, header.Clone(), strings.NewReader("")), nil
	})
	here := strings.TrimSuffix(address, "/base")
	header = http.Header{
		"Location":             {"https://API.example.com/jobs/1?a=b"},
		"Operation-Location":   {"https://api.example.com/ops/1"},
		"Azure-Asyncoperation": {"https://api.example.com/ops/2"},
		"X-Goog-Upload-Url":    {"https://api.example.com/upload?id=7"},
		"Content-Location":     {"/relative"},
		"Link":                 {`<https://api.example.com/?page=2>; rel="next", <https://docs.example.com/x>; rel="help"`},
		"X-Docs":               {"https://api.example.com/docs"},
	}
	resp, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	docs, err := s.URL("https://docs.example.com")
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Location":             here + "/jobs/1?a=b",
		"Operation-Location":   here + "/ops/1",
		"Azure-AsyncOperation": here + "/ops/2",
		"X-Goog-Upload-URL":    here + "/upload?id=7",
		"Content-Location":     "/relative",
		"Link":                 `<` + here + `/?page=2>; rel="next", <` + docs + `/x>; rel="help"`,
		"X-Docs":               "https://api.example.com/docs",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if docs == here {
		t.Error("two hosts have one listener")
	}
	header = http.Header{"Location": {"http://127.0.0.1:1/callback"}}
	if resp, err = http.Get(address); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if got := resp.Header.Get("Location"); got != "http://127.0.0.1:1/callback" {
		t.Errorf("a server of this machine that has no listener was given one: %s", got)
	}
}

func TestUpstreams(t *testing.T) {
	t.Parallel()
	s, address := serveFor(t, "https://api.example.com", nil)
	for _, tt := range []struct{ upstream, want string }{ // want: the end of the address, or a part of the error
		{"https://api.example.com/v1", address + "/v1"},
		{"https://API.example.com:443/a%2Fb/", address + "/a%2Fb/"},
		{"api.example.com", "an upstream is an address such as"},
		{"ftp://api.example.com", "an upstream is an address such as"},
		{"https://", "an upstream is an address such as"},
		{"https://user:secret@api.example.com", "an upstream is an address such as"},
		{"https://api.example.com/?key=1", "an upstream is an address such as"},
		{address + "/v1", "is promptecho's own address for https://api.example.com: give the address of the upstream itself"},
	} {
		got, err := s.URL(tt.upstream)
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, tt.want) && (err == nil || !strings.Contains(got, tt.want)) || strings.Contains(got, "secret") {
			t.Errorf("%s: %s, want %s", tt.upstream, got, tt.want)
		}
	}
	if other, err := s.URL("http://api.example.com"); err != nil || other == address {
		t.Errorf("another scheme: %s, %v", other, err)
	}
	for _, text := range []string{"CONNECT api.example.com:443 HTTP/1.1\nHost: x\n\n", "GET http://api.example.com/a HTTP/1.1\nHost: x\n\n"} {
		resp, body := send(t, address, text)
		if want := address + " stands for https://api.example.com and is not a proxy: use it as the base URL"; resp.StatusCode != http.StatusMisdirectedRequest || !strings.Contains(body, want) {
			t.Errorf("%s: %s", resp.Status, body)
		}
	}
}

// TestBelow: without listeners, upstreams are asked below a base URL, and what is sent is the same.
func TestBelow(t *testing.T) {
	t.Parallel()
	var got []string
	s := New(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		got = append(got, r.Method+" "+r.URL.String()+" "+r.Host+" "+request.ServedBy(r.Context()).By)
		return answer(r, 200, http.Header{"Location": {"https://other.example.com/x"}}, strings.NewReader("")), nil
	}), "http://127.0.0.1:41001/in/http-test")
	defer s.Close()
	address, err := s.URL("https://api.openai.com/v1")
	if err != nil || address != "http://127.0.0.1:41001/in/http-test/https/api.openai.com/v1" {
		t.Fatal(address, err)
	}
	for path, want := range map[string]string{
		"/in/http-test/https/api.openai.com/v1/models/a%2Fb?q=%41": "GET https://api.openai.com/v1/models/a%2Fb?q=%41 api.openai.com curl, through http://127.0.0.1:41001 for https://api.openai.com",
		"/in/http-test/http/127.0.0.1:11434/api/tags":              "GET http://127.0.0.1:11434/api/tags 127.0.0.1:11434 curl, through http://127.0.0.1:41001 for http://127.0.0.1:11434",
		"/in/http-test/https/api.example.com":                      "GET https://api.example.com api.example.com curl, through http://127.0.0.1:41001 for https://api.example.com",
	} {
		got = nil
		req := httptest.NewRequest("GET", path, nil)
		req.Host = "127.0.0.1:41001"
		req.Header.Set("User-Agent", "curl")
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if !slices.Equal(got, []string{want}) || w.Header().Get("Location") != "http://127.0.0.1:41001/in/http-test/https/other.example.com/x" {
			t.Errorf("%s: %d %v\ngot  %q\nwant %q", path, w.Code, w.Header(), got, want)
		}
	}
}

// A program that does not read NO_PROXY, and sends to a base URL through the proxy, reaches the upstream of
// the base URL, and is recorded with that.
func TestBaseURLThroughProxy(t *testing.T) {
	t.Parallel()
	for _, base := range []string{"", "http://127.0.0.1:41001/in/http-test"} {
		var got string
		s := New(roundTripFunc(func(r *http.Request) (*http.Response, error) {
			got = r.URL.String() + " " + r.Host
			return answer(r, 200, http.Header{}, strings.NewReader("")), nil
		}), base)
		t.Cleanup(s.Close)
		address, err := s.URL("https://api.openai.com/v1")
		if err != nil {
			t.Fatal(err)
		}
		const other = "http://127.0.0.1:1/v1"
		for at, want := range map[string]string{
			address + "/models": "https://api.openai.com/v1/models api.openai.com",
			other:               other + " 127.0.0.1:1",
		} {
			got = ""
			s.ServeProxied(httptest.NewRecorder(), httptest.NewRequest("GET", at, nil))
			if got != want {
				t.Errorf("%s\ngot  %s\nwant %s", at, got, want)
			}
		}
	}
}

// TestVersionOfAnthropic: Anthropic's SDKs have the version in the path, Vercel's in the base URL.
func TestVersionOfAnthropic(t *testing.T) {
	t.Parallel()
	var got string
	_, address := serveFor(t, "https://api.anthropic.com", func(r *http.Request) (*http.Response, error) {
		got = r.URL.Path
		return answer(r, 200, http.Header{}, strings.NewReader("")), nil
	})
	for path, want := range map[string]string{
		"/messages": "/v1/messages", "/v1/messages": "/v1/messages", "/v1/v1/messages": "/v1/messages", "/messages/count_tokens": "/v1/messages/count_tokens",
		"/v1/models": "/v1/models", "/gateway/messages": "/gateway/messages", "/messagesx": "/messagesx",
	} {
		if send(t, address, "POST "+path+" HTTP/1.1\nHost: HOST\nanthropic-version: 2023-06-01\nContent-Length: 0\n\n"); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if send(t, address, "POST /messages HTTP/1.1\nHost: HOST\nContent-Length: 0\n\n"); got != "/messages" {
		t.Errorf("of another API: %s", got)
	}
}

// No page of another site gets to the transport, by the address of the listener or by a name
// that was made to lead there.
func TestPages(t *testing.T) {
	t.Parallel()
	_, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		return answer(req, 200, http.Header{}, strings.NewReader("")), nil
	})
	for _, tt := range []struct {
		host, headers string
		want          int
	}{
		{"HOST", "", 200},
		{"localhost:4711", "", 200},
		{"api.example.com", "", 200},
		{"host.docker.internal:4711", "", 200},
		{"HOST", "Origin: http://localhost:3000\nSec-Fetch-Site: cross-site\n", 200},
		{"HOST", "Origin: app://editor\n", 200},
		{"rebound.example.org:4711", "", 403},
		{"api.example.com.example.org", "", 403},
		{"127.0.0.1.example.org", "", 403},
		{"HOST", "Origin: https://example.org\n", 403},
		{"HOST", "Origin: http://127.0.0.1.example.org\n", 403},
		{"HOST", "Origin: null\n", 403},
		{"HOST", "Sec-Fetch-Site: cross-site\n", 403},
	} {
		resp, body := send(t, address, "POST /v1 HTTP/1.1\nHost: "+tt.host+"\n"+tt.headers+"Content-Length: 0\n\n")
		if resp.StatusCode != tt.want || tt.want == 403 && !strings.Contains(body, "answers only programs on this machine") {
			t.Errorf("Host %s, %q: %s %s", tt.host, tt.headers, resp.Status, body)
		}
	}
}

// Programs reach a server by the host of its own address, such as that of a service, and web pages
// by no other.
func TestHostOfTheBaseIsTrusted(t *testing.T) {
	t.Parallel()
	s := New(roundTripFunc(func(r *http.Request) (*http.Response, error) {
		return answer(r, 200, http.Header{}, strings.NewReader("")), nil
	}), "http://recorder:8090/secret")
	defer s.Close()
	for host, want := range map[string]int{
		"recorder:8090":             200,
		"recorder":                  403,
		"rec":                       403,
		"recorder:8090.example.org": 403,
		"rebound.example.org:8090":  403,
	} {
		req := httptest.NewRequest("GET", "/secret/https/api.example.com/v1", nil)
		req.Host = host
		w := httptest.NewRecorder()
		s.ServeHTTP(w, req)
		if w.Code != want {
			t.Errorf("host %s: status %d, want %d", host, w.Code, want)
		}
	}
}

func TestAskedBy(t *testing.T) {
	t.Parallel()
	var by []string
	s, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		by = append(by, request.ServedBy(req.Context()).By)
		return answer(req, 200, http.Header{}, strings.NewReader("")), nil
	})
	send(t, address, "GET / HTTP/1.1\nHost: HOST\nUser-Agent: curl/8.5.0\n\n")
	send(t, address, "GET / HTTP/1.1\nHost: HOST\n\n")
	clone := &http.Transport{DialTLSContext: func(_ context.Context, _, addr string) (net.Conn, error) { return s.Dial("https", addr) }}
	defer clone.CloseIdleConnections()
	resp, err := (&http.Client{Transport: clone}).Get("https://api.example.com/")
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	want := []string{"curl/8.5.0, through " + address + " for https://api.example.com", "a client, through " + address + " for https://api.example.com", "a client with a clone of http.DefaultTransport"}
	if !slices.Equal(by, want) {
		t.Errorf("got %q\nwant %q", by, want)
	}
}

func TestEnv(t *testing.T) {
	t.Parallel()
	s, _ := serveFor(t, "https://api.openai.com", nil)
	at := func(upstream string) string {
		address, err := s.URL(upstream)
		if err != nil {
			t.Fatal(err)
		}
		return address
	}
	for _, tt := range []struct {
		given map[string]string
		dummy bool
		want  []string
	}{
		{map[string]string{"OPENAI_API_KEY": "k", "AWS_SESSION_TOKEN": "t"}, false, []string{
			"OPENAI_BASE_URL=" + at("https://api.openai.com/v1"), "OPENAI_API_KEY=k",
			"ANTHROPIC_BASE_URL=" + at("https://api.anthropic.com"),
			"GOOGLE_GEMINI_BASE_URL=" + at("https://generativelanguage.googleapis.com"),
			"OLLAMA_HOST=" + at("http://127.0.0.1:11434"),
			"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + at("https://bedrock-runtime.us-east-1.amazonaws.com"),
			"AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME=" + at("https://bedrock-agent-runtime.us-east-1.amazonaws.com"),
			"ANTHROPIC_BEDROCK_BASE_URL=" + at("https://bedrock-runtime.us-east-1.amazonaws.com"),
			"ANTHROPIC_BEDROCK_MANTLE_BASE_URL=" + at("https://bedrock-mantle.us-east-1.api.aws/anthropic"),
			"CEREBRAS_BASE_URL=" + at("https://api.cerebras.ai"),
			"CO_API_URL=" + at("https://api.cohere.com"),
			"GROQ_BASE_URL=" + at("https://api.groq.com"),
			"OPENROUTER_BASE_URL=" + at("https://openrouter.ai/api/v1"),
			"PERPLEXITY_BASE_URL=" + at("https://api.perplexity.ai"),
			"REPLICATE_BASE_URL=" + at("https://api.replicate.com"),
			"TOGETHER_BASE_URL=" + at("https://api.together.ai/v1"),
			"AWS_REGION=us-east-1", "AWS_DEFAULT_REGION=us-east-1", "AWS_SESSION_TOKEN=t",
			"NO_PROXY=127.0.0.1,localhost,::1", "no_proxy=127.0.0.1,localhost,::1"}},
		{map[string]string{"OPENAI_BASE_URL": "https://gateway.example.com/openai", "OLLAMA_HOST": ":9999", "AWS_SESSION_TOKEN": "t", "AWS_BEARER_TOKEN_BEDROCK": "b", "OPENAI_API_KEY": "k", "AWS_DEFAULT_REGION": "eu-central-1", "NO_PROXY": "intra", "CO_API_URL": "https://cohere.example.com/api/v1"},
			true, []string{
				"OPENAI_BASE_URL=" + at("https://gateway.example.com/openai"),
				"OPENAI_API_KEY=dummy OPENAI_API_KEY",
				"ANTHROPIC_BASE_URL=" + at("https://api.anthropic.com"),
				"ANTHROPIC_API_KEY=dummy ANTHROPIC_API_KEY",
				"GOOGLE_GEMINI_BASE_URL=" + at("https://generativelanguage.googleapis.com"),
				"GEMINI_API_KEY=dummy GEMINI_API_KEY",
				"OLLAMA_HOST=" + at("http://127.0.0.1:9999"),
				"AWS_ENDPOINT_URL_BEDROCK_RUNTIME=" + at("https://bedrock-runtime.eu-central-1.amazonaws.com"),
				"AWS_ACCESS_KEY_ID=dummy AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY=dummy AWS_SECRET_ACCESS_KEY",
				"AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME=" + at("https://bedrock-agent-runtime.eu-central-1.amazonaws.com"),
				"ANTHROPIC_BEDROCK_BASE_URL=" + at("https://bedrock-runtime.eu-central-1.amazonaws.com"),
				"ANTHROPIC_BEDROCK_MANTLE_BASE_URL=" + at("https://bedrock-mantle.eu-central-1.api.aws/anthropic"),
				"CEREBRAS_BASE_URL=" + at("https://api.cerebras.ai"), "CEREBRAS_API_KEY=dummy CEREBRAS_API_KEY",
				"CO_API_URL=" + at("https://cohere.example.com/api"), "CO_API_KEY=dummy CO_API_KEY",
				"GROQ_BASE_URL=" + at("https://api.groq.com"), "GROQ_API_KEY=dummy GROQ_API_KEY",
				"OPENROUTER_BASE_URL=" + at("https://openrouter.ai/api/v1"),
				"PERPLEXITY_BASE_URL=" + at("https://api.perplexity.ai"), "PERPLEXITY_API_KEY=dummy PERPLEXITY_API_KEY",
				"REPLICATE_BASE_URL=" + at("https://api.replicate.com"),
				"TOGETHER_BASE_URL=" + at("https://api.together.ai/v1"), "TOGETHER_API_KEY=dummy TOGETHER_API_KEY",
				"AWS_REGION=eu-central-1", "AWS_DEFAULT_REGION=eu-central-1", "AWS_SESSION_TOKEN=", "AWS_EC2_METADATA_DISABLED=true", "AWS_BEARER_TOKEN_BEDROCK=dummy AWS_BEARER_TOKEN_BEDROCK",
				"NO_PROXY=intra,127.0.0.1,localhost,::1", "no_proxy=intra,127.0.0.1,localhost,::1"}},
	} {
		getenv := func(name string) string { return tt.given[name] }
		key := getenv
		if tt.dummy {
			key = func(name string) string { return "dummy " + name }
		}
		got, err := s.Env(getenv, key, tt.dummy)
		if err != nil || !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v\ngot  %q\nwant %q", tt.given, err, got, tt.want)
		}
	}
	nowhere := func(string) string { return "nowhere" }
	if _, err := s.Env(nowhere, nowhere, false); err == nil || !strings.HasPrefix(err.Error(), "OPENAI_BASE_URL: an upstream is an address") {
		t.Error(err)
	}
	for value, want := range map[string]string{"example.com": "http://example.com:11434", "example.com:1": "http://example.com:1", "https://ollama.com": "https://ollama.com", ":1": "http://127.0.0.1:1"} {
		if got := ollamaURL(value); got != want {
			t.Errorf("OLLAMA_HOST=%s: %s, want %s", value, got, want)
		}
	}
}

// A variable that has no default leads to the gateway that the user has set, and is otherwise
// left as it is.
func TestGateways(t *testing.T) {
	t.Parallel()
	s, _ := serveFor(t, "https://api.openai.com", nil)
	for _, tt := range []struct {
		variable, value string
		want            string // the upstream, "" if the variable is not set
	}{
		{"OPENAI_API_BASE", "https://gateway.example.com/v1", "https://gateway.example.com/v1"},
		{"OPENAI_API_BASE", "", ""},
		{"OPENAI_API_BASE", "gateway.example.com", ""},
		{"OPENAI_API_BASE", "https://gateway.example.com/v1?version=2", ""},
		{"GOOGLE_VERTEX_BASE_URL", "https://gateway.example.com", "https://gateway.example.com"},
		{"GOOGLE_VERTEX_BASE_URL", "https://us-central1-aiplatform.googleapis.com/", ""},
		{"AWS_BEDROCK_BASE_URL", "https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1", ""},
		{"AWS_BEDROCK_BASE_URL", "https://bedrock-mantle.us-east-1.api.aws/openai/v1", ""},
	} {
		getenv := func(name string) string {
			if name == tt.variable {
				return tt.value
			}
			return ""
		}
		env, err := s.Env(getenv, getenv, false)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		if tt.want != "" {
			address, err := s.URL(tt.want)
			if err != nil {
				t.Fatal(err)
			}
			want = []string{tt.variable + "=" + address}
		}
		got := slices.DeleteFunc(env, func(v string) bool { return !strings.HasPrefix(v, tt.variable+"=") })
		if !slices.Equal(got, want) {
			t.Errorf("%s=%s: got %q, want %q", tt.variable, tt.value, got, want)
		}
	}
}

// A request to Bedrock goes to the region for which the client has signed it, whatever the
// region of the listener is.
func TestRegionOfSignature(t *testing.T) {
	t.Parallel()
	const signature = "AWS4-HMAC-SHA256 Credential=AKID/20261130/SCOPE/bedrock/aws4_request, SignedHeaders=host, Signature="
	for _, tt := range []struct{ upstream, region, want string }{
		{"https://bedrock-runtime.us-east-1.amazonaws.com", "eu-west-1", "bedrock-runtime.eu-west-1.amazonaws.com"},
		{"https://bedrock-agent-runtime.us-east-1.amazonaws.com", "eu-west-1", "bedrock-agent-runtime.eu-west-1.amazonaws.com"},
		{"https://bedrock-mantle.us-east-1.api.aws/anthropic", "eu-west-1", "bedrock-mantle.eu-west-1.api.aws"},
		{"https://bedrock-runtime.us-east-1.amazonaws.com", "example.com", "bedrock-runtime.us-east-1.amazonaws.com"},
		{"https://vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com", "eu-west-1", "vpce-1.bedrock-runtime.us-east-1.vpce.amazonaws.com"},
		{"https://gateway.example.com", "eu-west-1", "gateway.example.com"},
	} {
		var got []string
		_, address := serveFor(t, tt.upstream, func(req *http.Request) (*http.Response, error) {
			got = []string{req.URL.Host, req.Host}
			return answer(req, 200, http.Header{}, strings.NewReader("")), nil
		})
		authorization := strings.Replace(signature, "SCOPE", tt.region, 1) + strings.Repeat("0", 64)
		send(t, address, "GET /a HTTP/1.1\nHost: HOST\nAuthorization: "+authorization+"\n\n")
		if want := []string{tt.want, tt.want}; !slices.Equal(got, want) {
			t.Errorf("%s, signed for %s: got %q, want %q", tt.upstream, tt.region, got, want)
		}
	}
}

// A request that AWS's SDK for JavaScript has signed over HTTP/2 is signed again for the
// upstream, with the header host in the place of :authority.
func TestSignatureOfAuthority(t *testing.T) {
	t.Setenv("AWS_SECRET_ACCESS_KEY", "s")
	const (
		// As @aws-sdk/client-bedrock-runtime 3.1164.0 sent it to http://127.0.0.1:18098 with the
		// key a and the secret s, apart from headers that are not signed.
		body    = `{"messages":[{"role":"user","content":[{"text":"x"}]}]}`
		headers = "Content-Type: application/json\nContent-Length: 55\nX-Amz-User-Agent: aws-sdk-js/3.1163.0\n" +
			"Amz-Sdk-Invocation-Id: 7d8e2c22-8d4a-4aa1-9e86-8fea0d40166c\nAmz-Sdk-Request: attempt=1; max=1\n" +
			"X-Amz-Date: 20261130T131529Z\n" +
			"X-Amz-Content-Sha256: fc547f6afbe65321ced6955c0da5dd252eb0a1c4e04d3b871e7e144deb39b067\n" +
			"Authorization: AWS4-HMAC-SHA256 Credential=a/20261130/eu-central-1/bedrock/aws4_request, " +
			"SignedHeaders=:authority;amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;" +
			"x-amz-content-sha256;x-amz-date;x-amz-user-agent, " +
			"Signature=51149fcc5da0dbcbcb745604d7ffcfec1d57d23e68a1dbf7d61393a491053e2e\n"
		want = "SignedHeaders=amz-sdk-invocation-id;amz-sdk-request;content-length;content-type;host;" +
			"x-amz-content-sha256;x-amz-date;x-amz-user-agent, Signature="
	)
	var got, unsendable string
	_, address := serveFor(t, "https://bedrock-runtime.eu-central-1.amazonaws.com", func(req *http.Request) (*http.Response, error) {
		got = req.Header.Get("Authorization")
		unsendable = request.ServedBy(req.Context()).Unsendable
		return answer(req, 200, http.Header{}, strings.NewReader("")), nil
	})
	send(t, address, "POST /model/m%3A0/converse HTTP/1.1\nHost: 127.0.0.1:18098\n"+headers+"\n"+body)
	if unsendable != "" || !strings.Contains(got, want) {
		t.Errorf("got %s, %s", got, unsendable)
	}
}

// The docs name each variable and each key that a process gets.
func TestVariablesAreDocumented(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"../../../docs/PROCESSES.md", "../../../echotest/serve.go"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range providers {
			for _, name := range append(p.keys, p.variable) {
				isNamed, err := regexp.Match(`\b`+name+`\b`, text)
				if err != nil {
					t.Fatal(err)
				}
				if !isNamed {
					t.Errorf("%s does not name %s", file, name)
				}
			}
		}
	}
}

// A response may begin before the transport has read the end of the request, as that of a server which answers at once.
func TestResponseBeginsBeforeTheEndOfTheRequest(t *testing.T) {
	t.Parallel()
	_, address := serveFor(t, "https://api.example.com", func(req *http.Request) (*http.Response, error) {
		question := make([]byte, len("question"))
		_, err := io.ReadFull(req.Body, question)
		if err != nil {
			return nil, err
		}
		rest := io.MultiReader(strings.NewReader("first "), restOf{req.Body}, strings.NewReader("second"))
		return answer(req, 200, http.Header{}, rest), nil
	})
	resp, err := http.Post(address, "text/plain", strings.NewReader("question"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || string(text) != "first second" {
		t.Errorf("%q, %v", text, err)
	}
}

// A restOf reads the end of a request: it is empty, and fails if the request cannot be read.
type restOf struct{ body io.Reader }

func (r restOf) Read([]byte) (int, error) {
	rest, err := io.ReadAll(r.body)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("the request goes on: %q", rest)
	}
	return 0, cmp.Or(err, io.EOF)
}
