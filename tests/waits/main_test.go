// When a replay tells a client not to wait. A client that waited before it tried again in the
// recording, because an answer said so or by itself, does not wait in replay. docs/WAITS.md has what
// each SDK does.
package waits_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
