package passthrough_test

import (
	"cmp"
	"context"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/testing/full"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// However its address is spelled, a request passes only if net/http connects to a named server.
//
// Names, addresses and redirects are drawn at random. A redirect is a request of its own.
func TestSpellingOfAnAddressDoesNotMatter(t *testing.T) {
	t.Parallel()
	network := newRedirector(t)
	cases := map[int]int{} // how many cases there were, by the number of requests that pass
	for seed := range uint64(full.Cases(40, 400)) {
		random := rand.New(rand.NewPCG(seed, 43))
		name := drawServerName(random)
		rec := must.Open(t, filepath.Join(t.TempDir(), "c.yaml"),
			promptecho.InMode(promptecho.ModeNone),
			promptecho.Upstream(network.transport),
			promptecho.PassThrough(name.String()),
			promptecho.Log(func(string) {}))
		for range 10 {
			first, redirect := name.drawTarget(random), name.drawTarget(random)
			req, err := http.NewRequest("GET", first.spelling, nil)
			if err != nil {
				continue // no client can send it
			}
			req.Header.Set("Redirect-To", redirect.spelling)
			switch random.IntN(6) {
			case 0:
				req.Host = name.spelling
			case 1:
				req.Host = "evil.example"
			case 2:
				req.URL.Opaque = "//" + name.spelling + "/v1/traces"
			}

			want := 0 // requests that pass
			if req.URL.Opaque == "" && name.includes(first) {
				want = 1
				if name.includes(redirect) {
					want = 2
				}
			}
			cases[want]++
			err = followOnce(rec.Client(), req)
			connections := network.connections()
			got := len(connections)
			if (want == 0) != (got == 0) || (want == 2) != (got == 2) {
				t.Errorf("seed %d: %s: %s (host %s, opaque %s), redirected to %s: "+
					"%d of %d requests passed, to %s (%v)",
					seed, name, first.spelling, req.Host, req.URL.Opaque, redirect.spelling,
					got, want, connections, err)
			}
		}
		rec.Close()
	}
	if cases[0] < 100 || cases[1] < 10 || cases[2] < 10 {
		t.Errorf("cases by the number of requests that pass: %v", cases)
	}
}

// followOnce sends a request, and follows one redirect.
func followOnce(client *http.Client, req *http.Request) error {
	client.CheckRedirect = func(_ *http.Request, via []*http.Request) error {
		if len(via) > 1 {
			return http.ErrUseLastResponse
		}
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// A redirector is a network with one server: it answers for each address, and redirects to the
// header Redirect-To of a request.
type redirector struct {
	transport *http.Transport
	dialed    chan string
}

func newRedirector(t *testing.T) *redirector {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if to := req.Header.Get("Redirect-To"); to != "" {
			w.Header().Set("Location", to)
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	}))
	t.Cleanup(server.Close)
	network := &redirector{dialed: make(chan string, 20)}
	dial := func(ctx context.Context, protocol, address string) (net.Conn, error) {
		network.dialed <- address
		return new(net.Dialer).DialContext(ctx, protocol, server.Listener.Addr().String())
	}
	network.transport = &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}
	return network
}

// connections returns the addresses to which net/http connected since the last call.
func (n *redirector) connections() (addresses []string) {
	for range len(n.dialed) {
		addresses = append(addresses, <-n.dialed)
	}
	return addresses
}

var (
	hosts = []string{
		"db.example.com", "x.db.example.com", "example.com", "db.example.com.evil.net", "evildb.example.com",
		"127.0.0.1", "127.0.0.2", "[::1]", "[::2]",
		"xn--bcher-kva.example", "bucher.example", "localhost",
	}
	ports = []string{"", "80", "443", "6333", "6334"}

	// isBelowTraces says of each path whether it is /v1/traces or a path below it.
	isBelowTraces = map[string]bool{
		"/v1/traces":                true,
		"/v1/traces/":               true,
		"/v1/traces/ingest?x=/../y": true,
		"/v1//traces":               true,
		"":                          false,
		"/":                         false,
		"/v1/tracesx":               false,
		"/v1/traces/../x":           false,
		"/v1/traces/%2e%2e/x":       false,
		"/v1/traces/..%2fx":         false,
		"/V1/traces":                false,
		"/x?/v1/traces":             false,
		"/x/v1/traces":              false,
	}
)

// A place is where a request goes.
type place struct{ scheme, host, port string }

// dialedPort returns the port to which net/http connects.
func (p place) dialedPort() string { return cmp.Or(p.port, defaultPort(p.scheme)) }

func defaultPort(scheme string) string {
	if scheme == "https" {
		return "443"
	}
	return "80"
}

// spell returns a URL of the place in one of its spellings, all of which net/http treats alike.
func (p place) spell(random *rand.Rand) string {
	user := pick(random, "", "", "u@", "u:p@", "127.0.0.1:6333@", "db.example.com@")
	return p.scheme + "://" + user + p.spellHost(random) + p.spellPort(random)
}

func (p place) spellHost(random *rand.Rand) string {
	switch p.host {
	case "127.0.0.1":
		return pick(random, "127.0.0.1", "[::ffff:127.0.0.1]")
	case "[::1]":
		return pick(random, "[::1]", "[0:0:0:0:0:0:0:1]", "[::0001]")
	case "xn--bcher-kva.example":
		return pick(random, "bücher.example", "BÜCHER.example", "XN--bcher-kva.example", "b%C3%BCcher.example")
	}
	if !strings.Contains(p.host, "e") {
		return p.host
	}
	return pick(random, p.host, strings.ToUpper(p.host), p.host+".", strings.Replace(p.host, "e", "E", 1))
}

func (p place) spellPort(random *rand.Rand) string {
	if p.port == "" {
		return ""
	}
	return ":" + pick(random, "", "0", "00") + p.port
}

// pick returns one of the texts.
func pick(random *rand.Rand, texts ...string) string { return texts[random.IntN(len(texts))] }

// A serverName is an argument of PassThrough: "http/", a host, and perhaps a port and a path.
type serverName struct {
	place       place
	spelling    string // of host and port
	subdomains  bool   // it begins with "*."
	belowTraces bool   // it ends with "/v1/traces"
}

func drawServerName(random *rand.Rand) serverName {
	n := serverName{place: place{"http", pick(random, hosts...), pick(random, ports...)}}
	n.subdomains = random.IntN(4) == 0 && strings.Contains(n.place.host, "e")
	n.belowTraces = random.IntN(3) == 0
	_, n.spelling, _ = strings.Cut(n.place.spell(random), "://")
	n.spelling = n.spelling[strings.LastIndex(n.spelling, "@")+1:]
	if u, err := url.Parse("//" + n.spelling); err == nil {
		n.spelling = u.Host // as a user writes it: not escaped
	}
	return n
}

func (n serverName) String() string {
	name := "http/"
	if n.subdomains {
		name += "*."
	}
	name += n.spelling
	if n.belowTraces {
		name += "/v1/traces"
	}
	return name
}

// A target is a place, a path there, and a URL of both.
type target struct {
	place
	path     string
	spelling string
}

// drawTarget draws a target, which is at the named host and port in half of the cases.
func (n serverName) drawTarget(random *rand.Rand) target {
	to := target{place: place{pick(random, "http", "https"), pick(random, hosts...), pick(random, ports...)}}
	if random.IntN(2) == 0 {
		to.host = n.place.host
		to.port = n.place.port
	}
	to.path = pick(random, slices.Sorted(maps.Keys(isBelowTraces))...)
	to.spelling = to.spell(random) + to.path
	return to
}

// includes reports whether requests to a target pass. A name without a port means the default port.
func (n serverName) includes(to target) bool {
	isHost := to.host == n.place.host
	if n.subdomains {
		isHost = strings.HasSuffix(to.host, "."+n.place.host)
	}
	isPort := to.dialedPort() == cmp.Or(n.place.port, defaultPort(to.scheme))
	isPath := !n.belowTraces || isBelowTraces[to.path]
	return isHost && isPort && isPath
}
