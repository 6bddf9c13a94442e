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

// fromRoot goes to the root of the repository. Each test calls it first: the go command sees
// which files a test reads, and so runs it again after an edit, only if the test changes the folder.
var fromRoot = sync.OnceFunc(func() {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
})
