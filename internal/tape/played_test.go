package tape

import (
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
)

// agentRecordings returns the recordings of an agent that calls a tool, which
// asks a model.
func agentRecordings() []*interaction.Interaction {
	return exchanges{
		exchange(function("tool/agent"), returns("1")),
		exchange(within("tool/agent", function("tool/search")), returns("2")),
		exchange(within("tool/search", prompt("ask the model")), says("one")),
		exchange(within("tool/agent", prompt("summarize")), says("two")),
		exchange(within("tool/other", prompt("elsewhere")), says("three")),
		exchange(prompt("at last"), says("four")),
	}
}

// A replay that plays a function does not send the requests that were recorded
// within it, directly or not.
func TestWithinPlayedFunction(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		played interaction.Request
		want   []bool
	}{
		{"the agent was played", function("tool/agent"), []bool{false, true, true, true, false, false}},
		{"the tool was played", within("tool/agent", function("tool/search")), []bool{false, false, true, false, false, false}},
		{"only a request was played", prompt("at last"), make([]bool, 6)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := replay(t, agentRecordings()...)
			m := send(t, run, tt.played)
			m.Recording.Interaction() // as the function's caller reads its result
			run.Close()
			isWithin := run.WithinPlayed()
			for i, rec := range run.Recordings() {
				if got := isWithin(rec); got != tt.want[i] {
					t.Errorf("recording %d: %v, want %v", i, got, tt.want[i])
				}
			}
		})
	}
}

// A function that Live runs, and that is recorded, does send its requests,
// although its old recording was found.
func TestWithinLiveFunction(t *testing.T) {
	t.Parallel()
	run := update(t, agentRecordings()...)
	m := send(t, run, function("tool/agent"))
	m.Recording.Interaction()
	finish(t, run, m, returns("5"))
	run.Close()
	isWithin := run.WithinPlayed()
	for i, rec := range run.Stored() {
		if isWithin(rec) {
			t.Errorf("recording %d belongs to a function that was not played", i)
		}
	}
	for _, rec := range run.Played(false) {
		if rec == m.Recording {
			t.Error("a recording counts as played although another one was recorded in its place")
		}
	}
}

// A run that records again keeps of the cassette what it played, and what was
// recorded within functions that it played, each behind the one before it.
func TestPlayedRecordings(t *testing.T) {
	t.Parallel()
	run := replay(t, agentRecordings()...)
	send(t, run, prompt("at last"))
	send(t, run, function("tool/agent")).Recording.Interaction()
	run.Close()

	played := run.Played(false)
	SortAsked(played)
	want := []string{"at last", "tool/agent", "tool/search", "ask the model", "summarize"}
	if got := texts(played); !slices.Equal(got, want) {
		t.Errorf("played are %v, want %v", got, want)
	}

	all := run.Played(true)
	if len(all) != 6 {
		t.Errorf("all are %v", texts(all))
	}
}

// A program may have got a placeholder from a response that was played, and
// sends that to a server which does not know it.
func TestPlayedPlaceholder(t *testing.T) {
	t.Parallel()
	inHeader := says("one")
	inHeader.Headers = interaction.Headers{{Name: "x-token", Values: []string{"[REDACTED]"}}}
	tests := []struct {
		name string
		resp interaction.Response
		want bool
	}{
		{"in the body", says("[REDACTED]"), true},
		{"in an event of a stream", streamOf("", "a", `{"token":"[REDACTED]"}`), true},
		{"in a header", inHeader, true},
		{"nowhere", says("one"), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := update(t, exchange(prompt("hi"), tt.resp))
			recordCall(t, run, prompt("other"), says("[REDACTED]"))
			if run.HasPlayedPlaceholder() {
				t.Error("it counts before the response was played")
			}
			send(t, run, prompt("hi"))
			if got := run.HasPlayedPlaceholder(); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

// The steps of a run are its calls in the order asked: those that recordings
// answered, and those that nothing answered.
func TestStepsOfARun(t *testing.T) {
	t.Parallel()
	run := replay(t, alone("unused"), alone("a"), alone("b"), exchange(function("tool/f"), returns("1")))
	send(t, run, prompt("b"))
	if run.Steps() != nil {
		t.Error("a run without a miss has steps")
	}
	missed := send(t, run, prompt("x"))
	run.Miss(&missed)
	send(t, run, prompt("a"))
	missedFunction := send(t, run, function("tool/unknown"))
	run.Miss(&missedFunction)
	run.Close()

	var got []string
	for _, step := range run.Steps() {
		if step.Recording != nil {
			got = append(got, textOf(step.Recording))
			continue
		}
		it := step.Missed
		got = append(got, "missed "+it.Kind)
		isFunction := it.Request.Function != ""
		if (it.Response.Error != "") != isFunction || (it.Response.Status != 0) == isFunction {
			t.Errorf("the response to %s is %+v", it.Request.String(), it.Response)
		}
	}
	if want := []string{"b", "missed llm", "a", "missed tool"}; !slices.Equal(got, want) {
		t.Errorf("the steps are %v, want %v", got, want)
	}
}

// A snapshot has what answered the calls of the test so far, in the order asked.
func TestMadeSoFar(t *testing.T) {
	t.Parallel()
	run := update(t, alone("a"), alone("b"), alone("unused"))
	do(t, run, "ask b, end b, ask x, end x, ask a, end a, ask y")
	made, underWay := run.Made()
	if got := texts(made); !slices.Equal(got, []string{"b", "x", "a"}) || underWay != 1 {
		t.Errorf("made are %v, and %d are under way", got, underWay)
	}
}

// A recording in whose place another one was recorded is not in a snapshot.
func TestMadeLeavesOutReplaced(t *testing.T) {
	t.Parallel()
	run := update(t, alone("a"))
	m := send(t, run, prompt("a"))
	finish(t, run, m, says("new"))
	made, _ := run.Made()
	if len(made) != 1 || !made[0].Fresh() || made[0].Number() != 0 {
		t.Errorf("made are %d recordings", len(made))
	}
}
