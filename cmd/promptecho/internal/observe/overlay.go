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
	file  string // below GOROOT/src
	edits []edit
	hook  string // the content of a file that is added to the package
}

// An edit replaces all occurrences of a text.
type edit struct{ old, new string }

var patches = []patch{
	{"net/http/roundtrip.go", []edit{
		{"\treturn t.roundTrip(req)\n", "\tpromptechoAsked(t, req)\n\treturn t.roundTrip(req)\n"},
	}, httpHook},
	{"testing/testing.go", []edit{
		{"\tt.runner = callerName(0)\n", "\tt.runner = callerName(0)\n\tpromptechoEvent(\"begin\", " +
			"t.name)\n\tt.ctx = context.WithValue(t.ctx, \"promptecho.test\", t.name)\n"},
		{"running.Store(t.name, ", "promptechoEvent(\"run\", t.name); running.Store(t.name, "},
		{"running.Delete(t.name)", "promptechoEvent(\"stop\", t.name); running.Delete(t.name)"},
	}, testingHook},
}

// errPatchUnfit is the error for a Go version with a standard library that the patches cannot
// be applied to.
var errPatchUnfit = errors.New("the hooks do not fit the standard library of this version of Go")

// stdlibOverlay patches the standard library below goroot by an overlay. It writes the overlay into
// the folder dir, changes no file outside of dir, and returns the file for the flag -overlay of go
// test.
func stdlibOverlay(goroot, dir string) (string, error) {
	replace := map[string]string{} // see addFile
	for _, p := range patches {
		original := filepath.Join(goroot, "src", filepath.FromSlash(p.file))
		source, err := os.ReadFile(original)
		if err != nil {
			return "", fmt.Errorf("%w: %w", errPatchUnfit, err)
		}
		text := string(source)
		for _, e := range p.edits {
			if !strings.Contains(text, e.old) {
				return "", fmt.Errorf("%w: %s has no %q", errPatchUnfit, p.file, strings.TrimSpace(e.old))
			}
			text = strings.ReplaceAll(text, e.old, e.new)
		}
		name := strings.ReplaceAll(p.file, "/", "_")
		if err := addFile(replace, dir, name, original, text); err != nil {
			return "", err
		}
		hookAt := filepath.Join(filepath.Dir(original), "promptecho_observe.go")
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
	replace := map[string]string{} // see addFile
	for i, p := range packages {
		text := strings.Replace(fallbackHook, "package fallback", "package "+p.Name, 1)
		name := fmt.Sprintf("%d.go", i)
		if err := addFile(replace, dir, name, filepath.Join(p.Dir, hookFile), text); err != nil {
			return "", err
		}
	}
	return writeIndex(dir, replace)
}

// addFile writes a text to the file dir/name of an overlay, and adds the file to replace: the go
// command reads it in place of the file at the path at, which need not exist.
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
