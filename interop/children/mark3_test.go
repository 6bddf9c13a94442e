//lint:file-ignore SA1019 clients of protocols before 2026-07-28 have roots, sampling and logging.

package children

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/promptecho/promptecho/echoexec"
)

// mark3Transports are the ways in which a client of mark3labs/mcp-go reaches its server.
var mark3Transports = map[string]func(s *setup, args ...string) (transport.Interface, error){
	// As NewStdioMCPClient does it.
	"command": func(s *setup, args ...string) (transport.Interface, error) {
		path := echoexec.Path(s.t, s.rec, filepath.Base(s.program), s.program)
		return transport.NewStdio(path, nil, args...), nil
	},
	"WithCommandFunc": func(s *setup, args ...string) (transport.Interface, error) {
		start := func(ctx context.Context, program string, env, args []string) (*exec.Cmd, error) {
			cmd := exec.CommandContext(ctx, program, args...)
			cmd.Env = append(os.Environ(), env...)
			return echoexec.Command(s.rec, filepath.Base(s.program), cmd), nil
		}
		return transport.NewStdioWithOptions(s.program, nil, args, transport.WithCommandFunc(start)), nil
	},
	"NewIO": func(s *setup, args ...string) (transport.Interface, error) {
		p, err := echoexec.Start(s.rec, filepath.Base(s.program), exec.Command(s.program, args...))
		if err != nil {
			return nil, err
		}
		return transport.NewIO(p.Stdout, p.Stdin, p.Stderr), nil
	},
}

// A mark3Client is a session of mark3labs/mcp-go that notes what it sees.
type mark3Client struct {
	*client.Client
	s *setup
}

// mark3Connect opens a session over a transport.
func mark3Connect(s *setup, over, protocol string, args ...string) (*mark3Client, error) {
	t, err := mark3Transports[over](s, args...)
	if err != nil {
		return nil, err
	}
	answers := &mark3Answers{see: s.see}
	c := client.NewClient(t,
		client.WithProtocolVersion(protocol),
		client.WithElicitationHandler(answers),
		client.WithSamplingHandler(answers),
		client.WithRootsHandler(answers),
	)
	c.OnNotification(func(n mcp.JSONRPCNotification) {
		params := maps.Clone(n.Params.AdditionalFields)
		topic := fmt.Sprint(n.Method, " ", params["message"])
		delete(params, "progressToken")
		s.see.add(topic, "%v", params)
	})
	if err := c.Start(s.ctx); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ClientInfo = mcp.Implementation{Name: "traveller", Version: "1.0.0"}
	result, err := c.Initialize(s.ctx, hello)
	if err != nil {
		return nil, err
	}
	s.see.add("server", "%s %s", result.ProtocolVersion, result.Instructions)
	return &mark3Client{Client: c, s: s}, nil
}

// mark3Answers answers what a server asks its client.
type mark3Answers struct {
	see *notes
}

func (a *mark3Answers) Elicit(_ context.Context, r mcp.ElicitationRequest) (*mcp.ElicitationResult, error) {
	a.see.add("asked "+r.Params.Message, "%v", r.Params.RequestedSchema)
	return &mcp.ElicitationResult{ElicitationResponse: mcp.ElicitationResponse{
		Action:  mcp.ElicitationResponseActionAccept,
		Content: map[string]any{"unit": "kelvin"},
	}}, nil
}

func (a *mark3Answers) CreateMessage(
	_ context.Context, r mcp.CreateMessageRequest,
) (*mcp.CreateMessageResult, error) {
	question := fmt.Sprint(r.Messages[0].Content)
	a.see.add("sampled "+question, "%s, %d tokens", r.SystemPrompt, r.MaxTokens)
	return &mcp.CreateMessageResult{
		Model: "gpt-traveller",
		SamplingMessage: mcp.SamplingMessage{
			Role:    mcp.RoleAssistant,
			Content: mcp.NewTextContent("An answer to " + question),
		},
	}, nil
}

func (a *mark3Answers) ListRoots(context.Context, mcp.ListRootsRequest) (*mcp.ListRootsResult, error) {
	return &mcp.ListRootsResult{Roots: []mcp.Root{{URI: "file:///travels", Name: "travels"}}}, nil
}

// call calls a tool, and notes its result.
func (c *mark3Client) call(ctx context.Context, tool, city string, token any) {
	var r mcp.CallToolRequest
	r.Params.Name = tool
	r.Params.Arguments = map[string]any{"city": city}
	if token != nil {
		r.Params.Meta = &mcp.Meta{ProgressToken: token}
	}
	result, err := c.CallTool(ctx, r)
	c.s.see.add("call "+tool+" "+city, "%s", mark3Text(result, err))
}

func mark3Text(result *mcp.CallToolResult, err error) string {
	switch {
	case errors.Is(err, transport.ErrTransportClosed):
		return "the transport is closed"
	case err != nil:
		return "error: " + err.Error()
	case len(result.Content) == 0:
		return "no content"
	}
	return fmt.Sprintf("%s (error: %v)", mcp.GetTextFromContent(result.Content[0]), result.IsError)
}

// eachMark3Transport runs a test with each transport and each protocol.
func eachMark3Transport(t *testing.T, protocols []string, test func(t *testing.T, over, protocol string)) {
	for over := range mark3Transports {
		for _, protocol := range protocols {
			t.Run(over+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				test(t, over, protocol)
			})
		}
	}
}

// mcp-go gets the answer and the progress of each of eight concurrent calls.
func TestMark3EightCallsAtOnce(t *testing.T) {
	t.Parallel()
	eachMark3Transport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := mark3Connect(s, over, protocol)
			if err != nil {
				return err
			}
			var calls sync.WaitGroup
			for i, city := range cities {
				token := city
				if i%2 == 0 {
					token = rand.Text()
				}
				calls.Go(func() { c.call(s.ctx, "weather", city, token) })
			}
			calls.Wait()
			return c.Close()
		})
		wantSeen(t, r, "call weather Nowhere: there is no such city (error: true)")
	})
}

// The client answers what the server asks, lists and reads what it has, and hears what it tells.
func TestMark3Everything(t *testing.T) {
	t.Parallel()
	asks := map[string][]string{
		oldProtocol: {"forecast", "summary", "roots", "deploy"},
		newProtocol: {"deploy"},
	}
	eachMark3Transport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := mark3Connect(s, over, protocol)
			if err != nil {
				return err
			}
			for _, tool := range asks[protocol] {
				c.call(s.ctx, tool, "Oslo", nil)
			}
			if err := mark3Lists(c); err != nil {
				return err
			}
			if protocol == oldProtocol {
				if err := mark3Notifications(c); err != nil {
					return err
				}
			}
			return c.Close()
		})
	})
}

// mark3Lists lists and reads what a server has.
func mark3Lists(c *mark3Client) error {
	ctx, see := c.s.ctx, c.s.see
	tools, err := c.ListTools(ctx, mcp.ListToolsRequest{})
	if err != nil {
		return err
	}
	for _, tool := range tools.Tools {
		see.add("tools", "%s: %s", tool.Name, tool.Description)
	}
	var get mcp.GetPromptRequest
	get.Params.Name = "greet"
	get.Params.Arguments = map[string]string{"city": "Oslo"}
	prompt, err := c.GetPrompt(ctx, get)
	if err != nil {
		return err
	}
	see.add("prompts", "%v", prompt.Messages[0].Content)
	var complete mcp.CompleteRequest
	complete.Params.Ref = mcp.PromptReference{Type: "ref/prompt", Name: "greet"}
	complete.Params.Argument = mcp.CompleteArgument{Name: "city", Value: "Os"}
	completion, err := c.Complete(ctx, complete)
	if err != nil {
		return err
	}
	see.add("prompts", "%v", completion.Completion.Values)
	for _, city := range []string{"Oslo", "Rome", "Nowhere"} {
		var read mcp.ReadResourceRequest
		read.Params.URI = "weather://" + city
		result, err := c.ReadResource(ctx, read)
		if err != nil {
			see.add("resources", "%v", err)
			continue
		}
		see.add("resources", "%v", result.Contents)
	}
	return nil
}

// mark3Notifications makes a server tell of changes.
func mark3Notifications(c *mark3Client) error {
	ctx, see := c.s.ctx, c.s.see
	var subscribe mcp.SubscribeRequest
	subscribe.Params.URI = "weather://Rome"
	if err := c.Subscribe(ctx, subscribe); err != nil {
		return err
	}
	c.call(ctx, "rain", "Rome", nil)
	c.call(ctx, "grow", "Rome", nil)
	changes := []string{
		"resources/updated", "tools/list_changed", "prompts/list_changed", "resources/list_changed",
	}
	for _, method := range changes {
		if err := see.wait(ctx, "notifications/"+method+" <nil>", 1); err != nil {
			return err
		}
	}
	var level mcp.SetLevelRequest
	level.Params.Level = mcp.LoggingLevelInfo
	if err := c.SetLevel(ctx, level); err != nil {
		return err
	}
	c.call(ctx, "log", "Oslo", nil)
	see.add("ping", "%v", c.Ping(ctx))
	return nil
}

// A call that the client cancels is answered by nothing. The calls after it are.
func TestMark3CanceledCall(t *testing.T) {
	t.Parallel()
	eachMark3Transport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := mark3Connect(s, over, protocol)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithCancel(s.ctx)
			var call sync.WaitGroup
			call.Go(func() { c.call(ctx, "slow", "Oslo", rand.Text()) })
			err = s.see.wait(s.ctx, "notifications/progress waiting for Oslo", 1)
			cancel()
			call.Wait()
			c.call(s.ctx, "weather", "Rome", nil)
			return errors.Join(err, c.Close())
		})
	})
}

// A server that ends in the middle of calls ends them, and the session, as it did.
func TestMark3ServerDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	wants := map[string]string{"exit": "exit status 3", "crash": "signal: killed"}
	eachMark3Transport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		for _, tool := range slices.Sorted(maps.Keys(wants)) {
			t.Run(tool, func(t *testing.T) {
				t.Parallel()
				r := replays(t, install(t, "weather"), 1, func(s *setup) error {
					c, err := mark3Connect(s, over, protocol)
					if err != nil {
						return err
					}
					var call sync.WaitGroup
					call.Go(func() { c.call(s.ctx, "slow", "Rome", "token") })
					err = s.see.wait(s.ctx, "notifications/progress waiting for Rome", 1)
					c.call(s.ctx, tool, "Oslo", nil)
					call.Wait()
					s.see.add("end", "%v", c.Close())
					return err
				})
				if over != "NewIO" {
					wantSeen(t, r, "end: "+wants[tool])
				}
			})
		}
	})
}

// NewStdioMCPClient starts its program at once, with the path of a program and its arguments.
func TestMark3NewStdioMCPClient(t *testing.T) {
	t.Parallel()
	replays(t, install(t, "weather"), 1, func(s *setup) error {
		path := echoexec.Path(s.t, s.rec, "weather", s.program)
		c, err := client.NewStdioMCPClient(path, []string{"LANG=C"}, "-v", `with "quotes" and spaces`, "")
		if err != nil {
			return err
		}
		if _, err := c.Initialize(s.ctx, mcp.InitializeRequest{}); err != nil {
			return err
		}
		session := &mark3Client{Client: c, s: s}
		session.call(s.ctx, "weather", "Oslo", nil)
		return c.Close()
	})
}

// Long lines, and lines that are no messages, which this client skips.
func TestMark3OddLines(t *testing.T) {
	t.Parallel()
	eachMark3Transport(t, []string{oldProtocol}, func(t *testing.T, over, protocol string) {
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := mark3Connect(s, over, protocol)
			if err != nil {
				return err
			}
			c.call(s.ctx, "history", "Oslo", nil)
			c.call(s.ctx, "weather", strings.Repeat("Rome ", 1<<14), nil)
			c.call(s.ctx, "garbage", "Bern", nil)
			return c.Close()
		})
		wantSeen(t, r, "call garbage Bern: printed (error: false)")
	})
}
