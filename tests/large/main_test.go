// How much a large cassette, a large body, or a large number of requests takes.
//
// The time and the memory of a test do not grow with what it does not use, and many goroutines
// share a recorder.
package large_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
