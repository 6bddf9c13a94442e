package main

import (
	"strings"
	"testing"
)

// Without a promptecho that git finds, nothing is installed: git would keep one side, and leave no marks.
func TestDriverThatIsNotFound(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if command, err := driverIn(t.TempDir()); err == nil || !strings.Contains(err.Error(), "it is not in PATH, and go tool does not know it") {
		t.Errorf("%q, %v", command, err)
	}
}
