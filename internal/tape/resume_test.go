package tape

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A run that follows a killed one plays what that has paid for, and sends its
// failures again.
func TestKilledRunIsResumed(t *testing.T) {
	t.Parallel()
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

// A journal has the recorded values of its run, whether the test read them
// before or after the first request.
func TestJournalKeepsRecordedValues(t *testing.T) {
	t.Parallel()
	killed := update(t)
	values := func(name, value string) interaction.RecordedValues {
		return interaction.RecordedValues{Env: map[string]string{name: value}}
	}
	killed.Journal.KeepValues(values("REGION", "eu"))
	killed.Journal.KeepValues(values("API_KEY", "Zk93hQ7xPw2LmN8v"))
	if _, err := os.Stat(killed.Journal.Path); !os.IsNotExist(err) {
		t.Error("there is a journal before the first request")
	}
	recordCall(t, killed, prompt("hi"), says("one"))
	killed.Journal.KeepValues(values("TEAM", "red"))

	run := resume(t, killed)
	env := run.Journal.RecordedValues().Env
	if env["REGION"] != "eu" || env["TEAM"] != "red" || env["API_KEY"] != "" {
		t.Errorf("got %v", env)
	}
	if env := killed.Journal.RecordedValues().Env; env["API_KEY"] == "" {
		t.Errorf("the run itself has lost a value: %v", env)
	}
}

// A journal of another process is left alone: this run writes nothing there,
// and does not save.
func TestJournalOfAnotherProcess(t *testing.T) {
	t.Parallel()
	run := update(t)
	writeFile(t, run.Journal.Path, "of another process")
	recordCall(t, run, prompt("hi"), says("one"))
	run.Journal.KeepValues(interaction.RecordedValues{Env: map[string]string{"A": "b"}})
	recordCall(t, run, prompt("hi"), says("two"))
	run.Close()
	if !run.Overtaken() {
		t.Error("the run does not know of the other process")
	}
	if err := run.Journal.Remove(); err != nil {
		t.Error(err)
	}
	text, err := os.ReadFile(run.Journal.Path)
	if err != nil || string(text) != "of another process" {
		t.Errorf("the journal is %q, %v", text, err)
	}
}

// A secret that becomes known during a run is not left in the journal.
func TestJournalIsWrittenAgainWithoutASecret(t *testing.T) {
	t.Parallel()
	const secret = "Zk93hQ7xPw2LmN8v"
	run := update(t)
	recordCall(t, run, prompt("use "+secret), says("one"))
	recordCall(t, run, prompt("other"), says("two"))
	if text := readFile(t, run.Journal.Path); !strings.Contains(text, secret) {
		t.Fatal("the secret is known already")
	}
	run.policy.AddSecret(secret)
	recordCall(t, run, prompt("last"), says("three"))
	text := readFile(t, run.Journal.Path)
	if strings.Contains(text, secret) || strings.Count(text, "- kind: llm") != 3 {
		t.Errorf("the journal is %s", text)
	}
}

// A journal ends with its run, and is removed when the cassette is saved.
func TestJournalEnds(t *testing.T) {
	t.Parallel()
	run := update(t)
	late, err := run.Reserve(Match{Call: Call{Request: prompt("tardy")}, Form: run.Config.Options.Form(ptr(prompt("tardy")))})
	if err != nil {
		t.Fatal(err)
	}
	recordCall(t, run, prompt("hi"), says("one"))
	run.Close()
	complete(run, late, says("two"))
	if late.Complete() || strings.Contains(readFile(t, run.Journal.Path), "tardy") {
		t.Error("a response that came after the end is kept")
	}
	if err := run.Journal.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(run.Journal.Path); !os.IsNotExist(err) {
		t.Error("the journal is left")
	}
	if err := update(t).Journal.Remove(); err != nil {
		t.Errorf("removing a journal that was never written: %v", err)
	}
}

func ptr[T any](v T) *T { return &v }
