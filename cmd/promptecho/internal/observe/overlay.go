// Package observe runs the tests of any module unchanged and says which requests leave the
// process, and which test makes each of them. docs/COMMAND.md says what it shows.
package observe

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed hook/http.go.txt
var httpHook string

//go:embed hook/testing.go.txt
var testingHook string

//go:embed hook/fallback.go.txt
var fallbackHook string

// A patch puts calls of the hooks into a file of the standard library.
type patch struct {
	file  string      // below GOROOT/src
	edits [][2]string // a text, all occurrences of which are replaced, and by what
	hook  string      // a file that is added beside it
}

var patches = []patch{
	{"net/http/roundtrip.go", [][2]string{
		{"\treturn t.roundTrip(req)\n", "\tpromptechoAsked(t, req)\n\treturn t.roundTrip(req)\n"},
	}, httpHook},
	{"testing/testing.go", [][2]string{
		{"\tt.runner = callerName(0)\n", "\tt.runner = callerName(0)\n\tpromptechoEvent(\"begin\", " +
			"t.name)\n\tt.ctx = context.WithValue(t.ctx, \"promptecho.test\", t.name)\n"},
		{"running.Store(t.name, ", "promptechoEvent(\"run\", t.name); running.Store(t.name, "},
		{"running.Delete(t.name)", "promptechoEvent(\"stop\", t.name); running.Delete(t.name)"},
	}, testingHook},
}

// errFit is the error of a Go version whose standard library is another one than the
// patches are made for.
var errFit = errors.New("the hooks do not fit the standard library of this version of Go")

// overlay writes the files of an overlay for go test into a folder, and returns the one
// that the flag -overlay names. Nothing else is written.
func overlay(goroot, dir string) (string, error) {
	replace := map[string]string{}
	for _, p := range patches {
		at := filepath.Join(goroot, "src", filepath.FromSlash(p.file))
		source, err := os.ReadFile(at)
		if err != nil {
			return "", fmt.Errorf("%w: %w", errFit, err)
		}
		text := string(source)
		for _, e := range p.edits {
			if !strings.Contains(text, e[0]) {
				return "", fmt.Errorf("%w: %s has no %q", errFit, p.file, strings.TrimSpace(e[0]))
			}
			text = strings.ReplaceAll(text, e[0], e[1])
		}
		name := strings.ReplaceAll(p.file, "/", "_")
		if err := add(replace, dir, name, at, text); err != nil {
			return "", err
		}
		if err := add(replace, dir, "hook_"+name, filepath.Join(filepath.Dir(at), "promptecho_observe.go"), p.hook); err != nil {
			return "", err
		}
	}
	return index(dir, replace)
}

// A testPackage is one that has tests.
type testPackage struct{ Name, Dir string }

// fallback is overlay where the patches do not fit: it adds a test file to each package,
// which hooks the default transport.
func fallback(packages []testPackage, dir string) (string, error) {
	replace := map[string]string{}
	for i, p := range packages {
		text := strings.Replace(fallbackHook, "package fallback", "package "+p.Name, 1)
		if err := add(replace, dir, fmt.Sprintf("%d.go", i), filepath.Join(p.Dir, hookFile), text); err != nil {
			return "", err
		}
	}
	return index(dir, replace)
}

// add adds a file to an overlay.
func add(replace map[string]string, dir, name, at, text string) error {
	file := filepath.Join(dir, name)
	replace[at] = file
	return os.WriteFile(file, []byte(text), 0o600)
}

func index(dir string, replace map[string]string) (string, error) {
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}
