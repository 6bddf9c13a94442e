package echoexec_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/internal/testing/environ"
)

// The test binary is the program, too: this variable says which one.
const programVariable = "ECHOEXEC_TEST_PROGRAM"

func TestMain(m *testing.M) {
	run := programs[os.Getenv(programVariable)]
	if run != nil {
		noteStart()
		run(bufio.NewScanner(os.Stdin))
		syscall.Exit(0) // os.Exit waits for a second with -race
	}
	environ.Main(m)
}

// noteStart adds a line to the file that counts how often programs were started.
func noteStart() {
	f, err := os.OpenFile(os.Getenv("ECHOEXEC_TEST_COUNT"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		fmt.Fprintln(f, "started")
		f.Close()
	}
}

// programs are what the tests start. It is filled by init, since a program may start another one.
var programs map[string]func(in *bufio.Scanner)

func init() { programs = allPrograms() }

func allPrograms() map[string]func(in *bufio.Scanner) {
	return map[string]func(in *bufio.Scanner){
		"upper": func(in *bufio.Scanner) {
			for in.Scan() {
				fmt.Println(strings.ToUpper(in.Text()))
			}
		},
		"rpc": func(in *bufio.Scanner) {
			for in.Scan() {
				var m struct {
					ID     json.RawMessage
					Method string
				}
				json.Unmarshal(in.Bytes(), &m)
				fmt.Printf(`{"jsonrpc":"2.0","id":%s,"result":{"did":%q}}`+"\n", m.ID, m.Method)
			}
		},
		"exit3": func(*bufio.Scanner) {
			fmt.Println("out")
			fmt.Fprintln(os.Stderr, "err")
			syscall.Exit(3)
		},
		"ask": func(in *bufio.Scanner) {
			fmt.Print("password: ")
			in.Scan()
			fmt.Print("thanks, " + in.Text())
		},
		"lsp": func(*bufio.Scanner) { // a language server: each message has a header
			in := bufio.NewReader(os.Stdin)
			for {
				text, err := readFramed(in)
				if err != nil {
					return
				}
				var m struct{ ID json.RawMessage }
				json.Unmarshal(text, &m)
				writeFramed(os.Stdout, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%d}`, m.ID, len(text)))
			}
		},
		"shell": func(in *bufio.Scanner) { // it asks in its standard error, as Python does
			fmt.Fprint(os.Stderr, ">>> ")
			for in.Scan() {
				fmt.Println(strings.ToUpper(in.Text()))
				fmt.Fprint(os.Stderr, ">>> ")
			}
		},
		"crlf": func(*bufio.Scanner) { fmt.Print("one\r\ntwo\r\n\r\nthree\r") },
		"sleep": func(*bufio.Scanner) {
			fmt.Println(os.Getpid())
			select {}
		},
		"crash": func(*bufio.Scanner) {
			fmt.Println("going down")
			// The runtime of Go handles the signal: a shell dies of it.
			syscall.Exec("/bin/sh", []string{"sh", "-c", "ulimit -c 0; kill -SEGV $$"}, os.Environ())
		},
		"edit": func(in *bufio.Scanner) {
			steps := []func(){
				func() { os.MkdirAll("sub", 0o700); os.WriteFile("sub/new.txt", []byte("one\n"), 0o600) },
				func() { os.WriteFile("sub/new.txt", []byte("two\xff"), 0o600); os.Remove("old.txt") },
				func() { os.WriteFile("sub/new.txt", []byte("six\xff"), 0o600) },
			}
			for _, step := range steps {
				if !in.Scan() {
					return
				}
				step()
				fmt.Println("done")
			}
		},
		"suicide": func(*bufio.Scanner) {
			fmt.Println("farewell")
			self, _ := os.FindProcess(os.Getpid())
			self.Kill()
			select {}
		},
		// recorder records a program that does not end, and writes what that writes.
		"recorder": func(*bufio.Scanner) {
			rec, err := promptecho.Open(os.Args[1], promptecho.InMode(promptecho.ModeAll))
			if err != nil {
				panic(err)
			}
			cmd := echoexec.Command(rec, "sleeper", program("sleep", "", true))
			cmd.Stdout = os.Stdout
			cmd.Stdin, _, _ = os.Pipe()
			cmd.Run()
		},
		"args": func(*bufio.Scanner) { fmt.Printf("%q\n", os.Args[1:]) },
		"dir": func(*bufio.Scanner) {
			dir, _ := os.Getwd()
			fmt.Println("in", dir)
		},
		"cat": func(*bufio.Scanner) { io.Copy(os.Stdout, os.Stdin) },
	}
}

// writeFramed writes a message as LSP does.
func writeFramed(w io.Writer, text string) {
	fmt.Fprintf(w, "Content-Length: %d\r\n\r\n%s", len(text), text)
}

// readFramed reads a message as LSP does.
func readFramed(r *bufio.Reader) ([]byte, error) {
	var size int
	_, err := fmt.Fscanf(r, "Content-Length: %d\r\n\r\n", &size)
	if err != nil {
		return nil, err
	}
	text := make([]byte, size)
	_, err = io.ReadFull(r, text)
	return text, err
}

// program returns the command of a program. If it is not installed, it cannot be started.
func program(name, count string, isInstalled bool, args ...string) *exec.Cmd {
	path := os.Args[0]
	if !isInstalled {
		path = filepath.Join(filepath.Dir(count), "not", "installed")
	}
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), programVariable+"="+name, "ECHOEXEC_TEST_COUNT="+count)
	return cmd
}

// cycle records what use does with a program, replays it, and demands that use returns the same.
func cycle(t *testing.T, use func(t *testing.T, rec *promptecho.Recorder, cmd *exec.Cmd) string, name string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.yaml")
	count := filepath.Join(dir, "count")
	run := func(mode promptecho.Mode, isInstalled bool) string {
		rec := openRecorder(t, file, mode)
		got := use(t, rec, program(name, count, isInstalled, args...))
		err := rec.Close()
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	want := run(promptecho.ModeAll, true)
	for range 3 {
		got := run(promptecho.ModeNone, false)
		if got != want {
			cassette, _ := os.ReadFile(file)
			t.Fatalf("replayed: %s\nrecorded: %s\n%s", got, want, cassette)
		}
	}
	starts, _ := os.ReadFile(count)
	if string(starts) != "started\n" {
		t.Errorf("the program was started %q", starts)
	}
	cassette, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(cassette)
}

// openRecorder opens a recorder for a cassette.
func openRecorder(t *testing.T, file string, mode promptecho.Mode) *promptecho.Recorder {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(mode))
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// closeRecorder closes a recorder, whose run must have no finding.
func closeRecorder(t *testing.T, rec *promptecho.Recorder) {
	t.Helper()
	err := rec.Close()
	if err != nil {
		t.Error(err)
	}
}
