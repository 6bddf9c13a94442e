package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/atomicfile"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

const mergeHelp = `merge [-install] [-into DIR FILE ...] [PATH ...]
merge cassettes of two branches, interaction by interaction

Without flags, it merges cassettes that git left unmerged, and those that
contain conflict markers, below the current folder or at PATH. If one side
changed an interaction, that change is taken. If both recorded it again, one of
the two recordings is kept. What only one side added is kept, too; a run in mode
update drops what it does not use. If both changed it, one of them by hand, that
is a conflict: the file then has both, between markers that say where they come
from.

  -install    have git call this when it merges or rebases: writes
              .gitattributes and configures this clone
  -into DIR   merge cassettes, or those below folders, into DIR: the recordings
              of several machines that each ran part of the tests
  -driver     the call that git makes, with the files %O %A %B and the path %P

The exit status is 1 if there are conflicts.
`

// runMerge merges cassettes.
func runMerge(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("merge", flag.ContinueOnError)
	install, driver, into := flags.Bool("install", false, ""), flags.Bool("driver", false, ""), flags.String("into", "", "")
	paths, err := parse(flags, args)
	switch {
	case err != nil:
		return err
	case *install && len(paths) == 0 && !*driver && *into == "":
		return installMerge(stdout)
	case *driver && len(paths) == 4 && !*install && *into == "":
		return driveMerge(paths[0], paths[1], paths[2], paths[3])
	case *into != "" && len(paths) > 0 && !*install && !*driver:
		return mergeInto(*into, paths, stdout)
	case *install || *driver || *into != "":
		return errors.New("-install takes no path, -driver takes " +
			"four, -into takes one or more; use only one of these flags")
	}
	return mergeUnmerged(paths, stdout)
}

// driveMerge is what git calls: it merges the files base, ours and theirs of the cassette
// at path into ours. Assets stay where git has them.
func driveMerge(base, ours, theirs, path string) error {
	m := merging{path: path, asset: assetsInGit(path)}
	for _, v := range []struct {
		of         *version
		name, file string
	}{{&m.base, "base", base}, {&m.ours, "ours", ours}, {&m.theirs, "theirs", theirs}} {
		data, err := os.ReadFile(v.file)
		if err != nil {
			return err
		}
		*v.of = version{v.name, data}
	}
	text, assets, conflicts, err := m.result()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(ours, atomicfile.Options{}, atomicfile.Pieces(text)); err != nil {
		return err
	}
	switch lost := m.lost(assets); {
	case conflicts > 0:
		return found(fmt.Sprintf("%s: %s: both sides changed an interaction, and one of them by "+
			"hand: keep one of the two between each pair of marks, and remove the marks",
			path, count(conflicts, "conflict")))
	case lost != "":
		from, _ := filepath.Abs(path) // git calls this at the root, and its user may be below
		return found(fmt.Sprintf("%s: git drops the asset %s, "+
			"which is still needed: promptecho merge %s brings it back",
			path, lost, shell.Quote(from)))
	}
	return nil
}

// installMerge has git call promptecho for cassettes.
func installMerge(stdout io.Writer) error {
	root, err := git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	driver, err := driverIn(strings.TrimSpace(string(root)))
	if err != nil {
		return err
	}
	const line = "**/testdata/cassettes/**/*.yaml merge=promptecho"
	file := filepath.Join(strings.TrimSpace(string(root)), ".gitattributes")
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !slices.Contains(strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), line) {
		if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
			text = append(text, '\n')
		}
		if err := atomicfile.Write(file, atomicfile.Options{}, atomicfile.Pieces(text, []byte(line+"\n"))); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s has this line now: %s\n", file, line)
	}
	for _, setting := range [][2]string{
		{"merge.promptecho.name", "promptecho cassettes"},
		{"merge.promptecho.driver", driver + " merge -driver %O %A %B %P"},
	} {
		if _, err := git("", "config", setting[0], setting[1]); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "done in this clone: git config %s %s\n", setting[0], shell.Quote(setting[1]))
	}
	printLine(stdout, "Commit .gitattributes. Each clone, and CI if it merges, needs these two settings "+
		"of git, too: run promptecho merge -install there")
	return nil
}

// driverIn returns the command by which git finds promptecho at the root of a repository. Without one, git would keep
// one side, and leave no marks.
func driverIn(root string) (command string, err error) {
	const name = "promptecho"
	if _, err := exec.LookPath(name); err == nil {
		return name, nil
	}
	tool := exec.Command("go", "tool", "-n", name)
	tool.Dir = root
	if tool.Run() == nil {
		return "go tool " + name, nil
	}
	return "", fmt.Errorf("git would not find promptecho: it is not in PATH, and go tool does not "+
		"know it in %s, where git looks. Install it, and run promptecho merge -install again: go "+
		"install github.com/promptecho/promptecho/cmd/promptecho@latest", root)
}

// mergeUnmerged merges what git has left, at these paths.
func mergeUnmerged(paths []string, stdout io.Writer) error {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	list, err := unmerged(paths)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		printLine(stdout, "nothing to merge")
		return nil
	}
	open := 0
	var done []string
	for _, m := range list {
		text, assets, conflicts, err := m.result()
		if err != nil {
			return err
		}
		if err := m.put(text, assets); err != nil {
			return err
		}
		if conflicts > 0 {
			open++
			printLine(stdout, "%s: %s: keep one of the two interactions "+
				"between each pair of marks, and remove the marks",
				m.path, count(conflicts, "conflict"))
			continue
		}
		done = append(done, m.path)
		printLine(stdout, "%s: merged", m.path)
	}
	if len(done) > 0 {
		printLine(stdout, "go test ./... replays the merged cassettes; PROMPTECHO_MODE=update records "+
			"what neither side has, and drops unused recordings. Then:")
		newPrinter(stdout, false).command("git add -A " + shell.Quote(commonFolder(done)))
	}
	if open > 0 {
		return found("")
	}
	return nil
}

// commonFolder returns the folder that has all of these files.
func commonFolder(files []string) string {
	dir := filepath.Dir(files[0])
	for _, file := range files {
		for dir != "." && !strings.HasPrefix(file, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}
