package main

import (
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"example.com/app/internal/quiet"
	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	tests := echotest.RunFunc(func() int { return echotest.Run(m) })
	testscript.Main(echotest.RunFunc(func() int { return quiet.Run(tests) }), map[string]func(){"ask": main})
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
