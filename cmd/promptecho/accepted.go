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

	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// fromFake says of a recording that its answer is not that of a provider.
const fromFake = "recorded from a fake, not from a provider"

// A mending is a way to record again a part of the recordings of cassettes.
type mending struct {
	verb       string // of the command
	mode       string // that a program without tests sets
	namesTests bool   // the command would run more tests than those of the cassettes
}

var (
	mendAccepted = mending{verb: "record -accepted", mode: "accepted"}
	mendFake     = mending{verb: "record -all", mode: "all", namesTests: true}
)

// mendOlder records again the recordings that are older than a flag says, or of unknown age.
func (m *maxAge) mendOlder() mending {
	return mending{
		verb:       "record -older " + m.text,
		mode:       string(recorder.ModeBefore(m.firstDay())),
		namesTests: true,
	}
}

// recordAgain returns the commands that record recordings in cassettes again: one for each
// module, with the packages of the cassettes, and the build tags that the files of their tests
// need. A cassette outside of the testdata of a package has no test that a command could run.
func recordAgain(files []string, m mending) (commands []string) {
	type module struct {
		root                  string
		tags, packages, tests []string
	}
	var modules []*module
	type testFunction struct{ dir, name string }
	isRead := map[testFunction]bool{} // the tags of its file are in the list
	wd, _ := os.Getwd()
	currentRoot := shell.Upward(wd, "go.mod")

	for _, file := range files {
		dir, ok := packageWithTestdata(file)
		if !ok {
			commands = append(commands, "set PROMPTECHO_MODE="+m.mode+", and run the program that uses "+file)
			continue
		}
		root := shell.Upward(dir, "go.mod")
		i := slices.IndexFunc(modules, func(of *module) bool { return of.root == root })
		if i < 0 {
			i = len(modules)
			modules = append(modules, &module{root: root})
		}
		of := modules[i]

		base := root // the folder in which the command runs
		if root == currentRoot {
			base = wd
		}
		if rel, err := filepath.Rel(base, dir); err == nil {
			of.packages = addNew(of.packages, pattern(rel))
		}
		name, _ := testOf(file)
		name, _, _ = strings.Cut(name, "/")
		of.tests = addNew(of.tests, name)
		test := testFunction{dir, name}
		if !isRead[test] {
			isRead[test] = true
			of.tags = addNew(of.tags, tagsOf(dir, name)...)
		}
	}

	for _, of := range modules {
		var flags []string
		if len(of.tags) > 0 {
			flags = append(flags, "-tags="+strings.Join(of.tags, ","))
		}
		if m.namesTests {
			flags = append(flags, "-run=^("+strings.Join(of.tests, "|")+")$")
		}
		command := verbCommand(m.verb, flags, of.packages, nil)
		if of.root != currentRoot {
			command = shell.In(shell.Place(of.root), command)
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
