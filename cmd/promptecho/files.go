package main

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// The kinds of files with recordings.
const (
	isCassette = "cassette"
	isDerived  = "derived" // NAME.derived.yaml: recorded with live parts (option Live), next to NAME.yaml
	isJournal  = "journal" // NAME.yaml.partial: of a run that is recording, or was killed
	isFailed   = "failed"  // NAME.yaml.failed: recorded by a run that must not replace NAME.yaml
)

// kindOf returns the kind of a file, which follows from its name and the files next to it.
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

// original returns the cassette next to a derived one, "" if a file is not derived.
func original(file string) string {
	name, ok := strings.CutSuffix(file, ".derived.yaml")
	if !ok {
		return ""
	}
	if _, err := os.Stat(name + ".yaml"); err != nil {
		return ""
	}
	return name + ".yaml"
}

// packageOf returns the folder of the package that a cassette belongs to, or the folder of the file
// if it belongs to none.
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
			file = filepath.Clean(file)
			if !seen[file] {
				files = append(files, file)
				seen[file] = true
			}
		}
	}
	return files, nil
}

// cassettesIn returns the cassettes at path: the file itself, or all below a folder, with the files
// that a killed or failed recording has left.
func cassettesIn(path string) ([]string, error) {
	path = cmp.Or(strings.TrimSuffix(path, "..."), ".") // accept "DIR/...", as the go command does
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	var files []string
	err = eachFile(path, nil, func(file string) error {
		name := strings.TrimSuffix(strings.TrimSuffix(file, ".partial"), ".failed")
		if !isYAML(name) || isNoFile(file) {
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

// isYAML reports whether a file has the name of a YAML file. echotest writes .yaml.
func isYAML(name string) bool { return filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" }

// eachFile calls found for each file below a folder, without those in .git, node_modules and folders
// of assets. It follows links to folders only in testdata, where tests find their cassettes behind
// them; elsewhere a link may lead anywhere. parents are the folders above dir.
func eachFile(dir string, parents []fs.FileInfo, found func(file string) error) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	isLoop := slices.ContainsFunc(parents, func(p fs.FileInfo) bool { return os.SameFile(p, info) })
	if isLoop {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	parents = append(slices.Clip(parents), info)
	for _, e := range entries {
		file := filepath.Join(dir, e.Name())
		if !isFolder(file, e) {
			if err := found(file); err != nil {
				return err
			}
			continue
		}
		isSkipped := e.Name() == ".git" || e.Name() == "node_modules" || strings.HasSuffix(e.Name(), ".assets")
		if isSkipped {
			continue
		}
		if err := eachFile(file, parents, found); err != nil {
			return err
		}
	}
	return nil
}

// isFolder reports whether an entry is a folder, or a link to one in testdata.
func isFolder(file string, e fs.DirEntry) bool {
	isLink := e.Type()&fs.ModeSymlink != 0
	if isLink && slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "testdata") {
		target, err := os.Stat(file)
		return err == nil && target.IsDir()
	}
	return e.IsDir()
}

// isNoFile reports whether a path is not that of a regular file: it is a link to a folder, a pipe, or
// a broken link. A broken link where tests look for a cassette counts as a file, which cannot be read.
func isNoFile(path string) bool {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return packageOf(path) == filepath.ToSlash(filepath.Dir(path))
	}
	return err == nil && !info.Mode().IsRegular()
}

// cassetteKeys match the keys that each cassette has, also if people have written it.
var cassetteKeys = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^["']?version["']?\s*:`),
	regexp.MustCompile(`(?m)^["']?interactions["']?\s*:`),
}

// looksLikeCassette reports whether a YAML file is a cassette of promptecho, complete or broken. Where
// tests look for cassettes, every YAML file is one. Elsewhere its first lines decide. A file of
// another tool may have similar first lines, and is none.
func looksLikeCassette(file string) (bool, error) {
	f, err := os.Open(file)
	if err != nil {
		return false, err
	}
	defer f.Close()
	start := make([]byte, 64<<10)
	n, err := io.ReadFull(f, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, io.EOF) {
		return false, err
	}
	head := strings.TrimPrefix(string(start[:n]), "\ufeff")
	if strings.Contains("\n"+head, "\n# promptecho cassette") {
		return true, nil
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return false, err
	}
	_, _, isInPlace := testname.Split(path)
	isMissing := func(key *regexp.Regexp) bool { return !key.MatchString(head) }
	if !isInPlace && slices.ContainsFunc(cassetteKeys, isMissing) {
		return false, nil
	}
	rest, err := io.ReadAll(f)
	return cassette.Foreign(head+string(rest)) == "", err
}

// load reads a cassette, or a journal as a cassette.
func load(file string) (*cassette.File, error) {
	if filepath.Ext(file) != ".partial" {
		return cassette.Load(file)
	}
	f, _, err := cassette.LoadJournal(file, "")
	return f, err
}
