package interop

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
	"github.com/a2aproject/a2a-go/v2/a2asrv"

	"github.com/promptecho/promptecho"
)

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

// a2aMessageV1 returns a message of the user.
func a2aMessageV1(text string) *a2a.SendMessageRequest {
	return &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(text))}
}
