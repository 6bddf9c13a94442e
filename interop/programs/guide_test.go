package programs

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

// A program that a test starts behind a proxy is answered from the cassette of the test.
func TestProgramOfAGuide(t *testing.T) {
	need(t, "curl", "--version")
	server := echotest.Serve(t, echotest.New(t), echotest.Proxy())
	cmd := exec.CommandContext(t.Context(), "curl", "-sS", "https://api.example.com/text")
	cmd.Env = append(cmd.Environ(), server.Env()...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "hello from api.example.com") {
		t.Errorf("it says %s", out)
	}
}
