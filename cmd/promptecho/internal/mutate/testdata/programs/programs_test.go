// Package programs has the tests that the tests of package mutate run.
package programs

import (
	"encoding/json"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
)

// ask asks a model, and returns the text of its answer.
func ask(t *testing.T) string {
	t.Helper()
	rec, err := promptecho.Open("testdata/cassettes/louvre.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	body := `{"model":"gpt-made-up","messages":[{"role":"user","content":"Where is the Louvre?"}]}`
	resp, err := rec.Client().Post("https://api.openai.com/v1/chat/completions", "application/json",
		strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	var answer struct {
		Choices []struct{ Message struct{ Content string } }
	}
	err = json.NewDecoder(resp.Body).Decode(&answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer.Choices[0].Message.Content
}

const louvre = "The Louvre is in Paris."

func TestCompares(t *testing.T) {
	if got := ask(t); got != louvre {
		t.Errorf("got %q", got)
	}
}

func TestPanicsWithoutText(t *testing.T) {
	if words := strings.Fields(ask(t)); words[0] == "" {
		t.Error("an empty word")
	}
}

// TestLeavesChild starts a process that keeps the output of the test, in a session of its own.
func TestLeavesChild(t *testing.T) {
	ask(t)
	cmd := exec.Command("setsid", "sleep", "600")
	cmd.Stdout = os.Stdout
	err := cmd.Start()
	if err != nil {
		t.Fatal(err)
	}
	err = os.WriteFile(os.Getenv("CHILD"), []byte(strconv.Itoa(cmd.Process.Pid)), 0o600)
	if err != nil {
		t.Fatal(err)
	}
}

// TestWaits writes a file, tells the test of package mutate, and waits.
func TestWaits(t *testing.T) {
	ask(t)
	err := os.WriteFile(os.Getenv("WRITES"), []byte("new"), 0o600)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", os.Getenv("WAITS"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = conn.Read(make([]byte, 1))
}
