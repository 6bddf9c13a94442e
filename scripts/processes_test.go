package scripts

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/promptecho/promptecho/echotest"
)

// Each script of testscript has a cassette of its own.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "processes"),
		Setup: func(env *testscript.Env) error {
			t := env.T().(testing.TB) // the test of the script
			env.Vars = append(env.Vars, echotest.Serve(t, echotest.New(t)).Env()...)
			return nil
		},
	})
}
