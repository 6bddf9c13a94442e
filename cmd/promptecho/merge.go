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
	install := flags.Bool("install", false, "")
	driver := flags.Bool("driver", false, "")
	into := flags.String("into", "", "")
	paths, err := parse(flags, args)
	if err != nil {
		return err
	}
	chosen := 0 // flags
	for _, isSet := range []bool{*install, *driver, *into != ""} {
		if isSet {
			chosen++
		}
	}
	switch {
	case chosen == 0:
		return mergeUnmerged(paths, stdout)
	case chosen > 1:
	case *install && len(paths) == 0:
		return installMerge(stdout)
	case *driver && len(paths) == 4:
		return driveMerge(paths[0], paths[1], paths[2], paths[3])
	case *into != "" && len(paths) > 0:
		return mergeInto(*into, paths, stdout)
	}
	return errors.New("-install takes no path, -driver takes " +
		"four, -into takes one or more; use only one of these flags")
}

// driveMerge is the merge driver that git calls: it merges the files base, ours and theirs of the
// cassette at path, and writes the result into ours. It leaves assets as git has them.
func driveMerge(base, ours, theirs, path string) error {
	m := merging{path: path, asset: assetsInGit(path)}
	for _, side := range []struct {
		version    *version
		name, file string
	}{
		{&m.base, "base", base},
		{&m.ours, "ours", ours},
		{&m.theirs, "theirs", theirs},
	} {
		data, err := os.ReadFile(side.file)
		if err != nil {
			return err
		}
		*side.version = version{side.name, data}
	}
	r, err := m.merge()
	if err != nil {
		return err
	}
	if err := atomicfile.Write(ours, atomicfile.Options{}, atomicfile.Pieces(r.text)); err != nil {
		return err
	}

	if r.conflicts > 0 {
		return found(fmt.Sprintf("%s: %s: both sides changed an interaction, and one of them by "+
			"hand: keep one of the two between each pair of marks, and remove the marks",
			path, count(r.conflicts, "conflict")))
	}
	if asset := m.deletedAsset(r.assets); asset != "" {
		// git calls this at the root of the repository, and its user may be in another folder.
		absolute, _ := filepath.Abs(path)
		return found(fmt.Sprintf("%s: git drops the asset %s, "+
			"which is still needed: promptecho merge %s brings it back",
			path, asset, shell.Quote(absolute)))
	}
	return nil
}

// installMerge configures git to call promptecho for cassettes.
func installMerge(stdout io.Writer) error {
	out, err := git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	root := strings.TrimSpace(string(out))
	driver, err := driverIn(root)
	if err != nil {
		return err
	}
	if err := addAttribute(filepath.Join(root, ".gitattributes"), stdout); err != nil {
		return err
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

// addAttribute adds the line with the merge driver of cassettes to a .gitattributes file.
func addAttribute(file string, stdout io.Writer) error {
	const line = "**/testdata/cassettes/**/*.yaml merge=promptecho"
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	lines := strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")
	if slices.Contains(lines, line) {
		return nil
	}
	if len(text) > 0 && !bytes.HasSuffix(text, []byte("\n")) {
		text = append(text, '\n')
	}
	pieces := atomicfile.Pieces(text, []byte(line+"\n"))
	if err := atomicfile.Write(file, atomicfile.Options{}, pieces); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s has this line now: %s\n", file, line)
	return nil
}

// driverIn returns the command with which git can run promptecho at the root of a repository. It
// is an error if there is none: git would keep one side of a merge, and leave no conflict markers.
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

// mergeUnmerged merges the cassettes at some paths that git has left unmerged.
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
	hasConflicts := false
	var done []string
	for _, m := range list {
		r, err := m.merge()
		if err != nil {
			return err
		}
		if err := m.write(r); err != nil {
			return err
		}
		if r.conflicts > 0 {
			hasConflicts = true
			printLine(stdout, "%s: %s: keep one of the two interactions "+
				"between each pair of marks, and remove the marks",
				m.path, count(r.conflicts, "conflict"))
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
	if hasConflicts {
		return printedFindings
	}
	return nil
}

// commonFolder returns the innermost folder that has all of some files.
func commonFolder(files []string) string {
	dir := filepath.Dir(files[0])
	for _, file := range files {
		for dir != "." && !strings.HasPrefix(file, dir+string(filepath.Separator)) {
			dir = filepath.Dir(dir)
		}
	}
	return dir
}
