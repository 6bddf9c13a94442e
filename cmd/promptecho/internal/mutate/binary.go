package mutate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/testenv/suite"
)

// A binary is the test program of a package.
type binary struct {
	pkg  suite.Package
	file string // the program
	args []string
	temp string // for the plans and notes of its runs

	// A package whose tests write files below it runs one test at a time.
	files  *files
	lock   sync.RWMutex
	writes bool // guarded by lock

	// The lines of requests that the program sends again when they fail, after waits that are so long
	// that the tests do not end in their time.
	waits sync.Map
}

// build makes the test program of a package. flags are for go test -c.
func build(ctx context.Context, pkg suite.Package, flags []string, temp string) (*binary, error) {
	b := &binary{pkg: pkg, file: filepath.Join(temp, "test.exe"), temp: temp}
	words := append([]string{"test", "-c", "-o", b.file}, flags...)
	cmd := exec.CommandContext(ctx, "go", append(words, pkg.Path)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go test -c %s: %w\n%s", pkg.Path, err, bytes.TrimSpace(out))
	}
	return b, nil
}

// A process is what came of one run of a test program.
type process struct {
	output   string // its beginning and its end, if it is very long
	notes    []mutant.Note
	isOK     bool // exit status 0
	timedOut bool
	took     time.Duration
}

// run runs tests with a plan, for at most limit. The program is killed with all that it has started.
func (b *binary) run(
	ctx context.Context, plan mutant.Plan, limit time.Duration, args ...string,
) (*process, error) {
	dir, err := os.MkdirTemp(b.temp, "run-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	planFile := filepath.Join(dir, "plan.json")
	plan.Notes = filepath.Join(dir, "notes")
	text, err := json.Marshal(plan)
	if err == nil {
		err = os.WriteFile(planFile, text, 0o600)
	}
	if err == nil {
		err = os.WriteFile(plan.Notes, nil, 0o600)
	}
	if err != nil {
		return nil, err
	}

	ctx, cancel := context.WithTimeout(ctx, limit+killedAfter)
	defer cancel()
	args = append([]string{
		"-test.paniconexit0", "-test.v=test2json", "-test.timeout=" + limit.String(),
	}, args...)
	cmd := exec.CommandContext(ctx, b.file, append(args, b.args...)...)
	cmd.Dir = b.pkg.Dir
	cmd.Env = append(os.Environ(), "PROMPTECHO_MODE=none", "PROMPTECHO_SNAPSHOTS=none",
		mutant.Env+"="+planFile, "PWD="+b.pkg.Dir)
	began := time.Now()
	output, err := runGroup(cmd)
	if err != nil {
		return nil, err
	}
	return &process{
		output:   output,
		notes:    readNotes(plan.Notes),
		isOK:     cmd.ProcessState.Success(),
		timedOut: ctx.Err() == context.DeadlineExceeded,
		took:     time.Since(began),
	}, nil
}

// killedAfter is the time that a test program has to end by itself after its time is up: it prints
// what its goroutines do.
const killedAfter = 2 * time.Second

// runGroup runs a command in a process group of its own, and kills the group at the end. It returns
// what the command has printed. A failure of the command is no error.
func runGroup(cmd *exec.Cmd) (output string, err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return "", err
	}
	defer r.Close()
	cmd.Stdout = w
	cmd.Stderr = w
	setGroup(cmd)
	cmd.Cancel = func() error {
		killGroup(cmd)
		return cmd.Process.Kill()
	}
	err = cmd.Start()
	w.Close()
	if err != nil {
		return "", err
	}
	kept := &keptOutput{}
	isRead := make(chan struct{})
	go func() {
		defer close(isRead)
		_, _ = io.Copy(kept, r)
	}()
	_ = cmd.Wait() // the state of the process says how it ended
	killGroup(cmd)
	// A process that has left the group may keep the pipe open.
	_ = r.SetReadDeadline(time.Now().Add(time.Second))
	<-isRead
	return kept.String(), nil
}

// A keptOutput keeps the beginning and the end of what a process prints: it may print without end.
type keptOutput struct {
	beginning, end []byte
}

const mostOutput = 256 << 10 // bytes of the beginning, and of the end

func (k *keptOutput) Write(p []byte) (int, error) {
	n := len(p)
	room := min(n, mostOutput-len(k.beginning))
	k.beginning = append(k.beginning, p[:room]...)
	k.end = append(k.end, p[room:]...)
	if len(k.end) > 2*mostOutput {
		k.end = append([]byte(nil), k.end[len(k.end)-mostOutput:]...)
	}
	return n, nil
}

func (k *keptOutput) String() string { return string(k.beginning) + string(k.end) }

// readNotes reads the notes of a run. The last line may be cut if the program was killed.
func readNotes(file string) (notes []mutant.Note) {
	data, _ := os.ReadFile(file) // without notes, nothing was played
	for line := range bytes.Lines(data) {
		var n mutant.Note
		if json.Unmarshal(line, &n) == nil {
			notes = append(notes, n)
		}
	}
	return notes
}

// responseFile writes a changed response to a file that a plan names.
func (b *binary) responseFile(data []byte) (string, error) {
	f, err := os.CreateTemp(b.temp, "response-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return f.Name(), err
}

// onlyTest returns the arguments with which a test program runs a test, several times.
func onlyTest(test string, times int) []string {
	var parts []string
	for part := range strings.SplitSeq(test, "/") {
		parts = append(parts, "^"+regexp.QuoteMeta(part)+"$")
	}
	return []string{"-test.run=" + strings.Join(parts, "/"), "-test.count=" + strconv.Itoa(times)}
}
