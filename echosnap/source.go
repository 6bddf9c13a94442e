package echosnap

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/promptecho/promptecho/echosnap/internal/inline"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// An inlined is a snapshot to write into the source.
type inlined struct {
	file     string
	line     int
	was, now string
}

// sources are the source files that this process has changed, as they were compiled.
var sources = struct {
	sync.Mutex
	files map[string]*inline.Source
}{files: map[string]*inline.Source{}}

// write writes the snapshot into its source file.
func (i *inlined) write() error {
	sources.Lock()
	defer sources.Unlock()
	path := i.file
	if !filepath.IsAbs(path) {
		// Built with -trimpath. The file is taken for one of this package; if another
		// package has a file with this name, Replace does not find the snapshot.
		path = filepath.Join(folder, filepath.Base(path))
	}
	source := sources.files[path]
	if source == nil {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		source = inline.NewSource(text)
	}
	if err := source.Replace("Inline", i.line, i.was, i.now); err != nil {
		return err
	}
	sources.files[path] = source
	return snapshot.Write(path, source.Text())
}
