// What each record mode replays, sends to the provider and saves in the cassette. A mode is chosen
// by PROMPTECHO_MODE, by a flag of go test or in code, and it depends on CI if nothing chooses it.
package modes_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
