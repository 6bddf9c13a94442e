package links_test

import (
	"bytes"
	"net/http"
	"os"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// A test that does not call echotest.Serve links no server, no proxy and no authority.
//
// The executable of a Go program has the names of all its functions, also without symbols: the
// stack of a panic has them (go.dev/s/go12symtab).
func TestWithoutServeNothingOfItIsLinked(t *testing.T) {
	t.Parallel()
	rec := echotest.New(t, promptecho.InMode(promptecho.ModeLive), promptecho.Upstream(provider.Says(`{}`)))
	if status, body := must.Ask(t, rec, "https://api.example.com", "hello"); status != http.StatusOK {
		t.Errorf("status %d: %s", status, body)
	}

	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		functions string // how the names of the functions begin
		isThere   bool
	}{
		{"echotest.", true},
		{"internal/recorder.", true},
		{"internal/nethttp/authority.", false},
		{"internal/nethttp/front.", false},
		{"internal/nethttp/gate.", false},
		{"internal/nethttp/proxy.", false},
		{"internal/nethttp/serve.(", false}, // its variables are there, without its methods
	} {
		if isThere := bytes.Contains(program, []byte(module+tt.functions)); isThere != tt.isThere {
			t.Errorf("functions of %s are linked: %t, want %t", tt.functions, isThere, tt.isThere)
		}
	}
}

// module is the beginning of the import paths of the packages. It is a variable, so that the
// compiler does not put whole names into the executable, which the test would find.
var module = "github.com/promptecho/promptecho/"
