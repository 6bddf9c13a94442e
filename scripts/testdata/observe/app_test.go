package app

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"golang.org/x/sync/errgroup"
)

// Every host ends at a server of this process, by the dialler.
var (
	server  = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "{}") }))
	client  = &http.Client{Transport: transport()}
	pool    *Pool
	forward *httptest.Server // asks whom its request names
)

func transport() *http.Transport {
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
	}}
}

func init() {
	http.DefaultTransport.(*http.Transport).DialContext = transport().DialContext
	Ask(context.Background(), client, "http://init.test") // want init
}

func TestMain(m *testing.M) {
	pool = NewPool(client)
	forward = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Ask(context.Background(), client, r.FormValue("to"))
	}))
	Ask(context.Background(), client, "http://main.test") // want TestMain
	os.Exit(m.Run())
}

func TestDirect(t *testing.T) {
	http.Get("http://direct.test/v1/x")                // want TestDirect
	http.Post(server.URL, "text/plain", nil)           // to this machine
	http.Post("http://127.0.0.1:1", "text/plain", nil) // to this machine
	http.Get("http://twice.test")                      // want TestDirect 2
	http.Get("http://twice.test")
}

func TestHelper(t *testing.T) {
	Ask(t.Context(), client, "http://helper.test/v1/chat/completions") // want TestHelper
}

func TestGoroutine(t *testing.T) {
	done := make(chan bool)
	go func() {
		Ask(context.Background(), client, "http://goroutine.test") // want TestGoroutine
		close(done)
	}()
	<-done
}

func TestProductionGoroutine(t *testing.T) {
	<-Background(client, "http://background.test") // want TestProductionGoroutine
}

func TestGroup(t *testing.T) {
	g, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		g.Go(func() error {
			Ask(ctx, client, "http://group.test") // want TestGroup 3
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Error(err)
	}
}

func TestPoolOfMain(t *testing.T) {
	pool.Run(Job{URL: "http://pool.test"}) // want TestPoolOfMain
}

func TestLazyFirst(t *testing.T) {
	Lazy(client).Run(Job{URL: "http://lazy-first.test"}) // want TestLazyFirst
}

func TestLazySecond(t *testing.T) {
	Lazy(client).Run(Job{URL: "http://lazy-second.test"}) // want TestLazySecond
}

func TestAfterFunc(t *testing.T) {
	done := make(chan bool)
	time.AfterFunc(time.Millisecond, func() {
		Ask(context.Background(), client, "http://afterfunc.test") // want TestAfterFunc
		close(done)
	})
	<-done
}

func TestLater(t *testing.T) {
	<-Later(client, "http://later.test") // want TestLater
}

func TestHandler(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		Ask(context.Background(), client, "http://handler.test") // want TestHandler
	}))
	defer srv.Close()
	Ask(t.Context(), srv.Client(), srv.URL)
}

func TestHandlerOfMain(t *testing.T) {
	Ask(t.Context(), forward.Client(), forward.URL+"?to=http://forwarded.test") // want TestHandlerOfMain
}

func TestPrivateTransport(t *testing.T) {
	c := &http.Client{Transport: transport()}
	Ask(context.Background(), c, "http://private.test") // want TestPrivateTransport
}

func TestSubtests(t *testing.T) {
	t.Run("a", func(t *testing.T) {
		Ask(context.Background(), client, "http://sub-a.test") // want TestSubtests/a
		t.Run("deep", func(t *testing.T) {
			done := make(chan bool)
			go func() {
				Ask(context.Background(), client, "http://sub-deep.test") // want TestSubtests/a/deep
				close(done)
			}()
			<-done
		})
	})
	Ask(context.Background(), client, "http://between.test") // want TestSubtests
	ctx := t.Context()
	t.Run("b", func(t *testing.T) {
		Ask(ctx, client, "http://outer-context.test") // want TestSubtests/b
	})
}

func TestParallelSubtests(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	for _, name := range []string{"one", "two"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			both.Done()
			both.Wait()                                                              // both run now
			<-Background(client, "http://"+name+".parallel.test")                    // want TestParallelSubtests/NAME
			pool.Run(Job{Ctx: t.Context(), URL: "http://" + name + ".context.test"}) // want TestParallelSubtests/NAME
		})
	}
}

var together sync.WaitGroup

func init() { together.Add(2) }

func TestParallelOne(t *testing.T) {
	t.Parallel()
	together.Done()
	together.Wait()
	pool.Run(Job{Func: func() { Ask(context.Background(), client, "http://closure-one.test") }}) // want TestParallelOne
	pool.Run(Job{URL: "http://unknown.test"})                                                    // want -
}

func TestParallelTwo(t *testing.T) {
	t.Parallel()
	together.Done()
	together.Wait()
	pool.Run(Job{Func: func() { Ask(context.Background(), client, "http://closure-two.test") }}) // want TestParallelTwo
	<-time.After(50 * time.Millisecond)
}

func TestCleanup(t *testing.T) {
	t.Cleanup(func() { Ask(context.Background(), client, "http://cleanup.test") }) // want TestCleanup
}

func TestBubble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &http.Client{Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return nil, net.ErrClosed }}}
		go Ask(t.Context(), c, "http://bubble.test") // want TestBubble
		synctest.Wait()
	})
}

func TestRecorded(t *testing.T) {
	rec, err := promptecho.Open(t.TempDir()+"/c.yaml", promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(transport()))
	if err != nil {
		t.Fatal(err)
	}
	Ask(t.Context(), rec.Client(), "http://recorded.test") // want TestRecorded promptecho
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestDefault(t *testing.T) {
	rec, err := promptecho.Open(t.TempDir()+"/c.yaml", promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(transport()))
	if err != nil {
		t.Fatal(err)
	}
	echotest.SetDefault(t, rec)
	Ask(t.Context(), http.DefaultClient, "http://default.test") // want TestDefault promptecho
	if err := rec.Close(); err != nil {
		t.Fatal(err)
	}
}

func FuzzSeed(f *testing.F) {
	f.Add("fuzzed")
	f.Fuzz(func(t *testing.T, name string) {
		Ask(t.Context(), client, "http://"+name+".test") // want FuzzSeed/seed#0
	})
}

func ExampleAsk() {
	Ask(context.Background(), client, "http://example.test") // want ExampleAsk
	fmt.Println("asked")
	// Output: asked
}
