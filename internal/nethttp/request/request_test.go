package request

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// A closer is a body that tells whether it was closed.
type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error { c.closed = true; return nil }

// TestReadBody: what the server would get is read, whatever state the body is in.
func TestReadBody(t *testing.T) {
	t.Parallel()
	again := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("hello")), nil }
	broken := errors.New("broken")
	for _, tt := range []struct {
		name   string
		body   io.Reader
		length int64
		again  func() (io.ReadCloser, error)
		want   string
		err    error
	}{
		{"text", strings.NewReader("hello"), 5, nil, "hello", nil},
		{"unknown length", strings.NewReader("hello"), -1, nil, "hello", nil},
		{"drained by an attempt before", strings.NewReader(""), 5, again, "hello", nil},
		{"drained, and cannot be had again", strings.NewReader(""), 5, nil, "", nil},
		{"empty", strings.NewReader(""), 0, again, "", nil},
		{"it cannot be read", iotest.ErrReader(broken), 5, again, "", broken},
		{"it cannot be had again", strings.NewReader(""), 5, func() (io.ReadCloser, error) { return nil, broken }, "", broken},
	} {
		body := &closer{Reader: tt.body}
		req := &http.Request{Body: body, ContentLength: tt.length, GetBody: tt.again}
		var got Body
		if err := got.Read(req, ReadOptions{MaySend: true}); !errors.Is(err, tt.err) || string(got.Kept(true)) != tt.want {
			t.Errorf("%s: %q, %v; want %q, %v", tt.name, got.Kept(true), err, tt.want, tt.err)
		}
		if !body.closed {
			t.Errorf("%s: the body is not closed", tt.name)
		}
	}
	for _, body := range []io.ReadCloser{nil, http.NoBody} {
		var got Body
		if err := got.Read(&http.Request{Body: body, ContentLength: 5, GetBody: again}, ReadOptions{MaySend: true}); err != nil || len(got.Kept(true)) > 0 {
			t.Errorf("without a body: %q, %v", got.Kept(true), err)
		}
	}
}

// TestClone: a clone sends the body that was read, any number of times, and the request it
// was made of stays as it is.
func TestClone(t *testing.T) {
	t.Parallel()
	req, err := http.NewRequest("POST", "http://h/", io.NopCloser(strings.NewReader("hello")))
	if err != nil {
		t.Fatal(err)
	}
	req.ContentLength, req.TransferEncoding = -1, []string{"chunked"}
	body := req.Body
	var read Body
	if err := read.Read(req, ReadOptions{MaySend: true}); err != nil {
		t.Fatal(err)
	}
	out, err := read.Clone(req)
	if err != nil {
		t.Fatal(err)
	}
	out.Header.Set("X-New", "yes")
	for range 2 {
		if got, err := io.ReadAll(out.Body); err != nil || string(got) != "hello" || out.ContentLength != -1 || !slices.Equal(out.TransferEncoding, req.TransferEncoding) {
			t.Errorf("the clone sends %q, %v, of length %d, %q", got, err, out.ContentLength, out.TransferEncoding)
		}
		if out.Body, err = out.GetBody(); err != nil {
			t.Fatal(err)
		}
	}
	if req.Body != body || req.GetBody != nil || req.ContentLength != -1 || len(req.Header) > 0 {
		t.Errorf("the request has changed: %+v", req)
	}
	if got, err := new(Body).Clone(&http.Request{URL: &url.URL{}}); err != nil || got.Body != nil || got.GetBody != nil {
		t.Error("a request without a body has one now")
	}
}

func TestURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		req  http.Request
		want string
	}{
		{"as it is", http.Request{URL: &url.URL{Scheme: "https", Host: "h", Path: "/a b", RawQuery: "q=1"}}, "https://h/a%20b?q=1"},
		{"a virtual host", http.Request{Host: "v", URL: &url.URL{Scheme: "https", Host: "h", Path: "/"}}, "https://v/"},
		{"a request line with a path", http.Request{URL: &url.URL{Scheme: "https", Host: "h", Opaque: "/a%2Fb"}}, "https://h/a%2Fb"},
		{"a request line with a host", http.Request{Host: "v", URL: &url.URL{Scheme: "https", Host: "h", Opaque: "//o/a"}}, "https://o/a"},
		{"a request line that is a host", http.Request{URL: &url.URL{Scheme: "https", Host: "h", Opaque: "//o"}}, "https://o"},
		{"a name in another script", http.Request{URL: &url.URL{Scheme: "https", Host: "Bücher.example", Path: "/"}}, "https://xn--bcher-kva.example/"}, // RFC 3492's algorithm, as browsers show it
	} {
		if got := URL(&tt.req); got.String() != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got.String(), tt.want)
		}
	}
}

// TestCloneIsSentAsTheClientWould: a body of unknown length arrives in chunks, and one of a known
// length with that, as without a recorder.
func TestCloneIsSentAsTheClientWould(t *testing.T) {
	t.Parallel()
	const large = maxMemory + 1
	for _, tt := range []struct {
		name   string
		size   int
		length int64 // as the request says
	}{
		{"unknown, 0", 5, 0}, {"unknown, -1", 5, -1}, {"known", 5, 5}, {"empty", 0, 0}, {"large, unknown", large, -1}, {"large, known", large, large},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			arrived := make(chan string, 1)
			s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				n, err := io.Copy(io.Discard, r.Body)
				arrived <- fmt.Sprint(r.ContentLength, r.TransferEncoding, n, err)
			}))
			defer s.Close()
			send := func(req *http.Request) string {
				resp, err := s.Client().Transport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				return <-arrived
			}
			newRequest := func() *http.Request {
				body := io.NopCloser(strings.NewReader(strings.Repeat("x", tt.size)))
				req, err := http.NewRequest("POST", s.URL, body)
				if err != nil {
					t.Fatal(err)
				}
				req.ContentLength = tt.length
				return req
			}

			want := send(newRequest())
			req := newRequest()
			var read Body
			if err := read.Read(req, ReadOptions{MaySend: true}); err != nil {
				t.Fatal(err)
			}
			out, err := read.Clone(req)
			if err != nil {
				t.Fatal(err)
			}
			if got := send(out); got != want {
				t.Errorf("what arrives: %s, want %s", got, want)
			}
		})
	}
}

// CloseBody takes a request without a body, too.
func TestCloseBody(t *testing.T) {
	t.Parallel()
	body := &closer{}
	CloseBody(&http.Request{Body: body})
	CloseBody(&http.Request{})
	if !body.closed {
		t.Error("the body is not closed")
	}
}
