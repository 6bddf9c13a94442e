//go:build unix

package echoexec_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// A client that closes its side before it has sent all that was recorded sees the recorded end at
// once. The test fails, with the line that was not sent.
func TestClientThatStopsEarlySeesTheEnd(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	run := func(mode promptecho.Mode, lines string) (string, error) {
		rec := openRecorder(t, file, mode)
		cmd := program("upper", file+".count", mode == promptecho.ModeAll)
		cmd.Stdin = strings.NewReader(lines)
		out, err := echoexec.Command(rec, "upper", cmd).Output()
		return fmt.Sprintf("%s%v", out, err), rec.Close()
	}
	got, err := run(promptecho.ModeAll, "one\ntwo\nthree\n")
	if got != "ONE\nTWO\nTHREE\n<nil>" || err != nil {
		t.Fatalf("recorded: %s, %v", got, err)
	}
	got, err = run(promptecho.ModeNone, "one\n")
	// What was recorded after the lines that are missing is not written.
	if got != "<nil>" && got != "ONE\n<nil>" {
		t.Errorf("replayed: %s", got)
	}
	if err == nil || !strings.Contains(err.Error(), "did not send 2 of the 3 messages") {
		t.Errorf("the end of the run: %v", err)
	}
}

// A temporary folder is another one in each run, also in the arguments of a program.
func TestTemporaryFolderInArguments(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone, promptecho.ModeNone} {
		rec := openRecorder(t, file, mode)
		folder := filepath.Join(t.TempDir(), "in")
		cmd := program("args", file+".count", mode == promptecho.ModeAll, "--folder="+folder)
		out, err := echoexec.Command(rec, "args", cmd).Output()
		want := fmt.Sprintf("%q\n", []string{"--folder=" + folder})
		if string(out) != want || err != nil {
			t.Errorf("%s: %s, %v, want %s", mode, out, err, want)
		}
		closeRecorder(t, rec)
	}
}

// A process of a replay dies of a signal that the recorded one was not sent.
func TestSignalThatIsNotRecordedEndsTheProgram(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.yaml")
	for _, mode := range []promptecho.Mode{promptecho.ModeAll, promptecho.ModeNone} {
		rec := openRecorder(t, file, mode)
		cmd := echoexec.Command(rec, "sleeper", program("sleep", file+".count", mode == promptecho.ModeAll))
		startStandIn(t, cmd)
		sig := os.Kill
		want := "signal: killed"
		if mode == promptecho.ModeNone {
			sig = os.Interrupt
			want = "signal: interrupt"
		}
		err := cmd.Process.Signal(sig)
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(cmd.Wait())
		if got != want {
			t.Errorf("%s: the process ended with %s, want %s", mode, got, want)
		}
		closeRecorder(t, rec)
	}
}
