package proxy

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/nethttp/gate"
	"github.com/promptecho/promptecho/internal/testing/proxied"
)

const secret = "0123456789ABCDEF"

// A served is a proxy at an address. It answers each request with its method, URL, protocol and
// body.
type served struct {
	*Proxy
	address string
	tunnels string // the address that is passed on unread
	next    string // the URL of the proxy of tunnels; "" if there is none
}

func serve(t *testing.T) *served {
	t.Helper()
	s := new(served)
	echo := func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q %v", r.Method, r.URL, r.Proto, body, err)
	}
	var err error
	s.Proxy, err = New(Config{
		Gate:   gate.New(secret),
		Getenv: func(string) string { return "" },
		Handler: func(user string) http.Handler {
			if user != "suite" {
				return nil
			}
			return http.HandlerFunc(echo)
		},
		Tunnels: func(user, address string) bool { return address == s.tunnels },
		NextProxy: func(r *http.Request) (*url.URL, error) {
			if s.next == "" {
				return nil, nil
			}
			return url.Parse(s.next)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s.Proxy)
	t.Cleanup(web.Close)
	t.Cleanup(s.Close)
	s.address = strings.TrimPrefix(web.URL, "http://")
	return s
}

// client returns a client that uses the proxy, and trusts certificates.
func (s *served) client(t *testing.T, user string, certificates []byte) *http.Client {
	t.Helper()
	return proxied.Client(t, s.URL(user, s.address), certificates)
}

// get returns what a request is answered with.
func get(t *testing.T, client *http.Client, url string) (text string, err error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader("question"))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return resp.Status + " " + string(body), err
}

// A program gets its answers in the place of each host, with TLS and without, and the handler sees the
// URL that the program asks for.
func TestProxyAnswersForEveryHost(t *testing.T) {
	t.Parallel()
	s := serve(t)
	client := s.client(t, "suite", s.Certificate())
	for _, tt := range []struct{ url, want string }{
		{"https://api.openai.com/v1/models?a=%2F", "POST https://api.openai.com:443/v1/models?a=%2F HTTP/2.0"},
		{"https://api.openai.com:8443/v1", "POST https://api.openai.com:8443/v1 HTTP/2.0"},
		{"https://192.0.2.7/", "POST https://192.0.2.7:443/ HTTP/2.0"},
		{"https://[2001:db8::7]/", "POST https://[2001:db8::7]:443/ HTTP/2.0"},
		{"http://models.example.com/v1//x", "POST http://models.example.com/v1//x HTTP/1.1"},
	} {
		want := "200 OK " + tt.want + ` "question" <nil>`
		got, err := get(t, client, tt.url)
		if err != nil || got != want {
			t.Errorf("%s\ngot  %s, %v\nwant %s", tt.url, got, err, want)
		}
	}
}

// HTTP/1.1 is spoken with programs that do not know HTTP/2.
func TestProxySpeaksHTTP1(t *testing.T) {
	t.Parallel()
	s := serve(t)
	client := s.client(t, "suite", s.Certificate())
	transport := client.Transport.(*http.Transport)
	transport.ForceAttemptHTTP2 = false
	transport.Protocols = new(http.Protocols)
	transport.Protocols.SetHTTP1(true)
	const want = `200 OK POST https://api.openai.com:443/v1 HTTP/1.1 "question" <nil>`
	got, err := get(t, client, "https://api.openai.com/v1")
	if err != nil || got != want {
		t.Errorf("got %s, %v\nwant %s", got, err, want)
	}
}

// A connection that was asked for with CONNECT need not have TLS: plain WebSockets and gRPC are
// spoken so.
func TestConnectWithoutTLS(t *testing.T) {
	t.Parallel()
	s := serve(t)
	conn, r := s.connect(t, "suite", "models.example.com:80")
	fmt.Fprintf(conn, "GET /a HTTP/1.1\r\nHost: models.example.com\r\nConnection: close\r\n\r\n")
	text, err := io.ReadAll(r)
	if err != nil || !strings.Contains(string(text), `GET http://models.example.com:80/a HTTP/1.1 "" <nil>`) {
		t.Errorf("%s, %v", text, err)
	}
}

// Some clients send absolute URLs also on the connection that CONNECT has made. They are answered if the host
// is that of the connection.
func TestAbsoluteURLInsideOfConnect(t *testing.T) {
	t.Parallel()
	s := serve(t)
	for _, tt := range []struct{ url, want string }{
		{"http://models.example.com/a", "200 OK"},
		{"http://MODELS.example.com:80/a", "200 OK"},
		{"https://models.example.com/a", "421 Misdirected Request"},
		{"http://other.example.com/a", "421 Misdirected Request"},
	} {
		conn, r := s.connect(t, "suite", "models.example.com:80")
		fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: models.example.com\r\n\r\n", tt.url)
		resp, err := http.ReadResponse(r, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		isAnswer := strings.HasPrefix(string(text), "GET http://models.example.com:80/a HTTP/1.1")
		if err != nil || resp.Status != tt.want || isAnswer != (resp.StatusCode == http.StatusOK) {
			t.Errorf("%s: %s, %s, %v", tt.url, resp.Status, text, err)
		}
	}
}

// connect asks for a connection, and returns what comes after the response.
func (s *served) connect(t *testing.T, user, address string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	req := &http.Request{
		Method: "CONNECT", URL: &url.URL{Opaque: address}, Host: address,
		Header: http.Header{"User-Agent": {"sdk/1.2"}},
	}
	if user != "" {
		req.SetBasicAuth(user, secret)
		req.Header["Proxy-Authorization"] = req.Header["Authorization"]
		delete(req.Header, "Authorization")
	}
	if err := req.Write(conn); err != nil {
		t.Fatal(err)
	}
	r := bufio.NewReader(conn)
	resp, err := http.ReadResponse(r, req)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("CONNECT: %v, %v", resp, err)
	}
	return conn, r
}

// A program that has looked up the name of a host is recorded with the name, not with the address.
func TestHostIsThatOfTheHandshake(t *testing.T) {
	t.Parallel()
	s := serve(t)
	conn, _ := s.connect(t, "suite", "192.0.2.7:443")
	secure := tls.Client(conn, &tls.Config{RootCAs: proxied.Roots(s.Certificate()), ServerName: "api.openai.com"})
	fmt.Fprintf(secure, "GET /a HTTP/1.1\r\nHost: api.openai.com\r\nConnection: close\r\n\r\n")
	text, err := io.ReadAll(secure)
	if err != nil || !strings.Contains(string(text), "GET https://api.openai.com:443/a") {
		t.Errorf("%s, %v", text, err)
	}
}

// Who does not have the secret gets no answer, and is named.
func TestProxyNeedsTheSecret(t *testing.T) {
	t.Parallel()
	s := serve(t)
	client := s.client(t, "suite", s.Certificate())
	at := client.Transport.(*http.Transport)
	at.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: s.address, User: url.UserPassword("suite", "wrong")})

	got, err := get(t, client, "http://api.openai.com/v1")
	if err != nil || !strings.HasPrefix(got, "407 ") {
		t.Errorf("without TLS: %s, %v", got, err)
	}
	got, err = get(t, client, "https://api.openai.com/v1")
	if err == nil || !strings.Contains(err.Error(), "Proxy Authentication Required") {
		t.Errorf("with TLS: %s, %v", got, err)
	}
	if list := s.config.Gate.Strangers(); len(list) != 1 || list[0].Times != 2 {
		t.Errorf("strangers: %v", list)
	}

	got, err = get(t, s.client(t, "other", s.Certificate()), "http://api.openai.com/v1")
	if err != nil || !strings.HasPrefix(got, "403 ") {
		t.Errorf("another user: %s, %v", got, err)
	}
}

// A program that does not accept the certificate is noted, also one that only closes its connection. One that
// has asked something on another connection is not.
func TestRefusedCertificateIsNoted(t *testing.T) {
	t.Parallel()
	s := serve(t)
	conn, _ := s.connect(t, "suite", "quiet.example.com:443")
	conn.Close()
	trusting := s.client(t, "suite", s.Certificate())
	_, err := get(t, trusting, "https://used.example.com/v1")
	if err != nil {
		t.Error(err)
	}
	for _, host := range []string{"used.example.com", "node.example.com"} {
		conn, _ := s.connect(t, "suite", host+":443")
		config := trusting.Transport.(*http.Transport).TLSClientConfig.Clone()
		config.ServerName = host
		secure := tls.Client(conn, config)
		if err := secure.Handshake(); err != nil {
			t.Error(err)
		}
		secure.Close()
	}

	for len(s.Refusals()) == 0 {
		runtime.Gosched() // until the proxy has read the end of the connection to node.example.com
	}
	_, err = get(t, s.client(t, "suite", nil), "https://pinned.example.com/v1")
	if !errors.As(err, new(x509.UnknownAuthorityError)) {
		t.Errorf("the client accepts the certificate: %v", err)
	}
	s.Close() // the handshake with pinned.example.com has ended on this side, too
	var got []string
	for _, r := range s.Refusals() {
		r.Agent = "agent"
		got = append(got, r.Text(fmt.Sprintf("PassThrough(%q)", r.Host())))
	}
	slices.Sort(got)
	want := []string{
		`agent did not accept the certificate of the proxy for pinned.example.com:443 (tls: bad certificate): it does not trust the authority of the run, or expects a certain certificate
  if it has a setting for trusted certificates, give it the file of its variable SSL_CERT_FILE
  to let it pass unread, and not recorded: PassThrough("pinned.example.com")`,
		`agent seems not to accept the certificate of the proxy for node.example.com:443 (it closed the connection without a request): it does not trust the authority of the run, or expects a certain certificate
  if it has a setting for trusted certificates, give it the file of its variable SSL_CERT_FILE
  to let it pass unread, and not recorded: PassThrough("node.example.com")`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A program that has no version of TLS or no cipher in common with the proxy is named.
func TestProgramThatCannotSpeakTLSIsNamed(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]*tls.Config{
		"version": {MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11},
		"cipher": {
			MaxVersion:   tls.VersionTLS12,
			CipherSuites: []uint16{tls.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256}, // the proxy has a key for ECDSA
		},
	} {
		s := serve(t)
		conn, _ := s.connect(t, "suite", "old.example.com:443")
		config.ServerName = "old.example.com"
		err := tls.Client(conn, config).Handshake()
		if err == nil {
			t.Errorf("%s: the handshake succeeds", name)
		}
		for len(s.Refusals()) == 0 {
			runtime.Gosched() // until the proxy has noted it
		}
		got := s.Refusals()[0]
		got.Why = "why" // which is in the words of crypto/tls
		const want = "sdk/1.2 cannot speak TLS with the proxy for old.example.com:443 (why)\n" +
			"  to let it pass unread, and not recorded: pass"
		if text := got.Text("pass"); text != want || got.Kind != Unable {
			t.Errorf("%s\ngot  %s\nwant %s", name, text, want)
		}
	}
}

// A program that offers only a protocol that the proxy does not know is answered over HTTP/1.1, as servers do.
func TestUnknownProtocolIsIgnored(t *testing.T) {
	t.Parallel()
	s := serve(t)
	conn, _ := s.connect(t, "suite", "api.openai.com:443")
	secure := tls.Client(conn, &tls.Config{
		RootCAs:    proxied.Roots(s.Certificate()),
		ServerName: "api.openai.com",
		NextProtos: []string{"http/1.0"}, // that of curl --http1.0
	})
	fmt.Fprintf(secure, "GET /a HTTP/1.0\r\n\r\n")
	text, err := io.ReadAll(secure)
	if err != nil || !strings.Contains(string(text), "GET https://api.openai.com:443/a HTTP/1.0") {
		t.Errorf("%s, %v", text, err)
	}
}

// A host that passes unread is reached itself, with its own certificate.
func TestTunnelIsUnread(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "from upstream")
	}))
	t.Cleanup(upstream.Close)
	s := serve(t)
	s.tunnels = upstream.Listener.Addr().String()
	client := s.client(t, "suite", nil)
	trusted := upstream.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	client.Transport.(*http.Transport).TLSClientConfig.RootCAs = trusted

	got, err := get(t, client, upstream.URL)
	if err != nil || got != "200 OK from upstream" {
		t.Errorf("%s, %v", got, err)
	}
	upstream.Close()
	_, err = get(t, client, upstream.URL)
	if err == nil {
		t.Error("an upstream that has ended is answered")
	}
}

// A program that sends nothing more still gets the rest of what a host that passes unread has to say.
func TestTunnelPassesTheEndOfOneSide(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		text, err := io.ReadAll(conn)
		fmt.Fprintf(conn, "got %q, %v", text, err)
	}()
	s := serve(t)
	s.tunnels = l.Addr().String()
	conn, r := s.connect(t, "suite", s.tunnels)
	io.WriteString(conn, "all")
	err = conn.(*net.TCPConn).CloseWrite()
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil || string(text) != `got "all", <nil>` {
		t.Errorf("%s, %v", text, err)
	}
}

// A host that passes unread does so also for a program that has looked up its name itself, and asks for the IP
// address.
func TestTunnelByNameOfTheHandshake(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "from upstream")
	}))
	t.Cleanup(upstream.Close)
	s := serve(t)
	address := upstream.Listener.Addr().String()
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		t.Fatal(err)
	}
	s.tunnels = "example.com:" + port
	config := upstream.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	config.ServerName = "example.com" // which the certificate of httptest has

	conn, _ := s.connect(t, "suite", address)
	secure := tls.Client(conn, config)
	fmt.Fprintf(secure, "GET /a HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
	text, err := io.ReadAll(secure)
	if err != nil || !strings.HasSuffix(string(text), "from upstream") {
		t.Errorf("%s, %v", text, err)
	}

	upstream.Close()
	conn, _ = s.connect(t, "suite", address)
	err = tls.Client(conn, config).Handshake()
	if err == nil || len(s.Refusals()) > 0 {
		t.Errorf("an upstream that has ended: %v, %v", err, s.Refusals())
	}
}

// What passes unread goes through the proxy that the run itself has to use, such as that of a company.
func TestTunnelUsesTheProxyOfTheRun(t *testing.T) {
	t.Parallel()
	company, s := serve(t), serve(t)
	s.tunnels = "api.openai.com:443"
	client := s.client(t, "suite", company.Certificate()) // the company answers with its own
	for _, tt := range []struct{ next, want string }{
		{company.URL("suite", company.address), `200 OK POST https://api.openai.com:443/v1 HTTP/2.0 "question" <nil>`},
		{"http://" + company.address, ""}, // without the password
		{"http://127.0.0.1:1", ""},
		{"socks5://" + company.address, ""},
	} {
		s.next = tt.next
		client.CloseIdleConnections()
		got, err := get(t, client, "https://api.openai.com/v1")
		if got != tt.want || (err == nil) != (tt.want != "") {
			t.Errorf("%s: %s, %v", tt.next, got, err)
		}
		if err != nil && !strings.Contains(err.Error(), "Bad Gateway") {
			t.Errorf("%s: %v", tt.next, err)
		}
	}
}

// Close ends what clients have left open: connections without a byte, in the middle of a handshake, idle ones
// and tunnels.
func TestCloseEndsConnections(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	s := serve(t)
	s.tunnels = silent.Addr().String()

	var all []io.Reader
	for _, sent := range []string{"", "\x16\x03", "\x16\x03\x01 garbage", "GET / HTTP/1.1\r\nHost: x", "garbage\r\n\r\n"} {
		conn, r := s.connect(t, "suite", "api.openai.com:443")
		io.WriteString(conn, sent)
		all = append(all, r)
	}
	_, r := s.connect(t, "suite", s.tunnels)
	all = append(all, r)
	s.Close()
	for _, r := range all {
		// It ends with what the proxy had to say, or with an error: it does not hang.
		_, _ = io.Copy(io.Discard, r)
	}
	s.Close() // a second time, too

	_, err = get(t, s.client(t, "suite", s.Certificate()), "https://api.openai.com/v1")
	if err == nil {
		t.Error("a closed proxy answers")
	}
}

// A target that is no host with a port is refused.
func TestConnectNeedsHostAndPort(t *testing.T) {
	t.Parallel()
	s := serve(t)
	conn, err := net.Dial("tcp", s.address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	req := httptest.NewRequest("GET", "/", nil)
	req.SetBasicAuth("suite", secret)
	fmt.Fprintf(conn, "CONNECT api.openai.com HTTP/1.1\r\nHost: api.openai.com\r\nProxy-Authorization: %s\r\n\r\n", req.Header.Get("Authorization"))
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || resp.StatusCode != http.StatusBadRequest {
		t.Errorf("%v, %v", resp, err)
	}
}

// The variables have the URL of the proxy under each name that clients read.
func TestEnvNamesTheProxy(t *testing.T) {
	t.Parallel()
	s := serve(t)
	env := s.Env([]string{"NO_PROXY=localhost"}, "suite", "127.0.0.1:41001")
	has := map[string]string{}
	for _, v := range env {
		name, value, _ := strings.Cut(v, "=")
		has[name] = value
	}
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		if has[name] != "http://suite:"+secret+"@127.0.0.1:41001" {
			t.Errorf("%s is %s", name, has[name])
		}
	}
	if has["NO_PROXY"] != "localhost,127.0.0.1" {
		t.Errorf("NO_PROXY is %s", has["NO_PROXY"])
	}
	if has["SSL_CERT_FILE"] != s.CertificateFile() || has["NODE_USE_ENV_PROXY"] != "1" {
		t.Errorf("%q", env)
	}
}
