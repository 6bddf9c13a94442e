// Package recipes has the code that docs/RECIPES.md shows for agents and MCP servers in processes
// of their own. Its cassettes were recorded with the programs of this package:
//
//	PROMPTECHO_MODE=all go test ./children/recipes
package recipes

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/mutant"
)

// TestMain makes the run independent of where it runs. The test binary is each of the programs, too,
// if it is called by the name of one.
func TestMain(m *testing.M) {
	program := programs[filepath.Base(os.Args[0])]
	if program != nil {
		program(os.Args[1:])
		syscall.Exit(0) // with the race detector, os.Exit waits for a second
	}
	os.Unsetenv("CI")
	mode := promptecho.Mode(os.Getenv("PROMPTECHO_MODE"))
	isMutated := os.Getenv(mutant.Env) != "" // promptecho mutate replays the cassettes
	switch {
	case isMutated:
	case mode == "", mode == promptecho.ModeNone:
		os.Unsetenv("PROMPTECHO_MODE")
	default:
		install()
	}
	os.Exit(m.Run())
}

// install puts the programs first in PATH, where recording finds them.
func install() {
	binary, err := os.Executable()
	if err != nil {
		panic(err)
	}
	dir, err := os.MkdirTemp("", "programs")
	if err != nil {
		panic(err)
	}
	for name := range programs {
		err := os.Symlink(binary, filepath.Join(dir, name))
		if err != nil {
			panic(err)
		}
	}
	os.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
}
