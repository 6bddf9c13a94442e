package tape

import (
	"errors"
	"testing"

	"github.com/promptecho/promptecho/internal/redact"
)

// Calls keep the order in which they came, whatever ends first.
func TestRecordingsAreInTheOrderAsked(t *testing.T) {
	t.Parallel()
	run := update(t)
	do(t, run, "ask a, ask b, end b, ask c, end c, end a")
	if got := texts(run.Recordings()); got[0] != "a" || got[1] != "b" || got[2] != "c" {
		t.Errorf("got %v", got)
	}
}

// Concurrent calls of a run are recorded with their moments, and calls that ran
// alone without.
func TestMomentsAreRecorded(t *testing.T) {
	t.Parallel()
	run := update(t)
	do(t, run, "ask a, ask b, end b, end a, ask c, end c")
	if got, want := momentsOf(run.Recordings()), "a: asked 1, answered 3; b: asked 2, answered 2"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A call that a recorded function makes does not overlap that function.
func TestCallOfAFunctionDoesNotOverlapIt(t *testing.T) {
	t.Parallel()
	run := update(t)
	m := send(t, run, function("tool/agent"))
	agent, err := run.Reserve(m)
	if err != nil {
		t.Fatal(err)
	}
	inner := take(t, run, Call{Request: within("tool/agent", prompt("hi")), Outer: agent})
	finish(t, run, inner, says("one"))
	complete(run, agent, returns("1"))
	if got := momentsOf(run.Recordings()); got != "" {
		t.Errorf("the moments are %s", got)
	}
}

// A call without a response leaves nothing behind, and what a function that
// returned nothing has called is reached by no replay.
func TestAbandonedCall(t *testing.T) {
	t.Parallel()
	run := update(t)
	m := send(t, run, function("tool/agent"))
	agent, err := run.Reserve(m)
	if err != nil {
		t.Fatal(err)
	}
	inner := finish(t, run, take(t, run, Call{Request: prompt("hi"), Outer: agent}), says("one"))
	other := recordCall(t, run, prompt("other"), says("two"))
	if inner.Unreachable() {
		t.Error("the function still runs")
	}
	run.Abandon(agent)
	if !inner.Unreachable() || other.Unreachable() {
		t.Errorf("unreachable: %v and %v", inner.Unreachable(), other.Unreachable())
	}
	if got := texts(run.Recordings()); len(got) != 2 {
		t.Errorf("left are %v", got)
	}
}

// After Stop nothing is recorded, but what is under way ends; after Close
// nothing changes.
func TestStopAndClose(t *testing.T) {
	t.Parallel()
	run := update(t)
	m := send(t, run, prompt("hi"))
	rec, err := run.Reserve(m)
	if err != nil {
		t.Fatal(err)
	}
	run.Stop()
	if _, err := run.Reserve(m); !errors.Is(err, ErrClosed) {
		t.Errorf("the error is %v", err)
	}
	complete(run, rec, says("one"))
	if !rec.Complete() {
		t.Error("a response under way was dropped")
	}
	run.Close()
	run.KeepUnrecorded(rec, Unrecorded{"header/x": 1})
	if rec.run.unrecorded != nil {
		t.Error("a field was kept after the end")
	}
	run.Miss(&m)
	if run.Steps() != nil {
		t.Error("a miss was kept after the end")
	}
}

// A tape that is kept for long gives its memory back, unless snapshots read it.
func TestFreeGivesMemoryBack(t *testing.T) {
	t.Parallel()
	for _, snapshots := range []bool{false, true} {
		config := configOf(cassetteOf(t))
		config.Snapshots = snapshots
		run := openWith(t, config, PlayAll)
		rec := recordCall(t, run, prompt("hi"), says("one"))
		if (rec.Goroutine() != 0) != snapshots {
			t.Errorf("snapshots %v: the goroutine is %d", snapshots, rec.Goroutine())
		}
		if err := saveRun(run); err != nil {
			t.Fatal(err)
		}
		run.Free()
		if rec.live.encoded != nil {
			t.Error("the text for the cassette is kept")
		}
		_, err := rec.Load()
		if snapshots && err != nil || !snapshots && !errors.Is(err, ErrClosed) {
			t.Errorf("snapshots %v: the error is %v", snapshots, err)
		}
		if !snapshots && rec.Line() != 0 {
			t.Errorf("the line is %d", rec.Line())
		}
	}
}

// A recorder that forgets what is saved keeps the whole text until then.
func TestRecordedBodyIsReadFromItsText(t *testing.T) {
	t.Parallel()
	run := update(t)
	rec := recordCall(t, run, prompt("hi"), says("one"))
	if rec.Head().Response.Body != nil {
		t.Error("the body is in memory twice")
	}
	if got := string(rec.Interaction().Response.Body); got != `{"text":"one"}` {
		t.Errorf("the body is %s", got)
	}
	if got := rec.Peek().Text(); got == "" || rec.Form().Text() == got {
		t.Error("the text of the form is kept, or not read")
	}
}

// A tape without a cassette has nothing to play, unless its run plays what it
// recorded.
func TestIsBlank(t *testing.T) {
	t.Parallel()
	run := New(configOf("c.yaml"), new(redact.Policy))
	if !run.IsBlank() {
		t.Error("an empty tape is not blank")
	}
	run.Config.Rounds = true
	if run.IsBlank() {
		t.Error("a run in rounds is blank")
	}
}
