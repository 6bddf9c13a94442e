package main

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	tests := echotest.RunFunc(func() int {
		code := echotest.Run(m)
		if err := goleak.Find(); err != nil && code == 0 {
			fmt.Println(err)
			return 1
		}
		return code
	})
	testscript.Main(tests, map[string]func(){"ask": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			t := env.T().(testing.TB) // the test of the script
			env.Vars = append(env.Vars, echotest.Serve(t, echotest.New(t)).Env()...)
			return nil
		},
	})
}
