// Sessions: connections on which both sides send messages.
//
// A session replays as it was recorded, however it ended, and next to any number of others. A
// message that is not recorded is a miss that names what has changed.
package sessions_test

import (
	"os"
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

// In the processes that the tests start, no test runs.
func TestMain(m *testing.M) {
	switch {
	case os.Getenv(killedClient) != "":
		talkUntilKilled()
	case os.Getenv(killedRecorder) != "":
		recordUntilKilled()
	default:
		must.Main(m)
	}
}
