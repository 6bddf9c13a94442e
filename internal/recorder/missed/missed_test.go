package missed

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestWrite: only the current user can read the file, and its name has the suffix of complete
// files.
func TestWrite(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := Write(dir, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) != 1 || filepath.Ext(files[0]) != Suffix {
		t.Fatalf("%v, %v", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || canOthersRead(info) {
		t.Errorf("%s can be read by others: %v, %v", files[0], info.Mode(), err)
	}
	if err := Write(filepath.Join(dir, "absent"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v", err)
	}
}

// canOthersRead reports whether the mode of a file lets other users read it. On Windows modes do
// not say that: there the folder of temporary files belongs to the user.
func canOthersRead(info fs.FileInfo) bool {
	return runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0
}
