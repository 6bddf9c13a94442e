// The documentation is true: its code runs, and what it names exists.
//
// Every block of code and every command in README.md and docs is one that a test or a script runs. The pages are read
// by their names from the root of the repository.
package docs_test

import (
	"os"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }

// atRoot makes the root of the repository the current folder.
//
// Each test that reads a page calls it, instead of TestMain: the go command does not see that TestMain changes the
// folder, looks for the pages elsewhere, and takes a cached result although a page has changed.
func atRoot(t *testing.T) {
	t.Helper()
	if err := changeToRoot(); err != nil {
		t.Fatal(err)
	}
}

var changeToRoot = sync.OnceValue(func() error { return os.Chdir("../..") })
