// Package guard refuses requests that would leave the process of a test without a recorder.
// It sees the transports that ask for a proxy as [http.DefaultTransport] does: that one and
// its clones.
package guard

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Host is a server to which requests pass.
type Host = urls.Server

// ParseHost reads the name of a host as [urls.ParseServer] does. Here, a name without a dot is
// one, too.
func ParseHost(text string) (Host, error) {
	host, err := urls.ParseServer(text)
	if err == nil || strings.ContainsAny(text, "/:") {
		return host, err
	}
	host, err = urls.ParseServer("http/" + text)
	host.OfScheme = false
	return host, err
}

// active is the guard that is on duty; nil if there is none.
var active atomic.Pointer[guard]

type guard struct {
	allowed []Host

	mu    sync.Mutex         // guards what follows; no other lock is taken under it
	leaks map[uint64][]*Leak // by the goroutines of tests that have a recorder; 0 for nobody's test
}

// Install makes the default transport ask the guard. Clones that are made of it later ask too.
func Install() {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return // somebody else has put another one there
	}
	proxy := t.Proxy
	t.Proxy = func(req *http.Request) (*url.URL, error) {
		if g := active.Load(); g != nil && !g.passes(req) {
			if err := g.refuse(req); err != nil {
				return nil, err
			}
		}
		if proxy == nil {
			return nil, nil
		}
		return proxy(req)
	}
}

// Start puts the guard on duty. It lets requests to these hosts pass, and those to the
// loopback.
func Start(allowed []Host) { active.Store(&guard{allowed: allowed, leaks: map[uint64][]*Leak{}}) }

// Stop ends the duty, and returns the requests that no test has taken.
func Stop() []*Leak {
	g := active.Swap(nil)
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var leaks []*Leak
	for _, id := range slices.Sorted(maps.Keys(g.leaks)) { // behind nobody's, those of tests that have not ended, or whose goroutines go on
		leaks = append(leaks, g.leaks[id]...)
	}
	return leaks
}

// exempt is the key of contexts whose requests a recorder sends.
type exempt struct{}

// Exempt returns a context whose requests pass the guard: a recorder sends them.
func Exempt(ctx context.Context) context.Context { return context.WithValue(ctx, exempt{}, true) }

// Watch says that a test has a recorder; its caller runs in the goroutine of that test. The
// function that it returns is called once, when the test ends, and returns the requests that
// left it without a recorder.
func Watch() (leaks func() []*Leak) {
	g := active.Load()
	if g == nil {
		return func() []*Leak { return nil }
	}
	id := stack.ID()
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.leaks[id]; !known {
		g.leaks[id] = nil
	}
	return func() []*Leak {
		g.mu.Lock()
		defer g.mu.Unlock()
		leaks := g.leaks[id]
		g.leaks[id] = nil
		return leaks
	}
}

// passes reports whether a request may go out.
func (g *guard) passes(req *http.Request) bool {
	if urls.IsThisMachine(req.URL.Hostname()) || req.Context().Value(exempt{}) != nil {
		return true
	}
	return slices.ContainsFunc(g.allowed, func(allowed Host) bool { return allowed.Names(req.URL) })
}

// wrapped is the function of ours that runs a function wrapped by promptecho.Wrap. What that
// sends is covered by its recording.
const wrapped = "github.com/promptecho/promptecho/internal/recorder.(*Wrapped).Call"

// refuse keeps a request as a leak, and returns the error of the request; nil if a wrapped
// function sends it.
func (g *guard) refuse(req *http.Request) error {
	chain := stack.Ancestors(stack.ID())
	for _, one := range chain {
		if slices.ContainsFunc(one.Frames, func(f stack.Frame) bool { return f.Function == wrapped }) {
			return nil
		}
	}
	l := &Leak{Method: req.Method, Host: req.URL.Hostname(), Test: stack.TestIn(chain), Caller: stack.CallerIn(chain), Client: clientIn(chain), Times: 1}
	g.mu.Lock()
	defer g.mu.Unlock()
	id := uint64(0)
	for _, one := range slices.Backward(chain) {
		if _, known := g.leaks[one.ID]; known {
			id = one.ID
		}
	}
	i := slices.IndexFunc(g.leaks[id], func(known *Leak) bool {
		return known.Host == l.Host && known.Method == l.Method && known.Test == l.Test && known.Caller == l.Caller
	})
	if i >= 0 {
		g.leaks[id][i].Times++ // SDKs try again
	} else {
		g.leaks[id] = append(g.leaks[id], l)
	}
	return l
}

// A Leak is a request that would have left the process without a recorder. It is the error
// of that request.
type Leak struct {
	Method, Host string
	Test         string // the function that it comes from: TestX; "" if that is not known
	Caller       string // the line in the user's code: "x_test.go:12"; "" if there is none
	Client       string // how its client is given a recorder, as code
	Times        int
}

func (l *Leak) Error() string {
	return fmt.Sprintf("promptecho: refused: %s to %s does not go through a recorder", l.Method, l.Host)
}

// Report says what left, from where, and what to write.
func (l *Leak) Report() string {
	text := fmt.Sprintf("%s to %s was refused: it does not go through a recorder", l.Method, l.Host)
	if l.Times > 1 {
		text += fmt.Sprintf(" (%d times)", l.Times)
	}
	if l.Test != "" {
		text += "\n  test:   " + l.Test
	}
	if l.Caller != "" {
		text += "\n  caller: " + l.Caller
	}
	t := strings.ToLower(cmp.Or(l.Test, "Test")[:1]) // of a benchmark it is b, and of a fuzz test f
	return text + fmt.Sprintf("\n\nPass the client of a recorder to the code that sends it:\n  rec := echotest.New(%s)\n  %s\nor let this host pass, in TestMain:\n  echotest.Main(m, echotest.AllowHosts(%q))", t, l.Client, l.Host)
}

// clients says how the clients of SDKs are given a recorder, by the paths of their packages.
// Those that use others come first.
var clients = []struct{ path, code string }{
	{"github.com/tmc/langchaingo/llms/", "WithHTTPClient(rec.Client()) // an option of the model's New"},
	{"github.com/openai/openai-go", "openai.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"github.com/anthropics/anthropic-sdk-go", "anthropic.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"google.golang.org/genai", "genai.NewClient(ctx, &genai.ClientConfig{HTTPClient: rec.Client(), ...})"},
	{"github.com/ollama/ollama/api", "api.NewClient(base, rec.Client())"},
	{"github.com/cohere-ai/cohere-go", "client.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"github.com/sashabaranov/go-openai", "config.HTTPClient = rec.Client() // of openai.NewClientWithConfig(config)"},
	{"github.com/modelcontextprotocol/go-sdk", "&mcp.StreamableClientTransport{HTTPClient: rec.Client(), ...}"},
}

// clientIn returns the code that gives a recorder to the client that sends a request.
func clientIn(chain []stack.Goroutine) string {
	for _, c := range clients {
		if len(chain) > 0 && slices.ContainsFunc(chain[0].Frames, func(f stack.Frame) bool { return strings.HasPrefix(f.Function, c.path) }) {
			return c.code
		}
	}
	return "rec.Client() // an *http.Client; rec is its transport"
}
