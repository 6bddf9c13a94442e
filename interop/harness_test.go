// Package interop proves that the official SDKs work through promptecho as
// their users call them: record against the stand-in provider, shut it down,
// replay, and compare everything the application saw. No test here talks to a
// real provider.
package interop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/mutant"
)

// rerecording says that PROMPTECHO_MODE asks for the committed cassettes to be
// recorded again.
var rerecording bool

// TestMain makes the run independent of where it runs: the tests choose their
// modes in code, which CI or PROMPTECHO_MODE=none would cap at none, and under -short
// nothing unused would be held against them. It also sees to it that no test can reach
// a real provider.
func TestMain(m *testing.M) {
	mode := promptecho.Mode(os.Getenv("PROMPTECHO_MODE"))
	isMutated := os.Getenv(mutant.Env) != "" // promptecho mutate replays the committed cassettes
	switch {
	case isMutated:
	case mode == "", mode == promptecho.ModeNone:
		os.Unsetenv("PROMPTECHO_MODE")
	default:
		rerecording = true
	}
	os.Unsetenv("CI")
	local := http.DefaultTransport.(*http.Transport)
	local.Proxy, local.DialContext = nil, dialLoopback
	if rerecording {
		http.DefaultTransport = toStandIn(sync.OnceValue(func() *fakeprovider.Server { return fakeprovider.New() }), local)
	}
	if name := os.Getenv("INTEROP_PROCESS"); name != "" {
		os.Exit(runProcess(name))
	}
	flag.Parse()
	flag.Set("test.short", "false")
	os.Exit(m.Run())
}

func dialLoopback(ctx context.Context, network, addr string) (net.Conn, error) {
	if host, _, _ := net.SplitHostPort(addr); !loopback(host) {
		return nil, fmt.Errorf("interop: no test here talks to a real provider: %s", addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

func loopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

// fakeKey is the key that every SDK is given. No file may hold it.
const fakeKey = "echo-secret-interop-0123456789"

// An env is what a test's application is given.
type env struct {
	client   *http.Client
	base     string
	provider *fakeprovider.Server // nil in replay
	replay   bool
}

// note collects what an application sees, in order.
type notes struct {
	mu    sync.Mutex
	lines []string
}

func (n *notes) add(format string, args ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, args...))
}

// recordReplay runs an application against the provider and again without it,
// and checks that it saw the same, that requests reached the provider only the
// first time, and that the key is in no file.
func recordReplay(t *testing.T, requests int, app func(t *testing.T, e env, see *notes), opts ...promptecho.Option) (cassette string) {
	t.Helper()
	p := fakeprovider.New()
	defer p.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	live := play(t, file, promptecho.ModeAll, env{base: p.URL, provider: p}, app, opts)
	if p.Requests() != requests {
		t.Errorf("%d requests reached the provider, want %d", p.Requests(), requests)
	}
	p.Close()
	again := play(t, file, promptecho.ModeNone, env{base: p.URL, replay: true}, app, opts)
	if p.Requests() != requests {
		t.Errorf("the replay reached the provider")
	}
	if len(live) == 0 {
		t.Errorf("the application saw nothing")
	}
	compare(t, live, again)
	noKey(t, dir)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func compare(t *testing.T, live, again []string) {
	t.Helper()
	if slices.Equal(live, again) {
		return
	}
	for i := range max(len(live), len(again)) {
		a, b := "nothing", "nothing"
		if i < len(live) {
			a = live[i]
		}
		if i < len(again) {
			b = again[i]
		}
		if a != b {
			t.Errorf("the application saw, as number %d of %d and %d,\nlive:   %s\nreplay: %s", i, len(live), len(again), a, b)
			return
		}
	}
}

func play(t *testing.T, file string, mode promptecho.Mode, e env, app func(*testing.T, env, *notes), opts []promptecho.Option) []string {
	t.Helper()
	rec, err := promptecho.Open(file, append(slices.Clone(opts), promptecho.InMode(mode))...)
	if err != nil {
		t.Fatal(err)
	}
	e.client = rec.Client()
	var see notes
	app(t, e, &see)
	if err := rec.Close(); err != nil {
		t.Fatalf("mode %s: %v", mode, err)
	}
	return see.lines
}

func noKey(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(fakeKey)) {
			t.Errorf("%s holds the key", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A counter counts the attempts that an SDK makes and the reads of what it
// gets.
type counter struct {
	http.RoundTripper
	mu       sync.Mutex
	attempts int
	reads    []int
}

func (c *counter) RoundTrip(req *http.Request) (*http.Response, error) {
	c.mu.Lock()
	c.attempts++
	c.mu.Unlock()
	resp, err := c.RoundTripper.RoundTrip(req)
	if err == nil {
		resp.Body = &countedBody{resp.Body, c}
	}
	return resp, err
}

type countedBody struct {
	io.ReadCloser
	c *counter
}

func (b *countedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if n > 0 {
		b.c.mu.Lock()
		b.c.reads = append(b.c.reads, n)
		b.c.mu.Unlock()
	}
	return n, err
}

// counted puts a counter in front of a client.
func counted(client *http.Client) (*http.Client, *counter) {
	c := &counter{RoundTripper: client.Transport}
	return &http.Client{Transport: c}, c
}

// endsOf returns the end: lines of a cassette.
func endsOf(cassette string) (ends []string) {
	for line := range strings.SplitSeq(cassette, "\n") {
		if end, ok := strings.CutPrefix(strings.TrimSpace(line), "end: "); ok {
			ends = append(ends, end)
		}
	}
	return ends
}

// parallelCalls asks n questions at once and notes the answers in their order.
func parallelCalls(t *testing.T, n int, see *notes, ask func(question string) (answer string, err error)) {
	t.Helper()
	answers := make([]string, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			var err error
			if answers[i], err = ask(fmt.Sprintf("question %d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for _, a := range answers {
		see.add("%s", a)
	}
}

// asJSON prints what an SDK decoded.
func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// kind names an error by what an application can tell of it.
func kind(err error) string {
	switch {
	case err == nil:
		return "no error"
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected EOF"
	}
	return err.Error()
}

// schema is a tool's or an answer's.
var schema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"city": map[string]any{"type": "string"},
		"days": map[string]any{"type": "integer"},
	},
	"required":             []string{"city"},
	"additionalProperties": false,
}

// The plan of the tool loops: five turns, parallel calls in the second.
const (
	toolPlan  = "use search, then read_file and get_weather(Paris), then send_mail, then search"
	toolTurns = 5
)

var toolNames = []string{"search", "read_file", "get_weather", "send_mail"}
