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

// recordAccepted returns the commands that record the accepted recordings of these cassettes
// again, one for each module: with the packages that the cassettes are in, and the build tags
// that the files of their tests ask for.
func recordAccepted(files []string) (commands []string) {
	type words struct{ tags, packages []string }
	modules, order := map[string]*words{}, []string{}
	read := map[[2]string]bool{} // folders and tests
	wd, _ := os.Getwd()
	current := shell.Upward(wd, "go.mod")
	for _, file := range files {
		path, err := filepath.Abs(file)
		i := strings.LastIndex(filepath.ToSlash(path), "/testdata/")
		if err != nil || i < 0 || !isPackage(path[:i]) { // record looks into the testdata of packages, and nowhere else
			commands = append(commands, "set PROMPTECHO_MODE=accepted, and run the program that uses "+file)
			continue
		}
		dir := path[:i]
		module := shell.Upward(dir, "go.mod")
		m, base := modules[module], module
		if m == nil {
			m = &words{}
			modules[module], order = m, append(order, module)
		}
		if module == current {
			base = wd
		}
		if rel, err := filepath.Rel(base, dir); err == nil {
			m.packages = addNew(m.packages, pattern(rel))
		}
		name, _ := testOf(file)
		function, _, _ := strings.Cut(name, "/")
		if test := [2]string{dir, function}; !read[test] {
			read[test], m.tags = true, addNew(m.tags, tagsOf(dir, function)...)
		}
	}
	for _, module := range order {
		m, flags := modules[module], []string{}
		if len(m.tags) > 0 {
			flags = append(flags, "-tags="+strings.Join(m.tags, ","))
		}
		command := again("record -accepted", flags, m.packages, nil)
		if module != current {
			command = "cd " + shell.Quote(shell.Place(module)) + " && " + command
		}
		commands = append(commands, command)
	}
	return commands
}

// isPackage reports whether a folder has files of Go.
func isPackage(dir string) bool {
	entries, _ := os.ReadDir(dir)
	return slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
}

// tagsOf returns the build tags without which go test leaves out the test file of the package
// in a folder that has this test. They are those of the file's constraint; of alternatives it
// is the first.
func tagsOf(dir, test string) []string {
	entries, _ := os.ReadDir(dir)
	has := regexp.MustCompile(`(?m)^func ` + regexp.QuoteMeta(test) + `\(`)
	for _, e := range entries {
		if test == "" || !strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !has.Match(text) {
			continue
		}
		if built, err := build.Default.MatchFile(dir, e.Name()); built || err != nil {
			continue
		}
		for line := range strings.Lines(string(text)) {
			if x, err := constraint.Parse(strings.TrimSpace(line)); err == nil {
				return tagsIn(x)
			}
		}
	}
	return nil
}

// tagsIn returns tags that satisfy a constraint, beside those of this system.
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
