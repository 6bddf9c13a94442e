package lock

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var digest = strings.Repeat("0a", 32)

// TestParse: a lock is read whole or not at all: one that was cut, edited or left with marks of
// git would seem to name fewer cassettes than there are.
func TestParse(t *testing.T) {
	t.Parallel()
	line := "cassettes/TestA/a b.yaml 12 " + digest + "\n"
	whole := Head + "\n" + line + "\ncassettes/TestB.yaml 3 " + digest + "\n" + End
	list, err := Parse("l", []byte(strings.ReplaceAll(whole, "\n", "\r\n")))
	if err != nil || len(list) != 2 || list[0] != (Entry{"cassettes/TestA/a b.yaml", "12", digest}) {
		t.Fatalf("%+v, %v", list, err)
	}
	for _, broken := range []string{"", Head, Head + line, line + End, whole + line, strings.Replace(whole, line, "<<<<<<< ours\n"+line, 1),
		strings.Replace(whole, "cassettes/TestB", "../TestB", 1), strings.Replace(whole, digest, digest[1:], 1)} {
		if list, err := Parse("l", []byte(broken)); err == nil || !strings.HasPrefix(err.Error(), "l:") || !strings.Contains(err.Error(), "promptecho-store merge") {
			t.Errorf("%q: %+v, %v", broken, list, err)
		}
	}
}

// TestCheck: a cassette that the lock names and that is not here is an error with the command that
// fetches it; one that is here, and one that the lock does not name, is none.
func TestCheck(t *testing.T) {
	t.Parallel()
	pkg := t.TempDir()
	here := filepath.Join(pkg, "testdata", "cassettes", "TestHere.yaml")
	if err := os.MkdirAll(filepath.Dir(here), 0o777); err != nil {
		t.Fatal(err)
	}
	text := Head + "cassettes/TestHere.yaml 1 " + digest + "\ncassettes/TestGone.yaml 1 " + digest + "\n" + End
	for name, content := range map[string]string{here: "x", filepath.Join(pkg, File): text} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	gone := filepath.Join(filepath.Dir(here), "TestGone.yaml")
	if err := Check(gone); err == nil || !strings.Contains(err.Error(), "promptecho-store pull ") {
		t.Errorf("it is gone: %v", err)
	}
	for _, file := range []string{here, filepath.Join(filepath.Dir(here), "TestNew.yaml"), filepath.Join(t.TempDir(), "c.yaml")} {
		if err := Check(file); err != nil {
			t.Error(err)
		}
	}
	if missing, err := Missing(pkg); err != nil || len(missing) != 1 || missing[0].Path != "cassettes/TestGone.yaml" {
		t.Errorf("missing: %+v, %v", missing, err)
	}
	if err := os.WriteFile(filepath.Join(pkg, File), []byte(Head), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := Check(gone); err == nil || !strings.Contains(err.Error(), "the lock is incomplete") {
		t.Errorf("the lock was cut: %v", err)
	}
}
