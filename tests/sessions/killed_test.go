package sessions_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/cassette"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/report"
	"github.com/promptecho/promptecho/internal/testing/socket"
	"github.com/promptecho/promptecho/tests/internal/must"
)

// Variables that make this test binary a process that is killed.
const (
	killedClient   = "PROMPTECHO_TEST_KILLED_CLIENT"   // the address of the server
	killedAfter    = "PROMPTECHO_TEST_KILLED_AFTER"    // how many messages the client receives
	killedRecorder = "PROMPTECHO_TEST_KILLED_RECORDER" // the cassette
	killedBase     = "PROMPTECHO_TEST_KILLED_BASE"     // the address of the server
)

// A client that is killed in the middle of a session, in another process, leaves a session that
// replays up to there.
func TestSessionOfAKilledClientReplays(t *testing.T) {
	// Not parallel: it starts processes.
	server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) { serveUntilClosed(c) })
	for _, after := range []int{1, 3, allAnswers} {
		t.Run(fmt.Sprint("after ", after, " messages"), func(t *testing.T) {
			file := newCassette(t)
			run := func(rec *promptecho.Recorder) (lines []string) {
				base := echotest.Serve(t, rec).URL(server.URL)
				lines = startAndKill(t, after, killedClient+"="+base+"/chat", fmt.Sprint(killedAfter, "=", after))
				must.Close(t, rec)
				return lines
			}
			want := run(record(t, file))
			if got := run(replay(t, file)); !slices.Equal(got, want) {
				t.Errorf("the replay has %q, want %q", got, want)
			}
		})
	}
}

// talkUntilKilled is the process of the client. It prints what it receives, line by line, and
// waits to be killed.
func talkUntilKilled() {
	c, err := socket.Dialer{Client: http.DefaultClient}.Dial(context.Background(), os.Getenv(killedClient))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	after, err := strconv.Atoi(os.Getenv(killedAfter))
	if err != nil {
		panic(err)
	}
	askSome(c, after, func(text string) { fmt.Println(text) })
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// startAndKill starts this test binary with a variable, and kills it when it has printed a number
// of lines, which it returns.
func startAndKill(t *testing.T, after int, variables ...string) (lines []string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), variables...)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(stdout)
	for len(lines) < after && scanner.Scan() {
		lines = append(lines, scanner.Text())
	}
	if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		t.Fatal(err)
	}
	_ = cmd.Wait() // its error says that it was killed
	return lines
}

// killedSessions is how many sessions the killed recorder records, one after the other.
const killedSessions = 3

// A recording process that is killed at any message loses no session that was complete. The next
// run asks for the others only.
func TestKilledRunLosesNoCompleteSession(t *testing.T) {
	// Not parallel: it starts processes.
	var asked atomic.Int32
	server := socket.NewServer(t, func(_ *http.Request, c *socket.Conn) {
		asked.Add(1)
		serveUntilClosed(c)
	})
	linesPerSession := allAnswers + 2 // with the answer to the close frame, and "finished"
	for after := 1; after <= killedSessions*linesPerSession; after++ {
		t.Run(fmt.Sprint("after ", after, " lines"), func(t *testing.T) {
			file := newCassette(t)
			lines := startAndKill(t, after, killedRecorder+"="+file, killedBase+"="+server.URL)
			finished := 0
			for _, line := range lines {
				if strings.HasPrefix(line, "finished") {
					finished++
				}
				if strings.HasPrefix(line, "error") {
					t.Fatal(line)
				}
			}
			kept := completeInJournal(t, file)
			if kept < finished {
				t.Fatalf("the journal has %d sessions, and %d were complete", kept, finished)
			}

			asked.Store(0)
			rec := record(t, file)
			want := recordSessions(t, rec, server.URL)
			must.Pass(t, rec)
			if int(asked.Load()) != killedSessions-kept {
				t.Errorf("the next run opened %d sessions, want %d", asked.Load(), killedSessions-kept)
			}
			rec = replay(t, file)
			if got := recordSessions(t, rec, server.URL); got != want {
				t.Errorf("the replay has\n%s\nwant\n%s", got, want)
			}
			must.Pass(t, rec)
		})
	}
}

// completeInJournal returns how many complete sessions a journal has. There may be no journal.
func completeInJournal(t *testing.T, file string) (n int) {
	t.Helper()
	left, _, err := cassette.LoadJournal(file+must.JournalSuffix, "")
	if errors.Is(err, fs.ErrNotExist) {
		return 0
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, it := range left.Interactions {
		if it.Response.Stream == interaction.WebSocket && it.Response.End == "" {
			n++
		}
	}
	return n
}

func recordSessions(t *testing.T, rec *promptecho.Recorder, base string) string {
	var all strings.Builder
	for n := range killedSessions {
		talkInSession(rec, base, n, func(line string) { fmt.Fprintln(&all, line) })
	}
	if strings.Contains(all.String(), "error") {
		t.Fatal(all.String())
	}
	return all.String()
}

// talkInSession opens a session with a query of its own, and closes it.
func talkInSession(rec *promptecho.Recorder, base string, n int, report func(string)) {
	ctx := context.Background()
	c, err := socket.Dialer{Client: rec.Client()}.Dial(ctx, fmt.Sprint(base, "/chat?session=", n))
	if err != nil {
		report("error " + err.Error())
		return
	}
	askSome(c, allAnswers, report)
	_ = c.SendClose(1000, "bye")
	report(received(c.Receive()))
	c.Drop()
	report(fmt.Sprint("finished ", n))
}

// recordUntilKilled is the process of the recorder. It prints what it receives, line by line, and
// waits to be killed.
func recordUntilKilled() {
	rec, err := promptecho.Open(os.Getenv(killedRecorder), promptecho.InMode(promptecho.ModeAll))
	if err != nil {
		fmt.Println("error", err)
		os.Exit(1)
	}
	must.Begin(rec, report.Outcome{})
	for n := range killedSessions {
		talkInSession(rec, os.Getenv(killedBase), n, func(line string) { fmt.Println(line) })
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}
