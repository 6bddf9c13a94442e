package echotest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/report"
)

// On GitHub a failure is an annotation at the line of the cassette or of the caller.
func TestAnnotate(t *testing.T) {
	root := t.TempDir()
	cassette := filepath.Join(root, "bot", "a,b.yaml")
	if err := os.MkdirAll(filepath.Dir(cassette), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(cassette, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	annotations := []report.Annotation{
		{File: cassette, Line: 4, Caller: "bot_test.go:9", Text: "50% of it\ndiffers: a, b"},
		{File: filepath.Join(root, "bot", "absent.yaml"), Caller: "bot_test.go:9", Text: "it does not exist"},
		{File: filepath.Join(root, "bot", "absent.yaml"), Text: "it does not exist"},
		{File: filepath.Join(root, "bot", "absent.yaml"), Caller: "curl/8.5.0, through http://127.0.0.1:41001 for https://api.openai.com", Text: "it does not exist"},
	}
	t.Chdir(filepath.Dir(cassette))
	said := func() string {
		var b strings.Builder
		annotate(&b, "TestX/a", annotations)
		return b.String()
	}
	t.Setenv("GITHUB_ACTIONS", "")
	if got := said(); got != "" {
		t.Errorf("outside of GitHub: %q", got)
	}
	t.Setenv("GITHUB_ACTIONS", "true")
	t.Setenv("GITHUB_WORKSPACE", root)
	// As the reference of workflow commands escapes it.
	want := "\n::error file=bot/a%2Cb.yaml,line=4,title=promptecho%3A TestX/a::a,b.yaml: 50%25 of it%0Adiffers: a, b\n" +
		"\n::error file=bot/bot_test.go,line=9,title=promptecho%3A TestX/a::absent.yaml: it does not exist\n" +
		"\n::error file=bot/absent.yaml,title=promptecho%3A TestX/a::absent.yaml: it does not exist\n" +
		"\n::error file=bot/absent.yaml,title=promptecho%3A TestX/a::absent.yaml: it does not exist\n"
	if got := said(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	t.Setenv("GITHUB_WORKSPACE", filepath.Join(root, "elsewhere"))
	if got := said(); !strings.Contains(got, "file="+strings.NewReplacer(",", "%2C", ":", "%3A").Replace(filepath.ToSlash(cassette))) {
		t.Errorf("outside of the workspace: %q", got)
	}
}

// The command of a report works from the top of the repository, also for a nested module.
func TestNestedModule(t *testing.T) {
	root := t.TempDir()
	inner := filepath.Join(root, "sub", "module")
	pkg := filepath.Join(inner, "pkg")
	for _, dir := range []string{filepath.Join(root, ".git"), pkg} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write := func(dir string) {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module m\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(inner)
	if got := nestedModule(pkg); got != inner {
		t.Errorf("a module below the repository: %q, want %q", got, inner)
	}
	write(root)
	if got := nestedModule(pkg); got != inner {
		t.Errorf("a nested module: %q, want %q", got, inner)
	}
	if got := nestedModule(root); got != "" {
		t.Errorf("the module of the repository: %q", got)
	}
	if got := nestedModule(t.TempDir()); got != "" {
		t.Errorf("no module: %q", got)
	}
}
