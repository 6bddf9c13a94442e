package matching_test

import (
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A request to an unknown endpoint is not answered by the recording of another host or port.
func TestHostAndPortAreCompared(t *testing.T) {
	t.Parallel()
	things := request("https://files.example/v1/things")
	local := request("http://localhost/x")
	wantDifferent(t, []comparison{
		{"another host", things, request("https://pages.example/v1/things")},
		{"another port", things, request("https://files.example:8443/v1/things")},
		{"a host whose name only starts like a local one", local, request("http://localhost.example/x")},
		{"the metadata of a cloud, IPv4", local, request("http://169.254.169.254/x")},
		{"the metadata of a cloud, IPv6", local, request("http://[fd00:ec2::254]/x")},
	})
	wantSame(t, []comparison{
		{"another scheme", things, request("http://files.example/v1/things")},
		{"capital letters, a final dot and the default port", things, request("https://FILES.example.:443/v1/things")},
	})
}

// All local hosts count as one, because their names and ports change from run to run.
func TestLocalHostsCountAsOne(t *testing.T) {
	t.Parallel()
	loopback := request("http://127.0.0.1:4711/v1/things")
	var comparisons []comparison
	for name, host := range map[string]string{
		"loopback, another port":            "127.0.0.1:4712",
		"loopback, IPv6":                    "[::1]:80",
		"a private address":                 "10.1.2.3",
		"a link-local address":              "169.254.1.2",
		"a name without a dot":              "qdrant:6333",
		"a name that ends in .localhost":    "api.localhost",
		"a name that ends in .local":        "printer.local",
		"a service of a Kubernetes cluster": "api.dev.svc.cluster.local",
		"a name that ends in .internal":     "host.docker.internal",
		"a name that ends in .svc":          "api.dev.svc",
	} {
		comparisons = append(comparisons, comparison{name, loopback, request("http://" + host + "/v1/things")})
	}
	wantSame(t, comparisons)

	copyTo := func(host string) must.Request {
		return request("https://dav.example/a", "Destination", "http://"+host+"/b")
	}
	copyFrom := func(host string) must.Request {
		return request("https://store.example/a", "x-ms-copy-source", "http://"+host+"/b")
	}
	wantSame(t, []comparison{
		{"in Destination", copyTo("127.0.0.1:4711"), copyTo("dav:8080")},
		{"in x-ms-copy-source", copyFrom("127.0.0.1:4711"), copyFrom("azurite:10000")},
	})
	wantDifferent(t, []comparison{
		{"not local in Destination", copyTo("127.0.0.1:4711"), copyTo("other.example")},
	})
}

// The Host header or the request line identifies the server, not the address of the connection.
func TestHostHeaderNamesTheServer(t *testing.T) {
	t.Parallel()
	host := func(address, host string) *http.Request {
		req, err := http.NewRequest("GET", address, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = host
		return req
	}
	line := func(host, opaque string) *http.Request {
		return &http.Request{
			Method: "GET",
			URL:    &url.URL{Scheme: "https", Host: host, Opaque: opaque, RawQuery: "q=1"},
			Header: http.Header{},
		}
	}
	tests := []struct {
		name            string
		recorded, asked *http.Request
		url             string // in the cassette
		same            bool
	}{{
		name:     "two virtual hosts of one address",
		recorded: host("http://203.0.113.7/x", "a.example"),
		asked:    host("http://203.0.113.7/x", "b.example"),
		url:      "http://a.example/x",
	}, {
		name:     "one host on two addresses",
		recorded: host("http://203.0.113.7/x", "a.example"),
		asked:    host("http://203.0.113.8/x", "a.example"),
		url:      "http://a.example/x",
		same:     true,
	}, {
		name:     "no Host header, and the same host in it",
		recorded: host("http://a.example/x", ""),
		asked:    host("http://a.example/x", "a.example"),
		url:      "http://a.example/x",
		same:     true,
	}, {
		name:     "an opaque request line of two hosts",
		recorded: line("a.example", "/x%2Fy"),
		asked:    line("b.example", "/x%2Fy"),
		url:      "https://a.example/x%2Fy?q=1",
	}, {
		name:     "two opaque request lines of one host",
		recorded: line("a.example", "/x"),
		asked:    line("a.example", "/y"),
		url:      "https://a.example/x?q=1",
	}, {
		name:     "a request line with a host and a path",
		recorded: line("203.0.113.7", "//a.example/x"),
		asked:    host("https://a.example/x?q=1", ""),
		url:      "https://a.example/x?q=1",
		same:     true,
	}, {
		name:     "a request line with a host alone",
		recorded: line("203.0.113.7", "//a.example"),
		asked:    host("https://a.example?q=1", ""),
		url:      "https://a.example?q=1",
		same:     true,
	}}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "c.yaml")
			r := recordAll(t, file, promptecho.Upstream(provider.Says(`"answer"`)))
			if got := roundTrip(t, r, tt.recorded); got != 200 {
				t.Fatal(got)
			}
			must.Close(t, r)
			if text := must.Read(t, file); !strings.Contains(text, "url: "+tt.url+"\n") {
				t.Errorf("not %s:\n%s", tt.url, text)
			}
			r = replay(t, file)
			if got := roundTrip(t, r, tt.asked); got == 200 != tt.same {
				t.Errorf("the same: %v, want %v", !tt.same, tt.same)
			}
			r.Close()
		})
	}
}

// roundTrip sends a request that an http.Client would not send as it is.
func roundTrip(t *testing.T, r *promptecho.Recorder, req *http.Request) (status int) {
	t.Helper()
	resp, err := r.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.StatusCode
}

// A host in another script is written and compared in Punycode.
func TestHostInAnotherScriptIsPunycode(t *testing.T) {
	t.Parallel()
	file := must.RecordAnswers(t, []string{`"one"`}, []must.Request{request("https://bücher.example/v1/x")})
	if text := must.Read(t, file); !strings.Contains(text, "https://xn--bcher-kva.example/v1/x") {
		t.Errorf("not in Punycode:\n%s", text)
	}
	r := replay(t, file)
	if got := request("https://XN--BCHER-KVA.example:443/v1/x").Ask(t, r); got != `"one"` {
		t.Error(got)
	}
	must.Close(t, r)
}
