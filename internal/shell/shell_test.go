package shell

import (
	"os/exec"
	"testing"
)

// A shell must read back what Quote was given.
func TestQuote(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal("no sh to check the quoting with")
	}
	for _, s := range []string{"", "plain", "a b", "it's", `"$HOME" \ * ?`, "^Test$/^a\\.b$", "é😀", "-n", "a;b|c&d"} {
		out, err := exec.Command(sh, "-c", "printf %s "+Quote(s)).Output()
		if err != nil || string(out) != s {
			t.Errorf("Quote(%q) = %s reads as %q, %v", s, Quote(s), out, err)
		}
	}
}
