package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The cache keeps a file as a hard link, or as a copy where that is in another file system. What
// was edited in place since then is not given to anybody.
func TestKeep(t *testing.T) {
	const sum = "9834876dcfb05cb167a5c24953eba58c4ac89b1adf57f28f2f9d09af107ee8f0" // sha256sum of aaa
	elsewhere, err := os.MkdirTemp("/dev/shm", "cache")
	if err != nil {
		elsewhere = t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	for _, dir := range []string{t.TempDir(), elsewhere} {
		t.Setenv("PROMPTECHO_STORE_CACHE", filepath.Join(t.TempDir(), "cache"))
		c, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "TestA.yaml")
		for _, text := range []string{"aaa", "edited"} {
			if err := os.WriteFile(file, []byte("aaa"), 0o666); err != nil {
				t.Fatal(err)
			}
			for range 2 { // as another process does that fetched it, too
				if err := c.Keep(sum, file); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			kept, err := os.Stat(c.path(sum))
			if err != nil {
				t.Fatal(err)
			}
			now, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			ok, err := c.Get(sum, &b)
			if _, gone := os.Stat(c.path(sum)); ok != (gone == nil) {
				t.Errorf("%s: it was right: %v; it is there: %v", dir, ok, gone)
			}
			if edited := text != "aaa" && os.SameFile(kept, now); err != nil || ok == edited || ok && b.String() != "aaa" {
				t.Errorf("%s: %v, %v, %q", dir, ok, err, &b)
			}
		}
	}
	if err := (*Cache)(nil).Keep(sum, "no such file"); err != nil {
		t.Error(err)
	}
}
