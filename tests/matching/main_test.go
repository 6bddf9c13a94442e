// Which recording answers a request.
//
// A request is answered by a recording only if matching makes the same text of both. What it
// ignores chooses among several such recordings. docs/MATCHING.md has the rules. Those for the
// bodies of each API are the cases of internal/canon/testdata.
package matching_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
