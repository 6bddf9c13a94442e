package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/snapshot"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

const mvHelp = `mv PATH|TEST PATH|TEST
give a renamed or moved test its cassettes and snapshots

First the old name, then the new one. They are names of tests in the package
of the current folder (TestOld, TestOld/sub), or paths of cassettes, also those
of another package. It moves the cassette, its assets, the files that runs left
next to it, the cassettes of its subtests, and their snapshots. Nothing is
overwritten.
`

// runMv moves the files of a test to its new name.
func runMv(args []string, stdout, stderr io.Writer) error {
	paths, err := parse(flag.NewFlagSet("mv", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(paths) != 2 {
		return errors.New("give the old name and the new one: promptecho mv TestOld TestNew")
	}
	oldBase := basePath(paths[0])
	newBase := basePath(paths[1])
	moves, err := movesOf(oldBase, newBase)
	if err != nil {
		return err
	}
	if len(moves) == 0 {
		return fmt.Errorf("there is no cassette %s.yaml, and no folder %[1]s", oldBase)
	}
	for _, m := range moves {
		if err := os.MkdirAll(filepath.Dir(m.to), 0o777); err != nil {
			return err
		}
		if err := os.Rename(m.from, m.to); err != nil {
			return err
		}
		removeEmpty(filepath.Dir(m.from))
		printLine(stdout, "%s -> %s", m.from, m.to)
	}
	return nil
}

type move struct{ from, to string }

// movesOf returns the moves of the files and folders of a test that exist. It is an error if one of
// their new paths exists already.
func movesOf(oldBase, newBase string) (moves []move, err error) {
	newPaths := pathsOf(newBase)
	for i, from := range pathsOf(oldBase) {
		to := newPaths[i]
		isIntoItself := strings.HasPrefix(to, from+string(filepath.Separator))
		if isIntoItself { // the test becomes one of its subtests, and the other subtests stay
			continue
		}
		old, err := os.Lstat(from)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		there, err := os.Lstat(to)
		if err == nil && !differOnlyInCase(from, to, old, there) {
			return nil, fmt.Errorf("%s is there already, and nothing is overwritten: nothing was moved", to)
		}
		moves = append(moves, move{from, to})
	}
	return moves, nil
}

// differOnlyInCase reports whether two names are those of one file on macOS or Windows, which
// then renames it.
func differOnlyInCase(from, to string, old, there fs.FileInfo) bool {
	return from != to && strings.EqualFold(from, to) && os.SameFile(old, there)
}

// basePath returns the path of the cassette of a test, without .yaml. name is the name of the test, or
// the path.
func basePath(name string) string {
	_, _, isPath := testname.Split(name)
	if !isPath && !isYAML(name) {
		name = testname.File(name)
	}
	return strings.TrimSuffix(filepath.Clean(name), ".yaml")
}

// pathsOf returns the paths of all files and folders that a test may have, always in the same order.
// base is that of basePath.
func pathsOf(base string) (files []string) {
	for _, ending := range []string{".yaml", ".yaml.partial", ".yaml.failed", ".derived.yaml"} {
		file := base + ending
		files = append(files, file, cassette.Assets(file))
	}
	files = append(files, base) // the folder of its subtests
	if pkg, below, ok := testname.Split(base); ok {
		snapshots := filepath.Join(cmp.Or(pkg, "."), snapshot.Folder, strings.TrimPrefix(below, testname.Folder))
		file := snapshots + ".snap"
		files = append(files, file, snapshot.Pending(file), snapshots)
	}
	return files
}
