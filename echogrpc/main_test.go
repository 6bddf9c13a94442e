package echogrpc_test

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain lets tests record, which CI does not. The examples are whole under -run, too.
func TestMain(m *testing.M) {
	environ.HideFlags("test.run", "test.skip", "test.short")
	environ.Main(leakChecked{trusting{m}})
}

// trusting are tests that trust the certificate of package httptest as if the system did.
type trusting struct{ tests *testing.M }

func (t trusting) Run() int {
	server := httptest.NewTLSServer(nil)
	root := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	server.Close()
	dir, err := os.MkdirTemp("", "echogrpc")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	roots := filepath.Join(dir, "roots.pem")
	err = os.WriteFile(roots, root, 0o644)
	if err != nil {
		panic(err)
	}
	os.Setenv("SSL_CERT_FILE", roots) // before the first connection reads it
	return t.tests.Run()
}

// leakChecked are tests that fail if a goroutine of a call is left when all of them have ended.
type leakChecked struct{ tests interface{ Run() int } }

func (c leakChecked) Run() int {
	code := c.tests.Run()
	left := waitForGoroutines(time.Minute)
	if left != "" {
		fmt.Fprintf(os.Stderr, "goroutines of calls are left:\n%s\n", left)
		code = 1
	}
	return code
}

// waitForGoroutines waits until no goroutine has a function of gRPC or of this package. It returns the
// stacks of those that are left after the limit. Closed connections and streams need a moment to end.
func waitForGoroutines(limit time.Duration) (left string) {
	expired := time.After(limit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		left = goroutinesOfCalls()
		if left == "" {
			return ""
		}
		select {
		case <-expired:
			return left
		case <-tick.C:
		}
	}
}

// goroutinesOfCalls returns the stacks of goroutines with a function of gRPC or of this package.
func goroutinesOfCalls() string {
	text := make([]byte, 1<<20)
	text = text[:runtime.Stack(text, true)]
	var found [][]byte
	for stack := range bytes.SplitSeq(text, []byte("\n\n")) {
		isTestMain := bytes.Contains(stack, []byte("goroutinesOfCalls"))
		isOfCall := bytes.Contains(stack, []byte("google.golang.org/grpc")) ||
			bytes.Contains(stack, []byte("promptecho/echogrpc"))
		if isOfCall && !isTestMain {
			found = append(found, stack)
		}
	}
	return string(bytes.Join(found, []byte("\n\n")))
}
