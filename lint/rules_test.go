package lint

import (
	"testing"

	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/promptecho/promptecho/internal/lint"
)

// Rules that need no SDK find what the comments of testdata expect, and fix it as expected. The
// types come from sources here, as in golangci-lint, and not from the go command's export data, as
// for promptecho lint.
func TestRules(t *testing.T) {
	t.Parallel()
	analysistest.RunWithSuggestedFixes(t, "../interop", lint.ParallelDefault,
		"./testdata/lint/defaults")
	analysistest.RunWithSuggestedFixes(t, "../interop", lint.MainCode,
		"./testdata/lint/mainlast", "./testdata/lint/maindrop", "./testdata/lint/maincode")
}
