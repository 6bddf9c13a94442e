// What becomes of a cassette that was edited, cut, or changed while it is read.
//
// An edit by hand takes effect. Damage is refused with its place, and what is left is not
// overwritten by accident.
package editing_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
