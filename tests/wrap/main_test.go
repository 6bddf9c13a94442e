// Functions that a test wraps are recorded and replayed like requests. A replay returns the recorded
// result or error and calls nothing, except where Live says so. Frozen keeps a function from ever
// being called.
package wrap_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
