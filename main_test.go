package promptecho_test

import (
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// The examples choose their modes in code, and are whole under -run, too.
func TestMain(m *testing.M) {
	environ.HideFlags("test.run", "test.skip", "test.short")
	environ.Main(m)
}
