// Recordings of other cassettes, for a test that was split, joined or renamed.

package recorder

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// carryOver puts the recordings of the cassettes that the environment names on
// the tape, for a run that saves. They answer requests that the cassette of the
// run does not have, and become its recordings. A request that none of these
// cassettes has is sent.
func (r *Recorder) carryOver() error {
	names := os.Getenv(report.CarryOverVariable)
	if names == "" {
		return nil
	}
	var paths []string
	for _, name := range filepath.SplitList(names) {
		cassettes, err := cassettesAt(name)
		if err != nil {
			return err
		}
		for _, path := range cassettes {
			if path != r.tape.Config.Path {
				paths = append(paths, path)
			}
		}
	}
	if err := r.tape.CarryOver(paths); err != nil {
		return fmt.Errorf("%s: %w", report.CarryOverVariable, err)
	}
	return nil
}

// cassettesAt returns the cassettes at a path: that file, or all below a folder.
// A relative path is one below the folder in which the process runs, or below a
// folder above that: go test runs the tests of a package in the folder of the
// package, and users name files from the folder of their shell.
func cassettesAt(name string) ([]string, error) {
	path := name
	if !filepath.IsAbs(name) {
		here, err := os.Getwd()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", report.CarryOverVariable, err)
		}
		path = filepath.Join(cmp.Or(shell.Upward(here, name), here), name)
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: there is no cassette %s", report.CarryOverVariable, path)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	paths := orphans.Below(path)
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s: there is no cassette in the folder %s", report.CarryOverVariable, path)
	}
	return paths, nil
}
