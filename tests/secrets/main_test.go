// Secrets get into no file, report or log, and replay works without them.
//
// The tests write a secret into each part of a call, in each shape and encoding, and look for it in the cassette, the
// journal, the file of a failed run, the log and the reports. docs/SECURITY.md says what a secret is.
package secrets_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
