// Package decode has a test for each API that fails only if the SDK refuses an answer, and looks at
// nothing else. If such a test fails with a changed answer that is no failure of the provider, the
// change is one that no provider could send, or the SDK has a reason of its own.
package decode

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/interop/mutate/setup"
)

// TestMain runs the tests. The test binary is the MCP server, too, if it is called by its name.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == serverName {
		serveWeather()
		syscall.Exit(0) // with the race detector, os.Exit waits for a second
	}
	echotest.Main(m)
}

// schema is the schema of a tool's arguments and of an answer as JSON.
var schema = map[string]any{
	"type": "object",
	"properties": map[string]any{
		"city": map[string]any{"type": "string"},
		"days": map[string]any{"type": "integer"},
	},
	"required":             []string{"city", "days"},
	"additionalProperties": false,
}

const arguments = `{"city":"Paris","days":3}`

// The questions of each test, in order. The second one offers the tool get_weather, the third one
// asks for JSON of the schema where the API has that.
const (
	forText = "What is the capital of France?"
	forCall = "How will the weather be in Paris?"
	forJSON = "Where do I go, and for how many days?"
)

// recorder returns a recorder with the answers to the questions of a test.
func recorder(t *testing.T, questions int) *promptecho.Recorder {
	t.Helper()
	answers := []echofake.Step{
		echofake.Text("Paris ", "is ", "the ", "capital ", "of ", "France."),
		echofake.ToolCall("get_weather", arguments).ToolCall("get_weather", `{"city":"Oslo","days":1}`),
		echofake.JSON(arguments),
	}
	return setup.Recorder(t, answers[:questions]...)
}
