package echoexec_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// runWith returns a use that runs the program with this standard input, and returns all that it
// wrote.
func runWith(input string) func(*testing.T, *promptecho.Recorder, *exec.Cmd) string {
	return func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		cmd = echoexec.Command(rec, "program", cmd)
		var stderr bytes.Buffer
		cmd.Stdin = strings.NewReader(input)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		return fmt.Sprintf("%q %q %v", out, stderr.String(), err)
	}
}

// A command replays the standard output, the standard error and the exit status of its program.
func TestCommandReplaysWhatAProgramWrites(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ input, has string }{
		"upper": {"one\ntwo\n", "{received: TWO}"},
		"exit3": {"", "{received_stderr: err}"},
		"crlf":  {"", `{received: "one\r"}`},
		"cat":   {"half", "{sent_bytes:"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cassette := cycle(t, runWith(tt.input), name)
			if !strings.Contains(cassette, tt.has) {
				t.Errorf("the cassette lacks %s:\n%s", tt.has, cassette)
			}
		})
	}
}

// A client may set the environment after Command: the stand-in is one, and the program gets it.
func TestEnvironmentMayBeSetLater(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		env := cmd.Env
		cmd = echoexec.Command(rec, "upper", cmd)
		cmd.Env = env
		cmd.Stdin = strings.NewReader("one\n")
		out, err := cmd.Output()
		return fmt.Sprintf("%s%v", out, err)
	}, "upper")
}

// A variable that Env names must have the recorded value.
func TestVariablesOfEnvTakePartInMatching(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, units string) (string, error) {
		rec := openRecorder(t, file, mode)
		cmd := program("exit3", "", true)
		cmd.Env = append(cmd.Env, "UNITS="+units)
		out, _ := echoexec.Command(rec, "program", cmd, echoexec.Env("UNITS")).Output()
		return string(out), rec.Close()
	}
	want, err := run(promptecho.ModeAll, "metric")
	if err != nil {
		t.Fatal(err)
	}
	got, err := run(promptecho.ModeNone, "metric")
	if got != want || err != nil {
		t.Errorf("replayed %q: %v", got, err)
	}
	got, err = run(promptecho.ModeNone, "imperial")
	if err == nil || !strings.Contains(err.Error(), "env/UNITS") {
		t.Errorf("replayed %q, and the run ended with %v", got, err)
	}
}

// A command whose name is not valid does not start, and its error says why.
func TestNameThatIsNotValidIsTheErrorOfTheCommand(t *testing.T) {
	t.Parallel()
	rec := openRecorder(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeNone)
	cmd := echoexec.Command(rec, "my agent", exec.Command("agent"))
	err := cmd.Start()
	if err == nil || !strings.Contains(err.Error(), `"my agent"`) {
		t.Errorf("Start returned %v", err)
	}
	_ = rec.Close() // says that nothing was asked
}

// Without a recorder, all functions use the program itself.
func TestWithoutARecorderNothingChanges(t *testing.T) {
	t.Parallel()
	cmd := program("exit3", "", true)
	path := cmd.Path
	if echoexec.Command(nil, "program", cmd) != cmd || cmd.Path != path {
		t.Error("the command is another one")
	}
	if got := echoexec.Path(t, nil, "program", path); got != path {
		t.Errorf("the path is %s", got)
	}
}
