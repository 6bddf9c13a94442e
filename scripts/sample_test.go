package scripts

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/mod/modfile"

	"github.com/promptecho/promptecho/internal/standin"
)

// A plug stands between a sample repository and its provider.
type plug struct {
	provider *standin.Server

	mu   sync.Mutex
	out  bool
	lost []string // what was asked while it was out
}

func (p *plug) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	out := p.out
	if out {
		p.lost = append(p.lost, r.Method+" "+r.URL.String())
	}
	p.mu.Unlock()
	switch {
	case out:
		http.Error(w, "the provider is unplugged", http.StatusServiceUnavailable)
	case r.Host == "status.example.com": // asked through HTTP_PROXY
		fmt.Fprintln(w, "up")
	default:
		p.provider.ServeHTTP(w, r)
	}
}

// unplug takes the provider away; with "!" it is there again, and nobody must have asked.
func unplug(ts *testscript.TestScript, neg bool, _ []string) {
	p := ts.Value("plug").(*plug)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.out = !neg
	if len(p.lost) > 0 {
		ts.Fatalf("asked while the provider was unplugged:\n%s", strings.Join(p.lost, "\n"))
	}
}

// sampleMod returns the go.mod of the sample: it requires what this module does.
func sampleMod(t *testing.T) []byte {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := modfile.Parse("go.mod", read(t, "go.mod"), nil)
	if err == nil {
		err = errors.Join(mod.AddModuleStmt("example.com/app"), mod.AddReplace("github.com/promptecho/promptecho", "", root, ""))
	}
	if err != nil {
		t.Fatal(err)
	}
	return modfile.Format(mod.Syntax)
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestSample takes a repository, as a user has it, through what happens to it in a year:
// testdata/sample is the repository, and testdata/year has the script.
func TestSample(t *testing.T) {
	t.Parallel()
	bin, mod, sum := command(t), sampleMod(t), read(t, "go.sum")
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "year"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			p := &plug{provider: standin.New()}
			server := httptest.NewServer(p)
			env.Defer(func() { server.Close(); p.provider.Close() })
			env.Values["plug"] = p
			if err := offline(env, bin); err != nil {
				return err
			}
			env.Setenv("OPENAI_BASE_URL", server.URL+"/v1")
			env.Setenv("PROXY", server.URL)
			if err := os.CopyFS(env.WorkDir, os.DirFS(filepath.Join("testdata", "sample"))); err != nil {
				return err
			}
			if err := os.WriteFile(filepath.Join(env.WorkDir, "go.mod"), []byte(mod), 0o666); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(env.WorkDir, "go.sum"), sum, 0o666)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"paste": paste, "holds": holds, "unplug": unplug},
	})
}
