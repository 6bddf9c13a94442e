// What mode compare sends again, and what it reports. The test runs on its recordings, and its model calls
// are sent to their providers when it is over. No file is written.
package compare_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
