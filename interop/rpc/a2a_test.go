package rpc

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/a2aproject/a2a-go/a2a"
	"github.com/a2aproject/a2a-go/a2aclient"
	"github.com/a2aproject/a2a-go/a2agrpc"
	"github.com/a2aproject/a2a-go/a2asrv"
	"github.com/a2aproject/a2a-go/a2asrv/eventqueue"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// A countingAgent answers a message with its number. It makes a task of one that begins with "task".
type countingAgent struct{ asked atomic.Int64 }

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
		err := queue.Write(ctx, event)
		if err != nil {
			return err
		}
	}
	return nil
}

func (a *countingAgent) Cancel(context.Context, *a2asrv.RequestContext, eventqueue.Queue) error {
	return nil
}

// newAgentServer returns a server with an agent.
func newAgentServer() *grpc.Server {
	s := grpc.NewServer()
	a2agrpc.NewHandler(a2asrv.NewHandler(new(countingAgent))).RegisterWith(s)
	return s
}

// openA2A returns a client of the agent.
func openA2A(ctx context.Context, at run) (*a2aclient.Client, error) {
	endpoint := a2a.AgentInterface{Transport: a2a.TransportProtocolGRPC, URL: host + ":443"}
	options := append(at.options, grpc.WithTransportCredentials(insecure.NewCredentials()))
	return a2aclient.NewFromEndpoints(ctx, []a2a.AgentInterface{endpoint}, a2aclient.WithGRPCTransport(options...))
}

// a2aMessage returns a message of the user. Its ID is another one in each run.
func a2aMessage(text string) *a2a.MessageSendParams {
	return &a2a.MessageSendParams{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.TextPart{Text: text})}
}

func useA2A(ctx context.Context, at run) error {
	client, err := openA2A(ctx, at)
	if err != nil {
		return err
	}
	defer client.Destroy()
	for range 2 {
		_, err = client.SendMessage(ctx, a2aMessage("hello"))
		if err != nil {
			return err
		}
	}
	_, err = client.GetTask(ctx, &a2a.TaskQueryParams{ID: "no such task"})
	if err == nil {
		return fmt.Errorf("GetTask returned no error")
	}
	return atOnce(64+8, func(i int) error {
		if i < 64 {
			_, err := client.SendMessage(ctx, a2aMessage(fmt.Sprint("message ", i)))
			return err
		}
		for _, err := range client.SendStreamingMessage(ctx, a2aMessage(fmt.Sprint("task ", i))) {
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Messages and streamed tasks of an A2A agent replay over gRPC without the agent, also 64 and 8 at once.
func TestA2AReplaysWithoutTheAgent(t *testing.T) {
	t.Parallel()
	record(t, newAgentServer(), useA2A).replays(t)
}

// A changed text of a message is reported with its field and the line of the test.
func TestA2AMissesNameTheField(t *testing.T) {
	t.Parallel()
	record(t, newAgentServer(), useA2A).misses(t, change{
		name: "text",
		ask: func(ctx context.Context, at run) (string, error) {
			client, err := openA2A(ctx, at)
			if err != nil {
				return "", err
			}
			defer client.Destroy()
			line := nextLine()
			_, err = client.SendMessage(ctx, a2aMessage("hello again"))
			return line, err
		},
		want: "message/parts/0/text",
	})
}
