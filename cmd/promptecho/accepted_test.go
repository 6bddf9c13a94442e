package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/testenv/shell"
	"github.com/promptecho/promptecho/internal/testing/tree"
)

// TestRecordAccepted: the commands name the packages, go to the module of each, and have the
// tags that leave no test out.
func TestRecordAccepted(t *testing.T) {
	t.Setenv("CI", "")
	root := t.TempDir()
	if resolved, err := filepath.EvalSymlinks(root); err == nil {
		root = resolved // the working directory is
	}
	tree.Write(t, root, map[string]string{
		"go.mod":              "module m",
		"bot/a_test.go":       "package bot\nfunc TestPlain(t *testing.T) {}",
		"bot/b_test.go":       "//go:build integration && (slow || !fast)\n\npackage bot\n\nfunc TestTagged(t *testing.T) {}",
		"root_test.go":        "//go:build !ignored\n\npackage m\nfunc TestRoot(t *testing.T) {}",
		"other mod/go.mod":    "module other",
		"other mod/o_test.go": "//go:build e2e\n\npackage other\nfunc TestOther(t *testing.T) {}",
	})
	in := func(dir, test string) string { return filepath.FromSlash(dir + "testdata/cassettes/" + test + ".yaml") }
	for _, tt := range []struct {
		from  string
		files []string
		want  []string
	}{
		{"", []string{in("bot/", "TestPlain"), in("", "TestRoot"), in("bot/", "TestPlain/sub")}, []string{"promptecho record -accepted ./bot ."}},
		{"", []string{in("bot/", "TestTagged/one"), in("bot/", "TestTagged/two")}, []string{"promptecho record -accepted " + shell.Quote("-tags=integration,slow") + " ./bot"}},
		{"bot", []string{in("../", "TestRoot"), in("", "opened")}, []string{"promptecho record -accepted .. ."}},
		{"", []string{in("other mod/", "TestOther"), in("", "TestRoot")}, []string{
			shell.In(filepath.Join(root, "other mod"), "promptecho record -accepted -tags=e2e ."), "promptecho record -accepted .",
		}},
		{"", []string{"loose.yaml"}, []string{"set PROMPTECHO_MODE=accepted, and run the program that uses loose.yaml"}},
		{"", []string{in("shared/", "chat")}, []string{"set PROMPTECHO_MODE=accepted, and run the program that uses " + in("shared/", "chat")}},
	} {
		t.Chdir(filepath.Join(root, tt.from))
		if got := recordAgain(tt.files, mendAccepted); !slices.Equal(got, tt.want) {
			t.Errorf("%q in %q:\n%s\nwant:\n%s", tt.files, tt.from, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
		}
	}
}
