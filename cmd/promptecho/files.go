package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/testname"
)

// What a file is that has recordings.
const (
	isCassette = "cassette"
	isDerived  = "derived" // NAME.derived.yaml: what came of live parts, beside NAME.yaml
	isJournal  = "journal" // NAME.yaml.partial: of a run that records, or was killed
	isFailed   = "failed"  // NAME.yaml.failed: what a run recorded that must not replace NAME.yaml
)

// kindOf tells what a file is, by its name and what stands beside it.
func kindOf(file string) string {
	switch filepath.Ext(file) {
	case ".partial":
		return isJournal
	case ".failed":
		return isFailed
	}
	if original(file) != "" {
		return isDerived
	}
	return isCassette
}

// original returns the cassette beside which a derived one stands, "" if it is not derived.
func original(file string) string {
	name, ok := strings.CutSuffix(file, ".derived.yaml")
	if _, err := os.Stat(name + ".yaml"); !ok || err != nil {
		return ""
	}
	return name + ".yaml"
}

// packageOf returns the folder of the package that a cassette belongs to, else its own.
func packageOf(file string) string {
	if pkg, _, ok := testname.Split(filepath.Clean(file)); ok {
		return cmp.Or(filepath.ToSlash(pkg), ".")
	}
	return filepath.ToSlash(filepath.Dir(file))
}

// allCassettes returns the cassettes at all paths, each once; "." if there are none.
func allCassettes(paths []string) (files []string, err error) {
	if len(paths) == 0 {
		paths = []string{"."}
	}
	seen := map[string]bool{}
	for _, path := range paths {
		list, err := cassettesIn(path)
		if err != nil {
			return nil, err
		}
		for _, file := range list {
			if file = filepath.Clean(file); !seen[file] {
				files, seen[file] = append(files, file), true
			}
		}
	}
	return files, nil
}

// cassettesIn returns the cassettes at path: the file itself, or all below a
// folder, with what a killed or failed recording has left.
func cassettesIn(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == ".git" || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		name := strings.TrimSuffix(strings.TrimSuffix(d.Name(), ".partial"), ".failed")
		if d.IsDir() || filepath.Ext(name) != ".yaml" || isNoFile(file) {
			return nil
		}
		ours, err := looksLikeCassette(file)
		if ours {
			files = append(files, file)
		}
		return err
	})
	return files, err
}

// isNoFile reports whether something has the name of a file and is none: a folder to which a
// link leads, a pipe, or a link that leads nowhere and is not where tests look for cassettes.
func isNoFile(path string) bool {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return packageOf(path) == filepath.ToSlash(filepath.Dir(path))
	}
	return err == nil && !info.Mode().IsRegular()
}

// looksLikeCassette reports whether a YAML file is a cassette of ours, whole or broken,
// by its first lines. Those of other tools can begin as one that was written by hand.
func looksLikeCassette(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 1024)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	head := "\n" + string(start[:n])
	if strings.Contains(head, "\n# promptecho cassette") {
		return true, nil
	}
	if !strings.Contains(head, "\nversion:") || !strings.Contains(head, "\ninteractions:") {
		return false, nil
	}
	rest, err := io.ReadAll(f)
	return cassette.Foreign(head[1:]+string(rest)) == "", err
}

// load reads a cassette, or what a recording that was killed has left.
func load(file string) (*cassette.File, error) {
	if filepath.Ext(file) != ".partial" {
		return cassette.Load(file)
	}
	left, _, err := cassette.LoadJournal(file, "")
	return left, err
}
