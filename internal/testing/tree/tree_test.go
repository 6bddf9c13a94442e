package tree

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	Write(t, dir, map[string]string{"a.txt": "a", "b/c/d.txt": "d"})
	for name, want := range map[string]string{"a.txt": "a", filepath.Join("b", "c", "d.txt"): "d"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}
