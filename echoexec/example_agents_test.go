package echoexec_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"log"
	"os/exec"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
)

// A test of an agent that prints lines of JSON. Claude Code is not started.
func Example_claude() {
	// In a test, this is rec := echotest.New(t).
	rec, err := promptecho.Open("testdata/cassettes/claude.yaml", promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()

	cmd := exec.Command("claude", "-p", "What is 2+2?", "--output-format", "stream-json", "--verbose")
	out, err := echoexec.Command(rec, "claude", cmd).Output()
	if err != nil {
		log.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var message struct {
			Type, Result string
			Cost         float64 `json:"total_cost_usd"`
		}
		if err := json.Unmarshal(line, &message); err != nil {
			log.Fatal(err)
		}
		if message.Type == "result" {
			fmt.Printf("%s for $%.4f\n", message.Result, message.Cost)
		}
	}
	// Output: 4 for $0.0104
}

// A test of an agent that is spoken to for as long as it runs. There is no process.
func Example_appServer() {
	rec, err := promptecho.Open("testdata/cassettes/appserver.yaml", promptecho.InMode(promptecho.ModeNone))
	if err != nil {
		log.Fatal(err)
	}
	defer rec.Close()

	codex, err := echoexec.Start(rec, "codex", exec.Command("codex", "app-server"))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(codex, `{"id":0,"method":"initialize","params":{"clientInfo":{"name":"example","version":"1"}}}`)
	lines := bufio.NewScanner(codex)
	lines.Scan()
	fmt.Println(lines.Text())
	if err := codex.Close(); err != nil {
		log.Fatal(err)
	}
	// Output: {"id":0,"result":{"userAgent":"codex_cli_rs/0.100.0"}}
}
