package lint

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/promptecho/promptecho/internal/lint"
)

// TestRules holds the rules that need no SDK to the comments in interop/testdata/lint and to
// the golden files of their fixes. The types come from sources here, as in golangci-lint, and
// not from the go command's export data, as for promptecho lint.
func TestRules(t *testing.T) {
	t.Parallel()
	analysistest.RunWithSuggestedFixes(t, "../interop", lint.ParallelDefault,
		"./testdata/lint/defaults")
	analysistest.RunWithSuggestedFixes(t, "../interop", lint.MainCode,
		"./testdata/lint/mainlast", "./testdata/lint/maindrop", "./testdata/lint/maincode")
}
