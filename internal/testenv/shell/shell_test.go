package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// shells are the programs that read a printed command. sh has to be there; a test
// uses those of the others that are installed.
var shells = []string{"sh", "dash", "bash", "zsh", "fish"}

func TestEachShellReadsBackWhatQuoteWrote(t *testing.T) {
	t.Parallel()
	words := []string{
		"", "plain", "a b", "it's", `"$HOME" \ * ? ~`, "^Test$/^a\\.b$", "é😀", "-n", "a;b|c&d",
		`\`, `\\`, `a\`, `a\\b`, `\'`, `'\`, `a\\\'b`, `\n`, "two\nlines", "!!", "=ls", "%self", "#a", "{a,b}",
		`-options={mask: {"req-[0-9]+\\)": "REQ"}}`, "~root", "[a]", "<a>", "a^b", "`id`", "$(id)", "(id)",
	}
	for _, name := range shells {
		program, err := exec.LookPath(name)
		if err != nil && name == "sh" {
			t.Fatal("no sh to check the quoting with")
		}
		if err != nil {
			continue
		}
		for _, word := range words {
			cmd := exec.Command(program, "-c", `VALUE=`+Quote(word)+` env printf '%s|' `+Join([]string{word, "end"})+`; VALUE=`+Quote(word)+` printenv VALUE`)
			cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
			out, err := cmd.CombinedOutput()
			if want := word + "|end|" + word + "\n"; err != nil || string(out) != want {
				t.Errorf("%s reads %s as %q, want %q: %v", name, Quote(word), out, want, err)
			}
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
	if got, want := With("windows", []string{"go", "\u2019s"}), "go '\u2019\u2019s'"; got != want {
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
