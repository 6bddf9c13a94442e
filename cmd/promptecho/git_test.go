package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// stopGit ends the processes of git that read files.
func stopGit() {
	gitMutex.Lock()
	defer gitMutex.Unlock()
	for _, r := range repositories {
		if r.in != nil {
			r.in.Close()
		}
	}
	clear(repositories)
}

// TestOneGitForAllFolders: diff starts as many processes of git for many folders as for one, and compares
// those of folders that are gone, too.
func TestOneGitForAllFolders(t *testing.T) {
	const folders = 12
	dir := t.TempDir()
	t.Chdir(dir)
	t.Cleanup(stopGit) // on Windows, the folder of a process cannot be removed
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	cassette := func(i int, model string) {
		write(t, fmt.Sprintf("p%d/testdata/cassettes/Test.yaml", i), `version: 1
interactions:
- request:
    method: POST
    url: https://api.openai.com/v1/chat/completions
    headers: {content-type: application/json}
    body: {model: `+model+`, messages: [{role: user, content: hello}]}
  response:
    status: 200
    headers: {content-type: application/json}
    body: {id: x}
...
`)
	}
	for i := range folders {
		cassette(i, "gpt-4o")
	}
	for _, args := range []string{"init -q", "add .", "-c user.name=x -c user.email=x@example.com commit -q -m 1"} {
		if out, err := exec.Command("git", strings.Fields(args)...).CombinedOutput(); err != nil {
			t.Fatal(err, string(out))
		}
	}
	for i := range folders {
		cassette(i, "gpt-5")
	}
	if err := os.RemoveAll("p0"); err != nil {
		t.Fatal(err)
	}
	// The folder of the repository is asked for once, then the commit, what changed, what is new, and the files.
	const most = 5
	trace := filepath.Join(t.TempDir(), "trace")
	t.Setenv("GIT_TRACE2_EVENT", trace)
	var stdout, stderr bytes.Buffer
	if code := run([]string{"diff"}, &stdout, &stderr); code != 1 || !strings.HasSuffix(stdout.String(), fmt.Sprintf("\n%d cassettes changed, 1 cassette deleted\n", folders-1)) {
		t.Fatalf("diff: status %d\n%s%s", code, stderr.String(), stdout.String())
	}
	events, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	if started := strings.Count(string(events), `"event":"start"`); started == 0 || started > most {
		t.Errorf("diff of %d folders started git %d times, not %d at most:\n%s", folders, started, most, events)
	}
}
