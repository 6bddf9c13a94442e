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
	"github.com/promptecho/promptecho/internal/nethttp/proxy"
	"github.com/promptecho/promptecho/internal/nethttp/serve"
	"github.com/promptecho/promptecho/internal/redact"
)

// sdkKeys are the variables with the API keys of SDKs that take no base URL from a variable.
// In a run that sends nothing upstream they get placeholders, like those of other SDKs.
var sdkKeys = []string{
	"GOOGLE_GENERATIVE_AI_API_KEY", "MISTRAL_API_KEY", "COHERE_API_KEY",
}

// setEnv sets c.Env and c.paths.
func (c *Control) setEnv() error {
	env, err := c.envFor(c.suite.server)
	if err != nil {
		return err
	}

	// The URLs of a server with a known base show the paths below the base.
	const base = "http://base"
	probe := serve.New(nil, base)
	defer probe.Close()
	probeEnv, err := c.envFor(probe)
	if err != nil {
		return err
	}
	for _, v := range probeEnv {
		name, value, _ := strings.Cut(v, "=")
		if path, ok := strings.CutPrefix(value, base); ok {
			c.paths[name] = path
		}
	}

	c.Env = append(env, "PROMPTECHO_URL="+c.URL)
	if c.Dir != "" {
		paths, _ := json.Marshal(c.paths) // strings always marshal
		c.Env = append(c.Env, "PROMPTECHO_PATHS="+string(paths))
	}
	// Without a command the user exports the variables in a shell, where the proxy would outlive
	// this process.
	stopsBypass := !c.Online && !c.Standalone && !c.isFar
	switch {
	case c.proxy != nil:
		c.Env = append(c.Env, c.proxy.Env(c.Env, suiteKey, c.address)...)
	case stopsBypass:
		for _, name := range proxy.Variables {
			c.Env = append(c.Env, name+"="+c.URL)
		}
		c.Env = append(c.Env, "NODE_USE_ENV_PROXY=1") // Node.js reads the variables only then
	}
	return nil
}

// apiKey returns the value for a variable with an API key, "" if the variable is to be left as
// it is. The first of these cases counts:
//
//	the run sends nothing upstream      a placeholder
//	the variable is set                 "": the command inherits it, and it must not be printed
//	each test has its own cassette      a placeholder: a test that is only replayed needs one
//	the suite has one cassette          ""
func (c *Control) apiKey(name string) string {
	switch {
	case !c.Online:
		return c.suite.rec.Secret(name)
	case os.Getenv(name) != "":
		return ""
	case c.Dir != "":
		return "promptecho-replay-" + name
	}
	return ""
}

// envFor returns the variables that make SDKs send their requests to a server.
func (c *Control) envFor(server *serve.Server) ([]string, error) {
	env, err := server.Env(os.Getenv, c.apiKey, !c.Online)
	if err != nil {
		return nil, err
	}
	for _, name := range sdkKeys {
		if value := c.apiKey(name); value != "" {
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

// stopBypass answers a request for host that came to the control as to a proxy: it would
// have bypassed the cassettes. Clients print the reason phrase of a proxy that refuses
// CONNECT, so the answer is written by hand, with the explanation as its reason phrase.
func (c *Control) stopBypass(w http.ResponseWriter, host string) {
	name, port, err := net.SplitHostPort(host)
	if err == nil && (port == "443" || port == "80") {
		host = name
	}
	c.mu.Lock()
	if !slices.Contains(c.bypassHosts, host) {
		c.bypassHosts = append(c.bypassHosts, host)
	}
	c.mu.Unlock()

	text := asciiOnly("promptecho serve stopped a request to " + host +
		", which would have bypassed the cassette")
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil { // HTTP/2, which proxies without TLS do not speak
		refuse(w, http.StatusForbidden, text)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "HTTP/1.1 403 %s\r\nContent-Type: text/plain\r\nContent-Length: "+
		"%d\r\nX-Should-Retry: false\r\nConnection: close\r\n\r\n%s", text, len(text), text)
}

// asciiOnly replaces all characters that a reason phrase cannot contain by question marks.
func asciiOnly(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}

// addBypassed adds an error for each host of a request that would have bypassed the
// cassettes.
func (c *Control) addBypassed(rep *Report) {
	c.mu.Lock()
	defer c.mu.Unlock()
	slices.Sort(c.bypassHosts)
	why := "it would have bypassed the cassette"
	if !c.Online {
		why += ", and this run sends nothing upstream"
	}
	for _, host := range c.bypassHosts {
		rep.fail(finding.RequestStopped, redact.Printable(fmt.Sprintf("a request to %[1]s was stopped: %[2]s. "+
			"Record it with -proxy; or with -upstream NAME=https://%[1]s, and have the client take its "+
			"base URL from the variable NAME. If that host is "+
			"not a model and must be reached, set NO_PROXY=%[1]s",
			host, why)))
	}
}
