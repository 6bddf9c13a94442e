// Package programs proves that programs that know nothing of promptecho are recorded through its
// proxy, and replayed offline. The upstream is a server of the test, which stands for every
// host; no test here talks to a real one.
package programs

import (
	"fmt"
	"os"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// keys are the variables of API keys that the test has. A replay gives programs dummies.
var keys = []string{
	"OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY",
	"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY",
}

// key is the value of each API key.
const key = "echo-secret-of-programs-0123456789"

// TestMain makes the run independent of where it runs: the tests choose their modes in code, and
// a part of them is not taken for a part of a recording. It also is main of the programs in Go.
func TestMain(m *testing.M) {
	if name := os.Getenv(processVariable); name != "" {
		os.Exit(runProcess(name))
	}
	environ.Clear()
	for _, name := range keys {
		os.Setenv(name, key)
	}
	environ.HideFlags("test.run", "test.skip", "test.short")
	status := m.Run()
	removePackages()
	os.Exit(status)
}

// processVariable names the program in Go that this binary is.
const processVariable = "PROGRAMS_PROCESS"

// runProcess is main of a program in Go.
func runProcess(name string) int {
	err := processes[name]()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}
