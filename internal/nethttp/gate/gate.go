// Package gate refuses requests without the secret of a run: those of other users of this
// machine, of web pages and, where a server listens on more than the loopback address, of
// other machines. A client with the secret can read recordings and, in a run that records,
// use API keys.
package gate

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// A Gate tells requests with the secret from others. Its methods may be called concurrently.
type Gate struct {
	secret string

	mu        sync.Mutex // guards what follows
	strangers []Stranger
}

// New returns a gate with a secret, which must be usable in the path of a URL.
func New(secret string) *Gate { return &Gate{secret: secret} }

// NewSecret returns a random secret of 128 bits.
func NewSecret() string { return rand.Text() }

// MinSecret is how long a secret must be that a user has chosen.
const MinSecret = 16

// Secret returns the secret.
func (g *Gate) Secret() string { return g.secret }

// Below returns the part of a path below the secret: "/health" of "/SECRET/health". ok is false
// if the path does not begin with the secret.
func (g *Gate) Below(path string) (rest string, ok bool) {
	first, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	if !g.isSecret(first) {
		return "", false
	}
	return "/" + rest, true
}

// User returns the user name that a request for a proxy has (RFC 7617). ok is false if its
// password is not the secret.
func (g *Gate) User(r *http.Request) (user string, ok bool) {
	scheme, encoded, _ := strings.Cut(r.Header.Get("Proxy-Authorization"), " ")
	text, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return "", false
	}
	user, password, _ := strings.Cut(string(text), ":")
	return user, g.isSecret(password)
}

func (g *Gate) isSecret(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(g.secret)) == 1
}

// A Stranger is a client that came without the secret.
type Stranger struct {
	Host  string // the address of its machine
	Agent string // its User-Agent; may be ""
	Times int
}

// String describes the requests of a stranger, for a report.
func (s Stranger) String() string {
	requests := "1 request"
	if s.Times > 1 {
		requests = fmt.Sprintf("%d requests", s.Times)
	}
	return fmt.Sprintf("%s of %s at %s came without the secret of the run, and got no answer",
		requests, cmp.Or(s.Agent, "a client"), s.Host)
}

// maxStrangers is how many clients are kept, so that a port scanner does not fill the memory.
const maxStrangers = 20

// Refused notes a request without the secret.
func (g *Gate) Refused(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.indexOf(r)
	switch {
	case i >= 0:
		g.strangers[i].Times++
	case len(g.strangers) < maxStrangers:
		stranger := Stranger{Host: hostOf(r), Agent: agentOf(r), Times: 1}
		g.strangers = append(g.strangers, stranger)
	}
}

// Admitted notes a request with the secret, and forgets one earlier request of its client without
// it. Some clients, such as git, send the password of a proxy only after a refusal, so that this
// refusal is nothing to report.
func (g *Gate) Admitted(r *http.Request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := g.indexOf(r)
	if i < 0 {
		return
	}
	g.strangers[i].Times--
	if g.strangers[i].Times == 0 {
		g.strangers = slices.Delete(g.strangers, i, i+1)
	}
}

// Strangers returns the clients that came without the secret.
func (g *Gate) Strangers() []Stranger {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.strangers)
}

// indexOf returns the index of the client of a request among the strangers; -1 if it is none.
func (g *Gate) indexOf(r *http.Request) int {
	host := hostOf(r)
	return slices.IndexFunc(g.strangers, func(s Stranger) bool {
		return s.Host == host && s.Agent == agentOf(r)
	})
}

// maxAgent is how much of a User-Agent is kept.
const maxAgent = 80

func agentOf(r *http.Request) string {
	agent := r.UserAgent()
	return agent[:min(len(agent), maxAgent)]
}

// hostOf returns the address of the machine of a client.
func hostOf(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
