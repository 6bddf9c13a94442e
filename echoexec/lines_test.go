package echoexec_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// Arguments come to the program as they are, whatever a shell or Windows makes of them.
func TestArgumentsAreThoseOfTheCommand(t *testing.T) {
	t.Parallel()
	args := []string{"a b", `c"d`, `e\`, `\\f "g\"`, "", "$HOME", "%PATH%", "ü", "-x"}
	var got string
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		out, err := echoexec.Command(rec, "args", cmd).Output()
		if err != nil {
			t.Fatal(err)
		}
		got = string(out)
		return got
	}, "args", args...)
	if want := fmt.Sprintf("%q\n", args); got != want {
		t.Errorf("the program got %s, want %s", got, want)
	}
}

// A line may have more than a megabyte.
func TestLineOfAMegabyte(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("long ", 1<<18)
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		cmd = echoexec.Command(rec, "cat", cmd)
		cmd.Stdin = strings.NewReader(line + "\nshort\n")
		out, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		if string(out) != line+"\nshort\n" {
			t.Errorf("got %d bytes", len(out))
		}
		return fmt.Sprint(len(out))
	}, "cat")
}

// Each of several processes at a time gets its own recording.
func TestConcurrentProcesses(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) string {
		rec := openRecorder(t, file, mode)
		const count = 8
		var all [count]string
		var running sync.WaitGroup
		for i := range count {
			running.Go(func() {
				cmd := echoexec.Command(rec, "upper", program("upper", "", true))
				cmd.Stdin = strings.NewReader(fmt.Sprintf("hello\nfrom %c\n", 'a'+i))
				out, err := cmd.CombinedOutput()
				all[i] = fmt.Sprint(string(out), err)
			})
		}
		running.Wait()
		closeRecorder(t, rec)
		return strings.Join(all[:], "")
	}
	want := run(promptecho.ModeAll)
	for range 3 {
		if got := run(promptecho.ModeNone); got != want {
			t.Errorf("replayed %s\nrecorded %s", got, want)
		}
	}
}

// A line that is no request cannot get an error: the program exits.
func TestLineThatIsNotRecordedEndsTheProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, input string) (stderr string, status int, err error) {
		rec := openRecorder(t, file, mode)
		cmd := echoexec.Command(rec, "upper", program("upper", "", true))
		cmd.Stdin = strings.NewReader(input)
		var errors bytes.Buffer
		cmd.Stderr = &errors
		_ = cmd.Run()
		return errors.String(), cmd.ProcessState.ExitCode(), rec.Close()
	}
	_, status, err := run(promptecho.ModeAll, "one\n")
	if status != 0 || err != nil {
		t.Fatal(status, err)
	}
	stderr, status, err := run(promptecho.ModeNone, "two\n")
	var miss *promptecho.MissError
	if !errors.As(err, &miss) || status != 1 || !strings.Contains(stderr, `"two"`) {
		t.Errorf("status %d, %s\nthe run ended with %v", status, stderr, err)
	}
}

// A random text of the client that the program repeats is compared as it is. The client may send it
// again before or after it has read the answer.
func TestTextOfTheClientIsRepeatedAtAnyTime(t *testing.T) {
	t.Parallel()
	const id = "aeeebf91-c249-91b2-d6c4-9923defd23ec"
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		p := start(t, rec, program("cat", "", true))
		lines := bufio.NewScanner(p)
		fmt.Fprintln(p, "open", id)
		if mode == promptecho.ModeAll {
			lines.Scan()
		}
		fmt.Fprintln(p, "read", id)
		p.Stdin.Close()
		for lines.Scan() {
		}
		err = p.Wait()
		if err != nil {
			t.Errorf("%s: %v", mode, err)
		}
		err = rec.Close()
		if err != nil {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// Messages of LSP have headers and no newlines. IDs, paths and refusals change their lengths.
func TestMessagesWithHeaders(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(mode promptecho.Mode, ids ...int) (answers []string, err error) {
		rec, err := promptecho.Open(file, promptecho.InMode(mode))
		if err != nil {
			t.Fatal(err)
		}
		p := start(t, rec, program("lsp", "", true))
		answersOf := bufio.NewReader(p)
		for i, id := range ids {
			writeFramed(p, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"open","params":%d}`, id, i))
			answer, err := readFramed(answersOf)
			if err != nil {
				t.Fatalf("%s: %v", mode, err)
			}
			answers = append(answers, string(answer))
		}
		p.Close()
		return answers, rec.Close()
	}
	recorded, err := ask(promptecho.ModeAll, 1, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	got, err := ask(promptecho.ModeNone, 1, 200, 3)
	want := strings.Replace(recorded[1], `"id":2`, `"id":200`, 1)
	if err != nil || got[1] != want {
		t.Errorf("replayed %s, %v, want %s", got, err, want)
	}
	got, err = ask(promptecho.ModeNone, 1, 2, 3, 4)
	if err == nil || !strings.Contains(got[3], `"code":-32418`) {
		t.Errorf("the answer to a request that is not recorded: %s, %v", got, err)
	}
	cassette, err := os.ReadFile(file)
	if err != nil || strings.Contains(string(cassette), "Content-Length") {
		t.Errorf("the cassette: %v\n%s", err, cassette)
	}
}

// What stands for a folder in a cassette must not be in a line.
func TestMarkInALineFailsTheRecording(t *testing.T) {
	t.Parallel()
	rec := openRecorder(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeAll)
	p := start(t, rec, program("upper", "", true))
	fmt.Fprintln(p, "cd $PROMPTECHO_HOME")
	p.Close()
	err := rec.Close()
	if err == nil || !strings.Contains(err.Error(), "$PROMPTECHO_HOME") {
		t.Errorf("the run ended with %v", err)
	}
}

// Paths of the machine are not in the cassette, and the client gets its own.
func TestPathsOfThisMachineAreNotRecorded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) (dir, out string) {
		rec := openRecorder(t, file, mode)
		cmd := program("dir", "", true)
		cmd.Dir = t.TempDir()
		got, err := echoexec.Command(rec, "dir", cmd).Output()
		if err != nil {
			t.Fatal(err)
		}
		err = rec.Close()
		if err != nil {
			t.Fatal(err)
		}
		return cmd.Dir, string(got)
	}
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		dir, out := run(mode)
		if out != "in "+dir+"\n" {
			t.Errorf("%s: in %s, the program wrote %s", mode, dir, out)
		}
		cassette, err := os.ReadFile(file)
		if err != nil || strings.Contains(string(cassette), os.TempDir()) {
			t.Errorf("the cassette has the folder: %v\n%s", err, cassette)
		}
	}
}
