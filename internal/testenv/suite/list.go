// Package suite runs the tests of a module that use promptecho with go test -json, and
// reads their results. Only the command needs it.
package suite

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// library is the package that a test with a recorder links.
const library = "github.com/promptecho/promptecho"

// echotest is the package that opens the recorders of tests.
const echotest = library + "/echotest"

// A Package is a package whose tests link promptecho.
type Package struct {
	Path string // the import path
	Dir  string // absolute

	LinksEchotest bool // its tests link package echotest
}

// List returns the packages that match the patterns and whose tests link promptecho, in
// the order of go list. The flags are for go list. The error has the message of go list.
func List(flags, patterns []string) ([]Package, error) { return list("", nil, flags, patterns) }

// ListAsFarAsKnown returns the packages below a folder whose tests link promptecho, also if some
// of them have errors. It downloads nothing: what the module cache lacks counts as an error.
func ListAsFarAsKnown(dir string) ([]Package, error) {
	return list(dir, []string{"GOPROXY=off"}, []string{"-e"}, []string{"./..."})
}

// list is [List] in a folder, "" for the current one, with additional variables in the environment
// of the go command.
func list(dir string, env, flags, patterns []string) (found []Package, err error) {
	args := append([]string{"list", "-test", "-json=ImportPath,Name,Dir,Deps"}, flags...)
	cmd := exec.Command("go", append(args, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), env...)
	var out, stderr bytes.Buffer
	cmd.Stdout = &out
	cmd.Stderr = &stderr
	if err := cmd.Run(); err != nil {
		if stderr.Len() > 0 {
			err = errors.New(strings.TrimSpace(stderr.String()))
		}
		return nil, fmt.Errorf("go list: %w", err)
	}
	for dec := json.NewDecoder(&out); ; {
		var p struct {
			ImportPath, Name, Dir string
			Deps                  []string
		}
		err := dec.Decode(&p)
		if err == io.EOF {
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		// The tests of a package are a program whose path ends in ".test".
		path, isTest := strings.CutSuffix(p.ImportPath, ".test")
		if isTest && p.Name == "main" && links(p.Deps, library) {
			found = append(found, Package{path, p.Dir, links(p.Deps, echotest)})
		}
	}
}

// links reports whether dependencies contain a package. A package that is built for one
// test has the name of the test program after its own path.
func links(deps []string, pkg string) bool {
	for _, dep := range deps {
		if path, _, _ := strings.Cut(dep, " "); path == pkg {
			return true
		}
	}
	return false
}
