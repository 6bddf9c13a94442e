//go:build !windows

package request

import "os"

// tempVariable is the environment variable with the folder of temporary files.
const tempVariable = "TMPDIR"

// createSpool makes a temporary file that has no name any more.
func createSpool() (*os.File, error) {
	f, err := os.CreateTemp("", "promptecho-*.tmp")
	if err == nil {
		_ = os.Remove(f.Name())
	}
	return f, err
}
