package needs

import (
	"os"
	"path/filepath"
	"testing"
)

// A test gets the link and the read-only folder that it asks for, or is skipped on Windows.
func TestNeeds(t *testing.T) {
	t.Parallel()
	t.Run("a link", func(t *testing.T) {
		t.Parallel()
		link := filepath.Join(t.TempDir(), "link")
		Symlink(t, "target", link)
		if target, err := os.Readlink(link); target != "target" {
			t.Errorf("%q, %v", target, err)
		}
	})
	t.Run("a folder", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(ReadOnlyFolder(t), "x")
		if err := os.WriteFile(file, nil, 0o666); err == nil {
			t.Errorf("%s was written", file)
		}
	})
	t.Run("POSIX", func(t *testing.T) {
		t.Parallel()
		POSIX(t, "a test like this")
		if isWindows {
			t.Error("it goes on")
		}
	})
}
