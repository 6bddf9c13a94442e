// Package shell tests a script.
package shell

import (
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/promptecho/promptecho/echotest"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(echotest.RunFunc(func() int { return echotest.Run(m) }))
}

func TestAsk(t *testing.T) {
	t.Parallel()
	cmd := exec.CommandContext(t.Context(), "sh", "ask.sh", "Who painted Guernica?")
	cmd.Env = append(cmd.Environ(), echotest.Serve(t, echotest.New(t)).Env()...)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Guernica") {
		t.Errorf("%v\n%s", err, out)
	}
}
