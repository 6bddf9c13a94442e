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
	"runtime"
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
	Package string `json:"package"` // its folder, below that of the first module
	Test    string `json:"test"`    // with subtests; empty if several may have sent it

	// Tests are the tests that may have sent it, if there are several.
	Tests    []string     `json:"tests,omitempty"`
	Place    string       `json:"place"`          // file:line, the nearest in the modules
	From     string       `json:"from,omitempty"` // the nearest in a test file, if that is another
	Host     string       `json:"host"`
	Family   string       `json:"family,omitempty"` // the model API, such as openai.chat; empty for any other host
	Count    int          `json:"count"`
	Recorder string       `json:"recorder,omitempty"` // through which it goes; empty if it is not recorded
	Code     finding.Code `json:"code,omitempty"`     // no-recorder if it is not recorded
	Fix      string       `json:"fix,omitempty"`
}

// A Result has the requests of a run of go test.
type Result struct {
	Requests   []Request    `json:"requests"`        // by package, test and place
	Code       finding.Code `json:"code,omitempty"`  // why not all requests were seen
	Incomplete string       `json:"unfit,omitempty"` // the same in words
	Failed     bool         `json:"failed"`          // go test did not pass
}

// Run runs go test with flags and packages, and writes what go test prints to w. If go test
// could not run all packages, Run returns a result and an error.
func Run(flags, packages []string, w io.Writer) (*Result, error) {
	goroot, err := goOutput("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	return run(goroot, flags, packages, w)
}

// run does what [Run] does, with the standard library below goroot.
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
	modules, err := listModules()
	if err != nil {
		return nil, err
	}

	goCommand, err := replaceableToolchain(goroot, dir)
	if err != nil {
		return nil, err
	}
	r := &Result{Requests: []Request{}}
	overlay, err := stdlibOverlay(goCommand.root, dir)
	if errors.Is(err, errPatchUnfit) {
		r.Code = finding.HookUnfit
		r.Incomplete = err.Error()
		overlay, err = overlayOfPackages(flags, packages, dir)
	}
	if err != nil {
		return nil, err
	}

	test := goTest{goCommand: goCommand, overlay: overlay, logs: logs, flags: flags, packages: packages}
	outcome, err := test.run(w)
	if err != nil {
		return nil, err
	}
	if err := r.readLogs(logs, modules); err != nil {
		return nil, err
	}
	r.Failed = outcome.failed
	if outcome.incomplete {
		return r, errors.New("go test could not run all packages; its output is above")
	}
	return r, nil
}

// listModules returns the main modules of the go command in the current folder: one, or those of
// a workspace.
func listModules() (modules []module, err error) {
	list, err := goOutput("list", "-m", "-f", "{{.Path}}\t{{.Dir}}")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(list) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), "\t")
		modules = append(modules, module{path, filepath.ToSlash(dir)})
	}
	return modules, nil
}

// overlayOfPackages writes the overlay with a hook in the default transport.
func overlayOfPackages(flags, packages []string, dir string) (string, error) {
	list, err := testPackages(flags, packages)
	if err != nil {
		return "", err
	}
	return transportOverlay(list, dir)
}

// A goCommand is a command go, and the folder of its standard library.
type goCommand struct {
	path string
	env  []string // variables that the command needs
	root string   // GOROOT
}

// replaceableToolchain returns a go command with a GOROOT whose files an overlay may replace.
// The go command refuses to replace files below the module cache, which has the toolchains
// that it has downloaded. So such a GOROOT is used through a symbolic link in dir.
func replaceableToolchain(goroot, dir string) (goCommand, error) {
	cache, err := goOutput("env", "GOMODCACHE")
	if err != nil {
		return goCommand{}, err
	}
	if !strings.HasPrefix(goroot, cache+string(filepath.Separator)) {
		return goCommand{path: "go", root: goroot}, nil
	}
	link := filepath.Join(dir, "go")
	if err := linkFolder(goroot, link); err != nil {
		return goCommand{}, err
	}
	return goCommand{
		path: filepath.Join(link, "bin", "go"),
		env:  []string{"GOROOT=" + link, "GOTOOLCHAIN=local"},
		root: link,
	}, nil
}

// linkFolder makes link a link to a folder. On Windows, where only some users may make symbolic
// links, it is a junction otherwise.
func linkFolder(folder, link string) error {
	err := os.Symlink(folder, link)
	if err == nil || runtime.GOOS != "windows" {
		return err
	}
	out, junctionErr := exec.Command("cmd", "/c", "mklink", "/J", link, folder).CombinedOutput()
	if junctionErr != nil {
		return fmt.Errorf("%w; mklink /J: %w: %s", err, junctionErr, bytes.TrimSpace(out))
	}
	return nil
}

// A goTest is a run of go test with an overlay, whose hooks write logs.
type goTest struct {
	goCommand
	overlay         string // a file
	logs            string // a folder
	flags, packages []string
}

// A testOutcome says how go test ended.
type testOutcome struct {
	failed     bool
	incomplete bool // a package could not be built or run
}

// run runs go test, and writes what it prints to w.
func (t *goTest) run(w io.Writer) (testOutcome, error) {
	args := append([]string{"test", "-count=1", "-overlay=" + t.overlay}, t.flags...)
	cmd := exec.Command(t.path, append(args, t.packages...)...)
	// A stack trace then has the goroutines that started the sender of a request, too.
	debug := "tracebackancestors=100"
	if old := os.Getenv("GODEBUG"); old != "" {
		debug = old + "," + debug
	}
	cmd.Env = append(os.Environ(), "PROMPTECHO_OBSERVE="+t.logs, "GODEBUG="+debug)
	cmd.Env = append(cmd.Env, t.env...)

	var output bytes.Buffer
	cmd.Stdout = io.MultiWriter(w, &output)
	cmd.Stderr = cmd.Stdout
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return testOutcome{}, err
	}

	failed := err != nil
	text := output.Bytes()
	// For a test or a package that failed, go test prints FAIL.
	ranNothing := failed && !bytes.Contains(text, []byte("FAIL"))
	notBuilt := bytes.Contains(text, []byte("[build failed]"))
	notSetUp := bytes.Contains(text, []byte("[setup failed]"))
	return testOutcome{failed: failed, incomplete: ranNothing || notBuilt || notSetUp}, nil
}

// testPackages returns the packages that match the patterns and have tests.
func testPackages(flags, patterns []string) (list []testPackage, err error) {
	args := []string{"list", "-json=Name,Dir,TestGoFiles,XTestGoFiles"}
	for _, f := range flags {
		if strings.HasPrefix(f, "-tags=") {
			args = append(args, f)
		}
	}
	out, err := goOutput(append(args, patterns...)...)
	if err != nil {
		return nil, err
	}
	dec := json.NewDecoder(strings.NewReader(out))
	for {
		var p struct {
			testPackage
			TestGoFiles, XTestGoFiles []string
		}
		err := dec.Decode(&p)
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			list = append(list, p.testPackage)
		}
	}
}

// goOutput returns what the go command prints.
func goOutput(args ...string) (string, error) {
	cmd := exec.Command("go", args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go %s: %s", args[0], strings.TrimSpace(stderr.String()+" "+err.Error()))
	}
	return strings.TrimSpace(string(out)), nil
}

// readLogs reads the logs of all test programs.
func (r *Result) readLogs(dir string, modules []module) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if err := r.readLog(string(text), modules); err != nil {
			return err
		}
	}
	slices.SortFunc(r.Requests, func(a, b Request) int {
		return cmp.Or(
			cmp.Compare(a.Package, b.Package),
			cmp.Compare(a.Test, b.Test),
			cmp.Compare(a.Place, b.Place),
			cmp.Compare(a.Host, b.Host),
		)
	})
	return nil
}

// readLog adds the requests in the log of one test program.
func (r *Result) readLog(text string, modules []module) error {
	p := &process{tests: map[uint64]string{}, running: map[string]bool{}}
	for line := range strings.Lines(text) {
		line, isComplete := strings.CutSuffix(line, "\n")
		if !isComplete {
			break // the program was killed
		}
		req, err := p.readLine(line)
		if err != nil {
			return err
		}
		if req != nil {
			resolveFiles(req.stack, modules)
			r.add(p, req, modules)
		}
	}
	return nil
}

// add adds a request that leaves the machine, or counts it if an equal one is in the list.
func (r *Result) add(p *process, req *sentRequest, modules []module) {
	u, err := url.Parse(req.url)
	if err != nil || urls.IsThisMachine(u.Host) {
		return
	}
	added := Request{
		Package:  relative(p.dir, modules),
		Host:     u.Host,
		Family:   family(req),
		Recorder: recorderOf(req.stack[0]),
	}
	added.Test, added.Tests = p.attribute(req)
	place, inTest := nearestFrames(req.stack, modules, added.Test)
	added.Place = placeIn(modules, place)
	if from := placeIn(modules, inTest); from != added.Place {
		added.From = from
	}
	if added.Recorder == "" {
		added.Code = finding.NoRecorder
	}
	added.Fix = added.fix()

	for i := range r.Requests {
		known := &r.Requests[i]
		added.Count = known.Count
		if reflect.DeepEqual(added, *known) {
			known.Count++
			return
		}
	}
	added.Count = 1
	r.Requests = append(r.Requests, added)
}

// placeIn returns the file and line of a frame, "" for none.
func placeIn(modules []module, f stack.Frame) string {
	if f.File == "" {
		return ""
	}
	return fmt.Sprintf("%s:%d", relative(f.File, modules), f.Line)
}

// allFields is a body with the fields by which canon recognizes a model API.
const allFields = `{"model":"m","messages":[],"input":"i","prompt":"p","contents":[],"query":"q","documents":[]}`

// family returns the model API that a request is for, "" for any other. The body of the
// request is not in the log, so it counts as one with all fields of such APIs.
func family(req *sentRequest) string {
	form := new(canon.Options).Form(&interaction.Request{
		Method: req.method,
		URL:    req.url,
		Body:   []byte(allFields),
	})
	kind, name := form.Kind()
	if kind != "llm" {
		return ""
	}
	return name
}

// relative returns a path relative to the folder of the first module, if it is below that.
func relative(path string, modules []module) string {
	rel, err := filepath.Rel(modules[0].dir, path)
	if err != nil || !filepath.IsLocal(rel) {
		return path
	}
	return filepath.ToSlash(rel)
}

// fix says what to write in the test so that the request goes through a recorder.
func (r *Request) fix() string {
	function, _, _ := strings.Cut(r.Test, "/") // without the input of a fuzz test
	client := "create the client that sends at " + cmp.Or(r.Place, r.Host) + " with rec.Client()"
	switch {
	case r.Recorder != "":
		return ""
	case r.Test == "TestMain" || r.Test == "init":
		return "write rec, err := promptecho.Open(...) in TestMain, and " + client
	case r.Test == "":
		return "find out which test sends it (run each alone), write rec := echotest.New(t) there, and " + client
	case strings.HasPrefix(r.Test, "Example"): // an example has no t
		return "write rec, err := promptecho.Open(...) and defer rec.Close() in " + r.Test + ", and " + client
	case strings.HasPrefix(r.Test, "Fuzz"): // inputs have no names, so f has the cassette
		return "write rec := echotest.New(f) before f.Fuzz in " + function + ", and " + client
	case strings.HasPrefix(r.Test, "Benchmark"):
		return "write rec := echotest.New(b) in " + r.Test + ", and " + client
	}
	return "write rec := echotest.New(t) in " + r.Test + ", and " + client
}
