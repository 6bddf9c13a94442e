package browser

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// write writes a file with its folders.
func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// tree makes the cassettes of some packages: an agent of interop, those of testdata, and a
// change since the last commit. Its folder is a git repository.
func tree(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	agent, err := os.ReadFile(filepath.Join("..", "interop", "testdata", "cassettes", "TestAgentCommitted.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "plan", "testdata", "cassettes", "TestTrip.yaml"), string(agent))
	if err := os.CopyFS(filepath.Join(dir, "bot", "testdata", "cassettes"), os.DirFS("testdata")); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=echo", "-c", "user.email=echo@example.com", "commit", "-qm", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git: %v\n%s", err, out)
		}
	}
	trip := filepath.Join(dir, "bot", "testdata", "cassettes", "TestTrip.yaml")
	old, err := os.ReadFile(trip)
	if err != nil {
		t.Fatal(err)
	}
	write(t, trip, strings.NewReplacer("Be brief.", "Be brief and kind.", "content: rains.", "content: snows.").Replace(string(old)))
	write(t, filepath.Join(dir, "bot", "testdata", "cassettes", "TestStream.yaml"), stream())
	write(t, filepath.Join(dir, "bot", "testdata", "cassettes", "TestNew.yaml"), "version: 1\ninteractions:\n  - request: {method: GET, url: \"https://example.com/\"}\n    response: {status: 503, body: busy}\n")
	return dir
}

// streamEvents is how many events stream has.
const streamEvents = 72

// stream returns a cassette with one answer whose events come in bursts.
func stream() string {
	var b strings.Builder
	b.WriteString("version: 1\ninteractions:\n  - request:\n      method: POST\n      url: https://api.openai.com/v1/chat/completions\n" +
		"      body: {model: gpt-x, stream: true, messages: [{role: user, content: Tell me of the museums of Paris.}]}\n" +
		"    response:\n      status: 200\n      stream: sse\n      events:\n")
	var delays []string
	for i := range streamEvents - 1 {
		fmt.Fprintf(&b, "        - {data: {choices: [{index: 0, delta: {content: \"word %d \"}}]}}\n", i)
		delays = append(delays, strconv.Itoa(5+i%7+180*(i%18/17)))
	}
	fmt.Fprintf(&b, "        - {data: \"[DONE]\"}\n      delays_ms: [%s, 4]\n    usage: {input_tokens: 21, output_tokens: 340}\n    latency_ms: 420\n", strings.Join(delays, ", "))
	return b.String()
}
