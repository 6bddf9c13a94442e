package child

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/promptecho/promptecho/internal/interaction"
)

// certain is how old a change must be for a file with the same size and time to be the same. The
// clocks of file systems may be coarse: FAT has 2 s.
const certain = 2 * time.Second

// A folder is a folder in which a program writes files.
type folder struct {
	root  string
	files map[string]fileState // by their paths below root, with slashes
}

// A fileState is what is known of a file since it was last looked at.
type fileState struct {
	size     int64
	modified time.Time
	seen     time.Time // when the file had this size and time
	sum      [sha256.Size]byte
}

// A storedFile is the JSON of a message of kind [interaction.File].
type storedFile struct {
	Path       string  `json:"path"` // with slashes
	Text       *string `json:"text,omitempty"`
	Base64     *string `json:"base64,omitempty"`
	Executable bool    `json:"executable,omitempty"`
	Removed    bool    `json:"removed,omitempty"`
}

// newFolder returns a folder with the files that are there.
func newFolder(root string) (*folder, error) {
	f := &folder{root: root}
	_, err := f.changes()
	return f, err
}

// changes returns the files that were written or removed since the last call. Folders of git have no
// files of their own.
func (f *folder) changes() ([]storedFile, error) {
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	now := map[string]fileState{}
	var changed []storedFile
	err = fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // it was removed in the meantime
		}
		if entry.IsDir() && entry.Name() == ".git" {
			return fs.SkipDir
		}
		if !entry.Type().IsRegular() {
			return nil
		}
		stored, state, err := f.look(root, name, entry)
		if err != nil {
			return nil // it was removed in the meantime
		}
		now[name] = state
		if stored != nil {
			changed = append(changed, *stored)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.files)) {
		_, isThere := now[name]
		if !isThere {
			changed = append(changed, storedFile{Path: name, Removed: true})
		}
	}
	f.files = now
	return changed, nil
}

// look returns the state of a file, and the file if it has changed.
func (f *folder) look(
	root *os.Root, name string, entry fs.DirEntry,
) (changed *storedFile, state fileState, err error) {
	info, err := entry.Info()
	if err != nil {
		return nil, state, err
	}
	before, isKnown := f.files[name]
	isSame := isKnown && info.Size() == before.size && info.ModTime().Equal(before.modified)
	if isSame && before.seen.Sub(before.modified) > certain {
		return nil, before, nil
	}
	state = fileState{size: info.Size(), modified: info.ModTime(), seen: time.Now()}
	content, err := root.ReadFile(name)
	if err != nil {
		return nil, state, err
	}
	state.sum = sha256.Sum256(content)
	if isKnown && state.sum == before.sum {
		return nil, state, nil
	}
	stored := storedFile{Path: name, Executable: info.Mode()&0o111 != 0}
	if utf8.Valid(content) {
		text := string(content)
		stored.Text = &text
	} else {
		text := base64.StdEncoding.EncodeToString(content)
		stored.Base64 = &text
	}
	return &stored, state, nil
}

// message returns the message that a file is.
func (s storedFile) message() interaction.Message {
	return interaction.Message{Kind: interaction.File, Data: string(bytesOfLine(encodeLine(s)))}
}

// bytesOfLine returns a line without its newline.
func bytesOfLine(line []byte) []byte { return line[:len(line)-1] }

// putBack writes or removes the file of a message in the folder. It does not leave the folder,
// also if the path or a symbolic link leads out of it.
func (f *folder) putBack(data string) error {
	var s storedFile
	err := json.Unmarshal([]byte(data), &s)
	if err != nil {
		return fmt.Errorf("a file of the recording: %w", err)
	}
	root, err := os.OpenRoot(f.root)
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.FromSlash(s.Path)
	if s.Removed {
		return root.Remove(name)
	}
	content, err := s.content()
	if err != nil {
		return err
	}
	err = root.MkdirAll(filepath.FromSlash(path.Dir(s.Path)), 0o777)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o666)
	if s.Executable {
		mode = 0o777
	}
	return root.WriteFile(name, content, mode)
}

// content returns what the file has.
func (s *storedFile) content() ([]byte, error) {
	switch {
	case s.Text != nil:
		return []byte(*s.Text), nil
	case s.Base64 != nil:
		return base64.StdEncoding.DecodeString(*s.Base64)
	}
	return nil, nil
}
