package main

import (
	"cmp"
	"encoding/json"
	"errors"
	goversion "go/version"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/cmd/promptecho/internal/setup"
	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/orphans"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/redact"
	"github.com/promptecho/promptecho/internal/testenv/keys"
	"github.com/promptecho/promptecho/internal/testenv/testname"
)

// A checkup has what doctor says of some folders.
type checkup struct {
	Version   string         `json:"version"` // of this command
	Go        string         `json:"go"`      // the version with which tests run, "" if unknown
	Libraries []library      `json:"libraries"`
	Mode      recorder.Mode  `json:"mode"` // in which tests would run here; "" if it is not valid
	ModeBy    string         `json:"mode_by,omitempty"`
	Keys      []key          `json:"keys"`
	ToSetUp   []string       `json:"to_set_up"`    // files that promptecho init would write
	Hints     int            `json:"hints"`        // what init leaves to the user
	Guarded   int            `json:"guarded"`      // packages whose TestMain calls echotest
	Packages  int            `json:"packages"`     // those that use echotest
	CI        string         `json:"ci,omitempty"` // the file that runs promptecho verify
	Cassettes int            `json:"cassettes"`
	Tests     int            `json:"tests"`    // with a cassette
	Calls     map[string]int `json:"calls"`    // by kind
	Bytes     int64          `json:"bytes"`    // with assets
	Opened    []opened       `json:"opened"`   // the cassettes of the tests that were asked for
	Problems  []*diagnosis   `json:"problems"` // what would not replay
	Notes     []*diagnosis   `json:"notes"`

	inGit bool
}

// A library is the version of promptecho that a module has.
type library struct {
	Module   string `json:"module"` // the folder
	Version  string `json:"version,omitempty"`
	Replaced string `json:"replaced,omitempty"` // by what; "." for the module itself
}

// A key is an environment variable with a credential. Its value is not read.
type key struct {
	Name  string `json:"name"`
	For   string `json:"for,omitempty"` // the host whose SDK reads it
	Tests int    `json:"tests"`         // whose text has the name
	IsSet bool   `json:"set"`
}

// opened is a cassette of a test.
type opened struct {
	Test    string         `json:"test"`
	Path    string         `json:"path"`
	Exists  bool           `json:"exists"`
	Calls   map[string]int `json:"calls"` // by endpoint
	Replays bool           `json:"replays"`
}

// examine looks at the packages and cassettes of a survey, for all tests or for some. It writes
// nothing, and runs no test.
func examine(s *survey, paths, names []string, p *progress) (*checkup, error) {
	c := &checkup{
		Libraries: []library{}, Keys: []key{}, ToSetUp: []string{}, Opened: []opened{},
		Problems: []*diagnosis{}, Notes: []*diagnosis{}, Calls: map[string]int{},
	}
	var err error
	c.Mode, c.ModeBy, err = recorder.ModeHere()
	if err != nil {
		c.add(newDiagnosis(finding.Failure, finding.CodeOf(err), "", err.Error()))
	}
	c.checkVersions(s)
	if err := c.checkSetup(s); err != nil {
		return nil, err
	}

	files, err := allCassettes(paths)
	if err != nil {
		return nil, err
	}
	packages := testPackages{}
	c.checkFiles(files, packages, names, p)
	dirs := c.checkPackages(s, files, packages)
	c.checkKeys(dirs, packages)
	for _, place := range s.places {
		c.add(checkGit(place, shown)...)
		c.add(checkNames(place.Root, cassettesOnly(files))...)
		c.inGit = c.inGit || place.Top != ""
	}
	c.settle()
	if len(names) > 0 {
		err = c.narrow(names, dirs, packages)
	}
	setCommands(c.Problems)
	setCommands(c.Notes)
	return c, err
}

// add adds diagnoses to the problems or to the notes.
func (c *checkup) add(list ...*diagnosis) {
	for _, a := range list {
		if a.Severity == finding.Failure {
			c.Problems = append(c.Problems, a)
		} else {
			c.Notes = append(c.Notes, a)
		}
	}
}

// settle removes what follows from something else: a cassette that a killed or failed run has left
// explains why a test has none.
func (c *checkup) settle() {
	isLeft := map[string]*diagnosis{} // by the path of the cassette
	for _, a := range c.Notes {
		if a.Code == finding.JournalLeft || a.Code == finding.FailedLeft {
			isLeft[filepath.Clean(cassetteOfTest(a.File))] = a
		}
	}
	for i, a := range c.Problems {
		left := isLeft[filepath.Clean(a.File)]
		if a.Code != finding.CassetteAbsent || left == nil {
			continue
		}
		c.Notes = slices.DeleteFunc(c.Notes, func(other *diagnosis) bool { return other == left })
		left.Severity = finding.Failure
		c.Problems[i] = left
	}
	c.Problems = inOrder(c.Problems)
	c.Notes = inOrder(c.Notes)
}

// inOrder sorts diagnoses by their files, and removes those that are there twice.
func inOrder(list []*diagnosis) []*diagnosis {
	slices.SortStableFunc(list, func(a, b *diagnosis) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Code, b.Code))
	})
	isSame := func(a, b *diagnosis) bool { return *a == *b }
	return slices.CompactFunc(list, isSame)
}

// goOutput runs the go command in a folder, without a network, and returns what it prints.
func goOutput(dir string, args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "GOPROXY=off")
	out, err := cmd.Output()
	return strings.TrimSpace(string(out)), err
}

// checkVersions compares the version of this command with that of the library in go.mod.
func (c *checkup) checkVersions(s *survey) {
	if info, ok := debug.ReadBuildInfo(); ok {
		c.Version = info.Main.Version
	}
	c.Version = cmp.Or(c.Version, "(devel)")
	isRead := map[string]bool{} // by the folder of go.mod
	for _, place := range s.places {
		c.Go, _ = goOutput(place.Dir, "env", "GOVERSION")
		for _, dir := range place.Modules {
			root := moduleOf(filepath.Join(dir, "go.mod"))
			if isRead[root] {
				continue
			}
			isRead[root] = true
			if l, ok := libraryOf(root); ok {
				c.Libraries = append(c.Libraries, l)
			}
		}
	}
	for _, l := range c.Libraries {
		if !isOlder(c.Version, l.Version) {
			continue
		}
		a := newDiagnosis(finding.Note, finding.VersionOlder, "",
			"this command is "+c.Version+", and go.mod has promptecho "+l.Version+
				", which may write what this command cannot read")
		a.Command = "go install " + libraryModule + "/cmd/promptecho@" + l.Version
		c.add(a)
	}
}

// libraryModule is the module of the library and of this command.
const libraryModule = "github.com/promptecho/promptecho"

// libraryOf returns the version of promptecho that a module has; ok is false if it has none.
func libraryOf(dir string) (l library, ok bool) {
	out, err := goOutput(dir, "list", "-m", "-json", libraryModule)
	if err != nil {
		return library{}, false
	}
	var m struct {
		Version string
		Main    bool
		Replace *struct{ Path, Version string }
	}
	if json.Unmarshal([]byte(out), &m) != nil {
		return library{}, false
	}
	l = library{Module: shown(dir), Version: m.Version}
	switch {
	case m.Main:
		l.Replaced = "."
	case m.Replace != nil:
		l.Replaced = strings.TrimSpace(m.Replace.Path + " " + m.Replace.Version)
	}
	return l, true
}

var released = regexp.MustCompile(`^v(\d+\.\d+\.\d+)`)

// isOlder reports whether a version is older than another one, both as in go.mod. Of versions that
// are not known, none is older.
func isOlder(a, b string) bool {
	older, newer := released.FindStringSubmatch(a), released.FindStringSubmatch(b)
	if older == nil || newer == nil {
		return false
	}
	// The numbers compare as those of versions of Go.
	return goversion.Compare("go"+older[1], "go"+newer[1]) < 0
}

// checkSetup notes what promptecho init would write, and which packages have a guard.
func (c *checkup) checkSetup(s *survey) error {
	plan, err := planFor(s)
	if err != nil {
		return err
	}
	for _, f := range plan.Files {
		c.ToSetUp = append(c.ToSetUp, shown(f.Path))
	}
	c.Hints = len(plan.Advice)
	for _, a := range s.unlisted {
		unlisted := newDiagnosis(finding.Note, finding.PackageFailed, "",
			a.Text+" "+strings.Join(a.Lines[:min(1, len(a.Lines))], ""))
		unlisted.Command = "go mod download"
		c.add(unlisted)
	}
	for _, pkg := range s.packages {
		if !pkg.LinksEchotest {
			continue
		}
		c.Packages++
		if g, err := setup.GuardOf(pkg.Dir); err == nil && g.Calls {
			c.Guarded++
		}
	}
	for _, place := range s.places {
		c.CI = cmp.Or(c.CI, setup.CIOf(place.Root).Verifies)
	}
	return nil
}

// checkFiles reads cassettes, and what runs have left next to them.
func (c *checkup) checkFiles(files []string, packages testPackages, names []string, p *progress) {
	defer p.end()
	tests := map[testKey]bool{}
	for i, file := range files {
		p.step(i, len(files))
		f, err := load(file)
		c.add(checkCassette(file, f, err, packages)...)
		if kindOf(file) != isCassette {
			continue
		}
		c.Cassettes++
		c.Bytes += sizeOf(file)
		name, pkg := testOf(file)
		if name != "" && packages.reason(file) == orphans.InUse {
			tests[testKey{pkg, name}] = true
		}
		o := opened{Test: name, Path: file, Exists: true, Calls: map[string]int{}}
		if err == nil {
			o.Calls = callsByEndpoint(f)
			for kind, n := range listed(file, f, nil, packages).Calls {
				c.Calls[kind] += n
			}
		}
		if isAsked(name, names) {
			c.Opened = append(c.Opened, o)
		}
	}
	c.Tests = len(tests)
}

// sizeOf returns the size of a cassette with its assets.
func sizeOf(file string) (size int64) {
	for _, pattern := range []string{file, filepath.Join(cassette.Assets(file), "*")} {
		list, _ := filepath.Glob(pattern)
		for _, path := range list {
			if info, err := os.Stat(path); err == nil {
				size += info.Size()
			}
		}
	}
	return size
}

// callsByEndpoint counts the recordings of a cassette: "openai.chat", "GET /v1/x" and so on.
func callsByEndpoint(f *cassette.File) map[string]int {
	counts := map[string]int{}
	for _, it := range f.Interactions {
		counts[new(canon.Options).Form(&it.Request).Endpoint]++
	}
	return counts
}

// checkPackages looks for tests without a cassette, in the packages that link promptecho and in those
// that have cassettes. It returns their folders.
func (c *checkup) checkPackages(s *survey, files []string, packages testPackages) (dirs []string) {
	for _, p := range s.packages {
		dirs = addNew(dirs, p.Dir)
	}
	for _, file := range files {
		path, err := filepath.Abs(file)
		if err != nil {
			continue
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			path = real
		}
		if dir, _, ok := testname.Split(path); ok {
			dirs = addNew(dirs, dir)
		}
	}
	slices.Sort(dirs)
	for _, dir := range dirs {
		c.add(checkTests(packages.in(dir), shown)...)
	}
	return dirs
}

var variableName = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)+$`)

// checkKeys lists the keys that tests name, and those that are set and that an SDK reads.
func (c *checkup) checkKeys(dirs []string, packages testPackages) {
	tests := map[string]int{} // by variable
	for _, dir := range dirs {
		for _, texts := range packages.in(dir).Tests.Texts {
			for _, text := range addNew(nil, texts...) {
				if variableName.MatchString(text) && redact.IsCredentialVariable(text) {
					tests[text]++
				}
			}
		}
	}
	for _, name := range keys.Names() {
		_, isNamed := tests[name]
		if os.Getenv(name) != "" && !isNamed {
			tests[name] = 0
		}
	}
	for name, n := range tests {
		c.Keys = append(c.Keys, key{Name: name, For: keys.Host(name), Tests: n, IsSet: os.Getenv(name) != ""})
	}
	slices.SortFunc(c.Keys, func(a, b key) int { return cmp.Compare(a.Name, b.Name) })
}

// cassettesOnly returns the files that are cassettes.
func cassettesOnly(files []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool { return kindOf(file) != isCassette })
}

// isAsked reports whether a test, or one that it is a subtest of, is among the names.
func isAsked(test string, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		return test == name || strings.HasPrefix(test, name+"/")
	})
}

// narrow keeps what is about some tests. It is an error if one of them does not exist.
func (c *checkup) narrow(names, dirs []string, packages testPackages) error {
	isOther := func(a *diagnosis) bool {
		if a.File == "" {
			return false
		}
		test, _ := testOf(cassetteOfTest(a.File))
		return !isAsked(test, names)
	}
	c.Problems = slices.DeleteFunc(c.Problems, isOther)
	c.Notes = slices.DeleteFunc(c.Notes, isOther)
	for i, o := range c.Opened {
		c.Opened[i].Replays = !c.isDiagnosed(o.Path)
	}
	for _, name := range names {
		isFound := slices.ContainsFunc(c.Opened, func(o opened) bool { return isAsked(o.Test, []string{name}) })
		function, _, _ := strings.Cut(name, "/")
		for _, dir := range dirs {
			p := packages.in(dir)
			file := shown(filepath.Join(dir, testname.File(name)))
			isThere := slices.ContainsFunc(c.Opened, func(o opened) bool { return filepath.Clean(o.Path) == file })
			if !slices.Contains(p.Tests.Functions, function) || isThere {
				continue
			}
			own, _ := p.Tests.OpensOwn(function)
			if own || !isFound {
				c.Opened = append(c.Opened, opened{Test: name, Path: file, Calls: map[string]int{}})
			}
			isFound = true
		}
		if !isFound {
			return errors.New("no package here has a test " + name + " that links promptecho, nor a cassette of it")
		}
	}
	return nil
}

// isDiagnosed reports whether a file has a problem.
func (c *checkup) isDiagnosed(file string) bool {
	return slices.ContainsFunc(c.Problems, func(a *diagnosis) bool {
		return filepath.Clean(a.File) == filepath.Clean(file)
	})
}
