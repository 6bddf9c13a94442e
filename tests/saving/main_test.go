package saving_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// In a process that TestKilled starts, no test runs: it records until it is killed.
func TestMain(m *testing.M) {
	if os.Getenv(killedFile) != "" {
		recordUntilKilled()
		return
	}
	must.Main(m)
}
