package shell

import (
	"os"
	"os/exec"
	"path/filepath"
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

func TestWith(t *testing.T) {
	t.Parallel()
	if got, want := With("linux", []string{"go"}, "FROM=/a b/c", "MODE=once"), "FROM='/a b/c' MODE=once go"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if got, want := With("windows", []string{"go"}, `FROM=C:\it's`, "MODE=once"), `$env:FROM='C:\it''s'; $env:MODE='once'; go; Remove-Item Env:FROM; Remove-Item Env:MODE`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	words := []string{"go", "test", "-tags=a,b", "example.com/app", "-run", "^TestIt's$", "-count=1"}
	for goos, want := range map[string]string{
		"linux":   `MODE=all go test -tags=a,b example.com/app -run '^TestIt'\''s$' -count=1`,
		"windows": `$env:MODE='all'; go test '-tags=a,b' example.com/app -run '^TestIt''s$' -count=1; Remove-Item Env:MODE`,
	} {
		if got := With(goos, words, "MODE=all"); got != want {
			t.Errorf("%s:\n%s\nwant:\n%s", goos, got, want)
		}
	}
}

// A command names a folder so that it works wherever its reader stands: on this machine
// anywhere, and for CI in the root of any checkout.
func TestPlace(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir, outside := filepath.Join(root, "a", "b"), t.TempDir()
	for _, tt := range []struct{ ci, path, want string }{
		{"", dir, dir}, {"false", dir, dir}, {"true", dir, "a/b"}, {"1", root, "."}, {"true", outside, outside},
	} {
		t.Setenv("CI", tt.ci)
		if got := Place(tt.path); got != tt.want {
			t.Errorf("CI=%q: %s is %s, want %s", tt.ci, tt.path, got, tt.want)
		}
	}
}
