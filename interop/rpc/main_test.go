package rpc

import (
	"log/slog"
	"testing"
)

// TestMain discards what the clients log: Qdrant's client cannot find its own version in a test.
func TestMain(m *testing.M) {
	slog.SetDefault(slog.New(slog.DiscardHandler))
	m.Run()
}
