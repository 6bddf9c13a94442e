package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/child"
	"github.com/promptecho/promptecho/internal/recorder"
	"github.com/promptecho/promptecho/internal/report"
)

// stdio runs promptecho stdio in a process, and returns what it wrote and how it ended.
func stdio(t *testing.T, env []string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], append([]string{"stdio"}, args...)...)
	cmd.Env = append(os.Environ(), asCommand+"=1", "CI=")
	cmd.Env = append(cmd.Env, env...)
	cmd.Stdin = strings.NewReader("one\ntwo\n")
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err := cmd.Run()
	return fmt.Sprintf("%s%s%v", stdout.String(), stderr.String(), err)
}

// script is a program that writes what it reads.
var script = []string{"/bin/sh", "-c", "while read line; do echo got $line; done; exit 3"}

func needsShell(t *testing.T) {
	t.Helper()
	_, err := os.Stat(script[0])
	if err != nil {
		t.Skip(err)
	}
}

// promptecho stdio -cassette records a program, and replays it when it is not installed.
func TestStdioHasACassetteOfItsOwn(t *testing.T) {
	t.Parallel()
	needsShell(t)
	cassette := filepath.Join(t.TempDir(), "c.yaml")
	args := append([]string{"-cassette", cassette, "shell", "--"}, script...)
	recorded := stdio(t, nil, args...)
	want := "got one\ngot two\n"
	if !strings.HasPrefix(recorded, want) || !strings.HasSuffix(recorded, "exit status 3") {
		t.Fatalf("recorded: %s", recorded)
	}
	args[4] = filepath.Join(t.TempDir(), "not-installed")
	replayed := stdio(t, []string{"PROMPTECHO_MODE=none"}, args...)
	if replayed != want+"exit status 3" {
		t.Errorf("replayed: %s", replayed)
	}
	args[len(args)-1] = "another script"
	missed := stdio(t, []string{"PROMPTECHO_MODE=none"}, args...)
	if !strings.Contains(missed, "another script") || !strings.HasSuffix(missed, "exit status 1") {
		t.Errorf("with another argument: %s", missed)
	}
}

// promptecho stdio, started by a program under test, uses the recorder of the test.
func TestStdioUsesTheRecorderOfATest(t *testing.T) {
	t.Parallel()
	needsShell(t)
	cassette := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode, program string) string {
		rec, err := recorder.Open(cassette, func(c *recorder.Config) { c.InMode(recorder.Mode(mode)) })
		if err != nil {
			t.Fatal(err)
		}
		host, err := child.Serve(rec, false)
		if err != nil {
			t.Fatal(err)
		}
		defer host.Close()
		args := append([]string{"--", program}, script[1:]...)
		got := stdio(t, []string{child.ServeVariable + "=" + host.Address()}, args...)
		rep := rec.Finish(report.Outcome{})
		if len(rep.Errors) > 0 {
			t.Error(rep.Errors)
		}
		return got
	}
	want := run("all", script[0])
	got := run("none", filepath.Join("not-installed", "sh"))
	if want != "got one\ngot two\nexit status 3" || got != want {
		t.Errorf("recorded %q, replayed %q", want, got)
	}
}

// promptecho stdio without a test and without -cassette says what to do.
func TestStdioWithoutARecorderSaysSo(t *testing.T) {
	t.Parallel()
	got := stdio(t, nil, "--", "agent")
	if !strings.Contains(got, "-cassette") {
		t.Error(got)
	}
}

// A program that is recorded may start others by itself, which run.
func TestStdioInALiveProgramRunsTheCommand(t *testing.T) {
	t.Parallel()
	needsShell(t)
	args := append([]string{"--"}, script...)
	got := stdio(t, []string{child.ServeVariable + "=" + child.Live}, args...)
	if got != "got one\ngot two\nexit status 3" {
		t.Error(got)
	}
}
