package docs_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// The tests read files of the whole repository, by their names from its root.
func TestMain(m *testing.M) {
	if err := os.Chdir("../.."); err != nil {
		panic(err)
	}
	must.Main(m)
}
