package proxy_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// The first arguments that make the executable of the tests another program.
const (
	askCommand   = "ask"   // a program that uses the proxy: see ask
	serveCommand = "serve" // a run of tests: see serveUntilKilled
)

// ask asks for a URL with http.DefaultClient, and prints the answer, or its status if that is not
// 200.
func ask(url string) (exitCode int) {
	// On a busy machine, a handshake of one of 64 programs may take longer than the usual ten
	// seconds.
	http.DefaultTransport.(*http.Transport).TLSHandshakeTimeout = 0
	resp, err := http.Get(url)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		fmt.Println(resp.Status)
		return 0
	}
	_, err = io.Copy(os.Stdout, resp.Body)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A served describes a server to the test that has started its process.
type served struct {
	Env             []string
	CertificateFile string
}

// serveUntilKilled records into a file what programs ask through a proxy. It prints a served, as
// JSON. A request for a path that ends in /hangs gets no answer.
func serveUntilKilled(file string) {
	var e echo
	upstream := provider.Func(func(req *http.Request) (*http.Response, error) {
		if req.URL.Path == "/hangs" {
			fmt.Println("a request hangs")
			return provider.Hangs(req)
		}
		return e.RoundTrip(req)
	})
	rec, err := promptecho.Open(file, promptecho.InMode(promptecho.ModeAll), promptecho.Upstream(upstream))
	if err != nil {
		panic(err)
	}
	server := echotest.Serve(processT{}, rec, echotest.Proxy())
	err = json.NewEncoder(os.Stdout).Encode(served{server.Env(), server.CertificateFile()})
	if err != nil {
		panic(err)
	}
	select {}
}

// A processT is the test of a process that is killed.
type processT struct{ testing.TB }

func (processT) Helper()           {}
func (processT) Cleanup(func())    {} // nothing is cleaned up
func (processT) Fatal(args ...any) { panic(fmt.Sprint(args...)) }
