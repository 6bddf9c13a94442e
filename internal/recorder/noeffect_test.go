package recorder

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Whatever the repository calls a variable of ours is one that Open knows.
func TestVariables(t *testing.T) {
	t.Parallel()
	surface, err := os.ReadFile("../../api.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(surface)) {
		if name := strings.TrimSpace(line); strings.HasPrefix(name, "PROMPTECHO_") && !slices.Contains(variables, name) {
			t.Errorf("%s is read or set somewhere, and variables in noeffect.go lacks it", name)
		}
	}
}
