package exchange

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/request"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A request that goes upstream can be sent again, and leaves the coding of the answer to
// the transport; the user's request stays as it is. Its body is sent in chunks if the client
// sends it so.
func TestUpstreamSend(t *testing.T) {
	t.Parallel()
	const text = `{"a":1}`
	req, err := http.NewRequestWithContext(t.Context(), "POST", "http://h/", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"accept-encoding": {"br"}, "X-Other": {"yes"}}
	req.TransferEncoding = []string{"chunked"}
	u := NewUpstream(transport(func(out *http.Request) (*http.Response, error) {
		again, err := out.GetBody()
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range []io.Reader{out.Body, again} {
			if body, err := io.ReadAll(r); string(body) != text || err != nil {
				t.Errorf("sent %q, %v", body, err)
			}
		}
		if len(out.Header) != 1 || out.ContentLength != int64(len(text)) || !slices.Equal(out.TransferEncoding, req.TransferEncoding) {
			t.Errorf("sent %v, %d bytes, %v", out.Header, out.ContentLength, out.TransferEncoding)
		}
		return &http.Response{StatusCode: 200}, nil
	}), nil)
	defer u.Close()
	if _, err := u.Send(cloneOf(t, req)); err != nil {
		t.Fatal(err)
	}
	if len(req.Header) != 2 || req.ContentLength != int64(len(text)) || req.TransferEncoding == nil {
		t.Errorf("the request was changed: %+v", req)
	}
}

// cloneOf reads a request and returns one like it, as the recorder sends it.
func cloneOf(t *testing.T, req *http.Request) *http.Request {
	var body request.Body
	if err := body.Read(req, request.ReadOptions{Whole: true, MaySend: true}); err != nil {
		t.Fatal(err)
	}
	out, err := body.Clone(req)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Connections are the recorder's own where it made the transport.
func TestUpstreamIsAClone(t *testing.T) {
	t.Parallel()
	network := &http.Transport{MaxIdleConns: 7}
	u := NewUpstream(nil, network)
	if own, ok := u.RoundTripper.(*http.Transport); !ok || own == network || own.MaxIdleConns != 7 {
		t.Errorf("%+v", u.RoundTripper)
	}
	u.Close()
	if u := NewUpstream(network, nil); u.RoundTripper != network {
		t.Error("the transport of the user is not used as it is")
	}
	(*Upstream)(nil).Close() // a replay has none
}

// TestUpstreamFetch: an answer is fetched whole, as it would be recorded, or with how it
// ended.
func TestUpstreamFetch(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, tt := range []struct {
		name, contentType string
		body              io.ReadCloser
		err               error
		want              interaction.Response
	}{
		{"in one piece", "application/json", io.NopCloser(strings.NewReader(`{"a":1}`)), nil, interaction.Response{Body: []byte(`{"a":1}`)}},
		{"a stream", "text/event-stream", io.NopCloser(strings.NewReader("data: 1\n\ndata: 2\n\n")), nil,
			interaction.Response{Stream: "sse", Events: []interaction.Event{{{Name: "data", Value: "1"}}, {{Name: "data", Value: "2"}}}}},
		{"no body", "", nil, nil, interaction.Response{}},
		{"broken off", "application/json", io.NopCloser(io.MultiReader(strings.NewReader(`{"a`), iotest.ErrReader(broken))), nil,
			interaction.Response{Body: []byte(`{"a`), End: interaction.EndError, Error: broken.Error()}},
		{"no answer", "", nil, broken, interaction.Response{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := NewUpstream(transport(func(out *http.Request) (*http.Response, error) {
				if body, err := io.ReadAll(out.Body); string(body) != "asked" || err != nil {
					t.Errorf("sent %q, %v", body, err)
				}
				if tt.err != nil {
					return nil, tt.err
				}
				return &http.Response{StatusCode: 200, ProtoMajor: 1, Header: http.Header{"Content-Type": {tt.contentType}}, Body: tt.body}, nil
			}), nil)
			req, err := http.NewRequestWithContext(t.Context(), "POST", "http://h/", strings.NewReader("asked"))
			if err != nil {
				t.Fatal(err)
			}
			got, err := u.Fetch(cloneOf(t, req), func(string) bool { return false })
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if tt.err != nil {
				return
			}
			got.Headers, got.Delays, tt.want.Status = nil, nil, 200
			a, b := interaction.Interaction{Response: *got}, interaction.Interaction{Response: tt.want}
			if where := a.Difference(&b); where != "" {
				t.Errorf("%s: %+v, want %+v", where, *got, tt.want)
			}
		})
	}
	neither := NewUpstream(transport(func(*http.Request) (*http.Response, error) { return nil, nil }), nil)
	if _, err := neither.Fetch(httptest.NewRequest("GET", "http://h/", nil), nil); err == nil {
		t.Error("neither an answer nor an error is no error")
	}
}
