package shell

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Place returns the name of a file or folder for a command: its absolute path,
// which is the argument, or in a CI job the path relative to the root of the
// repository. What a CI job prints is pasted into another checkout.
func Place(path string) string {
	root := Upward(path, ".git")
	if root == "" || !InCI() {
		return path
	}
	rel, _ := filepath.Rel(root, path) // no error: path is below root
	return filepath.ToSlash(rel)
}

// InCI reports whether this is a CI job: the variable CI is set, and not to 0 or
// false.
func InCI() bool {
	value := strings.ToLower(os.Getenv("CI"))
	return !slices.Contains([]string{"", "0", "false"}, value)
}

// Upward returns the nearest folder that holds a file of this name: dir itself
// or a folder above it; "" if there is none.
func Upward(dir, name string) string {
	for {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}
