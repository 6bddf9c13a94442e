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

// runMv moves what a test has under its old name to the new one.
func runMv(args []string, stdout, stderr io.Writer) error {
	paths, err := parse(flag.NewFlagSet("mv", flag.ContinueOnError), args)
	if err != nil {
		return err
	}
	if len(paths) != 2 {
		return errors.New("give the old name and the new one: promptecho mv TestOld TestNew")
	}
	from, to := ofTest(paths[0]), ofTest(paths[1])
	type move struct{ from, to string }
	var moves []move
	for i, old := range filesOf(from) {
		now := filesOf(to)[i]
		if strings.HasPrefix(now, old+string(filepath.Separator)) {
			continue // the test becomes one of its subtests: the others stay
		}
		if _, err := os.Lstat(old); errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return err
		}
		if _, err := os.Lstat(now); err == nil {
			return fmt.Errorf("%s is there already, and nothing is overwritten: nothing was moved", now)
		}
		moves = append(moves, move{old, now})
	}
	if len(moves) == 0 {
		return fmt.Errorf("there is no cassette %s.yaml, and no folder %[1]s", from)
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

// ofTest returns the path of the cassette of a test, given by that or by the name of the test,
// without its ending.
func ofTest(name string) string {
	if _, _, ok := testname.Split(name); !ok && !isYAML(name) {
		name = testname.File(name)
	}
	return strings.TrimSuffix(filepath.Clean(name), ".yaml")
}

// filesOf returns all that a test may have, given by the path of its cassette without the ending,
// always in the same order.
func filesOf(base string) (files []string) {
	for _, file := range []string{base + ".yaml", base + ".yaml.partial", base + ".yaml.failed", base + ".derived.yaml"} {
		files = append(files, file, cassette.Assets(file))
	}
	files = append(files, base)
	if pkg, below, ok := testname.Split(base); ok {
		snapshots := filepath.Join(cmp.Or(pkg, "."), snapshot.Folder, strings.TrimPrefix(below, testname.Folder))
		files = append(files, snapshots+".snap", snapshot.Pending(snapshots+".snap"), snapshots)
	}
	return files
}
