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
	if !ok {
		return ""
	}
	if _, err := os.Stat(name + ".yaml"); err != nil {
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
			file = filepath.Clean(file)
			if !seen[file] {
				files, seen[file] = append(files, file), true
			}
		}
	}
	return files, nil
}

// cassettesIn returns the cassettes at path: the file itself, or all below a
// folder, with what a killed or failed recording has left.
func cassettesIn(path string) ([]string, error) {
	path = cmp.Or(strings.TrimSuffix(path, "..."), ".") // as the go command spells all below a folder
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

// isYAML reports whether a file's name says that it is YAML. echotest writes .yaml.
func isYAML(name string) bool { return filepath.Ext(name) == ".yaml" || filepath.Ext(name) == ".yml" }

// eachFile calls found with what is below a folder and no folder itself. It follows links to
// folders where tests find their cassettes behind them: testdata, and what is below it.
// Elsewhere they may lead anywhere. above are the folders that the folder is in.
func eachFile(dir string, above []fs.FileInfo, found func(file string) error) error {
	info, err := os.Stat(dir)
	if err != nil || slices.ContainsFunc(above, func(a fs.FileInfo) bool { return os.SameFile(a, info) }) {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	above = append(slices.Clip(above), info)
	for _, e := range entries {
		file, isDir := filepath.Join(dir, e.Name()), e.IsDir()
		if e.Type()&fs.ModeSymlink != 0 && slices.Contains(strings.Split(filepath.ToSlash(file), "/"), "testdata") {
			to, err := os.Stat(file)
			isDir = err == nil && to.IsDir()
		}
		var err error
		switch {
		case isDir && (e.Name() == ".git" || e.Name() == "node_modules" || strings.HasSuffix(e.Name(), ".assets")):
		case isDir:
			err = eachFile(file, above, found)
		default:
			err = found(file)
		}
		if err != nil {
			return err
		}
	}
	return nil
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

// cassetteKeys are those that stand in every cassette, as people may write them.
var cassetteKeys = []*regexp.Regexp{regexp.MustCompile(`(?m)^["']?version["']?\s*:`), regexp.MustCompile(`(?m)^["']?interactions["']?\s*:`)}

// looksLikeCassette reports whether a YAML file is a cassette of ours, whole or broken. All
// are that stand where tests look for them, but those of other tools. Elsewhere the first
// lines tell; those of other tools can begin as one that was written by hand.
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
	_, _, inPlace := testname.Split(path)
	if !inPlace && slices.ContainsFunc(cassetteKeys, func(key *regexp.Regexp) bool { return !key.MatchString(head) }) {
		return false, nil
	}
	rest, err := io.ReadAll(f)
	return cassette.Foreign(head+string(rest)) == "", err
}

// load reads a cassette, or the journal that a recording has left.
func load(file string) (*cassette.File, error) {
	if filepath.Ext(file) != ".partial" {
		return cassette.Load(file)
	}
	left, _, err := cassette.LoadJournal(file, "")
	return left, err
}
