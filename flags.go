package promptecho

import (
	"testing"

	"github.com/promptecho/promptecho/internal/recorder"
)

// A test binary has the flags -echo.mode, -echo.record and -echo.update. A program that is no
// test, and links this package, has none of them.
func init() {
	if testing.Testing() {
		recorder.AddFlags()
	}
}
