// Package missed hands the requests of a run that have no recording to promptecho accept. The
// command names a folder in the environment of the tests. Each recorder with such a request
// writes a file there, with all calls of its run. Requests are redacted as in a cassette.
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

// Dir returns the folder, or "" if promptecho accept does not run the tests. Call it only
// after a miss: the go command keys its cache of results by the variables that tests read. A
// miss fails the test, and results of failed tests are not cached.
func Dir() string { return os.Getenv(Env) }

// A Run holds the calls of one recorder.
type Run struct {
	Cassette string // the absolute path of the cassette
	Sum      string // the checksum of the cassette, as cassette.SumOf returns it
	Options  canon.Options
	Ceiling  string // the setting in the code that forbids writing the cassette; "" if none does
	Calls    []Call // in the order of the requests
}

// A Call is one request: either one that a recording answered, or a miss.
type Call struct {
	Played int // the number of the recording that answered it, from 0; -1 for a miss

	// Session is set if the call is a message that is not recorded in the session of a
	// recording: it is the number of that recording, from 1.
	Session int `json:",omitempty"`

	// The request of a miss, as codec.Encode writes an interaction, and the assets of that
	// text by name. Both are empty if a recording answered.
	Text   string            `json:",omitempty"`
	Assets map[string][]byte `json:",omitempty"`
}

// Encode returns the content of the file for the run.
func (r *Run) Encode() ([]byte, error) { return json.Marshal(r) }

// Write writes the result of [Run.Encode] to a new file in the folder, which only the current
// user can read.
func Write(dir string, data []byte) error {
	path := filepath.Join(dir, rand.Text()+Suffix)
	return atomicfile.Write(path, atomicfile.Options{Mode: 0o600}, atomicfile.Pieces(data))
}

// Suffix is the end of the name of every complete file. A file that is still being written has
// another one.
const Suffix = ".json"
