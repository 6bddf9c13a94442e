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
	for _, name := range []string{"rome", "oslo", "a_city_with_a_name_that_is_longer_than_a_telephone_is_wide_in_one_word"} {
		write(t, filepath.Join(dir, "bot", "testdata", "cassettes", "TestCity", name+".yaml"), servers(name))
	}
	write(t, filepath.Join(dir, "bot", "testdata", "cassettes", "TestWide.yaml"), wide())
	write(t, filepath.Join(dir, "bot", "testdata", "cassettes", "TestNew.yaml"), "version: 1\ninteractions:\n  - request: {method: GET, url: \"https://example.com/\"}\n    response: {status: 503, body: busy}\n")
	return dir
}

// picture is a PNG of ten by ten pixels, and sound a WAV of no length, as base64.
const (
	picture = "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAIAAAACUFjqAAAAEklEQVR4nGP4z8CAB+GTG8HSALfKY52fTcuYAAAAAElFTkSuQmCC"
	sound   = "UklGRmQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YUAAAACAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgA=="
)

// servers returns a cassette with what agents ask beside models: a server of MCP, embeddings,
// pictures that were sent and answered, a sound.
func servers(city string) string {
	long := strings.Repeat("io.modelcontextprotocol/capability-of-the-client-", 4)
	return `version: 1
interactions:
  - request:
      method: POST
      url: https://mcp.example.com/mcp
      headers: {mcp-protocol-version: "2025-06-18"}
      body: {jsonrpc: "2.0", id: 1, method: initialize, params: {protocolVersion: "2025-06-18", capabilities: {"` + long + `": {"` + long + `": true}}, clientInfo: {name: x, version: v1}}}
    response: {status: 200, body: {jsonrpc: "2.0", id: 1, result: {protocolVersion: "2025-06-18", serverInfo: {name: weather, version: "1"}}}}
  - request:
      method: POST
      url: https://mcp.example.com/mcp
      body: {jsonrpc: "2.0", id: 3, method: tools/call, params: {name: get_weather, arguments: {city: ` + city + `}, _meta: {progressToken: 1}}}
    response:
      status: 200
      stream: sse
      events:
        - {event: message, data: {jsonrpc: "2.0", id: 3, result: {content: [{type: text, text: "sunny, 21 degrees"}]}}}
      delays_ms: [5]
    latency_ms: 40
  - request:
      method: POST
      url: https://api.openai.com/v1/embeddings
      body: {model: text-embedding-3-small, input: [a, b]}
    response: {status: 200, body: {object: list, data: [{embedding: [1,2,3,4,5,6,7,8]},{embedding: [1,2,3,4,5,6,7,8]}]}}
  - request:
      method: POST
      url: https://api.openai.com/v1/images/generations
      body: {model: gpt-image-1, prompt: a cat}
    response: {status: 200, body: {created: 1, data: [{b64_json: "` + picture + `"}]}}
  - request:
      method: POST
      url: https://api.openai.com/v1/chat/completions
      body: {model: gpt-x, messages: [{role: user, content: [{type: text, text: What is this?}, {type: image_url, image_url: {url: "data:image/png;base64,` + picture + `"}}, {type: input_audio, input_audio: {format: wav, data: "` + sound + `"}}]}]}
    response: {status: 200, body: {choices: [{message: {role: assistant, content: A cat.}, finish_reason: stop}]}}
`
}

// wide returns a cassette whose answer is a table of many columns, under long names.
func wide() string {
	row := strings.Repeat("| a column ", 40) + "|"
	long := strings.Repeat("a_name_without_a_break_", 8)
	return `version: 1
interactions:
  - request:
      method: POST
      url: https://api.openai.com/v1/chat/completions
      body: {model: ` + long + `, tools: [{type: function, function: {name: ` + long + `, description: "` + row + `", parameters: {type: object, properties: {` + long + `: {type: string}}}}}], messages: [{role: user, content: "` + row + `"}]}
    response: {status: 200, body: {model: ` + long + `, choices: [{message: {role: assistant, content: "` + row + `\n` + strings.ReplaceAll(row, "a column", "--------") + `\n` + row + `", tool_calls: [{id: a, type: function, function: {name: ` + long + `, arguments: '{"` + long + `": "` + long + `"}'}}]}, finish_reason: tool_calls}]}}
    usage: {input_tokens: 123456789, output_tokens: 987654321}
    latency_ms: 123456
`
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
