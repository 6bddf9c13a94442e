package lint

import (
	"strings"
	"testing"
)

// An agent is known by its name in PATH, and where other programs have that name, by its
// arguments. A runner or launcher of MCP servers is known by what it starts.
func TestAgentsAndServersAreKnown(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		command  string
		isAgent  bool
		isServer bool // if a transport of MCP starts it
		session  string
	}{
		{"claude", true, true, "claude"},
		{"claude -p ? --output-format stream-json", true, true, "claude"},
		{"codex mcp-server", true, true, "codex"},
		{"goose run -t ?", true, true, "goose"},
		{"goose postgres up", false, false, "goose"},
		{"copilot svc deploy", false, false, "copilot"},
		{"amp", false, false, "amp"},
		{"ollama run llama", false, false, "ollama"},
		{"npx -y @modelcontextprotocol/server-git@2025.1.0", true, true, "server-git"},
		{"npx @zed-industries/claude-code-acp", true, true, "claude-code-acp"},
		{"npx @anthropic-ai/claude-code -p ?", true, true, "claude-code"},
		{"npx @modelcontextprotocol/inspector", false, false, "inspector"},
		{"npx weather-server", false, true, "weather-server"},
		{"npx tsx server.ts", false, false, "tsx"},
		{"uvx mcp-server-time", true, true, "mcp-server-time"},
		{"npx", false, false, "npx"},
		{"docker run -i --rm mcp/git", false, true, "docker"},
		{"docker run ghcr.io/github/github-mcp-server", false, true, "docker"},
		{"docker run postgres", false, false, "docker"},
		{"python -m mcp_server_time", false, true, "python"},
		{"python3 mcp/server.py", false, false, "python3"},
		{"python3 ./mcp", false, false, "python3"},
		{"weather-server -v", false, true, "weather-server"},
		{"echo mcp", false, false, "echo"},
		{"sh -c mcp-server", false, false, "sh"},
	} {
		words := strings.Fields(row.command)
		p := program{name: words[0], args: words[1:]}
		if p.isAgent() != row.isAgent || p.isServer() != row.isServer {
			t.Errorf("%s: agent %v, server %v", row.command, p.isAgent(), p.isServer())
		}
		if p.sessionName() != row.session {
			t.Errorf("%s: the name is %s, want %s", row.command, p.sessionName(), row.session)
		}
	}
}
