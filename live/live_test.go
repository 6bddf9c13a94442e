// Package live asks the real providers with their SDKs, records the answers, and replays
// them. Each test has a stream and a call of a tool, and asserts only what every right
// answer has. Nothing here is committed but the tests: .ci/live records anew each night.
package live

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echotest"
)

// TestMain sees to it that no request leaves the process without a recorder.
func TestMain(m *testing.M) { echotest.Main(m) }

// recorder returns the recorder of a test. It skips the test if the run needs a cassette or a key
// that is not there:
//
//	record mode    needs
//	none           a cassette
//	compare        a cassette and the keys
//	all            the keys
//	any other      a cassette or the keys
func recorder(t *testing.T, keys ...string) *promptecho.Recorder {
	t.Helper()
	t.Parallel()
	file := filepath.Join(cmp.Or(os.Getenv("LIVE_CASSETTES"), "testdata/cassettes"), t.Name()+".yaml")
	_, err := os.Stat(file)
	hasCassette := err == nil
	missing := missingOf(keys)

	mode := promptecho.Mode(os.Getenv("PROMPTECHO_MODE"))
	replaysOnly := mode == promptecho.ModeNone || mode == promptecho.ModeCompare
	asks := mode == promptecho.ModeAll || mode == promptecho.ModeCompare || !hasCassette
	switch {
	case replaysOnly && !hasCassette:
		t.Skipf("nothing is recorded; to record it, set %s and PROMPTECHO_MODE=all", strings.Join(keys, ", "))
	case asks && missing != nil:
		t.Skipf("to record an answer, set %s", strings.Join(missing, ", "))
	}
	return echotest.Open(t, file)
}

// missingOf returns the variables that are not set.
func missingOf(names []string) (missing []string) {
	for _, name := range names {
		if os.Getenv(name) == "" {
			missing = append(missing, name)
		}
	}
	return missing
}

// What the tests say. The tool's argument is one of two words, so that a right answer has no
// choice.
const (
	greeting = "Say hello in one short sentence."
	question = "What is the weather in Paris? Call get_weather once."
	weather  = "21 degrees and sunny"
)

// schema is the JSON schema of the arguments of get_weather.
func schema() map[string]any {
	return map[string]any{
		"type": "object",
		"properties": map[string]any{
			"city": map[string]any{"type": "string", "enum": []string{"Paris", "Rome"}},
		},
		"required":             []string{"city"},
		"additionalProperties": false,
	}
}

// A reply is what a provider has streamed.
type reply struct {
	text   string
	events int    // with a part of the text
	reason string // why the model stopped
	tokens int64  // of the output
}

// check checks what every streamed greeting has.
func (r reply) check(t *testing.T, reason string) {
	t.Helper()
	if strings.TrimSpace(r.text) == "" || r.events == 0 {
		t.Errorf("the stream has %d events with text: %q", r.events, r.text)
	}
	if r.reason != reason {
		t.Errorf("the model stopped because of %q, want %q", r.reason, reason)
	}
	if r.tokens <= 0 {
		t.Errorf("the stream says that it has %d tokens", r.tokens)
	}
}

// checkCall checks what every right call of the tool has. arguments are JSON.
func checkCall(t *testing.T, name, arguments string) {
	t.Helper()
	var args struct{ City string }
	if err := json.Unmarshal([]byte(arguments), &args); err != nil {
		t.Errorf("the arguments are %q: %v", arguments, err)
	}
	if name != "get_weather" || args.City != "Paris" {
		t.Errorf("the model called %s(%s)", name, arguments)
	}
}

// checkFinal checks the answer after the result of the tool.
func checkFinal(t *testing.T, text string) {
	t.Helper()
	text = strings.ToLower(text)
	if !strings.Contains(text, "21") && !strings.Contains(text, "sunny") {
		t.Errorf("the answer does not have the result of the tool: %q", text)
	}
}
