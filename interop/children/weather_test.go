//lint:file-ignore SA1019 servers of protocols before 2026-07-28 have roots, sampling and logging.

package children

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A city is the argument of the tools that tell about one.
type city struct {
	City string `json:"city"`
}

// pingInterval is the time between two pings. The SDKs take half of it for the time that an answer
// may take, which must be enough on a busy machine.
const pingInterval = 50 * time.Millisecond

// runWeather is an MCP server that has everything a server over stdio can have. It pings its
// client if it is started with -ping.
func runWeather(args []string) int {
	w := &weather{}
	opts := &mcp.ServerOptions{
		Instructions:       "Ask for the weather of a city.",
		CompletionHandler:  completeCity,
		SubscribeHandler:   func(context.Context, *mcp.SubscribeRequest) error { return nil },
		UnsubscribeHandler: func(context.Context, *mcp.UnsubscribeRequest) error { return nil },
		Logger:             slog.New(slog.DiscardHandler),
		RootsListChangedHandler: func(_ context.Context, r *mcp.RootsListChangedRequest) {
			fmt.Fprintln(os.Stderr, "the roots have changed")
		},
	}
	for _, arg := range args {
		if arg == "-ping" {
			opts.KeepAlive = pingInterval
			opts.KeepAliveFailureThreshold = 1000
		}
	}
	w.server = mcp.NewServer(&mcp.Implementation{Name: "weather", Version: "1.0.0"}, opts)
	w.addTools()
	w.addResources()
	err := w.server.Run(context.Background(), &mcp.StdioTransport{})
	if err != nil && !errors.Is(err, io.EOF) {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

type weather struct {
	server *mcp.Server
}

// A weatherTool answers a call for a city.
type weatherTool func(context.Context, *mcp.CallToolRequest, city) (*mcp.CallToolResult, error)

func (w *weather) addTools() {
	tool := func(name string, call weatherTool) {
		mcp.AddTool(w.server, &mcp.Tool{Name: name, Description: "Has the " + name + " of a city."},
			func(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, any, error) {
				result, err := call(ctx, r, in)
				return result, nil, err
			})
	}
	tool("weather", callWeather)
	tool("forecast", callForecast)
	tool("summary", callSummary)
	tool("roots", callRoots)
	tool("log", callLog)
	tool("slow", callSlow)
	tool("exit", callExit)
	tool("crash", callCrash)
	tool("deploy", callDeploy)
	tool("history", callHistory)
	tool("garbage", callGarbage)
	tool("rain", w.callRain)
	tool("grow", w.callGrow)
}

// callWeather reports progress, and fails for a city that is nowhere. Its answer has the pid, so
// that another process answers otherwise.
func callWeather(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	if in.City == "Nowhere" {
		return nil, errors.New("there is no such city")
	}
	token := r.Params.GetProgressToken()
	for step := range 3 {
		if token == nil {
			break
		}
		err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token,
			Progress:      float64(step),
			Total:         3,
			Message:       "looking at " + in.City,
		})
		if err != nil {
			return nil, err
		}
	}
	return text("%s is sunny, says process %d", in.City, os.Getpid()), nil
}

// callForecast asks the user for a unit.
func callForecast(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	answer, err := r.Session.Elicit(ctx, askUnit(in))
	if err != nil {
		return nil, err
	}
	return text("%s: %s, 20 %v", in.City, answer.Action, answer.Content["unit"]), nil
}

func askUnit(in city) *mcp.ElicitParams {
	schema := `{"type":"object","properties":{"unit":{"type":"string"}},"required":["unit"]}`
	return &mcp.ElicitParams{
		Message:         "In which unit do you want the forecast of " + in.City + "?",
		RequestedSchema: json.RawMessage(schema),
	}
}

// callSummary asks the client's model.
func callSummary(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	answer, err := r.Session.CreateMessage(ctx, askModel(in))
	if err != nil {
		return nil, err
	}
	return text("%s says: %s", answer.Model, answer.Content.(*mcp.TextContent).Text), nil
}

func askModel(in city) *mcp.CreateMessageParams {
	question := &mcp.TextContent{Text: "Describe the weather of " + in.City + "."}
	return &mcp.CreateMessageParams{
		SystemPrompt: "You are a meteorologist.",
		MaxTokens:    100,
		Messages:     []*mcp.SamplingMessage{{Role: "user", Content: question}},
	}
}

func callRoots(ctx context.Context, r *mcp.CallToolRequest, _ city) (*mcp.CallToolResult, error) {
	list, err := r.Session.ListRoots(ctx, nil)
	if err != nil {
		return nil, err
	}
	return text("%s", names(list)), nil
}

func names(list *mcp.ListRootsResult) string {
	var names []string
	for _, root := range list.Roots {
		names = append(names, root.Name)
	}
	return strings.Join(names, ", ")
}

func callLog(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	for _, level := range []mcp.LoggingLevel{"debug", "info", "warning"} {
		err := r.Session.Log(ctx, &mcp.LoggingMessageParams{
			Level:  level,
			Logger: "weather",
			Data:   in.City + " at " + string(level),
		})
		if err != nil {
			return nil, err
		}
	}
	fmt.Fprintln(os.Stderr, "logged", in.City)
	return text("logged"), nil
}

// callSlow reports progress once, so that the client knows that the call is being answered. It
// ends when the client cancels it.
func callSlow(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
		ProgressToken: r.Params.GetProgressToken(),
		Message:       "waiting for " + in.City,
	})
	if err != nil {
		return nil, err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// callExit ends the process in the middle of the call.
func callExit(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	fmt.Fprintln(os.Stderr, "fatal: no weather in", in.City)
	syscall.Exit(3)
	return nil, nil
}

// callCrash kills the process in the middle of the call.
func callCrash(ctx context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	err := syscall.Kill(os.Getpid(), syscall.SIGKILL)
	if err != nil {
		return nil, err
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

// callHistory answers with a line of a quarter of a megabyte.
func callHistory(_ context.Context, _ *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	return text("%s", strings.Repeat("sunny in "+in.City+", ", 1<<18/15)), nil
}

// callGarbage prints lines that are no messages, as a program does that has a print too many.
func callGarbage(_ context.Context, _ *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	_, err := os.Stdout.WriteString("loading " + in.City + "...\n\n\xff{\n")
	if err != nil {
		return nil, err
	}
	return text("printed"), nil
}

// callDeploy needs input: an answer of the user, one of the model, and the roots. A client of
// protocol 2026-07-28 calls again with them. For an older one, the SDK asks for them.
func callDeploy(_ context.Context, r *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	answers := r.Params.InputResponses
	if len(answers) == 0 {
		return &mcp.CallToolResult{
			InputRequests: mcp.InputRequestMap{
				"unit":  askUnit(in),
				"text":  askModel(in),
				"roots": &mcp.ListRootsParams{},
			},
			RequestState: fmt.Sprintf("state of process %d", os.Getpid()),
		}, nil
	}
	unit, _ := answers["unit"].(*mcp.ElicitResult)
	roots, _ := answers["roots"].(*mcp.ListRootsResult)
	if unit == nil || roots == nil {
		return nil, fmt.Errorf("input is missing: %v", answers)
	}
	return text("%s in %v below %s, %s", in.City, unit.Content["unit"], names(roots), r.Params.RequestState), nil
}

// callRain changes the resource of a city.
func (w *weather) callRain(ctx context.Context, _ *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	err := w.server.ResourceUpdated(ctx, &mcp.ResourceUpdatedNotificationParams{URI: "weather://" + in.City})
	if err != nil {
		return nil, err
	}
	return text("it rains in %s", in.City), nil
}

// callGrow adds a tool, a prompt and a resource.
func (w *weather) callGrow(_ context.Context, _ *mcp.CallToolRequest, in city) (*mcp.CallToolResult, error) {
	schema := json.RawMessage(`{"type":"object"}`)
	w.server.AddTool(&mcp.Tool{Name: "sunset of " + in.City, InputSchema: schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return text("at 6"), nil })
	w.server.AddPrompt(&mcp.Prompt{Name: "leave " + in.City}, writePrompt)
	w.server.AddResource(&mcp.Resource{Name: "map of " + in.City, URI: "map://" + in.City}, readWeather)
	return text("%s has grown", in.City), nil
}

func (w *weather) addResources() {
	w.server.AddPrompt(&mcp.Prompt{
		Name:      "greet",
		Arguments: []*mcp.PromptArgument{{Name: "city", Required: true}},
	}, writePrompt)
	w.server.AddResource(&mcp.Resource{Name: "Oslo", URI: "weather://Oslo", MIMEType: "text/plain"}, readWeather)
	w.server.AddResourceTemplate(&mcp.ResourceTemplate{Name: "city", URITemplate: "weather://{city}"}, readWeather)
}

func writePrompt(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	message := &mcp.TextContent{Text: "Good morning, " + r.Params.Arguments["city"] + "!"}
	return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: message}}}, nil
}

func readWeather(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	if r.Params.URI == "weather://Nowhere" {
		return nil, mcp.ResourceNotFoundError(r.Params.URI)
	}
	content := &mcp.ResourceContents{
		URI:      r.Params.URI,
		MIMEType: "text/plain",
		Text:     fmt.Sprintf("sunny, process %d", os.Getpid()),
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{content}}, nil
}

func completeCity(_ context.Context, r *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	var values []string
	for _, name := range []string{"Oslo", "Osaka", "Rome"} {
		if strings.HasPrefix(name, r.Params.Argument.Value) {
			values = append(values, name)
		}
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: values, Total: len(values)}}, nil
}

func text(format string, args ...any) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: fmt.Sprintf(format, args...)}}}
}
