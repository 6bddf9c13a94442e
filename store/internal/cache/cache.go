// Package cache keeps objects in the user's folder for caches, for all clones. Any number of
// processes may use it at once: what is put there is whole, and what is read is checked, since a
// disk may lie, and since an object may be the very file that a clone has and somebody edited.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/store/internal/whole"
)

// A Cache is a folder with objects.
type Cache struct{ dir string }

// Open returns the cache of the user, or that of the folder in PROMPTECHO_STORE_CACHE, or nil if
// that is "off": nil has nothing and keeps nothing. It removes what killed processes have left.
func Open() (*Cache, error) {
	dir := os.Getenv("PROMPTECHO_STORE_CACHE")
	if dir == "off" {
		return nil, nil
	}
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return nil, elsewhere(err)
		}
		dir = filepath.Join(user, "promptecho-store")
	}
	c := &Cache{filepath.Clean(dir)}
	return c, elsewhere(c.prepare())
}

// elsewhere says what helps where the cache cannot be written.
func elsewhere(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("the cache: %w; PROMPTECHO_STORE_CACHE can name another folder for it, or be off", err)
}

// prepare makes the folders for what is fetched, and removes what killed processes have left there.
func (c *Cache) prepare() error {
	for _, digit := range "0123456789abcdef" { // in one folder, threads would wait for each other
		temp := filepath.Join(c.temp(), string(digit))
		if err := os.MkdirAll(temp, 0o700); err != nil {
			return err
		}
		entries, _ := os.ReadDir(temp)
		for _, e := range entries {
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > 24*time.Hour { // no download takes a day
				os.Remove(filepath.Join(temp, e.Name()))
			}
		}
	}
	return nil
}

func (c *Cache) temp() string { return filepath.Join(c.dir, "tmp") }

func (c *Cache) path(sum string) string { return filepath.Join(c.dir, "sha256", sum[:2], sum) }

// Keep keeps a file of a clone under its SHA-256: as another name of it, or as a copy where a file
// can have no other name there. Who edits the file in place spoils the object, which Get notices.
func (c *Cache) Keep(sum, file string) error {
	if c == nil {
		return nil
	}
	kept := c.path(sum)
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return elsewhere(err)
	}
	if err := os.Link(file, kept); err == nil || errors.Is(err, fs.ErrExist) {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	options := atomicfile.Options{Owner: filepath.Join(c.temp(), sum[:1], "object"), Mode: 0o600}
	return elsewhere(whole.Write(kept, options, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(f, 0, 1<<62))
		return err
	}))
}

// Get writes an object to w and reports whether it is there, whole and right. One that is wrong
// is removed. An error is that of w.
func (c *Cache) Get(sum string, w io.Writer) (ok bool, err error) {
	if c == nil {
		return false, nil
	}
	data, err := os.ReadFile(c.path(sum))
	if failed := new(fs.PathError); errors.As(err, &failed) && failed.Op == "open" {
		return false, nil
	}
	if hash := sha256.Sum256(data); err != nil || hex.EncodeToString(hash[:]) != sum {
		os.Remove(c.path(sum))
		return false, nil
	}
	_, err = w.Write(data)
	return err == nil, err
}
