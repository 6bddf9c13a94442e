package tape

import (
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// The response to a JSON-RPC call has the ID that the call has in this run.
func TestResponseHasTheIDOfTheCall(t *testing.T) {
	t.Parallel()
	const result = `{"jsonrpc":"2.0","id":7,"result":{"id":7}}`
	const relinked = `{"jsonrpc":"2.0","id":9,"result":{"id":7}}`
	whole := interaction.Response{Status: 200, Body: []byte(result)}
	stream := interaction.Response{
		Status: 200,
		Stream: "sse",
		Events: []interaction.Event{{{Name: "event", Value: "message"}, {Name: "data", Value: result}}},
	}
	run := replay(t, exchange(toolCall(7, "one"), whole), exchange(toolCall(7, "two"), stream))

	for name, tool := range map[string]string{"a body": "one", "a stream": "two"} {
		req := toolCall(9, tool)
		m := send(t, run, req)
		if m.Recording == nil {
			t.Fatalf("%s: not found", name)
		}
		it, err := m.Recording.Answer(&req)
		if err != nil {
			t.Fatal(err)
		}
		got := string(it.Response.Body)
		if it.Response.Stream != "" {
			got = it.Response.Events[0][1].Value
		}
		if got != relinked {
			t.Errorf("%s: got %s", name, got)
		}
		again, err := m.Recording.Answer(nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Response.Stream != "" && again.Response.Events[0][1].Value != result {
			t.Errorf("%s: the recording was changed: %s", name, again.Response.Events[0][1].Value)
		}
		if ids := m.Recording.IDs(&req); len(ids) != 1 {
			t.Errorf("%s: the IDs are %v", name, ids)
		}
	}
}

// The latency of a response is that of its recording, whatever its IDs are.
func TestResponseHasTheRecordedLatency(t *testing.T) {
	t.Parallel()
	slow := exchange(toolCall(7, "one"), says("x"))
	slow.LatencyMS = 120
	run := replay(t, slow)
	req := toolCall(9, "one")
	it, err := send(t, run, req).Recording.Answer(&req)
	if err != nil || it.LatencyMS != 120 {
		t.Errorf("latency %d, error %v", it.LatencyMS, err)
	}
}

// A response that is played a second time is kept in memory, since a benchmark
// plays it often.
func TestResponseIsKeptOnceItIsRepeated(t *testing.T) {
	t.Parallel()
	run := replay(t, exchange(prompt("hi"), says("one")))
	rec := run.Recordings()[0]
	var answers []*interaction.Interaction
	for range 3 {
		it, err := rec.Answer(nil)
		if err != nil {
			t.Fatal(err)
		}
		if string(it.Response.Body) != `{"text":"one"}` {
			t.Errorf("the body is %s", it.Response.Body)
		}
		answers = append(answers, it)
	}
	if answers[0] == answers[1] {
		t.Error("a response that is played once is kept")
	}
	if answers[1] != answers[2] {
		t.Error("a response that is played often is read each time")
	}
}

// A recording has failed if its client has no usable response.
func TestFailed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		resp interaction.Response
		want bool
	}{
		{"a success", says("one"), false},
		{"a refusal", fails(400), true},
		{"a busy server", fails(429), true},
		{"a body that broke off", brokenOff(), true},
		{"a body that the client closed", body(interaction.EndClosed, "{"), false},
		{"a canceled request", isCanceled(), false},
		{"a timeout", timesOut(), true},
		{"a failure with status 200", body("", `{"error":{"message":"overloaded"}}`), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, exchange(prompt("hi"), tt.resp))
			if got := run.Recordings()[0].Failed(); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// A function that returned an error has failed.
func TestFailedFunction(t *testing.T) {
	t.Parallel()
	run := replay(t,
		exchange(function("tool/search"), returns("1")),
		exchange(function("tool/search"), interaction.Response{Error: "no index"}),
	)
	for i, want := range []bool{false, true} {
		if got := run.Recordings()[i].Failed(); got != want {
			t.Errorf("recording %d: %v", i, got)
		}
	}
}

// A run that records knows from its client that a response is a failure.
func TestFailedOfThisRun(t *testing.T) {
	t.Parallel()
	run := update(t)
	for _, failed := range []bool{true, false} {
		m := send(t, run, prompt("hi"))
		rec, err := run.Reserve(m)
		if err != nil {
			t.Fatal(err)
		}
		it := *rec.Interaction()
		it.Response = says("one")
		run.Finish(rec, &it, nil, failed)
		if rec.Failed() != failed {
			t.Errorf("failed is %v, want %v", rec.Failed(), failed)
		}
	}
}

// A request is canceled if its context ended before the response came, by a
// deadline, too.
func TestCanceled(t *testing.T) {
	t.Parallel()
	for _, resp := range []interaction.Response{isCanceled(), timesOut(), says("one"), fails(500)} {
		want := resp.End == interaction.EndCanceled
		played := replay(t, exchange(prompt("hi"), resp)).Recordings()[0]
		if played.Canceled() != want {
			t.Errorf("%+v of the cassette: %v", resp, played.Canceled())
		}
		recorded := recordCall(t, update(t), prompt("hi"), resp)
		if recorded.Canceled() != want {
			t.Errorf("%+v of this run: %v", resp, recorded.Canceled())
		}
	}
}

// The text of a response is what the model said.
func TestResponseText(t *testing.T) {
	t.Parallel()
	answer := body("", `{"choices":[{"message":{"role":"assistant","content":"hello"}}]}`)
	run := replay(t, exchange(prompt("hi"), answer))
	if got := run.Recordings()[0].ResponseText(); got != "hello" {
		t.Errorf("got %q", got)
	}
}

// A request whose retry succeeded counts as answered, whatever failed before.
func TestSucceededLater(t *testing.T) {
	t.Parallel()
	run := update(t)
	busy := recordCall(t, run, prompt("hi"), fails(429))
	refused := recordCall(t, run, prompt("other"), fails(400))
	success := recordCall(t, run, prompt("hi"), says("one"))
	busyAgain := recordCall(t, run, prompt("hi"), fails(429))
	later := run.SucceededLater()
	for rec, want := range map[*Recording]bool{
		busy: true, refused: false, success: false, busyAgain: false,
	} {
		if later[rec] != want {
			t.Errorf("%s with status %d: %v", textOf(rec), rec.Interaction().Response.Status, later[rec])
		}
	}
	underWay, err := run.Reserve(send(t, run, prompt("under way")))
	if err != nil {
		t.Fatal(err)
	}
	if run.Succeeded(underWay.Form().Key()) {
		t.Error("a request without a response has succeeded")
	}
	if !run.Succeeded(success.Form().Key()) || run.Succeeded(refused.Form().Key()) {
		t.Error("Succeeded does not tell the two requests apart")
	}

	noFailures := update(t)
	recordCall(t, noFailures, prompt("hi"), says("one"))
	recordCall(t, noFailures, prompt("hi"), says("one"))
	if len(noFailures.SucceededLater()) != 0 {
		t.Error("a request that never failed succeeded later")
	}
}
