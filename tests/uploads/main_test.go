// An upload is sent as it is and matches by its content, however large it is. A large one is in the
// cassette as its length, media type and SHA-256 only.
package uploads_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
