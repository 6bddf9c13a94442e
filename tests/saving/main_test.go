// When a cassette is saved, and what is never lost.
//
// A run replaces a recording only with proof that the new one is at least as good. What was
// answered is kept even if the process is killed, the disk is full, or the test fails.
package saving_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// In a process that TestKilledRunLosesNoFinishedCall starts, no test runs: it records until it
// is killed.
func TestMain(m *testing.M) {
	if os.Getenv(killedFile) != "" {
		recordUntilKilled()
		return
	}
	must.Main(m)
}
