// Package demo shows promptecho at work, with the real go test in a real module.
package demo

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/promptecho/promptecho/internal/testenv/shell"
)

// module is what the sample is called: below promptecho, so that it may import the stand-in
// for a provider, which is internal.
const module = "github.com/promptecho/promptecho/demo"

// cassette is the file that its test records.
const cassette = "testdata/cassettes/TestTrip.yaml"

// telling are the lines of the cassette that say what was asked and answered.
var telling = regexp.MustCompile(`^ *(- kind: .*|request:|response:|(- )?content: .*|stream: sse|# .*)$`)

// testLine is where the test begins.
const testLine = "func TestTrip(t *testing.T) {"

// opening is printed before anything else is done. The times were measured on
// two cores: 31 s with an empty build cache, 3 s with a warm one.
const opening = `This demo runs a real go test four times, against a built-in fake provider: it
records, replays with the provider shut down, fails on an edited prompt, and
records again. It needs no network and no key. It takes a few seconds; the first
time about half a minute, because the go command compiles everything.

`

const next = `
Next, in a module of yours:

  go get github.com/promptecho/promptecho

  rec := echotest.New(t)                                  // github.com/promptecho/promptecho/echotest
  openai.NewClient(option.WithHTTPClient(rec.Client()))   // or whatever takes an *http.Client

The first go test records with your key, every later one replays, and CI only replays. Commit
testdata/cassettes: git diff is how you review it. More: https://github.com/promptecho/promptecho
`

//go:embed testdata/sample
var sample embed.FS

// Run says what the demo does and how long that takes, writes a module with a test, and shows
// what go test prints for it: recorded, replayed with the provider shut down, failing on an
// edit, recorded again. The module goes to dir, which must be empty or not exist, and stays
// there. If dir is "", it goes to a temporary folder, which is removed at the end and on an
// interrupt. Nothing is sent to the network.
func Run(dir string, w io.Writer) (err error) {
	if _, err := io.WriteString(w, opening); err != nil {
		return err
	}
	root, err := source()
	if err != nil {
		return err
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("the demo runs go test: %w", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	d := &demo{ctx: ctx, w: w, kept: dir != ""}
	if d.dir, err = folder(dir); err != nil {
		return err
	}
	if !d.kept {
		defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
	}
	if err = d.write(root); err == nil {
		err = d.tell()
	}
	if ctx.Err() != nil {
		return errors.New("interrupted")
	}
	return err
}

// latest is a command that runs the demo from the newest version.
var latest = []string{"go", "run", "github.com/promptecho/promptecho/cmd/promptecho@latest", "demo"}

// source returns the folder with the source of promptecho that this program was built from:
// a clone, or a folder of the module cache.
func source() (string, error) {
	_, file, _, _ := runtime.Caller(0)
	root := filepath.Dir(filepath.Dir(filepath.Dir(filepath.Dir(file))))
	if _, err := os.Stat(filepath.Join(root, "go.mod")); err != nil || !filepath.IsAbs(root) {
		return "", errors.New("the demo compiles a test with promptecho, and the source that this " +
			"command was built from is gone, or unknown because of -trimpath; this gets it:\n  " +
			shell.With(runtime.GOOS, latest, "GOFLAGS=-mod=mod"))
	}
	return root, nil
}

// folder makes an empty folder, a temporary one if dir is "", and returns its absolute path.
func folder(dir string) (string, error) {
	if dir == "" {
		return os.MkdirTemp("", "promptecho-demo-")
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	if files, err := os.ReadDir(dir); err != nil {
		return "", err
	} else if len(files) > 0 {
		return "", fmt.Errorf("%s is not empty, and the demo "+
			"overwrites nothing: name a folder that does not exist",
			dir)
	}
	return filepath.Abs(dir)
}

// A demo is told in one folder.
type demo struct {
	ctx  context.Context
	w    io.Writer
	dir  string
	kept bool // dir is the user's
}

// write writes the module. Nothing that it requires has to be fetched.
func (d *demo) write(root string) error {
	files, err := fs.Sub(sample, "testdata/sample")
	if err == nil {
		err = os.CopyFS(d.dir, files)
	}
	if err != nil {
		return err
	}
	const library = "github.com/promptecho/promptecho"
	mod := fmt.Sprintf("module %s\n\ngo 1.25.0\n\nrequire %s v0.0.0\n\nreplace %s => %q\n", module, library, library, filepath.ToSlash(root))
	return os.WriteFile(filepath.Join(d.dir, "go.mod"), []byte(mod), 0o666)
}

func (d *demo) say(format string, args ...any) { fmt.Fprintf(d.w, format, args...) }

// quote prints lines as those of a file or a command.
func (d *demo) quote(lines []string) {
	for _, line := range lines {
		d.say("%s\n", strings.TrimRight("   | "+line, " "))
	}
}

// tell tells the story.
func (d *demo) tell() error {
	test, err := d.read("trip_test.go")
	if err != nil {
		return err
	}
	d.say("A test that calls a model twice, the second time with a stream:\n\n")
	d.quote(test[slices.Index(test, testLine):])

	d.say("\n1. The first run records. A stand-in for the provider answers: no network, no key of yours.\n")
	d.say("   (The go command compiles everything first, and prints nothing while it does.)\n\n")
	recorded, err := d.goTest(true, "", "")
	if err == nil {
		err = d.showCassette(recorded)
	}
	if err != nil {
		return err
	}

	d.say("\n2. From then on it replays. The provider is shut down:\n\n")
	if _, err := d.goTest(true, "PROVIDER", "off"); err != nil {
		return err
	}

	d.say("\n3. One word of a prompt changes in trip.go. No similar answer is replayed: the test fails.\n\n")
	if err := d.edit("trip.go", "a rainy day", "a sunny day"); err != nil {
		return err
	}
	report, err := d.goTest(false, "PROVIDER", "off")
	if err != nil {
		return err
	}

	d.say("\n4. The command of that report, with the provider running again, records this test again:\n\n")
	again := []string{module, "-run", "^TestTrip$", "-count=1"}
	if command := command("PROMPTECHO_MODE", "all", again); !strings.Contains(report, command) {
		return fmt.Errorf("the report does not contain the command %s: this is a bug of promptecho", command)
	}
	if _, err := d.goTest(true, "PROMPTECHO_MODE", "all", again...); err != nil {
		return err
	}
	d.say("\n   The cassette has the new prompt:\n\n")
	lines, err := d.read(cassette)
	if err != nil {
		return err
	}
	d.quote(slices.DeleteFunc(lines, func(line string) bool { return !strings.Contains(line, "a sunny day") }))
	d.end()
	return nil
}

// showCassette prints what of the cassette a reader looks for, and proves that the key is not
// in it. The output of the run says how often the key was sent.
func (d *demo) showCassette(output string) error {
	lines, err := d.read(cassette)
	if err != nil {
		return err
	}
	d.say("\n   %s, in excerpts:\n\n", cassette)
	d.quote(slices.DeleteFunc(slices.Clone(lines), func(line string) bool { return !telling.MatchString(line) }))

	main, err := d.read("main_test.go")
	if err != nil {
		return err
	}
	key := regexp.MustCompile(`sk-demo-\w+`).FindString(strings.Join(main, "\n"))
	sent := regexp.MustCompile(`key sent ([1-9]\d*) times`).FindStringSubmatch(output)
	found := strings.Count(strings.Join(lines, "\n"), key)
	if key == "" || sent == nil || found > 0 {
		return fmt.Errorf("the key %q should have been sent, and should not be in the cassette, "+
			"where it is %d times: this is a bug of promptecho", key, found)
	}
	d.say("\n   The key %s was sent %s times. It is in that file %d times.\n", key, sent[1], found)
	return nil
}

// end says what to do next.
func (d *demo) end() {
	d.say("%s", next)
	if !d.kept {
		d.say("\nAll this was in a temporary folder, which is removed now. With -dir DIR it stays, " +
			"and you can\nrun the commands yourself.\n")
		return
	}
	d.say("\nThe module stays in %s; these commands work there:\n\n  cd %[1]s\n  go test\n  %s\n", shell.Quote(d.dir), command("PROMPTECHO_MODE", "all", nil))
}

// goTest prints a command, runs it in the module, and prints and returns its output. The test
// must pass, or fail.
func (d *demo) goTest(pass bool, name, value string, args ...string) (string, error) {
	d.say("   $ %s\n", command(name, value, args))
	cmd := exec.CommandContext(d.ctx, "go", append([]string{"test"}, args...)...)
	cmd.Dir = d.dir
	// What the user has set for other runs and modules does not count. An empty GOFLAGS would
	// leave that of go env -w in force. To vet all that the test links would take a sixth of
	// the first run.
	isOfOtherRuns := func(variable string) bool { return strings.HasPrefix(variable, "PROMPTECHO_") }
	cmd.Env = append(slices.DeleteFunc(cmd.Environ(), isOfOtherRuns), "CI=", "GITHUB_ACTIONS=", "PROVIDER=", "GOWORK=off", "GOFLAGS=-mod=readonly -vet=off")
	if name != "" {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	d.quote(strings.Split(strings.TrimRight(string(out), "\n"), "\n"))
	if (err == nil) != pass {
		return "", fmt.Errorf("unexpected result (%v): is it a bug of promptecho?", err)
	}
	return string(out), nil
}

// command returns a command that runs go test with an environment variable, if it has a name.
func command(name, value string, args []string) string {
	words := append([]string{"go", "test"}, args...)
	if name == "" {
		return shell.Join(words)
	}
	return shell.With(runtime.GOOS, words, name+"="+value)
}

// read returns the lines of a file of the module.
func (d *demo) read(name string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(d.dir, filepath.FromSlash(name)))
	return strings.Split(strings.TrimRight(string(data), "\n"), "\n"), err
}

// edit replaces a text in a file of the module.
func (d *demo) edit(name, old, fresh string) error {
	lines, err := d.read(name)
	if err != nil {
		return err
	}
	text := strings.Replace(strings.Join(lines, "\n")+"\n", old, fresh, 1)
	return os.WriteFile(filepath.Join(d.dir, name), []byte(text), 0o666)
}
