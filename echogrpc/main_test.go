package echogrpc_test

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain lets tests record, which CI does not. The example is whole under -run, too.
func TestMain(m *testing.M) {
	environ.HideFlags("test.run", "test.skip", "test.short")
	environ.Main(m)
}
