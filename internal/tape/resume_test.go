package tape

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A run that follows a killed one plays what that has paid for, and sends its
// failures again.
func TestKilledRunIsResumed(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name         string
		keepFailures bool
		want         []string
	}{
		{"failures are sent again", false, []string{"answered", "retried", "retried", "canceled"}},
		{"failures are kept", true, []string{"answered", "refused", "retried", "retried", "canceled"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			closed := streamOf(interaction.EndClosed, "a")
			closed.Error = interaction.Waiting
			killed := update(t)
			recordCall(t, killed, prompt("answered"), says("one"))
			recordCall(t, killed, prompt("refused"), fails(400))
			recordCall(t, killed, prompt("retried"), fails(429))
			recordCall(t, killed, prompt("retried"), says("two"))
			recordCall(t, killed, prompt("closed"), closed)
			recordCall(t, killed, prompt("canceled"), isCanceled())
			killed.Journal.close()

			run := New(configOf(killed.Config.Path), new(redact.Policy))
			resumed, wasSaved, err := run.Resume("c.yaml.partial", tt.keepFailures)
			if err != nil || resumed != 6 || wasSaved {
				t.Fatalf("resumed %d, saved %v, error %v", resumed, wasSaved, err)
			}
			if got := texts(run.Recordings()); !slices.Equal(got, tt.want) {
				t.Errorf("played are %v, want %v", got, tt.want)
			}
			for i, rec := range run.Recordings() {
				if !rec.Resumed() || rec.Fresh() || rec.Carried() || rec.number != i {
					t.Errorf("recording %d is not known as resumed", i)
				}
			}
			m := take(t, run, Call{Request: prompt("canceled"), Cancelable: true})
			if m.Recording == nil || !m.Recording.Canceled() {
				t.Error("the canceled request is not canceled again")
			}
			run.Journal.close()
		})
	}
}

// A failure that a killed run has left, and that the next one sends again, is not played if that run
// is killed, too: its success is no retry of the program.
func TestFailureOfAnEarlierKilledRunIsNotPlayed(t *testing.T) {
	t.Parallel()
	first := update(t)
	recordCall(t, first, prompt("hi"), fails(429))
	second := resume(t, first)
	recordCall(t, second, prompt("hi"), says("one"))
	third := resume(t, second)
	if got := texts(third.Recordings()); len(got) != 1 || third.Recordings()[0].Failed() {
		t.Errorf("played are %v, want only the success", got)
	}
}

// A request that a killed run has canceled and sent again is canceled first,
// and gets its response then.
func TestCanceledRequestOfAKilledRun(t *testing.T) {
	t.Parallel()
	killed := update(t, alone("a"))
	recordCall(t, killed, prompt("hi"), isCanceled())
	recordCall(t, killed, prompt("hi"), says("one"))
	run := resume(t, killed)
	for i, wantCanceled := range []bool{true, false} {
		m := take(t, run, Call{Request: prompt("hi"), Cancelable: true})
		if m.Recording == nil || m.Recording.Canceled() != wantCanceled {
			t.Errorf("request %d: canceled %v", i, !wantCanceled)
		}
	}
}

// A run that follows a saved one finds nothing in its journal, and removes it.
func TestSavedJournalIsRemoved(t *testing.T) {
	t.Parallel()
	first := update(t)
	recordCall(t, first, prompt("hi"), says("one"))
	if err := saveRun(first); err != nil {
		t.Fatal(err)
	}
	run := New(configOf(first.Config.Path), new(redact.Policy))
	resumed, wasSaved, err := run.Resume("c.yaml.partial", false)
	if err != nil || resumed != 0 || !wasSaved || len(run.Recordings()) != 0 {
		t.Errorf("resumed %d, saved %v, error %v", resumed, wasSaved, err)
	}
	if _, err := os.Stat(first.Journal.Path); !os.IsNotExist(err) {
		t.Error("the journal is left")
	}
}

// A journal that cannot be read is named, since deleting it loses what was paid
// for.
func TestUnreadableJournalIsNamed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.Mkdir(path+JournalSuffix, 0o700); err != nil {
		t.Fatal(err)
	}
	_, _, err := New(configOf(path), new(redact.Policy)).Resume("c.yaml.partial", false)
	if err == nil {
		t.Error("no error")
	}
}
