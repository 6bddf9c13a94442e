package observe

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/finding"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/nethttp/urls"
	"github.com/promptecho/promptecho/internal/testenv/stack"
)

// A Request is one or more requests of a test that are sent at one place to one host.
type Request struct {
	Package  string       `json:"package"`         // its folder, below that of the first module
	Test     string       `json:"test"`            // with subtests; empty if several may have made it
	Tests    []string     `json:"tests,omitempty"` // those, then
	Place    string       `json:"place"`           // file:line, the nearest in the modules that are tested
	From     string       `json:"from,omitempty"`  // the nearest in a test file, if that is another
	Host     string       `json:"host"`
	Family   string       `json:"family,omitempty"` // such as openai.chat; empty for what is no model API
	Count    int          `json:"count"`
	Recorder string       `json:"recorder,omitempty"` // through which it goes; empty: it is not covered
	Code     finding.Code `json:"code,omitempty"`     // no-recorder if it is not covered
	Fix      string       `json:"fix,omitempty"`
}

// A Result is what a run has shown.
type Result struct {
	Requests []Request    `json:"requests"`        // by package, test and place
	Code     finding.Code `json:"code,omitempty"`  // why not all requests were seen
	Unfit    string       `json:"unfit,omitempty"` // the same, for people
	Failed   bool         `json:"failed"`          // go test did not pass
}

// Run runs go test with the flags and packages, and writes what it prints to w. If not all
// packages could be run, there is a result and an error.
func Run(flags, packages []string, w io.Writer) (*Result, error) {
	goroot, err := output("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return run(goroot, flags, packages, w)
}

// run is Run with the standard library that stands in a folder.
func run(goroot string, flags, packages []string, w io.Writer) (*Result, error) {
	dir, err := os.MkdirTemp("", "promptecho-observe")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	logs := filepath.Join(dir, "logs")
	if err := os.Mkdir(logs, 0o700); err != nil {
		return nil, err
	}
	list, err := output("list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	var modules []module
	for line := range strings.SplitSeq(list, "\n") {
		path, dir, _ := strings.Cut(line, "\t")
		modules = append(modules, module{path, dir})
	}
	r := &Result{Requests: []Request{}}
	command, goroot, err := outOfCache(goroot, dir)
	if err != nil {
		return nil, err
	}
	files, err := overlay(goroot, dir)
	if errors.Is(err, errFit) {
		r.Code = finding.HookUnfit
		r.Unfit = err.Error()
		var list []testPackage
		list, err = testPackages(flags, packages)
		if err == nil {
			files, err = fallback(list, dir)
		}
	}
	if err != nil {
		return nil, err
	}
	said, err := goTest(command, files, logs, flags, packages, w)
	if err != nil {
		return nil, err
	}
	if err := r.read(logs, modules); err != nil {
		return nil, err
	}
	r.Failed = said.failed
	if said.unrun {
		return r, errors.New("go test could not run all packages; its output is above")
	}
	return r, nil
}

// An ending is how go test ended.
type ending struct{ failed, unrun bool }

// outOfCache returns a go command and its GOROOT whose files may be replaced. go refuses that for those in the
// module cache, where the toolchains are that it has downloaded; what a link outside of it names may be.
func outOfCache(goroot, dir string) (command []string, root string, err error) {
	cache, err := output("env", "GOMODCACHE")
	if err != nil || !strings.HasPrefix(goroot, cache+string(filepath.Separator)) {
		return []string{"go"}, goroot, err
	}
	root = filepath.Join(dir, "go")
	return []string{filepath.Join(root, "bin", "go"), "GOROOT=" + root, "GOTOOLCHAIN=local"}, root, os.Symlink(goroot, root)
}

// goTest runs go test with an overlay, whose hooks write logs. The command is that of go, and variables for it.
func goTest(command []string, files, logs string, flags, packages []string, w io.Writer) (e ending, err error) {
	args := append([]string{"test", "-count=1", "-overlay=" + files}, flags...)
	cmd := exec.Command(command[0], append(args, packages...)...)
	debug := "tracebackancestors=100"
	if old := os.Getenv("GODEBUG"); old != "" {
		debug = old + "," + debug
	}
	cmd.Env = append(append(os.Environ(), "PROMPTECHO_OBSERVE="+logs, "GODEBUG="+debug), command[1:]...)
	var said bytes.Buffer
	cmd.Stdout = io.MultiWriter(w, &said)
	cmd.Stderr = cmd.Stdout
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return e, err
	}
	e.failed = err != nil
	e.unrun = e.failed && !bytes.Contains(said.Bytes(), []byte("FAIL")) || bytes.Contains(said.Bytes(), []byte("[build failed]")) || bytes.Contains(said.Bytes(), []byte("[setup failed]"))
	return e, nil
}

// testPackages returns the packages of tests, each of which gets a hook.
func testPackages(flags, patterns []string) (list []testPackage, err error) {
	args := []string{"list", "-json=Name,Dir,TestGoFiles,XTestGoFiles"}
	for _, f := range flags {
		if strings.HasPrefix(f, "-tags=") {
			args = append(args, f)
		}
	}
	out, err := output(append(args, patterns...)...)
	if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(strings.NewReader(out)); ; {
		var p struct {
			testPackage
			TestGoFiles, XTestGoFiles []string
		}
		if err := dec.Decode(&p); err == io.EOF {
			return list, nil
		} else if err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			list = append(list, p.testPackage)
		}
	}
}

// output returns what the go command prints.
func output(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(said.String()+" "+err.Error()))
	}
	return strings.TrimSpace(string(out)), nil
}

// read reads the logs of all test programs.
func (r *Result) read(logs string, modules []module) error {
	entries, err := os.ReadDir(logs)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(logs, e.Name()))
		if err != nil {
			return err
		}
		if err := r.readLog(string(text), modules); err != nil {
			return err
		}
	}
	slices.SortFunc(r.Requests, func(a, b Request) int {
		return slices.Compare([]string{a.Package, a.Test, a.Place, a.Host}, []string{b.Package, b.Test, b.Place, b.Host})
	})
	return nil
}

// readLog adds what one test program tells.
func (r *Result) readLog(text string, modules []module) error {
	p := &process{tests: map[uint64]string{}, running: map[string]bool{}}
	for line := range strings.Lines(text) {
		line, whole := strings.CutSuffix(line, "\n")
		if !whole {
			break // the program was killed
		}
		a, err := p.read(line)
		if err != nil {
			return err
		}
		if a != nil {
			placed(a.stack, modules)
			r.add(p, a, modules)
		}
	}
	return nil
}

// add adds a request to those that are the same.
func (r *Result) add(p *process, a *asked, modules []module) {
	u, err := url.Parse(a.url)
	if err != nil || urls.IsThisMachine(u.Host) {
		return
	}
	one := Request{Package: relative(p.dir, modules), Host: u.Host, Family: family(a), Recorder: recorder(a.stack[0])}
	one.Test, one.Tests = p.attribute(a)
	place, inTest := nearest(a.stack, modules, one.Test)
	one.Place, one.From = placeIn(modules, place), placeIn(modules, inTest)
	if one.From == one.Place {
		one.From = ""
	}
	if one.Recorder == "" {
		one.Code = finding.NoRecorder
	}
	one.Fix = one.fix()
	for i := range r.Requests {
		known := &r.Requests[i]
		one.Count = known.Count
		if reflect.DeepEqual(one, *known) {
			known.Count++
			return
		}
	}
	one.Count = 1
	r.Requests = append(r.Requests, one)
}

// placeIn returns a place as people read it, "" for none.
func placeIn(modules []module, f stack.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", relative(f.File, modules), f.Line)
}

// family returns the API of a model that is asked, "" for anything else. The body is not
// known: it counts as one that has all that such APIs want.
func family(a *asked) string {
	form := new(canon.Options).Form(&interaction.Request{Method: a.method, URL: a.url,
		Body: []byte(`{"model":"m","messages":[],"input":"i","prompt":"p","contents":[],"query":"q","documents":[]}`)})
	kind, name := form.Kind()
	if kind != "llm" {
		return ""
	}
	return name
}

// relative returns a path below the first module, if it is there.
func relative(path string, modules []module) string {
	if rel, err := filepath.Rel(modules[0].dir, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return path
}

// fix says what to write so that a request goes through a recorder.
func (r *Request) fix() string {
	function, _, _ := strings.Cut(r.Test, "/") // without the input
	client := "create the client that sends at " + cmp.Or(r.Place, r.Host) + " with rec.Client()"
	switch {
	case r.Recorder != "":
		return ""
	case r.Test == "TestMain" || r.Test == "init":
		return "write rec, err := promptecho.Open(...) in TestMain, and " + client
	case r.Test == "":
		return "find out which test sends it (run each alone), write rec := echotest.New(t) there, and " + client
	case strings.HasPrefix(r.Test, "Example"): // which has no t
		return "write rec, err := promptecho.Open(...) and defer rec.Close() in " + r.Test + ", and " + client
	case strings.HasPrefix(r.Test, "Fuzz"): // whose inputs have no names
		return "write rec := echotest.New(f) before f.Fuzz in " + function + ", and " + client
	case strings.HasPrefix(r.Test, "Benchmark"):
		return "write rec := echotest.New(b) in " + r.Test + ", and " + client
	}
	return "write rec := echotest.New(t) in " + r.Test + ", and " + client
}
