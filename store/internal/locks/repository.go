package locks

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/store/internal/objects"
)

// A Repository says where cassettes are kept. Its file is committed, so all clones share it.
type Repository struct {
	Root string // the folder that has the file
	URL  string // of the store
	ID   string // what the store knows the repository by
}

// ErrNoStore is the error of a repository without a store.
var ErrNoStore = errors.New("no " + objects.Config + " here or above: to say where cassettes are kept, run promptecho-store init URL")

// Here returns the repository that the working directory is in.
func Here() (*Repository, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	root := shell.Upward(dir, objects.Config)
	if root == "" {
		return nil, ErrNoStore
	}
	file := filepath.Join(root, objects.Config)
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	r := &Repository{Root: root}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for n := 1; lines.Scan(); n++ {
		key, value, ok := strings.Cut(lines.Text(), ": ")
		switch {
		case strings.HasPrefix(lines.Text(), "#") || strings.TrimSpace(lines.Text()) == "":
		case ok && key == "url":
			r.URL = strings.TrimSpace(value)
		case ok && key == "id":
			r.ID = strings.TrimSpace(value)
		default:
			return nil, fmt.Errorf("%s:%d: %q is neither an url: nor an id: line", file, n, lines.Text())
		}
	}
	if r.URL == "" || r.ID == "" {
		return nil, fmt.Errorf("%s: it needs a line url: and a line id:, as promptecho-store init writes them", file)
	}
	return r, nil
}

// Write writes the repository's file.
func (r *Repository) Write() error {
	text := fmt.Sprintf("# Where the cassettes of this repository are kept. promptecho-store pull fetches them.\nurl: %s\nid: %s\n", r.URL, r.ID)
	return os.WriteFile(filepath.Join(r.Root, objects.Config), []byte(text), 0o666)
}
