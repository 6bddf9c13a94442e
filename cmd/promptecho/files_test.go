package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/needs"
)

// TestNoFiles: what has the name of a file and is none stops no command, except where a test
// would miss it.
func TestNoFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "testdata", "cassettes"), 0o700); err != nil {
		t.Fatal(err)
	}
	link := func(to string, name ...string) {
		t.Helper()
		needs.Symlink(t, to, filepath.Join(append([]string{dir}, name...)...))
	}
	link("nowhere", "gone.yaml")
	link(".", "folder.yaml")
	if files, err := cassettesIn(dir); err != nil || files != nil {
		t.Errorf("got %v, %v", files, err)
	}
	link("nowhere", "testdata", "cassettes", "TestGone.yaml")
	if _, err := cassettesIn(dir); err == nil || !strings.Contains(err.Error(), "TestGone.yaml") {
		t.Errorf("a cassette that is a link to nowhere: %v", err)
	}
}
