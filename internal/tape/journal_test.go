package tape

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho/internal/canon"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/redact"
)

// A secret that becomes known after a text was made, and before the text is in
// the journal, is not in the journal.
func TestJournalHasNoSecretLearnedLater(t *testing.T) {
	t.Parallel()
	const value = "Zk93hQ7xPw2LmN8v"
	var policy redact.Policy
	file := filepath.Join(t.TempDir(), "c.yaml")
	tape := New(Config{Path: file, Name: file, Options: &canon.Options{}, Plain: true}, &policy)
	if _, _, err := tape.Resume(file+JournalSuffix, false); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"one " + value, "two"} {
		it := &interaction.Interaction{
			Kind:     "llm",
			Boundary: "openai.chat",
			Request: interaction.Request{
				Method: "POST",
				URL:    "https://api.openai.com/v1/chat/completions",
				Body:   []byte(`{"messages":[{"content":"` + text + `","role":"user"}]}`),
			},
			Response: interaction.Response{Status: 200, Body: []byte(`{}`)},
		}
		known := policy.Count()
		item, err := encode(&policy, file, it, redact.Result{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			policy.AddSecret(value)
		}
		tape.Journal.add(item, known)
	}
	text, err := os.ReadFile(file + JournalSuffix)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), value) || strings.Count(string(text), "- kind: llm") != 2 {
		t.Errorf("%s", text)
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
	late, err := run.Reserve(send(t, run, prompt("tardy")))
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

// What could not be written to the journal is written with the next response.
func TestJournalIsWrittenAgainAfterAFailure(t *testing.T) {
	t.Parallel()
	run := update(t)
	recordCall(t, run, prompt("a"), says("one"))
	if err := os.Remove(run.Journal.Path); err != nil {
		t.Fatal(err)
	}
	recordCall(t, run, prompt("b"), says("two"))
	recordCall(t, run, prompt("c"), says("three"))
	if text := readFile(t, run.Journal.Path); strings.Count(text, "- kind: llm") != 3 {
		t.Errorf("the journal is %s", text)
	}
}

// A recorded value that turns out to be a secret is not left in the journal.
func TestJournalIsWrittenAgainWithoutASecretValue(t *testing.T) {
	t.Parallel()
	const secret = "blue-horse-battery"
	run := update(t)
	run.Journal.KeepValues(interaction.RecordedValues{Env: map[string]string{"TEAM": secret}})
	recordCall(t, run, prompt("a"), says("one"))
	if !strings.Contains(readFile(t, run.Journal.Path), secret) {
		t.Fatal("the value is no recorded one")
	}
	run.policy.AddSecret(secret)
	recordCall(t, run, prompt("b"), says("two"))
	if text := readFile(t, run.Journal.Path); strings.Contains(text, secret) {
		t.Errorf("the journal is %s", text)
	}
}
