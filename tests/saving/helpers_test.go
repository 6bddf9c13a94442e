package saving_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

// server is the address that the requests of these tests go to. It does not exist: the upstream
// of the recorder answers.
const server = "http://h"

// newCassette returns the path of a cassette in a new folder. The cassette does not exist.
func newCassette(t testing.TB) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "c.yaml")
}

// run runs a test that asks the prompts, which have blanks between them, and that ends in a known
// way.
func run(
	t testing.TB, file string, mode promptecho.Mode, prompts string, how report.Outcome, opts ...promptecho.Option,
) report.Report {
	t.Helper()
	return runWith(t, provider.Says(`{"answer":1}`), file, mode, prompts, how, opts...)
}

// runWith is run with a provider.
func runWith(
	t testing.TB, upstream http.RoundTripper,
	file string, mode promptecho.Mode, prompts string, how report.Outcome, opts ...promptecho.Option,
) report.Report {
	t.Helper()
	opts = append(opts, promptecho.InMode(mode), promptecho.Upstream(upstream))
	rec := must.Open(t, file, opts...)
	for prompt := range strings.FieldsSeq(prompts) {
		must.Ask(t, rec, server, prompt)
	}
	return must.Finish(rec, how)
}

// isPartial reports whether a cassette is marked as not recorded to its end.
func isPartial(t testing.TB, file string) bool {
	t.Helper()
	return strings.Contains(must.Read(t, file), "partial: true")
}

// exists reports whether there is a file of this name.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// filesNextTo lists the folder of a file, with the file itself.
func filesNextTo(t testing.TB, file string) []string {
	t.Helper()
	return tree.Names(t, filepath.Dir(file))
}

// afterKill returns the cassette in a copy of its folder: what the next process finds if this one
// is killed now.
func afterKill(t testing.TB, file string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.CopyFS(folder, os.DirFS(filepath.Dir(file))); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, filepath.Base(file))
}
