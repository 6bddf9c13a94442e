package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMv: all that a test has moves with it, and nothing is overwritten.
func TestMv(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cassettes, snapshots := filepath.Join(dir, "testdata", "cassettes"), filepath.Join(dir, "testdata", "snapshots")
	put := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"TestOld.yaml", "TestOld.assets/a.png", "TestOld.yaml.failed", "TestOld.derived.yaml", "TestOld/sub.yaml", "TestOlder.yaml", "TestTaken.yaml"} {
		put(filepath.Join(cassettes, file))
	}
	put(filepath.Join(snapshots, "TestOld.snap"))
	mv := func(from, to string) (string, int) {
		var out bytes.Buffer
		code := run([]string{"mv", filepath.Join(cassettes, from), filepath.Join(cassettes, to)}, &out, &out)
		return out.String(), code
	}
	if text, code := mv("TestOld.yaml", "TestTaken.yaml"); code != 2 || !strings.Contains(text, "is there already") {
		t.Errorf("%d %s", code, text)
	}
	if text, code := mv("TestNone.yaml", "TestNew.yaml"); code != 2 || !strings.Contains(text, "there is no cassette") {
		t.Errorf("%d %s", code, text)
	}
	if text, code := mv("TestOld.yaml", "TestNew.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	for _, file := range []string{"TestNew.yaml", "TestNew.assets/a.png", "TestNew.yaml.failed", "TestNew.derived.yaml", "TestNew/sub.yaml", "TestOlder.yaml", "TestTaken.yaml", "../snapshots/TestNew.snap"} {
		if _, err := os.Stat(filepath.Join(cassettes, file)); err != nil {
			t.Error(err)
		}
	}
	// A test becomes one of its subtests, which stay.
	if text, code := mv("TestNew.yaml", "TestNew/whole.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	for _, file := range []string{"TestNew/whole.yaml", "TestNew/whole.assets/a.png", "TestNew/sub.yaml", "../snapshots/TestNew/whole.snap"} {
		if _, err := os.Stat(filepath.Join(cassettes, file)); err != nil {
			t.Error(err)
		}
	}
	if text, code := mv("TestNew/whole.yaml", "TestNew.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	// It moves to another package with its subtests.
	other := filepath.Join(dir, "other", "testdata", "cassettes", "TestNew.yaml")
	if text, code := mv("TestNew.yaml", "../../other/testdata/cassettes/TestNew.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	for _, file := range []string{"TestNew.yaml", "TestNew.assets/a.png", "TestNew/sub.yaml", "../snapshots/TestNew.snap"} {
		if _, err := os.Stat(filepath.Join(filepath.Dir(other), file)); err != nil {
			t.Error(err)
		}
	}
	if text, code := mv("../../other/testdata/cassettes/TestNew.yaml", "TestNew.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	// A subtest becomes one of another test, whose folder is made.
	if text, code := mv("TestNew/sub.yaml", "TestOther/deep/sub.yaml"); code != 0 {
		t.Fatalf("%d %s", code, text)
	}
	if _, err := os.Stat(filepath.Join(cassettes, "TestNew")); err == nil {
		t.Error("an empty folder is left")
	}
}

// A test whose name changes only in case gets its cassette on a file system that ignores case, too.
func TestMvToNameThatDiffersOnlyInCase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	from, to := filepath.Join(dir, "TestURL"), filepath.Join(dir, "TestUrl")
	write(t, from+".yaml", "version: 1\ninteractions: []\n")

	moves, err := movesOf(from, to)
	if err != nil || len(moves) != 1 || moves[0].to != to+".yaml" {
		t.Errorf("%v, %v", moves, err)
	}
	if moves, err := movesOf(from, from); err == nil {
		t.Errorf("to the same name: %v", moves)
	}
}
