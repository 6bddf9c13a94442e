package echoexec_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

func start(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) *echoexec.Process {
	t.Helper()
	p, err := echoexec.Start(rec, "program", cmd)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Start needs no process in replay.
func TestStartReplaysWithoutAProcess(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		lines := bufio.NewScanner(p)
		var got []string
		for _, word := range []string{"one", "two"} {
			_, err := p.Write([]byte(word + "\n"))
			if err != nil {
				t.Fatal(err)
			}
			lines.Scan()
			got = append(got, lines.Text())
		}
		p.Close()
		n, err := p.Read(make([]byte, 1))
		return fmt.Sprint(got, n, err, p.Wait())
	}, "upper")
}

// A prompt has no newline. The client reads it, and answers.
func TestPromptIsWrittenBeforeItIsAnswered(t *testing.T) {
	t.Parallel()
	cassette := cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		prompt := make([]byte, len("password: "))
		_, err := io.ReadFull(p, prompt)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(p, "xyzzy")
		rest, err := io.ReadAll(p)
		return fmt.Sprintf("%s|%s|%v|%v", prompt, rest, err, p.Wait())
	}, "ask")
	before, _, _ := strings.Cut(cassette, "xyzzy")
	if !strings.Contains(before, "received_bytes") {
		t.Errorf("the prompt is not before its answer:\n%s", cassette)
	}
}

// A prompt may be in the standard error, and stays without a newline at its end.
func TestPromptInStandardError(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		lines := bufio.NewScanner(p)
		var got strings.Builder
		for _, word := range []string{"one", "two"} {
			prompt := make([]byte, len(">>> "))
			_, err := io.ReadFull(p.Stderr, prompt)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintln(p, word)
			lines.Scan()
			got.WriteString(string(prompt) + lines.Text() + "\n")
		}
		p.Close()
		rest, err := io.ReadAll(p.Stderr)
		return fmt.Sprintf("%s%q %v", got.String(), rest, err)
	}, "shell")
}

// A program that fails does so in replay, with its exit status.
func TestStartFailsAsTheProgramDoes(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		out, _ := io.ReadAll(p.Stdout)
		stderr, _ := io.ReadAll(p.Stderr)
		err := p.Wait()
		var exit interface{ ExitCode() int }
		if !errors.As(err, &exit) || exit.ExitCode() != 3 {
			t.Errorf("the error is %v", err)
		}
		return fmt.Sprintf("%s %s %v", out, stderr, err)
	}, "exit3")
}

// A program that is missing while recording fails the test by name.
func TestMissingProgramFailsTheRecording(t *testing.T) {
	t.Parallel()
	rec := openRecorder(t, filepath.Join(t.TempDir(), "c.yaml"), promptecho.ModeAll)
	_, err := echoexec.Start(rec, "agent", exec.Command("no-such-agent"))
	if err == nil || !strings.Contains(err.Error(), "no-such-agent") {
		t.Errorf("Start returned %v", err)
	}
	err = rec.Close()
	if err == nil || !strings.Contains(err.Error(), "no-such-agent") {
		t.Errorf("the run ended with %v", err)
	}
}

// A request of JSON-RPC that is not recorded gets an error as its answer.
func TestRequestThatIsNotRecordedGetsAnError(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	ask := func(mode promptecho.Mode, text string) (string, error) {
		rec := openRecorder(t, file, mode)
		cmd := program("rpc", "", true)
		p := start(t, rec, cmd)
		fmt.Fprintln(p, `{"jsonrpc":"2.0","id":1,"method":"call","params":{"text":"`+text+`"}}`)
		fmt.Fprintln(p, `{"jsonrpc":"2.0","id":"p","method":"ping"}`)
		lines := bufio.NewScanner(p)
		var got strings.Builder
		for range 2 {
			lines.Scan()
			got.WriteString(lines.Text() + "\n")
		}
		p.Close()
		return got.String(), rec.Close()
	}
	_, err := ask(promptecho.ModeAll, "hello")
	if err != nil {
		t.Fatal(err)
	}
	cassette, _ := os.ReadFile(file)
	if strings.Contains(string(cassette), "ping") {
		t.Errorf("a ping is recorded:\n%s", cassette)
	}
	_, err = ask(promptecho.ModeNone, "hello")
	if err != nil {
		t.Error(err)
	}
	got, err := ask(promptecho.ModeNone, "goodbye")
	var miss *promptecho.MissError
	if !errors.As(err, &miss) {
		t.Errorf("the run ended with %v", err)
	}
	t.Log(got, err)
	if !strings.Contains(got, `"id":1,"error":{"code":-32418,`) {
		t.Errorf("the client got %s", got)
	}
}
