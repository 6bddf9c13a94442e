package echotest

import (
	"crypto/x509"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/environ"
	"github.com/promptecho/promptecho/internal/testing/proxied"
)

// program returns a client that does what a program with these variables does: it uses the proxy,
// and trusts the certificates.
func program(t *testing.T, env []string) *http.Client {
	t.Helper()
	certificates, err := os.ReadFile(environ.Value(env, "SSL_CERT_FILE"))
	if err != nil {
		t.Fatal(err)
	}
	return proxied.Client(t, environ.Value(env, "HTTPS_PROXY"), certificates)
}

// A program that reads no base URL is recorded and replayed through the proxy, and its cassette is that of a
// client of the test.
func TestProgramBehindProxyIsRecordedAndReplayed(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	var requests, answers []string
	for _, run := range []struct {
		name    string
		through bool
		mode    promptecho.Mode
	}{
		{"TestClient", false, promptecho.ModeAll},
		{"TestProxied", true, promptecho.ModeAll},
		{"TestProxied", true, promptecho.ModeNone},
		{"TestClient", true, promptecho.ModeNone},
	} {
		tb := &fakeTB{TB: t, name: run.name}
		tb.run(func(tb testing.TB) {
			rec := New(tb, network(p), promptecho.InMode(run.mode))
			client := rec.Client()
			if run.through {
				client = program(t, Serve(tb, rec, Proxy()).Env())
			}
			for _, question := range []string{"one", "two", "one"} {
				text, err := chat(t.Context(), client, openAI, question)
				answers = append(answers, fmt.Sprint(text, err))
			}
		})
		if len(tb.errors) > 0 {
			t.Errorf("%+v: %q", run, tb.errors)
		}
		file, err := os.ReadFile("testdata/cassettes/" + run.name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		all := regexp.MustCompile(`(?s)  request:\n.*?  response:\n`).FindAllString(string(file), -1)
		requests = append(requests, strings.Join(all, ""))
	}
	ofClient, ofProxied := answers[0:3], answers[3:6]
	if !slices.Equal(answers[6:9], ofProxied) || !slices.Equal(answers[9:12], ofClient) {
		t.Errorf("recorded: %q\nreplayed: %q", answers[:6], answers[6:])
	}
	for _, answer := range answers {
		if !strings.HasPrefix(answer, "200 ") {
			t.Errorf("got %s", answer)
		}
	}
	if requests[0] != requests[1] || strings.Count(requests[0], "https://api.openai.com/v1/") != 3 {
		t.Errorf("by a client:\n%s\nthrough the proxy:\n%s", requests[0], requests[1])
	}
	if p.Requests() != 6 {
		t.Errorf("%d requests reached the provider, want 6", p.Requests())
	}
}

// In a replay, a host that is not recorded is a miss, which names the program and the URL.
func TestMissThroughProxy(t *testing.T) {
	inDir(t)
	tb := &fakeTB{TB: t, name: "TestMiss"}
	var status int
	tb.run(func(tb testing.TB) {
		rec := New(tb, promptecho.InMode(promptecho.ModeNone))
		client := program(t, Serve(tb, rec, Proxy()).Env())
		req, err := http.NewRequestWithContext(t.Context(), "GET", "https://status.example.com/v1", nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("User-Agent", "agent/1.0")
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		status = resp.StatusCode
	})
	said := strings.Join(tb.errors, "\n")
	const want = "  asked:  http/status.example.com GET /v1\n" +
		"  caller: agent/1.0, through the proxy for https://status.example.com\n"
	if status != 418 || !strings.Contains(said, want) {
		t.Errorf("status %d, report:\n%s", status, said)
	}
}

// What PassThrough names passes unread, in a replay, too.
func TestPassThroughIsTunneled(t *testing.T) {
	inDir(t)
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "from upstream")
	}))
	t.Cleanup(upstream.Close)
	tb := &fakeTB{TB: t, name: "TestPassed"}
	tb.run(func(tb testing.TB) {
		rec := New(tb, promptecho.InMode(promptecho.ModeNone),
			promptecho.PassThrough(upstream.Listener.Addr().String()))
		client := program(t, Serve(tb, rec, Proxy()).Env())
		pinned := upstream.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
		client.Transport.(*http.Transport).TLSClientConfig.RootCAs = pinned
		resp, err := client.Get(upstream.URL)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || string(text) != "from upstream" {
			t.Errorf("%q, %v", text, err)
		}
	})
	if len(tb.errors) > 0 {
		t.Errorf("%q", tb.errors)
	}
}

// A program that does not accept the certificate fails the test, which says what to do.
func TestRefusedCertificateFailsTheTest(t *testing.T) {
	inDir(t)
	tb := &fakeTB{TB: t, name: "TestPinned"}
	tb.run(func(tb testing.TB) {
		client := program(t, Serve(tb, New(tb), Proxy()).Env())
		client.Transport.(*http.Transport).TLSClientConfig.RootCAs = x509.NewCertPool()
		_, err := client.Get("https://pinned.example.com/v1")
		if err == nil {
			t.Error("the certificate is accepted")
		}
	})
	said := strings.Join(tb.errors, "\n")
	for _, want := range []string{"pinned.example.com:443", `promptecho.PassThrough("pinned.example.com")`, "SSL_CERT_FILE"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %s in: %s", want, said)
		}
	}
}

// With Listen, programs of other machines are answered if the secret is in the address, and not
// without it.
func TestListenNeedsTheSecret(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	tb := &fakeTB{TB: t, name: "TestContainer"}
	tb.run(func(tb testing.TB) {
		s := Serve(tb, New(tb, network(p)), Listen("127.0.0.1:0", "localhost"), Proxy())
		env := s.Env()
		base := environ.Value(env, "OPENAI_BASE_URL")
		if !strings.HasPrefix(base, "http://localhost:") || !strings.HasSuffix(base, "/https/api.openai.com/v1") {
			t.Errorf("the address is %s", base)
		}
		if !strings.HasSuffix(environ.Value(env, "NO_PROXY"), ",localhost") {
			t.Errorf("requests to %s go through the proxy: %s", base, environ.Value(env, "NO_PROXY"))
		}
		text, err := chat(t.Context(), new(http.Client), base, "one")
		if err != nil || !strings.HasPrefix(text, "200 ") {
			t.Errorf("%s, %v", text, err)
		}
		again, err := chat(t.Context(), program(t, env), openAI, "one")
		if err != nil || !strings.HasPrefix(again, "200 ") {
			t.Errorf("through the proxy: %s, %v", again, err)
		}
		at, err := url.Parse(base)
		if err != nil {
			t.Fatal(err)
		}
		for path, want := range map[string]int{
			"/health":                                 200,
			"/https/api.openai.com/v1/models":         403,
			"/guessed/https/api.openai.com/v1/models": 403,
			strings.TrimSuffix(at.Path, "/https/api.openai.com/v1") + "/ca.pem":  200,
			strings.TrimSuffix(at.Path, "/https/api.openai.com/v1") + "/nothing": 404,
		} {
			resp, err := http.Get("http://" + at.Host + path)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != want {
				t.Errorf("%s: %s, want %d", path, resp.Status, want)
			}
		}
	})
	if len(tb.errors) > 0 || p.Requests() != 2 {
		t.Errorf("%d requests, %q", p.Requests(), tb.errors)
	}
	said := strings.Join(tb.logs, "\n")
	for _, want := range []string{
		"other machines reach this test at localhost:",
		"2 requests of Go-http-client/1.1 at 127.0.0.1 came without the secret",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the log does not say %q: %s", want, said)
		}
	}
}

// Nothing of the authority is left when the test has ended.
func TestCertificatesAreRemoved(t *testing.T) {
	inDir(t)
	tb := &fakeTB{TB: t, name: "TestEnds"}
	var file string
	tb.run(func(tb testing.TB) {
		file = Serve(tb, New(tb), Proxy()).CertificateFile()
	})
	if _, err := os.Stat(filepath.Dir(file)); !os.IsNotExist(err) {
		t.Errorf("%s is left: %v", file, err)
	}
	tb.run(func(tb testing.TB) {
		if got := Serve(tb, New(tb)).CertificateFile(); got != "" {
			t.Errorf("without Proxy the file is %s", got)
		}
	})
}

// An address that cannot be listened at, or that programs could not reach, ends the test with what to write.
func TestListenRefusesWrongAddresses(t *testing.T) {
	inDir(t)
	for _, tt := range []struct{ address, host, want string }{
		{"0.0.0.0:0", "", `promptecho: Serve: Listen("0.0.0.0:0", ""): give the host by which programs reach this machine, such as host.docker.internal`},
		{":0", "", `promptecho: Serve: Listen(":0", ""): give the host by which programs reach this machine, such as host.docker.internal`},
		{"127.0.0.1", "", `promptecho: Serve: Listen("127.0.0.1", ""): give an address with a port, such as 127.0.0.1:8090 or 0.0.0.0:8090`},
	} {
		tb := &fakeTB{TB: t, name: "TestListens"}
		tb.run(func(tb testing.TB) { Serve(tb, New(tb), Listen(tt.address, tt.host)) })
		if tb.fatal != tt.want {
			t.Errorf("Listen(%q, %q)\ngot  %s\nwant %s", tt.address, tt.host, tb.fatal, tt.want)
		}
	}
}
