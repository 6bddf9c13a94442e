package main

import (
	"go/build"
	"go/build/constraint"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// recordAccepted returns the commands that record the accepted requests in cassettes: one for each
// module, with the packages of the cassettes, and the build tags that the files of their tests
// need. A cassette outside of the testdata of a package has no test that a command could run.
func recordAccepted(files []string) (commands []string) {
	type module struct {
		root           string
		tags, packages []string
	}
	var modules []*module
	type testFunction struct{ dir, name string }
	isRead := map[testFunction]bool{} // the tags of its file are in the list
	wd, _ := os.Getwd()
	currentRoot := shell.Upward(wd, "go.mod")

	for _, file := range files {
		dir, ok := packageWithTestdata(file)
		if !ok {
			commands = append(commands, "set PROMPTECHO_MODE=accepted, and run the program that uses "+file)
			continue
		}
		root := shell.Upward(dir, "go.mod")
		i := slices.IndexFunc(modules, func(m *module) bool { return m.root == root })
		if i < 0 {
			i = len(modules)
			modules = append(modules, &module{root: root})
		}
		m := modules[i]

		base := root // the folder in which the command runs
		if root == currentRoot {
			base = wd
		}
		if rel, err := filepath.Rel(base, dir); err == nil {
			m.packages = addNew(m.packages, pattern(rel))
		}
		name, _ := testOf(file)
		name, _, _ = strings.Cut(name, "/")
		test := testFunction{dir, name}
		if !isRead[test] {
			isRead[test] = true
			m.tags = addNew(m.tags, tagsOf(dir, name)...)
		}
	}

	for _, m := range modules {
		var flags []string
		if len(m.tags) > 0 {
			flags = append(flags, "-tags="+strings.Join(m.tags, ","))
		}
		command := verbCommand("record -accepted", flags, m.packages, nil)
		if m.root != currentRoot {
			command = shell.In(shell.Place(m.root), command)
		}
		commands = append(commands, command)
	}
	return commands
}

// packageWithTestdata returns the folder of the package in whose testdata a cassette is.
func packageWithTestdata(file string) (dir string, ok bool) {
	path, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	i := strings.LastIndex(filepath.ToSlash(path), "/testdata/")
	if i < 0 {
		return "", false
	}
	return path[:i], isPackage(path[:i])
}

// isPackage reports whether a folder has Go files.
func isPackage(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
}

// tagsOf returns the build tags without which go test leaves out the file with a test. Of
// alternatives in the build constraint of the file it takes the first.
func tagsOf(dir, test string) []string {
	if test == "" {
		return nil
	}
	entries, _ := os.ReadDir(dir)
	declaration := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(test) + `\(`)
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !declaration.Match(text) {
			continue
		}
		isBuilt, err := build.Default.MatchFile(dir, e.Name())
		if isBuilt || err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			x, err := constraint.Parse(strings.TrimSpace(line))
			if err == nil {
				return tagsIn(x)
			}
		}
	}
	return nil
}

// tagsIn returns tags that satisfy a constraint, without those of this operating system and
// architecture.
func tagsIn(x constraint.Expr) []string {
	switch x := x.(type) {
	case *constraint.TagExpr:
		if x.Tag != runtime.GOOS && x.Tag != runtime.GOARCH {
			return []string{x.Tag}
		}
	case *constraint.AndExpr:
		return append(tagsIn(x.X), tagsIn(x.Y)...)
	case *constraint.OrExpr:
		return tagsIn(x.X)
	}
	return nil
}
