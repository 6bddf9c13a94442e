package control

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/redact"
)

// keys are those of SDKs that read a key and no base URL: in a run that sends nothing upstream
// they are dummies, too.
var keys = []string{"GOOGLE_GENERATIVE_AI_API_KEY", "MISTRAL_API_KEY", "COHERE_API_KEY", "CO_API_KEY"}

// proxies are the variables that lead clients to a proxy.
var proxies = []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"}

// setEnv finds the variables for the command.
func (c *Control) setEnv() error {
	env, err := c.leading(c.suite.server)
	if err != nil {
		return err
	}
	const base = "http://base"
	below := serve.New(nil, base)
	defer below.Close()
	upstreams, err := c.leading(below)
	if err != nil {
		return err
	}
	for _, v := range upstreams {
		name, value, _ := strings.Cut(v, "=")
		if path, ok := strings.CutPrefix(value, base); ok {
			c.paths[name] = path
		}
	}
	c.Env = append(env, "PROMPTECHO_URL="+c.URL)
	if c.Dir != "" {
		paths, _ := json.Marshal(c.paths) // texts always marshal
		c.Env = append(c.Env, "PROMPTECHO_PATHS="+string(paths))
	}
	if !c.Online && !c.Lenient { // a shell would keep the variables
		for _, name := range proxies {
			c.Env = append(c.Env, name+"="+c.URL)
		}
		c.Env = append(c.Env, "NODE_USE_ENV_PROXY=1") // Node.js reads the variables only then
	}
	return nil
}

// leading returns the variables that lead SDKs to a server. Real keys are the command's already,
// and nobody prints them. Where tests have cassettes of their own, nobody knows whether one will
// be recorded: dummies are in the place of those that are not there.
func (c *Control) leading(server *serve.Server) ([]string, error) {
	key := func(name string) string {
		if !c.Online {
			return c.suite.rec.Secret(name)
		}
		if c.Dir == "" || os.Getenv(name) != "" {
			return ""
		}
		return "promptecho-replay-" + name
	}
	env, err := server.Env(os.Getenv, key, !c.Online)
	if err != nil {
		return nil, err
	}
	for _, name := range keys {
		if value := key(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	for _, text := range c.Upstreams {
		name, url, _ := strings.Cut(text, "=")
		address, err := server.URL(url)
		if err != nil {
			return nil, fmt.Errorf("-upstream %s: %w", name, err)
		}
		env = slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, name+"=") })
		env = append(env, name+"="+address)
	}
	return env, nil
}

// stray stops a request that goes past the base URLs, and names it. The reason is what clients
// print of the answer of a proxy.
func (c *Control) stray(w http.ResponseWriter, host string) {
	if name, port, err := net.SplitHostPort(host); err == nil && (port == "443" || port == "80") {
		host = name
	}
	c.mu.Lock()
	if !slices.Contains(c.strayed, host) {
		c.strayed = append(c.strayed, host)
	}
	c.mu.Unlock()
	text := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, "promptecho serve stopped a request to "+host+", which would have bypassed the cassette")
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2, which no proxy speaks here
		refuse(w, http.StatusForbidden, text)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 403 %s\r\nContent-Type: text/plain\r\nContent-Length: "+
		"%d\r\nX-Should-Retry: false\r\nConnection: close\r\n\r\n%s", text, len(text), text)
}

// addStrays adds what asked past the base URLs, and what to do.
func (c *Control) addStrays(rep *Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.strayed)
	for _, host := range c.strayed {
		rep.fail(finding.RequestStopped, redact.Printable(fmt.Sprintf("a request to %s was stopped: "+
			"it would have bypassed the cassette, and this run sends nothing upstream. "+
			"Run promptecho serve with -upstream NAME=https://%[1]s, and have the client take its "+
			"base URL from the variable NAME. If that host is "+
			"not a model and must be reached, set NO_PROXY=%[1]s",
			host)))
	}
}
