package guard_test

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain lets tests record, which CI does not.
func TestMain(m *testing.M) { environ.Main(m) }
