package children

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// lastsAtMost is how long processes may take to end on a busy machine.
const lastsAtMost = 30 * time.Second

// holders returns a file for the ExtraFiles of a command. The function that it returns waits until
// all processes that have got the file are gone.
func holders(t *testing.T) (file *os.File, wait func() error) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	t.Cleanup(func() { w.Close() })
	wait = func() error {
		err := errors.Join(w.Close(), r.SetReadDeadline(time.Now().Add(lastsAtMost)))
		if err != nil {
			return err
		}
		_, err = io.ReadAll(r)
		return err
	}
	return w, wait
}

// A program that is killed while it is recorded, after any number of messages, replays as one that
// was killed there.
func TestProgramKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"CommandTransport", "IOTransport"} {
		for messages := range full.Cases(4, 16) {
			t.Run(fmt.Sprintf("%s/%d", over, messages), func(t *testing.T) {
				t.Parallel()
				program := install(t, "weather")
				r := replays(t, program, 1, func(s *setup) error {
					kill := func() {
						for _, pid := range started(s.t, s.program) { // none in a replay
							_ = syscall.Kill(pid, syscall.SIGKILL) // it may have been killed
						}
					}
					return callUntilKilled(s, over, messages, kill)
				})
				if over == "CommandTransport" {
					wantSeen(t, r, "end: signal: killed")
				}
			})
		}
	}
}

// callUntilKilled calls tools until the program is killed, which kill does after some messages.
func callUntilKilled(s *setup, over string, messages int, kill func()) error {
	c, err := connect(s, over, oldProtocol, nil)
	if err != nil {
		return err
	}
	seen := 0
	c.onProgress = func() {
		seen++
		if seen == messages {
			kill()
		}
	}
	if messages == 0 {
		kill()
	}
	// Each call has three messages of progress.
	for i := range 7 {
		c.call(s.ctx, "weather", fmt.Sprint("City ", i), i)
	}
	end, _, _ := strings.Cut(fmt.Sprint(c.Close()), "\n")
	s.see.add("end", "%s", end)
	return nil
}

// A stand-in that is killed, as a client does that times out, ends the program.
func TestStandInKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	program := install(t, "claude")
	held, gone := holders(t)
	use := func(s *setup) error {
		cmd := echoexec.Command(s.rec, "claude", exec.Command(s.program))
		cmd.ExtraFiles = []*os.File{held}
		c, err := claudeOf(s, "claude", cmd, "allow")
		if err != nil {
			return err
		}
		if err := cmd.Process.Kill(); err != nil {
			return err
		}
		for message := range c.messages {
			c.note(message)
		}
		s.see.add("end", "%v", cmd.Wait())
		return nil
	}
	live, err, closing := run(t, file, promptecho.ModeAll, program, use, nil)
	if err != nil || closing != nil {
		t.Fatalf("%v\n%v", err, closing)
	}
	if err := gone(); err != nil {
		t.Errorf("the program still runs: %v", err)
	}
	held, _ = holders(t)
	again, err, closing := run(t, file, promptecho.ModeNone, missing(program), use, nil)
	if err != nil || closing != nil {
		t.Fatalf("%v\n%v", err, closing)
	}
	if difference := compare(live, again); difference != "" {
		t.Error(difference)
	}
}

// A client that forgets its program: the end of the recording ends it.
func TestClientGone(t *testing.T) {
	t.Parallel()
	for over := range transports {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			program := install(t, "weather")
			held, gone := holders(t)
			var c *goClient
			use := func(s *setup) (err error) {
				s.held = []*os.File{held}
				c, err = connect(s, over, oldProtocol, nil)
				if err == nil {
					c.call(s.ctx, "weather", "Oslo", nil)
				}
				return err
			}
			file := filepath.Join(t.TempDir(), "c.yaml")
			_, err, closing := run(t, file, promptecho.ModeAll, program, use, nil)
			if err != nil || closing != nil {
				t.Fatal(err, closing)
			}
			if err := gone(); err != nil {
				t.Errorf("a process still runs: %v", err)
			}
			runtime.KeepAlive(c) // it has the pipes of the process
		})
	}
}

// startPipes starts a command, and returns the end of its stdin that nobody closes.
func startPipes(cmd *exec.Cmd) (io.WriteCloser, error) {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	return stdin, cmd.Start()
}

// runTest is a test that records a server, and is killed. It has the file of its cassette as its
// argument, and a file for the processes that it starts. It says when the server has answered.
func runTest(args []string) int {
	rec, err := promptecho.Open(args[0], promptecho.InMode(promptecho.Mode(args[2])))
	if err != nil {
		fmt.Println(err)
		return 1
	}
	cmd := echoexec.Command(rec, "weather", exec.Command(args[1]))
	cmd.ExtraFiles = []*os.File{os.NewFile(3, "held")}
	c := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := c.Connect(context.Background(), &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, city := range cities {
		params := &mcp.CallToolParams{Name: "weather", Arguments: map[string]any{"city": city}}
		result, err := session.CallTool(context.Background(), params)
		fmt.Println(resultText(result, err))
	}
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until the test closes it
	err = errors.Join(session.Close(), rec.Close())
	if err != nil {
		fmt.Println(err)
		return 1
	}
	return 0
}

// A test that is killed while it records leaves neither a stand-in nor a program. The next one
// records the session again, and its recording replays.
func TestTestKilled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	test, program := install(t, "test"), install(t, "weather")
	start := func(mode promptecho.Mode, program string, held *os.File) (*exec.Cmd, io.WriteCloser, *bufio.Reader) {
		cmd := exec.Command(test, file, program, string(mode))
		cmd.ExtraFiles = []*os.File{held}
		cmd.Stderr = os.Stderr
		stdout, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		stdin, err := startPipes(cmd)
		if err != nil {
			t.Fatal(err)
		}
		return cmd, stdin, bufio.NewReader(stdout)
	}
	held, gone := holders(t)
	cmd, _, stdout := start(promptecho.ModeOnce, program, held)
	if out := readUntilReady(t, stdout); !strings.Contains(out, "Oslo is sunny") {
		t.Errorf("the client saw %s", out)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	if err := gone(); err != nil {
		t.Fatalf("a process still runs: %v", err)
	}

	var seen []string
	for _, path := range []string{program, missing(program)} {
		held, gone := holders(t)
		cmd, stdin, stdout := start(promptecho.ModeOnce, path, held)
		seen = append(seen, readUntilReady(t, stdout))
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%s: %v\n%s", path, err, seen)
		}
		if err := gone(); err != nil {
			t.Fatalf("a process still runs: %v", err)
		}
	}
	if seen[0] != seen[1] {
		t.Errorf("recorded:\n%s\nreplayed:\n%s", seen[0], seen[1])
	}
	if n := len(started(t, program)); n != 2 {
		t.Errorf("the program was started %d times, want 2", n)
	}
}

// readUntilReady reads what a test prints until it is ready.
func readUntilReady(t *testing.T, stdout *bufio.Reader) string {
	t.Helper()
	var out strings.Builder
	for {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("%v after\n%s", err, out.String())
		}
		if line == "ready\n" {
			return out.String()
		}
		out.WriteString(line)
	}
}

// A client that closes the standard input, and does not wait for the exit: the recording ends right
// after, and replays.
func TestClientThatDoesNotWait(t *testing.T) {
	t.Parallel()
	replays(t, install(t, "codex"), 1, func(s *setup) error {
		p, err := echoexec.Start(s.rec, "codex", exec.Command(s.program, "app-server"))
		if err != nil {
			return err
		}
		c := newCodexClient(withoutNotes(s), p, "accept")
		var hello struct{ UserAgent string }
		err = c.call("initialize", object{}, &hello)
		s.see.add("server", "%s", hello.UserAgent)
		return errors.Join(err, p.Stdin.Close())
	})
}

// withoutNotes returns a setup with notes that are not compared: they go on after the driver has returned.
func withoutNotes(s *setup) *setup {
	without := *s
	without.see = newNotes()
	return &without
}
