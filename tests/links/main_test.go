// What the test of a user links. The tests of this package use echotest.New, and nothing else of
// package echotest.
package links_test

import (
	"testing"

	"github.com/promptecho/promptecho/tests/internal/must"
)

func TestMain(m *testing.M) { must.Main(m) }
