package echoexec_test

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
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
