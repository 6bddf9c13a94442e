// Package guard refuses requests that would leave a test process without a recorder. It
// checks the requests of transports with the Proxy function of [http.DefaultTransport]:
// that transport and its clones.
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

// A Host is a server to which requests may go without a recorder.
type Host = urls.Server

// ParseHost parses the name of a host as [urls.ParseServer] does, and also accepts a
// name without a dot.
func ParseHost(text string) (Host, error) {
	host, err := urls.ParseServer(text)
	if err == nil || strings.ContainsAny(text, "/:") {
		return host, err
	}
	host, err = urls.ParseServer("http/" + text)
	host.OfScheme = false
	return host, err
}

// active is the guard that checks requests; nil if there is none.
var active atomic.Pointer[guard]

type guard struct {
	allowed []Host

	mu sync.Mutex // guards what follows; no other mutex is locked under it

	// leaks are the refused requests, by the goroutine of the test that made them. A
	// goroutine has a key, also without leaks, if its test has a recorder. Requests
	// of other tests are under unknownTest.
	leaks map[uint64][]*Leak
}

const unknownTest = 0 // the runtime numbers goroutines from 1

// Install makes the default transport ask the guard before it connects. Clones of that
// transport that are made later ask, too.
func Install() {
	t, ok := http.DefaultTransport.(*http.Transport)
	if !ok {
		return // the program has replaced it
	}
	proxy := t.Proxy
	t.Proxy = func(req *http.Request) (*url.URL, error) {
		g := active.Load()
		if g != nil {
			if err := g.check(req); err != nil {
				return nil, err
			}
		}
		if proxy == nil {
			return nil, nil
		}
		return proxy(req)
	}
}

// Start makes the guard refuse requests, except those to allowed hosts and to this
// machine.
func Start(allowed []Host) { active.Store(&guard{allowed: allowed, leaks: map[uint64][]*Leak{}}) }

// Stop stops the guard, and returns the refused requests that no function of Watch has
// returned: first those of unknown tests, then those of tests that have not ended and
// of goroutines that outlived their test.
func Stop() []*Leak {
	g := active.Swap(nil)
	if g == nil {
		return nil
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	var leaks []*Leak
	for _, id := range slices.Sorted(maps.Keys(g.leaks)) {
		leaks = append(leaks, g.leaks[id]...)
	}
	return leaks
}

// exemptKey is the key of contexts whose requests a recorder sends.
type exemptKey struct{}

// Exempt returns a context whose requests the guard does not refuse, for a recorder that
// sends them.
func Exempt(ctx context.Context) context.Context {
	return context.WithValue(ctx, exemptKey{}, true)
}

// Watch says that a test has a recorder. It is called in the goroutine of the test. The
// function that it returns is called when the test ends, and returns the requests of the
// test that were refused.
func Watch() (leaks func() []*Leak) {
	g := active.Load()
	if g == nil {
		return func() []*Leak { return nil }
	}
	id := stack.ID()
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, isWatched := g.leaks[id]; !isWatched {
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

// check returns an error if a request is refused, and keeps the request as a leak.
func (g *guard) check(req *http.Request) error {
	if g.isAllowed(req) {
		return nil
	}
	chain := stack.Ancestors(stack.ID())
	if isWrapped(chain) {
		return nil
	}
	leak := &Leak{
		Method: req.Method,
		Host:   req.URL.Hostname(),
		Test:   stack.TestIn(chain),
		Caller: stack.CallerIn(chain),
		Client: clientIn(chain),
		Times:  1,
	}
	g.add(leak, chain)
	return leak
}

// isAllowed reports whether a request may be sent, whichever code sends it.
func (g *guard) isAllowed(req *http.Request) bool {
	if urls.IsThisMachine(req.URL.Hostname()) || req.Context().Value(exemptKey{}) != nil {
		return true
	}
	return slices.ContainsFunc(g.allowed, func(allowed Host) bool { return allowed.Names(req.URL) })
}

// wrappedCall is the function that runs a function wrapped by promptecho.Wrap.
const wrappedCall = "github.com/promptecho/promptecho/internal/recorder.(*Wrapped).Call"

// isWrapped reports whether a wrapped function sends a request. A recording of the
// function has what the request returns.
func isWrapped(chain []stack.Goroutine) bool {
	isCall := func(f stack.Frame) bool { return f.Function == wrappedCall }
	return slices.ContainsFunc(chain, func(g stack.Goroutine) bool { return slices.ContainsFunc(g.Frames, isCall) })
}

// add keeps a leak, or counts it if an SDK has retried it. chain has the goroutine that
// sends the request and the goroutines that started it.
func (g *guard) add(leak *Leak, chain []stack.Goroutine) {
	g.mu.Lock()
	defer g.mu.Unlock()
	id := uint64(unknownTest)
	for _, goroutine := range slices.Backward(chain) {
		if _, isWatched := g.leaks[goroutine.ID]; isWatched {
			id = goroutine.ID
		}
	}
	for _, known := range g.leaks[id] {
		if known.isSame(leak) {
			known.Times++
			return
		}
	}
	g.leaks[id] = append(g.leaks[id], leak)
}

// A Leak is a request that was refused: it would have left the process without a
// recorder. It is the error of the request.
type Leak struct {
	Method, Host string
	Test         string // the function of the test, such as TestX; "" if it is not known
	Caller       string // the line in the user's code: "x_test.go:12"; "" if there is none
	Client       string // Go code that gives the client of the request a recorder
	Times        int
}

// isSame reports whether two requests differ only in how often they were sent.
func (l *Leak) isSame(other *Leak) bool {
	isSameRequest := l.Method == other.Method && l.Host == other.Host
	return isSameRequest && l.Test == other.Test && l.Caller == other.Caller
}

func (l *Leak) Error() string {
	return fmt.Sprintf("promptecho: refused: %s to %s does not go through a recorder", l.Method, l.Host)
}

// Report returns the text of a report: the request, where it comes from, and what to
// write.
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
	param := strings.ToLower(cmp.Or(l.Test, "Test")[:1]) // t, b of a benchmark, or f of a fuzz test
	return text + fmt.Sprintf("\n\nPass the client of a "+
		"recorder to the code that sends it:\n  rec := echotest.New(%s)\n  %s\n"+
		"or let this host pass, in TestMain:\n  echotest.Main(m, echotest.AllowHosts(%q))", param, l.Client, l.Host)
}

// clients has the code that gives the client of an SDK a recorder, by the path of the
// package. An SDK that uses another one comes before it.
var clients = []struct{ path, code string }{
	{"github.com/tmc/langchaingo/llms/", "WithHTTPClient(rec.Client()) // an option of the model's New"},
	{"github.com/openai/openai-go", "openai.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"github.com/anthropics/anthropic-sdk-go", "anthropic.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"google.golang.org/genai", "genai.NewClient(ctx, &genai.ClientConfig{HTTPClient: rec.Client(), ...})"},
	{"github.com/ollama/ollama/api", "api.NewClient(base, rec.Client())"},
	{"github.com/cohere-ai/cohere-go", "client.NewClient(option.WithHTTPClient(rec.Client()), ...)"},
	{"github.com/sashabaranov/go-openai", "config.HTTPClient = " +
		"rec.Client() // of openai.NewClientWithConfig(config)"},
	{"github.com/modelcontextprotocol/go-sdk", "&mcp.StreamableClientTransport{HTTPClient: rec.Client(), ...}"},
}

// clientIn returns the code that gives a recorder to the client of a request. The first
// goroutine of the chain sends the request.
func clientIn(chain []stack.Goroutine) string {
	const anyClient = "rec.Client() // an *http.Client; rec is its transport"
	if len(chain) == 0 {
		return anyClient
	}
	for _, c := range clients {
		isInPackage := func(f stack.Frame) bool { return strings.HasPrefix(f.Function, c.path) }
		if slices.ContainsFunc(chain[0].Frames, isInPackage) {
			return c.code
		}
	}
	return anyClient
}
