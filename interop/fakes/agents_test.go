package fakes

import (
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go"
	anthropicoption "github.com/anthropics/anthropic-sdk-go/option"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/echofake"
)

// An agent that clears its context sends only the note for itself, and titles come at any time.
func TestClearedContextKeepsOnlyTheNote(t *testing.T) {
	t.Parallel()
	const note = "Resume with step 4."
	p := echofake.New(t,
		echofake.Text("a title").When(echofake.Not(echofake.Streamed)).Always(),
		echofake.ToolCall("clear_context", map[string]string{"follow_up": note}).ID("call_clear"),
		echofake.Text("continuing after clear"),
	)
	program := newRunner(p)
	program.tools["clear_context"] = nil
	answer, err := program.run(t.Context(), "You plan.", "hello from the user")
	if err != nil || answer.Content != "continuing after clear" {
		t.Fatalf("got %q, %v", answer.Content, err)
	}
	second := streams(p)[1]
	if second.Last().Role != "user" || second.Last().Text != note {
		t.Errorf("the last message is %+v", second.Last())
	}
	if strings.Contains(second.Text(), "hello from the user") {
		t.Errorf("what was cleared is sent: %s", second.Text())
	}
}

// An orchestrator and the chats that it starts each get their own turns, told apart by their tools.
func TestOrchestratorAndItsChats(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.When(echofake.Offers("spawn_chat"),
			echofake.ToolCall("spawn_chat", `{"prompt":"Investigate the flaky build"}`),
			echofake.ToolCall("list_chats", nil),
			echofake.Text("started")),
		echofake.Text("a title").When(echofake.Not(echofake.Streamed)).Always(),
		echofake.Text("done").Always(),
	)
	chats := newRunner(p)
	chats.tools["execute"] = nil
	orchestrator := newRunner(p)
	var started []string
	orchestrator.tools["spawn_chat"] = func(args map[string]string) string {
		answer, err := chats.run(t.Context(), "You are the agent.", args["prompt"])
		if err != nil {
			t.Error(err)
		}
		started = append(started, args["prompt"]+": "+answer.Content)
		return "1"
	}
	orchestrator.tools["list_chats"] = func(map[string]string) string {
		return strings.Join(started, "\n")
	}

	answer, err := orchestrator.run(t.Context(), "You are the orchestrator.", "Start a chat, then list them.")
	if err != nil || answer.Content != "started" {
		t.Fatalf("got %q, %v", answer.Content, err)
	}
	all := streams(p) // spawn, the chat itself, list, the text
	if all[0].System != "You are the orchestrator." || all[0].Offers("execute") {
		t.Errorf("the orchestrator sent %+v", all[0])
	}
	if all[1].Offers("spawn_chat") || !all[1].Offers("execute") {
		t.Errorf("the chat has the tools %v", all[1].Tools)
	}
	if listed, _ := all[3].Result("list_chats"); listed.Text != "Investigate the flaky build: done" {
		t.Errorf("the list is %q", listed.Text)
	}
}

// streams returns the requests for streams.
func streams(p *echofake.Provider) (all []*promptecho.Request) {
	for _, r := range p.Requests() {
		if r.Stream {
			all = append(all, r)
		}
	}
	return all
}

// Two workers that run at once each get the answer to their own task, whoever asks first.
func TestWorkersAtOnceGetTheirOwnAnswers(t *testing.T) {
	t.Parallel()
	p := echofake.New(t,
		echofake.Text("Calling workers.").
			ToolCall("call_agent", `{"task":"task A"}`).
			ToolCall("call_agent", `{"task":"task B"}`),
		echofake.Text("result A").When(echofake.User("task A")),
		echofake.Text("result B").When(echofake.User("task B")),
		echofake.Text("Both workers done"),
	)
	client := anthropic.NewClient(
		anthropicoption.WithHTTPClient(p.Client()),
		anthropicoption.WithAPIKey(p.Secret("ANTHROPIC_API_KEY")),
	)
	got, answers, err := delegate(t.Context(), client, "Let both work.")
	if err != nil || got != "Both workers done" {
		t.Errorf("got %q, %v", got, err)
	}
	if answers["task A"] != "result A" || answers["task B"] != "result B" {
		t.Errorf("the workers got %v", answers)
	}
}
