// Time, random numbers and variables that are the same in each replay. A recorder records what a test
// takes from Now, Rand and Env, and returns it again. Tests in a bubble of testing/synctest are recorded
// and replayed, too, where a day takes no time.
package time_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
