// What a recorder does in a run that promptecho mutate has started: it plays one changed answer, and
// sends and writes nothing.
package mutate_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/promptecho/promptecho"
	"github.com/promptecho/promptecho/internal/interaction"
	"github.com/promptecho/promptecho/internal/mutant"
	"github.com/promptecho/promptecho/internal/testing/tree"
	"github.com/promptecho/promptecho/tests/internal/must"
	"github.com/promptecho/promptecho/tests/internal/provider"
)

func TestMain(m *testing.M) { must.Main(m) }

// base is the address of the requests in the cassettes of [must.Chats].
const base = "http://h"

// startedWith sets the environment as promptecho mutate does, with these changes.
func startedWith(t *testing.T, changes ...mutant.Change) (notes string) {
	t.Helper()
	dir := t.TempDir()
	plan := mutant.Plan{Notes: filepath.Join(dir, "notes"), Changes: changes}
	data, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "plan.json")
	for name, text := range map[string][]byte{file: data, plan.Notes: nil} {
		err := os.WriteFile(name, text, 0o600)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv(mutant.Env, file)
	return plan.Notes
}

// answering returns the path of a file with a changed answer.
func answering(t *testing.T, body string) string {
	t.Helper()
	data, err := mutant.EncodeResponse(&interaction.Response{Status: 200, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "response")
	err = os.WriteFile(file, data, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// wantAnswer asks, and fails the test if the answer is not this one.
func wantAnswer(t *testing.T, r *promptecho.Recorder, prompt, want string) {
	t.Helper()
	_, got := must.Ask(t, r, base, prompt)
	if strings.TrimSpace(got) != want {
		t.Errorf("%s: got %q, want %q", prompt, got, want)
	}
}

// A recorder that could send or record something does not open in a run of promptecho mutate.
func TestOnlyModeNoneOpensWithChangedAnswers(t *testing.T) {
	// Not parallel: it sets the environment.
	file := must.Save(t, must.Chats("a", `{"n":1}`))
	startedWith(t)
	for _, mode := range must.EveryMode {
		r, err := promptecho.Open(file, promptecho.InMode(mode), promptecho.Upstream(provider.Says("{}")))
		if mode == promptecho.ModeNone {
			if err != nil {
				t.Errorf("%s: %v", mode, err)
				continue
			}
			must.Ask(t, r, base, "a")
			must.Close(t, r)
			continue
		}
		const want = "promptecho mutate replays tests in mode none, and this recorder has "
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", mode, err)
		}
	}
}

// A run with a changed answer leaves the folder of the cassettes as it was, also if requests are missed.
func TestChangedAnswersWriteNothingIntoTheFolder(t *testing.T) {
	// Not parallel: it sets the environment.
	file := must.Save(t, must.Chats("a", `{"n":1}`, "b", `{"n":2}`))
	before := must.Read(t, file)
	notes := startedWith(t, mutant.Change{Cassette: file, Number: 0, Response: answering(t, `{"n":9}`)})
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	wantAnswer(t, r, "a", `{"n":9}`)
	must.WantMiss(t, r, base, "new")
	if r.Close() == nil {
		t.Error("the miss is not reported")
	}
	if names := tree.Names(t, filepath.Dir(file)); len(names) != 1 || must.Read(t, file) != before {
		t.Errorf("the folder has %q", names)
	}
	for _, event := range []string{mutant.Changed, mutant.Missed, mutant.Ended} {
		if !strings.Contains(must.Read(t, notes), `"`+event+`"`) {
			t.Errorf("no note says %s", event)
		}
	}
}

// Which recording answers a request never depends on a changed answer, whatever it says.
func TestChangedAnswerDoesNotDecideWhichRecordingPlays(t *testing.T) {
	// Not parallel: it sets the environment.
	file := must.Save(t, must.Chats(
		"a", `{"n":1}`, "a", `{"n":2}`, "b", `{"n":3}`, "a", `{"n":4}`,
	))
	requests := []string{"a", "b", "a", "a"}
	recorded := []string{`{"n":1}`, `{"n":3}`, `{"n":2}`, `{"n":4}`}
	numbers := []int{0, 2, 1, 3} // of the recordings that play
	for i := range requests {
		// The answer of another recording, which must not be taken for that one.
		changed := recorded[(i+1)%len(recorded)]
		startedWith(t, mutant.Change{Cassette: file, Number: numbers[i], Response: answering(t, changed)})
		r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
		for k, prompt := range requests {
			want := recorded[k]
			if k == i {
				want = changed
			}
			wantAnswer(t, r, prompt, want)
		}
		must.Close(t, r)
	}
}

// After a changed answer, a request that is not recorded gets the next recording of its endpoint, if asked.
func TestRequestAfterChangedAnswerGetsTheNextRecording(t *testing.T) {
	// Not parallel: it sets the environment.
	file := must.Save(t, must.Chats("a", `{"n":1}`, "b", `{"n":2}`, "c", `{"n":3}`))
	change := mutant.Change{Cassette: file, Number: 0, Response: answering(t, `{"n":9}`), Onward: true}
	notes := startedWith(t, change)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	wantAnswer(t, r, "a", `{"n":9}`)
	wantAnswer(t, r, "b, changed", `{"n":2}`)
	wantAnswer(t, r, "c", `{"n":3}`)
	must.WantMiss(t, r, base, "one too many")
	_ = r.Close()
	text := must.Read(t, notes)
	if strings.Count(text, `"`+mutant.Onward+`"`) != 1 || strings.Count(text, `"`+mutant.Missed+`"`) != 1 {
		t.Errorf("the notes are\n%s", text)
	}
}

// Before the changed answer is played, a request that is not recorded is a miss.
func TestRequestBeforeChangedAnswerIsAMiss(t *testing.T) {
	// Not parallel: it sets the environment.
	file := must.Save(t, must.Chats("a", `{"n":1}`, "b", `{"n":2}`))
	change := mutant.Change{Cassette: file, Number: 1, Response: answering(t, `{"n":9}`), Onward: true}
	startedWith(t, change)
	r := must.Open(t, file, promptecho.InMode(promptecho.ModeNone))
	must.WantMiss(t, r, base, "new")
	wantAnswer(t, r, "b", `{"n":9}`)
	_ = r.Close()
}
