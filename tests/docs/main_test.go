// The documentation is true: its code runs, and what it names exists.
//
// Every block of code and every command in README.md and docs is one that a test or a script runs. The pages are read
// by their names from the root of the repository.
package docs_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	must.Main(m)
}
