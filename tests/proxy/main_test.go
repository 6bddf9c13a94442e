// The proxy of echotest.Serve under load, with clients that break off, and with others on this
// machine that must not use it.
package proxy_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 3 {
		switch os.Args[1] {
		case askCommand:
			os.Exit(ask(os.Args[2]))
		case serveCommand:
			serveUntilKilled(os.Args[2])
		}
	}
	must.Main(m)
}
