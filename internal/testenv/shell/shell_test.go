package shell

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWith(t *testing.T) {
	t.Parallel()
	mode := "PROMPTECHO_MODE=all"
	for _, tt := range []struct {
		name, goos string
		words      []string
		variables  []string
		want       string
	}{
		{"variables", "linux", []string{"go"}, []string{"FROM=/a b/c", "MODE=once"},
			`FROM='/a b/c' MODE=once go`},
		{"variables on Windows", "windows", []string{"go"}, []string{`FROM=C:\it's`, "MODE=once"},
			`$env:FROM='C:\it''s'; $env:MODE='once'; go; Remove-Item Env:FROM; Remove-Item Env:MODE`},
		{"quoted words", "linux",
			[]string{"go", "test", "-tags=a,b", "example.com/app", "-run", "^TestIt's$"}, []string{mode},
			`PROMPTECHO_MODE=all go test -tags=a,b example.com/app -run '^TestIt'\''s$'`},
		{"quoted words on Windows", "windows",
			[]string{"go", "test", "-tags=a,b", "example.com/app", "-run", "^TestIt's$"}, []string{mode},
			`go test "-tags=a,b" example.com/app -run "^TestIt's$" "-echo.mode=all"`},
		{"nested module on Windows", "windows",
			[]string{"go", "-C", `C:\my app`, "test", "."}, []string{"PROMPTECHO_SNAPSHOTS=update"},
			`go -C "C:\my app" test . "-echo.update"`},
		{"a variable without a flag on Windows", "windows",
			[]string{"go", "test", "."}, []string{"PROMPTECHO_FROM=a.yaml", mode},
			`$env:PROMPTECHO_FROM='a.yaml'; go test . "-echo.mode=all"; Remove-Item Env:PROMPTECHO_FROM`},
	} {
		if got := With(tt.goos, tt.words, tt.variables...); got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// A command names a folder so that the command works in any folder of this
// machine, and if a CI job prints it, in the root of any checkout.
func TestPlace(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, "a", "b")
	outside := t.TempDir()
	for _, tt := range []struct{ ci, path, want string }{
		{"", dir, dir},
		{"false", dir, dir},
		{"true", dir, "a/b"},
		{"1", root, "."},
		{"true", outside, outside},
	} {
		t.Setenv("CI", tt.ci)
		if got := Place(tt.path); got != tt.want {
			t.Errorf("CI=%q: %s is %s, want %s", tt.ci, tt.path, got, tt.want)
		}
	}
}

// The printed commands move, delete and unlock files in the shell of the system.
func TestCommandsOfFiles(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ command, posix, windows string }{
		{"Move", "mv a.yaml 'my b.yaml'",
			`Move-Item -Force -LiteralPath a.yaml -Destination "my b.yaml"`},
		{"Remove", "rm a.yaml 'Test[x].yaml'", `Remove-Item -LiteralPath a.yaml, "Test[x].yaml"`},
		{"RemoveFolder", "rm -rf 'a b'",
			`Remove-Item -Recurse -Force -ErrorAction Ignore -LiteralPath "a b"`},
		{"MakeWritable", "chmod u+w 'a b'", `attrib -r "a b"`},
		{"In", "cd 'a b' && go test", `cd "a b"; go test`},
		{"Sequence", "one && two", "one; two"},
	} {
		for goos, want := range map[string]string{"linux": tt.posix, "windows": tt.windows} {
			got := map[string]string{
				"Move":         moveFor(goos, "a.yaml", "my b.yaml"),
				"Remove":       removeFor(goos, []string{"a.yaml", "Test[x].yaml"}),
				"RemoveFolder": removeFolderFor(goos, "a b"),
				"MakeWritable": makeWritableFor(goos, "a b"),
				"In":           inFor(goos, "a b", "go test"),
				"Sequence":     sequenceFor(goos, []string{"one", "two"}),
			}[tt.command]
			if got != want {
				t.Errorf("%s on %s:\n%s\nwant:\n%s", tt.command, goos, got, want)
			}
		}
	}
}
