//lint:file-ignore SA1019 clients of protocols before 2026-07-28 have roots, sampling and logging.

package children

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/promptecho/promptecho/echoexec"
)

// oldProtocol is the newest version of MCP that has the handshake, requests of the server, and
// pings.
const oldProtocol = "2025-11-25"

// newProtocol has results that need input, and subscriptions/listen.
const newProtocol = "2026-07-28"

// transports are the ways in which a client of the official SDK reaches its server.
var transports = map[string]func(s *setup, args ...string) (mcp.Transport, error){
	"CommandTransport": func(s *setup, args ...string) (mcp.Transport, error) {
		cmd := exec.Command(s.program, args...)
		cmd.ExtraFiles = s.held
		cmd = echoexec.Command(s.rec, filepath.Base(s.program), cmd, s.opts...)
		return &mcp.CommandTransport{Command: cmd}, nil
	},
	"IOTransport": func(s *setup, args ...string) (mcp.Transport, error) {
		cmd := exec.Command(s.program, args...)
		cmd.ExtraFiles = s.held
		p, err := echoexec.Start(s.rec, filepath.Base(s.program), cmd, s.opts...)
		if err != nil {
			return nil, err
		}
		return &mcp.IOTransport{Reader: p, Writer: p}, nil
	},
}

// A goClient is a session of the official SDK that notes what it sees.
type goClient struct {
	*mcp.ClientSession
	s      *setup
	client *mcp.Client
	sample func(question string) string // the model of the client

	// onProgress is called for each notification of progress.
	onProgress func()

	// acknowledged has the subscriptions of protocol 2026-07-28 that the server knows. The SDK
	// does not wait for it.
	acknowledged *notes

	mu     sync.Mutex
	cities map[any]string // by progress token
}

// connect opens a session over a transport.
func connect(s *setup, over, protocol string, opts *mcp.ClientOptions, args ...string) (*goClient, error) {
	transport, err := transports[over](s, args...)
	if err != nil {
		return nil, err
	}
	c := &goClient{s: s, cities: map[any]string{}}
	c.onProgress = func() {}
	c.acknowledged = newNotes()
	c.sample = func(question string) string { return "An answer to " + question }
	c.client = mcp.NewClient(&mcp.Implementation{Name: "traveller", Version: "1.0.0"}, c.options(opts))
	c.client.AddRoots(&mcp.Root{URI: "file:///travels", Name: "travels"})
	c.client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
			if method == "notifications/subscriptions/acknowledged" {
				c.acknowledged.add("subscriptions", "")
			}
			return next(ctx, method, r)
		}
	})
	c.ClientSession, err = c.client.Connect(s.ctx, transport, &mcp.ClientSessionOptions{ProtocolVersion: protocol})
	return c, err
}

// options returns options with handlers for everything that a server asks and tells.
func (c *goClient) options(opts *mcp.ClientOptions) *mcp.ClientOptions {
	if opts == nil {
		opts = &mcp.ClientOptions{}
	}
	see := c.s.see
	opts.ElicitationHandler = func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		see.add("asked "+r.Params.Message, "%v", r.Params.RequestedSchema)
		return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"unit": "kelvin"}}, nil
	}
	opts.CreateMessageHandler = func(
		_ context.Context, r *mcp.CreateMessageRequest,
	) (*mcp.CreateMessageResult, error) {
		question := r.Params.Messages[0].Content.(*mcp.TextContent).Text
		see.add("sampled "+question, "%s, %d tokens", r.Params.SystemPrompt, r.Params.MaxTokens)
		answer := &mcp.TextContent{Text: c.sample(question)}
		return &mcp.CreateMessageResult{Model: "gpt-traveller", Role: "assistant", Content: answer}, nil
	}
	opts.ToolListChangedHandler = func(context.Context, *mcp.ToolListChangedRequest) {
		see.add("tools changed", "")
	}
	opts.PromptListChangedHandler = func(context.Context, *mcp.PromptListChangedRequest) {
		see.add("prompts changed", "")
	}
	opts.ResourceListChangedHandler = func(context.Context, *mcp.ResourceListChangedRequest) {
		see.add("resources changed", "")
	}
	opts.ResourceUpdatedHandler = func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) {
		see.add("updated", "%s", r.Params.URI)
	}
	opts.LoggingMessageHandler = func(_ context.Context, r *mcp.LoggingMessageRequest) {
		see.add("log", "%s %s %v", r.Params.Level, r.Params.Logger, r.Params.Data)
	}
	opts.ProgressNotificationHandler = func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
		c.mu.Lock()
		city := c.cities[r.Params.ProgressToken]
		c.mu.Unlock()
		c.onProgress()
		see.add("progress of "+city, "%v of %v: %s", r.Params.Progress, r.Params.Total, r.Params.Message)
	}
	return opts
}

// subscribed waits until the server knows a number of subscriptions. Older protocols have none, and
// answer when they know.
func (c *goClient) subscribed(count int) error {
	if c.InitializeResult().ProtocolVersion < newProtocol {
		return nil
	}
	return c.acknowledged.wait(c.s.ctx, "subscriptions", count)
}

// call calls a tool, and notes its result.
func (c *goClient) call(ctx context.Context, tool, city string, token any) {
	params := &mcp.CallToolParams{Name: tool, Arguments: map[string]any{"city": city}}
	if token != nil {
		c.mu.Lock()
		c.cities[token] = city
		c.mu.Unlock()
		params.SetProgressToken(token)
	}
	result, err := c.CallTool(ctx, params)
	c.s.see.add("call "+tool+" "+city, "%s", resultText(result, err))
}

func resultText(result *mcp.CallToolResult, err error) string {
	switch {
	case isClosed(err):
		return "the connection is closed"
	case err != nil:
		return "error: " + err.Error()
	case len(result.Content) == 0:
		return "no content"
	}
	content, ok := result.Content[0].(*mcp.TextContent)
	if !ok {
		return fmt.Sprintf("%T", result.Content[0])
	}
	return fmt.Sprintf("%s (error: %v)", content.Text, result.IsError)
}

// isClosed reports whether an error says that the server is gone. Which error says so depends on
// whether the client reads or writes first.
func isClosed(err error) bool {
	errs := []error{mcp.ErrConnectionClosed, io.EOF, io.ErrClosedPipe, os.ErrClosed, syscall.EPIPE}
	for _, closed := range errs {
		if errors.Is(err, closed) {
			return true
		}
	}
	return false
}

// cities are those of eight calls at once. The last one fails.
var cities = []string{"Oslo", "Rome", "Bern", "Kyiv", "Lima", "Doha", "Baku", "Nowhere"}

// callsAtOnce calls a tool for eight cities at the same time. Half of the progress tokens are made
// up for each run.
func callsAtOnce(c *goClient) error {
	var calls sync.WaitGroup
	for i, city := range cities {
		token := city
		if i%2 == 0 {
			token = rand.Text()
		}
		calls.Go(func() { c.call(c.s.ctx, "weather", city, token) })
	}
	calls.Wait()
	for _, city := range cities[:len(cities)-1] {
		if err := c.s.see.wait(c.s.ctx, "progress of "+city, 3); err != nil {
			return err
		}
	}
	return nil
}

// eachTransport runs a test with each transport and each protocol.
func eachTransport(t *testing.T, protocols []string, test func(t *testing.T, over, protocol string)) {
	for over := range transports {
		for _, protocol := range protocols {
			t.Run(over+"/"+protocol, func(t *testing.T) {
				t.Parallel()
				test(t, over, protocol)
			})
		}
	}
}

// The official Go SDK of MCP gets the answer and the progress of each of eight concurrent calls.
func TestEightCallsAtOnce(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := connect(s, over, protocol, nil)
			if err != nil {
				return err
			}
			s.see.add("server", "%s", c.InitializeResult().Instructions)
			return errors.Join(callsAtOnce(c), c.Close())
		})
		wantSeen(t, r, "call weather Nowhere: there is no such city (error: true)",
			"progress of Baku: 2 of 3: looking at Baku")
	})
}

// A server asks its client for input, in each of the ways that its protocol has.
func TestServerAsksTheClient(t *testing.T) {
	t.Parallel()
	tools := map[string][]string{
		oldProtocol: {"forecast", "summary", "roots", "deploy"},
		newProtocol: {"deploy"},
	}
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := connect(s, over, protocol, nil)
			if err != nil {
				return err
			}
			for _, tool := range tools[protocol] {
				c.call(s.ctx, tool, "Oslo", nil)
			}
			var calls sync.WaitGroup
			for _, city := range cities {
				calls.Go(func() { c.call(s.ctx, "deploy", city, nil) })
			}
			calls.Wait()
			return c.Close()
		})
		if protocol == oldProtocol {
			wantSeen(t, r, "call forecast Oslo: Oslo: accept, 20 kelvin (error: false)",
				"call roots Oslo: travels (error: false)")
		}
	})
}

// Lists, prompts, resources, completion, subscriptions, changed lists and logs.
func TestEverythingElseOfAServer(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := connect(s, over, protocol, nil)
			if err != nil {
				return err
			}
			// In the server of the SDK, a subscription that ends takes those to lists with it.
			steps := []func(*goClient) error{useLists, usePrompts, useResources, useChanges, useSubscriptions}
			if protocol == oldProtocol {
				steps = append(steps, useLogs)
			}
			for _, step := range steps {
				if err := step(c); err != nil {
					return err
				}
			}
			return c.Close()
		})
	})
}

func useLists(c *goClient) error {
	for tool, err := range c.Tools(c.s.ctx, nil) {
		if err != nil {
			return err
		}
		c.s.see.add("tools", "%s %v", tool.Name, tool.InputSchema)
	}
	for template, err := range c.ResourceTemplates(c.s.ctx, nil) {
		if err != nil {
			return err
		}
		c.s.see.add("templates", "%s", template.URITemplate)
	}
	return nil
}

func usePrompts(c *goClient) error {
	for prompt, err := range c.Prompts(c.s.ctx, nil) {
		if err != nil {
			return err
		}
		c.s.see.add("prompts", "%s", prompt.Name)
	}
	prompt, err := c.GetPrompt(c.s.ctx, &mcp.GetPromptParams{
		Name:      "greet",
		Arguments: map[string]string{"city": "Oslo"},
	})
	if err != nil {
		return err
	}
	c.s.see.add("prompts", "%s", prompt.Messages[0].Content.(*mcp.TextContent).Text)
	completion, err := c.Complete(c.s.ctx, &mcp.CompleteParams{
		Ref:      &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"},
		Argument: mcp.CompleteParamsArgument{Name: "city", Value: "Os"},
	})
	if err != nil {
		return err
	}
	c.s.see.add("prompts", "%v", completion.Completion.Values)
	return nil
}

func useResources(c *goClient) error {
	for resource, err := range c.Resources(c.s.ctx, nil) {
		if err != nil {
			return err
		}
		c.s.see.add("resources", "%s", resource.URI)
	}
	for _, city := range []string{"Oslo", "Rome", "Nowhere"} {
		result, err := c.ReadResource(c.s.ctx, &mcp.ReadResourceParams{URI: "weather://" + city})
		if err != nil {
			c.s.see.add("resources", "%v", err)
			continue
		}
		c.s.see.add("resources", "%s", result.Contents[0].Text)
	}
	return nil
}

func useSubscriptions(c *goClient) error {
	const uri = "weather://Rome"
	if err := c.Subscribe(c.s.ctx, &mcp.SubscribeParams{URI: uri}); err != nil {
		return err
	}
	if err := c.subscribed(2); err != nil { // the other one is to the lists
		return err
	}
	for range 3 {
		c.call(c.s.ctx, "rain", "Rome", nil)
	}
	if err := c.s.see.wait(c.s.ctx, "updated", 3); err != nil {
		return err
	}
	if err := c.Unsubscribe(c.s.ctx, &mcp.UnsubscribeParams{URI: uri}); err != nil {
		return err
	}
	return nil
}

func useChanges(c *goClient) error {
	if err := c.subscribed(1); err != nil {
		return err
	}
	c.call(c.s.ctx, "grow", "Rome", nil)
	for _, list := range []string{"tools", "prompts", "resources"} {
		if err := c.s.see.wait(c.s.ctx, list+" changed", 1); err != nil {
			return err
		}
	}
	tools, err := c.ListTools(c.s.ctx, nil)
	if err != nil {
		return err
	}
	c.s.see.add("tools", "%d", len(tools.Tools))
	return nil
}

func useLogs(c *goClient) error {
	if err := c.SetLoggingLevel(c.s.ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
		return err
	}
	c.call(c.s.ctx, "log", "Oslo", nil)
	c.client.AddRoots(&mcp.Root{URI: "file:///maps", Name: "maps"})
	c.call(c.s.ctx, "roots", "Oslo", nil)
	return c.s.see.wait(c.s.ctx, "log", 2)
}

// A call that the client cancels is answered by nothing. The calls after it are.
func TestCanceledCall(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			c, err := connect(s, over, protocol, nil)
			if err != nil {
				return err
			}
			for _, city := range cities[:3] {
				ctx, cancel := context.WithCancel(s.ctx)
				var call sync.WaitGroup
				call.Go(func() { c.call(ctx, "slow", city, rand.Text()) })
				err := s.see.wait(s.ctx, "progress of "+city, 1)
				cancel()
				call.Wait()
				if err != nil {
					return err
				}
				c.call(s.ctx, "weather", city, nil)
			}
			return c.Close()
		})
		wantSeen(t, r, "call slow Oslo: error: context canceled")
	})
}

// A server that ends in the middle of calls ends them, and the session, as it did.
func TestServerDiesInTheMiddle(t *testing.T) {
	t.Parallel()
	wants := map[string]string{"exit": "exit status 3", "crash": "signal: killed"}
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		for tool, want := range wants {
			t.Run(tool, func(t *testing.T) {
				t.Parallel()
				r := replays(t, install(t, "weather"), 1, func(s *setup) error {
					c, err := connect(s, over, protocol, nil)
					if err != nil {
						return err
					}
					var call sync.WaitGroup
					call.Go(func() { c.call(s.ctx, "slow", "Rome", "token") })
					err = s.see.wait(s.ctx, "progress of Rome", 1)
					c.call(s.ctx, tool, "Oslo", nil)
					call.Wait()
					end, _, _ := strings.Cut(fmt.Sprint(c.Close()), "\n")
					s.see.add("end", "%s", end)
					return err
				})
				wantSeen(t, r, "call slow Rome: the connection is closed",
					"call "+tool+" Oslo: the connection is closed")
				if over == "CommandTransport" {
					wantSeen(t, r, "end: "+want)
				}
			})
		}
	})
}

// Pings of a client that keeps its session alive have no place in the recording: their number
// depends on the time that a run takes.
func TestPingsOfTheClient(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol}, func(t *testing.T, over, protocol string) {
		runs := 0
		r := replays(t, install(t, "weather"), 1, func(s *setup) error {
			runs++
			pings := newNotes()
			opts := &mcp.ClientOptions{KeepAlive: pingInterval, KeepAliveFailureThreshold: 1000}
			c, err := connect(s, over, protocol, opts)
			if err != nil {
				return err
			}
			c.client.AddSendingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
					result, err := next(ctx, method, r)
					if method == "ping" && err == nil {
						pings.add("pings", "")
					}
					return result, err
				}
			})
			// The runs ping more or less often than the recording.
			if err := pings.wait(s.ctx, "pings", 1+runs%3); err != nil {
				return err
			}
			s.see.add("ping", "%v", c.Ping(s.ctx, nil))
			c.call(s.ctx, "weather", "Oslo", nil)
			return c.Close()
		})
		if strings.Contains(read(t, r.file), "method: ping") {
			t.Error("a ping is recorded")
		}
	})
}

// Pings of a server are answered in a replay as they were.
func TestPingsOfTheServer(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol}, func(t *testing.T, over, protocol string) {
		replays(t, install(t, "weather"), 1, func(s *setup) error {
			pings := newNotes()
			c, err := connect(s, over, protocol, nil, "-ping")
			if err != nil {
				return err
			}
			c.client.AddReceivingMiddleware(func(next mcp.MethodHandler) mcp.MethodHandler {
				return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
					if method == "ping" {
						pings.add("pings", "")
					}
					return next(ctx, method, r)
				}
			})
			if err := pings.wait(s.ctx, "pings", 3); err != nil {
				return err
			}
			c.call(s.ctx, "weather", "Oslo", nil)
			return c.Close()
		})
	})
}

// Several servers of one command at once, each of which is asked something else.
func TestServersAtOnce(t *testing.T) {
	t.Parallel()
	eachTransport(t, []string{oldProtocol, newProtocol}, func(t *testing.T, over, protocol string) {
		const servers = 4
		replays(t, install(t, "weather"), servers, func(s *setup) error {
			var clients sync.WaitGroup
			errs := make([]error, servers)
			for i := range servers {
				clients.Go(func() {
					c, err := connect(s, over, protocol, nil)
					if err != nil {
						errs[i] = err
						return
					}
					for _, city := range slices.Concat(cities[i:], cities[:i]) {
						c.call(s.ctx, "weather", fmt.Sprint(city, " ", i), nil)
					}
					errs[i] = c.Close()
				})
			}
			clients.Wait()
			return errors.Join(errs...)
		})
	})
}
