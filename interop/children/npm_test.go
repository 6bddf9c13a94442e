package children

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	mark3 "github.com/mark3labs/mcp-go/mcp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echoexec"
	"github.com/promptecho/promptecho/echotest"
	"github.com/promptecho/promptecho/internal/testing/full"
)

// npm is a folder with the servers and the SDK of testdata/npm, which are installed once.
var npm struct {
	once   sync.Once
	folder string
	err    error
}

// npmFolder returns the folder with the packages, and the path of Node.js. It skips the test where
// Node.js or npm is not. CI has both.
func npmFolder(t *testing.T) (folder, node string) {
	t.Helper()
	for _, name := range []string{"npm", "node"} {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skip(err)
		}
		node = path
	}
	npm.once.Do(func() { npm.folder, npm.err = installPackages() })
	if npm.err != nil {
		t.Fatal(npm.err)
	}
	return npm.folder, node
}

func installPackages() (folder string, err error) {
	folder, err = os.MkdirTemp("", "children-npm")
	if err != nil {
		return "", err
	}
	if err := os.CopyFS(folder, os.DirFS(filepath.Join("testdata", "npm"))); err != nil {
		return folder, err
	}
	cmd := exec.Command("npm", "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		return folder, fmt.Errorf("npm ci: %w\n%s", err, out)
	}
	return folder, nil
}

// removePackages removes what npmFolder has installed.
func removePackages() {
	if npm.folder != "" {
		_ = os.RemoveAll(npm.folder) // it is in the folder of temporary files
	}
}

// server returns the script of a server of the packages.
func server(folder, name string) string {
	return filepath.Join(folder, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
}

// npm's server-everything, with the official SDK.
func TestClientsOfServerEverythingGoSDK(t *testing.T) {
	t.Parallel()
	folder, node := npmFolder(t)
	for over := range transports {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			r := replays(t, node, anyNumber, func(s *setup) error {
				c, err := connect(s, over, oldProtocol, nil, server(folder, "server-everything"), "stdio")
				if err != nil {
					return err
				}
				return errors.Join(useEverything(c), c.Close())
			})
			wantSeen(t, r, "call trigger-long-running-operation 2: Long running operation completed. "+
				"Duration: 0.2 seconds, Steps: 2. (error: false)")
		})
	}
}

// useEverything uses what server-everything has.
func useEverything(c *goClient) error {
	ctx, see := c.s.ctx, c.s.see
	for tool, err := range c.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		see.add("tools", "%s", tool.Name)
	}
	var calls sync.WaitGroup
	for steps := range 8 {
		calls.Go(func() {
			everythingCall(c, "trigger-long-running-operation", steps, map[string]any{"duration": 0.2, "steps": steps})
		})
	}
	calls.Wait()
	for steps := range 8 {
		if err := see.wait(ctx, fmt.Sprint("progress of ", steps), steps); err != nil {
			return err
		}
	}
	everythingCall(c, "get-sum", 1, map[string]any{"a": 1, "b": "two"})
	everythingCall(c, "get-tiny-image", 1, map[string]any{})
	everythingCall(c, "trigger-sampling-request", 1, map[string]any{"prompt": "Hello", "maxTokens": 10})
	everythingCall(c, "trigger-elicitation-request", 1, map[string]any{})
	everythingCall(c, "get-roots-list", 1, map[string]any{})
	prompt, err := c.GetPrompt(ctx, &mcp.GetPromptParams{
		Name:      "args-prompt",
		Arguments: map[string]string{"city": "Oslo"},
	})
	if err != nil {
		return err
	}
	see.add("prompts", "%s", prompt.Messages[0].Content.(*mcp.TextContent).Text)
	completion, err := c.Complete(ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "completable-prompt"},
		Argument: mcp.CompleteParamsArgument{Name: "department", Value: "S"},
	})
	if err != nil {
		return err
	}
	see.add("prompts", "%v", completion.Completion.Values)
	const uri = "demo://resource/dynamic/text/1"
	resource, err := c.ReadResource(ctx, &mcp.ReadResourceParams{URI: uri})
	if err != nil {
		return err
	}
	see.add("resources", "%s", resource.Contents[0].Text)
	if err := c.Subscribe(ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	everythingCall(c, "toggle-subscriber-updates", 1, map[string]any{})
	if err := see.wait(ctx, "updated", 1); err != nil {
		return err
	}
	everythingCall(c, "toggle-subscriber-updates", 2, map[string]any{})
	return nil
}

// everythingCall calls a tool with a progress token.
func everythingCall(c *goClient, tool string, token int, args map[string]any) {
	c.mu.Lock()
	c.cities[float64(token)] = fmt.Sprint(token)
	c.mu.Unlock()
	params := &mcp.CallToolParams{Name: tool, Arguments: args}
	params.SetProgressToken(token)
	result, err := c.CallTool(c.s.ctx, params)
	c.s.see.add(fmt.Sprint("call ", tool, " ", token), "%s", c.s.withoutDir(resultText(result, err)))
}

// npm's server-everything, with mark3labs/mcp-go.
func TestClientsOfServerEverythingMark3(t *testing.T) {
	t.Parallel()
	folder, node := npmFolder(t)
	for over := range mark3Transports {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			replays(t, node, anyNumber, func(s *setup) error {
				c, err := mark3Connect(s, over, oldProtocol, server(folder, "server-everything"), "stdio")
				if err != nil {
					return err
				}
				call := func(topic, tool string, args map[string]any) {
					var r mark3.CallToolRequest
					r.Params.Name = tool
					r.Params.Arguments = args
					result, err := c.CallTool(s.ctx, r)
					s.see.add(topic, "%s", mark3Text(result, err))
				}
				var calls sync.WaitGroup
				for i := range 8 {
					args := map[string]any{"a": i, "b": 1}
					calls.Go(func() { call(fmt.Sprint("sum ", i), "get-sum", args) })
				}
				calls.Wait()
				call("sampling", "trigger-sampling-request", map[string]any{"prompt": "Hello"})
				call("elicitation", "trigger-elicitation-request", map[string]any{})
				call("roots", "get-roots-list", map[string]any{})
				return c.Close()
			})
		})
	}
}

// npm's server-filesystem, with both SDKs. Each run gives it another folder. With the official SDK,
// the file that the server writes is there in a replay, too.
func TestClientsOfServerFilesystem(t *testing.T) {
	t.Parallel()
	folder, node := npmFolder(t)
	script := server(folder, "server-filesystem")
	t.Run("go-sdk", func(t *testing.T) {
		t.Parallel()
		r := replays(t, node, anyNumber, func(s *setup) error {
			if err := s.makeDir(); err != nil {
				return err
			}
			s.opts = []echoexec.Option{echoexec.Files(s.dir)}
			c, err := connect(s, "CommandTransport", oldProtocol, nil, script, s.dir)
			if err != nil {
				return err
			}
			for i, args := range filesystemCalls(s.dir) {
				everythingCall(c, args["tool"].(string), i, args["arguments"].(map[string]any))
			}
			written, err := os.ReadFile(filepath.Join(s.dir, "a.txt"))
			s.see.add("file", "%s", written)
			return errors.Join(err, c.Close())
		})
		wantSeen(t, r, "call read_text_file 2: Hello, Rome. (error: false)", "file: Hello, Rome.")
	})
	t.Run("mark3", func(t *testing.T) {
		t.Parallel()
		replays(t, node, anyNumber, func(s *setup) error {
			if err := s.makeDir(); err != nil {
				return err
			}
			c, err := mark3Connect(s, "NewIO", oldProtocol, script, s.dir)
			if err != nil {
				return err
			}
			for _, args := range filesystemCalls(s.dir) {
				var r mark3.CallToolRequest
				r.Params.Name = args["tool"].(string)
				r.Params.Arguments = args["arguments"]
				result, err := c.CallTool(s.ctx, r)
				s.see.add(r.Params.Name, "%s", s.withoutDir(mark3Text(result, err)))
			}
			return c.Close()
		})
	})
}

// filesystemCalls are calls to server-filesystem, one after the other.
func filesystemCalls(dir string) []map[string]any {
	path := filepath.Join(dir, "a.txt")
	edit := map[string]any{"oldText": "Oslo", "newText": "Rome"}
	return []map[string]any{
		{"tool": "write_file", "arguments": map[string]any{"path": path, "content": "Hello, Oslo."}},
		{"tool": "edit_file", "arguments": map[string]any{"path": path, "edits": []any{edit}}},
		{"tool": "read_text_file", "arguments": map[string]any{"path": path}},
		{"tool": "list_directory", "arguments": map[string]any{"path": dir}},
		{"tool": "directory_tree", "arguments": map[string]any{"path": dir}},
		{"tool": "read_text_file", "arguments": map[string]any{"path": "/etc/passwd"}},
	}
}

// A program in JavaScript, whose SDK starts server-everything. The command stands in the place of
// the server: it speaks to the recorder of the test, or to a cassette of its own.
func TestClientsOfServerEverythingNode(t *testing.T) {
	t.Parallel()
	folder, node := npmFolder(t)
	command := build(t, filepath.Join("..", ".."), "./cmd/promptecho")
	run := func(ctx context.Context, node, server string, flags, env []string) (string, error) {
		script := filepath.Join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js")
		args := append([]string{"client.mjs", command, "stdio"}, flags...)
		args = append(args, "everything", "--", server, script, "stdio")
		cmd := exec.CommandContext(ctx, node, args...)
		cmd.Dir = folder
		cmd.Env = append(os.Environ(), env...)
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("%w\n%s\n%s", err, out, stderr.String())
		}
		return string(out), nil
	}
	t.Run("recorder of the test", func(t *testing.T) {
		t.Parallel()
		r := replays(t, node, anyNumber, func(s *setup) error {
			out, err := run(s.ctx, node, s.program, nil, echotest.Serve(s.t, s.rec).Env())
			s.see.add("program", "%s", out)
			return err
		})
		if !strings.Contains(r.live[0], "Resource 7") {
			t.Errorf("the program saw %s", r.live)
		}
	})
	t.Run("cassette", func(t *testing.T) {
		t.Parallel()
		file := filepath.Join(t.TempDir(), "c.yaml")
		flags := []string{"-cassette", file}
		live, err := run(t.Context(), node, node, flags, nil)
		if err != nil {
			t.Fatal(err)
		}
		const replayed = "PROMPTECHO_MODE=" + string(promptecho.ModeNone)
		for range full.Cases(1, 20) {
			again, err := run(t.Context(), node, missing(node), flags, []string{replayed})
			if err != nil {
				t.Fatal(err)
			}
			if again != live {
				t.Fatalf("live:\n%s\nreplay:\n%s", live, again)
			}
		}
		changed, err := run(t.Context(), node, missing(node), flags, []string{replayed, "MESSAGE=Goodbye"})
		if err == nil && !strings.Contains(changed, "Goodbye") {
			t.Errorf("no miss is reported:\n%s", changed)
		}
	})
}
