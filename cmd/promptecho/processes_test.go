package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// conversations is the folder with the cassettes of sessions with processes: an MCP server, and an
// agent for each protocol.
var conversations, _ = filepath.Abs(filepath.Join("..", "..", "internal", "canon", "conversation", "testdata"))

// TestShowOfProcesses: promptecho show prints the conversation with an agent or a server that is a
// child process, in the words of its protocol.
func TestShowOfProcesses(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(conversations, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no cassettes in %s: %v", conversations, err)
	}
	for _, file := range files {
		var stdout, stderr bytes.Buffer
		status := run([]string{"show", file}, &stdout, &stderr)
		if status != 0 {
			t.Fatalf("%s: status %d: %s", file, status, &stderr)
		}
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		got := strings.ReplaceAll(stdout.String(), file, name+".yaml")
		golden := filepath.Join(filepath.Dir(pictures), "processes", name+".txt")
		if *update {
			write(t, golden, got)
		}
		want, err := os.ReadFile(golden)
		if err != nil || got != string(want) {
			t.Errorf("%s differs (go test ./cmd/promptecho -run TestShowOfProcesses -update): %v\n%s", golden, err, got)
		}
	}
}

// TestPageOfProcesses: the page has the same titles and texts as show.
func TestPageOfProcesses(t *testing.T) {
	t.Parallel()
	var stdout, stderr bytes.Buffer
	out := filepath.Join(t.TempDir(), "page.html")
	status := run([]string{"view", "-o", out, filepath.Join(conversations, "claude.yaml")}, &stdout, &stderr)
	if status != 0 {
		t.Fatalf("status %d: %s", status, &stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"answer to 10: control_request can_use_tool",
		"There are two files. You said: List the files.",
		"2 turns, model claude-sonnet-4-5, $0.10457895",
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("the page has no %q", want)
		}
	}
}
