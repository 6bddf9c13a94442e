package echosnap

import (
	"os"
	"path/filepath"
	"sync"

	"github.com/promptecho/promptecho/echosnap/internal/inline"
	"github.com/promptecho/promptecho/internal/snapshot"
)

// An inlined is a snapshot in the source that is to be written.
type inlined struct {
	file     string
	line     int
	was, now string
}

// sources are the files whose snapshots this process has written, as they were compiled.
var sources = struct {
	sync.Mutex
	files map[string]*inline.Source
}{files: map[string]*inline.Source{}}

func (i *inlined) write() error {
	sources.Lock()
	defer sources.Unlock()
	path := i.file
	if !filepath.IsAbs(path) { // -trimpath: it is of this package, unless another one has a file of the name
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
