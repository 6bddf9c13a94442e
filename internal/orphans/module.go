package orphans

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/promptecho/promptecho/internal/memo"
	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/testname"
	"github.com/promptecho/promptecho/internal/testenv/tests"
)

// packages has the packages that this process has asked for, by their folders.
// Tests do not change what it is about: their own text, and cassettes that no
// test opens.
var packages = memo.Strings[*Package]{Func: In}

// modules has a func() []*Package for each module that this process has asked
// for, by the folder of the module.
var modules sync.Map

// packagesMissingTests returns the packages of a module that may have cassettes
// of tests that are gone. It is computed once for each module.
func packagesMissingTests(module string) []*Package {
	find := sync.OnceValue(func() (list []*Package) {
		for _, dir := range foldersWithCassettes(module) {
			if mayLackTests(dir) {
				list = append(list, packages.Get(dir))
			}
		}
		return list
	})
	once, _ := modules.LoadOrStore(module, find)
	return once.(func() []*Package)()
}

// mayLackTests reports whether a package has a cassette whose test its files do
// not declare. It only searches for text, which is a hundred times as fast as
// to read the files as Go.
func mayLackTests(dir string) bool {
	var source []byte
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return false
		}
		source = append(source, text...)
	}
	entries, err := os.ReadDir(filepath.Join(dir, testname.Folder))
	if err != nil {
		return false
	}
	for _, e := range entries {
		name := strings.TrimSuffix(e.Name(), ".yaml")
		isOfTest := tests.IsTest(name) && (e.IsDir() || name != e.Name())
		if isOfTest && !bytes.Contains(source, []byte("func "+name+"(")) {
			return true
		}
	}
	return false
}

// maxFolders is how many folders of a module are listed at most: go.mod may lie
// in a home folder. A module of 1,000 packages with four cassettes each takes
// 40 ms on two cores.
const maxFolders = 20_000

// foldersWithCassettes returns the folders of a module whose packages have
// cassettes. It only lists folders: test files are read later, and only in
// those. Folders that the go command does not look into have no packages:
// vendor, testdata, other modules, and those whose names begin with a dot or an
// underscore (https://pkg.go.dev/cmd/go#hdr-Package_lists_and_patterns).
func foldersWithCassettes(module string) (dirs []string) {
	count := 0
	var list func(dir string)
	list = func(dir string) {
		count++
		entries, err := os.ReadDir(dir)
		if err != nil || count > maxFolders {
			return
		}
		var subfolders []string
		for _, e := range entries {
			name := e.Name()
			if name == "go.mod" && dir != module {
				return
			}
			if name == "testdata" {
				info, err := os.Stat(filepath.Join(dir, testname.Folder))
				if err == nil && info.IsDir() {
					dirs = append(dirs, dir)
				}
				continue
			}
			if e.IsDir() && isPackageName(name) {
				subfolders = append(subfolders, filepath.Join(dir, name))
			}
		}
		for _, folder := range subfolders {
			list(folder)
		}
	}
	list(module)
	return dirs
}

// isPackageName reports whether the go command looks for packages in a folder
// of this name. Folders of Node.js have none, and tens of thousands of files.
func isPackageName(name string) bool {
	hasPackages := name != "vendor" && name != "node_modules"
	return hasPackages && !strings.HasPrefix(name, ".") && !strings.HasPrefix(name, "_")
}

// otherPackages returns the other packages of the module of a package that may have
// cassettes of tests that are gone.
func otherPackages(dir string) (list []*Package) {
	module := shell.Upward(dir, "go.mod")
	if module == "" {
		return nil
	}
	for _, p := range packagesMissingTests(module) {
		if p.Dir != dir {
			list = append(list, p)
		}
	}
	return list
}
