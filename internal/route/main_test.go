package route

import (
	"os"
	"testing"
)

// TestMain lets tests record, which CI does not.
func TestMain(m *testing.M) {
	os.Unsetenv("CI")
	os.Exit(m.Run())
}
