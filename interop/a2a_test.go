package interop

import (
	"context"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"

	"github.com/promptecho/promptecho"
)

// Messages and streamed tasks of an A2A agent replay with the agent shut down, also four at once.
func TestA2A(t *testing.T) {
	t.Parallel()
	agent := httptest.NewServer(a2asrv.NewJSONRPCHandler(a2asrv.NewHandler(&countingAgent{})))
	defer agent.Close()
	file := filepath.Join(t.TempDir(), "c.yaml")
	live := askA2A(t, file, promptecho.ModeAll, agent.URL)
	agent.Close()
	for range 5 {
		if replayed := askA2A(t, file, promptecho.ModeNone, agent.URL); !slices.Equal(replayed, live) {
			t.Errorf("replay %q, live %q", replayed, live)
		}
	}
}

// A countingAgent answers a message with its number. It makes a task of one that begins with
// "task".
type countingAgent struct{ asked atomic.Int32 }

func (a *countingAgent) Execute(ctx context.Context, rc *a2asrv.RequestContext, queue eventqueue.Queue) error {
	asked := rc.Message.Parts[0].(a2a.TextPart).Text
	answer := a2a.TextPart{Text: fmt.Sprintf("answer %d to %s", a.asked.Add(1), asked)}
	if !strings.HasPrefix(asked, "task") {
		return queue.Write(ctx, a2a.NewMessage(a2a.MessageRoleAgent, answer))
	}
	done := a2a.NewStatusUpdateEvent(rc, a2a.TaskStateCompleted, nil)
	done.Final = true
	for _, event := range []a2a.Event{
		a2a.NewStatusUpdateEvent(rc, a2a.TaskStateWorking, nil),
		a2a.NewArtifactEvent(rc, answer),
		done,
	} {
		if err := queue.Write(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func (a *countingAgent) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error {
	return nil
}

// askA2A sends two messages and then four tasks at once, and returns what came back.
func askA2A(t *testing.T, file string, mode promptecho.Mode, url string) (said []string) {
	t.Helper()
	rec, err := promptecho.Open(file, promptecho.InMode(mode))
	if err != nil {
		t.Fatal(err)
	}
	endpoint := a2a.AgentInterface{Transport: a2a.TransportProtocolJSONRPC, URL: url}
	client, err := a2aclient.NewFromEndpoints(t.Context(), []a2a.AgentInterface{endpoint},
		a2aclient.WithJSONRPCTransport(rec.Client()))
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"hello", "bye"} {
		result, err := client.SendMessage(t.Context(), a2aMessage(text))
		if err != nil {
			t.Fatal(err)
		}
		said = append(said, result.(*a2a.Message).Parts[0].(a2a.TextPart).Text)
	}
	tasks := make([]string, 4)
	var wg sync.WaitGroup
	for i := range tasks {
		wg.Go(func() {
			for event, err := range client.SendStreamingMessage(t.Context(), a2aMessage(fmt.Sprint("task ", i))) {
				switch event := event.(type) {
				case *a2a.TaskArtifactUpdateEvent:
					tasks[i] += event.Artifact.Parts[0].(a2a.TextPart).Text
				case *a2a.TaskStatusUpdateEvent:
					tasks[i] += "[" + string(event.Status.State) + "]"
				default:
					tasks[i] += fmt.Sprintf("%T %v", event, err)
				}
			}
		})
	}
	wg.Wait()
	if err := rec.Close(); err != nil {
		t.Errorf("mode %s: %v", mode, err)
	}
	return append(said, tasks...)
}

// a2aMessage returns a message of the user.
func a2aMessage(text string) *a2a.MessageSendParams {
	return &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: text})}
}
