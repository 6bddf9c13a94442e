// Package missed hands what a run asked, and what was not recorded of it, to promptecho
// accept: the command names a folder in the environment of the tests, and each recorder that
// missed something leaves a file there. Requests are redacted, as they would stand in the
// cassette.
package missed

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/canon"
)

// Env is the environment variable that names the folder.
const Env = "PROMPTECHO_MISSED"

// Dir returns the folder, or "" if nobody wants to know. It is only asked when something was
// missed: the go command caches results by the variables that tests read, but none of tests
// that fail.
func Dir() string { return os.Getenv(Env) }

// A Run is what one recorder was asked.
type Run struct {
	Cassette string // the absolute path
	Sum      string // of the file, as cassette.SumOf returns it
	Options  canon.Options
	Ceiling  string // what in the code keeps the cassette from being written; "" if nothing does
	Calls    []Call // in the order asked
}

// A Call is one request.
type Call struct {
	Played int               // the number of the recording that answered it, from 0; -1 if none did
	Text   string            `json:",omitempty"` // if none did: the request, as codec.Encode writes an interaction
	Assets map[string][]byte `json:",omitempty"` // of the text, by name
}

// Encode returns the run as it stands in its file.
func (r *Run) Encode() ([]byte, error) { return json.Marshal(r) }

// Write writes what Encode returned to a new file in the folder. Only this user can read it.
func Write(dir string, data []byte) error {
	path := filepath.Join(dir, rand.Text()+Suffix)
	return atomicfile.Write(path, atomicfile.Options{Mode: 0o600}, atomicfile.Pieces(data))
}

// Suffix is the end of the names of the files. Temporary files have another one.
const Suffix = ".json"
