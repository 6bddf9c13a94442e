package main

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestSmall: the command links neither another module nor net/http, so that it is compiled
// quickly and from a clone alone.
func TestSmall(t *testing.T) {
	t.Parallel()
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatal(err)
	}
	packages := strings.Fields(string(out))
	for _, p := range packages {
		if p == "net/http" || regexp.MustCompile(`^[^/]+\.`).MatchString(p) && !strings.HasPrefix(p, "github.com/promptecho/promptecho/") {
			t.Errorf("it links %s", p)
		}
	}
	if len(packages) < 20 {
		t.Errorf("%d packages: is this the command?", len(packages))
	}
}
