package setup

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A File is a file that a repository needs, or needs lines in.
type File struct {
	Path    string // absolute
	IsNew   bool
	Added   []string // its new lines
	Content []byte   // with them
}

// A Plan is what is left to set up.
type Plan struct {
	Files  []File
	Advice []Advice
}

// A Place is a folder of a user, and what it belongs to.
type Place struct {
	Dir     string   // absolute, without symbolic links
	Top     string   // the repository of git, "" without one
	Root    string   // where files for git and CI belong: the repository, or else the module
	Modules []string // the folders in which go list ./... lists the packages at and below Dir
}

// PlaceOf returns the place of a folder.
func PlaceOf(dir string, git Git) (Place, error) {
	info, err := os.Stat(dir)
	if err != nil {
		return Place{}, err
	}
	if !info.IsDir() {
		return Place{}, fmt.Errorf("%s is not a folder", dir)
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return Place{}, err
	}
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return Place{}, err
	}
	p := Place{Dir: dir, Top: git.Top(dir), Root: dir}
	if module := shell.Upward(dir, "go.mod"); module != "" {
		p.Root = module
		p.Modules = append(p.Modules, dir)
	}
	p.Modules = append(p.Modules, modulesBelow(dir)...)
	if p.Top != "" {
		p.Root = p.Top
	}
	return p, nil
}

// modulesBelow returns the folders below a folder that have a go.mod, without those into which the go
// command does not look.
func modulesBelow(dir string) (modules []string) {
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.IsDir() || path == dir {
			return nil
		}
		name := e.Name()
		isSkipped := strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") ||
			slices.Contains([]string{"testdata", "vendor", "node_modules"}, name)
		if isSkipped {
			return fs.SkipDir
		}
		if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
			modules = append(modules, path)
		}
		return nil
	})
	return modules
}

// PlanFor returns what is left to set up at a place. packages are those at and below it whose tests
// link promptecho; allKnown says that there are no others. show returns the path of a file as people
// read it.
func PlanFor(
	p Place, packages []suite.Package, allKnown bool, git Git, show func(string) string,
) (*Plan, error) {
	plan := &Plan{}
	if err := plan.addGit(p, git); err != nil {
		return nil, err
	}
	plan.addGuards(packages, show)
	plan.addCI(p, git)
	if len(packages) == 0 && allKnown {
		plan.addFirstTest(p)
	}
	return plan, nil
}

// addGit adds the files for git.
func (plan *Plan) addGit(p Place, git Git) error {
	for _, file := range []struct {
		name    string
		missing func(top, text string) []string
	}{
		{".gitignore", git.MissingIgnores},
		{".gitattributes", git.MissingAttributes},
	} {
		path := filepath.Join(p.Root, file.name)
		text, isThere, err := readText(path)
		if err != nil {
			return err
		}
		lines := file.missing(p.Top, text)
		if len(lines) == 0 {
			continue
		}
		plan.Files = append(plan.Files, File{
			Path:    path,
			IsNew:   !isThere,
			Added:   lines,
			Content: []byte(appendLines(text, lines)),
		})
	}
	if p.Top == "" {
		return nil
	}
	if rule, isIgnored := git.IgnoresCassettes(p.Top); isIgnored {
		plan.Advice = append(plan.Advice, Advice{Text: fmt.Sprintf(
			"%s: the pattern %s ignores cassettes, so they are not committed: remove it, or make it narrower",
			rule.Place, rule.Pattern)})
	}
	return nil
}

// readText reads a text file to which lines may be added.
func readText(path string) (text string, isThere bool, err error) {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		return "", false, fmt.Errorf("%s is a symbolic link, and git follows none for this file: "+
			"replace it with a file", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", false, err
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", false, fmt.Errorf("%s is not a text in UTF-8, so git does not read it: save it as UTF-8", path)
	}
	return string(data), true, nil
}

// addGuards adds a TestMain to each package without one. For a TestMain that does not call echotest, it
// says what to write there.
func (plan *Plan) addGuards(packages []suite.Package, show func(string) string) {
	var lines []string
	for _, pkg := range packages {
		if !pkg.LinksEchotest {
			continue
		}
		g, err := GuardOf(pkg.Dir)
		switch {
		case err != nil:
			plan.Advice = append(plan.Advice, Advice{
				Text: "A test file cannot be read, so its TestMain is not known: " + err.Error(),
			})
		case g.Calls || g.Clause == "":
		case g.File != "":
			lines = append(lines, place(show(g.File), g.Line)+": "+g.Remedy())
		default:
			path, text := testMainFile(pkg.Dir, g.Clause)
			plan.Files = append(plan.Files, newFile(path, text))
		}
	}
	if len(lines) > 0 {
		plan.Advice = append(plan.Advice, Advice{
			Text:  "TestMain without echotest.Main or echotest.Run: requests that bypass a recorder are not refused.",
			Lines: lines,
		})
	}
}

func newFile(path, text string) File {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	return File{Path: path, IsNew: true, Added: lines, Content: []byte(text)}
}

// addCI adds a workflow, or says what to add to the CI that is there.
func (plan *Plan) addCI(p Place, git Git) {
	c := CIOf(p.Root)
	if c.Verifies != "" {
		return
	}
	if c.hasAny {
		plan.Advice = append(plan.Advice, c.advice())
		return
	}
	_, err := os.Stat(filepath.Join(p.Root, ".github"))
	isOnGitHub := err == nil || p.Top != "" && git.HasRemote(p.Top, "github.com")
	if !isOnGitHub {
		return
	}
	modules := modulesBelow(p.Root)
	if _, err := os.Stat(filepath.Join(p.Root, "go.mod")); err == nil {
		modules = append([]string{p.Root}, modules...)
	}
	isOnlyModule := len(modules) == 1 && modules[0] == p.Root
	if isOnlyModule {
		path := filepath.Join(p.Root, filepath.FromSlash(workflows), "promptecho.yml")
		plan.Files = append(plan.Files, newFile(path, workflow))
		return
	}
	var folders []string
	for _, m := range modules {
		if rel, err := filepath.Rel(p.Root, m); err == nil {
			folders = append(folders, filepath.ToSlash(rel))
		}
	}
	plan.Advice = append(plan.Advice, Advice{
		Text:  "No workflow in " + workflows + " runs tests. A job that does has these steps:",
		Lines: stepsFor(folders),
	})
}

// addFirstTest says which test to write first.
func (plan *Plan) addFirstTest(p Place) {
	if len(p.Modules) == 0 {
		plan.Advice = append(plan.Advice, Advice{
			Text:  "No go.mod is at or below " + p.Dir + ". To make a module:",
			Lines: []string{"go mod init example.com/app"},
		})
	}
	plan.Advice = append(plan.Advice,
		Advice{
			Text:  "No test here uses promptecho yet. To get it:",
			Lines: []string{"go get github.com/promptecho/promptecho"},
		},
		Advice{
			Text:  "The first test, for example:",
			Lines: strings.Split(strings.TrimSuffix(firstTest, "\n"), "\n"),
		})
}
