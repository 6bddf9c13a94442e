package idle

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// The table of waits in docs/design/concurrency.md has the limits of the code.
func TestDocumentedWaits(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/design/concurrency.md")
	if err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]time.Duration{
		"idle.Longest":   Longest,
		"socketTime":     socketTime,
		"withoutMetrics": withoutMetrics,
	} {
		want := fmt.Sprintf("%d ms (`%s`)", limit.Milliseconds(), name)
		if !strings.Contains(string(page), want) {
			t.Errorf("docs/design/concurrency.md does not have %s", want)
		}
	}
}
