// A client sees a recorded answer as the server sent it, and a replayed answer as it was recorded:
// each event when it comes, the same pieces, headers, lengths and trailers, and an end at the same
// place. Delays are replayed if a test asks for them.
package streams_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
