package echotest

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/group"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/recorder"
)

// A Server lets processes that a test starts use its recorder. [Serve] makes one; the zero Server
// cannot be used. All methods may be called concurrently.
type Server struct {
	t      testing.TB
	rec    Answerer
	server *serve.Server
	front  *front                      // nil without Proxy and Listen
	stdio  func() (*child.Host, error) // for promptecho stdio; nil if rec is no recorder
}

// An Answerer answers the requests that reach a [Server]: a
// [promptecho.Recorder], or a Provider of package echofake.
type Answerer interface {
	http.RoundTripper
	Online() bool             // see [promptecho.Recorder.Online]
	Secret(env string) string // see [promptecho.Recorder.Secret]
}

// Serve returns a server for the processes that a test starts. Each upstream
// gets a listener on the loopback address. The recorder answers what a process
// sends there as if the process had sent it to the upstream. So a cassette is
// the same whether it was recorded in the process of the test or through Serve.
//
// The server ends with the test, before the recorder is closed. It does not
// wait for streams: what is still running is canceled. So wait for the
// processes before the test ends.
//
// A request that is not recorded is answered as [promptecho.Recorder.RoundTrip]
// does, with status 418. The report names the program by its User-Agent and the
// upstream that it called, because the line of code is in another process.
//
// Addresses in headers of answers (Location, Operation-Location, upload URLs)
// are rewritten to those of listeners. URLs in bodies stay.
//
// A process may sign a request for a listener (AWS Signature Version 4). Then
// it is signed again for the upstream with AWS_SECRET_ACCESS_KEY. If it was not
// signed with that secret, it is not sent, and the test fails.
func Serve(t testing.TB, rec Answerer, opts ...ServeOption) *Server {
	c := serveConfig{transport: rec}
	group.Apply(opts, &c)
	switch {
	case c.through > 1:
		t.Fatal("promptecho: Serve: Through is set twice: pass one transport, which calls the other")
	case c.transport == nil:
		t.Fatal("promptecho: Serve: Through(nil): the transport is nil: pass the one in front of the recorder")
	}
	s := &Server{t: t, rec: rec}
	err := s.open(c)
	if err != nil {
		t.Fatalf("promptecho: Serve: %v", err)
	}
	t.Cleanup(s.close)
	recording, isRecorder := rec.(*promptecho.Recorder)
	if isRecorder {
		s.stdio = sync.OnceValues(func() (*child.Host, error) {
			host, err := child.Serve((*recorder.Recorder)(recording), false)
			if err == nil {
				t.Cleanup(func() { host.Close() })
			}
			return host, err
		})
	}
	return s
}

// open opens the server, as the options say.
func (s *Server) open(c serveConfig) error {
	if !c.proxy && c.listen == "" {
		s.server = serve.New(c.transport, "")
		return nil
	}
	f, err := openFront(c.listen, c.host)
	if err != nil {
		return fmt.Errorf("Listen(%q, %q): %w", c.listen, c.host, err)
	}
	handler := http.NotFoundHandler()
	if c.listen == "" {
		s.server = serve.New(c.transport, "") // with a listener for each upstream
	} else {
		s.server = serve.New(c.transport, f.base())
		handler = s.server
	}
	if c.proxy {
		err := f.addProxy(s.server.ServeProxied, s.passes)
		if err != nil {
			f.close()
			return err
		}
	}
	f.start(handler)
	s.front = f
	if c.listen != "" {
		s.t.Logf("promptecho: other machines reach this test at %s, with the secret", f.address)
	}
	return nil
}

// passes reports whether PassThrough names a server, which is a host and a port.
func (s *Server) passes(server string) bool {
	rec, isRecorder := s.rec.(*promptecho.Recorder)
	u := &url.URL{Scheme: "https", Host: server}
	return isRecorder && (*recorder.Recorder)(rec).Passes(u)
}

// close ends the server, and tells of the programs that could not use it.
func (s *Server) close() {
	defer s.server.Close()
	if s.front == nil {
		return
	}
	s.server.Cancel()
	failures, notes := s.front.close()
	for _, text := range failures {
		s.t.Errorf("promptecho: %s", text)
	}
	for _, text := range notes {
		s.t.Logf("promptecho: %s", text)
	}
}

// A ServeOption changes what [Serve] does.
type ServeOption func(*serveConfig)

type serveConfig struct {
	transport http.RoundTripper
	through   int // the number of Through options
	proxy     bool
	listen    string // the address of Listen
	host      string // the host of Listen
}

// Through passes the requests of the processes to a transport in front of the
// recorder, such as one of package echofault. Without it they go to the
// recorder itself.
func Through(transport http.RoundTripper) ServeOption {
	return func(c *serveConfig) {
		c.transport = transport
		c.through++
	}
}

// Proxy makes the server of [Serve] a forward proxy, too, for programs that read no base
// URL from a variable, and cannot be changed. [Server.Env] then has HTTPS_PROXY,
// HTTP_PROXY and NO_PROXY, and the variables that make programs trust the
// certificates of the proxy: SSL_CERT_FILE, NODE_EXTRA_CA_CERTS,
// REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE, AWS_CA_BUNDLE, GIT_SSL_CAINFO, DENO_CERT and
// others. It is an option, because a program then can reach no host that is not
// recorded, except for those of [promptecho.PassThrough].
//
// All requests are answered by the recorder, whatever the host: plain ones, and
// those behind CONNECT with TLS, over HTTP/1.1 and HTTP/2, WebSockets included.
// Connections to a host that PassThrough names without a path pass unread. A
// program that does not accept the certificate fails the test, with what to do.
//
// The certificates are signed by an authority that is made for this server. Its
// key stays in memory, and it is valid for a day. The URL of the proxy has a
// secret, so that others cannot use it.
func Proxy() ServeOption { return func(c *serveConfig) { c.proxy = true } }

// Listen serves programs in containers and on other machines. The server of [Serve]
// listens at one address, such as "0.0.0.0:0" (any free port), or at that of an
// interface. host is the name by which the programs reach it, without a port:
// "host.docker.internal", "host.testcontainers.internal", or the name of a
// service. If it is empty, it is the host of the address.
//
// All addresses that [Server.URL] and [Server.Env] return have a secret in their
// path or, for [Proxy], as the password. Requests without it are not answered, and
// the test's log names their senders. Connections to the server are not
// encrypted. GET /health is answered to all, with status 200.
//
// A container needs the file with the certificates at its own path: see
// [Server.CertificateFile].
func Listen(address, host string) ServeOption {
	return func(c *serveConfig) {
		c.listen = address
		c.host = host
	}
}

// CertificateFile returns the path of the file with the certificates that
// programs must trust if [Proxy] is set: those of the system, and that of the
// proxy. The variables that [Server.Env] returns name it. For a container, copy
// the file to the same path, or mount its folder there. Without Proxy it is empty.
func (s *Server) CertificateFile() string {
	if s.front == nil || s.front.proxy == nil {
		return ""
	}
	return s.front.proxy.CertificateFile()
}

// URL returns the address at which a process reaches an upstream: of
// "https://api.openai.com/v1" it is "http://127.0.0.1:41001/v1". Each host has a listener of
// its own, which is opened when it is first asked for, on a free port. It ends the test with
// t.Fatal if the upstream is not the address of a server, or if the server has ended.
func (s *Server) URL(upstream string) string {
	s.t.Helper()
	address, err := s.server.URL(upstream)
	if err != nil {
		s.t.Fatalf("promptecho: Serve: URL(%q): %v", upstream, err)
	}
	return address
}

// Env returns variables for [os/exec.Cmd.Env] that lead SDKs to the server, as
// "NAME=value", and the keys without which they make no client:
//
//	OPENAI_BASE_URL                         OPENAI_API_KEY
//	ANTHROPIC_BASE_URL                      ANTHROPIC_API_KEY
//	GOOGLE_GEMINI_BASE_URL                  GEMINI_API_KEY
//	OLLAMA_HOST
//	AWS_ENDPOINT_URL_BEDROCK_RUNTIME        AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY
//	AWS_ENDPOINT_URL_BEDROCK_AGENT_RUNTIME
//	ANTHROPIC_BEDROCK_BASE_URL
//	ANTHROPIC_BEDROCK_MANTLE_BASE_URL
//	CEREBRAS_BASE_URL                       CEREBRAS_API_KEY
//	CO_API_URL                              CO_API_KEY
//	GROQ_BASE_URL                           GROQ_API_KEY
//	OPENROUTER_BASE_URL
//	PERPLEXITY_BASE_URL                     PERPLEXITY_API_KEY
//	REPLICATE_BASE_URL
//	TOGETHER_BASE_URL                       TOGETHER_API_KEY
//
// The upstream of each is the value of the variable in the test, or else the
// provider's own. The region of AWS is AWS_REGION, else us-east-1, and a request
// goes to the region for which it is signed. NO_PROXY keeps proxies out of the way.
//
// These are set only if the test has them, for a gateway: OPENAI_API_BASE,
// AWS_BEDROCK_BASE_URL, GOOGLE_VERTEX_BASE_URL, ANTHROPIC_VERTEX_BASE_URL and
// ANTHROPIC_FOUNDRY_BASE_URL. Their presence changes what an SDK does.
//
// The keys are as the test has them. In a run that sends nothing upstream (see
// [promptecho.Recorder.Online]) they are dummies.
//
// With [Proxy], the variables of a proxy are there, too, and with [Listen] all
// addresses are those that other machines reach.
//
// PROMPTECHO_STDIO is for programs that the process starts as promptecho stdio,
// see docs/PROCESSES.md.
//
// Append them to the process's environment, because the last value of a name
// counts:
//
//	cmd.Env = append(cmd.Environ(), s.Env()...)
func (s *Server) Env() []string {
	s.t.Helper()
	key := os.Getenv
	dummies := !s.rec.Online()
	if dummies {
		key = s.rec.Secret
	}
	env, err := s.server.Env(os.Getenv, key, dummies)
	if err != nil {
		s.t.Fatalf("promptecho: Serve: %v", err)
	}
	if s.front != nil {
		env = append(env, s.front.env(env)...)
	}
	if s.stdio == nil {
		return env
	}
	host, err := s.stdio()
	if err != nil {
		s.t.Fatalf("promptecho: Serve: %v", err)
	}
	return append(env, child.ServeVariable+"="+host.Address())
}
