//go:build unix

package echoexec_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// startStandIn starts a command, and returns the first line that it writes.
func startStandIn(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stdin.Close() })
	err = cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	lines.Scan()
	return lines.Text()
}

// isGone waits until a process has ended. It reports whether that was in time.
func isGone(t *testing.T, pid int) bool {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for time.Now().Before(deadline) {
		err := syscall.Kill(pid, 0)
		if errors.Is(err, syscall.ESRCH) {
			return true
		}
		runtime.Gosched()
	}
	return false
}

// A process that ends by a signal of its client does so in replay.
func TestSignalsReplay(t *testing.T) {
	t.Parallel()
	for _, sig := range []os.Signal{syscall.SIGTERM, os.Interrupt, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			cassette := cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
				cmd = echoexec.Command(rec, "sleeper", cmd)
				startStandIn(t, cmd)
				err := cmd.Process.Signal(sig)
				if err != nil {
					t.Fatal(err)
				}
				err = cmd.Wait()
				var exit *exec.ExitError
				if !errors.As(err, &exit) {
					t.Fatal(err)
				}
				return err.Error()
			}, "sleep")
			for _, want := range []string{"sent_signal: " + sig.String(), "received_close: 'signal: "} {
				if !strings.Contains(strings.ReplaceAll(cassette, `"`, "'"), want) {
					t.Errorf("the cassette lacks %q:\n%s", want, cassette)
				}
			}
		})
	}
}

// The program is killed by another signal than those that a Go program dies of.
func TestCrashReplays(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		cmd = echoexec.Command(rec, "crasher", cmd)
		out, err := cmd.Output()
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Sys().(syscall.WaitStatus).Signal() != syscall.SIGSEGV {
			t.Errorf("the error is %v", err)
		}
		return fmt.Sprintf("%s %v", out, exit.Sys().(syscall.WaitStatus).Signal())
	}, "crash")
}

// A client that kills its process leaves no program, and the session replays until then.
func TestKilledStandInLeavesNoProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode) string {
		rec := openRecorder(t, file, mode)
		cmd := echoexec.Command(rec, "sleeper", program("sleep", "", true))
		first := startStandIn(t, cmd)
		cmd.Process.Kill()
		err := cmd.Wait()
		if err == nil || err.Error() != "signal: killed" {
			t.Errorf("Wait returned %v", err)
		}
		if mode == promptecho.ModeAll {
			pid, err := strconv.Atoi(first)
			if err != nil {
				t.Fatal(err)
			}
			if !isGone(t, pid) {
				t.Error("the program still runs")
			}
		}
		closeRecorder(t, rec)
		return first
	}
	want := run(promptecho.ModeAll)
	got := run(promptecho.ModeNone)
	if got != want {
		t.Errorf("replayed %q, recorded %q", got, want)
	}
}

// Kill of a Process ends the program, and the end is that of a killed one in replay, too.
func TestKillOfAProcess(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		lines := bufio.NewScanner(p.Stdout)
		lines.Scan()
		err := p.Kill()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(lines.Text(), p.Wait())
	}, "sleep")
}

// What is closed, but does not exit, is ended.
func TestCloseEndsAProgramThatDoesNotExit(t *testing.T) {
	t.Parallel()
	cassette := cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		p := start(t, rec, cmd)
		lines := bufio.NewScanner(p.Stdout)
		lines.Scan()
		p.Close()
		return fmt.Sprint(lines.Text(), p.Wait())
	}, "sleep")
	if !strings.Contains(cassette, "terminated") {
		t.Errorf("the program was not ended:\n%s", cassette)
	}
}

// The stand-in ends the program if the process that records is killed.
func TestKilledTestLeavesNoProgram(t *testing.T) {
	t.Parallel()
	cmd := program("recorder", "", true, filepath.Join(t.TempDir(), "c.yaml"))
	pid, err := strconv.Atoi(startStandIn(t, cmd))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	cmd.Wait()
	if !isGone(t, pid) {
		t.Error("the program still runs")
	}
}

// A program that is killed from outside ends so in replay, too.
func TestKilledProgramReplays(t *testing.T) {
	t.Parallel()
	cycle(t, func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string {
		cmd = echoexec.Command(rec, "victim", cmd)
		out, err := cmd.Output()
		return fmt.Sprintf("%s %v", out, err)
	}, "suicide")
}
