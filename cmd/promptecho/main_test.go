package main

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// asCommand is the variable that makes the test binary the command, for tests that need a process.
const asCommand = "TEST_AS_COMMAND"

// TestMain: neither CI nor a mode in the environment decides what the tests do.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Unsetenv(asCommand)
		main()
		return
	}
	environ.Main(m)
}
