package rpc

import (
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	a2agrpc "github.com/a2aproject/a2a-go/v2/a2agrpc/v1"
	"github.com/a2aproject/a2a-go/v2/a2asrv"
	"github.com/promptecho/promptecho"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A countingAgentV1 does what countingAgent does, with version 1.0 of the protocol.
type countingAgentV1 struct{ asked atomic.Int64 }

func (a *countingAgentV1) Execute(_ context.Context, call *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	asked := call.Message.Parts[0].Text()
	answer := a2a.NewTextPart(fmt.Sprintf("answer %d to %s", a.asked.Add(1), asked))
	events := []a2a.Event{a2a.NewMessage(a2a.MessageRoleAgent, answer)}
	if strings.HasPrefix(asked, "task") {
		events = []a2a.Event{
			a2a.NewSubmittedTask(call, call.Message),
			a2a.NewStatusUpdateEvent(call, a2a.TaskStateWorking, nil),
			a2a.NewArtifactEvent(call, answer),
			a2a.NewStatusUpdateEvent(call, a2a.TaskStateCompleted, nil),
		}
	}
	return func(yield func(a2a.Event, error) bool) {
		for _, event := range events {
			if !yield(event, nil) {
				return
			}
		}
	}
}

func (a *countingAgentV1) Cancel(context.Context, *a2asrv.ExecutorContext) iter.Seq2[a2a.Event, error] {
	return func(func(a2a.Event, error) bool) {}
}

// newAgentServerV1 returns a server with an agent.
func newAgentServerV1() *grpc.Server {
	s := grpc.NewServer()
	a2agrpc.NewHandler(a2asrv.NewHandler(new(countingAgentV1))).RegisterWith(s)
	return s
}

// openA2AV1 returns a client of the agent.
func openA2AV1(ctx context.Context, at run) (*a2aclient.Client, error) {
	endpoint := a2a.NewAgentInterface(host+":443", a2a.TransportProtocolGRPC)
	options := append(at.options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return a2aclient.NewFromEndpoints(ctx, []*a2a.AgentInterface{endpoint}, a2agrpc.WithGRPCTransport(options...))
}

// a2aMessageV1 returns a message of the user. Its ID is another one in each run.
func a2aMessageV1(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}

func useA2AV1(ctx context.Context, at run) error {
	client, err := openA2AV1(ctx, at)
	if err != nil {
		return err
	}
	defer client.Destroy()
	for range 2 {
		_, err = client.SendMessage(ctx, a2aMessageV1("hello"))
		if err != nil {
			return err
		}
	}
	_, err = client.GetTask(ctx, &a2a.GetTaskRequest{ID: "no such task"})
	if err == nil {
		return fmt.Errorf("GetTask returned no error")
	}
	return atOnce(64+8, func(i int) error {
		if i < 64 {
			_, err := client.SendMessage(ctx, a2aMessageV1(fmt.Sprint("message ", i)))
			return err
		}
		for _, err := range client.SendStreamingMessage(ctx, a2aMessageV1(fmt.Sprint("task ", i))) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Messages and streamed tasks of an agent that speaks A2A 1.0 replay over gRPC without the agent,
// also 64 and 8 at once.
func TestA2AV1ReplaysWithoutTheAgent(t *testing.T) {
	t.Parallel()
	record(t, newAgentServerV1(), useA2AV1).replays(t)
}

// A changed text of a message of A2A 1.0 is reported with its field and the line of the test.
func TestA2AV1MissesNameTheField(t *testing.T) {
	t.Parallel()
	record(t, newAgentServerV1(), useA2AV1).misses(t, change{
		name: "text",
		ask: func(ctx context.Context, at run) (string, error) {
			client, err := openA2AV1(ctx, at)
			if err != nil {
				return "", err
			}
			defer client.Destroy()
			line := nextLine()
			_, err = client.SendMessage(ctx, a2aMessageV1("hello again"))
			return line, err
		},
		want: "message/parts/0/text",
	})
}

// Messages and streamed tasks of an A2A 1.0 agent replay with the agent shut down, by JSON-RPC and by
// REST.
func TestA2AV1(t *testing.T) {
	t.Parallel()
	for _, binding := range []struct {
		protocol a2a.TransportProtocol
		serve    func(a2asrv.RequestHandler) http.Handler
	}{
		{a2a.TransportProtocolJSONRPC, func(h a2asrv.RequestHandler) http.Handler { return a2asrv.NewJSONRPCHandler(h) }},
		{a2a.TransportProtocolHTTPJSON, func(h a2asrv.RequestHandler) http.Handler { return a2asrv.NewRESTHandler(h) }},
	} {
		t.Run(string(binding.protocol), func(t *testing.T) {
			t.Parallel()
			agent := httptest.NewServer(binding.serve(a2asrv.NewHandler(new(countingAgentV1))))
			defer agent.Close()
			endpoint := a2a.NewAgentInterface(agent.URL, binding.protocol)
			file := filepath.Join(t.TempDir(), "c.yaml")
			live := askA2AV1(t, file, promptecho.ModeAll, endpoint)
			agent.Close()
			for range 5 {
				replayed := askA2AV1(t, file, promptecho.ModeNone, endpoint)
				if !slices.Equal(replayed, live) {
					t.Errorf("replay %q, live %q", replayed, live)
				}
			}
		})
	}
}

// askA2AV1 sends two messages and then four tasks at once, and returns what came back.
func askA2AV1(t *testing.T, file string, mode promptecho.Mode, endpoint *a2a.AgentInterface) (said []string) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(mode))
	if err != nil {
		t.Fatal(err)
	}
	client, err := a2aclient.NewFromEndpoints(t.Context(), []*a2a.AgentInterface{endpoint},
		a2aclient.WithJSONRPCTransport(rec.Client()), a2aclient.WithRESTTransport(rec.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello", "bye"} {
		result, err := client.SendMessage(t.Context(), a2aMessageV1(text))
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, result.(*a2a.Message).Parts[0].Text())
	}
	tasks := make([]string, 4)
	var wg sync.WaitGroup
	for i := range tasks {
		wg.Go(func() { tasks[i] = runA2ATaskV1(t.Context(), client, fmt.Sprint("task ", i)) })
	}
	wg.Wait()
	if err := rec.Close(); err != nil {
		t.Errorf("mode %s: %v", mode, err)
	}
	return append(said, tasks...)
}

// runA2ATaskV1 streams a task, and returns its states and its text.
func runA2ATaskV1(ctx context.Context, client *a2aclient.Client, text string) (said string) {
	for event, err := range client.SendStreamingMessage(ctx, a2aMessageV1(text)) {
		switch event := event.(type) {
		case *a2a.Task:
			said += "[" + string(event.Status.State) + "]"
		case *a2a.TaskArtifactUpdateEvent:
			said += event.Artifact.Parts[0].Text()
		case *a2a.TaskStatusUpdateEvent:
			said += "[" + string(event.Status.State) + "]"
		default:
			said += fmt.Sprintf("%T %v", event, err)
		}
	}
	return said
}
