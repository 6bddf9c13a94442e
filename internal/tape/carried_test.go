package tape

import (
	"maps"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// carry opens a new cassette that takes over recordings of others.
func carry(t *testing.T, paths ...string) *Tape {
	t.Helper()
	run := open(t, configOf(cassetteOf(t)), new(redact.Policy), PlayAll, true)
	if err := run.CarryOver(paths); err != nil {
		t.Fatal(err)
	}
	return run
}

// Two tests that were split from one share the recordings of its cassette: each
// gets a response of its own.
func TestCarriedOverRecordingsAreShared(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, exchange(prompt("hi"), says("one")), exchange(prompt("hi"), says("two")))
	for i, want := range []string{`{"text":"one"}`, `{"text":"two"}`, `{"text":"one"}`} {
		run := carry(t, path)
		m := send(t, run, prompt("hi"))
		if m.Recording == nil {
			t.Fatalf("test %d gets nothing", i)
		}
		if got := string(m.Recording.Interaction().Response.Body); got != want {
			t.Errorf("test %d gets %s, want %s", i, got, want)
		}
		if !m.Recording.Carried() || !m.Recording.Resumed() || m.Recording.Fresh() {
			t.Errorf("test %d: the recording is not known as carried over", i)
		}
		run.Close()
		run.Free()
	}
}

// A recording that a test did not use is left for the next test.
func TestUnusedCarriedOverRecordingIsLeft(t *testing.T) {
	t.Parallel()
	path := cassetteOf(t, exchange(prompt("hi"), says("one")), exchange(prompt("hi"), says("two")))
	for range 2 {
		run := carry(t, path)
		if len(run.Recordings()) != 2 || len(run.Stored()) != 0 {
			t.Errorf("%d recordings, %d stored", len(run.Recordings()), len(run.Stored()))
		}
		run.Close()
		run.Free()
	}
	run := carry(t, path)
	m := send(t, run, prompt("hi"))
	if got := string(m.Recording.Interaction().Response.Body); got != `{"text":"one"}` {
		t.Errorf("got %s", got)
	}
}

// The recorded values of several cassettes are taken over; the first one wins.
func TestCarriedValues(t *testing.T) {
	t.Parallel()
	first, second := cassetteOf(t), cassetteOf(t)
	writeValues(t, first, map[string]string{"REGION": "eu", "TEAM": "a"})
	writeValues(t, second, map[string]string{"REGION": "us", "PLAN": "free"})
	run := carry(t, first, second)
	want := map[string]string{"REGION": "eu", "TEAM": "a", "PLAN": "free"}
	if got := run.CarriedValues().Env; !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// writeValues saves a cassette that has recorded variables and no recordings.
func writeValues(t *testing.T, path string, env map[string]string) {
	t.Helper()
	run := open(t, configOf(path), new(redact.Policy), PlayAll, true)
	run.Close()
	values := interaction.RecordedValues{Env: env}
	if err := run.Save(path, path, values, nil, false); err != nil {
		t.Fatal(err)
	}
}

// A cassette that cannot be read is an error, since its recordings were paid
// for.
func TestCarryOverOfAMissingCassette(t *testing.T) {
	t.Parallel()
	run := open(t, configOf(cassetteOf(t)), new(redact.Policy), PlayAll, true)
	if err := run.CarryOver([]string{cassetteOf(t) + ".missing"}); err == nil {
		t.Error("no error")
	}
}

// A placeholder in a recording that is carried over matches a secret.
func TestPlaceholderOfACarriedOverRecording(t *testing.T) {
	t.Parallel()
	run := carry(t, cassetteOf(t, exchange(prompt("use [REDACTED]"), says("one"))))
	m := send(t, run, prompt("use Zk93hQ7xPw2LmN8v"))
	if m.Recording == nil || !m.SecretLearned {
		t.Errorf("recording %v, secret learned: %v", m.Recording, m.SecretLearned)
	}
}

// A request that was canceled and sent again is canceled first, also if its
// recordings are carried over.
func TestCarriedOverCanceledRequest(t *testing.T) {
	t.Parallel()
	run := carry(t, cassetteOf(t, exchange(prompt("hi"), isCanceled()), exchange(prompt("hi"), says("one"))))
	for i, wantCanceled := range []bool{true, false} {
		m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
		if m.Recording == nil || m.Recording.Canceled() != wantCanceled {
			t.Errorf("request %d: canceled %v", i, !wantCanceled)
		}
	}
}
