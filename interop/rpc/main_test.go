package rpc

import (
	"log/slog"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/environ"
)

// TestMain lets tests record, which CI does not, and discards what the clients log: Qdrant's client
// cannot find its own version in a test.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	environ.Main(m)
}
