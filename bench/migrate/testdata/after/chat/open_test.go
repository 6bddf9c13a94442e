package chat

import (
	"crypto/rand"
	"testing"

	"github.com/promptecho/promptecho/echotest"
)

// open returns a client for a test.
func open(t *testing.T) *Client {
	t.Helper()
	rec := echotest.New(t)
	return &Client{HTTP: rec.Client(), Key: rec.Secret("OPENAI_API_KEY"), User: rand.Text()}
}
