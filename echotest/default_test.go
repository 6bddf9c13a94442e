package echotest

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/fakeprovider"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// get asks for a page and returns what it says.
func get(t *testing.T, client *http.Client, url string) string {
	t.Helper()
	resp, err := client.Get(url)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// pages is a network that has a page everywhere, and counts the requests.
func pages(asked *int) promptecho.Option {
	return promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
		*asked++
		return &http.Response{StatusCode: 200, ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{"Content-Type": {"text/plain"}},
			Body: io.NopCloser(strings.NewReader("page of " + req.URL.String())), ContentLength: -1, Request: req}, nil
	}))
}

// Whatever uses the default transport, or a clone of it, is answered by the recorder.
func TestDefault(t *testing.T) {
	inDir(t)
	asked := 0
	for range 2 { // recorded, replayed
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) {
			SetDefault(tb, New(tb, pages(&asked)))
			clone := http.DefaultTransport.(*http.Transport).Clone()
			defer clone.CloseIdleConnections()
			for i, client := range []*http.Client{http.DefaultClient, {}, {Transport: http.DefaultTransport}, {Transport: clone}} {
				for _, scheme := range []string{"http", "https"} {
					page := fmt.Sprintf("%s://example.com/%d?q=a%%2Fb", scheme, i)
					if got := get(t, client, page); got != "page of "+page {
						t.Errorf("%s: %q", page, got)
					}
				}
			}
		})
		if len(tb.errors) > 0 || asked != 8 {
			t.Errorf("%d asked, %q", asked, tb.errors)
		}
	}
}

// A miss names the line of code, and a clone where the line is not known.
func TestDefaultMiss(t *testing.T) {
	inDir(t)
	t.Setenv("PROMPTECHO_MODE", "none")
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		SetDefault(tb, New(tb))
		clone := http.DefaultTransport.(*http.Transport).Clone()
		defer clone.CloseIdleConnections()
		get(t, http.DefaultClient, "https://example.com/a")
		get(t, &http.Client{Transport: clone}, "https://example.com/b")
	})
	if len(tb.errors) != 1 || !strings.Contains(tb.errors[0], "/echotest/default_test.go:") || !strings.Contains(tb.errors[0], "a client with a clone of http.DefaultTransport") {
		t.Errorf("errors %q", tb.errors)
	}
}

// With SetDefault, the servers of the test itself are asked, unless an alias names one.
func TestDefaultLoopback(t *testing.T) {
	inDir(t)
	said := "live"
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, said) })
	own, named, secure := httptest.NewServer(handler), httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer own.Close()
	defer named.Close()
	defer secure.Close()
	for _, want := range []string{"live", "later"} {
		said = want
		tb := &fakeTB{TB: t, name: "TestX"}
		tb.run(func(tb testing.TB) {
			rec := New(tb, promptecho.Alias(named.URL, "named"))
			SetDefault(tb, rec)
			clone := http.DefaultTransport.(*http.Transport).Clone()
			defer clone.CloseIdleConnections()
			for _, client := range []*http.Client{http.DefaultClient, {Transport: clone}} {
				if got := get(t, client, own.URL); got != want {
					t.Errorf("a server of the test: %q, want %q", got, want)
				}
				if got := get(t, client, named.URL); got != "live" {
					t.Errorf("a server with an alias: %q, want what was recorded", got)
				}
			}
			if got := get(t, secure.Client(), secure.URL); got != want {
				t.Errorf("a server with TLS and a client of its own: %q, want %q", got, want)
			}
		})
		if len(tb.errors) > 0 {
			t.Error(tb.errors)
		}
	}
}

// SetDefault puts the default transport back, which is an *http.Transport while it is replaced.
func TestDefaultIsPutBack(t *testing.T) {
	inDir(t)
	before := http.DefaultTransport
	var left *http.Client
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		SetDefault(tb, New(tb, promptecho.AllowUnused()))
		if http.DefaultTransport == before {
			t.Error("the default transport is not replaced")
		}
		left = &http.Client{Transport: http.DefaultTransport.(*http.Transport).Clone()}
	})
	if http.DefaultTransport != before {
		t.Error("the default transport is not put back")
	}
	if _, err := left.Get("https://example.com/"); err == nil || !strings.Contains(err.Error(), "https://example.com got a request after its recorder was closed") {
		t.Errorf("a clone that was left: %v", err)
	}
	// A transport that somebody has set meanwhile stays.
	other := roundTripFunc(nil)
	(&fakeTB{TB: t, name: "TestX"}).run(func(tb testing.TB) {
		SetDefault(tb, New(tb, promptecho.AllowUnused()))
		http.DefaultTransport = &other
	})
	if http.DefaultTransport != http.RoundTripper(&other) {
		t.Error("the transport of somebody else is gone")
	}
	http.DefaultTransport = before
}

// A recorder is never the network of another one.
func TestDefaultIsNoNetwork(t *testing.T) {
	inDir(t)
	p := fakeprovider.New()
	defer p.Close()
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		first := New(tb, promptecho.AllowUnused(), promptecho.Alias(p.URL, "provider"))
		SetDefault(tb, first)
		rec, err := promptecho.Open("other.yaml", promptecho.InMode(promptecho.ModeAll), promptecho.Alias(p.URL, "provider"))
		if err != nil {
			t.Fatal(err)
		}
		if status := ask(t, rec, p.URL, "hello"); status != 200 {
			t.Errorf("status %d", status)
		}
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
		if _, err := promptecho.Open("third.yaml", promptecho.Upstream(http.DefaultTransport)); err == nil || !strings.Contains(err.Error(), "this transport is a recorder") {
			t.Errorf("Upstream: %v", err)
		}
		SetDefault(tb, first)
		t.Error("a second Default returned")
	})
	if want := "promptecho: SetDefault: another recorder is http.DefaultTransport already: pass rec.Client() of one of the two to the code that uses it, or let the other test end first"; tb.fatal != want {
		t.Errorf("got %s\nwant %s", tb.fatal, want)
	}
	if len(tb.logs) > 0 {
		t.Errorf("the first recorder has seen a request: %q", tb.logs)
	}
}

// SetDefault refuses a parallel test, as t.Setenv does.
func TestDefaultInParallel(t *testing.T) {
	rec, err := promptecho.Open(t.TempDir()+"/c.yaml", promptecho.AllowUnused())
	if err != nil {
		t.Fatal(err)
	}
	before := http.DefaultTransport
	t.Run("parallel", func(t *testing.T) {
		t.Parallel()
		defer func() {
			if p := fmt.Sprint(recover()); !strings.Contains(p, "t.Parallel") {
				t.Errorf("recovered %s", p)
			}
			if http.DefaultTransport != before {
				t.Error("the default transport is replaced")
			}
		}()
		SetDefault(t, rec)
		t.Error("Default returned")
	})
	t.Cleanup(func() {
		if err := rec.Close(); err != nil {
			t.Error(err)
		}
	})
}

// Through a clone of the default transport, and through a server, the answers of calls that ran in parallel come in
// the recorded order, too.
func TestClonesAndServersAreInOrder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		client func(t testing.TB, rec *promptecho.Recorder) (*http.Client, string)
	}{
		{"clone", func(t testing.TB, rec *promptecho.Recorder) (*http.Client, string) {
			SetDefault(t, rec)
			clone := http.DefaultTransport.(*http.Transport).Clone()
			t.Cleanup(clone.CloseIdleConnections)
			return &http.Client{Transport: clone}, openAI
		}},
		{"server", func(t testing.TB, rec *promptecho.Recorder) (*http.Client, string) {
			own := new(http.Transport)
			t.Cleanup(own.CloseIdleConnections)
			return &http.Client{Transport: own}, Serve(t, rec).URL(openAI)
		}},
		{"both", func(t testing.TB, rec *promptecho.Recorder) (*http.Client, string) {
			own := new(http.Transport)
			t.Cleanup(own.CloseIdleConnections)
			server, err := url.Parse(Serve(t, rec).URL(openAI))
			if err != nil {
				t.Fatal(err)
			}
			return &http.Client{Transport: roundTripFunc(func(req *http.Request) (*http.Response, error) {
				if strings.HasSuffix(req.URL.Path, "2") || strings.HasSuffix(req.URL.Path, "5") {
					return rec.RoundTrip(req)
				}
				req = req.Clone(req.Context())
				req.URL.Scheme, req.URL.Host = server.Scheme, server.Host
				return own.RoundTrip(req)
			})}, openAI
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inDir(t)
			// All calls are under way before the first one is answered, and each is answered when the answer before it has
			// come to its caller: what the callers see is the order of the recording.
			recorded := rand.Perm(8)
			var underWay sync.WaitGroup
			underWay.Add(len(recorded))
			var mu sync.Mutex
			var came []int
			hasCome := sync.NewCond(&mu)
			live := promptecho.Upstream(roundTripFunc(func(req *http.Request) (*http.Response, error) {
				underWay.Done()
				underWay.Wait()
				mu.Lock()
				defer mu.Unlock()
				for !strings.HasSuffix(req.URL.Path, fmt.Sprint("/", recorded[len(came)])) {
					hasCome.Wait()
				}
				return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {"text/plain"}}, Body: io.NopCloser(strings.NewReader("page")), Request: req}, nil
			}))
			run := func() []int {
				came = nil
				tb := &fakeTB{TB: t, name: "TestX"}
				tb.run(func(tb testing.TB) {
					client, base := tt.client(tb, New(tb, live))
					var all sync.WaitGroup
					for i := range recorded {
						all.Go(func() {
							get(t, client, fmt.Sprint(base, "/", i))
							mu.Lock()
							defer mu.Unlock()
							came = append(came, i)
							hasCome.Broadcast()
						})
					}
					all.Wait()
				})
				if len(tb.errors) > 0 {
					t.Fatal(tb.errors)
				}
				return came
			}
			if first := run(); !slices.Equal(first, recorded) {
				t.Fatalf("recorded %v, want %v", first, recorded)
			}
			others, replays := 0, full.Cases(8, 20)
			for range replays {
				if !slices.Equal(run(), recorded) {
					others++
				}
			}
			if others > replays/4 { // on a busy machine, one may be; without the order of sockets nearly all are
				t.Errorf("%d of %d replays came in another order", others, replays)
			}
		})
	}
}

// A clone of the default transport works in a bubble.
func TestCloneInABubble(t *testing.T) {
	inDir(t)
	tb := &fakeTB{TB: t, name: "TestX"}
	tb.run(func(tb testing.TB) {
		asked := 0
		SetDefault(tb, New(tb, pages(&asked)))
		synctest.Test(t, func(t *testing.T) {
			clone := http.DefaultTransport.(*http.Transport).Clone()
			if got := get(t, &http.Client{Transport: clone}, "https://example.com/1"); got != "page of https://example.com/1" {
				t.Errorf("got %q", got)
			}
			clone.CloseIdleConnections()
		})
	})
	if len(tb.errors) > 0 {
		t.Error(tb.errors)
	}
}
