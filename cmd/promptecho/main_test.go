package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/cassette"
)

var update = flag.Bool("update", false, "rewrite testdata/demo.golden")

// What a newcomer reads, less what changes from run to run. Read it when it
// changes: testdata/demo.golden.
func TestDemoOutput(t *testing.T) {
	// Not parallel: the demo clears CI and PROMPTECHO_MODE of its process.
	for _, name := range []string{"CI", "PROMPTECHO_MODE"} {
		t.Setenv(name, os.Getenv(name))
	}
	dir := t.TempDir()
	var stdout, stderr bytes.Buffer
	if status := run([]string{"demo", "-dir", dir}, &stdout, &stderr); status != 0 || stderr.Len() > 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	got := strings.ReplaceAll(stdout.String(), dir, "DIR")
	got = regexp.MustCompile(`127\.0\.0\.1:\d+`).ReplaceAllString(got, "127.0.0.1:PORT")
	got = regexp.MustCompile(`in [0-9.]+(µs|ms|s)\b`).ReplaceAllString(got, "in TIME")
	got = regexp.MustCompile(`agent\.go:\d+`).ReplaceAllString(got, "agent.go:LINE")
	golden := filepath.Join("testdata", "demo.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the output has changed: if that is meant, run go test ./cmd/promptecho -update\ngot:\n%s\nwant:\n%s", got, want)
	}

	f, err := cassette.Load(filepath.Join(dir, demoFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Interactions) != 4 || f.Interactions[3].Response.Stream != "sse" {
		t.Errorf("the cassette has %d interactions", len(f.Interactions))
	}
	for _, it := range f.Interactions {
		if it.Response.Headers.Get("x-promptecho-provider") != "stand-in" {
			t.Errorf("line %d does not say that it comes from the stand-in", it.Line)
		}
	}
}
