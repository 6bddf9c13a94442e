// Package observe runs the tests of any module unchanged, and lists the requests that leave the
// process with the test that sends each of them. docs/COMMAND.md says what it shows.
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

// A patch inserts calls of hooks into a file of the standard library.
type patch struct {
	file  string      // below GOROOT/src
	edits [][2]string // texts, and what replaces all their occurrences
	hook  string      // the content of a file that is added to the package
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

// errPatchUnfit is the error for a Go version with a standard library that the patches cannot
// be applied to.
var errPatchUnfit = errors.New("the hooks do not fit the standard library of this version of Go")

// stdlibOverlay writes an overlay that patches the standard library into the folder dir, and
// returns the file for the flag -overlay of go test. It changes no file outside of dir.
func stdlibOverlay(goroot, dir string) (string, error) {
	replace := map[string]string{}
	for _, p := range patches {
		at := filepath.Join(goroot, "src", filepath.FromSlash(p.file))
		source, err := os.ReadFile(at)
		if err != nil {
			return "", fmt.Errorf("%w: %w", errPatchUnfit, err)
		}
		text := string(source)
		for _, e := range p.edits {
			if !strings.Contains(text, e[0]) {
				return "", fmt.Errorf("%w: %s has no %q", errPatchUnfit, p.file, strings.TrimSpace(e[0]))
			}
			text = strings.ReplaceAll(text, e[0], e[1])
		}
		name := strings.ReplaceAll(p.file, "/", "_")
		if err := addFile(replace, dir, name, at, text); err != nil {
			return "", err
		}
		hookAt := filepath.Join(filepath.Dir(at), "promptecho_observe.go")
		if err := addFile(replace, dir, "hook_"+name, hookAt, p.hook); err != nil {
			return "", err
		}
	}
	return writeIndex(dir, replace)
}

// A testPackage is a package with tests.
type testPackage struct{ Name, Dir string }

// transportOverlay writes an overlay that adds a test file to each package, with a hook in
// http.DefaultTransport. It is used where the patches do not fit, and sees less: only the
// first request on an HTTP/2 connection, and not which subtest runs.
func transportOverlay(packages []testPackage, dir string) (string, error) {
	replace := map[string]string{}
	for i, p := range packages {
		text := strings.Replace(fallbackHook, "package fallback", "package "+p.Name, 1)
		name := fmt.Sprintf("%d.go", i)
		if err := addFile(replace, dir, name, filepath.Join(p.Dir, hookFile), text); err != nil {
			return "", err
		}
	}
	return writeIndex(dir, replace)
}

// addFile writes a file into the folder of an overlay, as the file that the go command reads
// in place of the one at a path.
func addFile(replace map[string]string, dir, name, at, text string) error {
	file := filepath.Join(dir, name)
	replace[at] = file
	return os.WriteFile(file, []byte(text), 0o600)
}

// writeIndex writes the file that lists the replaced files of an overlay.
func writeIndex(dir string, replace map[string]string) (string, error) {
	data, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "overlay.json")
	return file, os.WriteFile(file, data, 0o600)
}
