// Which requests pass through a recorder unrecorded. PassThrough names servers, such as a database of the
// test, whose requests are sent in every mode and are in no cassette.
package passthrough_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
