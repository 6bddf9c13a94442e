package main

import (
	"bytes"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/mutate"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// touchedBy returns a function that reports whether changes of files touch a test: its code, or a
// cassette that it plays. The code of a test is that of its package and of all that it imports, as far
// as it is in the repository.
func touchedBy(
	files []string, packages []suite.Package, buildFlags []string,
) (func(*mutate.Test) bool, error) {
	changedFiles := map[string]bool{}
	changedFolders := map[string]bool{} // with Go files, or a go.mod
	for _, file := range files {
		changedFiles[file] = true
		isCode := strings.HasSuffix(file, ".go") || filepath.Base(file) == "go.mod"
		if isCode {
			changedFolders[filepath.Dir(file)] = true
		}
	}
	isTouched := map[string]bool{} // by import path
	for _, p := range packages {
		folders, err := foldersOf(p, buildFlags)
		if err != nil {
			return nil, err
		}
		isTouched[p.Path] = slices.ContainsFunc(folders, func(dir string) bool { return changedFolders[dir] })
	}
	return func(t *mutate.Test) bool {
		return isTouched[t.Package] || slices.ContainsFunc(t.Answers, func(a *mutate.Answer) bool {
			return changedFiles[realPath(a.Cassette)]
		})
	}, nil
}

// filesChangedSince returns the absolute paths of the files that differ from a revision, and of those that
// git does not know yet.
func filesChangedSince(ref string) (files []string, err error) {
	top, err := git("", "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, err
	}
	all := func(string) bool { return true }
	changed, unknown, err := changedSince(ref, strings.TrimSpace(string(top)), all)
	if err != nil {
		return nil, err
	}
	for _, file := range append(changed, unknown...) {
		files = append(files, realPath(file))
	}
	return files, nil
}

// foldersOf returns the folders of a package and of all packages that its tests import.
func foldersOf(p suite.Package, buildFlags []string) (folders []string, err error) {
	args := append([]string{"list", "-deps", "-test", "-f", "{{.Dir}}"}, buildFlags...)
	cmd := exec.Command("go", append(args, p.Path)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	for dir := range strings.Lines(string(out)) {
		folders = append(folders, realPath(strings.TrimSpace(dir)))
	}
	return folders, nil
}

// realPath returns a path without symbolic links, or as it is if there is no such file.
func realPath(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return filepath.Clean(path)
	}
	return real
}
