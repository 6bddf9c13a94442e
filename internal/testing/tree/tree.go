// Package tree writes and lists the folders of files that tests work on.
package tree

import (
	"os"
	"path/filepath"
)

// A T is the test that needs the files, a [testing.TB].
type T interface {
	Helper()
	TempDir() string
	Fatal(args ...any)
}

// New writes files below a new folder, as Write does, and returns the folder.
func New(t T, files map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	Write(t, dir, files)
	return dir
}

// Write writes files below a folder, by their paths there, which are written with slashes. It
// makes the folders that are missing.
func Write(t T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Names returns the names of the files and folders in a folder, in order.
func Names(t T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
